// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/error.hpp"
#include "solvers/krylov/pcg.hpp"
#include "solvers/multigrid/aggregation.hpp"
#include "solvers/multigrid/multigrid.hpp"
#include "support/matrices.hpp"
#include "support/spaces.hpp"

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>

using namespace tessera;
using solvers::MultigridOptions;

namespace {

MultigridOptions with(Precision precision, index_t coarsest = 30) {
  MultigridOptions options;
  options.precision = precision;
  options.coarsest_size = coarsest;
  return options;
}

template <class ExecutionSpace>
std::vector<double> apply(const ExecutionSpace& exec, const solvers::Multigrid<ExecutionSpace>& m,
                          const std::vector<double>& r) {
  const auto z = make_filled<linalg::Vector<ExecutionSpace>>(exec, "test", r.size(), -1.);
  m.apply(exec, test::vector_on(exec, r), z);
  return test::values_of(exec, z);
}

double dot(const std::vector<double>& x, const std::vector<double>& y) {
  return std::inner_product(x.begin(), x.end(), y.begin(), 0.);
}

template <class ExecutionSpace> int iterations(const ExecutionSpace& exec, const test::Rows& rows) {
  const auto a = test::operator_on(exec, rows);
  const solvers::Multigrid<ExecutionSpace> m(exec, a.matrix());
  solvers::PcgOptions options;
  options.relative_tolerance = 1e-8;
  const auto n = static_cast<index_t>(rows.size());
  const auto x = make_filled<linalg::Vector<ExecutionSpace>>(exec, "test", n, 0.);
  const auto b = test::vector_on(exec, test::random_vector(n, 3));
  const solvers::PcgResult result = solvers::Pcg<ExecutionSpace>(options).solve(exec, a, m, b, x);
  REQUIRE(result.status == solvers::SolverStatus::converged);
  return result.iterations;
}

/// The Laplacian with a coefficient that jumps between squares of 8 x 8 points.
test::Rows jumping(index_t n, double jump) {
  test::Rows rows = test::laplacian(n, n);
  const auto coefficient = [&](index_t i) { return ((i % n) / 8 + (i / n) / 8) % 2 == 0 ? 1. : jump; };
  for (index_t i = 0; i < n * n; ++i) {
    double sum = 0.;
    for (auto& entry : rows[static_cast<std::size_t>(i)])
      if (entry.first != i) {
        entry.second = -2. / (1. / coefficient(i) + 1. / coefficient(entry.first));
        sum -= entry.second;
      }
    rows[static_cast<std::size_t>(i)][i] =
        sum + (4. - static_cast<double>(rows[static_cast<std::size_t>(i)].size() - 1)) * coefficient(i);
  }
  return rows;
}

/// The Laplacian with zero values at bottom and top, and opposite values at the left and right sides.
test::Rows antiperiodic(index_t n) {
  test::Rows rows = test::laplacian(n, n);
  for (index_t y = 0; y < n; ++y)
    rows[static_cast<std::size_t>(y * n)][y * n + n - 1] = rows[static_cast<std::size_t>(y * n + n - 1)][y * n] = 1.;
  return rows;
}

} // namespace

TEMPLATE_LIST_TEST_CASE("Aggregates are connected, leave out none but lone unknowns, and are the same on all spaces",
                        "[solvers][device]", test::ExecutionSpaces) {
  const TestType exec;
  const Kokkos::DefaultHostExecutionSpace host;
  test::Rows rows = test::laplacian(37, 23);
  rows.push_back({{static_cast<index_t>(rows.size()), 2.}}); // not coupled
  const auto n = static_cast<index_t>(rows.size());
  const auto aggregates_on = [&](const auto& space) {
    using Space = std::decay_t<decltype(space)>;
    return solvers::make_aggregates<Space>(space, {}, test::crs_on(space, rows), comm::Layout<Space>::local(n), 0.08);
  };
  const auto aggregates = aggregates_on(exec);
  const auto n_aggregates = static_cast<index_t>(aggregates.offsets.back());
  const auto of = to_host(exec, aggregates.aggregate_of);
  REQUIRE(of(n - 1) == -1);
  REQUIRE(n_aggregates < n / 4);
  std::vector<std::vector<index_t>> members(static_cast<std::size_t>(n_aggregates));
  for (index_t i = 0; i + 1 < n; ++i) {
    REQUIRE(of(i) >= 0);
    members[static_cast<std::size_t>(of(i))].push_back(i);
  }
  for (const auto& member : members) {
    REQUIRE(!member.empty());
    std::vector<index_t> reached{member[0]};
    for (std::size_t k = 0; k < reached.size(); ++k)
      for (const auto& entry : rows[static_cast<std::size_t>(reached[k])])
        if (of(entry.first) == of(member[0]) && std::find(reached.begin(), reached.end(), entry.first) == reached.end())
          reached.push_back(entry.first);
    REQUIRE(reached.size() == member.size());
  }
  const auto on_host = aggregates_on(host);
  REQUIRE(on_host.offsets == aggregates.offsets);
  for (index_t i = 0; i < n; ++i)
    REQUIRE(of(i) == on_host.aggregate_of(i));
}

