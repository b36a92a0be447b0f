// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/config.hpp"
#include "core/error.hpp"
#include "core/kokkos_ext/backends.hpp"
#include "io/input/resolved.hpp"
#include "support/is_near.hpp"
#include "support/run_case.hpp"
#include "support/temporary_folder.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <cmath>
#include <fstream>

namespace tessera::test {

namespace {

using Catch::Matchers::ContainsSubstring;
using Settings = std::vector<std::string>;

Settings with(Settings settings, const Settings& more) {
  settings.insert(settings.end(), more.begin(), more.end());
  return settings;
}

driver::RunSummary run_input(const std::string& name, const Settings& settings) {
  const TemporaryFolder folder;
  return run_case(input_file(name), folder.file("out"), settings);
}

driver::RunSummary run_wire(const Settings& settings) {
  driver::RunSummary summary = run_input("self-heated-wire", settings);
  CHECK(summary.message == "");
  REQUIRE(summary.exit_code == 0);
  return summary;
}

std::string message_of(const std::string& name, const Settings& settings) {
  const TemporaryFolder folder;
  try {
    run_case(input_file(name), folder.file("out"), settings);
  } catch (const Error& error) {
    CHECK(error.exit_code() == 1);
    return error.what();
  }
  return "no error";
}

/// The wire with a given current, A, instead of a voltage.
Settings with_current(double current) {
  return {"verification=",
          "problem.boundaries.right={terminal: {current: " + std::to_string(current) + "}, temperature: 300}",
          "output.quantities=[current, losses, heat_flow]"};
}

/// Above it there is no steady state: j L sqrt(a / (k sigma0)) / 2 = pi / 2.
const double critical_current = 3.14159265358979323846 / 0.1 * std::sqrt(400. * 5e7 / 0.004) * 2e-6;

} // namespace

TEST_CASE("Temperatures of a wire that heats itself converge with the order of its elements and one more",
          "[regression][device]") {
  for (const int order : {1, 2}) {
    double before = 0.;
    for (const int cells : {8, 16, 32}) {
      const double error = run_wire({"discretization.order=" + std::to_string(order),
                                     "verification.quantities=", "mesh.box.cells=[" + std::to_string(cells) + ", 1]"})
                               .errors.at("l2");
      INFO("order " << order << ", " << cells << " cells: " << error);
      if (before > 0.)
        CHECK(std::log2(before / error) > order + 0.9);
      before = error;
    }
  }
}

TEST_CASE("A wire heats itself alike in the plane, around an axis and in space", "[regression][device]") {
  const Settings along_y = {
      "verification.exact=", "problem.depth=", "problem.symmetry=axisymmetric",
      "mesh.box={cells: [2, 64], lower: [0, -0.05], upper: [0.001, 0.05]}",
      "problem.boundaries={bottom: {potential: 0, temperature: 300}, top: {potential: 0.2, temperature: 300}}"};
  const double area = 3.14159265358979323846 * 1e-6;
  const Settings of_area = {
      "verification.quantities={temperature_rise: {value: 362.3724356957945, tolerance: 1e-6}, current.top: {value: " +
      std::to_string(102.88256019810912 / 2e-6 * area) + ", tolerance: 1e-6}}"};
  run_wire(with(along_y, of_area));
  run_wire({"problem.depth=", "verification.quantities={temperature_rise: {value: 362.3724356957945, tolerance: 1e-4}}",
            "mesh.box={cells: [24, 1, 1], lower: [-0.05, 0, 0], upper: [0.05, 0.001, 0.002]}"});
}

TEST_CASE("Losses are what terminals supply and what leaves as heat", "[regression]") {
  const driver::RunSummary wire = run_wire({"discretization.order=1", "verification="});
  const double losses = wire.quantities.at("losses");
  CHECK(is_near(wire.quantities.at("current.right") * 0.2, losses, 1e-8 * losses));
  CHECK(is_near(wire.quantities.at("heat_flow.left") + wire.quantities.at("heat_flow.right"), -losses, 1e-8 * losses));
}

TEST_CASE("Current and voltage give the same wire, and strategies and backends the same temperatures",
          "[regression][device]") {
  const driver::RunSummary of_current = run_wire(with_current(102.88256019810912));
  CHECK(is_near(of_current.quantities.at("temperature_rise"), 362.3724356957945, 1e-3));
  CHECK(is_near(of_current.quantities.at("potential.right"), 0.2, 1e-6));
  const double rise = run_wire({"assembly.strategy=reference"}).quantities.at("temperature_rise");
  for (const std::string& backend : backend_names())
    for (const char* strategy : {"row-gather", "ebe-atomic"})
      CHECK(is_near(run_wire({std::string("assembly.strategy=") + strategy, "solver.preconditioner=jacobi",
                              "execution.backend=" + backend})
                        .quantities.at("temperature_rise"),
                    rise, 1e-7 * rise));
}

TEST_CASE("Currents that no steady state carries are reported as thermal runaway", "[regression]") {
  const auto run_share = [](double share) {
    return run_input("self-heated-wire", with(with_current(share * critical_current), {"mesh.box.cells=[24, 1]"}));
  };
  for (const double share : {0.5, 0.98}) {
    const driver::RunSummary summary = run_share(share);
    INFO(share << ": " << summary.message);
    CHECK(summary.exit_code == 0);
    const double rise = (1. / std::cos(0.5 * 3.14159265358979323846 * share) - 1.) / 0.004;
    CHECK(is_near(summary.quantities.at("temperature_rise"), rise, 1e-3 * rise));
  }
  for (const double share : {1.02, 1.5, 5.}) {
    const driver::RunSummary summary = run_share(share);
    INFO(share << ": " << summary.message);
    CHECK(summary.exit_code == 2);
    CHECK_THAT(summary.message, ContainsSubstring("hermal runaway"));
  }
}

TEST_CASE("A board without conductivity insulates and conducts the heat of its track", "[regression]") {
#if !TESSERA_HAVE_GMSH
  SKIP("without Gmsh");
#endif
  for (const char* board : {"{thermal_conductivity: 0.3}", "{thermal_conductivity: 0.3, conductivity: 0}"}) {
    const driver::RunSummary summary = run_input("track-on-board", {std::string("problem.materials.board=") + board});
    CHECK(summary.message == "");
    CHECK(summary.exit_code == 0);
    CHECK(std::fabs(summary.quantities.at("losses.board")) < 1e-9);
  }
}

TEST_CASE("The time at which a fuse melts has the order of the steps", "[regression][device]") {
  const double exact = 0.08523381018548751;
  double before = 0.;
  for (const int steps : {40, 80, 160}) {
    const driver::RunSummary summary =
        run_input("fuse", {"verification=", "problem.time={to: 0.1, steps: " + std::to_string(steps) +
                                                ", stop: {when: \"max(T) > 1356\"}}"});
    REQUIRE(summary.exit_code == 0);
    const double error = std::fabs(summary.quantities.at("stop_time") - exact);
    INFO(steps << " steps: " << error);
    CHECK(error < 1e-3 * exact);
    if (before > 0.)
      CHECK(std::log2(before / error) > 1.7);
    before = error;
  }
}

TEST_CASE("A resolved electro-thermal input reads as the same one", "[regression]") {
  const TemporaryFolder folder;
  for (const char* name : {"self-heated-wire", "fuse", "track-on-board"}) {
    const io::Case once = read_case(input_file(name), folder.file("out"));
    const std::string text = io::resolved_text(once);
    CHECK_THAT(text, ContainsSubstring("electro-thermal"));
    const io::Case twice = io::read_case_text(text, once.file);
    CHECK(io::resolved_text(twice) == text);
  }
}

TEST_CASE("Wrong electro-thermal inputs are refused with their places", "[regression]") {
  const auto check = [](const std::string& name, const Settings& settings, const char* text) {
    INFO(settings.front());
    CHECK_THAT(message_of(name, settings), ContainsSubstring(text));
  };
  check("self-heated-wire", {"problem.materials.domain={conductivity: 5e7}"}, "thermal_conductivity");
  check("self-heated-wire", {"problem.materials.domain={thermal_conductivity: 400}"}, "nothing conducts current");
  check("self-heated-wire", {"problem.boundaries.left={temperature: 300, potental: 0}"}, "potental");
  // What is known includes the keys of current flow.
  check("self-heated-wire", {"problem.boundaries.left={temperature: 300, potental: 0}"}, "did you mean 'potential'");
  check("self-heated-wire", {"problem.materials.domain={thermal_conductivity: 400, conductivty: 5e7}"},
        "did you mean 'conductivity'");
  check("self-heated-wire", {"problem.boundaries={left: {potential: 0}, right: {potential: 0.2}}"},
        "no boundary has a temperature");
  check("self-heated-wire",
        {"problem.materials.domain.conductivity=5e7*(1 - 0.004*(T - 300))", "problem.boundaries.right.temperature=600"},
        "is not positive");
  check("self-heated-wire", {"problem.materials.domain.conductivity=-5"}, "conductivity");
  check("self-heated-wire", {"discretization.method=dg"}, "dg");
  check("self-heated-wire", {"mesh.adapt={target_error: 0.01}"}, "electro-thermal");
  check("track-on-board", {"problem.boundaries.joint={layer: {thickness: 1e-5, thermal_conductivity: 1}}"}, "joint");
  check("fuse", {"problem.time.stop={when: \"max(V) > 3\"}"}, "max(T) > 1356");
  check("fuse", {"problem.time.stop={when: \"max(T) > hot\"}"}, "max(T) > 1356");
  check("fuse", {"problem.time.stop={when: \"max(T) > 290\"}"}, "holds at the start");
  check("fuse", {"problem.time.stop={wenn: \"max(T) > 1356\"}"}, "wenn");
}

} // namespace tessera::test
