// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "mesh/facet_sides.hpp"

#include "core/algorithms/grouped_items.hpp"
#include "core/kokkos_ext/runtime.hpp"
#include "core/transfer/upload.hpp"
#include "graph/incidence.hpp"
#include "mesh/facet_finder.hpp"

#include <set>
#include <utility>

namespace tessera::mesh {

namespace {

template <class Space> struct SetOfFacet {
  Array<const group_t*, Space> facet_groups;
  Array<const int*, Space> set_of_group;
  KOKKOS_FUNCTION index_t operator()(std::int64_t f) const { return set_of_group(facet_groups(f)); }
};

template <int Dim, class Space> struct FindSides {
  FacetFinder<Dim, Space> finder;
  Array<const double* [Dim], Space> coordinates;
  Array<const group_t*, Space> regions;
  Array<const index_t* [Dim], Space> facets;
  Array<const std::int64_t*, Space> items;
  Array<FacetSides*, Space> sides;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    FacetSides& found = sides(i);
    const auto facet = finder.facet_at(facets, items(i));
    finder.find_sides(facet, found.element, found.face);
    for (int s = 0; s < 2; ++s)
      found.region[s] = found.element[s] < 0 ? -1 : regions(found.element[s]);
    double p[Dim][Dim];
    for (int d = 0; d < 3; ++d)
      found.center[d] = found.normal[d] = 0.;
    for (int k = 0; k < Dim; ++k)
      for (int d = 0; d < Dim; ++d) {
        p[k][d] = coordinates(facet.nodes[k], d);
        found.center[d] += p[k][d] / Dim;
      }
    if (found.element[0] < 0)
      return;
    if constexpr (Dim == 2) {
      found.normal[0] = p[1][1] - p[0][1];
      found.normal[1] = p[0][0] - p[1][0];
    } else {
      for (int d = 0; d < 3; ++d) {
        const int a = (d + 1) % 3;
        const int b = (d + 2) % 3;
        found.normal[d] = (p[1][a] - p[0][a]) * (p[2][b] - p[0][b]) - (p[1][b] - p[0][b]) * (p[2][a] - p[0][a]);
      }
    }
    const index_t apex = finder.elements(found.element[0], found.face[0]);
    double inwards = 0.;
    for (int d = 0; d < Dim; ++d)
      inwards += found.normal[d] * (coordinates(apex, d) - found.center[d]);
    if (inwards > 0.)
      for (int d = 0; d < Dim; ++d)
        found.normal[d] = -found.normal[d];
  }
};

} // namespace

template <class ExecutionSpace, int Dim>
std::vector<FacetSides> find_facet_sides(const ExecutionSpace& exec,
                                         const Mesh<Dim, typename ExecutionSpace::memory_space>& mesh,
                                         const std::vector<int>& set_of_group, int n_sets) {
  using Space = typename ExecutionSpace::memory_space;
  const auto sets = uploaded(exec, "mesh::sets_of_groups", set_of_group);
  const auto groups = group_items(exec, mesh.n_facets(), n_sets, SetOfFacet<Space>{mesh.facet_groups, sets}, "facets");
  const auto incidence = graph::build_incidence<ExecutionSpace>(
      exec, Array<const index_t*, ExecutionSpace>(mesh.elements.data(), mesh.elements.size()), Dim + 1, {},
      mesh.n_nodes());
  const auto sides = make_array<Array<FacetSides*, ExecutionSpace>>(exec, "mesh::facet_sides", groups.n_items());
  for_each("tessera::mesh::find_facet_sides", exec, groups.n_items(),
           FindSides<Dim, Space>{{mesh, incidence}, mesh.coordinates, mesh.regions, mesh.facets, groups.items, sides});
  const auto host = to_host(exec, sides); // waits: the other arrays may be freed
  std::vector<FacetSides> result;
  std::set<std::pair<index_t, int>> known; // facets of the current set
  for (int s = 0; s < n_sets; ++s) {
    known.clear();
    for (offset_t i = groups.host_starts[s]; i < groups.host_starts[s + 1]; ++i) {
      FacetSides facet = host(i);
      facet.set = s;
      if (facet.element[0] >= 0 && known.insert({facet.element[0], facet.face[0]}).second)
        result.push_back(facet);
    }
  }
  return result;
}

#define TESSERA_INSTANTIATE_DIM(SPACE, DIM)                                                                            \
  template std::vector<FacetSides> find_facet_sides<SPACE, DIM>(                                                       \
      const SPACE&, const Mesh<DIM, typename SPACE::memory_space>&, const std::vector<int>&, int);
#define TESSERA_INSTANTIATE(SPACE)                                                                                     \
  TESSERA_INSTANTIATE_DIM(SPACE, 2)                                                                                    \
  TESSERA_INSTANTIATE_DIM(SPACE, 3)
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)

} // namespace tessera::mesh
