// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "solvers/multigrid/aggregation.hpp"
#include "support/matrices.hpp"
#include "support/spaces.hpp"

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cmath>

using namespace tessera;

namespace {

constexpr index_t n_rows = 301;
constexpr double threshold = 0.08;

/// Scales other than the diagonal, and every kind of row.
double scale_of(index_t i) { return 3. + i % 5; }
index_t kind_of(index_t i) {
  return i % 7 == 0 ? solvers::strong_positive : i % 7 == 3 ? solvers::opposite_positive : solvers::weak_positive;
}

/// Rows with up to `width(i)` off-diagonal entries on both sides, some of them weak.
template <class Width> test::Rows band(const Width& width) {
  test::Rows rows(n_rows);
  const auto random = test::random_vector(n_rows * 200, 7);
  std::size_t next = 0;
  for (index_t i = 0; i < n_rows; ++i) {
    const index_t w = width(i);
    for (index_t j = std::max(i - w, 0); j <= std::min(i + w, n_rows - 1); ++j)
      rows[static_cast<std::size_t>(i)][j] = random[next++];
    rows[static_cast<std::size_t>(i)][i] = 4. + random[next++];
  }
  return rows;
}

/// Aggregate of vertex j among `n_aggregates`, in a scrambled order; some vertices belong to none.
index_t aggregate_of(index_t j, index_t n_aggregates) { return j % 11 == 5 ? -1 : j / 2 * 37 % n_aggregates; }

/// The sums that aggregation.hpp documents, each accumulated from zero in the order of the row's entries.
test::Rows expected(const test::Rows& a, index_t n_aggregates) {
  std::vector<double> filtered(a.size());
  double largest = 1.;
  const auto is_kept = [&](index_t i, index_t j, double a_ij) {
    return j == i || (solvers::is_strong(a_ij, scale_of(i), scale_of(i), threshold) &&
                      (a_ij < 0. || kind_of(i) != solvers::weak_positive));
  };
  for (std::size_t row = 0; row < a.size(); ++row) {
    const auto i = static_cast<index_t>(row);
    double kept = 0.;
    for (const auto& [j, a_ij] : a[row])
      (j == i || !is_kept(i, j, a_ij) ? filtered[row] : kept) += j == i || !is_kept(i, j, a_ij) ? a_ij : std::abs(a_ij);
    if (!(filtered[row] > 0.1 * a[row].at(i)))
      filtered[row] = a[row].at(i);
    largest = std::max(largest, 1. + kept / filtered[row]);
  }
  const double omega = 1.6 / largest;
  test::Rows p(a.size());
  for (std::size_t row = 0; row < a.size(); ++row) {
    const auto i = static_cast<index_t>(row);
    const double factor = omega / filtered[row];
    for (const auto& [j, a_ij] : a[row])
      if (is_kept(i, j, a_ij) && aggregate_of(j, n_aggregates) >= 0)
        p[row][aggregate_of(j, n_aggregates)] += j == i ? 1. - omega : -factor * a_ij;
  }
  return p;
}

template <class ExecutionSpace> void check(const ExecutionSpace& exec, const test::Rows& rows, index_t n_aggregates) {
  using Space = typename ExecutionSpace::memory_space;
  CAPTURE(n_aggregates, rows[n_rows / 2].size());
  std::vector<double> diagonal;
  std::vector<double> scale;
  std::vector<index_t> of;
  std::vector<index_t> kinds;
  for (index_t i = 0; i < n_rows; ++i) {
    diagonal.push_back(rows[static_cast<std::size_t>(i)].at(i));
    of.push_back(aggregate_of(i, n_aggregates));
    scale.push_back(scale_of(i));
    kinds.push_back(kind_of(i));
  }
  const solvers::Aggregates<Space> aggregates{test::to_space<Array<index_t*, Space>>(exec, of),
                                              {0, n_aggregates},
                                              {},
                                              test::to_space<Array<index_t*, Space>>(exec, kinds),
                                              test::to_space<Array<double*, Space>>(exec, scale)};
  const auto p = solvers::smoothed_prolongation<ExecutionSpace>(exec, {}, test::crs_on(exec, rows),
                                                                comm::Layout<ExecutionSpace>::local(n_rows),
                                                                test::vector_on(exec, diagonal), aggregates, threshold);
  const auto offsets = to_host(exec, p.offsets);
  const auto columns = to_host(exec, p.columns);
  const auto values = to_host(exec, p.values);
  const test::Rows known = expected(rows, n_aggregates);
  for (index_t i = 0; i < n_rows; ++i) {
    CAPTURE(i);
    offset_t k = offsets(i);
    REQUIRE(offsets(i + 1) - k == static_cast<offset_t>(known[static_cast<std::size_t>(i)].size()));
    for (const auto& [column, value] : known[static_cast<std::size_t>(i)]) {
      REQUIRE(columns(k) == column);
      REQUIRE(values(k) == value); // the same operations in the same order
      ++k;
    }
  }
}

} // namespace

// Row lengths for each kernel of devices: up to 8 and 12 entries by a thread, up to 16, 32 and more by several, with an
// accumulator of 16 columns.
TEMPLATE_LIST_TEST_CASE("Rows of a smoothed prolongation have the sums of their entries in order", "[solvers][device]",
                        test::ExecutionSpaces) {
  const TestType exec;
  for (const index_t n_aggregates : {7, 60})
    for (const index_t width : {0, 2, 4, 7, 15, 40})
      check(exec, band([&](index_t) { return width; }), n_aggregates);
  check(exec, band([](index_t i) { return i % 9; }), 60); // 8.8 entries of a row, one with 17
  check(exec, band([](index_t i) { return i % 23; }), 60);
}
