// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/error.hpp"
#include "core/transfer/upload.hpp"
#include "grids.hpp"
#include "krylov_methods.hpp"
#include "solvers/block/block_gauss_seidel.hpp"
#include "solvers/block/block_inverse.hpp"
#include "solvers/block/block_jacobi.hpp"
#include "solvers/block/block_sweep.hpp"
#include "solvers/block/diagonal_blocks.hpp"
#include "support/kokkos_tools.hpp"
#include "support/spaces.hpp"
#include "support/thread_team.hpp"

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <cmath>

using namespace tessera;
using Catch::Matchers::ContainsSubstring;
using linalg::Symmetry;
using solvers::GaussSeidelSweep;
using solvers::SolverStatus;

namespace {

std::vector<test::Blocks> matrices(bool symmetric) {
  return {test::random_blocks(std::vector<index_t>(37, 3), 6, symmetric, 1., 1),
          test::random_blocks(std::vector<index_t>(20, 15), 5, symmetric, 1., 2),
          test::random_blocks(test::mixed_sizes(41, {3, 6, 10, 1}), 7, symmetric, 1., 3),
          test::random_blocks({165, 20, 70}, 2, symmetric, 1., 4), test::random_blocks({4}, 1, symmetric, 1., 5)};
}

/// Entries of the blocks (r, c) for which `select(r, c)` is true.
template <class Select> test::Rows part_of(const test::Blocks& blocks, const Select& select) {
  test::Blocks part = blocks;
  for (index_t r = 0; r < blocks.n_rows(); ++r)
    for (const auto& entry : blocks.rows[static_cast<std::size_t>(r)])
      if (!select(r, entry.first))
        part.rows[static_cast<std::size_t>(r)].erase(entry.first);
  return test::rows_of(part);
}

template <class ExecutionSpace>
std::vector<index_t> host_levels(const ExecutionSpace& exec, const Array<index_t*, ExecutionSpace>& levels) {
  const auto host = to_host(exec, levels);
  return std::vector<index_t>(host.data(), host.data() + host.extent(0));
}

double norm(const std::vector<double>& x) { return test::distance(x, std::vector<double>(x.size(), 0.)); }

} // namespace

TEMPLATE_LIST_TEST_CASE("Block Jacobi solves with the diagonal blocks, with the same bits on all spaces",
                        "[solvers][device]", test::ExecutionSpaces) {
  const TestType exec;
  const Kokkos::DefaultHostExecutionSpace host;
  for (const bool symmetric : {false, true})
    for (const test::Blocks& blocks : matrices(symmetric)) {
      const auto symmetry = symmetric ? Symmetry::symmetric : Symmetry::general;
      CAPTURE(symmetric, blocks.n());
      const std::vector<double> r = test::random_vector(blocks.n(), 6);
      const solvers::BlockJacobi<TestType> m(exec, test::block_operator_on(exec, blocks, symmetry));

      const std::vector<double> z = test::applied(exec, m, r);

      const std::vector<double> expected =
          test::solve_dense(part_of(blocks, [](index_t row, index_t column) { return row == column; }), r);
      REQUIRE(test::distance(z, expected) <= 1e-12 * norm(expected));
      REQUIRE(m.is_symmetric() == symmetric);
      REQUIRE(m.name() == "block-jacobi");
      REQUIRE(m.traffic().bytes > 8. * blocks.n());
      const solvers::BlockJacobi<Kokkos::DefaultHostExecutionSpace> on_host(
          host, test::block_operator_on(host, blocks, symmetry));
      REQUIRE(z == test::applied(host, on_host, r));
    }
}

TEMPLATE_LIST_TEST_CASE("Diagonal blocks that need other pivots than their diagonal are inverted", "[solvers]",
                        test::ExecutionSpaces) {
  const TestType exec;
  test::Blocks blocks{{3, 2}, {{{0, {0., 0., 1., 2., 0., 0., 0., 4., 0.}}}, {{1, {1e-18, 1., 1., 1.}}}}};
  const solvers::BlockJacobi<TestType> m(exec, test::block_operator_on(exec, blocks, Symmetry::general));
  const std::vector<double> z = test::applied(exec, m, {2., 8., 3., 1., 2.});
  REQUIRE(test::distance(z, {3., 1., 2., 1., 1.}) <= 1e-15);
}

