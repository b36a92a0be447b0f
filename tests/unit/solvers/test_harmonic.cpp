// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/error.hpp"
#include "harmonic_cases.hpp"
#include "solvers/block/block_inverse.hpp"
#include "solvers/harmonic/cocg.hpp"
#include "solvers/harmonic/complex_inverse.hpp"
#include "solvers/harmonic/part_by_part.hpp"
#include "solvers/harmonic/shifted_multigrid.hpp"
#include "solvers/multigrid/multigrid.hpp"
#include "support/spaces.hpp"
#include "support/thread_team.hpp"

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>

#include <limits>

using namespace tessera;
using solvers::CocgOptions;
using solvers::CocgResult;
using solvers::CocgStatus;
using solvers::ResidualNorm;
using test::Complex;
using test::ComplexVector;

namespace {

const Complex j(0., 1.);

ComplexVector random_complex(index_t n, unsigned seed) {
  const auto re = test::random_vector(n, seed);
  const auto im = test::random_vector(n, seed + 100);
  ComplexVector result;
  for (std::size_t i = 0; i < re.size(); ++i)
    result.emplace_back(re[i], im[i]);
  return result;
}

/// Two symmetric matrices on one pattern; M is zero in the first rows.
test::HarmonicCase random_case(index_t n, int n_links) {
  test::HarmonicCase result{test::random_spd(n, n_links, 1), test::random_spd(n, n_links, 1), {}, {}};
  for (index_t i = 0; i < n; ++i)
    for (auto& entry : result.m[static_cast<std::size_t>(i)])
      entry.second *= i < n / 2 || entry.first < n / 2 ? 0. : 0.5 + 1e-3 * (i + entry.first) / n;
  return result;
}

template <int N> struct Solved {
  std::array<CocgResult, N> results;
  std::vector<ComplexVector> x;
};

/// Solves from zero; `make` returns a preconditioner for the shifts.
template <int N, class ExecutionSpace>
Solved<N> solve(const ExecutionSpace& exec, const test::HarmonicCase& problem, const solvers::Shifts<N>& shifts,
                const solvers::ShiftedPreconditioner<ExecutionSpace, N>& m, const std::vector<ComplexVector>& b,
                const CocgOptions& options) {
  solvers::ShiftedOperator<ExecutionSpace, N> a(exec, test::shifted_on(exec, problem.k, problem.m));
  a.set_shifts(shifts);
  const auto x = test::columns_on<N>(exec, std::vector<ComplexVector>(N, ComplexVector(problem.k.size())));
  solvers::Cocg<ExecutionSpace, N> cocg(options);
  const auto results = cocg.solve(exec, a, m, test::columns_on<N>(exec, b), x);
  return {results, test::columns_of<N>(exec, x)};
}

/// Solves for one frequency in Hz with multigrid.
template <class ExecutionSpace>
Solved<1> solve_at(const ExecutionSpace& exec, const test::HarmonicCase& problem, double frequency,
                   const std::shared_ptr<solvers::ShiftedLevels<ExecutionSpace>>& levels, const CocgOptions& options) {
  const Complex s = test::harmonic_shift(frequency);
  const solvers::ShiftedMultigrid<ExecutionSpace, 1> m(exec, levels, {s});
  return solve<1>(exec, problem, {s}, m, {problem.rhs(s)}, options);
}

/// z = r, except for the first `n_zero` times, which give zero, and with `factor` for the rest.
template <class ExecutionSpace, int N> class Scaling final : public solvers::ShiftedPreconditioner<ExecutionSpace, N> {
public:
  explicit Scaling(int n_zero = 0, double factor = 1.) : n_zero_(n_zero), factor_(factor) {}
  using typename solvers::ShiftedPreconditioner<ExecutionSpace, N>::vector_type;
  using typename solvers::ShiftedPreconditioner<ExecutionSpace, N>::const_vector_type;
  void apply(const ExecutionSpace& exec, const const_vector_type& r, const double*,
             const vector_type& z) const override {
    const double factor = n_zero_-- > 0 ? 0. : factor_;
    for_each("test", exec, static_cast<std::int64_t>(r.extent(0)), Multiply{r, factor, z});
  }
  struct Multiply {
    const_vector_type r;
    double factor;
    vector_type z;
    KOKKOS_FUNCTION void operator()(index_t i) const { z(i) = factor * r(i); }
  };

private:
  mutable int n_zero_;
  double factor_;
};

/// K + s M with K = diag(k) and M = 0 or 1.
test::HarmonicCase diagonal_case(const std::vector<double>& k, double m) {
  test::HarmonicCase result{test::Rows(k.size()), test::Rows(k.size()), {}, {}};
  for (std::size_t i = 0; i < k.size(); ++i) {
    result.k[i][static_cast<index_t>(i)] = k[i];
    result.m[i][static_cast<index_t>(i)] = m;
  }
  return result;
}

template <int N, class ExecutionSpace>
void check_products(const ExecutionSpace& exec, const test::HarmonicCase& problem) {
  const auto n = static_cast<index_t>(problem.k.size());
  solvers::Shifts<N> shifts;
  std::vector<ComplexVector> x;
  for (std::size_t c = 0; c < N; ++c) {
    shifts[c] = {0.3 * static_cast<double>(c), 2. - static_cast<double>(c)};
    x.push_back(random_complex(n, static_cast<unsigned>(10 + c)));
  }
  solvers::ShiftedOperator<ExecutionSpace, N> a(exec, test::shifted_on(exec, problem.k, problem.m));
  a.set_shifts(shifts);
  const auto y = test::columns_on<N>(exec, x);
  a.apply(exec, test::columns_on<N>(exec, x), y);
  const auto of_all = test::columns_of<N>(exec, y);
  solvers::ShiftedOperator<ExecutionSpace, 1> one(a.rows());
  for (std::size_t c = 0; c < N; ++c) {
    const ComplexVector expected = test::multiply(problem.k, problem.m, shifts[c], x[c]);
    REQUIRE(test::relative_distance(of_all[c], expected) < 1e-14); // rounding of some ten terms
    one.set_shifts({shifts[c]});
    const auto alone = test::columns_on<1>(exec, {x[c]});
    one.apply(exec, test::columns_on<1>(exec, {x[c]}), alone);
    REQUIRE(test::columns_of<1>(exec, alone)[0] == of_all[c]);
  }
}

} // namespace

