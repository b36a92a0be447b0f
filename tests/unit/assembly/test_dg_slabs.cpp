// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Time slabs of the discontinuous Galerkin form against problems with known solutions.

#include "dg_problem.hpp"

#include <catch2/catch_test_macros.hpp>

namespace tessera::test {

namespace {

using Host = Kokkos::DefaultHostExecutionSpace;

/// Solves slab after slab from 0 to 1, with the given numbers of steps per slab assigned to the elements in turn;
/// returns the errors over all slabs.
template <int Dim>
dg::ErrorNorms march(const mesh::PolytopicMesh<Dim, HostMemory>& mesh, int p, fe::TimePolynomials time,
                     const std::vector<double>& times, const ExactProblem& problem,
                     const std::vector<int>& local_steps = {1}) {
  const Host exec;
  std::vector<int> steps;
  for (index_t e = 0; e < mesh.n_elements(); ++e)
    steps.push_back(local_steps[static_cast<std::size_t>(e) % local_steps.size()]);
  const std::vector<int> degrees(steps.size(), p);
  auto space = fe::make_modal_space<Dim>(exec, mesh.boxes, array_of(exec, degrees), time, array_of(exec, steps));
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

/// u = x y exp(-2 t) with A = I, c = 1: exact in space for order 2, so that only time discretization causes errors.
ExactProblem decay() {
  using physics::Expression;
  ExactProblem problem;
  physics::AdvectionRegion region;
  region.diffusion = {Expression(1.)};
  region.reaction = Expression(1.);
  problem.exact.value = Expression::parse("x * y * exp(-2 * t)");
  problem.exact.gradient = {Expression::parse("y * exp(-2 * t)"), Expression::parse("x * exp(-2 * t)")};
  region.source = Expression::parse("-x * y * exp(-2 * t)"); // u_t + u
  region.initial = problem.exact.value;
  problem.problem.regions = {region};
  for (group_t group = 0; group < 4; ++group)
    problem.problem.boundaries.push_back(
        {group, "side", physics::AdvectionCondition::dirichlet, problem.exact.value, ""});
  return problem;
}

/// u = exp(-2 t), which satisfies u_t + 2 u = 0 without data.
ExactProblem uniform_decay() {
  using physics::Expression;
  ExactProblem problem;
  physics::AdvectionRegion region;
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
  const double rounding = 1e-10; // rounding of a direct solver over three slabs
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

TEST_CASE("Polynomials are reproduced where elements take steps of their own", "[dg]") {
  const Host exec;
  const double rounding = 1e-10; // as above
  const auto check = [&](const dg::ErrorNorms& errors) {
    CHECK(errors.l2 <= rounding * errors.exact_l2);
    CHECK(errors.dg() <= 100. * rounding * errors.exact_l2);
    CHECK(errors.at_end <= rounding * errors.exact_at_end);
  };
  const std::vector<double> times{0., 0.6, 1.};
  const auto polygons = polytopic_box<2>(exec, {4, 4}, 2);
  check(march<2>(polygons, 1, fe::TimePolynomials::p, times, variable_problem<2>(1, true), {1, 4}));
  check(march<2>(polygons, 2, fe::TimePolynomials::p, times, variable_problem<2>(2, true), {2, 1, 1}));
  check(march<2>(polygons, 2, fe::TimePolynomials::pq, times, variable_problem<2>(2, true), {1, 2}));
  check(march<3>(polytopic_box<3>(exec, {2, 2, 2}, 1), 1, fe::TimePolynomials::p, times, variable_problem<3>(1, true),
                 {4, 1, 2}));
}

TEST_CASE("Steps of all elements within a slab are slabs of that length", "[dg]") {
  const Host exec;
  const auto mesh = polytopic_box<2>(exec, {4, 4}, 2);
  const ExactProblem problem = decay();
  const auto slabs = march<2>(mesh, 2, fe::TimePolynomials::p, steps(8), problem);
  const auto within = march<2>(mesh, 2, fe::TimePolynomials::p, steps(2), problem, {4});
  CHECK(slabs.l2 > 1e-6 * slabs.exact_l2);
  CHECK(std::fabs(slabs.l2 - within.l2) < 1e-9 * slabs.l2); // rounding of direct solvers, relative to an error of some
                                                            // 1e-4
  CHECK(std::fabs(slabs.at_end - within.at_end) < 1e-9 * slabs.l2);
}

TEST_CASE("The more elements take short steps, the smaller is the error", "[dg]") {
  const Host exec;
  const auto mesh = polytopic_box<2>(exec, {2, 2}, 1);
  const ExactProblem problem = decay();
  const auto l2 = [&](const std::vector<int>& local_steps) {
    return march<2>(mesh, 2, fe::TimePolynomials::pq, steps(1), problem, local_steps).l2;
  };
  const double long_steps = l2({1});
  const double mixed = l2({4, 1});
  const double short_steps = l2({4});
  CHECK(short_steps < 0.1 * long_steps); // order 3
  CHECK(mixed < 0.9 * long_steps);
  CHECK(mixed > short_steps);
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
  // The space P of degree p has degree p - 2 in time for the product x y: order p - 1.
  CHECK(order(decay(), 3, fe::TimePolynomials::p, 4, l2) >= 1.8);
  CHECK(order(decay(), 4, fe::TimePolynomials::p, 2, l2) >= 2.7);
}

} // namespace tessera::test
