// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/config.hpp"
#include "core/kokkos_ext/backends.hpp"
#include "support/quantities.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <cmath>
#include <string>

#if TESSERA_HAVE_GMSH // which makes the meshes

namespace tessera::test {

namespace {

using Catch::Matchers::ContainsSubstring;

constexpr double pi = 3.14159265358979323846;
constexpr double sigma = 5.670374419184429e-8;

std::string shells() { return TESSERA_SOURCE_DIR "/inputs/radiating-shells/radiating-shells.yaml"; }
std::string spheres() { return TESSERA_SOURCE_DIR "/inputs/radiating-shells/radiating-spheres.yaml"; }

/// What flows between two shells of conductivity k with radii 0.1, 0.2 and 0.4, 0.5, at 1000 K inside and 300 K
/// outside.
double exact_flow(bool are_spheres, double k, double inside, double outside) {
  const double a1 = are_spheres ? 4. * pi * 0.04 : 2. * pi * 0.2;
  const double inner = are_spheres ? 4. * pi * k / (10. - 5.) : 2. * pi * k / std::log(2.);
  const double outer = are_spheres ? 4. * pi * k / (2.5 - 2.) : 2. * pi * k / std::log(1.25);
  const double ratio = are_spheres ? 0.25 : 0.5;
  const double exchange = a1 * sigma / (1. / inside + (1. / outside - 1.) * ratio);
  double low = 0.;
  double high = 700. * inner;
  for (int k_step = 0; k_step < 200; ++k_step) {
    const double flow = 0.5 * (low + high);
    const double hot = 1000. - flow / inner;
    const double cold = 300. + flow / outer;
    (exchange * (std::pow(hot, 4) - std::pow(cold, 4)) > flow ? low : high) = flow;
  }
  return low;
}

Settings emissivities(const std::string& inside, const std::string& outside) {
  return {"problem.boundaries.inside={radiation: {emissivity: " + inside + ", enclosure: gap}}",
          "problem.boundaries.outside={radiation: {emissivity: " + outside + ", enclosure: gap}}"};
}

std::string message_of(const std::string& file, const Settings& settings) {
  try {
    const TemporaryFolder folder;
    run_case(file, folder.file("out"), settings);
  } catch (const Error& error) {
    CHECK(error.exit_code() == 1);
    return error.what();
  }
  return "no error";
}

} // namespace

TEST_CASE("Tubes and spheres exchange by radiation what the formula of grey shells says", "[regression][device]") {
  for (const bool are_spheres : {false, true})
    for (const char* conductivity : {"0.2", "50"})
      for (const auto& [inside, outside] : {std::pair<double, double>(1., 1.), {0.8, 0.5}, {0.1, 0.05}}) {
        CAPTURE(are_spheres, conductivity, inside, outside);
        Settings settings = emissivities(std::to_string(inside), std::to_string(outside));
        for (const char* region : {"inner", "outer"})
          settings.push_back("problem.materials." + std::string(region) +
                             "={thermal_conductivity: " + std::string(conductivity) + "}");
        settings.emplace_back("verification=");
        const auto values = run(are_spheres ? spheres() : shells(), settings);
        const double exact = exact_flow(are_spheres, std::stod(conductivity), inside, outside);
        CHECK(std::fabs(values.at("heat_flow.hot") / exact - 1.) < (are_spheres ? 1e-3 : 2e-4));
        CHECK(is_near(values.at("heat_flow.inside"), -values.at("heat_flow.hot"), 1e-6));
        CHECK(
            is_near(values.at("heat_flow.inside"), -values.at("heat_flow.outside"), 1e-6)); // all that is sent arrives
      }
}

TEST_CASE("Surroundings behind the gaps of an enclosure take what leaves", "[regression]") {
  // The inner tube alone sees nothing but surroundings: the same as radiation to them.
  const std::string hot = "hot: {temperature: 1000}, cold: {temperature: 300}, ";
  const auto flow = [&](const std::string& more) {
    return run(shells(),
               {"problem.boundaries={" + hot +
                    "outside: {temperature: 350}, inside: {radiation: {emissivity: 0.8, ambient: 350" + more + "}}}",
                "verification="})
        .at("heat_flow.inside");
  };
  CHECK(is_near(flow(", enclosure: space"), flow(""), 1e-7));
}

TEST_CASE("The backends have the same bits of an enclosure", "[regression]") {
  for (const std::string& file : {shells(), spheres()}) {
    const auto first = run(file, {"execution.backend=" + backend_names().front()});
    for (const std::string& backend : backend_names())
      CHECK(run(file, {"execution.backend=" + backend}) == first);
  }
}

TEST_CASE("Shells that exchange heat by radiation come to the steady state in time", "[regression]") {
  const std::string material = "{thermal_conductivity: 2, density: 1000, specific_heat: 1}";
  const auto values = run(shells(), {"problem.materials={inner: " + material + ", outer: " + material + "}",
                                     "problem.initial=300", "problem.time={from: 0, to: 100, steps: 40}",
                                     "output.probes=", "output.fields=[temperature]", "verification="});
  CHECK(is_near(values.at("heat_flow.hot"), exact_flow(false, 2., 0.8, 0.5), 1e-3));
  CHECK(is_near(values.at("heat_flow.outside"), exact_flow(false, 2., 0.8, 0.5), 1e-3));
}

TEST_CASE("Wrong enclosures are errors that say what is allowed", "[regression]") {
  const auto message = [](const std::string& inside, const Settings& more = {}) {
    Settings settings{"problem.boundaries.inside={radiation: " + inside + "}"};
    settings.insert(settings.end(), more.begin(), more.end());
    return message_of(shells(), settings);
  };
  CHECK_THAT(message("{emissivity: 0, enclosure: gap}"), ContainsSubstring("a number above 0, at most 1"));
  CHECK_THAT(message("{emissivity: 1.5, enclosure: gap}"), ContainsSubstring("emissivity"));
  CHECK_THAT(message("{emissivity: -0.5, enclosure: gap}"), ContainsSubstring("emissivity"));
  CHECK_THAT(message("{emissivity: 0.5, enclosed: gap}"), ContainsSubstring("enclosure"));
  CHECK_THAT(message("{emissivity: 0.5, enclosure: gap, coefficient: 5}"), ContainsSubstring("which is missing"));
  CHECK_THAT(message("{emissivity: 0.5, enclosure: gap, ambient: 300}"),
             ContainsSubstring("one temperature behind its gaps"));
  CHECK_THAT(message("{emissivity: 0.5, enclosure: gaps}"), ContainsSubstring("the enclosure 'gap") &&
                                                                ContainsSubstring("is open: at (") &&
                                                                ContainsSubstring("'ambient'"));
  CHECK_THAT(message("{emissivity: 0.5, enclosure: gap}", {"execution.mesh=parts"}),
             ContainsSubstring("is not supported with execution.mesh: parts"));
  CHECK_THAT(message("{emissivity: 0.5, enclosure: gap}", {"discretization.method=dg"}),
             ContainsSubstring("dg has no condition 'radiation'"));
}

} // namespace tessera::test

#endif