TEMPLATE_LIST_TEST_CASE("Products with K + s M are those of plain loops, for each column with its own shift",
                        "[solvers][device]", test::ExecutionSpaces) {
  const TestType exec;
  for (const int n_links : {5, 14}) { // one sum, and several sums per row
    const auto problem = random_case(301, n_links);
    check_products<1>(exec, problem);
    check_products<2>(exec, problem);
    check_products<4>(exec, problem);
  }
}

TEMPLATE_LIST_TEST_CASE(
    "Matrices in the slices of their copies in single precision have the bits of products of their own",
    "[solvers][device]", test::ExecutionSpaces) {
  const TestType exec;
  for (const index_t n : {8, 32}) {
    const auto problem = test::copper_bar(n);
    const auto matrix = test::shifted_on(exec, problem.k, problem.m);
    const auto levels = test::levels_of(exec, problem, n, false);
    solvers::ShiftedOperator<TestType, 1> own(exec, matrix);
    solvers::ShiftedOperator<TestType, 1> shared(solvers::make_shifted_rows(exec, matrix, levels->levels.front().a));
    const auto product = [&](solvers::ShiftedOperator<TestType, 1>& a) {
      const auto x = test::columns_on<1>(exec, {random_complex(static_cast<index_t>(problem.k.size()), 7)});
      const auto y = test::columns_on<1>(exec, {random_complex(static_cast<index_t>(problem.k.size()), 8)});
      a.set_shifts({test::harmonic_shift(50.)});
      a.apply(exec, x, y);
      return test::columns_of<1>(exec, y)[0];
    };
    REQUIRE(product(shared) == product(own));
  }
}

