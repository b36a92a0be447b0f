// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "linalg/crs/crs_matrix.hpp"
#include "linalg/crs/spmv_kernels.hpp"
#include "linalg/vector_kernels.hpp"
#include "support/matrices.hpp"
#include "support/spaces.hpp"

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cmath>

using namespace tessera;

namespace {

/// Checks a product; the error of every row is bounded by the rounding of its absolute sum.
void require_product(const test::Rows& rows, const std::vector<double>& x, const std::vector<double>& y) {
  REQUIRE(y.size() == rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    double sum = 0.;
    double scale = 0.;
    for (const auto& entry : rows[i]) {
      sum += entry.second * x[static_cast<std::size_t>(entry.first)];
      scale += std::abs(entry.second * x[static_cast<std::size_t>(entry.first)]);
    }
    if (!(std::abs(y[i] - sum) <= 1e-15 * static_cast<double>(rows[i].size()) * scale))
      FAIL("row " << i << ": " << y[i] << " instead of " << sum);
  }
}

/// Matrices for every branch: short and long rows, one long row among short ones, empty rows, one row, no row.
std::vector<test::Rows> matrices() {
  std::vector<test::Rows> all = {test::laplacian(1009, 1),
                                 test::laplacian(61, 53),
                                 test::random_spd(997, 10, 1),
                                 test::random_spd(997, 24, 2),
                                 test::random_spd(509, 50, 3),
                                 test::random_spd(509, 100, 4),
                                 test::random_spd(601, 200, 5),
                                 test::laplacian(1, 1),
                                 test::Rows(),
                                 test::Rows(7)};
  test::Rows holes(3001);
  for (std::size_t i = 0; i < holes.size(); i += 3)
    holes[i][static_cast<index_t>(i)] = 2.;
  for (index_t j = 0; j < 3001; j += 2)
    holes[1500][j] = 1. / (1. + j);
  all.push_back(holes);
  return all;
}

/// Splits every row among several threads, run one after the other, with the sums of a device's lanes.
template <int NSums, int Threads, int Batch> void require_split_rows(const test::Rows& rows) {
  const Kokkos::DefaultHostExecutionSpace host;
  const auto a = test::operator_on(host, rows);
  const auto n = static_cast<index_t>(rows.size());
  const auto x = test::vector_on(host, test::random_vector(n, 5));
  const auto y = make_filled<linalg::Vector<Kokkos::HostSpace>>(host, "test", rows.size(), -1.);
  const linalg::RowsOfProduct<> product = linalg::product_of(a.matrix(), x.data(), y.data());
  for (index_t i = 0; i < n; ++i) {
    const double by_threads = test::sum_of_threads<Threads>(linalg::SplitRowProduct<NSums, Threads, Batch>{product}, i);
    CAPTURE(NSums, Threads, i);
    REQUIRE(by_threads == linalg::RowProduct<NSums>{product}.row(i));
  }
}

} // namespace

TEST_CASE("Threads that share a row have the bits of one thread", "[linalg]") {
  for (const test::Rows& rows : matrices()) {
    require_split_rows<4, 2, 8>(rows);
    require_split_rows<8, 4, 2>(rows);
    require_split_rows<8, 8, 1>(rows);
  }
}

TEMPLATE_LIST_TEST_CASE("A CRS product equals the plain product", "[linalg]", test::ExecutionSpaces) {
  const TestType exec;
  for (const test::Rows& rows : matrices()) {
    const auto n = static_cast<index_t>(rows.size());
    CAPTURE(n);
    const auto a = test::operator_on(exec, rows);
    const std::vector<double> x = test::random_vector(n, 3);
    const auto y = make_filled<linalg::Vector<TestType>>(exec, "test", rows.size(), -1.);

    a.apply(exec, test::vector_on(exec, x), y);

    require_product(rows, x, test::values_of(exec, y));
  }
}

