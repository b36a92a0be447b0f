// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "linalg/blocks/block_transfer.hpp"
#include "support/block_matrices.hpp"
#include "support/spaces.hpp"

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>

#include <random>

using namespace tessera;

namespace {

/// A transfer with random values, and the same as a dense matrix.
template <class ExecutionSpace> struct RandomTransfer {
  using Space = typename ExecutionSpace::memory_space;
  linalg::BlockTransfer<Space> p;
  std::size_t n_unknowns;
  std::size_t n_coarse_unknowns;
  std::vector<std::vector<double>> dense; // [n_unknowns][n_coarse_unknowns]

  RandomTransfer(const ExecutionSpace& exec, const std::vector<index_t>& sizes,
                 const std::vector<index_t>& coarse_sizes, const std::vector<index_t>& coarse_of) {
    const auto begins = [](const std::vector<index_t>& of) {
      std::vector<index_t> begin = {0};
      for (const index_t size : of)
        begin.push_back(begin.back() + size);
      return begin;
    };
    const auto block_sizes = [&](const std::vector<index_t>& of) {
      const auto [smallest, largest] = std::minmax_element(of.begin(), of.end());
      return linalg::BlockSizes<Space>{test::to_space<Array<index_t*, Space>>(exec, begins(of)),
                                       static_cast<int>(*largest), *smallest == *largest};
    };
    const auto to_coarse = test::to_space<Array<index_t*, ExecutionSpace>>(exec, coarse_of);
    p = linalg::make_block_transfer(exec, to_coarse, static_cast<index_t>(sizes.size()),
                                    test::children_of(exec, to_coarse, static_cast<index_t>(coarse_sizes.size())),
                                    block_sizes(sizes), block_sizes(coarse_sizes));
    n_unknowns = static_cast<std::size_t>(begins(sizes).back());
    n_coarse_unknowns = static_cast<std::size_t>(begins(coarse_sizes).back());
    std::mt19937 engine(7);
    std::uniform_real_distribution<double> number(-1., 1.);
    std::vector<double> values;
    dense.assign(n_unknowns, std::vector<double>(n_coarse_unknowns, 0.));
    for (std::size_t e = 0; e < sizes.size(); ++e) {
      const auto c = static_cast<std::size_t>(coarse_of[e]);
      for (index_t j = 0; j < coarse_sizes[c]; ++j)
        for (index_t i = 0; i < sizes[e]; ++i) {
          values.push_back(number(engine));
          dense[static_cast<std::size_t>(begins(sizes)[e] + i)][static_cast<std::size_t>(begins(coarse_sizes)[c] + j)] =
              values.back();
        }
    }
    REQUIRE(values.size() == p.values.extent(0));
    p.values = test::to_space<decltype(p.values)>(exec, values);
  }
};

constexpr double tolerance = 1e-12; // for sums of some hundred terms of order 1

} // namespace

TEMPLATE_LIST_TEST_CASE("Transfers of blocks and Galerkin products are those of dense matrices", "[linalg][device]",
                        test::ExecutionSpaces) {
  const TestType exec;
  for (const bool uniform : {true, false}) {
    CAPTURE(uniform);
    const std::vector<index_t> sizes = uniform ? std::vector<index_t>(40, 10) : test::mixed_sizes(40, {3, 21, 10, 1});
    const std::vector<index_t> coarse_sizes = uniform ? std::vector<index_t>(7, 6) : test::mixed_sizes(7, {6, 3, 1});
    std::vector<index_t> coarse_of;
    for (index_t e = 0; e < 40; ++e)
      coarse_of.push_back((e * 5 + e / 9) % 7);
    const RandomTransfer<TestType> transfer(exec, sizes, coarse_sizes, coarse_of);
    const auto& p = transfer.p;
    const std::size_t n = transfer.n_unknowns;
    const std::size_t n_coarse = transfer.n_coarse_unknowns;

    const std::vector<double> x = test::random_vector(static_cast<index_t>(n_coarse), 1);
    const std::vector<double> r = test::random_vector(static_cast<index_t>(n), 2);
    const auto y = test::vector_on(exec, std::vector<double>(n, 1e30));
    const auto sum = test::vector_on(exec, r);
    linalg::interpolate_and_add<TestType>(exec, p, test::vector_on(exec, x), y, sum);
    const auto b = test::vector_on(exec, std::vector<double>(n_coarse, 1e30));
    linalg::restrict_to<TestType>(exec, p, test::vector_on(exec, r), b);
    const std::vector<double> found_y = test::values_of(exec, y);
    const std::vector<double> found_sum = test::values_of(exec, sum);
    const std::vector<double> found_b = test::values_of(exec, b);
    std::vector<double> expected_b(n_coarse, 0.);
    for (std::size_t i = 0; i < n; ++i) {
      double expected = 0.;
      for (std::size_t j = 0; j < n_coarse; ++j) {
        expected += transfer.dense[i][j] * x[j];
        expected_b[j] += transfer.dense[i][j] * r[i];
      }
      CHECK(std::fabs(found_y[i] - expected) <= tolerance);
      CHECK(found_sum[i] == r[i] + found_y[i]);
    }
    for (std::size_t j = 0; j < n_coarse; ++j)
      CHECK(std::fabs(found_b[j] - expected_b[j]) <= tolerance);

    const test::Blocks blocks = test::random_blocks(sizes, 6, false, 0.5, 3);
    const test::Rows rows = test::rows_of(blocks);
    const auto a = test::block_crs_on(exec, blocks);
    const auto c = test::galerkin_product(exec, a, p);
    CHECK(c.block_size == (uniform ? 6 : 0));
    const auto expanded = linalg::expand_blocks(exec, c);
    const auto offsets = to_host(exec, expanded.offsets);
    const auto columns = to_host(exec, expanded.columns);
    const auto values = to_host(exec, expanded.values);
    std::vector<std::vector<double>> product(n_coarse, std::vector<double>(n_coarse, 0.));
    for (std::size_t i = 0; i < n; ++i)
      for (const auto& [column, value] : rows[i])
        for (std::size_t k = 0; k < n_coarse; ++k)
          for (std::size_t l = 0; transfer.dense[i][k] != 0. && l < n_coarse; ++l)
            product[k][l] += transfer.dense[i][k] * value * transfer.dense[static_cast<std::size_t>(column)][l];
    for (std::size_t k = 0; k < n_coarse; ++k)
      for (offset_t entry = offsets(static_cast<index_t>(k)); entry < offsets(static_cast<index_t>(k) + 1); ++entry) {
        double& expected = product[k][static_cast<std::size_t>(columns(entry))];
        CHECK(std::fabs(values(entry) - expected) <= 10. * tolerance);
        expected = 0.; // the remaining entries are missing in the pattern
      }
    for (const auto& row : product)
      for (const double entry : row)
        CHECK(entry == 0.);
  }
}