TEMPLATE_LIST_TEST_CASE("Products of constants are exactly zero at inner nodes, whatever the contrast",
                        "[solvers][device]", test::ExecutionSpaces) {
  const TestType exec;
  const index_t n = 32;
  const auto problem = test::conductor_in_insulator(n);
  solvers::ShiftedOperator<TestType, 1> a(exec, test::shifted_on(exec, problem.k, problem.m));
  a.set_shifts({test::harmonic_shift(50.)});
  const ComplexVector ones(problem.k.size(), Complex(1., 2.));
  const auto y = test::columns_on<1>(exec, {ones});
  a.apply(exec, test::columns_on<1>(exec, {ones}), y);
  const auto product = test::columns_of<1>(exec, y)[0];
  int n_inner = 0;
  for (index_t row = 1; row + 2 < n; ++row)
    for (index_t column = 1; column + 2 < n; ++column, ++n_inner)
      REQUIRE(product[static_cast<std::size_t>(row * (n - 1) + column)] == Complex(0.));
  REQUIRE(n_inner > 800);
  const ComplexVector plain = test::multiply(problem.k, problem.m, test::harmonic_shift(50.), ones);
  double leak = 0.; // of the stored diagonal, compared with the insulator's conductance
  for (index_t row = 1; row + 2 < n; ++row)
    for (index_t column = 1; column + 2 < n; ++column)
      leak = std::max(leak, std::abs(plain[static_cast<std::size_t>(row * (n - 1) + column)]));
  REQUIRE(leak > 1e-19);
}

TEMPLATE_LIST_TEST_CASE("Values of M on another pattern than K are refused", "[solvers][device]",
                        test::ExecutionSpaces) {
  const TestType exec;
  auto matrix = test::shifted_on(exec, test::laplacian(5, 5), test::laplacian(5, 5));
  matrix.m = test::vector_on(exec, {1., 2.});
  REQUIRE_THROWS_AS((solvers::ShiftedOperator<TestType, 1>(exec, matrix)), Error);
}

TEMPLATE_LIST_TEST_CASE("The cycle for complex shifts is complex symmetric, and columns have the bits of each alone",
                        "[solvers][device]", test::ExecutionSpaces) {
  const TestType exec;
  const index_t n = 48;
  const auto problem = test::copper_bar(n);
  const auto size = static_cast<index_t>(problem.k.size());
  for (const bool is_geometric : {true, false}) {
    const auto levels = test::levels_of(exec, problem, n, is_geometric);
    REQUIRE(levels->levels.size() > 1);
    const solvers::Shifts<4> shifts{test::harmonic_shift(50.), test::harmonic_shift(1e4), Complex(1e5),
                                    test::harmonic_shift(1e6)};
    const solvers::ShiftedMultigrid<TestType, 4> m(exec, levels, shifts);
    std::vector<ComplexVector> u, v;
    for (unsigned c = 0; c < 4; ++c) {
      u.push_back(random_complex(size, 2 * c));
      v.push_back(random_complex(size, 2 * c + 1));
    }
    const auto apply = [&](const auto& cycle, const auto& columns, std::vector<double> squares) {
      const auto z = make_array<std::decay_t<decltype(columns)>>(exec, "test", columns.extent(0));
      cycle.apply(exec, columns, test::vector_on(exec, squares).data(), z);
      return z;
    };
    const std::vector<double> norms{1e6, 1., 1e-30, 4.}; // any positive numbers
    const auto bu = test::columns_of<4>(exec, apply(m, test::columns_on<4>(exec, u), norms));
    const auto bv = test::columns_of<4>(exec, apply(m, test::columns_on<4>(exec, v), norms));
    solvers::ShiftedMultigrid<TestType, 1> one(exec, levels, {Complex(1.)});
    for (std::size_t c = 0; c < 4; ++c) {
      Complex uv(0.), vu(0.);
      double scale = 0.;
      for (std::size_t i = 0; i < u[c].size(); ++i) {
        uv += u[c][i] * bv[c][i];
        vu += v[c][i] * bu[c][i];
        scale += std::abs(u[c][i] * bv[c][i]);
      }
      REQUIRE(std::abs(uv - vu) < 1e-6 * scale); // single precision
      REQUIRE(std::abs(uv) > 1e-4 * scale);
      one.set_shifts(exec, {shifts[c]});
      const auto alone = apply(one, test::columns_on<1>(exec, {u[c]}), {norms[c]});
      REQUIRE(test::columns_of<1>(exec, alone)[0] == bu[c]);
    }
  }
}

