// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/dg/dg_solver.hpp"
#include "support/block_matrices.hpp"
#include "support/spaces.hpp"

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <cmath>

using namespace tessera;
using Catch::Matchers::ContainsSubstring;

TEMPLATE_LIST_TEST_CASE("Block Jacobi takes the place of multigrid that breaks down", "[driver][device]",
                        test::ExecutionSpaces) {
  const TestType exec;
  const auto chain = [](double sign) { // -u'' times a sign, in blocks of two
    test::Blocks blocks;
    blocks.sizes.assign(8, 2);
    blocks.rows.resize(8);
    for (index_t i = 0; i < 16; ++i)
      for (index_t j = std::max(0, i - 1); j <= std::min(15, i + 1); ++j)
        blocks.at(i / 2, j / 2, i % 2, j % 2) = sign * (i == j ? 2. : -1.);
    return blocks;
  };
  const auto a = test::block_operator_on(exec, chain(1.), linalg::Symmetry::symmetric);
  const std::vector<solvers::BlockLevel<TestType>> levels{
      solvers::BlockLevel<TestType>::whole(test::block_crs_on(exec, chain(-1.)))}; // a cycle for an indefinite matrix
  const std::vector<double> ones(16, 1.);
  io::SolverInput input;
  input.preconditioner = io::Preconditioner::multigrid;
  driver::BlockSolver<TestType> solver(input, {});
  for (const bool again : {false, true}) { // as for the next time step
    solver.set_up(exec, {}, a, levels);
    const auto x = test::to_space<linalg::Vector<TestType>>(exec, std::vector<double>(16, 0.));
    const auto result = solver.solve(exec, test::to_space<linalg::Vector<TestType>>(exec, ones), x);
    CAPTURE(again, result.message);
    CHECK(result.status == solvers::SolverStatus::converged);
    CHECK_THAT(solver.fallback(), ContainsSubstring("the preconditioner is not positive definite"));
    CHECK(solver.levels().empty());
    CHECK(std::fabs(test::values_of(exec, x)[0] - 8.) < 1e-8); // u = i (17 - i) / 2
  }
}
