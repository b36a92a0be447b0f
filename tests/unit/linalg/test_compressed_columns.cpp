// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "linalg/crs/compressed_columns.hpp"
#include "linalg/crs/crs_matrix.hpp"
#include "linalg/crs/spmv_kernels.hpp"
#include "support/matrices.hpp"
#include "support/spaces.hpp"

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>

using namespace tessera;
using linalg::CompressedColumns;

namespace {

constexpr index_t n_rows = 70001;
constexpr index_t reach = 32767; ///< largest distance that a short column can represent

/// Symmetric rows with `n_near` neighbours on both sides, at various distances within reach; every `every_far`-th row
/// also has entries just out of reach and far out.
test::Rows band(int n_near, index_t every_far) {
  test::Rows rows(n_rows);
  const auto link = [&rows](index_t i, index_t j, double value) {
    if (j >= n_rows)
      return;
    rows[static_cast<std::size_t>(i)][j] = value;
    rows[static_cast<std::size_t>(j)][i] = value;
  };
  for (index_t i = 0; i < n_rows; ++i) {
    rows[static_cast<std::size_t>(i)][i] = 100. + i % 7;
    for (int k = 1; k <= n_near; ++k)
      link(i, i + (k == n_near ? reach : k * k), -1. / (k + i % 11));
    if (every_far > 0 && i % every_far == 0) {
      link(i, i + reach + 1, 0.3 + 1e-3 * (i % 13));
      link(i, i + 2 * reach, 0.7);
    }
  }
  return rows;
}

/// Sorted by the accumulators of a row: 7, 15 and 28 entries in most rows; with and without far entries.
std::vector<test::Rows> matrices() {
  return {band(3, 0), band(3, 40), band(7, 30), band(14, 15), test::laplacian(1, 1), test::laplacian(61, 53)};
}

template <int NSums, int Threads, int Batch> void require_split_rows(const test::Rows& rows) {
  const Kokkos::DefaultHostExecutionSpace host;
  const auto matrix = test::crs_on(host, rows);
  const auto codes = linalg::make_compressed_columns(host, matrix);
  REQUIRE(codes.extent(0) == matrix.columns.extent(0));
  const auto n = static_cast<index_t>(rows.size());
  const auto x = test::vector_on(host, test::random_vector(n, 5));
  const auto product =
      linalg::product_of(matrix, CompressedColumns{codes.data(), matrix.columns.data()}, x.data(), nullptr);
  const linalg::RowProduct<NSums, CompressedColumns> by_one{product};
  const linalg::SplitRowProduct<NSums, Threads, Batch, CompressedColumns> split{product};
  const linalg::RowProduct<NSums> with_long_columns{linalg::product_of(matrix, x.data(), nullptr)};
  for (index_t i = 0; i < n; ++i) {
    const double by_threads = test::sum_of_threads<Threads>(split, i);
    const double expected = with_long_columns.row(i);
    if (by_threads != expected || by_one.row(i) != expected)
      FAIL("accumulators " << NSums << ", row " << i << ": " << by_threads << " and " << by_one.row(i) << " instead of "
                           << expected);
  }
}

} // namespace

TEST_CASE("A short column reports distances up to 32767", "[linalg]") {
  const index_t columns[] = {40000};
  const std::uint16_t codes[] = {0};
  const CompressedColumns far{codes, columns};
  for (const index_t row : {0, 7233, 7234, 40000, 72766, 72767, 72768, 2147483646}) {
    CAPTURE(row);
    const index_t code = CompressedColumns::code(row, 40000);
    const index_t distance = 40000 - row;
    CHECK((code == CompressedColumns::far) == (distance > reach || distance < -reach));
    CHECK(code >= 0);
    CHECK(code <= 65535);
    CHECK(far.decode(row, 0, code) == 40000);
  }
}

TEST_CASE("Rows have the same bits with compressed columns as with long ones", "[linalg]") {
  for (const test::Rows& rows : matrices()) {
    require_split_rows<1, 1, 8>(rows);
    require_split_rows<4, 2, 8>(rows);
    require_split_rows<8, 4, 2>(rows);
  }
}

TEMPLATE_LIST_TEST_CASE("Compressed columns are made where few entries are far", "[linalg]", test::ExecutionSpaces) {
  const TestType exec;
  for (const auto& [rows, pays] : {std::pair<test::Rows, bool>{band(3, 40), true},
                                   {band(3, 2), false},
                                   {test::random_spd(n_rows, 6, 1), false},
                                   {test::random_spd(997, 10, 1), true},
                                   {test::Rows(7), false}}) {
    const auto matrix = test::crs_on(exec, rows);
    const auto codes = linalg::make_compressed_columns(exec, matrix);
    REQUIRE((codes.extent(0) > 0) == pays);
    if (!pays)
      continue;
    const auto host = to_host(exec, codes);
    std::size_t k = 0;
    for (std::size_t i = 0; i < rows.size(); ++i)
      for (const auto& entry : rows[i]) {
        const index_t code = CompressedColumns::code(static_cast<index_t>(i), entry.first);
        if (host(k++) != code)
          FAIL("row " << i << ", column " << entry.first << ": code " << host(k - 1) << " instead of " << code);
      }
  }
}

TEMPLATE_LIST_TEST_CASE("Prepared products have the bits of others", "[linalg][device]", test::ExecutionSpaces) {
  const TestType exec;
  auto all = matrices();
  all.push_back(band(3, 2)); // too many far entries
  all.emplace_back();
  all.emplace_back(7);
  for (std::size_t m = 0; m < all.size(); ++m) {
    const test::Rows& rows = all[m];
    CAPTURE(m);
    const auto n = static_cast<index_t>(rows.size());
    const auto a = test::operator_on(exec, rows);
    const auto prepared = test::operator_on(exec, rows);
    const auto x = test::vector_on(exec, test::random_vector(n, 3));
    const ReduceWorkspace<TestType> workspace(exec, n, 1);
    const auto multiply = [&](const linalg::CrsOperator<TestType>& op) {
      const auto y = make_filled<linalg::Vector<TestType>>(exec, "test", rows.size(), -1.);
      const auto fused = make_filled<linalg::Vector<TestType>>(exec, "test", rows.size(), -1.);
      const auto xy = make_filled<linalg::Vector<TestType>>(exec, "test", 1, -1.);
      op.apply(exec, x, y);
      op.apply_dot(exec, x, fused, workspace, xy.data());
      std::vector<double> bits = test::values_of(exec, y);
      for (const auto& more : {test::values_of(exec, fused), test::values_of(exec, xy)})
        bits.insert(bits.end(), more.begin(), more.end());
      return bits;
    };

    prepared.prepare_products(exec);
    prepared.prepare_products(exec);
    const linalg::CrsOperator<TestType> copy = prepared;

    REQUIRE(prepared.has_compressed_columns() == (!is_host_space<TestType> && m < matrices().size()));
    REQUIRE(copy.has_compressed_columns() == prepared.has_compressed_columns());
    const std::vector<double> expected = multiply(a);
    REQUIRE(multiply(prepared) == expected);
    REQUIRE(multiply(copy) == expected);
    const double saved = prepared.has_compressed_columns() ? 2. * static_cast<double>(a.matrix().n_entries()) : 0.;
    REQUIRE(prepared.traffic().bytes == a.traffic().bytes - saved);
    REQUIRE(prepared.traffic().flops == a.traffic().flops);
  }
}
