// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "mesh/refine/refinement.hpp"

#include "core/kokkos_ext/lanes.hpp"
#include "core/tagged_loop.hpp"
#include "mesh/edges.hpp"
#include "mesh/refine/bisected_simplex.hpp"
#include "mesh/refine/children.hpp"
#include "mesh/refine/straight_edges.hpp"

namespace tessera::mesh {

namespace {

template <int Dim, class Space> struct Refiner {
  static constexpr int n_children = Children<Dim>::count;
  static constexpr int n_facet_children = n_children / 2;

  index_t n_nodes;
  Edges<Space> edges;
  Array<const double* [Dim], Space> coordinates;
  Array<const index_t * [Dim + 1], Space> elements;
  Array<const index_t* [Dim], Space> facets;
  Array<const group_t*, Space> regions;
  Array<const group_t*, Space> facet_groups;
  Array<double* [Dim], Space> new_coordinates;
  Array<index_t * [Dim + 1], Space> new_elements;
  Array<index_t* [Dim], Space> new_facets;
  Array<group_t*, Space> new_regions;
  Array<group_t*, Space> new_facet_groups;
  Array<index_t* [2], Space> parents; // may be empty
  Array<index_t*, Space> missing;     // number of facets with edges that are in no element

  struct Facets {};

  /// The node, and the midpoints of its edges to larger nodes by `Lanes` threads in turn.
  template <int Lanes> KOKKOS_FUNCTION void place_nodes(index_t node, int lane) const {
    if (lane == 0) {
      for (int d = 0; d < Dim; ++d)
        new_coordinates(node, d) = coordinates(node, d);
      if (parents.extent(0) > 0)
        parents(node, 0) = parents(node, 1) = node;
    }
    for (index_t edge = edges.offsets(node) + lane; edge < edges.offsets(node + 1); edge += Lanes) {
      const index_t upper = edges.upper(edge);
      for (int d = 0; d < Dim; ++d)
        new_coordinates(n_nodes + edge, d) = 0.5 * (coordinates(node, d) + coordinates(upper, d));
      if (parents.extent(0) > 0) {
        parents(n_nodes + edge, 0) = node;
        parents(n_nodes + edge, 1) = upper;
      }
    }
  }

  KOKKOS_FUNCTION index_t midpoint(index_t element, int edge) const {
    return n_nodes + edges.edge_number(elements(element, Simplex<Dim>::edge_begin(edge)),
                                       elements(element, Simplex<Dim>::edge_end(edge)));
  }
  KOKKOS_FUNCTION void divide_alone(index_t element) const {
    index_t nodes[Dim + 1 + Simplex<Dim>::n_edges];
    for (int a = 0; a <= Dim; ++a)
      nodes[a] = elements(element, a);
    for (int edge = 0; edge < Simplex<Dim>::n_edges; ++edge)
      nodes[Dim + 1 + edge] = midpoint(element, edge);
    for (int child = 0; child < n_children; ++child) {
      new_regions(element * n_children + child) = regions(element);
      for (int a = 0; a <= Dim; ++a)
        new_elements(element * n_children + child, a) = nodes[Children<Dim>::node(child, a)];
    }
  }
  /// The child `lane` of an element, one of whose edges each of its threads looks up: neighbouring threads write
  /// neighbouring elements.
  KOKKOS_FUNCTION void divide_by_lanes(index_t element, int child, bool exists) const {
    const index_t own = exists && child < Simplex<Dim>::n_edges ? midpoint(element, child) : -1;
    for (int a = 0; a <= Dim; ++a) {
      const int place = Children<Dim>::node(child, a);
      const index_t middle = from_lane<n_children>(own, place > Dim ? place - Dim - 1 : 0);
      if (exists)
        new_elements(element * n_children + child, a) = place > Dim ? middle : elements(element, place);
    }
    if (!exists)
      return;
    new_regions(element * n_children + child) = regions(element);
  }

  KOKKOS_FUNCTION void operator()(Facets, index_t facet) const {
    // Vertices, then midpoints in the order of a triangle's edges (a line has one).
    constexpr int n_midpoints = Dim == 2 ? 1 : 3;
    index_t nodes[Dim + n_midpoints];
    for (int a = 0; a < Dim; ++a)
      nodes[a] = facets(facet, a);
    bool is_missing = false;
    for (int k = 0; k < n_midpoints; ++k) {
      const index_t edge = edges.edge_number(nodes[k], nodes[(k + 1) % Dim]);
      is_missing = is_missing || edge < 0;
      nodes[Dim + k] = n_nodes + edge;
    }
    if (is_missing) {
      Kokkos::atomic_fetch_add(&missing(0), index_t(1));
      return;
    }
    for (int child = 0; child < n_facet_children; ++child) {
      new_facet_groups(facet * n_facet_children + child) = facet_groups(facet);
      for (int a = 0; a < Dim; ++a) {
        new_facets(facet * n_facet_children + child, a) = nodes[facet_child_node<Dim>(child, a)];
      }
    }
  }
};

template <int Lanes, class Worker> struct PlaceNodes {
  Worker worker;
  KOKKOS_FUNCTION void operator()(std::int64_t node, int lane, bool exists) const {
    if (exists)
      worker.template place_nodes<Lanes>(static_cast<index_t>(node), lane);
  }
};

template <int Lanes, class Worker> struct DivideElements {
  Worker worker;
  KOKKOS_FUNCTION void operator()(std::int64_t element, int lane, bool exists) const {
    if constexpr (Lanes > 1)
      worker.divide_by_lanes(static_cast<index_t>(element), lane, exists);
    else if (exists)
      worker.divide_alone(static_cast<index_t>(element));
  }
};

template <class Space> struct MaxEntry {
  Array<const index_t*, Space> values;
  KOKKOS_FUNCTION void operator()(index_t i, index_t& largest) const {
    if (values(i) > largest)
      largest = values(i);
  }
};

template <class Space> struct RefineOriginalNodes {
  Array<const index_t*, Space> from;
  Array<index_t*, Space> to;
  index_t n_nodes;
  index_t first_new;
  KOKKOS_FUNCTION void operator()(index_t node) const {
    to(node) = node < n_nodes ? from(node) : first_new + (node - n_nodes);
  }
};

template <class Space> struct RefineOriginalElements {
  Array<const index_t*, Space> from;
  Array<index_t*, Space> to;
  index_t n_children;
  KOKKOS_FUNCTION void operator()(index_t element) const {
    to(element) = from(element / n_children) * n_children + element % n_children;
  }
};

template <class ExecutionSpace, int Dim>
void refine_original_numbers(const ExecutionSpace& exec, const Mesh<Dim, typename ExecutionSpace::memory_space>& mesh,
                             Mesh<Dim, typename ExecutionSpace::memory_space>& fine) {
  using Space = typename ExecutionSpace::memory_space;
  if (mesh.original_node.extent(0) > 0) {
    index_t largest = -1;
    Kokkos::parallel_reduce("tessera::mesh::largest_original_node",
                            Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<index_t>>(exec, 0, mesh.n_nodes()),
                            MaxEntry<Space>{mesh.original_node}, Kokkos::Max<index_t>(largest));
    checked_index(static_cast<std::int64_t>(largest) + 1 + fine.n_nodes() - mesh.n_nodes(), "original nodes");
    fine.original_node = make_array<Array<index_t*, Space>>(exec, "mesh::original_node", fine.n_nodes());
    for_each("tessera::mesh::refine_original_nodes", exec, fine.n_nodes(),
             RefineOriginalNodes<Space>{mesh.original_node, fine.original_node, mesh.n_nodes(), largest + 1});
  }
  if (mesh.original_element.extent(0) > 0) {
    fine.original_element = make_array<Array<index_t*, Space>>(exec, "mesh::original_element", fine.n_elements());
    for_each("tessera::mesh::refine_original_elements", exec, fine.n_elements(),
             RefineOriginalElements<Space>{mesh.original_element, fine.original_element, Children<Dim>::count});
  }
}

} // namespace

template <class ExecutionSpace, int Dim>
Mesh<Dim, typename ExecutionSpace::memory_space>
refine_uniform(const ExecutionSpace& exec, const Mesh<Dim, typename ExecutionSpace::memory_space>& mesh,
               bool with_parents, StraightEdges* straight) {
  using Space = typename ExecutionSpace::memory_space;
  using Worker = Refiner<Dim, Space>;
  const std::int64_t n_elements = static_cast<std::int64_t>(mesh.n_elements()) * Worker::n_children;
  const std::int64_t n_facets = static_cast<std::int64_t>(mesh.n_facets()) * Worker::n_facet_children;
  checked_index(n_elements, "elements of the refined mesh");
  checked_index(n_facets, "facets of the refined mesh");

  Worker worker;
  worker.n_nodes = mesh.n_nodes();
  worker.edges = build_edges(exec, mesh);
  const std::int64_t n_nodes = static_cast<std::int64_t>(mesh.n_nodes()) + worker.edges.n_edges();
  checked_index(n_nodes, "nodes of the refined mesh");

  Mesh<Dim, Space> fine;
  fine.region_names = mesh.region_names;
  fine.boundary_names = mesh.boundary_names;
  fine.coordinates = make_array<decltype(fine.coordinates)>(exec, "mesh::coordinates", n_nodes);
  fine.elements = make_array<decltype(fine.elements)>(exec, "mesh::elements", n_elements);
  fine.regions = make_array<decltype(fine.regions)>(exec, "mesh::regions", n_elements);
  fine.facets = make_array<decltype(fine.facets)>(exec, "mesh::facets", n_facets);
  fine.facet_groups = make_array<decltype(fine.facet_groups)>(exec, "mesh::facet_groups", n_facets);

  worker.coordinates = mesh.coordinates;
  worker.elements = mesh.elements;
  worker.facets = mesh.facets;
  worker.regions = mesh.regions;
  worker.facet_groups = mesh.facet_groups;
  worker.new_coordinates = fine.coordinates;
  worker.new_elements = fine.elements;
  worker.new_facets = fine.facets;
  worker.new_regions = fine.regions;
  worker.new_facet_groups = fine.facet_groups;
  if (with_parents) {
    worker.parents = make_array<decltype(worker.parents)>(exec, "mesh::node_parents", n_nodes);
    fine.node_parents = {worker.parents};
    fine.node_parents.insert(fine.node_parents.end(), mesh.node_parents.begin(), mesh.node_parents.end());
  }
  worker.missing = make_filled<Array<index_t*, Space>>(exec, "mesh::missing_facets", 1, 0);
  constexpr int lanes_of_node = lanes_in<ExecutionSpace, 4>;
  for_each_short_lane<lanes_of_node>("tessera::mesh::refine_nodes", exec, mesh.n_nodes(),
                                     PlaceNodes<lanes_of_node, Worker>{worker});
  constexpr int lanes_of_element = lanes_in<ExecutionSpace, Worker::n_children>;
  for_each_short_lane<lanes_of_element>("tessera::mesh::refine_elements", exec, mesh.n_elements(),
                                        DivideElements<lanes_of_element, Worker>{worker});
  for_each_tagged<typename Worker::Facets>("tessera::mesh::refine_facets", exec, mesh.n_facets(), worker);
  const EdgeMidpoints<Space> midpoints{worker.edges, mesh.n_nodes(), {}, {}};
  place_midpoints<ExecutionSpace, Dim>(exec, mesh.curved, midpoints, fine.coordinates);
  fine.curved = refine_curved<ExecutionSpace, Dim>(exec, mesh.curved, midpoints);
  if (straight != nullptr && mesh.curved.n_facets() > 0)
    unfold<ExecutionSpace, Dim>(exec, midpoints, mesh.n_nodes(), fine, *straight);
  refine_original_numbers(exec, mesh, fine);
  const index_t n_missing = read_entry(exec, worker.missing, 0);
  TESSERA_REQUIRE(n_missing == 0,
                  "The mesh cannot be refined: " << n_missing << " of its facets have an edge that is in no element.");
  return fine;
}

#define TESSERA_INSTANTIATE(Space)                                                                                     \
  template Mesh<2, Space::memory_space> refine_uniform(const Space&, const Mesh<2, Space::memory_space>&, bool,        \
                                                       StraightEdges*);                                                \
  template Mesh<3, Space::memory_space> refine_uniform(const Space&, const Mesh<3, Space::memory_space>&, bool,        \
                                                       StraightEdges*);
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE

} // namespace tessera::mesh
