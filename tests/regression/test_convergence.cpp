// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "io/output/convergence_file.hpp"
#include "support/run_case.hpp"
#include "support/temporary_folder.hpp"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <filesystem>

namespace tessera::test {

namespace {

const std::string plates = TESSERA_SOURCE_DIR "/tests/regression/plates.yaml";

std::vector<io::ResidualHistory> histories_of(const std::string& file, const std::vector<std::string>& settings,
                                              int& iterations) {
  const TemporaryFolder folder;
  const auto summary = run_case(file, folder.file("out"), settings);
  CHECK(summary.exit_code == 0);
  iterations = summary.iterations;
  const io::YamlNode report = io::read_yaml(folder.file("out") + "/report.yaml");
  CHECK(report.find("solver")->find("history")->text == "convergence.csv");
  CHECK(report.find("files")->find("convergence.csv") != nullptr);
  return io::read_convergence(folder.file("out") + "/convergence.csv");
}

std::size_t n_iterations(const std::vector<io::ResidualHistory>& histories, const std::string& solve) {
  std::size_t sum = 0;
  for (const io::ResidualHistory& history : histories)
    sum += history.solve == solve ? history.residuals.size() - 1 : 0;
  return sum;
}

void check_ends(const std::vector<io::ResidualHistory>& histories, const std::string& solve, double tolerance) {
  for (const io::ResidualHistory& history : histories)
    if (history.solve == solve) {
      INFO(solve << ", round " << history.round << ", step " << history.step);
      CHECK(history.residuals.back() <= tolerance);
      CHECK(*std::max_element(history.residuals.begin(), history.residuals.end()) > tolerance);
    }
}

} // namespace

TEST_CASE("The table of residuals has every iteration of every solve", "[regression][device]") {
  int iterations = 0;
  const auto n = [&] { return static_cast<std::size_t>(iterations); };
  SECTION("of a linear problem") {
    const auto histories = histories_of(plates, {}, iterations);
    REQUIRE(histories.size() == 1);
    CHECK(n_iterations(histories, "solution") == n());
    check_ends(histories, "solution", 1e-10);
  }
  SECTION("of several right-hand sides") {
    const auto histories = histories_of(plates, {"output.quantities=[capacitance_matrix]"}, iterations);
    REQUIRE(histories.size() == 3);
    CHECK(histories[0].solve == "solution");
    CHECK(histories[1].solve == "capacitance_matrix.left");
    CHECK(histories[2].solve == "capacitance_matrix.right");
    for (const io::ResidualHistory& history : histories)
      check_ends(histories, history.solve, 1e-10);
  }
  SECTION("of Newton's method") {
    const auto histories = histories_of(input_file("heat-radiation"), {}, iterations);
    REQUIRE(histories.size() > 2);
    CHECK(histories[0].solve == "newton");
    CHECK(histories[0].residuals.front() == 1.);
    check_ends(histories, "newton", 1e-8);
    CHECK(histories.size() == histories[0].residuals.size()); // the Newton iteration and one for each of its steps
    for (std::size_t k = 1; k < histories.size(); ++k)
      CHECK(histories[k].step == static_cast<int>(k));
    CHECK(n_iterations(histories, "newton-step") == n());
  }
  SECTION("of time steps") {
    const auto histories = histories_of(
        input_file("dg-parabolic"),
        {"mesh.box.cells=[4, 4]", "mesh.agglomerate=", "problem.time.steps=3", "output.fields=[]"}, iterations);
    REQUIRE(histories.size() == 3);
    CHECK(histories[2].step == 3);
    CHECK(n_iterations(histories, "solution") == n());
    check_ends(histories, "solution", 1e-10);
  }
  SECTION("of rounds of refinement") {
    const auto histories =
        histories_of(plates,
                     {"mesh.adapt={target_error: 1e-6, max_rounds: 3}",
                      "problem.boundaries.left.potential=tanh(20*(y - 0.5))", "output.quantities=[energy]"},
                     iterations);
    REQUIRE(histories.size() == 3);
    for (int round = 1; round <= 3; ++round)
      CHECK(histories[static_cast<std::size_t>(round - 1)].round == round);
    check_ends(histories, "solution", 1e-10);
  }
}

TEST_CASE("Runs without the table of residuals do not name it", "[regression]") {
  const TemporaryFolder folder;
  run_case(plates, folder.file("out"), {"output.convergence=false"});
  CHECK_FALSE(std::filesystem::exists(folder.file("out/convergence.csv")));
  const io::YamlNode report = io::read_yaml(folder.file("out") + "/report.yaml");
  CHECK(report.find("solver")->find("history") == nullptr);
  CHECK(report.find("files")->find("convergence.csv") == nullptr);
}

} // namespace tessera::test
