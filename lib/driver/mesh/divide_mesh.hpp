// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_MESH_DIVIDE_MESH_HPP
#define TESSERA_DRIVER_MESH_DIVIDE_MESH_HPP

#include "driver/context.hpp"
#include "mesh/parts/divide.hpp"

namespace tessera::driver {

/// Whether the case requests a partition by METIS, and there are several processes.
inline bool divides_by_metis(const Context& context) {
  return context.world.size() > 1 && context.input.execution.partition == io::Partition::metis;
}

/// Partitions a graph for the processes of the context; notes how many neighbours are cut. `weights` as in
/// mesh::divide_by_metis().
inline std::vector<index_t> parts_for_processes(const mesh::HostGraph& graph, const std::vector<std::int64_t>& weights,
                                                Context& context) {
  const mesh::MetisDivision division = mesh::divide_by_metis(graph, weights, context.world.size());
  context.notes.push_back("execution.partition: metis cuts " + std::to_string(division.cut) + " of " +
                          std::to_string(division.n_neighbours) +
                          " pairs of neighbouring elements; parts along the "
                          "curve would cut " +
                          std::to_string(division.cut_of_runs) + '.');
  return division.part_of;
}

/// Assigns the nodes of a mesh before refinement to processes, with about equal numbers of elements around them.
template <int Dim, class ExecutionSpace>
std::vector<index_t> processes_of_nodes(const ExecutionSpace& exec,
                                        const mesh::Mesh<Dim, typename ExecutionSpace::memory_space>& mesh,
                                        Context& context) {
  const mesh::NodeGraph nodes = mesh::node_graph<ExecutionSpace, Dim>(exec, mesh);
  const mesh::MetisDivision division =
      mesh::divide_by_metis(nodes.graph, nodes.n_elements, context.world.size(), "nodes before refinement");
  context.notes.push_back("execution.partition: metis cuts " + std::to_string(division.cut) + " of " +
                          std::to_string(division.n_neighbours) + " edges before refinement.");
  return division.part_of;
}

} // namespace tessera::driver

#endif