TEMPLATE_LIST_TEST_CASE("COCG with multigrid gives the solution of a dense direct solver at every frequency",
                        "[solvers][device]", test::ExecutionSpaces) {
  const TestType exec;
  const index_t n = 20;
  for (const bool is_quasistatic : {false, true}) {
    const auto problem = is_quasistatic ? test::conductor_in_insulator(n) : test::copper_bar(n);
    const auto levels = test::levels_of(exec, problem, n, false);
    CocgOptions options;
    options.relative_tolerance = 1e-10;
    options.norm = is_quasistatic ? ResidualNorm::diagonal : ResidualNorm::euclidean;
    for (const double frequency :
         is_quasistatic ? std::vector<double>{1e-3, 50., 1e4, 1e9} : std::vector<double>{50., 1e4, 1e6}) {
      const Complex s = test::harmonic_shift(frequency);
      const auto solved = solve_at(exec, problem, frequency, levels, options);
      REQUIRE(solved.results[0].status == CocgStatus::converged);
      REQUIRE(solved.results[0].gmres_iterations == 0);
      // The contrast of 1e10 leaves the rounding of the matrix itself, with row sums of 1e-16 in the dense solver.
      const double tolerance = is_quasistatic && frequency < 1. ? 1e-4 : 1e-7;
      REQUIRE(test::relative_distance(solved.x[0], test::dense_solution(problem.k, problem.m, s, problem.rhs(s))) <
              tolerance);
    }
  }
}

TEMPLATE_LIST_TEST_CASE("Iterations of COCG with multigrid do not grow with the frequency", "[solvers][device]",
                        test::ExecutionSpaces) {
  const TestType exec;
  const index_t n = 64;
  const auto bar = test::copper_bar(n);
  const std::vector<double> frequencies{50., 1e3, 1e4, 1e5, 1e6};
  const auto iterations = [&](const test::HarmonicCase& problem, double frequency, const auto& levels,
                              ResidualNorm norm) {
    CocgOptions options;
    options.norm = norm;
    const auto result = solve_at(exec, problem, frequency, levels, options).results[0];
    REQUIRE(result.status == CocgStatus::converged);
    REQUIRE(result.true_residual < 1.01 * result.threshold);
    REQUIRE(result.restarts == 0);
    return result.iterations;
  };
  // By geometric levels as many as in a prototype in double precision, where real K + |s| M needs 5 to 8.
  const auto geometric = test::levels_of(exec, bar, n, true);
  const std::vector<int> most{8, 8, 9, 8, 6};
  for (std::size_t k = 0; k < most.size(); ++k)
    REQUIRE(iterations(bar, frequencies[k], geometric, ResidualNorm::euclidean) <= most[k] + 1);
  const auto algebraic = test::levels_of(exec, bar, n, false);
  for (const double frequency : frequencies)
    REQUIRE(iterations(bar, frequency, algebraic, ResidualNorm::euclidean) <= 14);
  const auto conductor = test::conductor_in_insulator(n);
  for (const bool is_geometric : {true, false}) {
    const auto levels = test::levels_of(exec, conductor, n, is_geometric);
    for (const double frequency : {1e-3, 50., 1e4, 1e6, 1e9})
      REQUIRE(iterations(conductor, frequency, levels, ResidualNorm::diagonal) <= (is_geometric ? 15 : 11));
  }
}

TEMPLATE_LIST_TEST_CASE("Iterations by algebraic levels hardly grow with frequency, mesh and iron", "[solvers][device]",
                        test::ExecutionSpaces) {
  const TestType exec;
  for (const index_t n : {64, 128})
    for (const bool has_iron : {true, false}) {
      const auto problem = has_iron ? test::iron_ring(n) : test::foils(n);
      const auto levels = test::levels_of(exec, problem, n, false);
      // Taken: 11 to 18. A prototype in double precision takes 9 to 14 on 64 x 64 cells.
      for (const double frequency : {50., 1e3, 1e4, 1e5, 1e6}) {
        INFO(n << " x " << n << " cells, iron " << has_iron << ", " << frequency << " Hz");
        const auto result = solve_at(exec, problem, frequency, levels, CocgOptions()).results[0];
        CHECK(result.status == CocgStatus::converged);
        CHECK(result.iterations <= (frequency < 1e5 ? 15 : 19));
      }
    }
}

