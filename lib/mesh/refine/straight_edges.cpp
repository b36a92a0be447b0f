// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "mesh/refine/straight_edges.hpp"

#include "core/algorithms/gather_rows.hpp"
#include "core/keep_alive.hpp"
#include "core/kokkos_ext/spaces.hpp"
#include "core/transfer/upload.hpp"
#include "mesh/simplex.hpp"

#include <cmath>
#include <vector>

namespace tessera::mesh {

namespace {

using Farthest = Kokkos::MaxLoc<double, index_t>;

/// Moves midpoints to the middles of their edges; finds the largest squared distance and its midpoint.
template <int Dim, class Space> struct Straighten {
  EdgeMidpoints<Space> midpoints;
  Array<const std::uint8_t*, Space> marked;
  Array<double* [Dim], Space> coordinates;
  KOKKOS_FUNCTION void operator()(index_t v, Farthest::value_type& farthest) const {
    for (index_t k = midpoints.edges.offsets(v); k < midpoints.edges.offsets(v + 1); ++k) {
      const index_t middle = midpoints.node(k);
      if (middle < 0 || marked(middle) == 0)
        continue;
      double square = 0.;
      for (int d = 0; d < Dim; ++d) {
        const double x = 0.5 * (coordinates(v, d) + coordinates(midpoints.edges.upper(k), d));
        square += (coordinates(middle, d) - x) * (coordinates(middle, d) - x);
        coordinates(middle, d) = x;
      }
      if (square > farthest.val) {
        farthest.val = square;
        farthest.loc = middle;
      }
    }
  }
};

/// Marks the midpoints among the nodes of inverted elements; counts these elements, and the midpoints without a mark.
template <int Dim, class Space> struct MarkInverted {
  Array<const index_t * [Dim + 1], Space> elements;
  Array<const double* [Dim], Space> coordinates;
  index_t n_vertices;
  Array<std::uint8_t*, Space> marked;
  KOKKOS_FUNCTION void operator()(index_t e, index_t& n_inverted, index_t& n_new) const {
    double p[Dim + 1][Dim];
    for (int a = 0; a <= Dim; ++a)
      for (int d = 0; d < Dim; ++d)
        p[a][d] = coordinates(elements(e, a), d);
    if (signed_measure(p) > 0.)
      return;
    ++n_inverted;
    for (int a = 0; a <= Dim; ++a)
      if (const index_t node = elements(e, a); node >= n_vertices) {
        n_new += marked(node) == 0 ? 1 : 0; // other threads may have marked it: only zero or not matters
        marked(node) = 1;
      }
  }
};

} // namespace

template <class ExecutionSpace, int Dim>
void straighten(const ExecutionSpace& exec, const EdgeMidpoints<typename ExecutionSpace::memory_space>& midpoints,
                index_t n_vertices, const Array<const std::uint8_t*, ExecutionSpace>& marked,
                const Array<double* [Dim], ExecutionSpace>& coordinates, StraightEdges& straight) {
  Farthest::value_type farthest;
  Kokkos::parallel_reduce(
      "tessera::mesh::straighten", Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<index_t>>(exec, 0, n_vertices),
      Straighten<Dim, typename ExecutionSpace::memory_space>{midpoints, marked, coordinates}, Farthest(farthest));
  const double distance = farthest.val > 0. ? std::sqrt(farthest.val) : 0.;
  if (distance <= straight.distance)
    return;
  straight.distance = distance;
  const auto row = to_host(
      exec, Kokkos::subview(coordinates, std::make_pair(farthest.loc, index_t(farthest.loc + 1)), Kokkos::ALL()));
  for (std::size_t d = 0; d < Dim; ++d)
    straight.place[d] = row(0, d);
}

template <class ExecutionSpace, int Dim>
void unfold(const ExecutionSpace& exec, const EdgeMidpoints<typename ExecutionSpace::memory_space>& midpoints,
            index_t n_vertices, Mesh<Dim, typename ExecutionSpace::memory_space>& fine, StraightEdges& straight) {
  using Space = typename ExecutionSpace::memory_space;
  const Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<index_t>> elements(exec, 0, fine.n_elements());
  const auto marked = make_filled<Array<std::uint8_t*, Space>>(exec, "mesh::straight_midpoints", fine.n_nodes(), 0);
  const MarkInverted<Dim, Space> mark{fine.elements, fine.coordinates, n_vertices, marked};
  bool any = false;
  while (true) {
    index_t n_inverted = 0;
    index_t n_new = 0;
    Kokkos::parallel_reduce("tessera::mesh::mark_inverted", elements, mark, n_inverted, n_new);
    exec.fence();
    if (n_new == 0)
      break;
    any = true;
    straight.n_elements += n_inverted;
    straighten<ExecutionSpace, Dim>(exec, midpoints, n_vertices, Array<const std::uint8_t*, ExecutionSpace>(marked),
                                    fine.coordinates, straight);
  }
  if (!any)
    return;
  const auto marks = to_host(exec, marked);
  const auto nodes = to_host(exec, fine.curved.nodes);
  std::vector<index_t> kept;
  for (index_t f = 0; f < fine.curved.n_facets(); ++f) {
    bool is_straight = false;
    for (int a = 0; a < Dim; ++a)
      is_straight = is_straight || marks(nodes(f, a)) != 0;
    if (!is_straight)
      kept.push_back(f);
  }
  const Array<const index_t*, ExecutionSpace> rows = uploaded(exec, "mesh::kept_curved_facets", kept);
  fine.curved.nodes = gather_rows(exec, fine.curved.nodes, rows);
  fine.curved.patch = gather_rows(exec, fine.curved.patch, rows);
  fine.curved.position = gather_rows(exec, fine.curved.position, rows);
  keep_alive(exec, rows);
}

#define TESSERA_INSTANTIATE_DIM(SPACE, DIM)                                                                            \
  template void straighten<SPACE, DIM>(const SPACE&, const EdgeMidpoints<SPACE::memory_space>&, index_t,               \
                                       const Array<const std::uint8_t*, SPACE>&, const Array<double* [DIM], SPACE>&,   \
                                       StraightEdges&);                                                                \
  template void unfold<SPACE, DIM>(const SPACE&, const EdgeMidpoints<SPACE::memory_space>&, index_t,                   \
                                   Mesh<DIM, SPACE::memory_space>&, StraightEdges&);
#define TESSERA_INSTANTIATE(SPACE) TESSERA_INSTANTIATE_DIM(SPACE, 2) TESSERA_INSTANTIATE_DIM(SPACE, 3)
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)

} // namespace tessera::mesh
