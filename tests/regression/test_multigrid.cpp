// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "support/run_case.hpp"
#include "support/temporary_folder.hpp"

#include <catch2/catch_test_macros.hpp>

#include <cmath>

namespace tessera::test {

namespace {

driver::RunSummary alone(const std::string& file, const TemporaryFolder& folder, std::vector<std::string> settings) {
  settings.insert(settings.end(), {"solver.method=multigrid", "solver.preconditioner=multigrid"});
  return run_case(file, folder.file("out"), settings);
}

double relative_difference(double a, double b) { return std::fabs(a - b) / std::max(std::fabs(a), std::fabs(b)); }

} // namespace

TEST_CASE("Multigrid alone divides the residual of boxes by more than five per cycle, in 3D by four",
          "[regression][device]") {
  const TemporaryFolder folder;
  for (const char* cells : {"mesh.box.cells=[32, 32]", "mesh.box.cells=[128, 128]"}) {
    const auto summary = alone(input_file("mms-2d"), folder, {cells, "solver.relative_tolerance=1e-10"});
    INFO(cells << ": " << summary.iterations << " cycles");
    CHECK(summary.exit_code == 0);
    CHECK(std::pow(summary.residual, 1. / summary.iterations) < 0.2);
    SUCCEED("see above");
  }
  const auto in_space =
      alone(input_file("mms-3d"), folder,
            {"mesh.box.cells=[16, 16, 16]", "solver.relative_tolerance=1e-10", "problem.materials.domain.diffusivity=1",
             "verification.exact=", "verification.gradient="});
  INFO(in_space.iterations << " cycles in 3D");
  CHECK(in_space.exit_code == 0);
  CHECK(std::pow(in_space.residual, 1. / in_space.iterations) < 0.25);
}

TEST_CASE("Multigrid alone that is cut short ends with exit code 2", "[regression]") {
  const TemporaryFolder folder;
  const auto summary = alone(input_file("mms-2d"), folder, {"solver.max_iterations=3"});
  CHECK(summary.exit_code == 2);
  CHECK(summary.iterations == 3);
  CHECK(summary.residual > 1e-12);
}

TEST_CASE("Multigrid alone solves with tied unknowns as PCG does", "[regression][device]") {
  const TemporaryFolder folder;
  const std::string periodic = TESSERA_SOURCE_DIR "/tests/convergence/mms-periodic.yaml";
  const auto expected = run_case(periodic, folder.file("out"));
  const auto summary = alone(periodic, folder, {"assembly.strategy=row-gather"});
  CHECK(summary.exit_code == 0);
  CHECK(relative_difference(summary.errors.at("l2"), expected.errors.at("l2")) < 1e-6);
}

#if TESSERA_HAVE_GMSH
TEST_CASE("Multigrid alone solves for floating conductors and in Newton's steps as PCG does", "[regression][device]") {
  const TemporaryFolder folder;
  const std::vector<std::pair<std::string, std::string>> runs = {{"floating-conductor", "capacitance"},
                                                                 {"antiperiodic-pole", "energy"}};
  for (const auto& [name, quantity] : runs) {
    const auto expected = run_case(input_file(name), folder.file("out"));
    const auto summary = alone(input_file(name), folder, {"assembly.strategy=row-gather"});
    INFO(name << ": " << summary.iterations << " cycles");
    CHECK(summary.exit_code == 0);
    if (!expected.nonlinear_history.empty()) // linear residuals differ below their bounds
      CHECK(summary.nonlinear_history.size() <= expected.nonlinear_history.size() + 1);
    // Residuals of 1e-10 or less.
    CHECK(relative_difference(summary.quantities.at(quantity), expected.quantities.at(quantity)) < 1e-7);
    SUCCEED("see above");
  }
}
#endif

} // namespace tessera::test
