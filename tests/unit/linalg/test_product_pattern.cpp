// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

// The pattern engine with a source other than elements: sparse products, by single threads and by teams.

#include "linalg/pattern/product_pattern.hpp"
#include "support/matrices.hpp"
#include "support/spaces.hpp"

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>

#include <random>
#include <set>
#include <vector>

using namespace tessera;

namespace {

/// Rows of up to `longest` of `n_columns` columns near the diagonal; every 11th is empty, every 50th has up to 300.
test::Rows random_rows(index_t n_rows, index_t n_columns, unsigned longest, unsigned seed) {
  std::mt19937 random(seed);
  test::Rows rows(n_rows);
  for (index_t i = 0; i < n_rows; ++i) {
    const unsigned n = i % 11 == 10 ? 0 : i % 50 == 7 ? 300 : 1 + random() % longest;
    for (unsigned k = 0; k < n; ++k)
      rows[i][static_cast<index_t>((static_cast<unsigned>(i) + random() % (n > longest ? n_columns : 2 * longest)) %
                                   static_cast<unsigned>(n_columns))] = 1.;
  }
  return rows;
}

std::vector<std::set<index_t>> product(const test::Rows& a, const test::Rows& b) {
  std::vector<std::set<index_t>> c(a.size());
  for (std::size_t i = 0; i < a.size(); ++i)
    for (const auto& entry : a[i])
      for (const auto& other : b[entry.first])
        c[i].insert(other.first);
  return c;
}

template <class ExecutionSpace>
void check_pattern(const ExecutionSpace& exec, const linalg::CrsMatrix<typename ExecutionSpace::memory_space>& matrix,
                   const std::vector<std::set<index_t>>& expected) {
  REQUIRE(matrix.n_rows() == static_cast<index_t>(expected.size()));
  const auto offsets = to_host(exec, matrix.offsets);
  const auto columns = to_host(exec, matrix.columns);
  REQUIRE(offsets(0) == 0);
  REQUIRE(offsets(expected.size()) == matrix.n_entries());
  std::size_t n_wrong = 0;
  for (std::size_t i = 0; i < expected.size(); ++i)
    n_wrong += std::vector<index_t>(columns.data() + offsets(i), columns.data() + offsets(i + 1)) ==
                       std::vector<index_t>(expected[i].begin(), expected[i].end())
                   ? 0
                   : 1;
  CHECK(n_wrong == 0);
}

/// The product with another accumulator and other teams than the default.
template <class Space, class Accumulator, int Rows> struct ProductBy : linalg::ProductColumns<Space> {
  using linalg::ProductColumns<Space>::ProductColumns;
  using accumulator = Accumulator;
  static constexpr int rows = Rows;
};

} // namespace

TEMPLATE_LIST_TEST_CASE("Sparse products have the columns of the rows that they combine", "[linalg][pattern]",
                        test::ExecutionSpaces) {
  using Space = typename TestType::memory_space;
  const TestType exec;
  const test::Rows left = random_rows(777, 500, 4, 1);
  const test::Rows right = random_rows(500, 901, 6, 2);
  const auto expected = product(left, right);
  std::size_t longest = 0;
  for (const auto& row : expected)
    longest = std::max(longest, row.size());
  REQUIRE(longest > 300); // exceeds the capacity of every accumulator
  const auto a = test::crs_on(exec, left);
  const auto b = test::crs_on(exec, right);

  SECTION("in the space's own form") { check_pattern(exec, linalg::product_pattern(exec, a, b), expected); }
  SECTION("by single threads") {
    using Stack = linalg::StackAccumulator<16, false, is_host_space<TestType>>;
    check_pattern(exec, linalg::make_pattern(exec, ProductBy<Space, Stack, 1>(a, b), a.n_rows()), expected);
  }
  SECTION("by teams, in registers") {
    using Registers = linalg::RegisterAccumulator<12>;
    check_pattern(exec, linalg::make_pattern(exec, ProductBy<Space, Registers, 64>(a, b), a.n_rows()), expected);
  }
  SECTION("by teams, in scratch memory") {
    using Scratch = linalg::ScratchAccumulator<24>;
    check_pattern(exec, linalg::make_pattern(exec, ProductBy<Space, Scratch, 32>(a, b), a.n_rows()), expected);
  }
  SECTION("without rows") {
    const auto none = test::crs_on(exec, test::Rows());
    check_pattern(exec, linalg::product_pattern(exec, none, b), {});
  }
  SECTION("with empty rows alone") {
    const test::Rows empty(70);
    check_pattern(exec, linalg::product_pattern(exec, test::crs_on(exec, empty), b), product(empty, right));
  }
}
