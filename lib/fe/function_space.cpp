// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "fe/function_space.hpp"

#include "core/keep_alive.hpp"
#include "fe/element_map.hpp"
#include "fe/quadrature.hpp"
#include "mesh/edges.hpp"
#include "mesh/refine/bisected_simplex.hpp"
#include "mesh/refine/straight_edges.hpp"

namespace tessera::fe {

namespace {

template <int Dim, class Space> struct ElementNodesP2 {
  static constexpr int n_edges = mesh::Simplex<Dim>::n_edges;
  Array<const index_t * [Dim + 1], Space> elements;
  Array<const index_t* [n_edges], Space> element_edges;
  index_t n_vertices;
  Array<index_t * [Dim + 1 + n_edges], Space> element_nodes;
  KOKKOS_FUNCTION void operator()(index_t e) const {
    for (int a = 0; a <= Dim; ++a)
      element_nodes(e, a) = elements(e, a);
    for (int k = 0; k < n_edges; ++k)
      element_nodes(e, Dim + 1 + k) = n_vertices + element_edges(e, k);
  }
};

template <int Dim, class Space> struct FacetNodesP2 {
  static constexpr int n_edges = Dim == 2 ? 1 : 3;
  Array<const index_t* [Dim], Space> facets;
  mesh::Edges<Space> edges;
  index_t n_vertices;
  Array<index_t * [Dim + n_edges], Space> facet_nodes;
  KOKKOS_FUNCTION void operator()(index_t f) const {
    for (int a = 0; a < Dim; ++a)
      facet_nodes(f, a) = facets(f, a);
    for (int k = 0; k < n_edges; ++k)
      facet_nodes(f, Dim + k) = n_vertices + edges.edge_number(facets(f, k), facets(f, (k + 1) % Dim));
  }
};

/// Computes the midpoints of the edges; every element at an edge writes the same bits, because the lower vertex comes
/// first.
template <int Dim, class Space> struct NodeCoordinatesP2 {
  Array<const double* [Dim], Space> vertices;
  mesh::Edges<Space> edges;
  index_t n_vertices;
  Array<double* [Dim], Space> coordinates;
  KOKKOS_FUNCTION void operator()(index_t v) const {
    for (int d = 0; d < Dim; ++d)
      coordinates(v, d) = vertices(v, d);
    for (index_t k = edges.offsets(v); k < edges.offsets(v + 1); ++k)
      for (int d = 0; d < Dim; ++d)
        coordinates(n_vertices + k, d) = 0.5 * (vertices(v, d) + vertices(edges.upper(k), d));
  }
};

/// Marks elements with a node away from the midpoint of its edge.
template <int Dim, class Space> struct MarkCurved {
  using element = Lagrange<Dim, 2>;
  Array<const index_t * [element::n_nodes], Space> element_nodes;
  Array<const double* [Dim], Space> coordinates;
  Array<std::uint8_t*, Space> curved;
  KOKKOS_FUNCTION void operator()(index_t e) const {
    bool is_curved = false;
    for (int k = 0; k < mesh::Simplex<Dim>::n_edges; ++k) {
      const index_t a = element_nodes(e, mesh::Simplex<Dim>::edge_begin(k));
      const index_t b = element_nodes(e, mesh::Simplex<Dim>::edge_end(k));
      const index_t middle = element_nodes(e, Dim + 1 + k);
      for (int d = 0; d < Dim; ++d) // symmetric in a and b: the same bits as NodeCoordinatesP2
        is_curved = is_curved || coordinates(middle, d) != 0.5 * (coordinates(a, d) + coordinates(b, d));
    }
    curved(e) = is_curved ? 1 : 0;
  }
};

/// Marks the nodes of curved elements whose map has a non-positive determinant at a node or at a quadrature point of
/// the forms; counts these elements.
template <int Dim, class Space> struct MarkFolded {
  using element = Lagrange<Dim, 2>;
  using rule = FormQuadrature<Dim, 2>;
  Array<const index_t * [element::n_nodes], Space> element_nodes;
  Array<const double* [Dim], Space> coordinates;
  Array<const std::uint8_t*, Space> curved;
  Array<std::uint8_t*, Space> marked;
  KOKKOS_FUNCTION void operator()(index_t e, index_t& count) const {
    if (curved(e) == 0)
      return;
    index_t n[element::n_nodes];
    for (int a = 0; a < element::n_nodes; ++a)
      n[a] = element_nodes(e, a);
    ElementMap<element> map;
    map.load(coordinates.data(), n, true);
    bool is_folded = false;
    for (int i = 0; i < element::n_nodes + rule::n_points; ++i) {
      double lambda[Dim + 1];
      if (i < element::n_nodes)
        element::node_position(i, lambda);
      else
        rule::point(i - element::n_nodes, lambda);
      map.move_to(coordinates.data(), n, lambda);
      is_folded = is_folded || !(mesh::signed_measure(map.tangent) > 0.);
    }
    if (!is_folded)
      return;
    ++count;
    for (int a = 0; a < element::n_nodes; ++a)
      marked(n[a]) = 1;
  }
};

} // namespace

template <int Order, class ExecutionSpace, int Dim>
FunctionSpace<Dim, Order, typename ExecutionSpace::memory_space>
make_space(const ExecutionSpace& exec, const mesh::Mesh<Dim, typename ExecutionSpace::memory_space>& mesh,
           mesh::StraightEdges& straight) {
  using Space = typename ExecutionSpace::memory_space;
  FunctionSpace<Dim, Order, Space> space;
  space.element_vertices = mesh.elements;
  space.n_vertices = mesh.n_nodes();
  if constexpr (Order == 1) {
    space.element_nodes = mesh.elements;
    space.facet_nodes = mesh.facets;
    space.coordinates = mesh.coordinates;
  } else {
    const mesh::Edges<Space> edges = mesh::build_edges(exec, mesh);
    const auto element_edges = mesh::build_element_edges(exec, mesh, edges);
    const index_t n_nodes =
        checked_index(static_cast<std::int64_t>(mesh.n_nodes()) + edges.upper.extent(0), "nodes of order 2");
    space.element_nodes = make_array<decltype(space.element_nodes)>(exec, "fe::element_nodes", mesh.n_elements());
    space.facet_nodes = make_array<decltype(space.facet_nodes)>(exec, "fe::facet_nodes", mesh.n_facets());
    space.coordinates = make_array<decltype(space.coordinates)>(exec, "fe::node_coordinates", n_nodes);
    for_each("tessera::fe::element_nodes", exec, mesh.n_elements(),
             ElementNodesP2<Dim, Space>{mesh.elements, element_edges, space.n_vertices, space.element_nodes});
    for_each("tessera::fe::facet_nodes", exec, mesh.n_facets(),
             FacetNodesP2<Dim, Space>{mesh.facets, edges, space.n_vertices, space.facet_nodes});
    for_each("tessera::fe::node_coordinates", exec, mesh.n_nodes(),
             NodeCoordinatesP2<Dim, Space>{mesh.coordinates, edges, space.n_vertices, space.coordinates});
    if (mesh.curved.n_facets() > 0) {
      const mesh::EdgeMidpoints<Space> midpoints{edges, space.n_vertices, {}, {}};
      mesh::place_midpoints<ExecutionSpace, Dim>(exec, mesh.curved, midpoints, space.coordinates);
      space.curved_elements =
          make_array<decltype(space.curved_elements)>(exec, "fe::curved_elements", mesh.n_elements());
      const auto marked = make_filled<Array<std::uint8_t*, Space>>(exec, "fe::straight_midpoints", n_nodes, 0);
      while (true) { // straight edges may fold a neighbour; an element with straight edges is not folded
        for_each("tessera::fe::mark_curved", exec, mesh.n_elements(),
                 MarkCurved<Dim, Space>{space.element_nodes, space.coordinates, space.curved_elements});
        index_t n_folded = 0;
        Kokkos::parallel_reduce(
            "tessera::fe::mark_folded",
            Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<index_t>>(exec, 0, mesh.n_elements()),
            MarkFolded<Dim, Space>{space.element_nodes, space.coordinates, space.curved_elements, marked}, n_folded);
        exec.fence();
        if (n_folded == 0)
          break;
        straight.n_elements += n_folded;
        mesh::straighten<ExecutionSpace, Dim>(exec, midpoints, space.n_vertices,
                                              Array<const std::uint8_t*, ExecutionSpace>(marked), space.coordinates,
                                              straight);
      }
    }
    keep_alive(exec, edges, element_edges);
  }
  return space;
}

template <int Order, class ExecutionSpace, int Dim>
FunctionSpace<Dim, Order, typename ExecutionSpace::memory_space>
make_space(const ExecutionSpace& exec, const mesh::Mesh<Dim, typename ExecutionSpace::memory_space>& mesh) {
  mesh::StraightEdges straight;
  const auto space = make_space<Order, ExecutionSpace, Dim>(exec, mesh, straight);
  TESSERA_REQUIRE(!straight.any(),
                  "discretization.order: the mesh is too coarse for its curved boundaries: with the nodes of order 2 "
                  "upon them "
                      << straight.n_elements << (straight.n_elements == 1 ? " element is" : " elements are")
                      << " folded. Make the mesh finer there, or keep straight edges by mesh.curved: false.");
  return space;
}

#define TESSERA_INSTANTIATE_CASE(SPACE, DIM, ORDER)                                                                    \
  template FunctionSpace<DIM, ORDER, typename SPACE::memory_space> make_space<ORDER, SPACE, DIM>(                      \
      const SPACE&, const mesh::Mesh<DIM, typename SPACE::memory_space>&);                                             \
  template FunctionSpace<DIM, ORDER, typename SPACE::memory_space> make_space<ORDER, SPACE, DIM>(                      \
      const SPACE&, const mesh::Mesh<DIM, typename SPACE::memory_space>&, mesh::StraightEdges&);
#define TESSERA_INSTANTIATE(SPACE)                                                                                     \
  TESSERA_INSTANTIATE_CASE(SPACE, 2, 1)                                                                                \
  TESSERA_INSTANTIATE_CASE(SPACE, 2, 2)                                                                                \
  TESSERA_INSTANTIATE_CASE(SPACE, 3, 1)                                                                                \
  TESSERA_INSTANTIATE_CASE(SPACE, 3, 2)
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)

} // namespace tessera::fe