TEMPLATE_LIST_TEST_CASE("A singular diagonal block is named by its row and its unknowns", "[solvers]",
                        test::ExecutionSpaces) {
  const TestType exec;
  const test::Blocks healthy = test::random_blocks(test::mixed_sizes(40, {3, 6}), 7, false, 1., 7);
  const index_t row = 23;
  const index_t begin = healthy.begins()[row];
  const index_t size = healthy.sizes[row];
  for (const int fault : {0, 1, 2, 3, 4}) {
    CAPTURE(fault);
    test::Blocks blocks = healthy;
    for (index_t j = 0; j < size; ++j) {
      if (fault == 0) // two rows linearly dependent up to rounding
        blocks.at(row, row, 2, j) = blocks.at(row, row, 0, j) / 3. + blocks.at(row, row, 1, j) * 0.1;
      if (fault == 1)
        blocks.at(row, row, 1, j) = 0.;
    }
    if (fault == 2)
      blocks.at(row, row, 2, 0) = std::nan("");
    if (fault == 3)
      blocks.at(row, row, 0, 0) = std::numeric_limits<double>::infinity();
    if (fault == 4)
      blocks.rows[row].erase(row);
    blocks.at(31, 31, 0, 0) = std::nan(""); // not the first one
    const auto a = test::block_operator_on(exec, blocks, Symmetry::general);
    for (const bool jacobi : {true, false})
      try {
        if (jacobi)
          solvers::BlockJacobi<TestType>(exec, a);
        else
          solvers::BlockGaussSeidel<TestType>(exec, a, GaussSeidelSweep::forward);
        FAIL("did not throw");
      } catch (const Error& error) {
        REQUIRE(error.kind() == ErrorKind::numerical);
        REQUIRE_THAT(error.what(), ContainsSubstring("block row 23 (unknowns " + std::to_string(begin) + " to " +
                                                     std::to_string(begin + size - 1) + ") is singular"));
        REQUIRE_THAT(error.what(), ContainsSubstring(jacobi ? "block-jacobi" : "block-gauss-seidel"));
      }
  }
}

TEST_CASE("A block of badly scaled rows is not taken for singular", "[solvers]") {
  const Kokkos::DefaultHostExecutionSpace host;
  const test::Blocks blocks{{2}, {{{0, {1e-30, 0., 0., 1e30}}}}};
  const solvers::BlockJacobi<Kokkos::DefaultHostExecutionSpace> m(
      host, test::block_operator_on(host, blocks, Symmetry::general));
  const std::vector<double> z = test::applied(host, m, {1., 1.});
  REQUIRE(std::abs(z[0] - 1e30) <= 1e15);
  REQUIRE(std::abs(z[1] - 1e-30) <= 1e-45);
}

TEST_CASE("A team inverts and sweeps with the bits of one thread", "[solvers]") {
  const Kokkos::DefaultHostExecutionSpace host;
  for (const index_t n : {1, 7, 33}) {
    std::vector<double> alone = test::random_vector(n * n, 1);
    std::vector<double> by_team = alone;
    std::vector<double> memory(static_cast<std::size_t>(2 * n));
    std::vector<index_t> pivot(static_cast<std::size_t>(n));
    const solvers::detail::InverseScratch scratch{memory.data(), memory.data() + n, pivot.data()};
    solvers::detail::invert_block(solvers::detail::LoneThread(), alone.data(), n, scratch);
    test::run_team(
        5, 0, [&](const test::ThreadTeam& team) { solvers::detail::invert_block(team, by_team.data(), n, scratch); });
    REQUIRE(by_team == alone);
  }

  const test::Blocks blocks = test::random_blocks(test::mixed_sizes(9, {3, 20, 6}), 3, false, 1., 2);
  const auto matrix = test::block_crs_on(host, blocks);
  const auto inverse = solvers::invert_diagonal_blocks(host, matrix, "test");
  const auto levels = solvers::levels_by_color(host, matrix);
  const std::vector<double> r = test::random_vector(blocks.n(), 3);
  for (const bool is_backward : {false, true}) {
    std::vector<double> t(r.size());
    std::vector<double> alone = test::random_vector(blocks.n(), 4);
    std::vector<double> by_team = alone;
    const auto sweep = [&](std::vector<double>& z) {
      return solvers::detail::SweepRow<double>{linalg::block_rows_of(matrix, z.data()),
                                               linalg::block_rows_of(inverse, t.data()),
                                               levels.data(),
                                               r.data(),
                                               t.data(),
                                               z.data(),
                                               is_backward};
    };
    for (index_t row = 0; row < blocks.n_rows(); ++row) {
      sweep(alone).by_thread(row);
      test::run_team(19, 0, [&](const test::ThreadTeam& team) { sweep(by_team).by_team(team, row); });
    }
    REQUIRE(by_team == alone);
  }
}

