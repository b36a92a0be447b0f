// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

// Matrix-free multigrid on the finest level, compared with multigrid with a matrix.

#include "core/error.hpp"
#include "grids.hpp"
#include "linalg/products/crs_product.hpp"
#include "solve.hpp"
#include "solvers/multigrid/matrix_free_multigrid.hpp"
#include "support/spaces.hpp"

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

using namespace tessera;
using Catch::Matchers::ContainsSubstring;
using solvers::MatrixFreeMultigrid;
using solvers::Multigrid;
using solvers::MultigridCycle;
using solvers::MultigridOptions;
using test::applied;
using test::bilinear;

namespace {

constexpr index_t n_points = 63; // in each direction

/// A row of a possibly rectangular matrix times x.
template <class Matrix, class Vector, class ConstVector> struct RowTimes {
  Matrix matrix;
  ConstVector x;
  Vector y;
  KOKKOS_FUNCTION void operator()(index_t i) const {
    double sum = 0.;
    for (offset_t k = matrix.offsets(i); k < matrix.offsets(i + 1); ++k)
      sum += matrix.values(k) * x(matrix.columns(k));
    y(i) = sum;
  }
};

/// Transfer by two matrices.
template <class ExecutionSpace> class MatrixTransfer final : public linalg::Transfer<ExecutionSpace> {
public:
  using typename linalg::Transfer<ExecutionSpace>::vector_type;
  using typename linalg::Transfer<ExecutionSpace>::const_vector_type;
  using Matrix = linalg::CrsMatrix<typename ExecutionSpace::memory_space>;

  MatrixTransfer(const ExecutionSpace& exec, const linalg::Prolongation<typename ExecutionSpace::memory_space>& p)
      : p_(p.matrix), r_(linalg::transposed(exec, p.matrix, p.n_coarse)) {}
  index_t n_rows() const override { return p_.n_rows(); }
  index_t n_cols() const override { return r_.n_rows(); }
  void apply(const ExecutionSpace& exec, const const_vector_type& x, const vector_type& y) const override {
    multiply(exec, p_, x, y);
  }
  void add(const ExecutionSpace& exec, const const_vector_type& x, const vector_type& y) const override {
    const auto sum = make_array<vector_type>(exec, "test", y.extent(0));
    apply(exec, x, sum);
    std::vector<double> values = test::values_of(exec, y);
    const std::vector<double> terms = test::values_of(exec, sum);
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] += terms[i];
    Kokkos::deep_copy(exec, y, test::vector_on(exec, values));
    exec.fence();
  }
  void apply_transpose(const ExecutionSpace& exec, const const_vector_type& x, const vector_type& y) const override {
    multiply(exec, r_, x, y);
  }
  linalg::Traffic traffic() const override { return {}; }
  std::int64_t bytes() const override { return 0; }
  const Matrix& p() const { return p_; }
  const Matrix& r() const { return r_; }

private:
  static void multiply(const ExecutionSpace& exec, const Matrix& matrix, const const_vector_type& x,
                       const vector_type& y) {
    for_each("tessera::test::row_times", exec, matrix.n_rows(),
             RowTimes<Matrix, vector_type, const_vector_type>{matrix, x, y});
  }

  Matrix p_;
  Matrix r_;
};

/// A system whose operator hides its matrix, and both variants of multigrid for it.
template <class ExecutionSpace> struct Model {
  ExecutionSpace exec;
  test::Rows rows;
  linalg::CrsOperator<ExecutionSpace> a;
  std::shared_ptr<MatrixTransfer<ExecutionSpace>> transfer;
  std::vector<linalg::Prolongation<typename ExecutionSpace::memory_space>> given;

  explicit Model(const test::Rows& matrix)
      : rows(matrix), a(test::operator_on(exec, matrix)),
        transfer(std::make_shared<MatrixTransfer<ExecutionSpace>>(exec, bilinear(exec, n_points))) {
    for (index_t n = n_points; n > 7; n = (n - 1) / 2)
      given.push_back(bilinear(exec, n));
  }

  /// `bound`: bound of the eigenvalues; the default is that of the row sums for the test matrices.
  MatrixFreeMultigrid<ExecutionSpace> without(const MultigridOptions& options, double bound = 2.) const {
    solvers::MatrixFreeLevel<ExecutionSpace> level;
    level.a = &a;
    level.interpolation = transfer;
    level.eigenvalue_bound = [bound](const ExecutionSpace&) { return bound; };
    level.coarse_rows = [this](const ExecutionSpace& queue) {
      const auto rows = linalg::product(queue, transfer->r(), linalg::product(queue, a.matrix(), transfer->p()));
      return solvers::FinestRows<ExecutionSpace>{
          rows, {0, rows.n_rows()}, comm::Layout<ExecutionSpace>::local(rows.n_rows())};
    };
    level.below = [this](const ExecutionSpace&) {
      return std::vector<linalg::Prolongation<typename ExecutionSpace::memory_space>>(given.begin() + 1, given.end());
    };
    return MatrixFreeMultigrid<ExecutionSpace>(exec, level, options);
  }
  Multigrid<ExecutionSpace> with(const MultigridOptions& options) const {
    return Multigrid<ExecutionSpace>(exec, a.matrix(), given, options);
  }
};

