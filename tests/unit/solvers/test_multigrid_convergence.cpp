// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

// Convergence of multigrid: two-level factors, iterations under refinement, jumps and anisotropy.

#include "core/error.hpp"
#include "grids.hpp"
#include "solve.hpp"
#include "solvers/multigrid/aggregation.hpp"
#include "solvers/multigrid/multigrid.hpp"
#include "support/spaces.hpp"

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <functional>

using namespace tessera;
using Catch::Matchers::ContainsSubstring;
using solvers::Multigrid;
using solvers::MultigridOptions;
using test::applied;
using test::bilinear;
using test::factor_of;
using test::finite_volumes;

namespace {

/// Iterations of conjugate gradients to 1e-8 for a random right-hand side.
template <class ExecutionSpace>
int iterations_of(const ExecutionSpace& exec, const test::Rows& rows, const MultigridOptions& options = {}) {
  const auto a = test::operator_on(exec, rows);
  const Multigrid<ExecutionSpace> m(exec, a.matrix(), {}, options);
  solvers::PcgOptions pcg_options;
  pcg_options.relative_tolerance = 1e-8;
  const auto x = test::vector_on(exec, std::vector<double>(rows.size(), 0.));
  const auto b = test::vector_on(exec, test::random_vector(static_cast<index_t>(rows.size()), 8));
  const auto result = solvers::Pcg<ExecutionSpace>(pcg_options).solve(exec, a, m, b, x);
  CHECK(result.status == solvers::SolverStatus::converged);
  return result.iterations;
}

} // namespace

TEMPLATE_LIST_TEST_CASE("Two levels have the factors of theory", "[solvers][multigrid]", test::ExecutionSpaces) {
  const TestType exec;
  const index_t n = 31;
  const test::Rows rows = test::laplacian(n, n);
  const auto a = test::crs_on(exec, rows);
  MultigridOptions options;
  options.precision = Precision::double_precision;
  options.coarsest_size = 300; // one coarser level

  SECTION("with given interpolation") {
    const Multigrid<TestType> m(exec, a, std::vector{bilinear(exec, n)}, options);
    REQUIRE(m.levels().size() == 2);
    CHECK(m.levels()[0].is_geometric);
    CHECK(m.levels()[1].n_unknowns == 225);
    const double factor = factor_of(exec, rows, m, 30);
    CHECK(factor < 0.1533); // by local Fourier analysis of this polynomial, stencil and interpolation
    CHECK(factor > 0.14);
  }
  SECTION("with smoothed aggregates") {
    const Multigrid<TestType> m(exec, a, {}, options);
    REQUIRE(m.levels().size() == 2);
    CHECK(!m.levels()[0].is_geometric);
    CHECK(factor_of(exec, rows, m, 30) < 0.35);
  }
  SECTION("and one alone is exact") {
    const test::Rows small = test::laplacian(15, 15);
    const Multigrid<TestType> m(exec, test::crs_on(exec, small), {}, options);
    REQUIRE(m.levels().size() == 1);
    CHECK(factor_of(exec, small, m, 1) < 1e-10);
  }
}

