// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "assembly/dg/form/data_check.hpp"
#include "dg_problem.hpp"
#include "spaces.hpp"

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

namespace tessera::test {

namespace {

double largest(const std::vector<double>& values) {
  double result = 0.;
  for (const double value : values)
    result = std::max(result, std::fabs(value));
  return result;
}

double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  REQUIRE(a.size() == b.size());
  double result = 0.;
  for (std::size_t i = 0; i < a.size(); ++i)
    result = std::max(result, std::fabs(a[i] - b[i]));
  return result;
}

/// How elements differ in their time discretization.
struct InTime {
  fe::TimePolynomials polynomials = fe::TimePolynomials::none;
  std::vector<int> steps = {}; ///< assigned to the elements in turn; empty: one step each
  bool has_transient_data = true;
};

/// A mesh of elements of one to four degrees, steady or in the slab [0.2, 0.5].
template <class ExecutionSpace, int Dim>
dg::Form<Dim, typename ExecutionSpace::memory_space> mixed_form(const ExecutionSpace& exec, index_t n_cells,
                                                                index_t width, int lowest, int n_degrees,
                                                                const InTime& time = {}) {
  std::array<index_t, Dim> cells;
  cells.fill(n_cells);
  const auto mesh = polytopic_box<Dim>(exec, cells, width);
  std::vector<int> degrees;
  std::vector<int> steps;
  for (index_t e = 0; e < mesh.n_elements(); ++e) {
    degrees.push_back(lowest + e % n_degrees);
    if (!time.steps.empty())
      steps.push_back(time.steps[static_cast<std::size_t>(e / n_degrees) % time.steps.size()]);
  }
  auto space = fe::make_modal_space<Dim>(exec, mesh.boxes, array_of(exec, degrees), time.polynomials,
                                         steps.empty() ? Array<int*, ExecutionSpace>() : array_of(exec, steps));
  space.from = 0.2;
  space.to = time.polynomials == fe::TimePolynomials::none ? 0.2 : 0.5;
  return dg::make_form(exec, mesh, space, variable_problem<Dim>(2, time.has_transient_data).problem);
}

/// Time slab of the form, after a slab whose solution has coefficients between 1 and 2.
template <class ExecutionSpace, int Dim>
dg::TimeSlab<typename ExecutionSpace::memory_space>
slab_of(const ExecutionSpace& exec, const dg::Form<Dim, typename ExecutionSpace::memory_space>& form) {
  std::vector<double> previous;
  for (index_t i = 0; i < form.space.n_dofs; ++i)
    previous.push_back(1. + (i % 7) / 7.);
  return {form.space.from, form.space.to, array_of(exec, previous)};
}

template <class ExecutionSpace, int Dim>
DenseSystem assembled(const ExecutionSpace& exec, const dg::Form<Dim, typename ExecutionSpace::memory_space>& form,
                      dg::Strategy strategy, Precision precision = Precision::double_precision, int times = 1) {
  const auto assembler = dg::make_assembler<ExecutionSpace>(form, strategy, precision);
  assembler->symbolic(exec);
  const auto slab = slab_of(exec, form);
  for (int k = 0; k < times; ++k)
    assembler->numeric(exec, slab);
  return dense_system(exec, *assembler);
}

template <class ExecutionSpace, int Dim>
void check_strategies(index_t cells, index_t width, int lowest, int n, const InTime& time = {}) {
  CAPTURE(Dim, cells, width, lowest, n, static_cast<int>(time.polynomials), time.steps, time.has_transient_data);
  const ExecutionSpace exec;
  const auto form = mixed_form<ExecutionSpace, Dim>(exec, cells, width, lowest, n, time);
  const DenseSystem reference = assembled<ExecutionSpace, Dim>(exec, form, dg::Strategy::reference);
  for (const dg::StrategyTraits& traits : dg::strategy_table) {
    CAPTURE(traits.name);
    const DenseSystem system =
        assembled<ExecutionSpace, Dim>(exec, form, traits.strategy, Precision::double_precision, 2);
    // Sums of up to some thousand terms in a different order.
    CHECK(largest_difference(system.matrix, reference.matrix) <= 1e-13 * largest(reference.matrix));
    CHECK(largest_difference(system.rhs, reference.rhs) <= 1e-13 * largest(reference.rhs));
    if (traits.is_deterministic) {
      const DenseSystem again = assembled<ExecutionSpace, Dim>(exec, form, traits.strategy);
      CHECK(again.matrix == system.matrix);
      CHECK(again.rhs == system.rhs);
      const auto assembler = dg::make_assembler<ExecutionSpace>(form, traits.strategy);
      assembler->symbolic(exec);
      assembler->load(exec, slab_of(exec, form));
      const auto rhs = to_host(exec, assembler->rhs());
      CHECK(std::equal(system.rhs.begin(), system.rhs.end(), rhs.data()));
    }
    const auto make_single = [&, strategy = traits.strategy] {
      return dg::make_assembler<ExecutionSpace>(form, strategy, Precision::single_precision);
    };
    if (!traits.has_single_precision) {
      CHECK_THROWS_WITH(make_single(), Catch::Matchers::ContainsSubstring("reference has no single precision"));
    } else {
      const DenseSystem single =
          assembled<ExecutionSpace, Dim>(exec, form, traits.strategy, Precision::single_precision);
      // Values rounded to 6e-8 and sums of up to some thousand terms; a smaller difference would mean that double
      // precision was used. Strategies of single entries evaluate functions in single precision, too, whose powers
      // cancel the more the higher the degree.
      const bool rounds_functions =
          traits.strategy == dg::Strategy::triplets || traits.strategy == dg::Strategy::atomic;
      const double tolerance = rounds_functions && lowest + n > 5 ? 1e-3 : 1e-5;
      CHECK(largest_difference(single.matrix, reference.matrix) <= tolerance * largest(reference.matrix));
      CHECK(largest_difference(single.matrix, reference.matrix) >= 1e-9 * largest(reference.matrix));
      CHECK(largest_difference(single.rhs, reference.rhs) <= 1e-5 * largest(reference.rhs));
    }
  }
}

} // namespace