TEMPLATE_LIST_TEST_CASE("Block Gauss-Seidel is the triangular solve that its levels say, on all spaces",
                        "[solvers][device]", test::ExecutionSpaces) {
  const TestType exec;
  const Kokkos::DefaultHostExecutionSpace host;
  for (const bool symmetric : {false, true})
    for (const test::Blocks& blocks : matrices(symmetric)) {
      const auto symmetry = symmetric ? Symmetry::symmetric : Symmetry::general;
      const auto a = test::block_operator_on(exec, blocks, symmetry);
      const auto host_a = test::block_operator_on(host, blocks, symmetry);
      const std::vector<index_t> level = host_levels(exec, solvers::levels_by_color(exec, a.matrix()));
      const std::vector<double> r = test::random_vector(blocks.n(), 6);
      const auto level_of = [&](index_t row) { return level[static_cast<std::size_t>(row)]; };
      const test::Rows lower =
          part_of(blocks, [&](index_t i, index_t j) { return i == j || level_of(j) < level_of(i); });
      const test::Rows upper =
          part_of(blocks, [&](index_t i, index_t j) { return i == j || level_of(j) > level_of(i); });
      const test::Rows diagonal = part_of(blocks, [](index_t i, index_t j) { return i == j; });
      const std::vector<double> forward = test::solve_dense(lower, r);
      const std::vector<double> both = test::solve_dense(upper, test::multiply(diagonal, forward));
      for (const GaussSeidelSweep sweep : {GaussSeidelSweep::forward, GaussSeidelSweep::symmetric}) {
        CAPTURE(symmetric, blocks.n(), static_cast<int>(sweep));
        const solvers::BlockGaussSeidel<TestType> m(exec, a, sweep);

        const std::vector<double> z = test::applied(exec, m, r);

        const auto& expected = sweep == GaussSeidelSweep::forward ? forward : both;
        REQUIRE(test::distance(z, expected) <= 1e-12 * norm(expected));
        REQUIRE(m.is_symmetric() == (symmetric && sweep == GaussSeidelSweep::symmetric));
        REQUIRE(solvers::fused(m) == nullptr);
        const solvers::BlockGaussSeidel<Kokkos::DefaultHostExecutionSpace> on_host(host, host_a, sweep);
        REQUIRE(z == test::applied(host, on_host, r));
        if (m.is_symmetric()) {
          const std::vector<double> s = test::random_vector(blocks.n(), 8);
          REQUIRE(std::abs(test::product(z, s) - test::product(r, test::applied(exec, m, s))) <=
                  1e-13 * norm(z) * norm(s));
          REQUIRE(test::product(z, r) > 0.);
        }
      }
    }
}

TEMPLATE_LIST_TEST_CASE("Preconditioners of a matrix in single precision are those of the same numbers as doubles",
                        "[solvers][device]", test::ExecutionSpaces) {
  const TestType exec;
  for (const test::Blocks& blocks : matrices(false)) {
    CAPTURE(blocks.n());
    const test::InBothPrecisions<TestType> both(exec, blocks);
    const linalg::BlockCrsOperator<TestType> single(exec, both.in_single, Symmetry::general);
    const linalg::BlockCrsOperator<TestType> rounded(exec, both.in_double, Symmetry::general);
    const std::vector<double> r = test::random_vector(blocks.n(), 6);
    REQUIRE(test::applied(exec, solvers::BlockJacobi<TestType>(exec, single), r) ==
            test::applied(exec, solvers::BlockJacobi<TestType>(exec, rounded), r));
    for (const GaussSeidelSweep sweep : {GaussSeidelSweep::forward, GaussSeidelSweep::symmetric})
      REQUIRE(test::applied(exec, solvers::BlockGaussSeidel<TestType>(exec, single, sweep), r) ==
              test::applied(exec, solvers::BlockGaussSeidel<TestType>(exec, rounded, sweep), r));
  }
}