TEMPLATE_LIST_TEST_CASE("Iterations grow with the mesh and the frequency no more than in a prototype",
                        "[solvers][device]", test::ExecutionSpaces) {
  const TestType exec;
  const index_t n = 256;
  const auto check = [&](const test::HarmonicCase& problem, ResidualNorm norm,
                         const std::vector<std::pair<double, int>>& of_prototype) { // frequency, iterations
    CocgOptions options;
    options.norm = norm;
    const auto levels = test::levels_of(exec, problem, n, true);
    for (const auto& [frequency, iterations] : of_prototype) {
      INFO(frequency << " Hz");
      const auto result = solve_at(exec, problem, frequency, levels, options).results[0];
      CHECK(result.status == CocgStatus::converged);
      CHECK(result.iterations <= 1.3 * iterations);
    }
  };
  check(test::copper_bar(n), ResidualNorm::euclidean, {{50., 8}, {1e3, 9}, {1e4, 10}, {1e5, 9}, {1e6, 8}});
  check(test::conductor_in_insulator(n), ResidualNorm::diagonal,
        {{1e-3, 33}, {50., 20}, {1e4, 17}, {1e6, 14}, {1e9, 13}});
}

TEMPLATE_LIST_TEST_CASE("Four frequencies solved together have the bits and iterations of each alone",
                        "[solvers][device]", test::ExecutionSpaces) {
  const TestType exec;
  const index_t n = 32;
  const auto problem = test::copper_bar(n);
  const auto levels = test::levels_of(exec, problem, n, false);
  const solvers::Shifts<4> shifts{test::harmonic_shift(50.), test::harmonic_shift(1e4), Complex(1e4),
                                  test::harmonic_shift(1e6)};
  std::vector<ComplexVector> b;
  for (const Complex s : shifts)
    b.push_back(problem.rhs(s));
  const solvers::ShiftedMultigrid<TestType, 4> m(exec, levels, shifts);
  const auto together = solve<4>(exec, problem, shifts, m, b, {});
  for (std::size_t c = 0; c < 4; ++c) {
    const solvers::ShiftedMultigrid<TestType, 1> one(exec, levels, {shifts[c]});
    const auto alone = solve<1>(exec, problem, {shifts[c]}, one, {b[c]}, {});
    REQUIRE(together.results[c].status == CocgStatus::converged);
    REQUIRE(together.results[c].iterations == alone.results[0].iterations);
    REQUIRE(together.results[c].history == alone.results[0].history);
    REQUIRE(together.x[c] == alone.x[0]);
  }
}

TEMPLATE_LIST_TEST_CASE("The real cycle of K + |s| M on both parts gives the same solution in more iterations",
                        "[solvers][device]", test::ExecutionSpaces) {
  const TestType exec;
  const index_t n = 32;
  const auto problem = test::copper_bar(n);
  const Complex s = test::harmonic_shift(1e4);
  test::Rows real = problem.k;
  for (std::size_t i = 0; i < real.size(); ++i)
    for (auto& entry : real[i])
      entry.second += std::abs(s) * problem.m[i].at(entry.first);
  const solvers::Multigrid<TestType> multigrid(exec, test::crs_on(exec, real));
  const solvers::PartByPart<TestType, 1> parts(exec, multigrid, static_cast<index_t>(real.size()));
  const auto by_parts = solve<1>(exec, problem, {s}, parts, {problem.rhs(s)}, {});
  const auto complex = solve_at(exec, problem, 1e4, test::levels_of(exec, problem, n, false), {});
  REQUIRE(by_parts.results[0].status == CocgStatus::converged);
  REQUIRE(by_parts.results[0].iterations > complex.results[0].iterations);
  REQUIRE(by_parts.results[0].iterations <= 25);
  REQUIRE(test::relative_distance(by_parts.x[0], complex.x[0]) < 1e-6);
}

