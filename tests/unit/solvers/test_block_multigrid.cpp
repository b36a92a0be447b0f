// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/error.hpp"
#include "grids.hpp"
#include "krylov_methods.hpp"
#include "solvers/block/block_multigrid.hpp"
#include "support/spaces.hpp"

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <cmath>

using namespace tessera;
using Catch::Matchers::ContainsSubstring;
using linalg::Symmetry;

namespace {

constexpr index_t size = 3;

/// -u'' with three unknowns per block: a chain of all unknowns, with upwinding for the velocity `drift`.
test::Blocks chain(index_t n_rows, double drift, double reaction = 0.) {
  test::Blocks blocks;
  blocks.sizes.assign(static_cast<std::size_t>(n_rows), size);
  blocks.rows.resize(static_cast<std::size_t>(n_rows));
  const index_t n = n_rows * size;
  for (index_t i = 0; i < n; ++i)
    for (index_t j = std::max(0, i - 1); j <= std::min(n - 1, i + 1); ++j)
      blocks.at(i / size, j / size, i % size, j % size) = i == j ? 2. + drift + reaction : j < i ? -1. - drift : -1.;
  return blocks;
}

/// Joins pairs of block rows. Their unknowns at the given positions are interpolated linearly between the three
/// unknowns of the coarse block, at its ends and in its middle. Replaces `places` by their positions.
template <class ExecutionSpace>
linalg::BlockTransfer<typename ExecutionSpace::memory_space> join_pairs(const ExecutionSpace& exec,
                                                                        std::vector<double>& places) {
  using Space = typename ExecutionSpace::memory_space;
  const auto n_rows = static_cast<index_t>(places.size()) / size;
  std::vector<index_t> coarse_of;
  std::vector<index_t> begins;
  std::vector<double> values;
  std::vector<double> coarse_positions;
  for (index_t r = 0; r <= n_rows; ++r)
    begins.push_back(r * size);
  for (index_t r = 0; r < n_rows; ++r) {
    coarse_of.push_back(r / 2);
    const double* const first = &places[static_cast<std::size_t>(r / 2 * 2 * size)];
    const double half = 0.5 * (first[2 * size - 1] - first[0]);
    for (index_t j = 0; j < size; ++j)
      for (index_t i = 0; i < size; ++i)
        values.push_back(std::max(0., 1. - std::fabs((first[r % 2 * size + i] - first[0]) / half - j)));
    for (index_t j = 0; j < size && r % 2 == 0; ++j)
      coarse_positions.push_back(first[0] + j * half);
  }
  const auto sizes = [&](index_t n) {
    return linalg::BlockSizes<Space>{
        test::to_space<Array<index_t*, Space>>(exec, std::vector<index_t>(begins.begin(), begins.begin() + n + 1)),
        size, true};
  };
  const auto to_coarse = test::to_space<Array<index_t*, ExecutionSpace>>(exec, coarse_of);
  auto p = linalg::make_block_transfer(exec, to_coarse, n_rows, test::children_of(exec, to_coarse, n_rows / 2),
                                       sizes(n_rows), sizes(n_rows / 2));
  p.values = test::to_space<decltype(p.values)>(exec, values);
  places = coarse_positions;
  return p;
}

template <class ExecutionSpace>
std::vector<solvers::BlockLevel<ExecutionSpace>> levels_of(const ExecutionSpace& exec, const test::Blocks& finest,
                                                           int n_levels) {
  using Level = solvers::BlockLevel<ExecutionSpace>;
  std::vector<Level> levels{Level::whole(test::block_crs_on(exec, finest))};
  std::vector<double> places(static_cast<std::size_t>(finest.n()));
  for (std::size_t i = 0; i < places.size(); ++i)
    places[i] = static_cast<double>(i);
  for (int l = 1; l < n_levels; ++l) {
    auto& level = levels.back();
    level.p = join_pairs(exec, places);
    levels.push_back(Level::whole(test::galerkin_product(exec, level.a, level.p)));
  }
  return levels;
}

} // namespace

TEMPLATE_LIST_TEST_CASE("A level of blocks alone is solved exactly, whether it is symmetric or not",
                        "[solvers][multigrid][device]", test::ExecutionSpaces) {
  const TestType exec;
  for (const double drift : {0., 0.7}) {
    const test::Blocks blocks = chain(16, drift);
    const solvers::BlockMultigrid<TestType> m(exec, {}, levels_of(exec, blocks, 1),
                                              drift == 0. ? Symmetry::symmetric : Symmetry::general, {});
    CHECK(m.is_symmetric() == (drift == 0.));
    const std::vector<double> x = test::random_vector(blocks.n(), 3);
    const test::Rows rows = test::rows_of(blocks);
    std::vector<double> b(x.size(), 0.);
    for (std::size_t i = 0; i < rows.size(); ++i)
      for (const auto& [j, value] : rows[i])
        b[i] += value * x[static_cast<std::size_t>(j)];
    CHECK(test::distance(test::applied(exec, m, b), x) <= 1e-11); // the condition is about 1000
  }
}