TEMPLATE_LIST_TEST_CASE("In downwind order block Gauss-Seidel solves an advection exactly", "[solvers][device]",
                        test::ExecutionSpaces) {
  const TestType exec;
  // Block rows in a mixed order; each is coupled only to the upwind one.
  const index_t n = 60;
  std::vector<index_t> order;
  for (index_t k = 0; k < n; ++k)
    order.push_back((k * 7 + 3) % n);
  test::Blocks blocks = test::random_blocks(test::mixed_sizes(n, {3, 6, 10}), 7, false, 2., 1);
  for (auto& row : blocks.rows)
    for (auto entry = row.begin(); entry != row.end();)
      entry = entry->first == &row - blocks.rows.data() ? std::next(entry) : row.erase(entry);
  for (std::size_t k = 1; k < order.size(); ++k)
    blocks.at(order[k], order[k - 1], 0, 1) = 1.5;
  const auto a = test::block_operator_on(exec, blocks, Symmetry::general);
  const auto levels = solvers::levels_by_order<TestType>(exec, a.matrix(), uploaded(exec, "test", order));
  const std::vector<double> b = test::random_vector(blocks.n(), 2);

  const solvers::BlockGaussSeidel<TestType> downwind(exec, a, GaussSeidelSweep::forward, levels);

  REQUIRE(downwind.n_levels() == n);
  const std::vector<double> expected = test::solve_dense(test::rows_of(blocks), b);
  REQUIRE(test::distance(test::applied(exec, downwind, b), expected) <= 1e-12 * norm(expected));
  const solvers::BlockGaussSeidel<TestType> by_color(exec, a, GaussSeidelSweep::forward);
  REQUIRE(by_color.n_levels() < 6);
  for (const char* method : {"gmres", "bicgstab"}) {
    const auto x = test::vector_on(exec, std::vector<double>(b.size(), 0.));
    const auto result = test::run_krylov<TestType>(exec, method, a, downwind, test::vector_on(exec, b), x, {});
    REQUIRE(result.status == SolverStatus::converged);
    REQUIRE(result.iterations == 1);
  }
}

TEMPLATE_LIST_TEST_CASE("Block preconditioners save iterations in this order", "[solvers][device]",
                        test::ExecutionSpaces) {
  const TestType exec;
  const test::LabelWatch watch;
  test::Blocks blocks = test::random_blocks(test::mixed_sizes(300, {6, 10}), 17, true, 0.6, 9);
  const auto a = test::block_operator_on(exec, blocks, Symmetry::symmetric);
  const std::vector<double> b = test::random_vector(blocks.n(), 3);
  const solvers::Identity<TestType> none(a.size());
  const solvers::BlockJacobi<TestType> jacobi(exec, a);
  const solvers::BlockGaussSeidel<TestType> forward(exec, a, GaussSeidelSweep::forward);
  const solvers::BlockGaussSeidel<TestType> symmetric(exec, a, GaussSeidelSweep::symmetric);
  std::vector<double> solution;
  for (const std::string method : {"gmres", "bicgstab", "pcg"}) {
    int fewest = 100000;
    for (const solvers::Preconditioner<TestType>* m :
         {static_cast<const solvers::Preconditioner<TestType>*>(&none),
          static_cast<const solvers::Preconditioner<TestType>*>(&jacobi),
          static_cast<const solvers::Preconditioner<TestType>*>(&forward),
          static_cast<const solvers::Preconditioner<TestType>*>(&symmetric)}) {
      if (method == "pcg" && m == &forward)
        continue;
      CAPTURE(method, m->name());
      const auto x = test::vector_on(exec, std::vector<double>(b.size(), 0.));
      const solvers::SolverResult result =
          method == "pcg" ? solvers::Pcg<TestType>().solve(exec, a, *m, test::vector_on(exec, b), x)
                          : test::run_krylov<TestType>(exec, method, a, *m, test::vector_on(exec, b), x, {});
      REQUIRE(result.status == SolverStatus::converged);
      REQUIRE(result.iterations < fewest);
      fewest = result.iterations;
      if (solution.empty())
        solution = test::values_of(exec, x);
      REQUIRE(test::distance(test::values_of(exec, x), solution) <= 1e-8 * norm(solution));
    }
  }
  std::set<std::string> bad = watch.bad_labels();
  bad.erase("allocation test");
  REQUIRE(bad == std::set<std::string>());
}

