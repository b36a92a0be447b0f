// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/transfer/upload.hpp"
#include "meshes.hpp"
#include "setups.hpp"
#include "strategies.hpp"
#include "support/bulged_box.hpp"
#include "support/spaces.hpp"

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <algorithm>
#include <cmath>

namespace tessera::test {

namespace {

// The terms of a sum in another order, as in test_strategies.cpp.
constexpr double tolerance = 1e-13;

double entry_of_x(std::int64_t i) { return 1. + static_cast<double>(i % 7) / 7.; }

/// Rows on the host, with global numbers.
struct Rows {
  std::vector<std::map<index_t, double>> matrix; ///< empty without a matrix
  std::vector<double> rhs;
  std::vector<double> diagonal;
  std::vector<double> product; ///< matrix times the vector of entry_of_x
};

template <class Array> std::vector<double> piece(const Array& host, index_t first, index_t n) {
  return std::vector<double>(host.data() + first, host.data() + first + n);
}

/// The rows [first, first + n) of an assembled system. `numbers`: global numbers of all its unknowns.
template <class ExecutionSpace>
Rows rows_of(const ExecutionSpace& exec, assembly::Assembler<ExecutionSpace>& assembler,
             const std::vector<std::int64_t>& numbers, index_t first, index_t n) {
  assembler.symbolic(exec);
  assembler.numeric(exec);
  std::vector<double> x;
  for (const std::int64_t number : numbers)
    x.push_back(entry_of_x(number));
  const auto size = static_cast<std::int64_t>(numbers.size());
  const auto y = make_array<linalg::Vector<ExecutionSpace>>(exec, "test::y", size);
  const auto d = make_array<linalg::Vector<ExecutionSpace>>(exec, "test::d", size);
  assembler.system().apply(exec, uploaded(exec, "test::x", x), y);
  assembler.system().diagonal(exec, d);
  Rows rows;
  rows.rhs = piece(to_host(exec, assembler.rhs()), first, n);
  rows.diagonal = piece(to_host(exec, d), first, n);
  rows.product = piece(to_host(exec, y), first, n);
  if (const auto* matrix = assembler.matrix()) {
    const auto offsets = to_host(exec, matrix->offsets);
    const auto columns = to_host(exec, matrix->columns);
    const auto values = to_host(exec, matrix->values);
    rows.matrix.resize(static_cast<std::size_t>(n));
    for (index_t i = 0; i < n; ++i)
      for (offset_t k = offsets(first + i); k < offsets(first + i + 1); ++k)
        rows.matrix[static_cast<std::size_t>(i)][static_cast<index_t>(numbers[static_cast<std::size_t>(columns(k))])] =
            values(k);
  }
  return rows;
}

/// The largest difference between the rows of a partition, which start at global row `first`, and the oracle's.
double difference(const Rows& part, const Oracle& oracle, std::int64_t first) {
  double worst = 0.;
  for (std::size_t i = 0; i < part.rhs.size(); ++i) {
    const auto row = static_cast<std::size_t>(first) + i;
    const double scale = std::max(oracle.row_sum[row], 1e-300);
    double product = 0.;
    double diagonal = 0.;
    for (const auto& entry : oracle.rows[row]) {
      product += entry.second * entry_of_x(entry.first);
      diagonal = entry.first == static_cast<index_t>(row) ? entry.second : diagonal;
    }
    worst = std::max({worst, std::fabs(part.product[i] - product) / (2. * scale),
                      std::fabs(part.diagonal[i] - diagonal) / scale,
                      std::fabs(part.rhs[i] - oracle.rhs[row]) / std::max(oracle.load_sum[row], 1e-300)});
  }
  return worst;
}

template <class ExecutionSpace>
void check_parts(const ExecutionSpace& exec, const Problem<ExecutionSpace>& problem, int n_parts) {
  const std::vector<std::int64_t> cuts =
      fe::cut_unknowns<ExecutionSpace>(exec, problem.dofs, problem.element_table, n_parts);
  REQUIRE(cuts.size() == static_cast<std::size_t>(n_parts) + 1);
  REQUIRE(cuts.front() == 0);
  REQUIRE(cuts.back() == problem.n_free);
  std::vector<std::int64_t> all;
  for (index_t i = 0; i < problem.n_free; ++i)
    all.push_back(i);
  for (const assembly::Strategy strategy : all_strategies()) {
    assembly::AssemblyOptions options;
    options.strategy = strategy;
    INFO(text_of(options));
    const auto whole_assembler = problem.make_assembler(options);
    const Rows whole = rows_of<ExecutionSpace>(exec, *whole_assembler, all, 0, problem.n_free);
    for (std::size_t r = 0; r + 1 < cuts.size(); ++r) {
      REQUIRE(cuts[r] < cuts[r + 1]);
      const auto part = fe::make_dof_part<ExecutionSpace>(
          exec, problem.dofs, problem.element_table, static_cast<index_t>(cuts[r]), static_cast<index_t>(cuts[r + 1]));
      REQUIRE(part.n_owned == cuts[r + 1] - cuts[r]);
      REQUIRE(std::is_sorted(part.ghosts.begin(), part.ghosts.end()));
      std::vector<std::int64_t> numbers = part.ghosts; // with the owned unknowns inserted at their position
      for (std::int64_t i = cuts[r]; i < cuts[r + 1]; ++i)
        numbers.push_back(i);
      std::sort(numbers.begin(), numbers.end());
      REQUIRE(static_cast<index_t>(numbers.size()) == part.dofs.n_free);
      REQUIRE(numbers.at(static_cast<std::size_t>(part.first_owned)) == cuts[r]);
      const auto assembler = problem.make_part_assembler(part, options);
      const Rows rows = rows_of<ExecutionSpace>(exec, *assembler, numbers, part.first_owned, part.n_owned);
      CHECK(difference(rows, problem.oracle, cuts[r]) <= tolerance);
      if (rows.matrix.empty() || !assembly::is_deterministic(strategy) || assembly::uses_coloring(strategy))
        continue; // the colours of a partition differ from those of the whole mesh
      const auto begin = whole.matrix.begin() + static_cast<std::ptrdiff_t>(cuts[r]);
      CHECK(std::equal(rows.matrix.begin(), rows.matrix.end(), begin)); // bit for bit
      CHECK(std::equal(rows.rhs.begin(), rows.rhs.end(), whole.rhs.begin() + static_cast<std::ptrdiff_t>(cuts[r])));
    }
  }
}

template <int Dim, int Order, class ExecutionSpace, class AnySetup>
void check_setups(const ExecutionSpace& exec, const mesh::Mesh<Dim, typename ExecutionSpace::memory_space>& mesh,
                  std::vector<AnySetup> setups, int n_parts) {
  for (AnySetup& setup : setups) {
    INFO(setup.name << ", order " << Order << ", " << n_parts << " parts");
    setup.numbering = fe::Numbering::edges_after_vertices;
    check_parts(exec, make_problem<ExecutionSpace, Dim, Order>(exec, mesh, setup), n_parts);
  }
}

} // namespace

TEMPLATE_LIST_TEST_CASE("Rows that a part of the elements makes are those of the whole", "[equivalence][device]",
                        ExecutionSpaces) {
  const TestType exec;
  const auto plane = box_with_bodies<2>(exec, {9, 7}, 11);
  check_setups<2, 1>(exec, plane, make_setups(2, false), 3);
  check_setups<2, 2>(exec, plane, make_setups(2, true), 4);
  check_setups<2, 2>(exec, bulged<2>(exec, plane, 0.4), std::vector<Setup>{make_setups(2, false).at(3)}, 2);
  check_setups<2, 1>(exec, plane, make_magnetic_setups(true), 3);
  check_setups<2, 2>(exec, plane, make_magnetic_setups(false), 2);
  check_setups<2, 1>(exec, box_with_bodies<2>(exec, {13, 11}, 30), make_periodic_setups(2), 3);
  check_setups<3, 1>(exec, box_with_bodies<3>(exec, {7, 3, 3}, 13), make_setups(3, false), 3);
  check_setups<3, 2>(exec, box_with_bodies<3>(exec, {7, 3, 3}, 14),
                     std::vector<Setup>{make_setups(3, false).at(5), make_periodic_setups(3).at(5)}, 3);
}

TEMPLATE_LIST_TEST_CASE("Parts have about the same work, and an unknown at least", "[equivalence]", ExecutionSpaces) {
  const TestType exec;
  const auto problem =
      make_problem<TestType, 2, 1>(exec, box_with_bodies<2>(exec, {40, 40}, 11), make_setups(2, false).at(1));
  const auto cuts = fe::cut_unknowns<TestType>(exec, problem.dofs, problem.element_table, 4);
  for (std::size_t r = 0; r < 4; ++r) { // rows have 3 to 8 elements, most of them 6
    CHECK(static_cast<double>(cuts[r + 1] - cuts[r]) > 0.22 * problem.n_free);
    CHECK(static_cast<double>(cuts[r + 1] - cuts[r]) < 0.28 * problem.n_free);
  }
  auto box = unit_box<2>(exec, {2, 2});
  box.region_names = {"domain", "first", "second"};
  const auto few = make_problem<TestType, 2, 1>(exec, box, make_setups(2, false).at(1));
  const auto each = fe::cut_unknowns<TestType>(exec, few.dofs, few.element_table, few.n_free);
  for (index_t i = 0; i <= few.n_free; ++i)
    CHECK(each[static_cast<std::size_t>(i)] == i);
  CHECK_THROWS_MATCHES(
      fe::cut_unknowns<TestType>(exec, few.dofs, few.element_table, few.n_free + 1), Error,
      Catch::Matchers::MessageMatches(Catch::Matchers::ContainsSubstring("more than the problem has")));
}

} // namespace tessera::test