TEST_CASE("Iterations stay nearly constant over refinements, jumps and directions", "[solvers][multigrid]") {
  const Kokkos::DefaultHostExecutionSpace exec;
  const auto uniform = [](index_t, index_t, int) { return 1.; };
  std::vector<int> iterations;
  for (const index_t n : {30, 60, 120, 240})
    iterations.push_back(iterations_of(exec, finite_volumes(n, n, uniform)));
  CAPTURE(iterations);
  CHECK(iterations.back() <= 16); // 9, 11, 12, 14
  CHECK(iterations.back() - iterations.front() <= 5);

  const index_t n = 120;
  const int reference = iterations[2];
  // Squares of 15 points with a million times the coefficient of their neighbours.
  const auto jumps = [](index_t x, index_t y, int direction) {
    const auto k = [](index_t i, index_t j) { return ((i + 15) / 15 + (j + 15) / 15) % 2 == 0 ? 1e6 : 1.; };
    const double here = k(x, y);
    const double there = direction == 0 ? k(x + 1, y) : k(x, y + 1);
    return 2. * here * there / (here + there);
  };
  const int with_jumps = iterations_of(exec, finite_volumes(n, n, jumps));
  CAPTURE(with_jumps);
  CHECK(2 * with_jumps <= 3 * reference);
  // A hundred times larger coefficient in one direction.
  const auto anisotropic = [](index_t, index_t, int direction) { return direction == 0 ? 100. : 1.; };
  const int along = iterations_of(exec, finite_volumes(n, n, anisotropic));
  CAPTURE(along);
  CHECK(along <= 2 * reference);
  // Single precision needs no more iterations.
  MultigridOptions options;
  options.precision = Precision::double_precision;
  CHECK(iterations_of(exec, finite_volumes(n, n, uniform), options) == reference);
}

namespace {

/// Linear elements on halved squares of n x n inner points for the tensor of the values `ratio` and 1, turned by
/// `degrees`.
test::Rows turned(index_t n, double ratio, double degrees) {
  const double angle = degrees * std::acos(-1.) / 180.;
  const double c = std::cos(angle);
  const double s = std::sin(angle);
  const double mixed = (ratio - 1.) * s * c;
  const double along_x = mixed - ratio * c * c - s * s;
  const double along_y = mixed - ratio * s * s - c * c;
  test::Rows rows(static_cast<std::size_t>(n * n));
  for (index_t y = 0; y < n; ++y)
    for (index_t x = 0; x < n; ++x) {
      const auto add = [&](index_t dx, index_t dy, double value) {
        if (x + dx >= 0 && x + dx < n && y + dy >= 0 && y + dy < n)
          rows[static_cast<std::size_t>(y * n + x)][(y + dy) * n + x + dx] = value;
      };
      add(0, 0, 2. * (mixed - along_x - along_y));
      for (const index_t sign : {-1, 1}) {
        add(sign, 0, along_x);
        add(0, sign, along_y);
        add(sign, sign, -mixed);
      }
    }
  return rows;
}

} // namespace

TEMPLATE_LIST_TEST_CASE("Tensors of 1000 : 1 take few iterations in any direction, with equal bits on all spaces",
                        "[solvers][multigrid][device]", test::ExecutionSpaces) {
  const TestType exec;
  const Kokkos::DefaultHostExecutionSpace host;
  const std::vector<std::pair<double, int>> bounds = {{0., 13},  {10., 16}, {30., 24}, {45., 13},
                                                      {60., 24}, {90., 13}, {-30., 27}};
  for (const auto& [degrees, most] : bounds) {
    const test::Rows rows = turned(128, 1000., degrees);
    const int iterations = iterations_of(exec, rows);
    CAPTURE(degrees, iterations);
    CHECK(iterations <= most);
  }
  const test::Rows rows = turned(64, 1000., 30.);
  const Multigrid<TestType> m(exec, test::crs_on(exec, rows));
  const Multigrid<Kokkos::DefaultHostExecutionSpace> expected(host, test::crs_on(host, rows));
  const std::vector<double> r = test::random_vector(static_cast<index_t>(rows.size()), 7);
  CHECK(applied(exec, m, r) == applied(host, expected, r));
}

