// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "mesh/ordering.hpp"

#include "core/algorithms/ascending.hpp"
#include "core/algorithms/sort.hpp"
#include "core/keep_alive.hpp"
#include "mesh/inverse_order.hpp"

#include <algorithm>

namespace tessera::mesh {

namespace {

template <int Dim, class Space> struct ExtremeCoordinates {
  using Reducer = Kokkos::MinMax<double>;
  Array<const double* [Dim], Space> coordinates;
  int direction;
  KOKKOS_FUNCTION void operator()(index_t node, typename Reducer::value_type& extremes) const {
    const double x = coordinates(node, direction);
    extremes.min_val = x < extremes.min_val ? x : extremes.min_val;
    extremes.max_val = x > extremes.max_val ? x : extremes.max_val;
  }
};

template <int Dim, class Space> struct NodeKeys {
  MortonCurve<Dim> curve;
  Array<const double* [Dim], Space> coordinates;
  Array<std::uint64_t*, Space> keys;
  KOKKOS_FUNCTION void operator()(index_t node) const {
    double point[Dim];
    for (int d = 0; d < Dim; ++d)
      point[d] = coordinates(node, d);
    keys(node) = curve(point);
  }
};

template <int Dim, class Space> struct MortonKeys {
  MortonCurve<Dim> curve;
  Array<const double* [Dim], Space> coordinates;
  Array<const index_t * [Dim + 1], Space> elements;
  Array<std::uint64_t*, Space> keys;
  KOKKOS_FUNCTION void operator()(index_t element) const {
    double point[Dim] = {};
    for (int a = 0; a <= Dim; ++a)
      for (int d = 0; d < Dim; ++d)
        point[d] += coordinates(elements(element, a), d);
    for (int d = 0; d < Dim; ++d)
      point[d] /= Dim + 1;
    keys(element) = curve(point);
  }
};

template <int Dim, class Space> struct PermuteNodes {
  Array<const index_t*, Space> order;
  Array<const double* [Dim], Space> coordinates;
  Array<const index_t*, Space> original;
  bool has_original;
  Array<double* [Dim], Space> new_coordinates;
  Array<index_t*, Space> new_original;
  KOKKOS_FUNCTION void operator()(index_t node) const {
    const index_t old = order(node);
    for (int d = 0; d < Dim; ++d)
      new_coordinates(node, d) = coordinates(old, d);
    new_original(node) = has_original ? original(old) : old;
  }
};

template <class Space> struct PermuteParents {
  Array<const index_t*, Space> order;
  Array<const index_t* [2], Space> parents;
  Array<index_t* [2], Space> new_parents;
  KOKKOS_FUNCTION void operator()(index_t node) const {
    for (int k = 0; k < 2; ++k)
      new_parents(node, k) = parents(order(node), k);
  }
};

template <int Dim, class Space> struct PermuteElements {
  Array<const index_t*, Space> order;
  Array<const index_t*, Space> new_number; // by node
  Array<const index_t * [Dim + 1], Space> elements;
  Array<const group_t*, Space> regions;
  Array<const index_t*, Space> original;
  bool has_original;
  Array<index_t * [Dim + 1], Space> new_elements;
  Array<group_t*, Space> new_regions;
  Array<index_t*, Space> new_original;
  KOKKOS_FUNCTION void operator()(index_t element) const {
    const index_t old = order(element);
    for (int a = 0; a <= Dim; ++a)
      new_elements(element, a) = new_number(elements(old, a));
    new_regions(element) = regions(old);
    new_original(element) = has_original ? original(old) : old;
  }
};

template <int Dim, class Space> struct RenumberFacets {
  Array<const index_t*, Space> new_number;
  Array<const index_t* [Dim], Space> facets;
  Array<index_t* [Dim], Space> new_facets;
  KOKKOS_FUNCTION void operator()(index_t facet) const {
    for (int a = 0; a < Dim; ++a)
      new_facets(facet, a) = new_number(facets(facet, a));
  }
};

} // namespace

template <class ExecutionSpace, int Dim>
Bounds<Dim> bounds_of(const ExecutionSpace& exec, const Mesh<Dim, typename ExecutionSpace::memory_space>& mesh) {
  using Space = typename ExecutionSpace::memory_space;
  const Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<index_t>> nodes(exec, 0, mesh.n_nodes());
  Bounds<Dim> bounds{};
  for (int d = 0; d < Dim; ++d) {
    const auto direction = static_cast<std::size_t>(d);
    using Extremes = ExtremeCoordinates<Dim, Space>;
    typename Extremes::Reducer::value_type extremes{};
    Kokkos::parallel_reduce("tessera::mesh::extreme_coordinates", nodes, Extremes{mesh.coordinates, d},
                            typename Extremes::Reducer(extremes)); // waits
    bounds.lower[direction] = extremes.min_val;
    bounds.upper[direction] = extremes.max_val;
  }
  return bounds;
}

template <int Dim> MortonCurve<Dim> curve_through(const Bounds<Dim>& bounds) {
  MortonCurve<Dim> curve{};
  double extent = 0.;
  for (std::size_t d = 0; d < Dim; ++d) {
    curve.lower[d] = bounds.lower[d];
    extent = std::max(extent, bounds.upper[d] - bounds.lower[d]);
  }
  curve.scale = extent > 0. ? (1 << curve_bits<Dim>) / extent : 0.;
  return curve;
}

template <class ExecutionSpace, int Dim>
Array<std::uint64_t*, ExecutionSpace> node_positions(const ExecutionSpace& exec,
                                                     const Mesh<Dim, typename ExecutionSpace::memory_space>& mesh,
                                                     const MortonCurve<Dim>& curve) {
  using Space = typename ExecutionSpace::memory_space;
  const auto positions = make_array<Array<std::uint64_t*, Space>>(exec, "mesh::curve_keys", mesh.n_nodes());
  for_each("tessera::mesh::node_keys", exec, mesh.n_nodes(), NodeKeys<Dim, Space>{curve, mesh.coordinates, positions});
  return positions;
}

template <class ExecutionSpace, int Dim>
Array<index_t*, ExecutionSpace> morton_node_order(const ExecutionSpace& exec,
                                                  const Mesh<Dim, typename ExecutionSpace::memory_space>& mesh,
                                                  const MortonCurve<Dim>& curve) {
  const auto keys = node_positions(exec, mesh, curve);
  const auto order = ascending(exec, "mesh::node_order", mesh.n_nodes());
  sort_by_key(exec, keys, order, mesh.n_nodes(), Dim * curve_bits<Dim>);
  keep_alive(exec, keys);
  return order;
}

template <class ExecutionSpace, int Dim>
Array<index_t*, ExecutionSpace> morton_element_order(const ExecutionSpace& exec,
                                                     const Mesh<Dim, typename ExecutionSpace::memory_space>& mesh,
                                                     const MortonCurve<Dim>& curve) {
  using Space = typename ExecutionSpace::memory_space;
  const auto keys = make_array<Array<std::uint64_t*, Space>>(exec, "mesh::curve_keys", mesh.n_elements());
  for_each("tessera::mesh::element_keys", exec, mesh.n_elements(),
           MortonKeys<Dim, Space>{curve, mesh.coordinates, mesh.elements, keys});
  const auto order = ascending(exec, "mesh::element_order", mesh.n_elements());
  sort_by_key(exec, keys, order, mesh.n_elements(), Dim * curve_bits<Dim>);
  keep_alive(exec, keys);
  return order;
}

template <class ExecutionSpace, int Dim>
Mesh<Dim, typename ExecutionSpace::memory_space>
permute_mesh(const ExecutionSpace& exec, const Mesh<Dim, typename ExecutionSpace::memory_space>& mesh,
             const Array<index_t*, ExecutionSpace>& node_order, const Array<index_t*, ExecutionSpace>& element_order) {
  using Space = typename ExecutionSpace::memory_space;
  TESSERA_REQUIRE(node_order.extent(0) == mesh.coordinates.extent(0) &&
                      element_order.extent(0) == mesh.elements.extent(0),
                  "Orders of " << node_order.extent(0) << " nodes and " << element_order.extent(0)
                               << " elements do not fit a mesh of " << mesh.n_nodes() << " nodes and "
                               << mesh.n_elements() << " elements.");
  Mesh<Dim, Space> ordered;
  ordered.region_names = mesh.region_names;
  ordered.boundary_names = mesh.boundary_names;
  ordered.facet_groups = mesh.facet_groups;
  ordered.coordinates = make_array<decltype(ordered.coordinates)>(exec, "mesh::coordinates", mesh.n_nodes());
  ordered.elements = make_array<decltype(ordered.elements)>(exec, "mesh::elements", mesh.n_elements());
  ordered.regions = make_array<decltype(ordered.regions)>(exec, "mesh::regions", mesh.n_elements());
  ordered.facets = make_array<decltype(ordered.facets)>(exec, "mesh::facets", mesh.n_facets());
  ordered.original_node = make_array<Array<index_t*, Space>>(exec, "mesh::original_node", mesh.n_nodes());
  ordered.original_element = make_array<Array<index_t*, Space>>(exec, "mesh::original_element", mesh.n_elements());

  const Array<const index_t*, Space> new_number = inverse_of<ExecutionSpace>(exec, node_order, mesh.n_nodes());
  for_each("tessera::mesh::permute_nodes", exec, mesh.n_nodes(),
           PermuteNodes<Dim, Space>{node_order, mesh.coordinates, mesh.original_node, mesh.original_node.extent(0) > 0,
                                    ordered.coordinates, ordered.original_node});
  ordered.node_parents = mesh.node_parents;
  if (!mesh.node_parents.empty()) {
    auto& parents = ordered.node_parents[0];
    parents = make_array<Array<index_t* [2], Space>>(exec, "mesh::node_parents", mesh.n_nodes());
    for_each("tessera::mesh::permute_parents", exec, mesh.n_nodes(),
             PermuteParents<Space>{node_order, mesh.node_parents[0], parents});
  }
  for_each("tessera::mesh::permute_elements", exec, mesh.n_elements(),
           PermuteElements<Dim, Space>{element_order, new_number, mesh.elements, mesh.regions, mesh.original_element,
                                       mesh.original_element.extent(0) > 0, ordered.elements, ordered.regions,
                                       ordered.original_element});
  for_each("tessera::mesh::renumber_facets", exec, mesh.n_facets(),
           RenumberFacets<Dim, Space>{new_number, mesh.facets, ordered.facets});
  ordered.curved = renumber_curved<ExecutionSpace, Dim>(exec, mesh.curved, new_number);
  keep_alive(exec, new_number);
  return ordered;
}

template <class ExecutionSpace, int Dim>
Mesh<Dim, typename ExecutionSpace::memory_space>
order_mesh(const ExecutionSpace& exec, const Mesh<Dim, typename ExecutionSpace::memory_space>& mesh,
           const MortonCurve<Dim>& curve) {
  return permute_mesh(exec, mesh, morton_node_order(exec, mesh, curve), morton_element_order(exec, mesh, curve));
}

template <class ExecutionSpace, int Dim>
Mesh<Dim, typename ExecutionSpace::memory_space>
order_mesh(const ExecutionSpace& exec, const Mesh<Dim, typename ExecutionSpace::memory_space>& mesh) {
  return order_mesh(exec, mesh, curve_through(bounds_of(exec, mesh)));
}

#define TESSERA_INSTANTIATE_DIM(Space, Dim)                                                                            \
  template Bounds<Dim> bounds_of(const Space&, const Mesh<Dim, Space::memory_space>&);                                 \
  template Array<std::uint64_t*, Space> node_positions(const Space&, const Mesh<Dim, Space::memory_space>&,            \
                                                       const MortonCurve<Dim>&);                                       \
  template Array<index_t*, Space> morton_node_order(const Space&, const Mesh<Dim, Space::memory_space>&,               \
                                                    const MortonCurve<Dim>&);                                          \
  template Array<index_t*, Space> morton_element_order(const Space&, const Mesh<Dim, Space::memory_space>&,            \
                                                       const MortonCurve<Dim>&);                                       \
  template Mesh<Dim, Space::memory_space> permute_mesh(const Space&, const Mesh<Dim, Space::memory_space>&,            \
                                                       const Array<index_t*, Space>&, const Array<index_t*, Space>&);  \
  template Mesh<Dim, Space::memory_space> order_mesh(const Space&, const Mesh<Dim, Space::memory_space>&,              \
                                                     const MortonCurve<Dim>&);                                         \
  template Mesh<Dim, Space::memory_space> order_mesh(const Space&, const Mesh<Dim, Space::memory_space>&);
template MortonCurve<2> curve_through(const Bounds<2>&);
template MortonCurve<3> curve_through(const Bounds<3>&);
#define TESSERA_INSTANTIATE(Space)                                                                                     \
  TESSERA_INSTANTIATE_DIM(Space, 2)                                                                                    \
  TESSERA_INSTANTIATE_DIM(Space, 3)
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE
#undef TESSERA_INSTANTIATE_DIM

} // namespace tessera::mesh