TEMPLATE_LIST_TEST_CASE("COCG restarts after a breakdown, and GMRES solves what breaks down again", "[solvers][device]",
                        test::ExecutionSpaces) {
  const TestType exec;
  // b^T b = 0 although b is not zero: without a preconditioner every start breaks down.
  const auto problem = diagonal_case({1., 2.}, 1.);
  const ComplexVector b{1., j};
  const auto by_gmres = solve<1>(exec, problem, {j}, Scaling<TestType, 1>(), {b}, {});
  REQUIRE(by_gmres.results[0].status == CocgStatus::converged);
  REQUIRE(by_gmres.results[0].restarts == 3);
  REQUIRE(by_gmres.results[0].gmres_iterations == 2);
  REQUIRE(by_gmres.results[0].iterations == 5);
  REQUIRE(test::relative_distance(by_gmres.x[0], {1. / (1. + j), j / (2. + j)}) < 1e-14);
  REQUIRE(by_gmres.results[0].message.find("the last 2 by GMRES") != std::string::npos);

  // Columns that do not break down are not affected: one without, and one with zero directions only at first.
  const ComplexVector regular{1., 1.};
  const auto pair = solve<2>(exec, problem, {j, j}, Scaling<TestType, 2>(), {b, regular}, {});
  REQUIRE(pair.x[0] == by_gmres.x[0]);
  REQUIRE(pair.results[1].status == CocgStatus::converged);
  REQUIRE(pair.results[1].restarts == 0);
  REQUIRE(pair.results[1].iterations == 2);
  const auto late = solve<1>(exec, problem, {j}, Scaling<TestType, 1>(2), {regular}, {});
  REQUIRE(late.results[0].status == CocgStatus::converged);
  REQUIRE(late.results[0].restarts == 2);
  REQUIRE(late.results[0].gmres_iterations == 0);
  REQUIRE(test::relative_distance(late.x[0], {1. / (1. + j), 1. / (2. + j)}) < 1e-14);
}

TEMPLATE_LIST_TEST_CASE("GMRES restarts, and solves a system of several unknowns in the weighted norm",
                        "[solvers][device]", test::ExecutionSpaces) {
  const TestType exec;
  std::vector<double> k;
  for (int i = 0; i < 40; ++i)
    k.push_back(1. + i);
  const auto problem = diagonal_case(k, 1.);
  ComplexVector b(40);
  for (std::size_t i = 0; i < 40; i += 2) {
    b[i] = 1.;
    b[i + 1] = j;
  }
  ComplexVector expected;
  for (std::size_t i = 0; i < 40; ++i)
    expected.push_back(b[i] / (k[i] + j));
  for (const ResidualNorm norm : {ResidualNorm::euclidean, ResidualNorm::diagonal}) {
    CocgOptions options;
    options.norm = norm;
    options.gmres_restart = 10;
    options.max_restarts = 0;
    const auto solved = solve<1>(exec, problem, {j}, Scaling<TestType, 1>(), {b}, options);
    REQUIRE(solved.results[0].status == CocgStatus::converged);
    REQUIRE(solved.results[0].gmres_iterations > 10);
    REQUIRE(test::relative_distance(solved.x[0], expected) < 1e-7);
  }
}

TEMPLATE_LIST_TEST_CASE("COCG reports why it stopped, and returns the best iterate", "[solvers][device]",
                        test::ExecutionSpaces) {
  const TestType exec;
  const double infinity = std::numeric_limits<double>::infinity();
  const auto problem = diagonal_case({1., 2., 3., 4.}, 1.);
  const ComplexVector b{1., 1., 1., 1.};
  const auto status = [&](const auto& solved, CocgStatus expected) {
    REQUIRE(solved.results[0].status == expected);
    REQUIRE(std::string(to_string(expected)).size() > 5);
  };
  const Scaling<TestType, 1> identity;

  CocgOptions few;
  few.max_iterations = 2;
  const auto stopped = solve<1>(exec, problem, {j}, identity, {b}, few);
  status(stopped, CocgStatus::max_iterations);
  REQUIRE(stopped.results[0].iterations == 2);
  REQUIRE(stopped.results[0].message.find("not converged after 2 iterations") != std::string::npos);
  REQUIRE(stopped.results[0].history.size() == 3);
  REQUIRE(std::abs(stopped.results[0].true_residual - stopped.results[0].residual) < 1e-14);

  status(solve<1>(exec, problem, {j}, identity, {{1., infinity, 1., 1.}}, {}), CocgStatus::non_finite);
  status(solve<1>(exec, problem, {j}, Scaling<TestType, 1>(0, infinity), {b}, {}), CocgStatus::non_finite);

  // Constants are in the null space, and the right-hand side is not in the range.
  test::HarmonicCase singular{test::laplacian(6, 6, true), test::laplacian(6, 6, true), {}, {}};
  const auto stagnated = solve<1>(exec, singular, {j}, identity, {ComplexVector(36, 1.)}, {});
  status(stagnated, CocgStatus::stagnated);
  REQUIRE(stagnated.results[0].true_residual <= stagnated.results[0].initial_residual);

  CocgOptions strict;
  strict.relative_tolerance = 1e-19;
  const auto bar = test::copper_bar(16);
  const auto levels = test::levels_of(exec, bar, 16, false);
  status(solve_at(exec, bar, 1e4, levels, strict), CocgStatus::inaccurate);

  const auto zero = solve<1>(exec, problem, {j}, identity, {ComplexVector(4)}, {});
  status(zero, CocgStatus::converged);
  REQUIRE(zero.results[0].iterations == 0);
  REQUIRE(zero.x[0] == ComplexVector(4));

  CocgOptions wrong;
  wrong.relative_tolerance = -1.;
  REQUIRE_THROWS_AS((solvers::Cocg<TestType, 1>(wrong)), Error);
  wrong = {};
  wrong.max_iterations = 0;
  REQUIRE_THROWS_AS((solvers::Cocg<TestType, 1>(wrong)), Error);
  const auto other = test::columns_on<1>(exec, {ComplexVector(3)});
  const solvers::ShiftedOperator<TestType, 1> a(exec, test::shifted_on(exec, problem.k, problem.m));
  REQUIRE_THROWS_AS((solvers::Cocg<TestType, 1>({}).solve(exec, a, identity, other, other)), Error);
}

