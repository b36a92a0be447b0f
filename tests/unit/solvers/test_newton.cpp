// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "solvers/jacobi.hpp"
#include "solvers/newton.hpp"
#include "support/matrices.hpp"
#include "support/spaces.hpp"

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace tessera::test {

namespace {

/// W = sum over i of g(x_i) + (x, L x)/2 - (b, x) with the second differences L and g' = a stiff saturating function:
/// 1e-2 x up to 1, then slope 1 (smoothed). Entirely on the host.
template <class ExecutionSpace> class Chain final : public solvers::NonlinearSystem<ExecutionSpace> {
public:
  using Base = solvers::NonlinearSystem<ExecutionSpace>;
  using typename Base::const_vector_type;
  using typename Base::operator_type;
  using typename Base::vector_type;

  /// `stiffness`: of the links, with free ends; 0: links of stiffness 1 between fixed ends.
  Chain(std::vector<double> loads, bool indefinite = false, double stiffness = 0.)
      : links_(laplacian(static_cast<index_t>(loads.size()), 1, stiffness > 0.)), loads_(std::move(loads)),
        indefinite_(indefinite) {
    if (stiffness > 0.)
      for (auto& row : links_)
        for (auto& entry : row)
          entry.second *= stiffness;
  }

  static double law(double x) {
    return 1e-2 * x + 10. * std::copysign(std::sqrt(1. + std::pow(std::max(std::fabs(x) - 1., 0.), 4)) - 1., x);
  }
  static double derivative(double x) {
    const double t = std::max(std::fabs(x) - 1., 0.);
    return 1e-2 + 20. * t * t * t / std::sqrt(1. + t * t * t * t);
  }

  void linearize_at_rest(const ExecutionSpace& exec) override {
    assemble(exec, std::vector<double>(loads_.size(), 0.));
  }
  void linearize(const ExecutionSpace& exec, const const_vector_type& x) override { assemble(exec, values(exec, x)); }
  const operator_type& system() const override { return operator_; }
  const_vector_type rhs() const override { return rhs_; }
  solvers::PcgResult solve(const ExecutionSpace& exec, const const_vector_type& b, double threshold,
                           const vector_type& x) override {
    solvers::PcgOptions options;
    options.relative_tolerance = 0.;
    options.absolute_tolerance = threshold;
    options.largest_residual = INFINITY; // the first systems need not be solved accurately
    thresholds.push_back(threshold);
    if (static_cast<int>(thresholds.size()) > stalls_after)
      return {};
    const solvers::Jacobi<ExecutionSpace> jacobi(exec, operator_);
    return solvers::Pcg<ExecutionSpace>(options).solve(exec, operator_, jacobi, b, x);
  }
  void set_line(const ExecutionSpace& exec, const const_vector_type& x, const const_vector_type& target) override {
    from_ = values(exec, x);
    to_ = values(exec, target);
  }
  double slope(const ExecutionSpace&, double s) override {
    std::vector<double> x(from_);
    for (std::size_t i = 0; i < x.size(); ++i)
      x[i] += s * (to_[i] - from_[i]);
    const auto gradient = gradient_at(x);
    double sum = 0.;
    for (std::size_t i = 0; i < x.size(); ++i)
      sum += gradient[i] * (to_[i] - from_[i]);
    return sum;
  }
  std::vector<double> gradient_at(const std::vector<double>& x) const {
    auto gradient = multiply(links_, x);
    for (std::size_t i = 0; i < x.size(); ++i)
      gradient[i] += law(x[i]) - loads_[i];
    return gradient;
  }

  std::vector<double> thresholds;
  int stalls_after = std::numeric_limits<int>::max(); ///< later linear systems are not solved

private:
  static std::vector<double> values(const ExecutionSpace& exec, const const_vector_type& x) {
    const auto host = to_host(exec, x);
    return {host.data(), host.data() + host.extent(0)};
  }
  void assemble(const ExecutionSpace& exec, const std::vector<double>& x) {
    Rows rows = links_;
    auto b = multiply(links_, x);
    const auto gradient = gradient_at(x);
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double slope = indefinite_ ? -1. : derivative(x[i]);
      rows[i][static_cast<index_t>(i)] += slope;
      b[i] += slope * x[i] - gradient[i];
    }
    operator_ = operator_on(exec, rows);
    rhs_ = vector_on(exec, b);
  }

  Rows links_;
  std::vector<double> loads_;
  bool indefinite_;
  linalg::CrsOperator<ExecutionSpace> operator_;
  vector_type rhs_;
  std::vector<double> from_;
  std::vector<double> to_;
};

std::vector<double> loads(index_t n, double size) {
  auto values = random_vector(n, 3);
  for (double& value : values)
    value *= size;
  return values;
}

} // namespace

