// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_MESH_PARTS_DIVIDE_HPP
#define TESSERA_MESH_PARTS_DIVIDE_HPP

/// \file
/// Renumbers a mesh part by part, for distribution over processes.

#include "mesh/mesh.hpp"

#include <vector>

namespace tessera::mesh {

/// A mesh whose elements are numbered part by part, and its nodes by the first part that contains them; within a part
/// the previous order is kept.
template <int Dim, class MemorySpace> struct DividedMesh {
  Mesh<Dim, MemorySpace> mesh;
  std::vector<index_t> first_element;              ///< of each part, and the number of elements
  std::vector<index_t> first_node;                 ///< likewise
  Array<index_t*, MemorySpace> elements_of_before; ///< previous index of each element
};

/// `part_of`: part of each element in [0, n_parts), on the host, where the orders are computed.
template <class ExecutionSpace, int Dim>
DividedMesh<Dim, typename ExecutionSpace::memory_space>
divide_mesh(const ExecutionSpace& exec, const Mesh<Dim, typename ExecutionSpace::memory_space>& mesh,
            const std::vector<index_t>& part_of, int n_parts);

/// The graph of elements that share a facet, on the host: neighbours of element e are [offsets[e], offsets[e + 1]).
struct HostGraph {
  std::vector<index_t> offsets;
  std::vector<index_t> neighbours;
};

template <class ExecutionSpace, int Dim>
HostGraph element_graph(const ExecutionSpace& exec, const Mesh<Dim, typename ExecutionSpace::memory_space>& mesh);

/// The graph of nodes that share an element, and the number of elements at each node.
struct NodeGraph {
  HostGraph graph;
  std::vector<std::int64_t> n_elements;
};
template <class ExecutionSpace, int Dim>
NodeGraph node_graph(const ExecutionSpace& exec, const Mesh<Dim, typename ExecutionSpace::memory_space>& mesh);

/// A partition by METIS that minimises the neighbours between parts.
struct MetisDivision {
  std::vector<index_t> part_of;  ///< of each vertex of the graph
  std::int64_t n_neighbours = 0; ///< number of edges of the graph
  std::int64_t cut = 0;          ///< number of edges between two parts
  std::int64_t cut_of_runs = 0;  ///< the same if parts were runs of vertices of about equal weight
};

/// `weights`: work of each vertex; empty: equal. Throws an error of kind input for parts without a vertex; `what` is
/// the kind of vertices for the message.
MetisDivision divide_by_metis(const HostGraph& graph, const std::vector<std::int64_t>& weights, int n_parts,
                              const char* what = "elements");

} // namespace tessera::mesh

#endif
