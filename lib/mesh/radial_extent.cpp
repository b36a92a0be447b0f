// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "mesh/radial_extent.hpp"

#include "core/algorithms/reduce.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tessera::mesh {

namespace {

enum class Figure { distance, opposite_distance, angle };

template <int Dim> KOKKOS_INLINE_FUNCTION double product(const double (&a)[Dim], const double (&b)[Dim]) {
  double sum = 0.;
  for (int d = 0; d < Dim; ++d)
    sum += a[d] * b[d];
  return sum;
}

/// Length of the cross product, by Lagrange's identity in components: accurate for small angles.
template <int Dim> KOKKOS_INLINE_FUNCTION double cross_length(const double (&a)[Dim], const double (&b)[Dim]) {
  double sum = 0.;
  for (int d = 0; d < Dim; ++d)
    for (int e = d + 1; e < Dim; ++e) {
      const double minor = a[d] * b[e] - a[e] * b[d];
      sum += minor * minor;
    }
  return std::sqrt(sum);
}

template <int Dim> KOKKOS_INLINE_FUNCTION double angle_between(const double (&a)[Dim], const double (&b)[Dim]) {
  return std::atan2(cross_length(a, b), product(a, b));
}

/// Largest value of a quantity over the corners and edges of each simplex (edge, triangle or tetrahedron: N nodes) of a
/// group.
template <Figure what, int N, int Dim, class Space> struct LargestFigure {
  Array<const index_t* [N], Space> simplices;
  Array<const group_t*, Space> groups;
  Array<const double* [Dim], Space> coordinates;
  group_t group;
  double center[Dim];

  KOKKOS_FUNCTION void operator()(std::int64_t i, double& largest) const {
    if (groups(i) != group)
      return;
    double x[N][Dim];
    for (int k = 0; k < N; ++k)
      for (int d = 0; d < Dim; ++d)
        x[k][d] = coordinates(simplices(i, k), d) - center[d];
    for (int k = 0; k < N; ++k) {
      if (what != Figure::angle) {
        const double distance = std::sqrt(product(x[k], x[k]));
        const double value = what == Figure::distance ? distance : -distance;
        largest = value > largest ? value : largest;
        continue;
      }
      for (int other = k + 1; other < N; ++other) {
        const double angle = angle_between(x[k], x[other]);
        largest = angle > largest ? angle : largest;
      }
    }
  }
};

/// Length of the edges, area of the triangles or volume of the tetrahedra of a group.
template <int N, int Dim, class Space> struct SumSize {
  Array<const index_t* [N], Space> simplices;
  Array<const group_t*, Space> groups;
  Array<const double* [Dim], Space> coordinates;
  group_t group;
  KOKKOS_FUNCTION void operator()(std::int64_t i, double (&term)[1]) const {
    term[0] = 0.;
    if (groups(i) != group)
      return;
    double edge[N - 1][Dim];
    for (int k = 0; k < N - 1; ++k)
      for (int d = 0; d < Dim; ++d)
        edge[k][d] = coordinates(simplices(i, k + 1), d) - coordinates(simplices(i, 0), d);
    if constexpr (N == 2)
      term[0] = std::sqrt(product(edge[0], edge[0]));
    else if constexpr (N == 3)
      term[0] = 0.5 * cross_length(edge[0], edge[1]);
    else
      term[0] = std::fabs(edge[0][0] * (edge[1][1] * edge[2][2] - edge[1][2] * edge[2][1]) +
                          edge[0][1] * (edge[1][2] * edge[2][0] - edge[1][0] * edge[2][2]) +
                          edge[0][2] * (edge[1][0] * edge[2][1] - edge[1][1] * edge[2][0])) /
                6.;
  }
};

template <int N, int Dim, class ExecutionSpace, class Simplices, class Groups>
RadialExtent extent(const ExecutionSpace& exec, const Simplices& simplices, const Groups& groups,
                    const Array<double* [Dim], ExecutionSpace>& coordinates, group_t group,
                    const std::array<double, Dim>& center) {
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
  const auto about = [&](auto functor) {
    std::copy(center.begin(), center.end(), functor.center);
    return functor;
  };
  RadialExtent result;
  if (n == 0)
    return result;
  const double farthest =
      largest(about(LargestFigure<Figure::distance, N, Dim, Space>{simplices, groups, coordinates, group, {}}));
  result.is_empty = !(farthest >= 0.);
  if (result.is_empty)
    return result;
  result.largest = farthest;
  result.smallest = -largest(
      about(LargestFigure<Figure::opposite_distance, N, Dim, Space>{simplices, groups, coordinates, group, {}}));
  result.angle = largest(about(LargestFigure<Figure::angle, N, Dim, Space>{simplices, groups, coordinates, group, {}}));
  result.measure = ordered_sum("tessera::mesh::radial_measure", exec, n,
                               SumSize<N, Dim, Space>{simplices, groups, coordinates, group});
  return result;
}

} // namespace

template <class ExecutionSpace, int Dim>
RadialExtent region_extent(const ExecutionSpace& exec, const Mesh<Dim, typename ExecutionSpace::memory_space>& mesh,
                           group_t region, const std::array<double, Dim>& center) {
  return extent<Dim + 1, Dim>(exec, mesh.elements, mesh.regions, mesh.coordinates, region, center);
}

template <class ExecutionSpace, int Dim>
RadialExtent boundary_extent(const ExecutionSpace& exec, const Mesh<Dim, typename ExecutionSpace::memory_space>& mesh,
                             group_t boundary, const std::array<double, Dim>& center) {
  return extent<Dim, Dim>(exec, mesh.facets, mesh.facet_groups, mesh.coordinates, boundary, center);
}

#define TESSERA_INSTANTIATE_DIM(Space, Dim)                                                                            \
  template RadialExtent region_extent<Space, Dim>(const Space&, const Mesh<Dim, Space::memory_space>&, group_t,        \
                                                  const std::array<double, Dim>&);                                     \
  template RadialExtent boundary_extent<Space, Dim>(const Space&, const Mesh<Dim, Space::memory_space>&, group_t,      \
                                                    const std::array<double, Dim>&);
#define TESSERA_INSTANTIATE(Space)                                                                                     \
  TESSERA_INSTANTIATE_DIM(Space, 2)                                                                                    \
  TESSERA_INSTANTIATE_DIM(Space, 3)
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE

} // namespace tessera::mesh
