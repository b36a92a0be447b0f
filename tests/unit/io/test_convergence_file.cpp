// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/error.hpp"
#include "io/output/convergence_file.hpp"
#include "temporary_folder.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <cmath>
#include <fstream>
#include <sstream>

using namespace tessera::io;
using Catch::Matchers::ContainsSubstring;
using tessera::test::TemporaryFolder;

TEST_CASE("residuals are written by solve, round and step, and read back with all digits", "[io]") {
  const TemporaryFolder folder;
  const std::string path = folder.file("convergence.csv");
  const double third = 1. / 3.;
  write_convergence(path, {{"solution", 1, 1, {1., third}},
                           {"matrix.a, \"b\"", 2, 3, {0.5}},
                           {"solution", 2, 1, {std::nan(""), 1e-300, 0.}}});
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  CHECK(text.str() == "solve,round,step,iteration,relative_residual\n"
                      "solution,1,1,0,1\nsolution,1,1,1,0.3333333333333333\n"
                      "\"matrix.a, \"\"b\"\"\",2,3,0,0.5\n"
                      "solution,2,1,0,\nsolution,2,1,1,1e-300\nsolution,2,1,2,0\n");
  const std::vector<ResidualHistory> read = read_convergence(path);
  REQUIRE(read.size() == 3);
  CHECK(read[0].residuals == std::vector<double>{1., third});
  CHECK(read[1].solve == "matrix.a, \"b\"");
  CHECK(read[1].round == 2);
  CHECK(read[1].step == 3);
  CHECK(std::isnan(read[2].residuals[0]));
  std::ofstream(path) << "a,b\n1,2\n";
  CHECK_THROWS_WITH(read_convergence(path), ContainsSubstring("is no table of residuals"));
}

TEST_CASE("residuals without a right-hand side have no relative value, unless they vanish", "[io]") {
  CHECK(relative_residuals({4., 1.}, 2.) == std::vector<double>{2., 0.5});
  const std::vector<double> without = relative_residuals({1., 0.}, 0.);
  CHECK(std::isnan(without[0]));
  CHECK(without[1] == 0.);
}