TEMPLATE_LIST_TEST_CASE("Every strategy makes the matrix and load of the reference", "[dg]", ExecutionSpaces) {
  check_strategies<TestType, 2>(3, 0, 1, 1);
  check_strategies<TestType, 2>(6, 2, 0, 4);
  check_strategies<TestType, 2>(2, 1, 5, 3); // few elements, as the strategies of the paper take long
  check_strategies<TestType, 3>(2, 0, 1, 1);
  check_strategies<TestType, 3>(3, 2, 1, 2);
  check_strategies<TestType, 2>(4, 2, 0, 3, {fe::TimePolynomials::p});
  check_strategies<TestType, 2>(2, 1, 1, 2, {fe::TimePolynomials::pq});
  check_strategies<TestType, 3>(2, 1, 1, 2, {fe::TimePolynomials::p});
}

TEMPLATE_LIST_TEST_CASE("Every strategy makes those of elements that take steps of their own", "[dg]",
                        ExecutionSpaces) {
  for (const bool transient : {false, true}) {
    check_strategies<TestType, 2>(4, 2, 1, 2, {fe::TimePolynomials::p, {1, 2}, transient});
    check_strategies<TestType, 2>(3, 1, 1, 1, {fe::TimePolynomials::p, {1, 4, 1, 2, 2}, transient});
    check_strategies<TestType, 2>(2, 1, 0, 2, {fe::TimePolynomials::pq, {4, 2}, transient});
    check_strategies<TestType, 3>(2, 0, 1, 1, {fe::TimePolynomials::p, {2, 1, 1}, transient});
  }
}

TEMPLATE_LIST_TEST_CASE("Block rows have the same bits on every backend", "[dg]", ExecutionSpaces) {
  const TestType exec;
  using First = std::tuple_element_t<0, ExecutionSpaces>;
  const First first;
  const auto check = [&](const auto& form, const auto& first_form, auto dim) {
    constexpr int Dim = decltype(dim)::value;
    for (const Precision precision : {Precision::double_precision, Precision::single_precision}) {
      const DenseSystem here = assembled<TestType, Dim>(exec, form, dg::Strategy::block_rows, precision);
      const DenseSystem there = assembled<First, Dim>(first, first_form, dg::Strategy::block_rows, precision);
      CHECK(here.matrix == there.matrix);
      CHECK(here.rhs == there.rhs);
    }
  };
  check(mixed_form<TestType, 2>(exec, 6, 2, 1, 3), mixed_form<First, 2>(first, 6, 2, 1, 3),
        std::integral_constant<int, 2>());
  check(mixed_form<TestType, 3>(exec, 2, 1, 1, 3), mixed_form<First, 3>(first, 2, 1, 1, 3),
        std::integral_constant<int, 3>());
  check(mixed_form<TestType, 2>(exec, 4, 2, 1, 2, {fe::TimePolynomials::p}),
        mixed_form<First, 2>(first, 4, 2, 1, 2, {fe::TimePolynomials::p}), std::integral_constant<int, 2>());
  for (const bool transient : {false, true}) {
    const InTime time{fe::TimePolynomials::p, {1, 4, 2}, transient};
    check(mixed_form<TestType, 2>(exec, 4, 2, 1, 2, time), mixed_form<First, 2>(first, 4, 2, 1, 2, time),
          std::integral_constant<int, 2>());
  }
}