/// Largest difference relative to the largest value.
double difference(const std::vector<double>& x, const std::vector<double>& y) {
  double largest = 0.;
  double distance = 0.;
  for (std::size_t i = 0; i < x.size(); ++i) {
    largest = std::max(largest, std::abs(y[i]));
    distance = std::max(distance, std::abs(x[i] - y[i]));
  }
  return distance / largest;
}

} // namespace

// The diagonal is constant, so rounding it only changes its scale, by at most 6e-8.
TEMPLATE_LIST_TEST_CASE("Cycles without a matrix of the finest level are those with one",
                        "[solvers][multigrid][device]", test::ExecutionSpaces) {
  const Model<TestType> model(test::laplacian(n_points, n_points));
  const std::vector<double> r = test::random_vector(n_points * n_points, 3);
  for (const int degree : {1, 2, 3, 4})
    for (const auto cycle : {MultigridCycle::V, MultigridCycle::W, MultigridCycle::full}) {
      MultigridOptions options;
      options.degree = degree;
      options.cycle = cycle;
      options.precision = Precision::double_precision;
      const auto without = model.without(options);
      const auto with = model.with(options);
      INFO("degree " << degree << ", cycle " << static_cast<int>(cycle));
      CHECK(difference(applied(model.exec, without, r), applied(model.exec, with, r)) < 1e-12);
      CHECK(without.has_start() == with.has_start());
      const auto x =
          test::vector_on(model.exec, std::vector<double>(r.size(), 1e30)); // the initial values do not matter
      const auto y = test::vector_on(model.exec, r);
      without.start(model.exec, test::vector_on(model.exec, r), x);
      with.start(model.exec, test::vector_on(model.exec, r), y);
      if (with.has_start())
        CHECK(difference(test::values_of(model.exec, x), test::values_of(model.exec, y)) < 1e-12);
    }
}

TEMPLATE_LIST_TEST_CASE("Two levels without a matrix of the finer one have the factor of theory, and are symmetric",
                        "[solvers][multigrid][device]", test::ExecutionSpaces) {
  const auto jumps = [](index_t x, index_t y, int) { return (x / 15 + y / 15) % 2 == 0 ? 100. : 1.; };
  const auto even = [](index_t, index_t, int) { return 1.; };
  for (const bool jumping : {false, true}) {
    const Model<TestType> model(test::finite_volumes(n_points, n_points, jumping ? std::function(jumps) : even));
    MultigridOptions options;
    options.precision = Precision::double_precision;
    options.coarsest_size = 1000; // one coarser level
    const auto m = model.without(options);
    REQUIRE(m.levels().size() == 2);
    CHECK_FALSE(m.levels()[0].has_matrix);
    CHECK(m.levels()[0].n_entries == 0);
    CHECK(m.levels()[1].has_matrix);
    const double factor = test::factor_of(model.exec, model.rows, m, 30);
    if (jumping) { // interpolation ignores the jumps: slow, but exactly as fast as with a matrix
      CHECK(std::abs(factor - test::factor_of(model.exec, model.rows, model.with(options), 30)) < 1e-3);
    } else {
      CHECK(factor < 0.1533); // by local Fourier analysis of this polynomial, stencil and interpolation
      CHECK(factor > 0.14);
    }
    const std::vector<double> x = test::random_vector(n_points * n_points, 1);
    const std::vector<double> y = test::random_vector(n_points * n_points, 2);
    const double xy = test::product(x, applied(model.exec, m, y));
    const double yx = test::product(y, applied(model.exec, m, x));
    CHECK(std::abs(xy - yx) < 1e-12 * std::abs(test::product(x, applied(model.exec, m, x))));
    CHECK(test::product(x, applied(model.exec, m, x)) > 0.);
  }
}