TEMPLATE_LIST_TEST_CASE("Multigrid of blocks is symmetric, positive and as good on large chains as on small ones",
                        "[solvers][multigrid][device]", test::ExecutionSpaces) {
  const TestType exec;
  for (const auto cycle : {solvers::MultigridCycle::V, solvers::MultigridCycle::W}) {
    int iterations[2];
    for (const int fine : {0, 1}) {
      const index_t n_rows = fine != 0 ? 1024 : 64;
      const test::Blocks blocks = chain(n_rows, 0.);
      solvers::MultigridOptions options;
      options.cycle = cycle;
      options.precision = Precision::double_precision;
      const auto levels = levels_of(exec, blocks, fine != 0 ? 8 : 4);
      const solvers::BlockMultigrid<TestType> m(exec, {}, levels, Symmetry::symmetric, options);
      CHECK(m.levels().size() == levels.size());
      CHECK(m.levels().front().n_unknowns == blocks.n());
      const std::vector<double> x = test::random_vector(blocks.n(), 1);
      const std::vector<double> y = test::random_vector(blocks.n(), 2);
      const std::vector<double> mx = test::applied(exec, m, x);
      const double xmy = test::product(x, test::applied(exec, m, y));
      // some 1000 terms with partial cancellation
      CHECK(std::fabs(test::product(y, mx) - xmy) <= 1e-10 * std::fabs(xmy));
      CHECK(test::product(x, mx) > 0.);
      CHECK(test::applied(exec, m, x) == mx); // also with recorded kernels
      solvers::Pcg<TestType> pcg((solvers::PcgOptions()));
      const linalg::BlockCrsOperator<TestType> a(exec, levels.front().a, Symmetry::symmetric);
      const auto solution = test::vector_on(exec, std::vector<double>(x.size(), 0.));
      const auto result = pcg.solve(exec, a, m, test::vector_on(exec, x), solution);
      CHECK(result.status == solvers::SolverStatus::converged);
      iterations[fine] = result.iterations;
    }
    CAPTURE(iterations[0], iterations[1]);
    CHECK(iterations[1] <= 25);
    CHECK(iterations[1] <= iterations[0] + 8);
  }
}

// A dense inverse of such a level would need more memory and time than all other levels.
TEMPLATE_LIST_TEST_CASE("Multigrid of blocks smooths a coarsest level that is large and hardly coupled",
                        "[solvers][multigrid][device]", test::ExecutionSpaces) {
  const TestType exec;
  const test::Blocks blocks = chain(1000, 0., 100.);
  const solvers::BlockMultigrid<TestType> m(exec, {}, levels_of(exec, blocks, 1), Symmetry::symmetric, {});
  solvers::Pcg<TestType> pcg((solvers::PcgOptions()));
  const linalg::BlockCrsOperator<TestType> a(exec, test::block_crs_on(exec, blocks), Symmetry::symmetric);
  const std::vector<double> b = test::random_vector(blocks.n(), 1);
  const auto solution = test::vector_on(exec, std::vector<double>(b.size(), 0.));
  const auto result = pcg.solve(exec, a, m, test::vector_on(exec, b), solution);
  CHECK(result.status == solvers::SolverStatus::converged);
  CHECK(result.iterations <= 6);           // the off-diagonal entries are 2 of 102
  CHECK(m.levels().front().n_bytes < 1e6); // a dense matrix would have 72e6
}

TEMPLATE_LIST_TEST_CASE("Multigrid of blocks has the same bits on all spaces, and refuses what is singular",
                        "[solvers][multigrid][device]", test::ExecutionSpaces) {
  const TestType exec;
  const Kokkos::DefaultHostExecutionSpace host;
  for (const auto precision : {Precision::single_precision, Precision::double_precision}) {
    solvers::MultigridOptions options;
    options.precision = precision;
    const test::Blocks blocks = chain(64, 0.2);
    const std::vector<double> r = test::random_vector(blocks.n(), 4);
    CHECK(test::applied(
              exec, solvers::BlockMultigrid<TestType>(exec, {}, levels_of(exec, blocks, 4), Symmetry::general, options),
              r) == test::applied(host,
                                  solvers::BlockMultigrid<Kokkos::DefaultHostExecutionSpace>(
                                      host, {}, levels_of(host, blocks, 4), Symmetry::general, options),
                                  r));
  }
  test::Blocks singular = chain(8, 0.);
  for (index_t j = 0; j < size; ++j)
    singular.at(3, 3, 1, j) = 0.;
  CHECK_THROWS_WITH(
      (solvers::BlockMultigrid<TestType>(exec, {}, levels_of(exec, singular, 2), Symmetry::symmetric, {})),
      ContainsSubstring("multigrid") && ContainsSubstring("block row 3"));
}
