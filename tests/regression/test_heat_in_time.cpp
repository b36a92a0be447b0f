// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/error.hpp"
#include "io/hdf5_file.hpp"
#include "support/is_near.hpp"
#include "support/run_case.hpp"
#include "support/temporary_folder.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <cmath>
#include <fstream>
#include <map>
#include <sstream>

namespace tessera::test {

namespace {

using Catch::Matchers::ContainsSubstring;
using Settings = std::vector<std::string>;

constexpr double pi = 3.14159265358979323846;

std::string bar() { return TESSERA_SOURCE_DIR "/tests/regression/heat-in-time.yaml"; }

Settings with(Settings settings, const Settings& more) {
  settings.insert(settings.end(), more.begin(), more.end());
  return settings;
}

driver::RunSummary run_bar(const Settings& settings) {
  const TemporaryFolder folder;
  driver::RunSummary summary = run_case(bar(), folder.file("out"), settings);
  CHECK(summary.message == "");
  REQUIRE(summary.exit_code == 0);
  return summary;
}

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

int count(const std::string& text, const std::string& part) {
  int n = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++n;
  return n;
}

std::string message_of(const Settings& settings) {
  const TemporaryFolder folder;
  try {
    run_case(bar(), folder.file("out"), settings);
  } catch (const Error& error) {
    CHECK(error.exit_code() == 1);
    return error.what();
  }
  return "no error";
}

/// An eigenfunction that decays as exp(-pi^2 t / 10).
const Settings decay = {"problem.physics=diffusion",      "problem.materials={domain: {diffusivity: 0.1}}",
                        "problem.initial=sin(pi*x)",      "problem.boundaries={left: {value: 0}, right: {value: 0}}",
                        "mesh.box.cells=[64, 1]",         "discretization.order=2",
                        "output.quantities=[total_flux]", "verification={exact: \"sin(pi*x)*exp(-pi^2*t/10)\"}"};

double error_of(const Settings& settings) { return run_bar(settings).errors.at("l2"); }

} // namespace

TEST_CASE("A run in time ends when its condition is met, at a time between steps", "[regression]") {
  const double exact = 10. * std::log(2.) / (pi * pi); // when the largest value is half of that at the start
  double before = 0.;
  for (const int steps : {20, 40, 80}) {
    const driver::RunSummary summary =
        run_bar(with(decay, {"verification=", "problem.time={to: 1, steps: " + std::to_string(steps) +
                                                  ", stop: {when: \"max(u) < 0.5\"}}"}));
    const double error = std::fabs(summary.quantities.at("stop_time") - exact);
    INFO(steps << " steps: " << error);
    CHECK(error < 1e-3);
    if (before > 0.)
      CHECK(std::log2(before / error) > 1.8);
    before = error;
  }
  CHECK_THAT(message_of(with(decay, {"problem.time={to: 1, steps: 20, stop: {when: \"max(u) < 2\"}}"})),
             ContainsSubstring("holds at the start already"));
}

TEST_CASE("A run reports what flows in and out, is generated and stored, and the sum", "[regression]") {
  const auto balance = [](const Settings& settings) {
    const TemporaryFolder folder;
    REQUIRE(run_case(bar(), folder.file("out"), settings).exit_code == 0);
    const std::string text = text_of(folder.file("out") + "/report.yaml");
    const std::size_t begin = text.find("balance:");
    REQUIRE(begin != std::string::npos);
    std::map<std::string, double> values;
    for (const char* key : {"in", "out", "generated", "stored", "sum"}) {
      const std::string label = "    " + std::string(key) + ": ";
      const std::size_t at = text.find(label, begin);
      if (at != std::string::npos)
        values[key] = std::stod(text.substr(at + label.size()));
    }
    return values;
  };
  // 7 W/m^3 in 0.1 m^3; 3 W/m^2 through 0.1 m^2 at the right
  const Settings source = {"problem.sources={domain: {heat_source: 7}}"};
  const std::string right = "right: {heat_flux: 3}";
  const auto steady = balance(with(source, {"problem.time=", "problem.initial=", "output.quantities=[heat_flow]",
                                            "problem.boundaries={left: {temperature: 0}, " + right + "}"}));
  CHECK(is_near(steady.at("in"), 0.3, 1e-9));
  CHECK(is_near(steady.at("out"), 1., 1e-9));
  CHECK(is_near(steady.at("generated"), 0.7, 1e-9));
  CHECK(steady.count("stored") == 0);
  CHECK(std::fabs(steady.at("sum")) < 1e-9);
  const auto insulated = balance(with(source, {"problem.boundaries={" + right + "}"}));
  CHECK(is_near(insulated.at("in"), 0.3, 1e-9));
  CHECK(insulated.at("out") == 0.);
  CHECK(is_near(insulated.at("generated"), 0.7, 1e-9));
  CHECK(is_near(insulated.at("stored"), 1., 1e-9));
  CHECK(std::fabs(insulated.at("sum")) < 1e-9);
  const auto without = balance({"problem.time=", "problem.initial=", "output.quantities=[]",
                                "problem.boundaries={left: {temperature: 0}, right: {temperature: 2}}"});
  CHECK(without.at("generated") == 0.);
  CHECK(is_near(without.at("in"), 0.2, 1e-9));
}

TEST_CASE("The error of each method in time has its order", "[regression][device]") {
  for (const auto& [method, order, largest] :
       {std::tuple("bdf2", 2., 2e-4), {"sdirk2", 2., 6e-5}, {"implicit-euler", 1., 2e-2}}) {
    double before = 0.;
    for (const int steps : {10, 20, 40}) {
      const double error =
          error_of(with(decay, {"problem.time={to: 1, steps: " + std::to_string(steps) + ", method: " + method + "}"}));
      INFO(method << ", " << steps << " steps: " << error);
      if (before > 0.)
        CHECK(std::log2(before / error) > order - 0.1);
      else
        CHECK(error < 20. * largest);
      before = error;
    }
    CHECK(before < largest);
  }
}

TEST_CASE("The error in space has the order of the elements plus one, in every geometry", "[regression][device]") {
  // Linear in time, so that every method is exact there.
  const Settings plane = {"problem.physics=diffusion",
                          "problem.materials={domain: {diffusivity: 1, capacity: 2}}",
                          "problem.initial=sin(pi*x)",
                          "problem.sources={domain: {source: \"sin(pi*x)*(2 + pi^2*(1 + t))\"}}",
                          "problem.boundaries={left: {value: 0}, right: {value: 0}}",
                          "problem.time={to: 1, steps: 4}",
                          "output.quantities=[total_flux]",
                          "verification={exact: \"sin(pi*x)*(1 + t)\"}"};
  // x is the radius: div grad (1 - x^4) = -16 x^2
  const Settings round =
      with(plane, {"problem.symmetry=axisymmetric", "problem.initial=1 - x^4",
                   "problem.sources={domain: {source: \"2*(1 - x^4) + 16*x^2*(1 + t)\"}}",
                   "problem.boundaries={right: {value: 0}}", "verification={exact: \"(1 - x^4)*(1 + t)\"}"});
  for (const Settings& base : {plane, round})
    for (const int order : {1, 2}) {
      double before = 0.;
      for (const char* cells : {"[8, 1]", "[16, 2]", "[32, 4]"}) {
        const double error = error_of(
            with(base, {"discretization.order=" + std::to_string(order), "mesh.box.cells=" + std::string(cells)}));
        INFO("order " << order << ", " << cells << ": " << error);
        if (before > 0.)
          CHECK(std::log2(before / error) > order + 0.85);
        before = error;
      }
    }
  const Settings space = with(plane, {"mesh.box={cells: [8, 2, 2], lower: [0, 0, 0], upper: [1, 0.25, 0.25]}"});
  const double coarse = error_of(space);
  const double fine = error_of(with(space, {"mesh.box.cells=[16, 4, 4]"}));
  CHECK(std::log2(coarse / fine) > 1.9);
}

TEST_CASE("Controlled steps keep the error within a small multiple of the tolerance", "[regression][device]") {
  // The tolerance bounds the error of a step, and the errors of all add up: with order 1 there are some hundred.
  for (const auto& [method, most] : {std::pair("bdf2", 100.), {"sdirk2", 100.}, {"implicit-euler", 400.}})
    for (const double tolerance : {1e-4, 1e-5}) {
      std::ostringstream time;
      time << "problem.time={to: 1, tolerance: " << tolerance << ", method: " << method << '}';
      const double error = error_of(with(decay, {time.str()}));
      INFO(method << ", " << tolerance << ": " << error);
      CHECK(error < most * tolerance);
    }
}

TEST_CASE("A half-space that is heated by convection follows its closed form", "[regression][device]") {
  // T = erfc(x / (2 sqrt(a t))) - exp(h x / k + h^2 a t / k^2) erfc(x / (2 sqrt(a t)) + h sqrt(a t) / k), with a = k =
  // 1 and h = 2 at t = 0.02: at the end of the bar, 7 diffusion lengths away, it is 1e-12.
  const double t = 0.02;
  const double h = 2.;
  const auto exact = [&](double x) {
    const double s = 0.5 * x / std::sqrt(t);
    return std::erfc(s) - std::exp(h * x + h * h * t) * std::erfc(s + h * std::sqrt(t));
  };
  const auto values =
      run_bar({"problem.boundaries={left: {convection: {coefficient: 2, ambient: 1}}}", "mesh.box.cells=[128, 1]",
               "discretization.order=2", "problem.time={to: 0.02, tolerance: 1.0e-6}"})
          .quantities;
  CHECK(is_near(values.at("largest_temperature.domain"), exact(0.), 1e-4));
  CHECK(is_near(values.at("heat_flow.left"), 0.1 * h * (1. - exact(0.)), 1e-4)); // 0.1 m high, 1 m deep
}

TEST_CASE("In every step what flows in and is generated is stored", "[regression][device]") {
  for (const char* method : {"bdf2", "sdirk2", "implicit-euler"})
    for (const char* order : {"1", "2"}) {
      const auto values =
          run_bar({"problem.sources={domain: {power: 3}}", "discretization.order=" + std::string(order),
                   "problem.boundaries={left: {temperature: \"20*sin(3*t)\"}, "
                   "right: {convection: {coefficient: \"1 + t\", ambient: 40}}, top: {heat_flux: \"5*t\"}}",
                   "problem.time={to: 1, steps: 7, method: " + std::string(method) + "}"})
              .quantities;
      const double in = 3. + values.at("heat_flow.left") + values.at("heat_flow.right") + values.at("heat_flow.top");
      CHECK(is_near(values.at("heat_flow.top"), 5., 1e-12));
      CHECK(is_near(values.at("heat_storage"), in, 1e-9));
    }
}

TEST_CASE("A pulse of heat is stored whole, because steps end where it begins and ends", "[regression][device]") {
  // The bar is insulated, so that its temperature is uniform: 8 W / (1 J/(m^3 K) * 0.1 m^3) for 0.35 s.
  const Settings pulse = {"problem.sources={domain: {heat_source: \"80*(t > 0.21)*(t < 0.56)\"}}",
                          "problem.boundaries={left: {heat_flux: 0}}"};
  for (const char* time : {"{to: 1, steps: 7}", "{to: 1, steps: 7, method: sdirk2}", "{to: 1, tolerance: 1.0e-3}",
                           "{to: 1, sizes: [0.5, 0.5]}"}) {
    if (std::string(time).find("sizes") != std::string::npos)
      continue;
    const auto values = run_bar(with(pulse, {"problem.time=" + std::string(time)})).quantities;
    INFO(time);
    CHECK(is_near(values.at("mean_temperature.domain"), 28., 1e-9));
  }
  // Given breaks serve where the expression does not show them.
  const auto values =
      run_bar({"problem.sources={domain: {heat_source: \"80*(t - 0.21 + 0*x > 0)*(t - 0.56 + 0*x < 0)\"}}",
               "problem.boundaries={left: {heat_flux: 0}}", "problem.time={to: 1, steps: 7, breaks: [0.21, 0.56]}"})
          .quantities;
  CHECK(is_near(values.at("mean_temperature.domain"), 28., 1e-9));
}

TEST_CASE("A body that radiates into space follows its closed form", "[regression][device]") {
  // Almost uniform: rho c L dT/dt = -emissivity sigma T^4.
  const double a = 0.8 * 5.670374419184429e-8 / (1e4 * 100. * 1.);
  const double exact = 1000. / std::cbrt(1. + 3. * a * 1e9 * 7000.);
  for (const char* method : {"bdf2", "sdirk2"}) {
    const auto values =
        run_bar({"problem.materials={domain: {thermal_conductivity: 1.0e+9, density: 1.0e+4, specific_heat: 100}}",
                 "problem.initial=1000", "problem.boundaries={right: {radiation: {emissivity: 0.8, ambient: 0}}}",
                 "problem.time={to: 7000, tolerance: 1.0e-6, method: " + std::string(method) + "}"})
            .quantities;
    CHECK(is_near(values.at("mean_temperature.domain"), exact, 1e-4));
    CHECK(is_near(values.at("heat_storage"), values.at("heat_flow.right"), 1e-9));
  }
}

TEST_CASE("Capacities may vary in space", "[regression][device]") {
  // 1 W for 1 s into the capacity of 0.1 m^2 times the integral of 1 + x. A larger conductivity would make the rounding
  // of K u, some eps k T, larger than the bound.
  const auto values = run_bar({"problem.materials={domain: {thermal_conductivity: 1.0e+4, density: \"1 + x\", "
                               "specific_heat: 1}}",
                               "problem.sources={domain: {power: 1}}", "problem.boundaries={left: {heat_flux: 0}}"})
                          .quantities;
  CHECK(is_near(values.at("mean_temperature.domain"), 1. / 0.15, 1e-5));
  CHECK(is_near(values.at("heat_storage"), 1., 1e-9));
}

TEST_CASE("A body of one unknown temperature stores heat with the rest", "[regression][device]") {
  const auto values = run_bar({"problem.boundaries={left: {isothermal: {power: 2}}}", "problem.sources="}).quantities;
  CHECK(is_near(values.at("heat_flow.left"), 2., 1e-9));
  CHECK(is_near(values.at("heat_storage"), 2., 1e-9));
  CHECK(is_near(values.at("mean_temperature.domain"), 20., 1e-9));
}

TEST_CASE("Fields of all steps are in one file, and equal steps share their matrix", "[regression][device]") {
  const TemporaryFolder folder;
  const std::string out = folder.file("out");
  REQUIRE(run_case(bar(), out,
                   {"output.fields=[temperature, heat_flux, material]", "output.recovered=true", "output.every=3",
                    "output.probes={middle: {points: [[0.5, 0]]}}", "problem.time={to: 1, steps: 10, method: sdirk2}"})
              .exit_code == 0);
  const std::string report = text_of(out + "/report.yaml");
  CHECK(count(report, "assembled: true") == 1);
  CHECK(count(report, "assembled: false") == 9);
  const auto file = io::Hdf5File::open(out + "/fields.vtkhdf");
  CHECK(file.read_integers("/VTKHDF/Steps", "NSteps", 1)[0] == 4);
  const std::vector<double> times = file.read_rows<double>("/VTKHDF/Steps/Values", 0, 4);
  CHECK(is_near(times[0], 0.3));
  CHECK(times[3] == 1.);
  CHECK(count(text_of(out + "/middle.csv"), "\n") == 5); // with the heading
  CHECK(count(text_of(out + "/quantities.csv"), "\n") == 5);
}

TEST_CASE("Controlled steps write fields at the times of the output", "[regression][device]") {
  const TemporaryFolder folder;
  const std::string out = folder.file("out");
  REQUIRE(run_case(bar(), out,
                   {"output.fields=[temperature]", "output.times=[0.25, 0.5]", "problem.sources={domain: {power: 1}}",
                    "problem.time={to: 1, tolerance: 1.0e-3}"})
              .exit_code == 0);
  const auto file = io::Hdf5File::open(out + "/fields.vtkhdf");
  REQUIRE(file.read_integers("/VTKHDF/Steps", "NSteps", 1)[0] == 3);
  CHECK(file.read_rows<double>("/VTKHDF/Steps/Values", 0, 3) == std::vector<double>{0.25, 0.5, 1.});
}

TEST_CASE("Every strategy of assembly takes the same steps", "[regression][device]") {
  const Settings varied = {"problem.boundaries={left: {temperature: \"sin(t)\"}, "
                           "right: {convection: {coefficient: 1, ambient: 5}}}",
                           "discretization.order=2"};
  const double expected = run_bar(varied).quantities.at("heat_storage");
  for (const char* strategy : {"reference", "a-coo", "sorted-coo", "colored", "ebe-stored", "ebe-recomputed"})
    CHECK(is_near(run_bar(with(varied, {"assembly.strategy=" + std::string(strategy)})).quantities.at("heat_storage"),
                  expected, 1e-8));
}

TEST_CASE("A tolerance that cannot be kept ends the run with its reason", "[regression][device]") {
  const TemporaryFolder folder;
  // The solver stalls at once.
  const auto summary = run_case(bar(), folder.file("out"),
                                {"problem.sources={domain: {power: 1}}", "solver.max_iterations=1",
                                 "solver.preconditioner=jacobi", "problem.time={to: 1, tolerance: 1.0e-3}"});
  CHECK(summary.exit_code == 2);
  CHECK_THAT(summary.message, ContainsSubstring("does not keep problem.time.tolerance"));
}

TEST_CASE("Wrong data of time are refused with their place", "[regression]") {
  CHECK_THAT(message_of({"problem.materials={domain: {thermal_conductivity: 1, density: 0, specific_heat: 1}}"}),
             ContainsSubstring("problem.materials.domain.density"));
  CHECK_THAT(message_of({"problem.materials={domain: {thermal_conductivity: 1, density: 2}}"}),
             ContainsSubstring("with problem.time a material needs density, specific_heat."));
  CHECK_THAT(
      message_of({"problem.materials={domain: {thermal_conductivity: 1, density: \"x - 0.5\", specific_heat: 1}}"}),
      ContainsSubstring("A value that is not positive and finite came out of the capacity of region 'domain'"));
  CHECK_THAT(
      message_of({"problem.materials={domain: {thermal_conductivity: \"1 + t\", density: 2, specific_heat: 1}}"}),
      ContainsSubstring("materials that change with t are not supported"));
  CHECK_THAT(message_of({"problem.time={from: 2, to: 1, steps: 3}"}),
             ContainsSubstring("problem.time.to: must be later than from, 2 s."));
  CHECK_THAT(message_of({"problem.time={to: 1, step: 2}"}),
             ContainsSubstring("a step of 2 s is longer than the time from 0 to 1 s."));
  CHECK_THAT(message_of({"problem.time={to: 1, step: 0.1, steps: 3}"}),
             ContainsSubstring("give one of steps, step, tolerance and sizes, found steps, step."));
  CHECK_THAT(message_of({"problem.time={to: 1, tolerance: 2}"}), ContainsSubstring("problem.time.tolerance"));
  CHECK_THAT(message_of({"problem.time={to: 1, breaks: [0.5, 0.2]}"}), ContainsSubstring("instants must ascend"));
  CHECK_THAT(message_of({"problem.initial="}), ContainsSubstring("initial"));
  CHECK_THAT(message_of({"problem.physics=electrostatics", "problem.materials={domain: {relative_permittivity: 1}}",
                         "problem.boundaries={left: {potential: 0}}", "output.quantities=[energy]"}),
             ContainsSubstring("problem.time: applies to heat, diffusion and advection-diffusion-reaction only."));
  CHECK_THAT(message_of({"discretization.method=dg"}), ContainsSubstring("heat in time needs cg"));
  CHECK_THAT(message_of({"output.quantities=[thermal_resistance]"}),
             ContainsSubstring("a property of the steady state, is not supported with problem.time"));
  CHECK_THAT(message_of({"problem.time=", "problem.initial="}),
             ContainsSubstring("'heat_storage' is of problems with problem.time only"));
  CHECK_THAT(message_of({"output.times=[0.5]"}), ContainsSubstring("problem.time.tolerance only"));
  CHECK_THAT(message_of({"output.fields=[heat_flux]"}), ContainsSubstring("with recovered: true only"));
}

} // namespace tessera::test
