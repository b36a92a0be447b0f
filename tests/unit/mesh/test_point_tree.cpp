// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "mesh/point_tree.hpp"
#include "support/spaces.hpp"

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>

#include <cmath>
#include <limits>
#include <random>
#include <string>

namespace tessera::test {

namespace {

using Points = std::vector<std::array<double, 3>>;

double uniform(std::mt19937& random) { return static_cast<double>(random() >> 5) / 134217728.; }

Points cloud(int n, unsigned seed, double size = 1.) {
  std::mt19937 random(seed);
  Points points(n);
  for (auto& point : points)
    for (double& x : point)
      x = size * uniform(random);
  return points;
}

Points line(int n) {
  Points points;
  for (int i = 0; i < n; ++i)
    points.push_back({0.1 + 0.8 * i / n, 0.9 - 0.7 * i / n, 0.5 * i / n});
  return points;
}

/// Most of the points within a thousandth of the total extent.
Points clustered(int n) {
  Points points = cloud(n, 3, 1e-3);
  for (const auto& point : cloud(n / 100 + 1, 4))
    points.push_back(point);
  return points;
}

/// The tree's arrays on the host.
template <int Dim, class Space> mesh::PointTree<Dim, HostMemory> on_host(const mesh::PointTree<Dim, Space>& tree) {
  mesh::PointTree<Dim, HostMemory> host;
  host.points = Kokkos::create_mirror_view_and_copy(HostMemory(), tree.points);
  host.numbers = Kokkos::create_mirror_view_and_copy(HostMemory(), tree.numbers);
  const auto boxes = Kokkos::create_mirror_view(HostMemory(), tree.boxes);
  Kokkos::deep_copy(boxes, tree.boxes);
  host.boxes = decltype(host.boxes)("tessera::test::boxes", boxes.extent(0));
  for (std::size_t i = 0; i < boxes.extent(0); ++i)
    for (int d = 0; d < Dim; ++d) {
      host.boxes(i).low[d] = boxes(i).low[d];
      host.boxes(i).high[d] = boxes(i).high[d];
    }
  for (int level = 0; level < tree.max_levels; ++level) {
    host.level_begin[level] = tree.level_begin[level];
    host.level_size[level] = tree.level_size[level];
  }
  host.n_levels = tree.n_levels;
  return host;
}

template <int Dim>
bool lies_in(const std::array<double, 3>& point, const double (&low)[Dim], const double (&high)[Dim]) {
  bool inside = true;
  for (int d = 0; d < Dim; ++d)
    inside = inside && point[d] >= low[d] && point[d] <= high[d];
  return inside;
}

/// Number of times that a search finds each of the points in a box.
template <int Dim>
std::vector<int> search(const mesh::PointTree<Dim, HostMemory>& tree, const Points& points, const double (&low)[Dim],
                        const double (&high)[Dim]) {
  std::vector<int> times(points.size(), 0);
  for (auto node = tree.begin(); tree.next_leaf(node, low, high);)
    for (index_t i = tree.first_point(node); i < tree.end_point(node); ++i)
      if (lies_in<Dim>(points[tree.numbers(i)], low, high))
        ++times[tree.numbers(i)];
  return times;
}

template <int Dim, class ExecutionSpace>
void check(const ExecutionSpace& exec, const std::string& name, const Points& points) {
  INFO(name << ", " << points.size() << " points, " << Dim << "D");
  const auto tree = on_host<Dim>(mesh::make_point_tree<ExecutionSpace, Dim>(exec, points));
  std::mt19937 random(7);
  for (int trial = 0; trial < 60; ++trial) {
    double low[Dim];
    double high[Dim];
    const auto& center = points[random() % points.size()];
    for (int d = 0; d < Dim; ++d) { // some have a point on their boundary
      const double size = trial % 3 == 0 ? 1e-4 : 0.3;
      low[d] = trial % 2 == 0 ? center[d] - size * uniform(random) : center[d];
      high[d] = trial % 4 == 2 ? center[d] : low[d] + size * uniform(random);
    }
    const std::vector<int> times = search<Dim>(tree, points, low, high);
    bool right = true;
    for (std::size_t i = 0; i < points.size(); ++i)
      right = right && times[i] == (lies_in<Dim>(points[i], low, high) ? 1 : 0);
    CHECK(right);
  }
}

} // namespace

TEMPLATE_LIST_TEST_CASE("A search tree finds just the points in a box, each once", "[mesh][device]", ExecutionSpaces) {
  const TestType exec;
  for (const int n : {1, 2, 7, 8, 9, 63, 64, 65, 513, 5000}) {
    check<2>(exec, "cloud", cloud(n, 1));
    check<3>(exec, "cloud", cloud(n, 2));
    check<2>(exec, "line", line(n));
    check<3>(exec, "line", line(n));
  }
  check<2>(exec, "clustered", clustered(3000));
  check<3>(exec, "clustered", clustered(3000));
  check<2>(exec, "one place", Points(1000, {0.25, 0.5, 0.}));
  Points with_gaps = cloud(100, 5);
  with_gaps[17] = {std::numeric_limits<double>::quiet_NaN(), 0.5, 0.5};
  with_gaps[55] = {0.5, std::numeric_limits<double>::infinity(), 0.5};
  check<2>(exec, "not finite", with_gaps);
}

TEMPLATE_LIST_TEST_CASE("A tree without points has no leaves", "[mesh]", ExecutionSpaces) {
  const auto tree = mesh::make_point_tree<TestType, 2>(TestType(), {});
  const double low[2] = {-1., -1.};
  const double high[2] = {1., 1.};
  auto node = tree.begin();
  CHECK_FALSE(tree.next_leaf(node, low, high));
}

// In a uniform grid, nearly all of these points would lie in one cell.
TEST_CASE("A search among clustered points visits few leaves", "[mesh]") {
  const Points points = clustered(100000);
  const auto tree = on_host<2>(mesh::make_point_tree<FirstSpace, 2>(FirstSpace(), points));
  int n_leaves = 0;
  for (int i = 0; i < 1000; ++i) {
    const auto& point = points[i * 97];
    const double low[2] = {point[0], point[1]};
    const double high[2] = {point[0] + 1e-6, point[1] + 1e-6};
    for (auto node = tree.begin(); tree.next_leaf(node, low, high);)
      ++n_leaves;
  }
  INFO(n_leaves << " leaves in 1000 searches");
  CHECK(n_leaves < 5000);
  CHECK(n_leaves >= 1000);
}

} // namespace tessera::test
