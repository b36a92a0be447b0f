// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_DG_DG_MEMORY_HPP
#define TESSERA_DRIVER_DG_DG_MEMORY_HPP

/// \file
/// Estimated memory of the dg matrix and its solver, before any of it is allocated.

#include "assembly/dg/strategy.hpp"
#include "fe/modal/modal_space.hpp"
#include "io/input/case.hpp"
#include "mesh/polytopes/polytopic_mesh.hpp"
#include "physics/forms/advection_diffusion_reaction.hpp"

namespace tessera::driver {

/// Sizes that determine the memory of a run, counts as floating-point numbers.
struct DgSizes {
  assembly::dg::AssemblySizes assembly;
  double diagonal_entries = 0.; ///< of the matrix's diagonal blocks
  double share = 1.;            ///< fraction of these in one process
  double face_values = 0.;      ///< face values stored by block rows (assembly::dg::FaceValues)
  int n_processes = 1;          ///< of several each cuts its owned rows from the matrix (linalg::cut_owned_rows)
};

/// Sizes for `n_elements` elements of `n_simplices` simplices in total before the mesh is agglomerated. A lower bound,
/// with fewer interfaces than such meshes usually have and the lowest degree in the input, so that nothing that fits is
/// refused.
DgSizes expected_sizes(const io::DiscretizationOptions& input, int dimension, double n_elements, double n_simplices);

/// Exact sizes for the rows of elements with these faces and simplices ([n_elements + 1] offsets).
template <int Dim, class ExecutionSpace>
DgSizes sizes_of(const ExecutionSpace& exec, const mesh::Faces<Dim, typename ExecutionSpace::memory_space>& faces,
                 const Array<const index_t*, typename ExecutionSpace::memory_space>& simplex_offsets,
                 const fe::ModalSpace<Dim, typename ExecutionSpace::memory_space>& space);

/// The same for a whole mesh.
template <int Dim, class ExecutionSpace>
DgSizes sizes_of(const ExecutionSpace& exec,
                 const mesh::PolytopicMesh<Dim, typename ExecutionSpace::memory_space>& mesh,
                 const fe::ModalSpace<Dim, typename ExecutionSpace::memory_space>& space);

/// Number of values that block rows store at the faces (DgSizes::face_values), from the space, rules and time of a
/// form.
template <int Dim, class ExecutionSpace>
double count_face_values(const mesh::Faces<Dim, typename ExecutionSpace::memory_space>& faces,
                         const fe::ModalSpace<Dim, typename ExecutionSpace::memory_space>& space,
                         const physics::AdvectionDiffusionReaction& transport);

/// Whether the solver is multigrid, or may become it after the first time slab.
inline bool may_take_multigrid(const io::Case& input) {
  return input.solver.preconditioner == io::Preconditioner::multigrid ||
         input.solver.preconditioner == io::Preconditioner::automatic;
}

/// Bytes, in one process, of the matrix, the strategy's additional memory, and the solver's vectors and blocks.
double estimate_bytes(const io::Case& input, const DgSizes& sizes);

} // namespace tessera::driver

#endif
