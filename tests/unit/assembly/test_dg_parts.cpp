// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "assembly/dg/form_part.hpp"
#include "dg_problem.hpp"
#include "spaces.hpp"

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

namespace tessera::test {

namespace {

/// Polytopes of degrees from one to the highest, in a slab of one or two steps each if asked for, behind one with a
/// solution.
template <class ExecutionSpace, int Dim>
dg::Form<Dim, typename ExecutionSpace::memory_space> form_of(const ExecutionSpace& exec, index_t n_cells, index_t width,
                                                             bool in_time, int highest_degree = 4) {
  std::array<index_t, Dim> cells;
  cells.fill(n_cells);
  const auto mesh = polytopic_box<Dim>(exec, cells, width);
  std::vector<int> degrees;
  std::vector<int> steps;
  for (index_t e = 0; e < mesh.n_elements(); ++e) {
    degrees.push_back(2 * e < mesh.n_elements() ? 1 + e % 2 : 1 + e % highest_degree); // the extremes of parts differ
    steps.push_back(1 + e % 2);
  }
  auto space = fe::make_modal_space<Dim>(exec, mesh.boxes, array_of(exec, degrees),
                                         in_time ? fe::TimePolynomials::p : fe::TimePolynomials::none,
                                         in_time ? array_of(exec, steps) : Array<int*, ExecutionSpace>());
  space.from = 0.2;
  space.to = in_time ? 0.5 : 0.2;
  return dg::make_form(exec, mesh, space, variable_problem<Dim>(2, in_time).problem);
}

template <class ExecutionSpace, int Dim>
DenseSystem assembled(const ExecutionSpace& exec, const dg::Form<Dim, typename ExecutionSpace::memory_space>& form,
                      dg::Strategy strategy, const Array<const double*, ExecutionSpace>& previous) {
  const auto assembler = dg::make_assembler<ExecutionSpace>(form, strategy);
  assembler->symbolic(exec);
  assembler->numeric(exec, {form.space.from, form.space.to, previous});
  return dense_system(exec, *assembler);
}

template <class ExecutionSpace, int Dim>
void check_parts(index_t cells, index_t width, bool in_time, int n_parts, dg::Strategy strategy, double tolerance,
                 int highest_degree = 4) {
  CAPTURE(Dim, cells, width, in_time, n_parts, static_cast<int>(strategy));
  const ExecutionSpace exec;
  const auto whole = form_of<ExecutionSpace, Dim>(exec, cells, width, in_time, highest_degree);
  std::vector<double> coefficients;
  for (index_t i = 0; i < whole.space.n_dofs; ++i)
    coefficients.push_back(1. + (i % 7) / 7.);
  const Array<const double*, ExecutionSpace> previous = array_of(exec, coefficients);
  const DenseSystem expected = assembled<ExecutionSpace, Dim>(exec, whole, strategy, previous);
  const std::vector<index_t> cuts = dg::cut_elements<ExecutionSpace, Dim>(exec, whole, n_parts);
  REQUIRE(cuts.front() == 0);
  REQUIRE(cuts.back() == whole.n_elements());
  const auto dofs = to_host(exec, whole.space.dof_offsets);
  double largest = 0.;
  for (const double value : expected.matrix)
    largest = std::max(largest, std::fabs(value));
  for (std::size_t k = 0; k + 1 < cuts.size(); ++k) {
    REQUIRE(cuts[k] < cuts[k + 1]);
    const auto part = dg::make_form_part<ExecutionSpace, Dim>(exec, whole, cuts[k], cuts[k + 1]);
    REQUIRE(part.n_own == cuts[k + 1] - cuts[k]);
    CHECK((part.n_ghosts() > 0) == (n_parts > 1));
    const auto local_previous =
        make_array<Array<double*, ExecutionSpace>>(exec, "test", static_cast<std::int64_t>(part.form.space.n_dofs));
    dg::restrict_to_part<ExecutionSpace, Dim>(exec, whole, part, previous, local_previous);
    const DenseSystem local = assembled<ExecutionSpace, Dim>(exec, part.form, strategy, local_previous);
    const auto elements = to_host(exec, part.elements);
    const auto local_dofs = to_host(exec, part.form.space.dof_offsets);
    std::vector<index_t> number; // in the whole form, of each unknown
    for (index_t e = 0; e < part.form.n_elements(); ++e)
      for (index_t i = local_dofs(e); i < local_dofs(e + 1); ++i)
        number.push_back(dofs(elements(e)) + i - local_dofs(e));
    const auto n = static_cast<std::size_t>(local.n);
    double difference = 0.;
    std::size_t n_entries = 0;
    for (index_t i = local_dofs(part.first_own); i < local_dofs(part.first_own + part.n_own); ++i) {
      const auto row = static_cast<std::size_t>(number[static_cast<std::size_t>(i)]);
      difference =
          std::max(difference, std::fabs(local.rhs[static_cast<std::size_t>(i)] - expected.rhs[row]) / largest);
      for (std::size_t j = 0; j < n; ++j) {
        const double value = local.matrix[static_cast<std::size_t>(i) * n + j];
        n_entries += value != 0. ? 1 : 0;
        difference = std::max(difference, std::fabs(value - expected.matrix[row * static_cast<std::size_t>(expected.n) +
                                                                            static_cast<std::size_t>(number[j])]) /
                                              largest);
      }
      for (std::size_t j = 0; j < static_cast<std::size_t>(expected.n); ++j)
        n_entries -= expected.matrix[row * static_cast<std::size_t>(expected.n) + j] != 0. ? 1 : 0;
    }
    CHECK(n_entries == 0); // no column of a row is missing
    CHECK(difference <= tolerance);
  }
}

} // namespace

TEMPLATE_LIST_TEST_CASE("The rows of parts have the bits of the whole", "[dg]", ExecutionSpaces) {
  for (const int n_parts : {1, 2, 5})
    check_parts<TestType, 2>(6, 2, false, n_parts, dg::Strategy::block_rows, 0.);
  check_parts<TestType, 2>(5, 2, true, 3, dg::Strategy::block_rows, 0.);
  check_parts<TestType, 2>(4, 0, false, 3, dg::Strategy::block_rows, 0.);
  check_parts<TestType, 3>(3, 2, false, 3, dg::Strategy::block_rows, 0.);
  // Sums of some thousand terms in another order. (The reference computes penalties by itself, from all faces of an
  // element, which the ghosts of a part do not have.)
  for (const dg::Strategy strategy : {dg::Strategy::triplets, dg::Strategy::atomic})
    check_parts<TestType, 2>(4, 2, true, 3, strategy, 1e-13, 2); // slow for high degrees
}

TEMPLATE_LIST_TEST_CASE("Parts have about the same work, and an element at least", "[dg]", ExecutionSpaces) {
  const TestType exec;
  const auto form = form_of<TestType, 2>(exec, 6, 2, false);
  const index_t n = form.n_elements();
  const std::vector<index_t> each = dg::cut_elements<TestType, 2>(exec, form, n);
  for (index_t e = 0; e <= n; ++e)
    CHECK(each[static_cast<std::size_t>(e)] == e);
  CHECK_THROWS_WITH((dg::cut_elements<TestType, 2>(exec, form, n + 1)),
                    Catch::Matchers::ContainsSubstring("processes are more than the mesh has elements"));

  std::array<index_t, 2> cells{40, 40};
  const auto mesh = polytopic_box<2>(exec, cells, 0);
  std::vector<int> degrees(static_cast<std::size_t>(mesh.n_elements()), 1);
  std::fill(degrees.begin(), degrees.begin() + mesh.n_elements() / 2, 4); // the first half has more work
  const auto uneven = dg::make_form(exec, mesh, fe::make_modal_space<2>(exec, mesh.boxes, array_of(exec, degrees)),
                                    variable_problem<2>(2).problem);
  const std::vector<index_t> cuts = dg::cut_elements<TestType, 2>(exec, uneven, 2);
  CHECK(cuts[1] > mesh.n_elements() / 5);
  CHECK(cuts[1] < mesh.n_elements() * 2 / 5);
}

} // namespace tessera::test