TEMPLATE_LIST_TEST_CASE("The fused product has the bits of the separate one, equal on all spaces", "[linalg]",
                        test::ExecutionSpaces) {
  const TestType exec;
  const Kokkos::DefaultHostExecutionSpace host;
  for (const test::Rows& rows : matrices()) {
    const auto n = static_cast<index_t>(rows.size());
    CAPTURE(n);
    const auto a = test::operator_on(exec, rows);
    const auto x = test::vector_on(exec, test::random_vector(n, 4));
    const auto y = make_filled<linalg::Vector<TestType>>(exec, "test", rows.size(), -1.);
    const auto fused = make_filled<linalg::Vector<TestType>>(exec, "test", rows.size(), -1.);
    const auto xy = make_filled<linalg::Vector<TestType>>(exec, "test", 2, -1.);
    const ReduceWorkspace<TestType> workspace(exec, n, 1);
    const auto host_y = make_filled<linalg::Vector<Kokkos::HostSpace>>(host, "test", rows.size(), -1.);

    a.apply_dot(exec, x, fused, workspace, xy.data());
    const linalg::LinearOperator<TestType>& base = a;
    base.apply(exec, x, y);
    linalg::dot<TestType>(exec, x, y, workspace, xy.data() + 1);
    test::operator_on(host, rows).apply(host, test::vector_on(host, test::random_vector(n, 4)), host_y);

    REQUIRE(test::values_of(exec, fused) == test::values_of(exec, y));
    REQUIRE(read_entry(exec, xy, 0) == read_entry(exec, xy, 1));
    REQUIRE(test::values_of(exec, y) == std::vector<double>(host_y.data(), host_y.data() + host_y.extent(0)));
  }
}

TEMPLATE_LIST_TEST_CASE("Sines are eigenvectors of the discrete Laplacian", "[linalg]", test::ExecutionSpaces) {
  const TestType exec;
  const index_t nx = 37;
  const index_t ny = 23;
  const auto a = test::operator_on(exec, test::laplacian(nx, ny));
  const double pi = std::acos(-1.);
  for (const auto& [kx, ky] : {std::pair<int, int>{1, 1}, {2, 5}, {37, 23}}) {
    std::vector<double> x;
    for (index_t j = 1; j <= ny; ++j)
      for (index_t i = 1; i <= nx; ++i)
        x.push_back(std::sin(pi * kx * i / (nx + 1.)) * std::sin(pi * ky * j / (ny + 1.)));
    const double lambda = 4. - 2. * std::cos(pi * kx / (nx + 1.)) - 2. * std::cos(pi * ky / (ny + 1.));
    const auto y = make_array<linalg::Vector<TestType>>(exec, "test", x.size());

    a.apply(exec, test::vector_on(exec, x), y);

    const std::vector<double> result = test::values_of(exec, y);
    for (std::size_t i = 0; i < x.size(); ++i)
      REQUIRE(std::abs(result[i] - lambda * x[i]) <= 1e-13); // the rounding of the sines' arguments
  }
}

TEMPLATE_LIST_TEST_CASE("The diagonal and the traffic of a CRS matrix are those of its entries", "[linalg]",
                        test::ExecutionSpaces) {
  const TestType exec;
  test::Rows rows = test::random_spd(211, 6, 6);
  rows[5].erase(5);
  const auto a = test::operator_on(exec, rows);
  const auto d = make_array<linalg::Vector<TestType>>(exec, "test", rows.size());

  a.diagonal(exec, d);

  const std::vector<double> diagonal = test::values_of(exec, d);
  double n_entries = 0.;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    n_entries += static_cast<double>(rows[i].size());
    REQUIRE(diagonal[i] == (i == 5 ? 0. : rows[i].at(static_cast<index_t>(i))));
  }
  REQUIRE(a.traffic().flops == 2. * n_entries);
  REQUIRE(a.traffic().bytes == 12. * n_entries + sizeof(offset_t) * 212. + 16. * 211.);
}
