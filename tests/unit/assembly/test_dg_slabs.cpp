// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Time slabs of the discontinuous Galerkin form against problems with known solutions.

#include "dg_problem.hpp"

#include <catch2/catch_test_macros.hpp>

namespace tessera::test {

namespace {

using Host = Kokkos::DefaultHostExecutionSpace;

/// Solves slab after slab from 0 to 1; errors of all of them.
template <int Dim>
dg::ErrorNorms march(const mesh::PolytopicMesh<Dim, HostMemory>& mesh, int p, fe::TimePolynomials time,
                     const std::vector<double>& times, const ExactProblem& problem) {
  const Host exec;
  auto space = fe::make_modal_space<Dim>(exec, mesh.boxes, p, time);
  space.from = times[0];
  space.to = times[1];
  dg::FormOptions options;
  options.extra_degree = 1;
  auto form = dg::make_form(exec, mesh, space, problem.problem, options);
  const auto assembler = dg::make_assembler<Host>(form);
  assembler->symbolic(exec);
  dg::ErrorNorms errors;
  dg::TimeSlab<HostMemory> slab;
  for (std::size_t n = 1; n < times.size(); ++n) {
    slab.from = times[n - 1];
    slab.to = times[n];
    form.set_slab(slab);
    dg::update_penalty(exec, form);
    assembler->numeric(exec, slab);
    const Array<const double*, Host> u = array_of(exec, solve(dense_system(exec, *assembler)));
    errors.append(dg::error_norms(exec, form, u, problem.exact));
    slab.previous = u;
  }
  return errors;
}

std::vector<double> steps(int n) {
  std::vector<double> times;
  for (int k = 0; k <= n; ++k)
    times.push_back(static_cast<double>(k) / n);
  return times;
}

/// u = x y exp(-2 t) with A = I, c = 1: in space exact for order 2, so that all of the error is that of time.
ExactProblem decay() {
  using physics::Expression;
  ExactProblem problem;
  physics::TransportRegion region;
  region.diffusion = {Expression(1.)};
  region.reaction = Expression(1.);
  problem.exact.value = Expression::parse("x * y * exp(-2 * t)");
  problem.exact.gradient = {Expression::parse("y * exp(-2 * t)"), Expression::parse("x * exp(-2 * t)")};
  region.source = Expression::parse("-x * y * exp(-2 * t)"); // u_t + u
  region.initial = problem.exact.value;
  problem.problem.regions = {region};
  for (group_t group = 0; group < 4; ++group)
    problem.problem.boundaries.push_back(
        {group, "side", physics::TransportCondition::dirichlet, problem.exact.value, ""});
  return problem;
}

/// u = exp(-2 t), which satisfies u_t + 2 u = 0 without data.
ExactProblem uniform_decay() {
  using physics::Expression;
  ExactProblem problem;
  physics::TransportRegion region;
  region.diffusion = {Expression(1.)};
  region.reaction = Expression(2.);
  region.initial = Expression(1.);
  problem.exact = {Expression::parse("exp(-2 * t)"), {Expression(0.), Expression(0.)}};
  problem.problem.regions = {region};
  return problem;
}

} // namespace

TEST_CASE("Polynomials of space and time are reproduced in slabs of any length, with coefficients of time", "[dg]") {
  const Host exec;
  const double rounding = 1e-10; // of a direct solver, over three slabs
  const std::vector<double> times{0., 0.5, 0.6, 1.};
  const auto check = [&](const dg::ErrorNorms& errors) {
    CHECK(errors.exact_l2 > 0.1);
    CHECK(errors.l2 <= rounding * errors.exact_l2);
    CHECK(errors.dg() <= 100. * rounding * errors.exact_l2); // derivatives
    CHECK(errors.at_end <= rounding * errors.exact_at_end);
  };
  const auto polygons = polytopic_box<2>(exec, {4, 4}, 2);
  for (int p = 1; p <= 3; ++p)
    check(march<2>(polygons, p, fe::TimePolynomials::p, times, variable_problem<2>(p, true)));
  check(march<2>(polygons, 2, fe::TimePolynomials::pq, times, variable_problem<2>(2, true)));
  check(march<3>(polytopic_box<3>(exec, {2, 2, 2}, 1), 2, fe::TimePolynomials::p, times, variable_problem<3>(2, true)));
}

TEST_CASE("A polynomial of too high a degree in time is not reproduced", "[dg]") {
  const Host exec;
  const auto mesh = polytopic_box<2>(exec, {4, 4}, 2);
  const dg::ErrorNorms errors = march<2>(mesh, 1, fe::TimePolynomials::p, steps(2), variable_problem<2>(2, true));
  CHECK(errors.l2 > 1e-4 * errors.exact_l2);
}

TEST_CASE("Slabs converge in time with order p + 1, and with 2 p + 1 at their ends for P x Q", "[dg]") {
  const Host exec;
  const auto mesh = polytopic_box<2>(exec, {2, 2}, 1);
  const auto order = [&](const ExactProblem& problem, int p, fe::TimePolynomials time, int n, auto norm) {
    const double coarse = norm(march<2>(mesh, p, time, steps(n), problem));
    return std::log2(coarse / norm(march<2>(mesh, p, time, steps(2 * n), problem)));
  };
  const auto l2 = [](const dg::ErrorNorms& errors) { return errors.l2; };
  const auto at_end = [](const dg::ErrorNorms& errors) { return errors.at_end; };
  CHECK(order(decay(), 2, fe::TimePolynomials::pq, 2, l2) >= 2.8);
  CHECK(order(decay(), 3, fe::TimePolynomials::pq, 2, l2) >= 3.8);
  CHECK(order(uniform_decay(), 1, fe::TimePolynomials::pq, 4, at_end) >= 2.8);
  CHECK(order(uniform_decay(), 2, fe::TimePolynomials::pq, 2, at_end) >= 4.8);
  // P of degree p has degree p - 2 in time beside the product x y: order p - 1.
  CHECK(order(decay(), 3, fe::TimePolynomials::p, 4, l2) >= 1.8);
  CHECK(order(decay(), 4, fe::TimePolynomials::p, 2, l2) >= 2.7);
}

} // namespace tessera::test
