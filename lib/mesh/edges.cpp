// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "mesh/edges.hpp"

#include "core/algorithms/scan.hpp"
#include "core/keep_alive.hpp"
#include "core/tagged_loop.hpp"

namespace tessera::mesh {

namespace {

/// One thread per node collects the distinct higher neighbours in its elements in a small sorted buffer. If there are
/// more than fit, the thread visits the elements again for the neighbours above the largest so far.
template <int Dim, class Space> struct EdgeFinder {
  static constexpr int n_buffered = 16;

  Array<const index_t * [Dim + 1], Space> elements;
  Array<const offset_t*, Space> pair_offsets;
  Array<const offset_t*, Space> pairs;
  Array<index_t*, Space> offsets;
  Array<index_t*, Space> upper;

  struct Count {};
  struct Fill {};

  /// The smallest distinct neighbours above `last`, ascending; at most n_buffered.
  KOKKOS_FUNCTION int collect(index_t node, index_t last, index_t (&found)[n_buffered]) const {
    int n = 0;
    for (offset_t k = pair_offsets(node); k < pair_offsets(node + 1); ++k) {
      const index_t element = static_cast<index_t>(pairs(k) / (Dim + 1));
      for (int a = 0; a <= Dim; ++a) {
        const index_t other = elements(element, a);
        if (other <= last)
          continue;
        int at = n;
        while (at > 0 && found[at - 1] > other)
          --at;
        if ((at > 0 && found[at - 1] == other) || at == n_buffered)
          continue;
        for (int i = n < n_buffered ? n : n_buffered - 1; i > at; --i)
          found[i] = found[i - 1];
        found[at] = other;
        n = n < n_buffered ? n + 1 : n;
      }
    }
    return n;
  }

  KOKKOS_FUNCTION void operator()(Count, index_t node) const {
    index_t found[n_buffered];
    index_t count = 0;
    index_t last = node;
    int n = n_buffered;
    while (n == n_buffered) {
      n = collect(node, last, found);
      count += n;
      last = n > 0 ? found[n - 1] : last;
    }
    offsets(node) = count;
  }

  KOKKOS_FUNCTION void operator()(Fill, index_t node) const {
    index_t found[n_buffered];
    index_t at = offsets(node);
    index_t last = node;
    int n = n_buffered;
    while (n == n_buffered) {
      n = collect(node, last, found);
      for (int i = 0; i < n; ++i)
        upper(at++) = found[i];
      last = n > 0 ? found[n - 1] : last;
    }
  }
};

template <int Dim, class Space> struct ElementEdgeFinder {
  Array<const index_t * [Dim + 1], Space> elements;
  Edges<Space> edges;
  ElementEdges<Dim, Space> table;

  KOKKOS_FUNCTION void operator()(index_t element) const {
    for (int edge = 0; edge < Simplex<Dim>::n_edges; ++edge)
      table(element, edge) = edges.edge_number(elements(element, Simplex<Dim>::edge_begin(edge)),
                                               elements(element, Simplex<Dim>::edge_end(edge)));
  }
};

} // namespace

template <class ExecutionSpace, int Dim>
Edges<typename ExecutionSpace::memory_space>
build_edges(const ExecutionSpace& exec, const Mesh<Dim, typename ExecutionSpace::memory_space>& mesh,
            const graph::Incidence<typename ExecutionSpace::memory_space>& node_incidence) {
  using Space = typename ExecutionSpace::memory_space;
  using Finder = EdgeFinder<Dim, Space>;
  TESSERA_REQUIRE(node_incidence.n_rows() == mesh.n_nodes(), "Edges need the elements of every node: there are "
                                                                 << node_incidence.n_rows() << " rows for "
                                                                 << mesh.n_nodes() << " nodes.");
  const index_t n_nodes = mesh.n_nodes();
  Edges<Space> edges;
  edges.offsets = make_array<Array<index_t*, Space>>(exec, "mesh::edge_offsets", n_nodes + 1);
  Finder finder{mesh.elements, node_incidence.offsets, node_incidence.pairs, edges.offsets, {}};
  for_each_tagged<typename Finder::Count>("tessera::mesh::count_edges", exec, n_nodes, finder);
  const std::int64_t n_edges = counts_to_offsets(exec, edges.offsets, n_nodes, "edges of the mesh");
  checked_index(n_edges, "edges of the mesh");
  edges.upper = make_array<Array<index_t*, Space>>(exec, "mesh::edges", n_edges);
  finder.upper = edges.upper;
  for_each_tagged<typename Finder::Fill>("tessera::mesh::fill_edges", exec, n_nodes, finder);
  return edges;
}

template <class ExecutionSpace, int Dim>
Edges<typename ExecutionSpace::memory_space> build_edges(const ExecutionSpace& exec,
                                                         const Mesh<Dim, typename ExecutionSpace::memory_space>& mesh) {
  const auto incidence = build_node_incidence(exec, mesh);
  const auto edges = build_edges(exec, mesh, incidence);
  keep_alive(exec, incidence);
  return edges;
}

template <class ExecutionSpace, int Dim>
ElementEdges<Dim, typename ExecutionSpace::memory_space>
build_element_edges(const ExecutionSpace& exec, const Mesh<Dim, typename ExecutionSpace::memory_space>& mesh,
                    const Edges<typename ExecutionSpace::memory_space>& edges) {
  using Space = typename ExecutionSpace::memory_space;
  auto table = make_array<ElementEdges<Dim, Space>>(exec, "mesh::element_edges", mesh.n_elements());
  for_each("tessera::mesh::element_edges", exec, mesh.n_elements(),
           ElementEdgeFinder<Dim, Space>{mesh.elements, edges, table});
  return table;
}

#define TESSERA_INSTANTIATE_DIM(Space, Dim)                                                                            \
  template Edges<Space::memory_space> build_edges(const Space&, const Mesh<Dim, Space::memory_space>&,                 \
                                                  const graph::Incidence<Space::memory_space>&);                       \
  template Edges<Space::memory_space> build_edges(const Space&, const Mesh<Dim, Space::memory_space>&);                \
  template ElementEdges<Dim, Space::memory_space> build_element_edges(                                                 \
      const Space&, const Mesh<Dim, Space::memory_space>&, const Edges<Space::memory_space>&);
#define TESSERA_INSTANTIATE(Space)                                                                                     \
  TESSERA_INSTANTIATE_DIM(Space, 2)                                                                                    \
  TESSERA_INSTANTIATE_DIM(Space, 3)
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE
#undef TESSERA_INSTANTIATE_DIM

} // namespace tessera::mesh
