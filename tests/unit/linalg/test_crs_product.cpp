// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "linalg/products/crs_product.hpp"
#include "support/matrices.hpp"
#include "support/spaces.hpp"

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>

using namespace tessera;

namespace {

/// Rows of up to `longest` entries; every 9th is empty, row 5 may be full.
test::Rows random_rows(index_t n_rows, index_t n_cols, unsigned longest, unsigned seed, bool has_full_row = true) {
  std::mt19937 random(seed);
  test::Rows rows(static_cast<std::size_t>(n_rows));
  for (index_t i = 0; i < n_rows; ++i) {
    const bool is_full = i == 5 && has_full_row;
    const unsigned n = i % 9 == 8 ? 0 : is_full ? static_cast<unsigned>(n_cols) : 1 + random() % longest;
    for (unsigned k = 0; k < n; ++k) {
      const auto column = static_cast<index_t>(is_full ? k : random() % static_cast<unsigned>(n_cols));
      rows[static_cast<std::size_t>(i)][column] = static_cast<double>(random()) / 2147483648. - 1.;
    }
  }
  return rows;
}

template <class ExecutionSpace>
test::Rows rows_of(const ExecutionSpace& exec, const linalg::CrsMatrix<typename ExecutionSpace::memory_space>& matrix) {
  const auto offsets = to_host(exec, matrix.offsets);
  const auto columns = to_host(exec, matrix.columns);
  const auto values = to_host(exec, matrix.values);
  test::Rows rows(static_cast<std::size_t>(matrix.n_rows()));
  for (index_t i = 0; i < matrix.n_rows(); ++i)
    for (offset_t k = offsets(i); k < offsets(i + 1); ++k) {
      REQUIRE((k == offsets(i) || columns(k - 1) < columns(k)));
      rows[static_cast<std::size_t>(i)][columns(k)] = values(k);
    }
  return rows;
}

} // namespace

TEMPLATE_LIST_TEST_CASE("Products of rectangular matrices add their terms in the order of the left row",
                        "[linalg][device]", test::ExecutionSpaces) {
  const TestType exec;
  // Devices have a kernel for each: 8, 16 and 24 columns in registers, tables of threads, of teams of two sizes, and of
  // groups of threads, single rows that are too long for these, and all rows too long. The longest row does not fit the
  // table of a host.
  struct Shape {
    unsigned longest_left;
    unsigned longest_right;
    bool has_full_row;
    index_t n_columns;
  };
  for (const Shape shape : {Shape{5, 2, false, 140},
                            {9, 3, false, 140},
                            {9, 12, false, 140},
                            {9, 12, false, 14},
                            {20, 12, false, 20},
                            {60, 12, false, 38},
                            {90, 14, false, 60},
                            {40, 30, false, 120},
                            {60, 12, false, 140},
                            {60, 17, false, 200},
                            {40, 60, false, 200},
                            {9, 7, true, 140},
                            {9, 7, true, 900},
                            {30, 3, false, 500}}) {
    CAPTURE(shape.longest_left, shape.longest_right, shape.has_full_row, shape.n_columns);
    const test::Rows left = random_rows(173, 91, shape.longest_left, 1, shape.has_full_row);
    test::Rows right = random_rows(91, shape.n_columns, shape.longest_right, 2, shape.has_full_row);
    const auto expected = [&] {
      test::Rows rows(left.size());
      for (std::size_t i = 0; i < left.size(); ++i)
        for (const auto& a : left[i])
          for (const auto& b : right[static_cast<std::size_t>(a.first)])
            rows[i][b.first] += a.second * b.second;
      return rows;
    };
    const auto a = test::crs_on(exec, left);
    const auto b = test::crs_on(exec, right);
    const auto c = linalg::product(exec, a, b);
    REQUIRE(rows_of(exec, c) == expected());

    for (auto& row : right)
      for (auto& entry : row)
        entry.second *= 3.;
    linalg::renew_product(exec, a, test::crs_on(exec, right), c);
    REQUIRE(rows_of(exec, c) == expected());
  }
}

TEMPLATE_LIST_TEST_CASE("A transpose has every entry once, with ascending columns", "[linalg][device]",
                        test::ExecutionSpaces) {
  const TestType exec;
  test::Rows rows = random_rows(301, 77, 6, 3);
  for (const bool has_long_row : {false, true}) { // too long for a thread to sort
    CAPTURE(has_long_row);
    for (std::size_t i = 0; has_long_row && i < rows.size(); ++i)
      rows[i][13] = 1. + static_cast<double>(i);
    test::Rows expected(77);
    for (std::size_t i = 0; i < rows.size(); ++i)
      for (const auto& entry : rows[i])
        expected[static_cast<std::size_t>(entry.first)][static_cast<index_t>(i)] = entry.second;
    REQUIRE(rows_of(exec, linalg::transposed(exec, test::crs_on(exec, rows), 77)) == expected);
  }
  REQUIRE(rows_of(exec, linalg::transposed(exec, test::crs_on(exec, test::Rows(4)), 3)) == test::Rows(3));
}
