// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_PHYSICS_FORMS_COARSER_DIFFUSION_HPP
#define TESSERA_PHYSICS_FORMS_COARSER_DIFFUSION_HPP

/// \file
/// Diffusion on the next coarser level of multigrid.

#include "fe/dofs/dof_map.hpp"
#include "mesh/refine/children.hpp"
#include "physics/forms/diffusion_form.hpp"
#include "physics/forms/part_of_mesh.hpp"

#include <optional>

namespace tessera::physics {

/// Returns the form of order 1 whose matrix with the unknowns `coarser` (fe::CoarserUnknowns) is, up to rounding, the
/// Galerkin product P^T A P of `fine` with the unknowns `dofs`: coarse functions are fine functions, and the
/// coefficient is the same in all children of an element. Below order 2 it has the same elements, and `element_nodes`,
/// `children` and `parents` are not used; below order 1 the first two are for the elements of the coarser mesh
/// (mesh::CoarserElements), and `parents` are those of the finer mesh's nodes. Without `children` all elements are in
/// one region.
///
/// Returns nothing if the matrices differ: if children of an element lie in different regions, or a node is not in the
/// middle of its parents (curved boundaries), or is fixed or tied while its parents are not. Waits. `part`: for a
/// distributed mesh with one layer of ghost elements; each process checks its owned nodes and elements, and no process
/// gets the form if any finds a difference. Then collective.
template <class ExecutionSpace, int Dim, int Order>
std::optional<UniformDiffusion<Dim, 1, typename ExecutionSpace::memory_space>> coarser_diffusion(
    const ExecutionSpace& exec, const UniformDiffusion<Dim, Order, typename ExecutionSpace::memory_space>& fine,
    const fe::DofMap<typename ExecutionSpace::memory_space>& dofs,
    const fe::DofMap<typename ExecutionSpace::memory_space>& coarser,
    const Array<const index_t * [Dim + 1], typename ExecutionSpace::memory_space>& element_nodes,
    const Array<const index_t * [mesh::Children<Dim>::count], typename ExecutionSpace::memory_space>& children,
    const Array<const index_t* [2], typename ExecutionSpace::memory_space>& parents,
    const PartOfMesh<ExecutionSpace>* part = nullptr);

/// Whether all elements are in one region. Waits.
template <class ExecutionSpace>
bool has_one_region(const ExecutionSpace& exec,
                    const Array<const group_t*, typename ExecutionSpace::memory_space>& regions);

} // namespace tessera::physics

#endif