TEMPLATE_LIST_TEST_CASE("PCG refuses blocks that are not symmetric, and a one-sided sweep", "[solvers]",
                        test::ExecutionSpaces) {
  const TestType exec;
  const test::Blocks blocks = test::random_blocks({3, 3, 6}, 2, true, 1., 1);
  const auto symmetric = test::block_operator_on(exec, blocks, Symmetry::symmetric);
  const auto general = test::block_operator_on(exec, blocks, Symmetry::general);
  const auto b = test::vector_on(exec, std::vector<double>(12, 1.));
  const auto x = test::vector_on(exec, std::vector<double>(12, 0.));
  solvers::Pcg<TestType> pcg;
  CHECK_THROWS_WITH(pcg.solve(exec, general, solvers::BlockJacobi<TestType>(exec, symmetric), b, x),
                    ContainsSubstring("need a symmetric operator"));
  CHECK_THROWS_WITH(pcg.solve(exec, symmetric, solvers::BlockJacobi<TestType>(exec, general), b, x),
                    ContainsSubstring("symmetric preconditioner, and 'block-jacobi'"));
  CHECK_THROWS_WITH(
      pcg.solve(exec, symmetric, solvers::BlockGaussSeidel<TestType>(exec, symmetric, GaussSeidelSweep::forward), b, x),
      ContainsSubstring("symmetric preconditioner, and 'block-gauss-seidel'"));
}

TEMPLATE_LIST_TEST_CASE("Orders and levels that do not fit are refused", "[solvers]", test::ExecutionSpaces) {
  const TestType exec;
  const auto a = test::block_operator_on(exec, test::random_blocks({3, 3, 6}, 2, true, 1., 1), Symmetry::symmetric);
  const auto by_order = [&](const std::vector<index_t>& order) {
    return solvers::levels_by_order<TestType>(exec, a.matrix(), uploaded(exec, "test", order));
  };
  CHECK_THROWS_WITH(by_order({0, 1}), ContainsSubstring("2 entries, but there are 3 block rows"));
  CHECK_THROWS_WITH(by_order({0, 2, 0}), ContainsSubstring("entry 2 is 0"));
  CHECK_THROWS_WITH(by_order({0, 3, 1}), ContainsSubstring("entry 1 is 3"));
  const auto with_levels = [&](const std::vector<index_t>& levels) {
    return solvers::BlockGaussSeidel<TestType>(exec, a, GaussSeidelSweep::forward, uploaded(exec, "test", levels));
  };
  CHECK_THROWS_WITH(with_levels({0, 1}), ContainsSubstring("2 levels for 3 block rows"));
  CHECK_THROWS_WITH(with_levels({0, -1, 1}), ContainsSubstring("there is -1"));
  CHECK(with_levels({0, 5, 2}).n_levels() == 6);
}

TEMPLATE_LIST_TEST_CASE("Block preconditioners of an empty system do nothing", "[solvers]", test::ExecutionSpaces) {
  const TestType exec;
  const auto a = test::block_operator_on(exec, test::Blocks(), Symmetry::symmetric);
  const linalg::Vector<TestType> empty;
  solvers::BlockJacobi<TestType>(exec, a).apply(exec, empty, empty);
  solvers::BlockGaussSeidel<TestType>(exec, a, GaussSeidelSweep::symmetric).apply(exec, empty, empty);
}
