// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "mesh/radial_extent.hpp"

#include "core/reduce.hpp"

#include <cmath>
#include <limits>

namespace tessera::mesh {

namespace {

enum class Figure { distance, opposite_distance, angle };

/// Largest value of one figure over the corners and edges of each simplex (triangle or edge, N nodes) of a group.
template <Figure what, int N, class Space> struct LargestFigure {
  ConstArray<const index_t* [N], Space> simplices;
  ConstArray<const group_t*, Space> groups;
  ConstArray<const double* [2], Space> coordinates;
  group_t group;
  double center[2];

  KOKKOS_FUNCTION void operator()(std::int64_t i, double& largest) const {
    if (groups(i) != group)
      return;
    double x[N][2];
    for (int k = 0; k < N; ++k)
      for (int d = 0; d < 2; ++d)
        x[k][d] = coordinates(simplices(i, k), d) - center[d];
    for (int k = 0; k < N; ++k) {
      const int next = (k + 1) % N;
      const double distance = std::sqrt(x[k][0] * x[k][0] + x[k][1] * x[k][1]);
      double value = what == Figure::distance ? distance : -distance;
      if (what == Figure::angle)
        value = std::fabs(
            std::atan2(x[k][0] * x[next][1] - x[k][1] * x[next][0], x[k][0] * x[next][0] + x[k][1] * x[next][1]));
      largest = value > largest ? value : largest;
    }
  }
};

/// Area of the triangles, or length of the edges, of a group.
template <int N, class Space> struct SumSize {
  ConstArray<const index_t* [N], Space> simplices;
  ConstArray<const group_t*, Space> groups;
  ConstArray<const double* [2], Space> coordinates;
  group_t group;
  KOKKOS_FUNCTION void operator()(std::int64_t i, double (&term)[1]) const {
    term[0] = 0.;
    if (groups(i) != group)
      return;
    double edge[2][2];
    for (int k = 0; k < 2; ++k)
      for (int d = 0; d < 2; ++d)
        edge[k][d] = coordinates(simplices(i, (k + 1) % N), d) - coordinates(simplices(i, 0), d);
    term[0] = N == 2 ? std::sqrt(edge[0][0] * edge[0][0] + edge[0][1] * edge[0][1])
                     : 0.5 * std::fabs(edge[0][0] * edge[1][1] - edge[0][1] * edge[1][0]);
  }
};

template <int N, class ExecutionSpace, class Simplices, class Groups>
RadialExtent extent(const ExecutionSpace& exec, const Simplices& simplices, const Groups& groups,
                    const Array<double* [2], ExecutionSpace>& coordinates, group_t group,
                    const std::array<double, 2>& center) {
  using Space = typename ExecutionSpace::memory_space;
  const auto n = static_cast<std::int64_t>(groups.extent(0));
  constexpr double none = -std::numeric_limits<double>::max();
  const auto largest = [&](const auto& functor) {
    double value = none;
    Kokkos::parallel_reduce("tessera::mesh::radial_extent",
                            Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<std::int64_t>>(exec, 0, n), functor,
                            Kokkos::Max<double>(value));
    return value;
  };
  const double x = center[0];
  const double y = center[1];
  RadialExtent result;
  if (n == 0)
    return result;
  const double farthest =
      largest(LargestFigure<Figure::distance, N, Space>{simplices, groups, coordinates, group, {x, y}});
  result.is_empty = !(farthest >= 0.);
  if (result.is_empty)
    return result;
  result.largest = farthest;
  result.smallest =
      -largest(LargestFigure<Figure::opposite_distance, N, Space>{simplices, groups, coordinates, group, {x, y}});
  result.angle = largest(LargestFigure<Figure::angle, N, Space>{simplices, groups, coordinates, group, {x, y}});
  result.measure =
      ordered_sum("tessera::mesh::radial_measure", exec, n, SumSize<N, Space>{simplices, groups, coordinates, group});
  return result;
}

} // namespace

template <class ExecutionSpace>
RadialExtent region_extent(const ExecutionSpace& exec, const Mesh<2, typename ExecutionSpace::memory_space>& mesh,
                           group_t region, const std::array<double, 2>& center) {
  return extent<3>(exec, mesh.elements, mesh.regions, mesh.coordinates, region, center);
}

template <class ExecutionSpace>
RadialExtent boundary_extent(const ExecutionSpace& exec, const Mesh<2, typename ExecutionSpace::memory_space>& mesh,
                             group_t boundary, const std::array<double, 2>& center) {
  return extent<2>(exec, mesh.facets, mesh.facet_groups, mesh.coordinates, boundary, center);
}

#define TESSERA_INSTANTIATE(Space)                                                                                     \
  template RadialExtent region_extent<Space>(const Space&, const Mesh<2, Space::memory_space>&, group_t,               \
                                             const std::array<double, 2>&);                                            \
  template RadialExtent boundary_extent<Space>(const Space&, const Mesh<2, Space::memory_space>&, group_t,             \
                                               const std::array<double, 2>&);
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE

} // namespace tessera::mesh