TEMPLATE_LIST_TEST_CASE("Bits of multigrid without a matrix depend neither on the space nor on the scale",
                        "[solvers][multigrid][device]", test::ExecutionSpaces) {
  const Model<TestType> model(test::laplacian(n_points, n_points));
  const Model<Kokkos::DefaultHostExecutionSpace> host(model.rows);
  std::vector<double> r = test::random_vector(n_points * n_points, 4);
  const auto m = model.without({});
  const std::vector<double> expected = applied(host.exec, host.without({}), r);
  CHECK(applied(model.exec, m, r) == expected);
  for (double& value : r)
    value *= 0x1p-300;
  std::vector<double> scaled = applied(model.exec, m, r);
  for (double& value : scaled)
    value *= 0x1p300;
  CHECK(scaled == expected);
}

// In single precision both cycles read the same matrices; the starting values contain their rounding.
TEMPLATE_LIST_TEST_CASE(
    "Compact levels give the cycles of levels that keep all, and nearly their start, in less memory",
    "[solvers][multigrid][device]", test::ExecutionSpaces) {
  // Quotients that are not powers of two: without the compensation of lost row sums, rows of diffusion would get a
  // reaction term.
  const Model<TestType> model(
      test::finite_volumes(n_points, n_points, [](index_t, index_t, int d) { return d == 0 ? 1. : 0.7; }));
  const std::vector<double> ones(n_points * n_points, 1.);
  const auto b = test::vector_on(model.exec, ones);
  const auto x = test::vector_on(model.exec, ones);
  for (const auto precision : {Precision::single_precision, Precision::double_precision}) {
    MultigridOptions options;
    options.precision = precision;
    const auto compact = model.without(options);
    options.keeps_products = true;
    const auto keeping = model.without(options);
    CHECK(applied(model.exec, compact, ones) == applied(model.exec, keeping, ones));
    compact.start(model.exec, b, x);
    const std::vector<double> start = test::values_of(model.exec, x);
    keeping.start(model.exec, b, x);
    const double distance = difference(start, test::values_of(model.exec, x));
    CAPTURE(static_cast<int>(precision), distance);
    CHECK(distance < (precision == Precision::single_precision ? 1e-8 : 1e-12));
    REQUIRE(compact.levels().size() == keeping.levels().size());
    CHECK(compact.levels()[1].n_entries == keeping.levels()[1].n_entries);
    if (precision == Precision::single_precision)
      CHECK(compact.levels()[1].n_bytes < 0.45 * static_cast<double>(keeping.levels()[1].n_bytes));
  }
}

TEMPLATE_LIST_TEST_CASE("A vector that the solver lends to multigrid changes nothing", "[solvers][multigrid][device]",
                        test::ExecutionSpaces) {
  const Model<TestType> model(test::laplacian(n_points, n_points));
  const auto m = model.without({});
  const std::vector<double> r = test::random_vector(n_points * n_points, 4);
  const auto z = test::vector_on(model.exec, r);
  m.apply_dot(model.exec, test::vector_on(model.exec, r), z,
              test::vector_on(model.exec, std::vector<double>(r.size(), 1e30)), nullptr);
  CHECK(test::values_of(model.exec, z) == applied(model.exec, m, r));
}

TEST_CASE("New values renew multigrid without a matrix", "[solvers][multigrid]") {
  using Space = Kokkos::DefaultHostExecutionSpace;
  for (const bool keeps : {false, true}) {
    const Model<Space> model(test::laplacian(n_points, n_points));
    MultigridOptions options;
    options.keeps_products = keeps;
    auto m = model.without(options);
    const std::vector<double> r = test::random_vector(n_points * n_points, 4);
    const std::vector<double> before = applied(model.exec, m, r);
    const auto& values = model.a.matrix().values;
    for (std::size_t k = 0; k < values.extent(0); ++k)
      values(k) *= 4.;
    m.renew(model.exec);
    std::vector<double> after = applied(model.exec, m, r);
    for (double& value : after)
      value *= 4.;
    CHECK(after == before);
  }
}

TEST_CASE("A diagonal that is not positive is reported by multigrid without a matrix", "[solvers][multigrid]") {
  test::Rows rows = test::laplacian(n_points, n_points);
  rows[17][17] = -1.;
  const Model<Kokkos::DefaultHostExecutionSpace> model(rows);
  try {
    model.without({});
    FAIL("no error");
  } catch (const Error& error) {
    CHECK(error.exit_code() == 2);
    CHECK_THAT(error.what(), ContainsSubstring("multigrid") && ContainsSubstring("17"));
  }
}