TEMPLATE_LIST_TEST_CASE("Newton's method converges quadratically near the solution", "[solvers][device]",
                        ExecutionSpaces) {
  const TestType exec;
  Chain<TestType> chain(loads(97, 40.));
  const auto x = make_filled<linalg::Vector<TestType>>(exec, "test::unknowns", 97, 0.);
  solvers::NewtonOptions options;
  options.relative_tolerance = 1e-11;
  options.linear_tolerance = 1e-14;
  const auto result = solvers::newton(exec, chain, x, options);
  INFO(result.message);
  REQUIRE(result.status == solvers::NewtonStatus::converged);
  REQUIRE(result.history.size() == static_cast<std::size_t>(result.iterations) + 1);
  CHECK(result.step_length.size() == static_cast<std::size_t>(result.iterations));
  CHECK(result.history.front() == 1.);
  const auto gradient = chain.gradient_at(values_of(exec, x));
  double norm = 0.;
  for (const double g : gradient)
    norm += g * g;
  CHECK(std::sqrt(norm) <= 1.01e-11 * result.reference);
  // Once a residual is below 1e-2, the next is below its square times a constant of the problem.
  int n_quadratic = 0;
  for (std::size_t k = 1; k + 1 < result.history.size(); ++k)
    if (result.history[k] < 1e-2 && result.history[k + 1] > 1e-13) {
      INFO("after " << k << " iterations " << result.history[k] << ", then " << result.history[k + 1]);
      CHECK(result.history[k + 1] <= 100. * result.history[k] * result.history[k]);
      ++n_quadratic;
    }
  CHECK(n_quadratic >= 2);
  CHECK(result.step_length.back() == 1.);
}

TEMPLATE_LIST_TEST_CASE("The line search shortens steps that overshoot", "[solvers][device]", ExecutionSpaces) {
  const TestType exec;
  const auto iterations = [&](bool line_search) {
    Chain<TestType> chain(loads(61, 3000.));
    const auto x = make_filled<linalg::Vector<TestType>>(exec, "test::unknowns", 61, 0.);
    solvers::NewtonOptions options;
    options.line_search = line_search;
    return solvers::newton(exec, chain, x, options);
  };
  const auto with = iterations(true);
  INFO(with.message);
  CHECK(with.status == solvers::NewtonStatus::converged);
  CHECK(with.line_search_steps > 0);
  bool shortened = false;
  for (const double s : with.step_length) {
    CHECK(s > 0.);
    CHECK(s <= 1.);
    shortened = shortened || s < 1.;
  }
  CHECK(shortened);
  const auto without = iterations(false);
  CHECK(without.line_search_steps == 0);
  for (const double s : without.step_length)
    CHECK(s == 1.);
  CHECK((without.status != solvers::NewtonStatus::converged || without.iterations >= with.iterations));
}

