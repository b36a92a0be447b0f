// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/error.hpp"
#include "support/is_near.hpp"
#include "support/run_case.hpp"
#include "support/temporary_folder.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <cmath>
#include <fstream>
#include <sstream>

namespace tessera::test {

namespace {

using Catch::Matchers::ContainsSubstring;
using Settings = std::vector<std::string>;

std::string bar_of_temperature() { return TESSERA_SOURCE_DIR "/tests/regression/heat-in-time.yaml"; }

Settings joined(Settings settings, const Settings& more) {
  settings.insert(settings.end(), more.begin(), more.end());
  return settings;
}

/// k = k0 (1 - (T - 300)/1000) between 300 and 700: by Kirchhoff's transform 400 (u - u^2 / 2000) with u = T - 300 is
/// 128000 x.
const Settings steady = {"problem.time=",
                         "problem.initial=",
                         "problem.materials={domain: {thermal_conductivity: \"400*(1 - 0.001*(T - 300))\"}}",
                         "problem.boundaries={left: {temperature: 300}, right: {temperature: 700}}",
                         "output.quantities=[heat_flow]",
                         "verification={exact: \"300 + 1000*(1 - sqrt(1 - 0.64*x))\"}"};

driver::RunSummary run_temperature(const Settings& settings) {
  const TemporaryFolder folder;
  driver::RunSummary summary = run_case(bar_of_temperature(), folder.file("out"), settings);
  CHECK(summary.message == "");
  REQUIRE(summary.exit_code == 0);
  return summary;
}

std::string message_of_temperature(const Settings& settings) {
  const TemporaryFolder folder;
  try {
    const driver::RunSummary summary = run_case(bar_of_temperature(), folder.file("out"), settings);
    return summary.message;
  } catch (const Error& error) {
    CHECK(error.exit_code() == 1);
    return error.what();
  }
}

std::string report_of(const Settings& settings) {
  const TemporaryFolder folder;
  REQUIRE(run_case(bar_of_temperature(), folder.file("out"), settings).exit_code == 0);
  std::ifstream file(folder.file("out") + "/report.yaml");
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

} // namespace

TEST_CASE("Conductivities of temperature follow Kirchhoff's transform", "[regression][device]") {
  for (const int order : {1, 2}) {
    double before = 0.;
    for (const char* cells : {"[8, 1]", "[16, 1]", "[32, 1]"}) {
      const auto summary = run_temperature(
          joined(steady, {"discretization.order=" + std::to_string(order), "mesh.box.cells=" + std::string(cells)}));
      const double error = summary.errors.at("l2");
      INFO("order " << order << ", " << cells << ": " << error);
      if (before > 0.)
        CHECK(std::log2(before / error) > order + 0.8);
      before = error;
    }
    const auto values =
        run_temperature(joined(steady, {"discretization.order=" + std::to_string(order), "mesh.box.cells=[64, 1]"}))
            .quantities;
    CHECK(is_near(values.at("heat_flow.right"), 12800., order == 1 ? 3e-4 : 1e-6)); // 0.1 m high, 1 m deep
    // The residual is 1e-11 of the load, which is hundreds of times as large as what flows.
    CHECK(is_near(values.at("heat_flow.left"), -values.at("heat_flow.right"), 1e-8));
  }
}

TEST_CASE("Fins whose conductivity depends on temperature have closed forms with convection", "[regression][device]") {
  // k = 200 (1 + 0.002 u), u above the air; 100 at the root.
  const Settings fin =
      joined(steady, {"verification=", "problem.materials.domain.thermal_conductivity=200*(1 + 0.002*(T - 300))",
                      "problem.boundaries.left.temperature=400"});
  const auto flow = [&](const Settings& more) {
    return run_temperature(joined(fin, more)).quantities.at("heat_flow.left");
  };
  SECTION("only at its end: the integral of k over the temperatures is what the air takes, times the length") {
    // 100 (100 + 10) 2 - 200 (u + 0.001 u^2) = h u with h = 500 and a length of 1
    const double u = (-700. + std::sqrt(700. * 700. + 4. * 0.2 * 22000.)) / 0.4;
    CHECK(is_near(flow({"mesh.box={cells: [16, 1], lower: [0, 0], upper: [1, 0.1]}", "discretization.order=2",
                        "problem.boundaries.right={convection: {coefficient: 500, ambient: 300}}"}),
                  500. * u * 0.1, 1e-7 * 500. * u * 0.1));
  }
  SECTION("along its side: the square of the flow is an integral, too") {
    // (k u')^2 / 2 = (h / t) times the integral of u k du, for a fin so thin (t) and long that u is 0 at its end.
    const double flux = std::sqrt(2. * 20. / 1e-3 * 200. * (0.5 * 1e4 + 0.002 * 1e6 / 3.));
    const double biot = 20. * 1e-3 / 200.; // differences across the fin are of its size
    CHECK(is_near(
        flow({"mesh.box={cells: [200, 1], lower: [0, 0], upper: [1, 0.001]}", "discretization.order=2",
              "problem.boundaries={left: {temperature: 400}, top: {convection: {coefficient: 20, ambient: 300}}}"}),
        flux * 1e-3, biot * flux * 1e-3));
  }
}

TEST_CASE("Newton's method with materials of temperature converges quadratically", "[regression][device]") {
  const Settings few = {"solver.nonlinear.relative_tolerance=1e-12", "solver.nonlinear.max_iterations=7"};
  const auto summary = run_temperature(joined(steady, few)); // fails without convergence
  CHECK(is_near(summary.quantities.at("heat_flow.left"), -summary.quantities.at("heat_flow.right"), 1e-10));
}

TEST_CASE("Tensors, axisymmetric problems and space take materials of temperature", "[regression][device]") {
  // 2 pi r k dT/dr is constant: with k = T, T^2 / 2 is linear in log r.
  const auto round = run_temperature(
      joined(steady, {"problem.symmetry=axisymmetric", "mesh.box={cells: [48, 1], lower: [1, 0], upper: [2, 0.1]}",
                      "problem.materials={domain: {thermal_conductivity: T}}", "discretization.order=2",
                      "problem.boundaries={left: {temperature: 100}, right: {temperature: 200}}",
                      "verification={exact: \"sqrt(10000 + 30000*log(x)/log(2))\"}"}));
  CHECK(round.errors.at("l2") < 1e-6);
  CHECK(is_near(round.quantities.at("heat_flow.right"), 2. * 3.14159265358979 * 0.1 * 15000. / std::log(2.), 1e-6));
  for (const char* conductivity : {"\"400*(1 - 0.001*(T - 300))\"", "[\"400*(1 - 0.001*(T - 300))\", 3, 7]",
                                   "[[\"400*(1 - 0.001*(T - 300))\", 0, 0], [0, \"T\", 2], [0, 2, 5]]"}) {
    const auto space = run_temperature(joined(
        steady, {"mesh.box={cells: [32, 2, 2], lower: [0, 0, 0], upper: [1, 0.1, 0.1]}", "discretization.order=2",
                 "problem.materials={domain: {thermal_conductivity: " + std::string(conductivity) + "}}"}));
    CHECK(space.errors.at("l2") < 1e-4);
    CHECK(is_near(space.quantities.at("heat_flow.right"), 1280., 1e-5));
  }
}

TEST_CASE("A table of the temperature is the same as its expression", "[regression][device]") {
  const double expected = run_temperature(steady).quantities.at("heat_flow.right");
  for (const char* table : {"{table: [[300, 400], [700, 240]]}", "\"table(T, 300, 400, 700, 240)\""})
    CHECK(is_near(run_temperature(joined(steady, {"problem.materials={domain: {thermal_conductivity: " +
                                                  std::string(table) + "}}"}))
                      .quantities.at("heat_flow.right"),
                  expected, 1e-10));
  CHECK_THAT(report_of(steady), !ContainsSubstring("last values hold"));
  CHECK_THAT(report_of(joined(steady, {"problem.materials={domain: {thermal_conductivity: "
                                       "{table: [[400, 360], [500, 320], [600, 280]]}}}"})),
             ContainsSubstring("temperatures in region 'domain' are 300 to 700, but its tables cover 400 to 600"));
}

TEST_CASE("With a capacity that follows the conductivity, heat in time has a closed form", "[regression][device]") {
  // k = c = 1 + T: u = T + T^2 / 2 obeys du/dt = div grad u.
  const Settings base = {"problem.materials={domain: {thermal_conductivity: \"1 + T\", density: \"2 + 2*T\", "
                         "specific_heat: 0.5}}",
                         "problem.initial=-1 + sqrt(1 + 2*sin(pi*x))",
                         "problem.boundaries={left: {temperature: 0}, right: {temperature: 0}}",
                         "discretization.order=2",
                         "mesh.box.cells=[64, 1]",
                         "verification={exact: \"-1 + sqrt(1 + 2*sin(pi*x)*exp(-pi^2*t))\"}"};
  for (const char* method : {"bdf2", "sdirk2"}) {
    double before = 0.;
    for (const int steps : {10, 20, 40}) {
      const auto summary = run_temperature(
          joined(base, {"problem.time={to: 0.1, steps: " + std::to_string(steps) + ", method: " + method + "}"}));
      const double error = summary.errors.at("l2");
      INFO(method << ", " << steps << " steps: " << error);
      if (before > 0.)
        CHECK(std::log2(before / error) > 1.8);
      before = error;
      CHECK(is_near(summary.quantities.at("heat_storage"),
                    summary.quantities.at("heat_flow.left") + summary.quantities.at("heat_flow.right"), 1e-8));
    }
    CHECK(before < 1e-3);
  }
}

TEST_CASE("What a body stores while it melts is what its source gives, whatever the steps", "[regression][device]") {
  // From -10, a source of 1000 for 1 s: 20 to the melting range, 300 of fusion, and 680 above it at a capacity of 2.
  const std::string fusion = "{thermal_conductivity: 1, density: 4, specific_heat: 0.5, latent_heat: 75, melting: ";
  const std::string peak = "{thermal_conductivity: 1, density: 4, specific_heat: ";
  const double root_of_pi = std::sqrt(3.14159265358979323846);
  for (const auto& [material, heat] : {std::pair(fusion + "[0, 0.001]}", 300.),
                                       {fusion + "[-5, 5]}", 300.},
                                       {peak + "\"(T > -0.1 && T < 0.1) ? 375.5 : 0.5\"}", 300.},
                                       {peak + "\"0.5 + 30*exp(-T^2)\"}", 120. * root_of_pi}})
    for (const char* time : {"steps: 1", "steps: 7", "steps: 40", "tolerance: 1e-3"})
      for (const char* method : {"bdf2", "sdirk2", "implicit-euler"}) {
        INFO(material << ", " << time << ", " << method);
        const auto summary = run_temperature(
            {"problem.materials={domain: " + material + "}", "problem.initial=-10", "mesh.box.cells=[2, 1]",
             "problem.time={to: 1, " + std::string(time) + ", method: " + method + "}",
             "problem.sources={domain: {heat_source: 1000}}", "problem.boundaries={left: {heat_flux: 0}}"});
        CHECK(is_near(summary.quantities.at("mean_temperature.domain"), -10. + (1000. - heat) / 2., 1e-7));
        CHECK(is_near(summary.quantities.at("heat_storage"), 100., 1e-8));
      }
}

TEST_CASE("Freezing water approaches Neumann's solution of Stefan's problem", "[regression][device]") {
  const std::string input = TESSERA_SOURCE_DIR "/inputs/freezing-water/freezing-water.yaml";
  double before = 0.;
  for (const int n : {1, 2}) {
    const TemporaryFolder folder;
    const driver::RunSummary summary = run_case(
        input, folder.file("out"),
        {"mesh.box.cells=[" + std::to_string(60 * n) + ", 1]", "output.fields=[]",
         "verification=", "problem.time={to: 86400, steps: " + std::to_string(72 * n) + ", method: implicit-euler}"});
    CHECK(summary.message == "");
    REQUIRE(summary.exit_code == 0);
    CHECK(is_near(summary.quantities.at("heat_flow.left"), summary.quantities.at("heat_storage"), 1e-7));
    const double error = std::fabs(summary.quantities.at("heat_flow.left") / -317.00425105 - 1.);
    INFO(n << ": " << error);
    if (before > 0.)
      CHECK(error < before);
    before = error;
  }
  CHECK(before < 2e-3);
}

TEST_CASE("Strategies and preconditioners give the same temperatures", "[regression][device]") {
  const auto expected = run_temperature(joined(steady, {"discretization.order=2", "execution.reproducible=true"}));
  const auto again = run_temperature(joined(steady, {"discretization.order=2", "execution.reproducible=true"}));
  CHECK(again.errors.at("l2") == expected.errors.at("l2")); // the same bits
  for (const char* setting :
       {"assembly.strategy=reference", "assembly.strategy=ebe-atomic", "solver.preconditioner=multigrid"})
    CHECK(is_near(run_temperature(joined(steady, {"discretization.order=2", setting})).quantities.at("heat_flow.right"),
                  expected.quantities.at("heat_flow.right"), 1e-9));
}

TEST_CASE("Wrong materials of temperature are reported", "[regression][device]") {
  const auto of = [&](const std::string& conductivity) {
    return message_of_temperature(
        joined(steady, {"problem.materials={domain: {thermal_conductivity: " + conductivity + "}}", "verification="}));
  };
  CHECK_THAT(of("\"400*(1 - 0.003*(T - 300))\""),
             ContainsSubstring("The conductivity of region 'domain' is not positive") && ContainsSubstring("near ("));
  const auto of_fusion = [&](const std::string& keys) {
    return message_of_temperature(
        {"problem.materials={domain: {thermal_conductivity: 1, density: 1, specific_heat: 1, " + keys + "}}"});
  };
  CHECK_THAT(of_fusion("latent_heat: 10"), ContainsSubstring("melting") && ContainsSubstring("[solidus, liquidus]"));
  CHECK_THAT(of_fusion("melting: [1, 2]"), ContainsSubstring("applies to materials with a latent_heat"));
  CHECK_THAT(of_fusion("latent_heat: 10, melting: [2, 1]"), ContainsSubstring("must be above the solidus"));
  CHECK_THAT(of_fusion("latent_heat: 10, melting: 1"), ContainsSubstring("melting"));
  CHECK_THAT(of_fusion("latent_heat: -10, melting: [1, 2]"),
             ContainsSubstring("latent_heat") && ContainsSubstring("-10"));
  CHECK_THAT(of_fusion("latent_haet: 10, melting: [1, 2]"), ContainsSubstring("latent_heat"));
  CHECK_THAT(of("{table: [[300, 1], [200, 2]]}"), ContainsSubstring("must increase, but 200 follows 300"));
  CHECK_THAT(of("{table: [[300, 1], [400, -2]]}"), ContainsSubstring("table[1]") && ContainsSubstring("-2"));
  CHECK_THAT(of("{table: [[300, 1]]}"), ContainsSubstring("at least two pairs"));
  CHECK_THAT(of("{tabel: [[300, 1], [400, 2]]}"), ContainsSubstring("{table: [[T, value], ...]}"));
  CHECK_THAT(of("{table: [[300, 1], 400]}"), ContainsSubstring("a pair [T, value]"));
  CHECK_THAT(of("\"T + t\""), ContainsSubstring("either t or T"));
  CHECK_THAT(message_of_temperature({"problem.boundaries={left: {temperature: T}}"}),
             ContainsSubstring("T is the temperature, which only materials"));
  CHECK_THAT(message_of_temperature(joined(steady, {"solver.method=multigrid"})), ContainsSubstring("BiCGStab"));
  CHECK_THAT(message_of_temperature(joined(steady, {"assembly.strategy=colored"})),
             ContainsSubstring("needs a symmetric matrix"));
  CHECK_THAT(message_of_temperature(joined(steady, {"discretization={method: dg, order: 1}"})),
             ContainsSubstring("dg has no materials that depend on temperature"));
  CHECK_THAT(message_of_temperature({"problem.materials={domain: {thermal_conductivity: 1, density: 1, "
                                     "specific_heat: \"1 - 0.4*T\"}}",
                                     "problem.boundaries={left: {temperature: 3}}"}),
             ContainsSubstring("The heat capacity of region 'domain' is not positive"));
}

} // namespace tessera::test