TEMPLATE_LIST_TEST_CASE("Rows with many positive entries at the side count as skewed, and those of masses as coupled",
                        "[solvers][multigrid][device]", test::ExecutionSpaces) {
  const TestType exec;
  const auto aggregates_of = [&](const test::Rows& rows) {
    const auto n = static_cast<index_t>(rows.size());
    return solvers::make_aggregates<TestType>(exec, {}, test::crs_on(exec, rows), comm::Layout<TestType>::local(n),
                                              0.08);
  };
  CHECK(aggregates_of(turned(16, 1000., 45.)).n_skewed == 0.);
  CHECK(aggregates_of(turned(16, 1000., 30.)).n_skewed > 200.);
  test::Rows masses = test::laplacian(16, 16);
  for (index_t i = 0; i < 256; ++i)
    for (auto& entry : masses[static_cast<std::size_t>(i)])
      entry.second = entry.first == i ? 6. : 1.;
  const auto aggregates = aggregates_of(masses);
  CHECK(aggregates.offsets.back() > 0);
  CHECK(aggregates.offsets.back() < 80);
  CHECK(aggregates.n_skewed == 0.);
}

TEMPLATE_LIST_TEST_CASE("Coarser meshes that do not suit anisotropic matrices give way to aggregates",
                        "[solvers][multigrid][device]", test::ExecutionSpaces) {
  const TestType exec;
  const index_t n = 31;
  for (const auto type : {solvers::MultigridType::automatic, solvers::MultigridType::geometric})
    for (const int direction : {0, 1})
      for (const double ratio : {1., 4., 16., 30., 1e4}) {
        CAPTURE(direction, ratio, static_cast<int>(type));
        const test::Rows rows =
            finite_volumes(n, n, [&](index_t, index_t, int d) { return d == direction ? ratio : 1.; });
        MultigridOptions options;
        options.type = type;
        const Multigrid<TestType> m(exec, test::crs_on(exec, rows), std::vector{bilinear(exec, n)}, options);
        CHECK(m.levels().front().is_geometric == (ratio < 20. || type == solvers::MultigridType::geometric));
        CHECK(m.has_start() == m.levels().front().is_geometric);
      }
  // In a layer of one line a tenth of that ratio is no obstacle, but lines that are nearly isolated are.
  for (const double ratio : {30., 100., 1e3, 1e4}) {
    CAPTURE(ratio);
    const test::Rows rows =
        finite_volumes(n, n, [&](index_t, index_t y, int d) { return d == 0 && y == 0 ? ratio : 1.; });
    const Multigrid<TestType> m(exec, test::crs_on(exec, rows), std::vector{bilinear(exec, n)});
    CHECK(m.levels().front().is_geometric == (ratio < 400.));
  }
}

TEMPLATE_LIST_TEST_CASE("Bits and iterations of multigrid depend neither on the space nor on threads",
                        "[solvers][multigrid][device]", test::ExecutionSpaces) {
  const TestType exec;
  const Kokkos::DefaultHostExecutionSpace host;
  const test::Rows rows = test::random_spd(3001, 9, 6);
  const std::vector<double> r = test::random_vector(3001, 7);
  for (const auto precision : {Precision::single_precision, Precision::double_precision}) {
    MultigridOptions options;
    options.precision = precision;
    options.strength = 0.02;
    const Multigrid<TestType> m(exec, test::crs_on(exec, rows), {}, options);
    const Multigrid<Kokkos::DefaultHostExecutionSpace> expected(host, test::crs_on(host, rows), {}, options);
    REQUIRE(m.levels().size() > 1);
    CHECK(applied(exec, m, r) == applied(host, expected, r));
  }
}

TEMPLATE_LIST_TEST_CASE("Residuals beyond the range of single precision are preconditioned alike",
                        "[solvers][multigrid][device]", test::ExecutionSpaces) {
  const TestType exec;
  const Multigrid<TestType> m(exec, test::crs_on(exec, test::laplacian(30, 30)));
  std::vector<double> r = test::random_vector(900, 4);
  const std::vector<double> expected = applied(exec, m, r);
  for (const double scale : {0x1p-300, 0x1p300}) {
    std::vector<double> scaled = r;
    for (double& value : scaled)
      value *= scale;
    scaled = applied(exec, m, scaled);
    for (double& value : scaled)
      value /= scale;
    CHECK(scaled == expected);
  }
  CHECK(applied(exec, m, std::vector<double>(900, 0.)) == std::vector<double>(900, 0.));
}

