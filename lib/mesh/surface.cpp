// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "mesh/surface.hpp"

#include "core/algorithms/scan.hpp"
#include "mesh/facet_finder.hpp"

namespace tessera::mesh {

namespace {

template <int Dim, class Space> struct MarkFacets {
  FacetFinder<Dim, Space> finder;
  Array<const group_t*, Space> regions;
  FacetMarks<Space> marks;

  KOKKOS_FUNCTION void operator()(index_t element) const {
    unsigned found = 0;
    for (int apex = 0; apex <= Dim; ++apex) {
      int n_others = 0;
      bool is_first = true;
      bool is_folded = false;
      bool is_interface = false;
      finder.for_each_element(
          finder.facet_of(element, apex), element, [&](index_t other, int other_apex, const int(&position)[Dim]) {
            int n_swaps = apex + other_apex; // even: both induce the same orientation, and hence are on the same side
            for (int i = 0; i < Dim; ++i)
              for (int j = i + 1; j < Dim; ++j)
                n_swaps += position[i] > position[j] ? 1 : 0;
            ++n_others;
            is_first = is_first && element < other;
            is_folded = is_folded || n_swaps % 2 == 0;
            is_interface = is_interface || regions(other) != regions(element);
            return true;
          });
      if (n_others == 0)
        found |= 1u << (facet_mark::open + apex);
      if (n_others == 1 && is_interface)
        found |= 1u << (facet_mark::interface + apex);
      if (n_others == 1 && is_folded && is_first)
        found |= 1u << (facet_mark::folded + apex);
      if (n_others > 1 && is_first)
        found |= 1u << (facet_mark::crowded + apex);
    }
    marks(element) = static_cast<std::uint16_t>(found);
  }
};

template <int Dim, class Space> struct CountSurface {
  FacetMarks<Space> marks;
  unsigned wanted; // bit mask
  Array<offset_t*, Space> counts;
  KOKKOS_FUNCTION void operator()(index_t element) const {
    int n = 0;
    for (unsigned bits = marks(element) & wanted; bits != 0; bits &= bits - 1)
      ++n;
    counts(element) = n;
  }
};

template <int Dim, class Space> struct FillSurface {
  Array<const double* [Dim], Space> coordinates;
  Array<const index_t * [Dim + 1], Space> elements;
  Array<const group_t*, Space> element_regions;
  FacetMarks<Space> marks;
  unsigned wanted;
  Array<const offset_t*, Space> offsets;
  Array<index_t* [Dim], Space> nodes;
  Array<double * [Dim * Dim], Space> points;
  Array<index_t*, Space> owners;
  Array<group_t*, Space> regions;
  Array<std::uint8_t*, Space> is_open;

  KOKKOS_FUNCTION void operator()(index_t element) const {
    offset_t at = offsets(element);
    for (int apex = 0; apex <= Dim; ++apex) {
      const bool open = (marks(element) & wanted & (1u << (facet_mark::open + apex))) != 0;
      if (!open && (marks(element) & wanted & (1u << (facet_mark::interface + apex))) == 0)
        continue;
      index_t facet[Dim];
      outward_facet(elements, element, apex, facet);
      for (int k = 0; k < Dim; ++k)
        nodes(at, k) = facet[k];
      for (int k = 0; k < Dim; ++k)
        for (int d = 0; d < Dim; ++d)
          points(at, k * Dim + d) = coordinates(nodes(at, k), d);
      owners(at) = element;
      regions(at) = element_regions(element);
      is_open(at) = open ? 1 : 0;
      ++at;
    }
  }
};

} // namespace

template <class ExecutionSpace, int Dim>
FacetMarks<typename ExecutionSpace::memory_space>
mark_facets(const ExecutionSpace& exec, const Mesh<Dim, typename ExecutionSpace::memory_space>& mesh,
            const graph::Incidence<typename ExecutionSpace::memory_space>& node_incidence) {
  using Space = typename ExecutionSpace::memory_space;
  const auto marks = make_array<FacetMarks<Space>>(exec, "mesh::facet_marks", mesh.n_elements());
  for_each("tessera::mesh::mark_facets", exec, mesh.n_elements(),
           MarkFacets<Dim, Space>{{mesh, node_incidence}, mesh.regions, marks});
  return marks;
}

template <class ExecutionSpace, int Dim>
Surface<Dim> collect_surface(const ExecutionSpace& exec, const Mesh<Dim, typename ExecutionSpace::memory_space>& mesh,
                             const FacetMarks<typename ExecutionSpace::memory_space>& marks, bool with_interfaces) {
  using Space = typename ExecutionSpace::memory_space;
  const unsigned wanted = with_interfaces ? 0xffu : 0xfu;
  static_assert(facet_mark::open == 0 && facet_mark::interface == 4, "the bits of `wanted`");
  const auto offsets = make_array<Array<offset_t*, Space>>(exec, "mesh::surface_offsets", mesh.n_elements() + 1);
  for_each("tessera::mesh::count_surface", exec, mesh.n_elements(), CountSurface<Dim, Space>{marks, wanted, offsets});
  const index_t n = checked_index(counts_to_offsets(exec, offsets, mesh.n_elements(), "facets of the surface"),
                                  "facets of the surface");
  FillSurface<Dim, Space> fill{
      mesh.coordinates, mesh.elements, mesh.regions, marks, wanted, offsets, {}, {}, {}, {}, {}};
  fill.nodes = make_array<decltype(fill.nodes)>(exec, "mesh::surface_nodes", n);
  fill.points = make_array<decltype(fill.points)>(exec, "mesh::surface_points", n);
  fill.owners = make_array<decltype(fill.owners)>(exec, "mesh::surface_elements", n);
  fill.regions = make_array<decltype(fill.regions)>(exec, "mesh::surface_regions", n);
  fill.is_open = make_array<decltype(fill.is_open)>(exec, "mesh::surface_open", n);
  for_each("tessera::mesh::fill_surface", exec, mesh.n_elements(), fill);
  Surface<Dim> surface;
  surface.nodes = to_host(exec, fill.nodes);
  surface.points = to_host(exec, fill.points);
  surface.elements = to_host(exec, fill.owners);
  surface.regions = to_host(exec, fill.regions);
  surface.is_open = to_host(exec, fill.is_open);
  return surface;
}

#define TESSERA_INSTANTIATE_DIM(Space, Dim)                                                                            \
  template FacetMarks<Space::memory_space> mark_facets(const Space&, const Mesh<Dim, Space::memory_space>&,            \
                                                       const graph::Incidence<Space::memory_space>&);                  \
  template Surface<Dim> collect_surface(const Space&, const Mesh<Dim, Space::memory_space>&,                           \
                                        const FacetMarks<Space::memory_space>&, bool);
#define TESSERA_INSTANTIATE(Space)                                                                                     \
  TESSERA_INSTANTIATE_DIM(Space, 2)                                                                                    \
  TESSERA_INSTANTIATE_DIM(Space, 3)
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE
#undef TESSERA_INSTANTIATE_DIM

} // namespace tessera::mesh
