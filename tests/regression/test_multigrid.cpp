// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/kokkos_ext/backends.hpp"
#include "io/input/yaml_reader.hpp"
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

TEST_CASE("Algebraic levels take few iterations for tensors, stretched cells and antiperiodic sides",
          "[regression][device]") {
  const TemporaryFolder folder;
  const std::string sides = "bottom: {value: 0}, top: {value: 0}";
  const std::string all_zero = "left: {value: 0}, right: {value: 0}, " + sides;
  std::string type = "algebraic";
  const auto iterations = [&](const std::string& diffusivity, const std::string& boundaries, const std::string& upper,
                              int order) {
    const auto summary =
        run_case(input_file("mms-2d"), folder.file("out"),
                 {"mesh.box.cells=[96, 96]", "mesh.box.upper=" + upper, "verification=", "output.fields=[]",
                  "problem.materials.domain={diffusivity: " + diffusivity + "}", "problem.sources.domain.source=1",
                  "problem.boundaries={" + boundaries + "}", "discretization.order=" + std::to_string(order),
                  "solver.preconditioner=multigrid", "solver.multigrid.type=" + type, "solver.relative_tolerance=1e-8",
                  "assembly.strategy=row-gather"});
    INFO(diffusivity << ", " << boundaries << ", " << upper << ", " << order << ": " << summary.iterations);
    CHECK(summary.exit_code == 0);
    return summary.iterations;
  };
  CHECK(iterations("1", all_zero, "[1, 1]", 1) <= 12);
  CHECK(iterations("1", all_zero, "[1, 1]", 2) <= 15);
  CHECK(iterations("1", all_zero, "[100, 1]", 1) <= 14);
  CHECK(iterations("1", all_zero, "[100, 1]", 2) <= 17);
  CHECK(iterations("[1000, 1], rotation: 0", all_zero, "[1, 1]", 1) <= 14);
  CHECK(iterations("[1000, 1], rotation: 90", all_zero, "[1, 1]", 1) <= 14);
  CHECK(iterations("[1000, 1], rotation: 30", all_zero, "[1, 1]", 1) <= 24);
  CHECK(iterations("[1000, 1], rotation: 10", all_zero, "[1, 1]", 1) <= 16);
  CHECK(iterations("1", "left: {antiperiodic: right}, " + sides, "[1, 1]", 1) <= 13);
  type = "auto";
  CHECK(iterations("1", all_zero, "[1, 1]", 1) <= 6); // from coarser meshes
  for (const char* layer : {"['1 + 1e4*(y < 0.02)', 1]", "['1 + 1e4*(y < 0.05)', 1]", "['1 + 1e6*(y < 0.05)', 1]"})
    CHECK(iterations(layer, all_zero, "[1, 1]", 1) <= 16); // with 256 x 256 cells 201 to 309 from coarser meshes
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

namespace {

/// Runs a case by multigrid with a matrix, then matrix-free on every backend: the numbers of iterations agree within
/// two, and the values are the same. Also runs matrix-free Jacobi.
void compare_without_matrix(const std::string& file, const std::vector<std::string>& settings,
                            const std::vector<std::string>& strategies = {"ebe-atomic"}) {
  const TemporaryFolder folder;
  const auto run = [&](const std::string& backend, const std::string& strategy, const char* preconditioner) {
    std::vector<std::string> all = settings;
    all.insert(all.end(), {"execution.backend=" + backend, "assembly.strategy=" + strategy, "output.fields=[]",
                           std::string("solver.preconditioner=") + preconditioner});
    return run_case(file, folder.file("out"), all);
  };
  const std::string host = backend_names().front();
  const auto with_matrix = run(host, "row-gather", "multigrid");
  const auto by_jacobi = run(host, "ebe-atomic", "jacobi");
  REQUIRE(with_matrix.exit_code == 0);
  REQUIRE(by_jacobi.exit_code == 0);
  for (const std::string& backend : backend_names())
    for (const std::string& strategy : strategies) {
      const auto without = run(backend, strategy, "multigrid");
      INFO(file << ", " << backend << ", " << strategy << ": " << without.iterations << " iterations, with a matrix "
                << with_matrix.iterations);
      CHECK(without.exit_code == 0);
      if (with_matrix.nonlinear_history.empty()) // bounds of eigenvalues differ
        CHECK(without.iterations <= with_matrix.iterations + 2);
      else
        CHECK(without.nonlinear_history.size() <= with_matrix.nonlinear_history.size() + 1);
      CHECK(without.iterations < by_jacobi.iterations);
      for (const auto& [name, value] : by_jacobi.quantities) // residuals of 1e-10 or less; a body without charge
        CHECK(std::fabs(without.quantities.at(name) - value) < 1e-7 * std::fabs(value) + 1e-17);
      for (const auto& [name, value] : by_jacobi.errors)
        CHECK(std::fabs(without.errors.at(name) - value) < 1e-6 * value + 1e-9);
    }
}

} // namespace

TEST_CASE("Multigrid without a matrix takes the iterations of multigrid with one, to the same solution",
          "[regression][device]") {
  const std::vector<std::string> all = {"ebe-atomic", "ebe-recomputed", "ebe-stored"};
  compare_without_matrix(input_file("mms-2d"), {"mesh.box.cells=[64, 64]"}, all);
  compare_without_matrix(input_file("mms-2d"), {"mesh.box.cells=[63, 47]", "discretization.order=2"});
  compare_without_matrix(input_file("mms-3d"), {"mesh.box.cells=[12, 12, 12]"});
  compare_without_matrix(input_file("mms-3d"), {"mesh.box.cells=[6, 6, 6]", "discretization.order=2"}, all);
  // Residuals of 1e-10, relative to the load at rest, cause an error of 1.5e-9 in the heat flow.
  compare_without_matrix(input_file("heat-radiation"), {"discretization.order=2", "solver.relative_tolerance=1e-12",
                                                        "solver.nonlinear.relative_tolerance=1e-12"});
}

TEST_CASE("Multigrid without a matrix has the same bits on every backend where its operator has",
          "[regression][device]") {
  const TemporaryFolder folder;
  std::string expected;
  for (const std::string& backend : backend_names()) {
    run_case(input_file("mms-2d"), folder.file("out"),
             {"execution.backend=" + backend, "mesh.box.cells=[48, 32]", "assembly.strategy=ebe-recomputed",
              "solver.preconditioner=multigrid", "execution.reproducible=true", "output.fields=[]"});
    const io::YamlNode report = io::read_yaml(folder.file("out") + "/report.yaml");
    const std::string bits = report.find("checksums")->find("solution")->text;
    CHECK((expected.empty() || bits == expected));
    expected = bits;
    const io::YamlNode& levels = *report.find("solver")->find("multigrid")->find("levels");
    CHECK(levels.items.front().find("matrix")->text == "none");
    CHECK(levels.items.front().find("entries") == nullptr);
    CHECK(levels.items.at(1).find("entries") != nullptr);
  }
}

#if TESSERA_HAVE_GMSH
TEST_CASE("Multigrid without a matrix solves for floating conductors, antiperiodic sides and in Newton's steps",
          "[regression][device]") {
  compare_without_matrix(input_file("coax"), {"mesh.refine=1"});
  compare_without_matrix(input_file("coax-axisymmetric"), {"discretization.order=2"});
  compare_without_matrix(input_file("floating-conductor"), {"mesh.refine=1"});
  compare_without_matrix(input_file("antiperiodic-pole"), {"mesh.refine=1"});
}

TEST_CASE("Multigrid alone solves for floating conductors and in Newton's steps as PCG does", "[regression][device]") {
  const TemporaryFolder folder;
  const std::vector<std::pair<std::string, std::string>> runs = {{"floating-conductor", "capacitance"},
                                                                 {"antiperiodic-pole", "energy"}};
  for (const auto& [name, quantity] : runs) {
    const auto expected = run_case(input_file(name), folder.file("out"));
    const auto summary = alone(input_file(name), folder, {"assembly.strategy=row-gather"});
    INFO(name << ": " << summary.iterations << " cycles");
    CHECK(summary.exit_code == 0);
    if (!expected.nonlinear_history.empty()) // linear residuals differ below their tolerances
      CHECK(summary.nonlinear_history.size() <= expected.nonlinear_history.size() + 1);
    // Residuals of 1e-10 or less.
    CHECK(relative_difference(summary.quantities.at(quantity), expected.quantities.at(quantity)) < 1e-7);
    SUCCEED("see above");
  }
}
#endif

} // namespace tessera::test
