// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "mesh/polytopes/polytope_faces.hpp"

#include "core/algorithms/queued_scans.hpp"
#include "core/algorithms/scan.hpp"
#include "core/keep_alive.hpp"
#include "core/tagged_loop.hpp"
#include "mesh/facet_finder.hpp"

namespace tessera::mesh {

namespace {

/// Lists the faces of each element by its simplices: boundary faces directly at their final positions; interior faces,
/// from their first element, in two steps. The interior faces of an element are ordered by comparing each with all
/// others: sorting all faces of the mesh would take longer than all other steps. An element with k faces needs k^2
/// comparisons, distributed over the threads.
template <int Dim, class Space> struct ListFaces {
  Array<const index_t * [Dim + 1], Space> elements;
  DualGraph<Dim, Space> dual;
  Array<const index_t*, Space> element_of;
  Array<const index_t*, Space> simplex_offsets;
  Array<const index_t*, Space> element_simplices;
  Array<offset_t*, Space> interior; // by index in `element_simplices`, [n_simplices + 1]; counts until the scan
  Array<offset_t*, Space> boundary;
  Array<offset_t*, Space> as_second;  // [n_elements + 1]
  Array<index_t*, Space> second;      // second element of the unordered interior faces
  Array<index_t*, Space> number;      // [n_interior + 1]: 1 at the first face of an interface
  Array<index_t* [Dim], Space> nodes; // as in Faces; a small functor has only the arrays that it needs
  Array<index_t* [2], Space> simplices;
  index_t n_interior = 0;

  struct Count {};
  struct Boundary {};
  struct Interior {};

  KOKKOS_FUNCTION index_t n_elements() const { return static_cast<index_t>(simplex_offsets.extent(0)) - 1; }
  /// Calls `visit_interior(facet, second element)` and `visit_boundary(facet)`.
  template <class VisitInterior, class VisitBoundary>
  KOKKOS_FUNCTION void for_each_face(index_t simplex, const VisitInterior& visit_interior,
                                     const VisitBoundary& visit_boundary) const {
    const index_t element = element_of(simplex);
    for (int f = 0; f <= Dim; ++f) {
      const index_t neighbour = dual.neighbour(simplex, f);
      if (neighbour < 0)
        visit_boundary(f);
      else if (element < element_of(neighbour))
        visit_interior(f, element_of(neighbour));
    }
  }
  KOKKOS_FUNCTION void write(index_t face, index_t simplex, int f) const {
    index_t outward[Dim];
    outward_facet(elements, simplex, f, outward);
    for (int k = 0; k < Dim; ++k)
      nodes(face, k) = outward[k];
    simplices(face, 0) = simplex;
    simplices(face, 1) = dual.neighbour(simplex, f);
  }

  KOKKOS_FUNCTION void operator()(Count, index_t position) const {
    offset_t interior_count = 0;
    offset_t boundary_count = 0;
    for_each_face(
        element_simplices(position), [&](int, index_t) { ++interior_count; }, [&](int) { ++boundary_count; });
    interior(position) = interior_count;
    boundary(position) = boundary_count;
    if (position < n_elements()) // there are at least as many places
      as_second(position) = 0;
  }
  KOKKOS_FUNCTION void operator()(Boundary, index_t position) const {
    const index_t simplex = element_simplices(position);
    offset_t at = interior(position);
    index_t face = n_interior + static_cast<index_t>(boundary(position));
    for_each_face(
        simplex, [&](int, index_t other) { second(at++) = other; }, [&](int f) { write(face++, simplex, f); });
  }
  KOKKOS_FUNCTION void operator()(Interior, index_t position) const {
    const index_t simplex = element_simplices(position);
    const index_t element = element_of(simplex);
    const offset_t begin = interior(simplex_offsets(element));
    const offset_t end = interior(simplex_offsets(element + 1));
    offset_t at = interior(position);
    for_each_face(
        simplex,
        [&](int f, index_t other) {
          offset_t n_lower = 0; // number of faces to elements with smaller index
          offset_t n_before = 0;
          for (offset_t k = begin; k < at; ++k) {
            n_lower += second(k) < other ? 1 : 0;
            n_before += second(k) == other ? 1 : 0;
          }
          for (offset_t k = at; k < end; ++k)
            n_lower += second(k) < other ? 1 : 0;
          const auto face = static_cast<index_t>(begin + n_lower + n_before);
          write(face, simplex, f);
          number(face) = n_before == 0 ? 1 : 0;
          ++at;
        },
        [](int) {});
  }
};

/// Writes the elements and faces of each interface, and counts for each element the interfaces of which it is the
/// second.
template <int Dim, class Space> struct FillInterfaces {
  Array<const index_t*, Space> element_of;
  Array<const index_t*, Space> number;
  Array<offset_t*, Space> as_second; // counts
  Array<index_t*, Space> position;   // index of an interface among those of its second element, in any order
  Faces<Dim, Space> faces;
  KOKKOS_FUNCTION void operator()(index_t i) const { // n_interior + 1 items
    const index_t interface = number(i);
    if (i < faces.n_interior && interface == number(i + 1))
      return;
    faces.interface_faces(interface) = i;
    if (i == faces.n_interior)
      return;
    const index_t second = element_of(faces.simplices(i, 1));
    faces.interface_elements(interface, 0) = element_of(faces.simplices(i, 0));
    faces.interface_elements(interface, 1) = second;
    position(interface) = static_cast<index_t>(Kokkos::atomic_fetch_add(&as_second(second), offset_t(1)));
  }
};

/// The interfaces of element e: first those of which it is the second element, by ascending first element; then those
/// of which it is the first.
template <int Dim, class Space> struct FillNeighbours {
  Array<const index_t*, Space> simplex_offsets;
  Array<const offset_t*, Space> interior;
  Array<const offset_t*, Space> boundary;
  Array<const index_t*, Space> number;
  Array<const offset_t*, Space> as_second; // offsets by element
  Array<const index_t*, Space> position;
  Array<index_t*, Space> by_second; // interfaces, in any order for each element
  Faces<Dim, Space> faces;

  struct Offsets {};
  struct BySecond {};
  struct Interfaces {};

  KOKKOS_FUNCTION void operator()(Offsets, index_t e) const {
    const index_t as_first = number(interior(simplex_offsets(e))); // interfaces with smaller first elements
    faces.neighbour_offsets(e) = as_first + static_cast<index_t>(as_second(e));
    faces.boundary_offsets(e) = static_cast<index_t>(boundary(simplex_offsets(e)));
  }
  KOKKOS_FUNCTION void operator()(BySecond, index_t i) const {
    by_second(as_second(faces.interface_elements(i, 1)) + position(i)) = i;
  }
  KOKKOS_FUNCTION void operator()(Interfaces, index_t i) const {
    faces.neighbour_interfaces(as_second(faces.interface_elements(i, 0) + 1) + i) = i;
    const index_t second = faces.interface_elements(i, 1);
    index_t n_lower = 0;
    for (offset_t k = as_second(second); k < as_second(second + 1); ++k)
      n_lower += by_second(k) < i ? 1 : 0;
    faces.neighbour_interfaces(faces.neighbour_offsets(second) + n_lower) = i;
  }
};

/// Finds the boundary face of each facet of the mesh; for several facets of a face the last one is used.
template <int Dim, class Space> struct MatchFacets {
  FacetFinder<Dim, Space> finder;
  Array<const index_t* [Dim], Space> facets;
  DualGraph<Dim, Space> dual;
  Array<const index_t*, Space> element_of;
  Array<const index_t*, Space> simplex_offsets;
  Array<const index_t*, Space> element_simplices;
  Array<const offset_t*, Space> boundary; // as in ListFaces
  Array<index_t*, Space> facet_of;        // [n_boundary], -1: none

  KOKKOS_FUNCTION void operator()(index_t i) const {
    typename FacetFinder<Dim, Space>::Facet facet{};
    for (int k = 0; k < Dim; ++k)
      finder.add_node(facet, k, facets(i, k));
    finder.for_each_element(facet, -1, [&](index_t simplex, int apex, const int(&)[Dim]) {
      if (dual.across(simplex, apex) < 0)
        Kokkos::atomic_fetch_max(&facet_of(boundary_face(simplex, apex)), i);
      return false;
    });
  }
  KOKKOS_FUNCTION index_t boundary_face(index_t simplex, int apex) const {
    index_t begin = simplex_offsets(element_of(simplex));
    index_t end = simplex_offsets(element_of(simplex) + 1);
    while (end - begin > 1) {
      const index_t middle = begin + (end - begin) / 2;
      if (element_simplices(middle) > simplex)
        end = middle;
      else
        begin = middle;
    }
    auto face = static_cast<index_t>(boundary(begin));
    for (int f = 0; f < apex; ++f)
      face += dual.across(simplex, f) < 0 ? 1 : 0;
    return face;
  }
};

template <class Space> struct GroupOfFacet {
  Array<const group_t*, Space> facet_groups;
  Array<const index_t*, Space> facet_of;
  Array<group_t*, Space> groups;
  group_t no_group;
  KOKKOS_FUNCTION void operator()(index_t i) const {
    groups(i) = facet_of(i) < 0 ? no_group : facet_groups(facet_of(i));
  }
};

template <class ExecutionSpace, int Dim>
void match_facets(const ExecutionSpace& exec, const PolytopicMesh<Dim, typename ExecutionSpace::memory_space>& mesh,
                  const graph::Incidence<typename ExecutionSpace::memory_space>& node_incidence,
                  const DualGraph<Dim, typename ExecutionSpace::memory_space>& dual,
                  const Array<const offset_t*, ExecutionSpace>& boundary,
                  Faces<Dim, typename ExecutionSpace::memory_space>& faces) {
  using Space = typename ExecutionSpace::memory_space;
  const auto& simplices = mesh.simplices;
  const index_t n_boundary = faces.n_faces() - faces.n_interior;
  const auto facet_of = make_filled<Array<index_t*, Space>>(exec, "mesh::facet_of_face", n_boundary, -1);
  for_each("tessera::mesh::match_facets", exec, simplices.n_facets(),
           MatchFacets<Dim, Space>{{simplices, node_incidence},
                                   simplices.facets,
                                   dual,
                                   mesh.element_of,
                                   mesh.simplex_offsets,
                                   mesh.element_simplices,
                                   boundary,
                                   facet_of});
  faces.groups = make_array<Array<group_t*, Space>>(exec, "mesh::face_groups", n_boundary);
  for_each("tessera::mesh::face_groups", exec, n_boundary,
           GroupOfFacet<Space>{simplices.facet_groups, facet_of, faces.groups, Faces<Dim, Space>::no_group});
  keep_alive(exec, facet_of);
}

} // namespace

template <class ExecutionSpace, int Dim>
Faces<Dim, typename ExecutionSpace::memory_space>
find_faces(const ExecutionSpace& exec, const PolytopicMesh<Dim, typename ExecutionSpace::memory_space>& mesh,
           const graph::Incidence<typename ExecutionSpace::memory_space>& node_incidence,
           const DualGraph<Dim, typename ExecutionSpace::memory_space>& dual) {
  using Space = typename ExecutionSpace::memory_space;
  using List = ListFaces<Dim, Space>;
  using Neighbours = FillNeighbours<Dim, Space>;
  const index_t n = mesh.simplices.n_elements();
  const index_t n_elements = mesh.n_elements();
  // Three arrays of offsets in one allocation.
  const std::int64_t of_boundary = std::int64_t(n) + 1;
  const std::int64_t of_second = 2 * of_boundary;
  const std::int64_t n_offsets = of_second + n_elements + 1;
  QueuedScans<3, ExecutionSpace> scans(exec, "mesh::face_offsets", n_offsets - 1);
  const auto part = [&](std::int64_t first, std::int64_t end) {
    return Array<offset_t*, Space>(Kokkos::subview(scans.offsets(), std::make_pair(first, end)));
  };
  List list;
  list.elements = mesh.simplices.elements;
  list.dual = dual;
  list.element_of = mesh.element_of;
  list.simplex_offsets = mesh.simplex_offsets;
  list.element_simplices = mesh.element_simplices;
  list.interior = part(0, of_boundary);
  list.boundary = part(of_boundary, of_second);
  list.as_second = part(of_second, n_offsets);
  for_each_tagged<typename List::Count>("tessera::mesh::count_faces", exec, n, list);
  scans.add(exec, list.interior, n);
  scans.add(exec, list.boundary, n);
  const auto totals = scans.totals(exec);
  const index_t n_faces = checked_index(totals[0] + totals[1], "faces of elements");
  Faces<Dim, Space> faces;
  faces.n_interior = list.n_interior = static_cast<index_t>(totals[0]);
  faces.nodes = list.nodes = make_array<decltype(list.nodes)>(exec, "mesh::face_nodes", n_faces);
  faces.simplices = list.simplices = make_array<decltype(list.simplices)>(exec, "mesh::face_simplices", n_faces);
  list.second = make_array<Array<index_t*, Space>>(exec, "mesh::second_elements", totals[0]);
  list.number = make_array<Array<index_t*, Space>>(exec, "mesh::interface_numbers", totals[0] + 1);
  for_each_tagged<typename List::Boundary>("tessera::mesh::list_boundary_faces", exec, n, list);
  for_each_tagged<typename List::Interior>("tessera::mesh::list_interior_faces", exec, n, list);

  const std::int64_t n_interfaces = counts_to_offsets(exec, list.number, totals[0], "interfaces of elements");
  faces.interface_elements =
      make_array<decltype(faces.interface_elements)>(exec, "mesh::interface_elements", n_interfaces);
  faces.interface_faces = make_array<Array<index_t*, Space>>(exec, "mesh::interface_faces", n_interfaces + 1);
  faces.neighbour_offsets = make_array<Array<index_t*, Space>>(exec, "mesh::neighbour_offsets", n_elements + 1);
  faces.neighbour_interfaces = make_array<Array<index_t*, Space>>(exec, "mesh::neighbour_interfaces", 2 * n_interfaces);
  faces.boundary_offsets = make_array<Array<index_t*, Space>>(exec, "mesh::boundary_offsets", n_elements + 1);
  const Array<index_t*, Space> position = faces.neighbour_interfaces; // temporary use, until these are written
  for_each("tessera::mesh::fill_interfaces", exec, totals[0] + 1,
           FillInterfaces<Dim, Space>{mesh.element_of, list.number, list.as_second, position, faces});
  scans.add(exec, list.as_second, n_elements);
  const Neighbours fill{mesh.simplex_offsets, list.interior, list.boundary, list.number,
                        // there are at least as many faces as interfaces
                        list.as_second, position, list.second, faces};
  for_each_tagged<typename Neighbours::Offsets>("tessera::mesh::neighbour_offsets", exec, std::int64_t(n_elements) + 1,
                                                fill);
  for_each_tagged<typename Neighbours::BySecond>("tessera::mesh::interfaces_by_second", exec, n_interfaces, fill);
  for_each_tagged<typename Neighbours::Interfaces>("tessera::mesh::neighbour_interfaces", exec, n_interfaces, fill);
  match_facets<ExecutionSpace, Dim>(exec, mesh, node_incidence, dual, list.boundary, faces); // waits
  return faces;
}

#define TESSERA_INSTANTIATE_DIM(Space, Dim)                                                                            \
  template Faces<Dim, Space::memory_space> find_faces(const Space&, const PolytopicMesh<Dim, Space::memory_space>&,    \
                                                      const graph::Incidence<Space::memory_space>&,                    \
                                                      const DualGraph<Dim, Space::memory_space>&);
#define TESSERA_INSTANTIATE(Space)                                                                                     \
  TESSERA_INSTANTIATE_DIM(Space, 2)                                                                                    \
  TESSERA_INSTANTIATE_DIM(Space, 3)
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE
#undef TESSERA_INSTANTIATE_DIM

} // namespace tessera::mesh