TEMPLATE_LIST_TEST_CASE(
    "Newton's systems are solved to the residual at rest, or as the last step has lowered the residual",
    "[solvers][device]", ExecutionSpaces) {
  const TestType exec;
  Chain<TestType> chain(loads(61, 3000.)); // far beyond the bend: the first iterate is worse than the zero start
  const auto x = make_filled<linalg::Vector<TestType>>(exec, "test::unknowns", 61, 0.);
  const auto result = solvers::newton(exec, chain, x, solvers::NewtonOptions());
  REQUIRE(result.status == solvers::NewtonStatus::converged);
  REQUIRE(chain.thresholds.size() == static_cast<std::size_t>(result.iterations));
  REQUIRE(result.history[1] > 100.);
  REQUIRE(result.history[result.history.size() - 2] < 1e-2);
  for (std::size_t k = 0; k < chain.thresholds.size(); ++k) {
    CAPTURE(k, result.history[k]);
    const double now = std::min(1., result.history[k]);
    const double last = std::min(1., k == 0 ? 1. : result.history[k - 1]);
    const double requested = std::max(1e-10, std::min(0.1 * now, 0.9 * now * now * now / (last * last)));
    // the same formula, written differently
    CHECK(std::fabs(chain.thresholds[k] / (requested * result.reference) - 1.) < 1e-12);
  }
}

TEMPLATE_LIST_TEST_CASE("A linear problem takes Newton's method as many steps as its linear systems need",
                        "[solvers][device]", ExecutionSpaces) {
  const TestType exec;
  Chain<TestType> chain(loads(31, 0.01)); // far below the bend
  const auto x = make_filled<linalg::Vector<TestType>>(exec, "test::unknowns", 31, 0.);
  const auto result = solvers::newton(exec, chain, x, solvers::NewtonOptions());
  CHECK(result.status == solvers::NewtonStatus::converged);
  CHECK(result.iterations <= 4);
  // Each system is solved only as accurately as the step requires, and never below the floor.
  REQUIRE(chain.thresholds.size() == static_cast<std::size_t>(result.iterations));
  for (std::size_t k = 0; k < chain.thresholds.size(); ++k)
    CHECK(chain.thresholds[k] >= 1e-10 * result.reference);
  CHECK(chain.thresholds.front() <= 0.1 * result.reference);
}

TEMPLATE_LIST_TEST_CASE("Linear systems are solved well enough for what is asked of Newton's method",
                        "[solvers][device]", ExecutionSpaces) {
  const TestType exec;
  solvers::NewtonOptions options;
  options.relative_tolerance = 1e-10;
  int iterations[2];
  for (const bool is_lax : {false, true}) {
    Chain<TestType> chain(loads(97, 40.));
    const auto x = make_filled<linalg::Vector<TestType>>(exec, "test::unknowns", 97, 0.);
    options.linear_tolerance = is_lax ? 1e-6 : 1e-10;
    const auto result = solvers::newton(exec, chain, x, options);
    INFO(result.message);
    CHECK(result.status == solvers::NewtonStatus::converged);
    iterations[is_lax ? 1 : 0] = result.iterations;
  }
  CHECK(iterations[1] <= iterations[0] + 1);
}

TEMPLATE_LIST_TEST_CASE("Newton's method ends where the residual is at the rounding of its evaluation",
                        "[solvers][device]", ExecutionSpaces) {
  const TestType exec;
  Chain<TestType> chain(loads(97, 40.));
  const auto x = make_filled<linalg::Vector<TestType>>(exec, "test::unknowns", 97, 0.);
  solvers::NewtonOptions options;
  options.relative_tolerance = 1e-30; // unreachable for any sum of doubles but an exact zero
  options.linear_tolerance = 1e-30;
  const auto result = solvers::newton(exec, chain, x, options);
  INFO(result.message);
  REQUIRE(result.status == solvers::NewtonStatus::rounding);
  CHECK(result.converged());
  CHECK(result.message.find("has reached the rounding of its evaluation") != std::string::npos);
  CHECK(result.iterations < options.max_iterations);
  CHECK(result.history.back() > options.relative_tolerance);
  CHECK(result.history.back() <= solvers::rounding_factor * result.rounding);
  // The expected square with random signs is the sum of the squares of all a_ij x_j; 97 rows suffice for a factor of 2.
  double squares = 0.;
  const auto values = values_of(exec, x);
  for (std::size_t i = 0; i < values.size(); ++i) {
    for (const std::size_t j : {i - 1, i + 1})
      squares += j < values.size() ? values[j] * values[j] : 0.;
    squares += std::pow((2. + chain.derivative(values[i])) * values[i], 2);
  }
  const double expected = 0.5 * std::numeric_limits<double>::epsilon() * std::sqrt(squares) / result.reference;
  CHECK(result.rounding > 0.5 * expected);
  CHECK(result.rounding < 2. * expected);
}