TEST_CASE("Unknowns without neighbours stay on the finest level", "[solvers][multigrid]") {
  const Kokkos::DefaultHostExecutionSpace exec;
  test::Rows rows = test::laplacian(40, 40);
  for (index_t i = 0; i < 500; ++i)
    rows.push_back({{1600 + i, 2. + i}});
  const Multigrid<Kokkos::DefaultHostExecutionSpace> m(exec, test::crs_on(exec, rows));
  REQUIRE(m.levels().size() > 1);
  CHECK(m.levels()[1].n_unknowns < 300);
  CHECK(solvers::operator_complexity(m.levels()) < 1.5);
  CHECK(iterations_of(exec, rows) <= 16);
}

TEST_CASE("A singular coarsest level is reported", "[solvers][multigrid]") {
  const Kokkos::DefaultHostExecutionSpace exec;
  try {
    const Multigrid<Kokkos::DefaultHostExecutionSpace> m(exec, test::crs_on(exec, test::laplacian(40, 30, true)));
    FAIL("no error");
  } catch (const Error& error) {
    CHECK(error.exit_code() == 2);
    CHECK_THAT(error.what(), ContainsSubstring("multigrid, coarsest level") && ContainsSubstring("singular"));
  }
}

namespace {

constexpr index_t n_full = 127; // points in each direction of the tests of full multigrid

/// sin(pi x) sin(pi y), an eigenvector of the five-point formula.
std::vector<double> sines() {
  const double pi = std::acos(-1.);
  std::vector<double> u;
  for (index_t y = 1; y <= n_full; ++y)
    for (index_t x = 1; x <= n_full; ++x)
      u.push_back(std::sin(pi * x / (n_full + 1.)) * std::sin(pi * y / (n_full + 1.)));
  return u;
}

template <class ExecutionSpace>
Multigrid<ExecutionSpace> geometric(const ExecutionSpace& exec, const test::Rows& rows, solvers::MultigridCycle cycle) {
  std::vector<linalg::Prolongation<typename ExecutionSpace::memory_space>> given;
  for (index_t n = n_full; n > 7; n = (n - 1) / 2)
    given.push_back(bilinear(exec, n));
  MultigridOptions options;
  options.cycle = cycle;
  return Multigrid<ExecutionSpace>(exec, test::crs_on(exec, rows), given, options);
}

/// Counts its applications.
template <class ExecutionSpace> class Counting final : public solvers::Preconditioner<ExecutionSpace> {
public:
  explicit Counting(const Multigrid<ExecutionSpace>& m)
      : solvers::Preconditioner<ExecutionSpace>(m.n_rows(), "counting", true), m_(m) {}
  void apply(const ExecutionSpace& exec, const linalg::ConstVector<ExecutionSpace>& r,
             const linalg::Vector<ExecutionSpace>& z) const override {
    ++n_applied;
    m_.apply(exec, r, z);
  }
  mutable int n_applied = 0;

private:
  const Multigrid<ExecutionSpace>& m_;
};

} // namespace

TEMPLATE_LIST_TEST_CASE("Full multigrid comes below the error of the discretisation, with the same bits on all spaces",
                        "[solvers][multigrid][device]", test::ExecutionSpaces) {
  const TestType exec;
  const auto rows = finite_volumes(n_full, n_full, [](index_t, index_t, int) { return 1.; });
  const double pi = std::acos(-1.);
  const double h = 1. / (n_full + 1.);
  const double sine = std::sin(0.5 * pi * h);
  const double discrete = 2. * pi * pi * h * h / (8. * sine * sine); // amplitude of the discrete solution
  const std::vector<double> u = sines();
  std::vector<double> b = u;
  for (double& value : b)
    value *= 2. * pi * pi * h * h;
  const auto m = geometric(exec, rows, solvers::MultigridCycle::automatic);
  REQUIRE(m.has_start());
  REQUIRE(m.levels().size() == 5);
  const auto x = test::vector_on(exec, std::vector<double>(b.size(), 1e30)); // the initial values do not matter
  m.start(exec, test::vector_on(exec, b), x);
  const std::vector<double> started = test::values_of(exec, x);
  double largest = 0.;
  for (std::size_t i = 0; i < u.size(); ++i)
    largest = std::max(largest, std::abs(started[i] - discrete * u[i]));
  CHECK(largest < std::abs(discrete - 1.));
  CHECK(largest > 0.);
  const Kokkos::DefaultHostExecutionSpace host;
  const auto y = test::vector_on(host, std::vector<double>(b.size(), 0.));
  geometric(host, rows, solvers::MultigridCycle::full).start(host, test::vector_on(host, b), y);
  CHECK(test::values_of(host, y) == started);
}

