// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "assembly/strategy.hpp"
#include "support/is_near.hpp"
#include "support/run_case.hpp"
#include "support/temporary_folder.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <cmath>

namespace tessera::test {

namespace {

using Catch::Matchers::ContainsSubstring;
using Settings = std::vector<std::string>;

/// A box that is entirely a magnet.
driver::RunSummary run_magnet(const std::string& direction, const Settings& more = {}) {
  const TemporaryFolder folder;
  Settings settings = {
      "problem.physics=magnetostatics",
      "problem.materials={domain: {relative_permeability: 1.05, remanence: 1.2, direction: " + direction + "}}",
      "problem.boundaries={left: {vector_potential: 0}, right: {vector_potential: 0}}",
      "output.fields=[]",
      "output.probes=",
      "output.quantities=[energy, coenergy, regions]"};
  settings.insert(settings.end(), more.begin(), more.end());
  return run_case(TESSERA_SOURCE_DIR "/tests/regression/plates.yaml", folder.file("out"), settings);
}

} // namespace

TEST_CASE("A direction that is an expression without change is a direction", "[regression][device]") {
  for (const char* symmetry : {"planar", "axisymmetric"})
    for (const char* order : {"1", "2"}) {
      const Settings settings = {"problem.symmetry=" + std::string(symmetry),
                                 "discretization.order=" + std::string(order)};
      const auto fixed = run_magnet("[3, 4]", settings).quantities;
      // direction vectors of another length
      const auto varying = run_magnet("[\"0.75*(1 + x)\", \"1 + x\"]", settings).quantities;
      for (const char* name : {"energy", "coenergy", "largest_flux_density.domain", "largest_magnetic_field.domain"}) {
        INFO(name);
        CHECK(is_near(varying.at(name), fixed.at(name)));
      }
    }
}

TEST_CASE("Every strategy assembles magnets whose direction varies", "[regression][device]") {
  // The direction rotates along x: no strategy may use one direction for a whole region.
  const std::string turning = "[\"cos(5*x)\", \"sin(5*x)\"]";
  const double energy = run_magnet(turning, {"assembly.strategy=reference"}).quantities.at("energy");
  CHECK(std::fabs(energy / run_magnet("[1, 0]").quantities.at("energy") - 1.) > 0.01);
  for (const auto& traits : assembly::strategy_table) {
    if (traits.strategy == assembly::Strategy::automatic)
      continue;
    INFO(traits.name);
    CHECK(is_near(run_magnet(turning, {"assembly.strategy=" + std::string(traits.name)}).quantities.at("energy"),
                  energy));
  }
}

TEST_CASE("Directions that vanish are errors with their place", "[regression]") {
  std::string message = "no error";
  try {
    run_magnet("[\"max(0, x - 1)\", \"0*y\"]");
  } catch (const Error& error) {
    CHECK(error.exit_code() == 1);
    message = error.what();
  }
  CHECK_THAT(message, ContainsSubstring("problem.materials.domain") &&
                          ContainsSubstring("direction of the magnetisation that is not finite, or zero") &&
                          ContainsSubstring("of region 'domain' near (0."));
}

} // namespace tessera::test
