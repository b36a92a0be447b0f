// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "mesh/polytopes/make_polytopic_mesh.hpp"

#include "core/algorithms/ascending.hpp"
#include "core/algorithms/grouped_items.hpp"
#include "core/keep_alive.hpp"
#include "core/math.hpp"
#include "mesh/edges.hpp"
#include "mesh/polytopes/polytope_faces.hpp"

#include <limits>

namespace tessera::mesh {

namespace {

template <class Space> struct ElementKeys {
  Array<const index_t*, Space> element_of;
  Array<std::uint32_t*, Space> keys;
  Array<index_t*, Space> simplices;
  KOKKOS_FUNCTION void operator()(index_t s) const {
    keys(s) = static_cast<std::uint32_t>(element_of(s));
    simplices(s) = s;
  }
};

/// Lists the simplices of elements with one simplex each.
template <class Space> struct ListSingleSimplices {
  Array<const index_t*, Space> element_of;
  Array<const group_t*, Space> simplex_regions;
  Array<index_t*, Space> offsets;
  Array<index_t*, Space> simplices;
  Array<group_t*, Space> regions;
  KOKKOS_FUNCTION void operator()(index_t s) const {
    const index_t e = element_of(s);
    simplices(e) = s;
    regions(e) = simplex_regions(s);
    offsets(s + 1) = s + 1;
    if (s == 0)
      offsets(0) = 0;
  }
};

template <class Space> struct RegionOfFirst {
  Array<const group_t*, Space> simplex_regions;
  Array<const index_t*, Space> offsets;
  Array<const index_t*, Space> simplices;
  Array<group_t*, Space> regions;
  KOKKOS_FUNCTION void operator()(index_t e) const { regions(e) = simplex_regions(simplices(offsets(e))); }
};

/// Integers in the order of the coordinates that they encode, so that limits need integer atomics only.
using Rank = std::int64_t;
constexpr Rank lowest_rank = std::numeric_limits<Rank>::min();
constexpr Rank highest_rank = std::numeric_limits<Rank>::max();

KOKKOS_INLINE_FUNCTION Rank rank_of_bits(Rank bits) { return bits < 0 ? bits ^ highest_rank : bits; }
KOKKOS_INLINE_FUNCTION Rank rank_of(double x) { return rank_of_bits(static_cast<Rank>(math::detail::to_bits(x))); }
KOKKOS_INLINE_FUNCTION double coordinate_of(Rank rank) {
  return math::detail::from_bits(static_cast<std::uint64_t>(rank_of_bits(rank)));
}

/// Mean number of simplices per element up to which one thread processes an element. Larger elements have relatively
/// few faces.
constexpr int few_simplices = 8;

/// Finds the bounding boxes of elements with few simplices, one thread per element.
template <int Dim, class Space> struct FindBoxes {
  Array<const double* [Dim], Space> coordinates;
  Array<const index_t * [Dim + 1], Space> elements;
  Array<const index_t*, Space> offsets;
  Array<const index_t*, Space> simplices;
  Array<double* [2][Dim], Space> boxes;
  KOKKOS_FUNCTION void operator()(index_t e) const {
    Rank lower[Dim];
    Rank upper[Dim];
    for (int d = 0; d < Dim; ++d) {
      lower[d] = highest_rank;
      upper[d] = lowest_rank;
    }
    for (index_t i = offsets(e); i < offsets(e + 1); ++i)
      for (int k = 0; k <= Dim; ++k) {
        const index_t node = elements(simplices(i), k);
        for (int d = 0; d < Dim; ++d) {
          const Rank x = rank_of(coordinates(node, d));
          lower[d] = x < lower[d] ? x : lower[d];
          upper[d] = x > upper[d] ? x : upper[d];
        }
      }
    for (int d = 0; d < Dim; ++d) {
      boxes(e, 0, d) = coordinate_of(lower[d]);
      boxes(e, 1, d) = coordinate_of(upper[d]);
    }
  }
};

template <int Dim, class Space> struct ClearLimits {
  Array<Rank* [2][Dim], Space> limits;
  KOKKOS_FUNCTION void operator()(index_t e) const {
    for (int d = 0; d < Dim; ++d) {
      limits(e, 0, d) = highest_rank;
      limits(e, 1, d) = lowest_rank;
    }
  }
};

/// Extends the limits of the elements of a face: an element's extreme points are on its faces.
template <int Dim, class Space> struct WidenLimits {
  Array<const double* [Dim], Space> coordinates;
  Faces<Dim, Space> faces;
  Array<const index_t*, Space> element_of;
  Array<Rank* [2][Dim], Space> limits;
  KOKKOS_FUNCTION void operator()(index_t i) const {
    for (int d = 0; d < Dim; ++d) {
      Rank lower = rank_of(coordinates(faces.nodes(i, 0), d));
      Rank upper = lower;
      for (int k = 1; k < Dim; ++k) {
        const Rank other = rank_of(coordinates(faces.nodes(i, k), d));
        lower = other < lower ? other : lower;
        upper = other > upper ? other : upper;
      }
      for (int side = 0; side < (i < faces.n_interior ? 2 : 1); ++side) {
        const index_t element = element_of(faces.simplices(i, side));
        Kokkos::atomic_fetch_min(&limits(element, 0, d), lower);
        Kokkos::atomic_fetch_max(&limits(element, 1, d), upper);
      }
    }
  }
};

template <int Dim, class Space> struct FillBoxes {
  Array<const Rank* [2][Dim], Space> limits;
  Array<double* [2][Dim], Space> boxes;
  KOKKOS_FUNCTION void operator()(index_t e) const {
    for (int side = 0; side < 2; ++side)
      for (int d = 0; d < Dim; ++d)
        boxes(e, side, d) = coordinate_of(limits(e, side, d));
  }
};

/// Lists the simplices of each element.
template <class ExecutionSpace, int Dim>
void list_simplices(const ExecutionSpace& exec, index_t n_elements,
                    PolytopicMesh<Dim, typename ExecutionSpace::memory_space>& mesh) {
  using Space = typename ExecutionSpace::memory_space;
  using Keys = Array<std::uint32_t*, Space>;
  const index_t n = mesh.simplices.n_elements();
  mesh.element_simplices = make_array<Array<index_t*, Space>>(exec, "mesh::element_simplices", n);
  mesh.simplex_offsets = make_array<Array<index_t*, Space>>(exec, "mesh::simplex_offsets", n_elements + 1);
  mesh.regions = make_array<Array<group_t*, Space>>(exec, "mesh::element_regions", n_elements);
  if (n_elements == n) {
    for_each("tessera::mesh::list_single_simplices", exec, n,
             ListSingleSimplices<Space>{mesh.element_of, mesh.simplices.regions, mesh.simplex_offsets,
                                        mesh.element_simplices, mesh.regions});
    return;
  }
  const auto keys = make_array<Keys>(exec, "mesh::element_keys", n);
  for_each("tessera::mesh::element_keys", exec, n, ElementKeys<Space>{mesh.element_of, keys, mesh.element_simplices});
  sort_by_key(exec, keys, mesh.element_simplices, n, bits_for(n_elements));
  for_each<std::int64_t>("tessera::mesh::simplex_offsets", exec, std::int64_t(n) + 1,
                         tessera::detail::FindStarts<Keys, Space, index_t>{keys, n, n_elements, mesh.simplex_offsets});
  for_each("tessera::mesh::element_regions", exec, n_elements,
           RegionOfFirst<Space>{mesh.simplices.regions, mesh.simplex_offsets, mesh.element_simplices, mesh.regions});
  keep_alive(exec, keys);
}

template <class ExecutionSpace, int Dim>
void find_boxes(const ExecutionSpace& exec, PolytopicMesh<Dim, typename ExecutionSpace::memory_space>& mesh) {
  using Space = typename ExecutionSpace::memory_space;
  const index_t n_elements = mesh.n_elements();
  mesh.boxes = make_array<decltype(mesh.boxes)>(exec, "mesh::boxes", n_elements);
  if (mesh.simplices.n_elements() <= std::int64_t(few_simplices) * n_elements) {
    for_each("tessera::mesh::find_boxes", exec, n_elements,
             FindBoxes<Dim, Space>{mesh.simplices.coordinates, mesh.simplices.elements, mesh.simplex_offsets,
                                   mesh.element_simplices, mesh.boxes});
    return;
  }
  const auto limits = make_array<Array<Rank* [2][Dim], Space>>(exec, "mesh::box_limits", n_elements);
  for_each("tessera::mesh::clear_box_limits", exec, n_elements, ClearLimits<Dim, Space>{limits});
  for_each("tessera::mesh::widen_box_limits", exec, mesh.faces.n_faces(),
           WidenLimits<Dim, Space>{mesh.simplices.coordinates, mesh.faces, mesh.element_of, limits});
  for_each("tessera::mesh::fill_boxes", exec, n_elements, FillBoxes<Dim, Space>{limits, mesh.boxes});
  keep_alive(exec, limits);
}

} // namespace

template <class ExecutionSpace, int Dim>
PolytopicMesh<Dim, typename ExecutionSpace::memory_space>
make_polytopic_mesh(const ExecutionSpace& exec, const Mesh<Dim, typename ExecutionSpace::memory_space>& mesh,
                    const graph::Incidence<typename ExecutionSpace::memory_space>& node_incidence,
                    const DualGraph<Dim, typename ExecutionSpace::memory_space>& dual,
                    const Array<const index_t*, ExecutionSpace>& element_of) {
  TESSERA_REQUIRE(element_of.extent(0) == mesh.elements.extent(0),
                  "A mesh of " << mesh.n_elements() << " simplices needs as many numbers of elements, not "
                               << element_of.extent(0) << ".");
  return make_polytopic_mesh(exec, mesh, node_incidence, dual, number_elements(exec, element_of));
}

template <class ExecutionSpace, int Dim>
PolytopicMesh<Dim, typename ExecutionSpace::memory_space>
make_polytopic_mesh(const ExecutionSpace& exec, const Mesh<Dim, typename ExecutionSpace::memory_space>& mesh,
                    const graph::Incidence<typename ExecutionSpace::memory_space>& node_incidence,
                    const DualGraph<Dim, typename ExecutionSpace::memory_space>& dual,
                    const ElementNumbers<ExecutionSpace>& numbers) {
  PolytopicMesh<Dim, typename ExecutionSpace::memory_space> result;
  result.simplices = mesh;
  result.element_of = numbers.element_of;
  list_simplices(exec, numbers.n_elements, result);
  // waits: other arrays may be freed
  result.faces = find_faces<ExecutionSpace, Dim>(exec, result, node_incidence, dual);
  find_boxes(exec, result);
  return result;
}

template <class ExecutionSpace, int Dim>
PolytopicMesh<Dim, typename ExecutionSpace::memory_space>
make_polytopic_mesh(const ExecutionSpace& exec, const Mesh<Dim, typename ExecutionSpace::memory_space>& mesh,
                    const Array<const index_t*, ExecutionSpace>& element_of) {
  const auto node_incidence = build_node_incidence(exec, mesh);
  return make_polytopic_mesh(exec, mesh, node_incidence, build_dual_graph(exec, mesh, node_incidence), element_of);
}

template <class ExecutionSpace, int Dim>
Array<index_t*, ExecutionSpace> simplicial_elements(const ExecutionSpace& exec,
                                                    const Mesh<Dim, typename ExecutionSpace::memory_space>& mesh) {
  return ascending(exec, "mesh::element_of", mesh.n_elements());
}

#define TESSERA_INSTANTIATE_DIM(Space, Dim)                                                                            \
  template PolytopicMesh<Dim, Space::memory_space> make_polytopic_mesh(                                                \
      const Space&, const Mesh<Dim, Space::memory_space>&, const Array<const index_t*, Space>&);                       \
  template PolytopicMesh<Dim, Space::memory_space> make_polytopic_mesh(                                                \
      const Space&, const Mesh<Dim, Space::memory_space>&, const graph::Incidence<Space::memory_space>&,               \
      const DualGraph<Dim, Space::memory_space>&, const Array<const index_t*, Space>&);                                \
  template PolytopicMesh<Dim, Space::memory_space> make_polytopic_mesh(                                                \
      const Space&, const Mesh<Dim, Space::memory_space>&, const graph::Incidence<Space::memory_space>&,               \
      const DualGraph<Dim, Space::memory_space>&, const ElementNumbers<Space>&);                                       \
  template Array<index_t*, Space> simplicial_elements(const Space&, const Mesh<Dim, Space::memory_space>&);
#define TESSERA_INSTANTIATE(Space)                                                                                     \
  TESSERA_INSTANTIATE_DIM(Space, 2)                                                                                    \
  TESSERA_INSTANTIATE_DIM(Space, 3)
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE
#undef TESSERA_INSTANTIATE_DIM

} // namespace tessera::mesh
