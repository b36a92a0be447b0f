// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_ASSEMBLY_COARSER_COARSER_SYSTEM_HPP
#define TESSERA_ASSEMBLY_COARSER_COARSER_SYSTEM_HPP

/// \file
/// Data of a matrix-free system for multigrid. Instantiated for every space and form of this build.

#include "assembly/assembler.hpp"
#include "mesh/refine/children.hpp"

namespace tessera::assembly {

/// The coarser level of a form, or a part of it: the elements and the dof map of some rows (fe::DofPart).
template <int Dim, class MemorySpace> struct CoarserLevel {
  fe::DofMap<MemorySpace> dofs;                                              ///< fe::CoarserUnknowns
  Array<const index_t * [Dim + 1], MemorySpace> element_nodes;               ///< of the level's elements
  Array<const index_t * [mesh::Children<Dim>::count], MemorySpace> children; ///< empty: the elements are the same
  Array<const index_t* [2], MemorySpace> parents;   ///< of the finer mesh's nodes; empty if the elements are the same
  Array<const index_t*, MemorySpace> same_elements; ///< indices of the elements in the finer mesh, which has the same
                                                    ///< elements; empty: there are children, or the indices are the
                                                    ///< same
};

/// The assembler, by rows, of the Galerkin matrix of the coarser level (GalerkinForm), whose loads are zero. It shares
/// the arrays of the form: numeric() uses their current data. numeric() temporarily stores the matrices of all
/// elements, (Dim + 1) (Dim + 2) / 2 entries each.
template <class ExecutionSpace, class Form>
std::unique_ptr<Assembler<ExecutionSpace>>
make_coarser_assembler(const Form& form, const fe::DofMap<typename ExecutionSpace::memory_space>& dofs,
                       const CoarserLevel<Form::dimension, typename ExecutionSpace::memory_space>& coarser);

/// Upper bound of the eigenvalues of D^-1 A, where D is the diagonal of A: the maximum over the elements. This call
/// covers the `piece`-th of `n_pieces` of the elements, or only those in `owned` if it is not null. Waits.
template <class ExecutionSpace, class Form>
double bound_eigenvalues(const ExecutionSpace& exec, const Form& form,
                         const fe::DofMap<typename ExecutionSpace::memory_space>& dofs, int piece, int n_pieces,
                         const Array<const index_t*, ExecutionSpace>* owned = nullptr);

} // namespace tessera::assembly

#endif