TEMPLATE_LIST_TEST_CASE("Conjugate gradients start from full multigrid, but not in place of a given guess",
                        "[solvers][multigrid][device]", test::ExecutionSpaces) {
  const TestType exec;
  const auto rows = finite_volumes(n_full, n_full, [](index_t, index_t, int) { return 1.; });
  const auto a = test::operator_on(exec, rows);
  const std::vector<double> solution = sines();
  const auto b = test::vector_on(exec, test::multiply(rows, solution));
  const auto full = geometric(exec, rows, solvers::MultigridCycle::automatic);
  const auto plain = geometric(exec, rows, solvers::MultigridCycle::V);
  CHECK_FALSE(plain.has_start());
  solvers::PcgOptions options;
  options.relative_tolerance = 1e-8;
  const auto solve = [&](const solvers::Preconditioner<TestType>& m, const std::vector<double>& guess) {
    const auto x = test::vector_on(exec, guess);
    const auto result = solvers::Pcg<TestType>(options).solve(exec, a, m, b, x);
    REQUIRE(result.status == solvers::SolverStatus::converged);
    return result.iterations;
  };
  const std::vector<double> zero(solution.size(), 0.);
  const int with_start = solve(full, zero);
  const int without = solve(plain, zero);
  CAPTURE(with_start, without);
  CHECK(with_start + 2 <= without);
  CHECK(solve(full, solution) == 0);

  // The history of an earlier solve that stopped in its second iteration must not affect the next one.
  solvers::PcgOptions loose = options;
  loose.relative_tolerance = 1e-3;
  solvers::Pcg<TestType> again(loose);
  std::vector<double> near = solution;
  for (std::size_t i = 0; i < near.size(); i += 3)
    near[i] *= 1.001;
  REQUIRE(again.solve(exec, a, plain, b, test::vector_on(exec, near)).iterations == 2);
  CHECK(again.solve(exec, a, plain, b, test::vector_on(exec, zero)).status == solvers::SolverStatus::converged);

  // The residual is checked before the preconditioner is applied: once before the iterations, and not in the last one.
  const Counting<TestType> counting(plain);
  CHECK(solve(counting, zero) == without);
  CHECK(counting.n_applied == without);
}

TEST_CASE("Recorded cycles repeat", "[solvers][multigrid][device]") {
  // Steps swap the arrays of a level: an odd number of steps must not leave them swapped.
  using Space = Kokkos::DefaultExecutionSpace;
  const Space exec;
  const auto rows = finite_volumes(40, 40, [](index_t, index_t, int) { return 1.; });
  for (const int degree : {1, 2, 3, 4}) {
    MultigridOptions options;
    options.degree = degree;
    const Multigrid<Space> m(exec, test::crs_on(exec, rows), {}, options);
    const auto r = test::random_vector(1600, 2);
    const std::vector<double> first = applied(exec, m, r);
    const auto x = test::vector_on(exec, r);
    for (int k = 0; k < 4; ++k) {
      CHECK(applied(exec, m, r) == first);
      m.start(exec, test::vector_on(exec, r), x);
    }
  }
}