// Upwinding couples an unknown to its upstream neighbour, but not vice versa.
TEMPLATE_LIST_TEST_CASE("No aggregate is empty where couplings go one way", "[solvers][device]",
                        test::ExecutionSpaces) {
  const TestType exec;
  test::Rows rows = test::laplacian(37, 23);
  for (index_t i = 0; i < static_cast<index_t>(rows.size()); ++i)
    for (auto& [column, value] : rows[static_cast<std::size_t>(i)])
      value = column > i ? 1e-6 * value : value;
  const auto n = static_cast<index_t>(rows.size());
  const auto aggregates =
      solvers::make_aggregates<TestType>(exec, {}, test::crs_on(exec, rows), comm::Layout<TestType>::local(n), 0.08);
  const auto of = to_host(exec, aggregates.aggregate_of);
  std::vector<int> n_members(static_cast<std::size_t>(aggregates.offsets.back()), 0);
  for (index_t i = 0; i < n; ++i)
    if (of(i) >= 0)
      ++n_members[static_cast<std::size_t>(of(i))];
  CHECK(std::count(n_members.begin(), n_members.end(), 0) == 0);
}

TEMPLATE_LIST_TEST_CASE("A cycle is symmetric and positive definite, and has equal bits on all spaces",
                        "[solvers][device]", test::ExecutionSpaces) {
  const TestType exec;
  const Kokkos::DefaultHostExecutionSpace host;
  const test::Rows rows = jumping(40, 100.);
  const auto n = static_cast<index_t>(rows.size());
  for (const auto cycle : {solvers::MultigridCycle::automatic, solvers::MultigridCycle::V, solvers::MultigridCycle::W})
    for (const auto precision : {Precision::double_precision, Precision::single_precision})
      for (const int degree : {1, 2, 3}) {
        CAPTURE(static_cast<int>(cycle), static_cast<int>(precision), degree);
        MultigridOptions options = with(precision);
        options.cycle = cycle;
        options.degree = degree;
        const solvers::Multigrid<TestType> m(exec, test::crs_on(exec, rows), {}, options);
        REQUIRE(m.levels().size() >= 3);
        const std::vector<double> x = test::random_vector(n, 1);
        const std::vector<double> y = test::random_vector(n, 2);
        const std::vector<double> mx = apply(exec, m, x);
        const std::vector<double> my = apply(exec, m, y);
        // Rounding of some hundred operations per entry.
        const double rounding = precision == Precision::double_precision ? 1e-13 : 1e-5;
        REQUIRE(std::abs(dot(x, my) - dot(y, mx)) <= rounding * std::sqrt(dot(x, mx) * dot(y, my)));
        REQUIRE(dot(x, mx) > 0.);
        REQUIRE(dot(y, my) > 0.);
        const solvers::Multigrid<Kokkos::DefaultHostExecutionSpace> on_host(host, test::crs_on(host, rows), {},
                                                                            options);
        REQUIRE(apply(host, on_host, x) == mx);
      }
}

TEMPLATE_LIST_TEST_CASE("Iterations grow little with the size and with jumps of the coefficient", "[solvers][device]",
                        test::ExecutionSpaces) {
  const TestType exec;
  const int small = iterations(exec, test::laplacian(60, 60));
  const int large = iterations(exec, test::laplacian(240, 240));
  CAPTURE(small, large);
  REQUIRE(small <= 14);
  REQUIRE(large <= small + 4);
  REQUIRE(iterations(exec, jumping(120, 1e6)) <= 24); // squares that touch at corners are the hardest jumps
}