TEST_CASE("A team inverts K + s M with the bits of one thread, and finds the row that is singular", "[harmonic]") {
  using Dense = std::vector<solvers::detail::DenseEntry>;
  const auto dense = [](const test::Rows& k, const test::Rows& m, Complex s) {
    const std::size_t n = k.size();
    Dense a(n * n);
    for (std::size_t i = 0; i < n; ++i) {
      for (const auto& [column, value] : k[i])
        a[i * n + static_cast<std::size_t>(column)].column[0] += value;
      for (const auto& [column, value] : m[i]) {
        a[i * n + static_cast<std::size_t>(column)].column[0] += s.real() * value;
        a[i * n + static_cast<std::size_t>(column)].column[1] += s.imag() * value;
      }
    }
    return a;
  };
  const auto number = [](const solvers::detail::DenseEntry& entry) {
    return Complex(entry.column[0], entry.column[1]);
  };
  for (const int cells : {2, 7}) // without the fixed values K is singular, but not K + s M
    for (const Complex s : {1e-3 * j, j, 1e6 * j, Complex(2.)}) {
      const Dense a = dense(test::laplacian(cells, cells, true), test::random_spd(cells * cells, 3, 1), s);
      const auto n = static_cast<index_t>(cells * cells);
      Dense alone = a, by_team = a, by_lanes = a;
      std::vector<Dense> scratch(3, Dense(3 * a.size()));
      REQUIRE(solvers::detail::invert_complex(solvers::detail::LoneThread(), alone.data(), n, scratch[0].data()) == -1);
      test::run_team(5, 0, [&](const test::ThreadTeam& team) {
        solvers::detail::invert_complex(team, by_team.data(), n, scratch[1].data());
      });
      test::run_team(64, 0, [&](const test::ThreadTeam& team) {
        solvers::detail::invert_complex(team, by_lanes.data(), n, scratch[2].data());
      });
      double largest = 0.;
      for (index_t i = 0; i < n; ++i)
        for (index_t l = 0; l < n; ++l) {
          const auto at = static_cast<std::size_t>(i * n + l);
          REQUIRE(number(by_team[at]) == number(alone[at]));
          REQUIRE(number(by_lanes[at]) == number(alone[at]));
          Complex sum = i == l ? -1. : 0.;
          for (index_t p = 0; p < n; ++p)
            sum += number(a[static_cast<std::size_t>(i * n + p)]) * number(alone[static_cast<std::size_t>(p * n + l)]);
          largest = std::max(largest, std::abs(sum));
        }
      REQUIRE(largest < 1e-9);
    }
  Dense singular = dense(test::laplacian(4, 4, true), test::laplacian(4, 4, true), j);
  Dense scratch(48);
  REQUIRE(solvers::detail::invert_complex(solvers::detail::LoneThread(), singular.data(), 16, scratch.data()) == 15);
}
