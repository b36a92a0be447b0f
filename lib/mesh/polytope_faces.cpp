// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "mesh/polytope_faces.hpp"

#include "core/grouped_items.hpp"
#include "core/keep_alive.hpp"
#include "core/tagged_loop.hpp"
#include "mesh/facet_finder.hpp"

namespace tessera::mesh {

namespace {

/// Elements on both sides of a face as one number, which sorts as Faces::nodes does: a boundary face of element e is
/// (n_elements, e), after all interior ones.
struct FaceKey {
  index_t n_elements;
  int bits; // of the second element
  KOKKOS_FUNCTION std::uint64_t operator()(index_t first, index_t second) const {
    return (static_cast<std::uint64_t>(first) << bits) | static_cast<std::uint64_t>(second);
  }
  KOKKOS_FUNCTION index_t first(std::uint64_t key) const { return static_cast<index_t>(key >> bits); }
  KOKKOS_FUNCTION index_t second(std::uint64_t key) const {
    return static_cast<index_t>(key & ((std::uint64_t(1) << bits) - 1));
  }
  KOKKOS_FUNCTION bool is_interior(std::uint64_t key) const { return first(key) < n_elements; }
};

/// Lists each face once, from the simplex in its first element.
template <int Dim, class Space> struct ListFaces {
  DualGraph<Dim, Space> dual;
  Array<const index_t*, Space> element_of;
  FaceKey key;
  Array<index_t*, Space> offsets; // by simplex; counts until the scan
  Array<std::uint64_t*, Space> keys;
  Array<offset_t*, Space> sides; // simplex (Dim + 1) + facet

  struct Count {};
  struct Fill {};

  template <class Visit> KOKKOS_FUNCTION void for_each_face(index_t simplex, const Visit& visit) const {
    const index_t element = element_of(simplex);
    for (int f = 0; f <= Dim; ++f) {
      const index_t neighbour = dual.neighbour(simplex, f);
      if (neighbour < 0)
        visit(f, key(key.n_elements, element));
      else if (element < element_of(neighbour))
        visit(f, key(element, element_of(neighbour)));
    }
  }
  KOKKOS_FUNCTION void operator()(Count, index_t simplex) const {
    index_t n = 0;
    for_each_face(simplex, [&](int, std::uint64_t) { ++n; });
    offsets(simplex) = n;
  }
  KOKKOS_FUNCTION void operator()(Fill, index_t simplex) const {
    index_t at = offsets(simplex);
    for_each_face(simplex, [&](int f, std::uint64_t face_key) {
      keys(at) = face_key;
      sides(at++) = static_cast<offset_t>(simplex) * (Dim + 1) + f;
    });
  }
};

/// Flags the first face of each interface, by sorted keys, and finds the first boundary face.
template <class Space> struct FlagInterfaces {
  FaceKey key;
  Array<const std::uint64_t*, Space> keys;
  Array<index_t*, Space> number; // [n_faces + 1], flags until the scan
  Array<index_t*, Space> n_interior;
  KOKKOS_FUNCTION void operator()(index_t i) const {
    const bool is_interior = key.is_interior(keys(i));
    number(i) = is_interior && (i == 0 || keys(i) != keys(i - 1)) ? 1 : 0;
    if (!is_interior && (i == 0 || key.is_interior(keys(i - 1))))
      n_interior(0) = i;
  }
};

template <int Dim, class Space> struct FillInterfaces {
  FaceKey key;
  Array<const std::uint64_t*, Space> keys;
  Array<const index_t*, Space> number;
  Faces<Dim, Space> faces;
  KOKKOS_FUNCTION void operator()(index_t i) const { // n_interior + 1 items
    const index_t interface = number(i);
    if (i < faces.n_interior && interface == number(i + 1))
      return;
    faces.interface_faces(interface) = i;
    if (i == faces.n_interior)
      return;
    faces.interface_elements(interface, 0) = key.first(keys(i));
    faces.interface_elements(interface, 1) = key.second(keys(i));
  }
};

template <int Dim, class Space> struct FillFaces {
  Array<const index_t * [Dim + 1], Space> elements;
  DualGraph<Dim, Space> dual;
  Array<const offset_t*, Space> sides;
  Faces<Dim, Space> faces;
  KOKKOS_FUNCTION void operator()(index_t i) const {
    const index_t simplex = static_cast<index_t>(sides(i) / (Dim + 1));
    const int f = static_cast<int>(sides(i) % (Dim + 1));
    index_t nodes[Dim];
    outward_facet(elements, simplex, f, nodes);
    for (int k = 0; k < Dim; ++k)
      faces.nodes(i, k) = nodes[k];
    faces.simplices(i, 0) = simplex;
    faces.simplices(i, 1) = dual.neighbour(simplex, f);
  }
};

/// First or second element of an interface.
template <class Space> struct ElementOfInterface {
  Array<const index_t* [2], Space> elements;
  int side;
  KOKKOS_FUNCTION index_t operator()(std::int64_t i) const { return elements(i, side); }
};

template <class Space> struct SecondElements {
  Array<const index_t* [2], Space> elements;
  Array<std::uint32_t*, Space> keys;
  Array<index_t*, Space> interfaces;
  KOKKOS_FUNCTION void operator()(index_t i) const {
    keys(i) = static_cast<std::uint32_t>(elements(i, 1));
    interfaces(i) = i;
  }
};

/// The interfaces of element e: those where it is the second one, by ascending first; then those where it is the first.
template <int Dim, class Space> struct FillNeighbours {
  Array<const index_t*, Space> as_first; // offsets by element
  Array<const index_t*, Space> as_second;
  Array<const index_t*, Space> by_second; // interfaces
  Faces<Dim, Space> faces;

  struct Offsets {};
  struct Interfaces {};

  KOKKOS_FUNCTION void operator()(Offsets, index_t e) const { faces.neighbour_offsets(e) = as_first(e) + as_second(e); }
  KOKKOS_FUNCTION void operator()(Interfaces, index_t i) const {
    faces.neighbour_interfaces(as_second(faces.interface_elements(i, 0) + 1) + i) = i;
    const index_t lower = by_second(i);
    faces.neighbour_interfaces(as_first(faces.interface_elements(lower, 1)) + i) = lower;
  }
};

template <class Space> struct ElementOfBoundaryFace {
  FaceKey key;
  Array<const std::uint64_t*, Space> keys;
  index_t n_interior;
  KOKKOS_FUNCTION index_t operator()(std::int64_t i) const { return key.second(keys(n_interior + i)); }
};

/// Finds the boundary face of each facet of the mesh; the last facet of a face holds.
template <int Dim, class Space> struct MatchFacets {
  FacetFinder<Dim, Space> finder;
  Array<const index_t* [Dim], Space> facets;
  DualGraph<Dim, Space> dual;
  Array<const index_t*, Space> element_of;
  Array<const offset_t*, Space> sides;
  Array<const index_t*, Space> boundary_offsets;
  index_t n_interior;
  Array<index_t*, Space> facet_of; // [n_boundary], -1: none

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
    const offset_t side = static_cast<offset_t>(simplex) * (Dim + 1) + apex;
    index_t begin = boundary_offsets(element_of(simplex));
    index_t end = boundary_offsets(element_of(simplex) + 1);
    while (end - begin > 1) {
      const index_t middle = begin + (end - begin) / 2;
      if (sides(n_interior + middle) > side)
        end = middle;
      else
        begin = middle;
    }
    return begin;
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

template <class ExecutionSpace, class ElementOf>
Array<index_t*, ExecutionSpace> find_offsets(const char* label, const ExecutionSpace& exec, const char* name, index_t n,
                                             index_t n_elements, const ElementOf& element) {
  using Space = typename ExecutionSpace::memory_space;
  const auto offsets = make_array<Array<index_t*, ExecutionSpace>>(exec, name, n_elements + 1);
  for_each<std::int64_t>(label, exec, std::int64_t(n) + 1,
                         tessera::detail::FindStarts<ElementOf, Space, index_t>{element, n, n_elements, offsets});
  return offsets;
}

template <class ExecutionSpace, int Dim>
void find_interfaces(const ExecutionSpace& exec, const FaceKey& key,
                     const Array<const std::uint64_t*, ExecutionSpace>& keys,
                     Faces<Dim, typename ExecutionSpace::memory_space>& faces) {
  using Space = typename ExecutionSpace::memory_space;
  const auto n_faces = static_cast<index_t>(keys.extent(0));
  const auto number = make_array<Array<index_t*, Space>>(exec, "mesh::interface_numbers", n_faces + 1);
  const auto n_interior = make_filled<Array<index_t*, Space>>(exec, "mesh::n_interior_faces", 1, n_faces);
  for_each("tessera::mesh::flag_interfaces", exec, n_faces, FlagInterfaces<Space>{key, keys, number, n_interior});
  const std::int64_t n_interfaces = counts_to_offsets(exec, number, n_faces, "interfaces of elements");
  faces.n_interior = read_entry(exec, n_interior, 0);
  faces.interface_elements =
      make_array<decltype(faces.interface_elements)>(exec, "mesh::interface_elements", n_interfaces);
  faces.interface_faces = make_array<Array<index_t*, Space>>(exec, "mesh::interface_faces", n_interfaces + 1);
  for_each("tessera::mesh::fill_interfaces", exec, std::int64_t(faces.n_interior) + 1,
           FillInterfaces<Dim, Space>{key, keys, number, faces});
  keep_alive(exec, number);
}

template <class ExecutionSpace, int Dim>
void find_neighbours(const ExecutionSpace& exec, index_t n_elements,
                     Faces<Dim, typename ExecutionSpace::memory_space>& faces) {
  using Space = typename ExecutionSpace::memory_space;
  using Fill = FillNeighbours<Dim, Space>;
  const index_t n = faces.n_interfaces();
  const auto seconds = make_array<Array<std::uint32_t*, Space>>(exec, "mesh::second_elements", n);
  const auto by_second = make_array<Array<index_t*, Space>>(exec, "mesh::interfaces_by_second", n);
  for_each("tessera::mesh::second_elements", exec, n,
           SecondElements<Space>{faces.interface_elements, seconds, by_second});
  sort_by_key(exec, seconds, by_second, n, bits_for(n_elements));
  const auto as_first = find_offsets("tessera::mesh::interfaces_of_first", exec, "mesh::interfaces_of_first", n,
                                     n_elements, ElementOfInterface<Space>{faces.interface_elements, 0});
  const auto as_second = find_offsets("tessera::mesh::interfaces_of_second", exec, "mesh::interfaces_of_second", n,
                                      n_elements, Array<const std::uint32_t*, Space>(seconds));
  faces.neighbour_offsets = make_array<Array<index_t*, Space>>(exec, "mesh::neighbour_offsets", n_elements + 1);
  faces.neighbour_interfaces =
      make_array<Array<index_t*, Space>>(exec, "mesh::neighbour_interfaces", 2 * std::int64_t(n));
  const Fill fill{as_first, as_second, by_second, faces};
  for_each_tagged<typename Fill::Offsets>("tessera::mesh::neighbour_offsets", exec, n_elements + 1, fill);
  for_each_tagged<typename Fill::Interfaces>("tessera::mesh::neighbour_interfaces", exec, n, fill);
  keep_alive(exec, seconds, fill);
}

} // namespace

template <class ExecutionSpace, int Dim>
Faces<Dim, typename ExecutionSpace::memory_space>
find_faces(const ExecutionSpace& exec, const Mesh<Dim, typename ExecutionSpace::memory_space>& mesh,
           const graph::Incidence<typename ExecutionSpace::memory_space>& node_incidence,
           const DualGraph<Dim, typename ExecutionSpace::memory_space>& dual,
           const Array<const index_t*, ExecutionSpace>& element_of, index_t n_elements) {
  using Space = typename ExecutionSpace::memory_space;
  using List = ListFaces<Dim, Space>;
  const FaceKey key{n_elements, bits_for(n_elements)};
  List list{dual, element_of, key, {}, {}, {}};
  list.offsets = make_array<Array<index_t*, Space>>(exec, "mesh::faces_of_simplices", mesh.n_elements() + 1);
  for_each_tagged<typename List::Count>("tessera::mesh::count_faces", exec, mesh.n_elements(), list);
  const index_t n_faces =
      checked_index(counts_to_offsets(exec, list.offsets, mesh.n_elements(), "faces of elements"), "faces of elements");
  list.keys = make_array<Array<std::uint64_t*, Space>>(exec, "mesh::face_keys", n_faces);
  list.sides = make_array<Array<offset_t*, Space>>(exec, "mesh::face_sides", n_faces);
  for_each_tagged<typename List::Fill>("tessera::mesh::list_faces", exec, mesh.n_elements(), list);
  sort_by_key(exec, list.keys, list.sides, n_faces, key.bits + bits_for(std::int64_t(n_elements) + 1));

  Faces<Dim, Space> faces;
  faces.nodes = make_array<decltype(faces.nodes)>(exec, "mesh::face_nodes", n_faces);
  faces.simplices = make_array<decltype(faces.simplices)>(exec, "mesh::face_simplices", n_faces);
  for_each("tessera::mesh::fill_faces", exec, n_faces, FillFaces<Dim, Space>{mesh.elements, dual, list.sides, faces});
  find_interfaces(exec, key, Array<const std::uint64_t*, Space>(list.keys), faces);
  find_neighbours(exec, n_elements, faces);

  const index_t n_boundary = n_faces - faces.n_interior;
  faces.boundary_offsets = find_offsets("tessera::mesh::boundary_offsets", exec, "mesh::boundary_offsets", n_boundary,
                                        n_elements, ElementOfBoundaryFace<Space>{key, list.keys, faces.n_interior});
  const auto facet_of = make_filled<Array<index_t*, Space>>(exec, "mesh::facet_of_face", n_boundary, -1);
  for_each("tessera::mesh::match_facets", exec, mesh.n_facets(),
           MatchFacets<Dim, Space>{{mesh, node_incidence},
                                   mesh.facets,
                                   dual,
                                   element_of,
                                   list.sides,
                                   faces.boundary_offsets,
                                   faces.n_interior,
                                   facet_of});
  faces.groups = make_array<Array<group_t*, Space>>(exec, "mesh::face_groups", n_boundary);
  for_each("tessera::mesh::face_groups", exec, n_boundary,
           GroupOfFacet<Space>{mesh.facet_groups, facet_of, faces.groups, Faces<Dim, Space>::no_group});
  keep_alive(exec, list, facet_of);
  return faces;
}

#define TESSERA_INSTANTIATE_DIM(Space, Dim)                                                                            \
  template Faces<Dim, Space::memory_space> find_faces(                                                                 \
      const Space&, const Mesh<Dim, Space::memory_space>&, const graph::Incidence<Space::memory_space>&,               \
      const DualGraph<Dim, Space::memory_space>&, const Array<const index_t*, Space>&, index_t);
#define TESSERA_INSTANTIATE(Space)                                                                                     \
  TESSERA_INSTANTIATE_DIM(Space, 2)                                                                                    \
  TESSERA_INSTANTIATE_DIM(Space, 3)
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE
#undef TESSERA_INSTANTIATE_DIM

} // namespace tessera::mesh
