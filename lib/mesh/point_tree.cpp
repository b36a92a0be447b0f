// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "mesh/point_tree.hpp"

#include "core/algorithms/sort.hpp"
#include "core/error.hpp"
#include "core/keep_alive.hpp"

#include <algorithm>
#include <limits>

namespace tessera::mesh {

namespace {

template <int Dim, class Space> struct PointKeys {
  MortonCurve<Dim> curve;
  Array<const double* [3], Space> points;
  Array<std::uint64_t*, Space> keys;
  Array<index_t*, Space> numbers;
  KOKKOS_FUNCTION void operator()(index_t i) const {
    double point[Dim];
    for (int d = 0; d < Dim; ++d)
      point[d] = points(i, d);
    keys(i) = curve(point);
    numbers(i) = i;
  }
};

/// Copies the points in their new order, and computes the boxes of the leaves.
template <class Tree, int Dim, class Space> struct MakeLeaves {
  Tree tree;
  Array<const double* [3], Space> given;
  KOKKOS_FUNCTION void operator()(index_t leaf) const {
    constexpr double largest = std::numeric_limits<double>::max();
    typename Tree::Box box;
    for (int d = 0; d < Dim; ++d) {
      box.low[d] = largest;
      box.high[d] = -largest;
    }
    const typename Tree::Node node{0, leaf};
    for (index_t i = tree.first_point(node); i < tree.end_point(node); ++i)
      for (int d = 0; d < Dim; ++d) {
        const double x = given(tree.numbers(i), d);
        tree.points(i, d) = x;
        box.low[d] = x < box.low[d] ? x : box.low[d];
        box.high[d] = x > box.high[d] ? x : box.high[d];
      }
    tree.boxes(leaf) = box;
  }
};

/// Computes the boxes of a level from those of the level below.
template <class Tree, int Dim> struct MakeNodes {
  Tree tree;
  int level;
  KOKKOS_FUNCTION void operator()(index_t number) const {
    const index_t first = number * Tree::n_branches;
    const index_t n_below = tree.level_size[level - 1];
    const index_t end = n_below - first < Tree::n_branches ? n_below : first + Tree::n_branches;
    typename Tree::Box box = tree.boxes(tree.level_begin[level - 1] + first);
    for (index_t i = first + 1; i < end; ++i) {
      const typename Tree::Box& other = tree.boxes(tree.level_begin[level - 1] + i);
      for (int d = 0; d < Dim; ++d) {
        box.low[d] = other.low[d] < box.low[d] ? other.low[d] : box.low[d];
        box.high[d] = other.high[d] > box.high[d] ? other.high[d] : box.high[d];
      }
    }
    tree.boxes(tree.level_begin[level] + number) = box;
  }
};

template <int Dim> MortonCurve<Dim> curve_through(const std::vector<std::array<double, 3>>& points) {
  MortonCurve<Dim> curve{};
  double extent = 0.;
  for (int d = 0; d < Dim; ++d) {
    double highest = points.front()[d];
    curve.lower[d] = points.front()[d];
    for (const auto& point : points) {
      curve.lower[d] = std::min(curve.lower[d], point[d]);
      highest = std::max(highest, point[d]);
    }
    extent = std::max(extent, highest - curve.lower[d]);
  }
  curve.scale = extent > 0. ? (1 << curve_bits<Dim>) / extent : 0.;
  return curve;
}

} // namespace

template <class ExecutionSpace, int Dim>
PointTree<Dim, typename ExecutionSpace::memory_space>
make_point_tree(const ExecutionSpace& exec, const std::vector<std::array<double, 3>>& points) {
  using Space = typename ExecutionSpace::memory_space;
  using Tree = PointTree<Dim, Space>;
  Tree tree;
  if (points.empty())
    return tree;
  const index_t n = checked_index(static_cast<std::int64_t>(points.size()), "points");
  const auto given = make_array<Array<double* [3], Space>>(exec, "mesh::given_points", n);
  const Kokkos::View<const double* [3], Kokkos::LayoutRight, HostMemory, Kokkos::MemoryTraits<Kokkos::Unmanaged>> host(
      points.front().data(), n);
  copy(exec, given, host);
  tree.points = make_array<Array<double* [Dim], Space>>(exec, "mesh::tree_points", n);
  tree.numbers = make_array<Array<index_t*, Space>>(exec, "mesh::tree_numbers", n);
  const auto keys = make_array<Array<std::uint64_t*, Space>>(exec, "mesh::curve_keys", n);
  for_each("tessera::mesh::point_keys", exec, n,
           PointKeys<Dim, Space>{curve_through<Dim>(points), given, keys, tree.numbers});
  sort_by_key(exec, keys, tree.numbers, n, Dim * curve_bits<Dim>);

  index_t n_boxes = 0;
  for (index_t size = n; tree.n_levels == 0 || size > 1; ++tree.n_levels) {
    size = (size - 1) / Tree::n_branches + 1;
    tree.level_begin[tree.n_levels] = n_boxes;
    tree.level_size[tree.n_levels] = size;
    n_boxes += size;
  }
  tree.boxes = make_array<Array<typename Tree::Box*, Space>>(exec, "mesh::tree_boxes", n_boxes);
  for_each("tessera::mesh::tree_leaves", exec, tree.level_size[0], MakeLeaves<Tree, Dim, Space>{tree, given});
  for (int level = 1; level < tree.n_levels; ++level)
    for_each("tessera::mesh::tree_nodes", exec, tree.level_size[level], MakeNodes<Tree, Dim>{tree, level});
  keep_alive(exec, given, keys);
  return tree;
}

#define TESSERA_INSTANTIATE(SPACE)                                                                                     \
  template PointTree<2, typename SPACE::memory_space> make_point_tree<SPACE, 2>(                                       \
      const SPACE&, const std::vector<std::array<double, 3>>&);                                                        \
  template PointTree<3, typename SPACE::memory_space> make_point_tree<SPACE, 3>(                                       \
      const SPACE&, const std::vector<std::array<double, 3>>&);
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)

} // namespace tessera::mesh
