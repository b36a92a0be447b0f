// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "linalg/blocks/block_crs_operator.hpp"
#include "linalg/blocks/block_spmv_kernels.hpp"
#include "linalg/vector_kernels.hpp"
#include "support/block_matrices.hpp"
#include "support/kokkos_tools.hpp"
#include "support/spaces.hpp"

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>

using namespace tessera;
using linalg::Symmetry;

namespace {

/// Uniform and mixed block sizes, blocks with more rows than a thread processes at once, a single block, and
/// no block.
std::vector<test::Blocks> matrices() {
  std::vector<test::Blocks> all;
  for (const index_t size : {1, 3, 6, 10, 15, 28, 56})
    all.push_back(test::random_blocks(std::vector<index_t>(53, size), 7, false, 0.5, 1));
  all.push_back(test::random_blocks(test::mixed_sizes(211, {3, 6, 10, 1}), 15, false, 0.5, 2));
  all.push_back(test::random_blocks(test::mixed_sizes(61, {4, 35, 10, 20}), 8, false, 0.5, 3));
  all.push_back(test::random_blocks({165, 70, 129}, 5, false, 0.5, 4));
  all.push_back(test::random_blocks({5}, 1, false, 0.5, 5));
  all.push_back(test::Blocks());
  return all;
}

struct Store {
  double* y;
  KOKKOS_FUNCTION void operator()(index_t i, double sum) const { y[i] = sum; }
};

/// Computes every unknown by a separate thread, as on devices.
void require_rows(const test::Blocks& blocks) {
  const Kokkos::DefaultHostExecutionSpace host;
  const auto matrix = test::block_crs_on(host, blocks);
  const auto x = test::vector_on(host, test::random_vector(blocks.n(), 5));
  const linalg::BlockRows rows = linalg::block_rows_of(matrix, x.data());
  std::vector<double> expected(static_cast<std::size_t>(blocks.n()));
  for (index_t r = 0; r < blocks.n_rows(); ++r) {
    linalg::BlockRow<double>{rows}(r, Store{expected.data()});
    for (index_t i = 0; i < rows.size(r); ++i) {
      CAPTURE(r, i);
      REQUIRE(linalg::UnknownRow<double>{rows}(r, i) == expected[static_cast<std::size_t>(rows.begin(r) + i)]);
    }
  }
}

} // namespace

TEST_CASE("Threads that have an unknown each have the bits of one thread", "[linalg]") {
  for (const test::Blocks& blocks : matrices())
    require_rows(blocks);
}

TEMPLATE_LIST_TEST_CASE("A matrix in single precision works as one in double precision of the same numbers",
                        "[linalg][device]", test::ExecutionSpaces) {
  const TestType exec;
  for (const test::Blocks& blocks : matrices()) {
    CAPTURE(blocks.n_rows(), blocks.n());
    const test::InBothPrecisions<TestType> both(exec, blocks);
    const auto& single = both.in_single;
    const auto& rounded = both.in_double;
    REQUIRE(single.n_values() == rounded.n_values());
    const auto x = test::vector_on(exec, test::random_vector(blocks.n(), 3));
    const auto product = [&](const auto& matrix) {
      const auto y = make_filled<linalg::Vector<TestType>>(exec, "test", blocks.n(), -1.);
      const linalg::BlockCrsOperator<TestType> a(exec, matrix, Symmetry::general);
      a.apply(exec, x, y);
      std::vector<double> numbers = test::values_of(exec, y);
      a.diagonal(exec, y);
      const std::vector<double> diagonal = test::values_of(exec, y);
      numbers.insert(numbers.end(), diagonal.begin(), diagonal.end());
      return numbers;
    };
    REQUIRE(product(single) == product(rounded));
    if (blocks.n() > 0) {
      const linalg::BlockCrsOperator<TestType> a(exec, single, Symmetry::general);
      const linalg::BlockCrsOperator<TestType> b(exec, rounded, Symmetry::general);
      REQUIRE(b.traffic().bytes - a.traffic().bytes == 4. * static_cast<double>(single.n_values()));
    }
  }
}

TEMPLATE_LIST_TEST_CASE("A product with blocks equals the plain product", "[linalg][device]", test::ExecutionSpaces) {
  const TestType exec;
  for (const test::Blocks& blocks : matrices()) {
    CAPTURE(blocks.n_rows(), blocks.n());
    const test::Rows rows = test::rows_of(blocks);
    const std::vector<double> x = test::random_vector(blocks.n(), 3);
    const auto y = make_filled<linalg::Vector<TestType>>(exec, "test", x.size(), -1.);

    test::block_operator_on(exec, blocks, Symmetry::general).apply(exec, test::vector_on(exec, x), y);

    const std::vector<double> result = test::values_of(exec, y);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      double sum = 0.;
      double scale = 0.;
      for (const auto& entry : rows[i]) {
        sum += entry.second * x[static_cast<std::size_t>(entry.first)];
        scale += std::abs(entry.second * x[static_cast<std::size_t>(entry.first)]);
      }
      CAPTURE(i);
      REQUIRE(std::abs(result[i] - sum) <= 1e-15 * static_cast<double>(rows[i].size()) * scale); // rounding of the sum
    }
  }
}

