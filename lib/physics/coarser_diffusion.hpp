// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_PHYSICS_COARSER_DIFFUSION_HPP
#define TESSERA_PHYSICS_COARSER_DIFFUSION_HPP

/// \file
/// Diffusion on the next coarser level of multigrid.

#include "fe/dof_map.hpp"
#include "mesh/children.hpp"
#include "physics/diffusion_form.hpp"
#include "physics/part_of_mesh.hpp"

#include <optional>

namespace tessera::physics {

/// The form of order 1 whose matrix with the unknowns `coarser` (fe::CoarserUnknowns) is the Galerkin product P^T A P
/// of `fine` with the unknowns `dofs`, up to rounding: functions of the coarser level are ones of the finer, and the
/// coefficient is the same in all children of an element. Below order 2 it has the same elements, and
/// `element_nodes`, `children` and `parents` are not used; below order 1 the first are of the elements of the coarser
/// mesh (mesh::CoarserElements), and `parents` are those of the finer mesh's nodes. Without `children` all elements are
/// in one region.
///
/// None where the matrices differ: where children of an element lie in different regions, a node is not in the middle
/// of its parents (curved boundaries), or is fixed or tied though its parents are not. Waits. `part`: of parts of a
/// mesh, one layer of whose elements is around the own ones; each process looks at its own nodes and elements, and none
/// has the form where any other finds a difference. Collective then.
template <class ExecutionSpace, int Dim, int Order>
std::optional<UniformDiffusion<Dim, 1, typename ExecutionSpace::memory_space>> coarser_diffusion(
    const ExecutionSpace& exec, const UniformDiffusion<Dim, Order, typename ExecutionSpace::memory_space>& fine,
    const fe::DofMap<typename ExecutionSpace::memory_space>& dofs,
    const fe::DofMap<typename ExecutionSpace::memory_space>& coarser,
    const ConstArray<const index_t * [Dim + 1], typename ExecutionSpace::memory_space>& element_nodes,
    const ConstArray<const index_t * [mesh::Children<Dim>::count], typename ExecutionSpace::memory_space>& children,
    const ConstArray<const index_t* [2], typename ExecutionSpace::memory_space>& parents,
    const PartOfMesh<ExecutionSpace>* part = nullptr);

/// Whether all elements are in one region. Waits.
template <class ExecutionSpace>
bool has_one_region(const ExecutionSpace& exec,
                    const ConstArray<const group_t*, typename ExecutionSpace::memory_space>& regions);

} // namespace tessera::physics

#endif
