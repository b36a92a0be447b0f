// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_DG_DG_MEMORY_HPP
#define TESSERA_DRIVER_DG_DG_MEMORY_HPP

/// \file
/// Memory of the matrix of dg and of its solver, before any of it is taken.

#include "assembly/dg/strategy.hpp"
#include "fe/modal_space.hpp"
#include "io/case.hpp"
#include "mesh/polytopic_mesh.hpp"
#include "physics/advection_diffusion_reaction.hpp"

namespace tessera::driver {

/// What the memory of a run follows from, counts as floating point numbers.
struct DgSizes {
  assembly::dg::AssemblySizes assembly;
  double diagonal_entries = 0.; ///< of the matrix's diagonal blocks
  double share = 1.;            ///< of these that a process has
  double face_values = 0.;      ///< that block rows keep (assembly::dg::FaceValues)
  bool is_distributed = false;  ///< own rows are cut from the matrix (linalg::cut_own_rows)
};

/// Sizes for `n_elements` elements of `n_simplices` simplices in all before the mesh is agglomerated. Counts fewer
/// interfaces than such meshes usually have, and the lowest degree that the input names, so that nothing is refused
/// that fits.
DgSizes expected_sizes(const io::DiscretizationOptions& input, int dimension, double n_elements, double n_simplices);

/// Exact sizes of the rows of elements with these faces and simplices ([n_elements + 1] offsets).
template <int Dim, class ExecutionSpace>
DgSizes sizes_of(const ExecutionSpace& exec, const mesh::Faces<Dim, typename ExecutionSpace::memory_space>& faces,
                 const ConstArray<const index_t*, typename ExecutionSpace::memory_space>& simplex_offsets,
                 const fe::ModalSpace<Dim, typename ExecutionSpace::memory_space>& space);

/// Those of a whole mesh.
template <int Dim, class ExecutionSpace>
DgSizes sizes_of(const ExecutionSpace& exec,
                 const mesh::PolytopicMesh<Dim, typename ExecutionSpace::memory_space>& mesh,
                 const fe::ModalSpace<Dim, typename ExecutionSpace::memory_space>& space);

/// Numbers that block rows keep at the faces (DgSizes::face_values), of space, rules and time of a form.
template <int Dim, class ExecutionSpace>
double count_face_values(const mesh::Faces<Dim, typename ExecutionSpace::memory_space>& faces,
                         const fe::ModalSpace<Dim, typename ExecutionSpace::memory_space>& space,
                         const physics::AdvectionDiffusionReaction& transport);

/// Bytes of the matrix, what the strategy needs beside it, and the vectors and blocks of the solver, of a process.
double estimate_bytes(const io::Case& input, const DgSizes& sizes);

} // namespace tessera::driver

#endif