TEMPLATE_LIST_TEST_CASE("Products with blocks and their sums have equal bits on all spaces", "[linalg][device]",
                        test::ExecutionSpaces) {
  const TestType exec;
  const Kokkos::DefaultHostExecutionSpace host;
  for (const test::Blocks& blocks : matrices()) {
    const auto n = static_cast<std::size_t>(blocks.n());
    CAPTURE(blocks.n_rows(), n);
    const auto a = test::block_operator_on(exec, blocks, Symmetry::general);
    const auto x = test::vector_on(exec, test::random_vector(blocks.n(), 4));
    const auto y = make_filled<linalg::Vector<TestType>>(exec, "test", n, -1.);
    const auto with_sum = make_filled<linalg::Vector<TestType>>(exec, "test", n, -1.);
    const auto xy = make_filled<linalg::Vector<TestType>>(exec, "test", 2, -1.);
    const ReduceWorkspace<TestType> workspace(exec, blocks.n(), 1);
    const auto host_y = make_filled<linalg::Vector<Kokkos::HostSpace>>(host, "test", n, -1.);

    a.apply(exec, x, y);
    a.apply_dot(exec, x, with_sum, workspace, xy.data());
    linalg::dot<TestType>(exec, x, y, workspace, xy.data() + 1);
    const auto host_a = test::block_operator_on(host, blocks, Symmetry::general);
    const auto host_x = test::vector_on(host, test::random_vector(blocks.n(), 4));
    host_a.apply(host, host_x, host_y);

    REQUIRE(test::values_of(exec, y) == std::vector<double>(host_y.data(), host_y.data() + n));
    REQUIRE(test::values_of(exec, with_sum) == test::values_of(exec, y));
    REQUIRE(read_entry(exec, xy, 0) == read_entry(exec, xy, 1));
  }
}

TEMPLATE_LIST_TEST_CASE("Blocks expand to the entries that they hold", "[linalg][device]", test::ExecutionSpaces) {
  const TestType exec;
  for (const test::Blocks& blocks : matrices()) {
    CAPTURE(blocks.n_rows(), blocks.n());
    const auto expected = test::crs_on(Kokkos::DefaultHostExecutionSpace(), test::rows_of(blocks));
    const auto matrix = test::block_crs_on(exec, blocks);

    const auto expanded = linalg::expand_blocks(exec, matrix);

    const auto compare = [&exec](const auto& array, const auto& wanted) {
      const auto host = to_host(exec, array);
      REQUIRE(host.extent(0) == wanted.extent(0));
      REQUIRE(std::equal(host.data(), host.data() + host.extent(0), wanted.data()));
    };
    compare(expanded.offsets, expected.offsets);
    compare(expanded.columns, expected.columns);
    compare(expanded.values, expected.values);
  }
}

TEMPLATE_LIST_TEST_CASE("Diagonal, traffic and symmetry of a matrix of blocks are those of its entries",
                        "[linalg][device]", test::ExecutionSpaces) {
  const TestType exec;
  const test::LabelWatch watch;
  for (const test::Blocks& blocks : {test::random_blocks(std::vector<index_t>(23, 6), 5, true, 1., 6),
                                     test::random_blocks(test::mixed_sizes(40, {3, 10, 15}), 6, false, 1., 7)}) {
    const test::Rows rows = test::rows_of(blocks);
    const bool uniform = blocks.sizes[0] == blocks.sizes[1];
    const auto a = test::block_operator_on(exec, blocks, uniform ? Symmetry::symmetric : Symmetry::general);
    const auto d = make_array<linalg::Vector<TestType>>(exec, "test", rows.size());

    a.diagonal(exec, d);

    const std::vector<double> diagonal = test::values_of(exec, d);
    double n_entries = 0.;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      n_entries += static_cast<double>(rows[i].size());
      REQUIRE(diagonal[i] == rows[i].at(static_cast<index_t>(i)));
    }
    double n_blocks = 0.;
    for (const auto& row : blocks.rows)
      n_blocks += static_cast<double>(row.size());
    const auto n = static_cast<double>(blocks.n());
    const double map = uniform || is_host_space<TestType> ? 0. : 4. * n;
    const double of_rows = sizeof(offset_t) + (uniform ? 0. : 4.);
    REQUIRE(a.traffic().flops == 2. * n_entries);
    REQUIRE(a.traffic().bytes ==
            8. * n_entries + n_blocks * (4. + sizeof(offset_t)) + (blocks.n_rows() + 1.) * of_rows + 16. * n + map);
    REQUIRE(a.size() == blocks.n());
    REQUIRE(a.is_symmetric() == uniform);
    REQUIRE(linalg::matrix_of<linalg::BlockCrsMatrix<typename TestType::memory_space>>(a) == &a.matrix());
  }
  std::set<std::string> bad = watch.bad_labels();
  bad.erase("test");
  REQUIRE(bad == std::set<std::string>());
}
