// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_DG_DG_PART_HPP
#define TESSERA_DRIVER_DG_DG_PART_HPP

#include "driver/dg/dg_problem.hpp"
#include "mesh/parts/elements_of_part.hpp"

namespace tessera::driver {

/// Owned simplices of a part that mesh::sort_by_lowest_nodes() has sorted, as a mesh without facets.
template <int Dim, class ExecutionSpace>
mesh::Mesh<Dim, typename ExecutionSpace::memory_space>
owned_simplices(const ExecutionSpace& exec, const mesh::MeshPart<Dim, typename ExecutionSpace::memory_space>& part,
                index_t first_owned);

/// Replaces the bounding boxes and the measures of other processes' elements, of which a part may have only some
/// simplices, by those of the owners; penalties are recomputed from the measures. Collective.
template <int Dim, class ExecutionSpace>
void take_boxes_of_owners(const ExecutionSpace& exec, const comm::Communicator& world,
                          const mesh::PolytopesOfPart<ExecutionSpace>& polytopes,
                          const mesh::PolytopicMesh<Dim, typename ExecutionSpace::memory_space>& mesh);
template <int Dim, class ExecutionSpace>
void take_measures_of_owners(const ExecutionSpace& exec, const comm::Communicator& world,
                             const mesh::PolytopesOfPart<ExecutionSpace>& polytopes,
                             const assembly::dg::Form<Dim, typename ExecutionSpace::memory_space>& form);

/// Cuts of the curve that give processes about equal work (assembly::dg::element_work), determined by the form on the
/// polytopes of a part: for mesh::make_box_part() and make_refined_part(). Empty if degrees and steps are the same
/// everywhere, or other cuts would gain little. `owned_element_of`: as for mesh::polytopes_of_part(). Collective.
template <int Dim, class ExecutionSpace>
std::vector<std::uint64_t> better_cuts(const ExecutionSpace& exec, const comm::Communicator& world,
                                       const mesh::MeshPart<Dim, typename ExecutionSpace::memory_space>& part,
                                       index_t first_owned,
                                       const Array<const index_t*, ExecutionSpace>& owned_element_of,
                                       const mesh::PolytopesOfPart<ExecutionSpace>& polytopes,
                                       const assembly::dg::Form<Dim, typename ExecutionSpace::memory_space>& form);

/// Cuts a problem on the polytopes of a part, whose first owned simplex is `first_owned`, down to what the process
/// needs: the form of owned elements and ghosts, owned simplices, global indices. Collective: sends requests to the
/// owners of ghosts.
template <int Dim, class ExecutionSpace>
void cut_to_part(const ExecutionSpace& exec, const comm::Communicator& world,
                 const mesh::MeshPart<Dim, typename ExecutionSpace::memory_space>& part, index_t first_owned,
                 const mesh::PolytopesOfPart<ExecutionSpace>& polytopes, DgProblem<Dim, ExecutionSpace>& problem);

} // namespace tessera::driver

#endif
