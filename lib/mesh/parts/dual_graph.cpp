// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "mesh/parts/dual_graph.hpp"

#include "core/keep_alive.hpp"
#include "mesh/edges.hpp"
#include "mesh/facet_finder.hpp"

namespace tessera::mesh {

namespace {

template <int Dim, class Space> struct FindNeighbours {
  FacetFinder<Dim, Space> finder;
  DualGraph<Dim, Space> graph;
  KOKKOS_FUNCTION void operator()(index_t element) const {
    for (int apex = 0; apex <= Dim; ++apex) {
      offset_t side = -1;
      finder.for_each_element(finder.facet_of(element, apex), element,
                              [&](index_t other, int other_apex, const int(&)[Dim]) {
                                side = static_cast<offset_t>(other) * (Dim + 1) + other_apex;
                                return false;
                              });
      graph.across(element, apex) = side;
    }
  }
};

} // namespace

template <class ExecutionSpace, int Dim>
DualGraph<Dim, typename ExecutionSpace::memory_space>
build_dual_graph(const ExecutionSpace& exec, const Mesh<Dim, typename ExecutionSpace::memory_space>& mesh,
                 const graph::Incidence<typename ExecutionSpace::memory_space>& node_incidence) {
  using Space = typename ExecutionSpace::memory_space;
  DualGraph<Dim, Space> graph;
  graph.across = make_array<decltype(graph.across)>(exec, "mesh::dual_graph", mesh.n_elements());
  for_each("tessera::mesh::find_neighbours", exec, mesh.n_elements(),
           FindNeighbours<Dim, Space>{{mesh, node_incidence}, graph});
  return graph;
}

template <class ExecutionSpace, int Dim>
DualGraph<Dim, typename ExecutionSpace::memory_space>
build_dual_graph(const ExecutionSpace& exec, const Mesh<Dim, typename ExecutionSpace::memory_space>& mesh) {
  const auto incidence = build_node_incidence(exec, mesh);
  const auto graph = build_dual_graph(exec, mesh, incidence);
  keep_alive(exec, incidence);
  return graph;
}

#define TESSERA_INSTANTIATE_DIM(Space, Dim)                                                                            \
  template DualGraph<Dim, Space::memory_space> build_dual_graph(const Space&, const Mesh<Dim, Space::memory_space>&,   \
                                                                const graph::Incidence<Space::memory_space>&);         \
  template DualGraph<Dim, Space::memory_space> build_dual_graph(const Space&, const Mesh<Dim, Space::memory_space>&);
#define TESSERA_INSTANTIATE(Space)                                                                                     \
  TESSERA_INSTANTIATE_DIM(Space, 2)                                                                                    \
  TESSERA_INSTANTIATE_DIM(Space, 3)
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE
#undef TESSERA_INSTANTIATE_DIM

} // namespace tessera::mesh