TEMPLATE_LIST_TEST_CASE("Aggregates across an antiperiodic boundary have signs", "[solvers][multigrid][device]",
                        test::ExecutionSpaces) {
  const TestType exec;
  const int small = iterations(exec, antiperiodic(60));
  const int large = iterations(exec, antiperiodic(240));
  CAPTURE(small, large); // without signs, four times as many points per side would double the iterations
  CHECK(small <= 14);
  CHECK(large <= small + 4);
  const auto signs_of = [&](const test::Rows& rows) {
    const auto a = test::crs_on(exec, rows);
    const auto n = static_cast<index_t>(rows.size());
    return solvers::make_aggregates<TestType>(exec, {}, a, comm::Layout<TestType>::local(n), 0.08).sign.extent(0);
  };
  CHECK(signs_of(antiperiodic(12)) == 144);
  CHECK(signs_of(test::laplacian(12, 12)) == 0);
}

// Stars of a centre and k other unknowns with positive couplings a: eigenvalues up to 1 + a sqrt(k), row sums up to 1 +
// a k, and weighted by themselves up to 1 + a k (1 + a) / (1 + a k).
TEMPLATE_LIST_TEST_CASE("Large row sums are weighted, so that they bound the eigenvalues more closely",
                        "[solvers][multigrid][device]", test::ExecutionSpaces) {
  const TestType exec;
  constexpr index_t n_others = 8;
  constexpr double coupling = 0.25;
  const auto bound_of = [&](const test::Rows& rows) {
    MultigridOptions options;
    options.coarsest_size = 1000; // one level
    const auto n = static_cast<index_t>(rows.size());
    const auto levels = solvers::make_hierarchy<TestType>(
        exec, {}, {test::crs_on(exec, rows), {0, n}, comm::Layout<TestType>::local(n)}, {}, options);
    REQUIRE(levels.size() == 1);
    return levels[0].eigenvalue_bound;
  };
  const auto stars = [&](double scale) {
    test::Rows rows;
    for (index_t star = 0; star < 20; ++star)
      for (index_t k = 0; k <= n_others; ++k) {
        const index_t centre = star * (n_others + 1);
        rows.emplace_back();
        rows.back()[centre + k] = scale;
        for (index_t other = k == 0 ? 1 : 0; other <= (k == 0 ? n_others : 0); ++other)
          rows.back()[centre + other] = scale * coupling;
      }
    return rows;
  };
  const double sum = coupling * n_others;
  const double bound = bound_of(stars(1.));
  CHECK(std::abs(bound - (1. + sum * (1. + coupling) / (1. + sum))) < 1e-14);
  CHECK(bound >= 1. + coupling * std::sqrt(static_cast<double>(n_others)));
  CHECK(bound_of(stars(4.)) == bound);
  CHECK(bound_of(test::laplacian(20, 20)) == 2.); // unchanged
}

TEMPLATE_LIST_TEST_CASE("Levels are renewed with the values of the matrix", "[solvers][device]",
                        test::ExecutionSpaces) {
  const TestType exec;
  const auto options = with(Precision::double_precision);
  const auto matrix = test::crs_on(exec, test::laplacian(30, 30));
  solvers::Multigrid<TestType> kept(exec, matrix, {}, options);
  const std::vector<double> r = test::random_vector(900, 2);
  const std::vector<double> before = apply(exec, kept, r);
  test::Rows rows = test::laplacian(30, 30);
  for (auto& row : rows)
    for (auto& entry : row)
      entry.second *= 4.;
  Kokkos::deep_copy(exec, matrix.values, test::crs_on(exec, rows).values);
  kept.renew(exec, matrix);
  std::vector<double> after = apply(exec, kept, r);
  for (double& value : after)
    value *= 4.; // a power of two: the same bits
  REQUIRE(after == before);
}

TEMPLATE_LIST_TEST_CASE("Matrices that multigrid cannot take are reported", "[solvers]", test::ExecutionSpaces) {
  const TestType exec;
  const auto make = [&](const test::Rows& rows) {
    solvers::Multigrid<TestType>(exec, test::crs_on(exec, rows), {}, with(Precision::double_precision));
  };
  test::Rows negative = test::laplacian(20, 20);
  negative[7][7] = -1.;
  try {
    make(negative);
    FAIL("no error");
  } catch (const Error& error) {
    REQUIRE(error.exit_code() == 2);
    REQUIRE(std::string(error.what()).find("unknown 7 on level 0") != std::string::npos);
  }
  test::Rows apart(3000);
  for (index_t i = 0; i < 3000; ++i)
    apart[static_cast<std::size_t>(i)][i] = 1.;
  try {
    make(apart);
    FAIL("no error");
  } catch (const Error& error) {
    REQUIRE(error.exit_code() == 2);
    REQUIRE(std::string(error.what()).find("gets no coarser") != std::string::npos);
  }
}
