// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "support/run_case.hpp"
#include "support/temporary_folder.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <cmath>

namespace tessera::test {

namespace {

std::string message_of(const std::string& file, const TemporaryFolder& folder, const std::vector<std::string>& sets) {
  try {
    run_case(file, folder.file("out"), sets);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

const std::string mms = TESSERA_SOURCE_DIR "/tests/convergence/mms-periodic.yaml";
const std::string magnetic = TESSERA_SOURCE_DIR "/tests/convergence/mms-magnetic-antiperiodic.yaml";

} // namespace

TEST_CASE("A field with two antiperiodic directions is the same in every strategy", "[regression][device]") {
  const TemporaryFolder folder;
  const auto reference = run_case(mms, folder.file("out"), {"assembly.strategy=reference"});
  for (const char* strategy : {"a-coo", "colored", "row-gather", "ebe-stored", "ebe-recomputed"}) {
    const auto summary = run_case(mms, folder.file("out"), {"assembly.strategy=" + std::string(strategy)});
    INFO(strategy);
    CHECK(summary.exit_code == 0);
    CHECK(std::fabs(summary.errors.at("l2") / reference.errors.at("l2") - 1.) < 1e-8);
  }
}

// Needs no Gmsh. Row-wise strategies use one row of each element matrix, the others the whole matrix.
TEST_CASE("A magnetic field between antiperiodic sides is the exact one in every strategy", "[regression][device]") {
  const TemporaryFolder folder;
  for (const char* strategy : {"reference", "a-coo", "colored", "row-gather", "ebe-stored", "ebe-recomputed"})
    for (const char* order : {"1", "2"}) {
      const auto summary = run_case(magnetic, folder.file("out"),
                                    {"assembly.strategy=" + std::string(strategy), "mesh.box.cells=[16, 16]",
                                     "discretization.order=" + std::string(order)});
      INFO(strategy << ", order " << order << ": " << summary.errors.at("l2"));
      CHECK(summary.exit_code == 0);
      CHECK(summary.errors.at("l2") < (order[0] == '1' ? 4e-2 : 2e-3)); // a wrong sign: about 1
    }
}

TEST_CASE("Wrong pairs of boundaries are reported", "[regression][device]") {
  using Catch::Matchers::ContainsSubstring;
  const TemporaryFolder folder;
  CHECK_THAT(message_of(mms, folder, {"problem.boundaries.left.periodic=rigt"}),
             ContainsSubstring("problem.boundaries.left.periodic: 'rigt' of a periodic pair is no boundary") &&
                 ContainsSubstring("left, right, bottom, top"));
  CHECK_THAT(message_of(mms, folder,
                        {"mesh.box.cells=[8, 9]", "problem.boundaries.left.periodic=bottom",
                         "problem.boundaries.top={antiperiodic: right}"}),
             ContainsSubstring("'left' and 'bottom' have 10 and 9 nodes"));
  CHECK_THAT(message_of(mms, folder, {"problem.boundaries.left={periodic: {with: right, translation: [1, 0.1]}}"}),
             ContainsSubstring("do not match: 9 of 9 nodes have no partner"));
}

#if TESSERA_HAVE_GMSH

TEST_CASE("One antiperiodic pole has a quarter of the machine's energy", "[regression][device]") {
  const TemporaryFolder folder;
  const std::string pole = TESSERA_SOURCE_DIR "/inputs/antiperiodic-pole/antiperiodic-pole.yaml";
  const std::string machine = TESSERA_SOURCE_DIR "/inputs/antiperiodic-pole/antiperiodic-pole-full.yaml";
  for (const char* order : {"1", "2"}) {
    const std::string set = "discretization.order=" + std::string(order);
    const auto part = run_case(pole, folder.file("pole"), {set});
    const auto whole = run_case(machine, folder.file("machine"), {set});
    INFO("order " << order);
    for (const auto& [of_part, of_whole] : {std::pair<const char*, const char*>{"energy", "energy"},
                                            {"coenergy", "coenergy"},
                                            {"flux_linkage.tooth", "flux_linkage.teeth"}}) {
      const double ratio = whole.quantities.at(of_whole) / part.quantities.at(of_part);
      INFO(of_part << ": ratio " << ratio);
      CHECK(std::fabs(ratio - 4.) < 1e-7);
    }
    // The motion may be given explicitly, and the boundaries exchanged.
    const auto given = run_case(
        pole, folder.file("given"),
        {set, "problem.boundaries.last=", "problem.boundaries.first={antiperiodic: {with: last, rotation: 90}}"});
    CHECK(std::fabs(given.quantities.at("energy") / part.quantities.at("energy") - 1.) < 1e-9);
  }
}

TEST_CASE("The field of a round magnet is that of a dipole", "[regression][device]") {
  const TemporaryFolder folder;
  const std::string file = input_file("magnet-in-air");
  const double coarse = run_case(file, folder.file("out")).errors.at("l2");
  const double fine = run_case(file, folder.file("out"), {"mesh.parameters.n_around=256"}).errors.at("l2");
  const double wall =
      run_case(file, folder.file("out"), {"problem.boundaries.far={vector_potential: 0}"}).errors.at("l2");
  INFO("errors " << coarse << ", " << fine << "; with a wall " << wall);
  CHECK(coarse < 2e-3);
  CHECK(fine < 0.3 * coarse);
  CHECK(wall > 0.1); // without the condition the field is wrong
  SUCCEED("see above");
}

#endif

} // namespace tessera::test