TEMPLATE_LIST_TEST_CASE("A residual that stalls above its rounding has not converged", "[solvers][device]",
                        ExecutionSpaces) {
  const TestType exec;
  solvers::NewtonOptions options;
  options.relative_tolerance = 1e-30;
  {
    Chain<TestType> chain(loads(97, 40.));
    chain.stalls_after = 4; // at a residual of less than 1 %, far above rounding
    const auto x = make_filled<linalg::Vector<TestType>>(exec, "test::unknowns", 97, 0.);
    options.max_iterations = 20;
    const auto result = solvers::newton(exec, chain, x, options);
    INFO(result.message);
    CHECK(result.status == solvers::NewtonStatus::max_iterations);
    CHECK_FALSE(result.converged());
    CHECK(result.history.back() == result.history[4]);
    CHECK(result.rounding > 0.);
    CHECK(result.history.back() > solvers::rounding_factor * result.rounding);
  }
  { // Links so stiff that the last bits of x cause per cents of the load: the best attainable result, but no solution.
    Chain<TestType> chain(std::vector<double>(61, 0.01), false, std::ldexp(1., 40));
    chain.stalls_after = 0;
    const auto x =
        // links have no force if all x are equal
        make_filled<linalg::Vector<TestType>>(exec, "test::unknowns", 61, 1.01);
    options.max_iterations = 3;
    options.starts_at_guess = true;
    const auto result = solvers::newton(exec, chain, x, options);
    INFO(result.message);
    CHECK(result.history.back() <= solvers::rounding_factor * result.rounding);
    CHECK(result.history.back() > solvers::largest_residual);
    CHECK(result.status == solvers::NewtonStatus::max_iterations);
    CHECK_FALSE(result.converged());
    CHECK(result.message.find("no iteration lowers it") != std::string::npos);
  }
}

TEMPLATE_LIST_TEST_CASE("Newton's method reports why it ended without a solution", "[solvers][device]",
                        ExecutionSpaces) {
  const TestType exec;
  {
    Chain<TestType> chain(loads(61, 3000.));
    const auto x = make_filled<linalg::Vector<TestType>>(exec, "test::unknowns", 61, 0.);
    solvers::NewtonOptions options;
    options.max_iterations = 2;
    const auto result = solvers::newton(exec, chain, x, options);
    CHECK(result.status == solvers::NewtonStatus::max_iterations);
    CHECK(result.iterations == 2);
    CHECK(result.message.find("did not converge in 2 iterations") != std::string::npos);
  }
  {
    Chain<TestType> chain(loads(61, 3.), true); // indefinite
    const auto x = make_filled<linalg::Vector<TestType>>(exec, "test::unknowns", 61, 0.);
    const auto result = solvers::newton(exec, chain, x, solvers::NewtonOptions());
    CHECK(result.status == solvers::NewtonStatus::linear_solver);
    CHECK(result.linear.status == solvers::SolverStatus::breakdown);
    CHECK(result.message.find(result.linear.message) != std::string::npos);
  }
}

} // namespace tessera::test