TEMPLATE_LIST_TEST_CASE("Without advection the matrix is symmetric and positive definite", "[dg]", ExecutionSpaces) {
  const TestType exec;
  const auto mesh = polytopic_box<2>(exec, {6, 6}, 2);
  ExactProblem problem = variable_problem<2>(2);
  problem.problem.regions[0].advection.clear();
  CHECK(problem.problem.is_symmetric());
  const auto form = make_form<TestType, 2>(exec, mesh, 3, problem.problem);
  const DenseSystem system = assembled<TestType, 2>(exec, form, dg::Strategy::block_rows);
  const auto n = static_cast<std::size_t>(system.n);
  double asymmetry = 0.;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < i; ++j)
      asymmetry = std::max(asymmetry, std::fabs(system.matrix[i * n + j] - system.matrix[j * n + i]));
  CHECK(asymmetry <= 1e-13 * largest(system.matrix));
  CHECK(is_positive_definite(system));
}

TEMPLATE_LIST_TEST_CASE("Constants are conserved: rows of pure diffusion add up to zero inside", "[dg]",
                        ExecutionSpaces) {
  const TestType exec;
  const auto mesh = polytopic_box<3>(exec, {4, 4, 4}, 2);
  physics::AdvectionDiffusionReaction problem;
  problem.regions.resize(1);
  problem.regions[0].diffusion = {physics::Expression(2.), physics::Expression(1.), physics::Expression(3.)};
  const auto form = make_form<TestType, 3>(exec, mesh, 2, problem);
  const DenseSystem system = assembled<TestType, 3>(exec, form, dg::Strategy::block_rows);
  const auto dofs = to_host(exec, form.space.dof_offsets);
  double worst = 0.; // A applied to the function 1, whose coefficients are the first of each element
  for (index_t i = 0; i < system.n; ++i) {
    double sum = 0.;
    for (index_t e = 0; e < form.n_elements(); ++e)
      sum += system.matrix[static_cast<std::size_t>(i) * system.n + dofs(e)];
    worst = std::max(worst, std::fabs(sum));
  }
  CHECK(worst <= 1e-13 * largest(system.matrix));
}

TEMPLATE_LIST_TEST_CASE("Coefficients that do not fit are refused", "[dg]", ExecutionSpaces) {
  const TestType exec;
  const auto mesh = polytopic_box<2>(exec, {2, 2}, 1);
  const auto refuses = [&](const physics::AdvectionDiffusionReaction& problem, const std::string& message) {
    CHECK_THROWS_WITH((make_form<TestType, 2>(exec, mesh, 1, problem)), Catch::Matchers::ContainsSubstring(message));
  };
  const physics::Expression one(1.);
  refuses({}, "data of 0 regions, the mesh has 1");
  refuses({{{{one, one, one, one}, {}, {}, {}, "case.yaml:7"}}, {}, {}},
          "case.yaml:7: The diffusion tensor has 4 entries");
  refuses({{{{one}, {one}, {}, {}, ""}}, {}, {}}, "The advection has 1 entries; in 2D it has 2");
  const physics::AdvectionBoundary side{1, "right", physics::AdvectionCondition::dirichlet, one, ""};
  refuses({{{{one}, {}, {}, {}, ""}}, {side, side}, {}}, "Boundary 'right' has two conditions");
  refuses({{{{one}, {}, {}, {}, ""}}, {{9, "x", physics::AdvectionCondition::neumann, one, ""}}, {}}, "there is no 9");
}

TEMPLATE_LIST_TEST_CASE("Doubtful data are counted, impossible ones refused", "[dg]", ExecutionSpaces) {
  const TestType exec;
  const auto mesh = polytopic_box<2>(exec, {4, 4}, 2);
  using physics::Expression;
  physics::AdvectionDiffusionReaction problem;
  problem.regions = {{{Expression(1.), Expression(0.)}, // diffusion along x only
                      {Expression(2.), Expression::parse("1 + 4 * y")},
                      Expression(1.),
                      {},
                      ""}};
  const auto check = [&] {
    return dg::check_data(exec, make_form<TestType, 2>(exec, mesh, 1, problem), mesh.simplices.region_names, problem);
  };
  // Left: Neumann with inflow of b; bottom: inflow. Four faces of two points each.
  const dg::DataSummary summary = check();
  CHECK(std::fabs(summary.least_reaction + 1.) <= 1e-7);
  CHECK(summary.n_neumann_inflow == 4 * 2);
  CHECK(summary.n_inflow_without_data == 4 * 2);
  for (group_t group = 0; group < 4; ++group)
    problem.boundaries.push_back({group, "side", physics::AdvectionCondition::dirichlet, Expression(0.), ""});
  CHECK(check().n_neumann_inflow == 0);
  CHECK(check().n_inflow_without_data == 0);
  problem.regions[0].where = "case.yaml:3";
  problem.regions[0].diffusion = {Expression(1.), Expression(2.), Expression(3.)};
  CHECK_THROWS_WITH(check(), Catch::Matchers::ContainsSubstring(
                                 "case.yaml:3: A diffusion tensor that is not positive semidefinite came out in region "
                                 "'domain' near ("));
  problem.regions[0].diffusion = {Expression(1.)};
  problem.regions[0].reaction = Expression::parse("1 / (x - x)");
  CHECK_THROWS_WITH(check(), Catch::Matchers::ContainsSubstring("A coefficient that is not finite"));
}

} // namespace tessera::test
