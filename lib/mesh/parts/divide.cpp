// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "mesh/parts/divide.hpp"

#include "core/error.hpp"
#include "core/transfer/upload.hpp"
#include "graph/partition/metis.hpp"
#include "mesh/ordering.hpp"
#include "mesh/parts/dual_graph.hpp"

#include <algorithm>
#include <numeric>

namespace tessera::mesh {

namespace {

/// Old indices in the order of parts, and the first position of each part.
struct Order {
  std::vector<index_t> old;
  std::vector<index_t> first;
};

Order by_part(const std::vector<index_t>& part_of, int n_parts) {
  Order order;
  order.first.assign(static_cast<std::size_t>(n_parts) + 1, 0);
  for (const index_t part : part_of)
    ++order.first[static_cast<std::size_t>(part) + 1];
  std::partial_sum(order.first.begin(), order.first.end(), order.first.begin());
  std::vector<index_t> position(order.first.begin(), order.first.end() - 1);
  order.old.resize(part_of.size());
  for (std::size_t i = 0; i < part_of.size(); ++i)
    order.old[static_cast<std::size_t>(position[static_cast<std::size_t>(part_of[i])]++)] = static_cast<index_t>(i);
  return order;
}

std::int64_t cut_of(const HostGraph& graph, const std::vector<index_t>& part_of) {
  std::int64_t twice = 0;
  for (std::size_t v = 0; v < part_of.size(); ++v)
    for (index_t k = graph.offsets[v]; k < graph.offsets[v + 1]; ++k)
      twice += part_of[v] != part_of[static_cast<std::size_t>(graph.neighbours[static_cast<std::size_t>(k)])] ? 1 : 0;
  return twice / 2;
}

/// Part of each vertex if parts are runs of consecutive vertices.
std::vector<index_t> runs_of(const std::vector<std::int64_t>& weights, std::size_t n, int n_parts) {
  std::vector<index_t> part_of(n);
  const double all = weights.empty()
                         ? static_cast<double>(n)
                         : static_cast<double>(std::accumulate(weights.begin(), weights.end(), std::int64_t(0)));
  double before = 0.;
  for (std::size_t v = 0; v < n; ++v) {
    part_of[v] = std::min(n_parts - 1, static_cast<int>(before / all * n_parts));
    before += weights.empty() ? 1. : static_cast<double>(weights[v]);
  }
  return part_of;
}

} // namespace

template <class ExecutionSpace, int Dim>
DividedMesh<Dim, typename ExecutionSpace::memory_space>
divide_mesh(const ExecutionSpace& exec, const Mesh<Dim, typename ExecutionSpace::memory_space>& mesh,
            const std::vector<index_t>& part_of, int n_parts) {
  TESSERA_REQUIRE(part_of.size() == static_cast<std::size_t>(mesh.n_elements()),
                  "Parts of " << part_of.size() << " elements do not fit a mesh of " << mesh.n_elements() << '.');
  const Order elements = by_part(part_of, n_parts);
  const auto nodes_of = to_host(exec, mesh.elements);
  std::vector<index_t> node_part(static_cast<std::size_t>(mesh.n_nodes()), n_parts - 1);
  for (std::size_t e = 0; e < part_of.size(); ++e)
    for (int a = 0; a <= Dim; ++a) {
      index_t& part = node_part[static_cast<std::size_t>(nodes_of(e, a))];
      part = std::min(part, part_of[e]);
    }
  const Order nodes = by_part(node_part, n_parts);
  DividedMesh<Dim, typename ExecutionSpace::memory_space> divided;
  divided.first_element = elements.first;
  divided.first_node = nodes.first;
  divided.elements_of_before = uploaded(exec, "mesh::elements_by_part", elements.old);
  divided.mesh = permute_mesh<ExecutionSpace, Dim>(exec, mesh, uploaded(exec, "mesh::nodes_by_part", nodes.old),
                                                   divided.elements_of_before);
  exec.fence(); // the order of nodes may be freed
  return divided;
}

template <class ExecutionSpace, int Dim>
HostGraph element_graph(const ExecutionSpace& exec, const Mesh<Dim, typename ExecutionSpace::memory_space>& mesh) {
  const auto dual = build_dual_graph<ExecutionSpace, Dim>(exec, mesh);
  const auto across = to_host(exec, dual.across);
  HostGraph graph;
  graph.offsets.push_back(0);
  for (index_t e = 0; e < mesh.n_elements(); ++e) {
    for (int f = 0; f <= Dim; ++f)
      if (across(e, f) >= 0)
        graph.neighbours.push_back(static_cast<index_t>(across(e, f) / (Dim + 1)));
    graph.offsets.push_back(checked_index(static_cast<std::int64_t>(graph.neighbours.size()), "neighbours for METIS"));
  }
  return graph;
}

template <class ExecutionSpace, int Dim>
NodeGraph node_graph(const ExecutionSpace& exec, const Mesh<Dim, typename ExecutionSpace::memory_space>& mesh) {
  const auto nodes = to_host(exec, mesh.elements);
  std::vector<std::vector<index_t>> neighbours(static_cast<std::size_t>(mesh.n_nodes()));
  NodeGraph result;
  result.n_elements.assign(neighbours.size(), 0);
  for (index_t e = 0; e < mesh.n_elements(); ++e)
    for (int a = 0; a <= Dim; ++a) {
      const auto node = static_cast<std::size_t>(nodes(e, a));
      ++result.n_elements[node];
      for (int b = 0; b <= Dim; ++b)
        if (b != a)
          neighbours[node].push_back(nodes(e, b));
    }
  HostGraph& graph = result.graph;
  graph.offsets.push_back(0);
  for (std::vector<index_t>& of_one : neighbours) {
    std::sort(of_one.begin(), of_one.end());
    of_one.erase(std::unique(of_one.begin(), of_one.end()), of_one.end());
    graph.neighbours.insert(graph.neighbours.end(), of_one.begin(), of_one.end());
    graph.offsets.push_back(checked_index(static_cast<std::int64_t>(graph.neighbours.size()), "neighbours for METIS"));
  }
  return result;
}

MetisDivision divide_by_metis(const HostGraph& graph, const std::vector<std::int64_t>& weights, int n_parts,
                              const char* what) {
  const std::size_t n = graph.offsets.size() - 1;
  TESSERA_REQUIRE(static_cast<std::size_t>(n_parts) <= n,
                  n_parts << " processes are more than the mesh has " << what << " (" << n << ").");
  MetisDivision division;
  division.part_of = graph::metis_parts(graph.offsets, graph.neighbours, n_parts, weights);
  std::vector<bool> has_vertex(static_cast<std::size_t>(n_parts), false);
  for (const index_t part : division.part_of)
    has_vertex[static_cast<std::size_t>(part)] = true;
  for (std::size_t part = 0; part < has_vertex.size(); ++part)
    TESSERA_REQUIRE(has_vertex[part], "execution.partition: METIS left process "
                                          << part << " without " << what << " (of " << n
                                          << "). Use morton, or fewer processes.");
  division.n_neighbours = static_cast<std::int64_t>(graph.neighbours.size()) / 2;
  division.cut = cut_of(graph, division.part_of);
  division.cut_of_runs = cut_of(graph, runs_of(weights, n, n_parts));
  return division;
}

#define TESSERA_INSTANTIATE_DIM(Space, Dim)                                                                            \
  template DividedMesh<Dim, Space::memory_space> divide_mesh(const Space&, const Mesh<Dim, Space::memory_space>&,      \
                                                             const std::vector<index_t>&, int);                        \
  template HostGraph element_graph(const Space&, const Mesh<Dim, Space::memory_space>&);                               \
  template NodeGraph node_graph(const Space&, const Mesh<Dim, Space::memory_space>&);
#define TESSERA_INSTANTIATE(Space)                                                                                     \
  TESSERA_INSTANTIATE_DIM(Space, 2)                                                                                    \
  TESSERA_INSTANTIATE_DIM(Space, 3)
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE
#undef TESSERA_INSTANTIATE_DIM

} // namespace tessera::mesh
