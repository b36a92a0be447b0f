// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "support/run_case.hpp"
#include "support/temporary_folder.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

namespace tessera::test {

namespace {

using Settings = std::vector<std::string>;
using Catch::Matchers::ContainsSubstring;

driver::RunSummary run_with(const std::string& name, const Settings& settings) {
  const TemporaryFolder folder;
  Settings all = {"output.fields=[]", "output.probes={}", "verification="};
  all.insert(all.end(), settings.begin(), settings.end());
  return run_case(input_file(name), folder.file("out"), all);
}

std::map<std::string, double> quantities_of(const std::string& name, const Settings& settings) {
  const driver::RunSummary summary = run_with(name, settings);
  CHECK(summary.exit_code == 0);
  return summary.quantities;
}

bool agree(double value, double expected, double tolerance) { return std::fabs(value / expected - 1.) < tolerance; }

const Settings at_frequency{"problem.physics=eddy-currents", "problem.frequency=50",
                            "solver={nonlinear: {relative_tolerance: 1e-11}}", "output.quantities=[energy]"};

Settings with(Settings settings, const Settings& more) {
  settings.insert(settings.end(), more.begin(), more.end());
  return settings;
}

constexpr double exact_losses = 100.97771322830391; // W, of the saturated plate: see the case

/// The plate as a conductor with a curve that saturates: 2 mm by 20 mm of iron with the field of its own current.
Settings as_bar(const std::string& drive) {
  return {"mesh.box={cells: [20, 10], upper: [0.02, 0.002]}", "problem.frequency=200",
          "problem.materials.domain={bh_curve: [[0, 0], [100, 0.8], [400, 1.3], [2000, 1.55], [20000, 1.9]], "
          "conductivity: 5e6}",
          "problem.boundaries={left: {vector_potential: 0}, right: {vector_potential: 0}, top: {vector_potential: 0}, "
          "bottom: {vector_potential: 0}}",
          "problem.conductors={domain: {" + drive + "}}"};
}

std::string text_of(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.17g", value);
  return text;
}

} // namespace

TEST_CASE("The field in a plate with a cubic B-H curve converges to the exact one", "[regression][device]") {
  for (const char* order : {"1", "2"}) {
    const auto error = [&](const std::string& cells) {
      const auto quantities = quantities_of(
          "saturated-plate", {"discretization.order=" + std::string(order), "mesh.box.cells=[" + cells + ", 1]"});
      CHECK(quantities.at("losses") > 0.);
      return std::fabs(quantities.at("losses") / exact_losses - 1.);
    };
    INFO(order);
    const double coarse = error("10");
    const double fine = error("20");
    CHECK(coarse < (*order == '1' ? 0.05 : 0.005));
    CHECK(coarse / fine > 2.5); // of order 2 the curve, by points, limits the accuracy
  }
}

TEST_CASE("Newton's method for iron at a frequency converges quadratically", "[regression][device]") {
  const driver::RunSummary summary =
      run_with("saturated-plate", {"solver={relative_tolerance: 1e-14, nonlinear: {relative_tolerance: 1e-12}}"});
  const auto& history = summary.nonlinear_history;
  CHECK(summary.exit_code == 0);
  CHECK(history.size() <= 50);
  CHECK(history.back() < 1e-10); // the rounding of the residual
  int n_squared = 0;
  for (std::size_t k = 1; k < history.size(); ++k)
    if (history[k - 1] < 1e-2 && history[k - 1] > 1e-6) {
      INFO(history[k - 1] << " " << history[k]);
      CHECK(history[k] < std::max(1e-10, 1e3 * history[k - 1] * history[k - 1]));
      ++n_squared;
    }
  CHECK(n_squared >= 2);
}

#if TESSERA_HAVE_GMSH
TEST_CASE("Without conductivity the field with a curve as given is that of magnetostatics", "[regression][device]") {
  const auto constant = quantities_of("saturated-core", {"output.quantities=[energy, coenergy, flux_linkage]"});
  const std::string curve =
      "problem.materials.core={bh_curve: [[0, 0], [60, 0.3], [100, 0.7], [160, 1.0], [320, 1.25], "
      "[800, 1.42], [2000, 1.53], [5000, 1.65], [10000, 1.78], [20000, 1.92], [50000, 2.08], "
      "[100000, 2.2]], effective_curve: ";
  const auto given = quantities_of("saturated-core", with(at_frequency, {curve + "as-given}"}));
  const double flux = constant.at("flux_linkage.winding");
  CHECK(agree(given.at("inductance.winding"), flux, 1e-9));
  // The mean energy is that of the reluctivity: a quarter of nu B^2, which is what the coil's reactive power says.
  CHECK(agree(given.at("energy"), 0.25 * flux, 1e-9));
  // RMS values: the same amplitude is a smaller number.
  const auto rms =
      quantities_of("saturated-core", with(at_frequency, {curve + "as-given}", "problem.phasors=rms",
                                                          "problem.coils.winding.current=" + text_of(std::sqrt(0.5))}));
  CHECK(agree(rms.at("inductance.winding"), flux, 1e-9));
  CHECK(agree(rms.at("energy"), given.at("energy"), 1e-9));
}

TEST_CASE("The flux of a sinusoidal field strength is the first harmonic of its waveform", "[regression]") {
  // H is 10 kA/m in all of the core. A curve of two straight lines: B = H up to 100 A/m and 1 T, then 1 T + mu H.
  const double mu = 0.2 / 9900., knee = 100., peak = 1e4;
  const double angle = std::asin(knee / peak), pi = std::acos(-1.);
  // (4/pi) times the integrals of B sin: below the knee of H/100, above of 1 + mu (H - 100)
  const double below = (peak / 100.) * (angle / 2. - std::sin(2. * angle) / 4.);
  const double above =
      (1. - mu * knee) * std::cos(angle) + mu * peak * ((pi / 2. - angle) / 2. + std::sin(2. * angle) / 4.);
  const double density = 4. / pi * (below + above);
  const auto linkage = [](double b) { // of the core, and of the winding's field
    return 100. * std::acos(-1.) * 1e-4 * b;
  };
  const std::string curve = "problem.materials.core={bh_curve: [[0, 0], [100, 1], [2000, " + text_of(1. + mu * 1900.) +
                            "], [6000, " + text_of(1. + mu * 5900.) + "], [10000, 1.2], [10100, " +
                            text_of(1.2 + mu * 100.) + "]], effective_curve: ";
  const auto of = [&](const std::string& kind) {
    return quantities_of("saturated-core", with(at_frequency, {curve + kind + "}"})).at("inductance.winding");
  };
  // The curve is rounded at its knee.
  CHECK(agree(of("sinusoidal-h") - of("as-given"), linkage(density - 1.2), 0.01));
}
#endif // TESSERA_HAVE_GMSH

TEST_CASE("A straight B-H curve gives the linear field", "[regression][device]") {
  const std::string weak = "problem.boundaries.left.vector_potential=0.001"; // below 3 T
  const Settings linear{weak, "problem.materials.domain={relative_permeability: 500, conductivity: 5e6}"};
  const Settings straight{weak, "problem.materials.domain={bh_curve: [[0, 0], [" +
                                    text_of(3. / (500. * 1.25663706212e-6)) + ", 3]], conductivity: 5e6}"};
  for (const char* kind : {"sinusoidal-h", "sinusoidal-b", "as-given"}) {
    const auto expected = quantities_of("saturated-plate", with(linear, {"solver={relative_tolerance: 1e-13}"}));
    const auto found = quantities_of("saturated-plate",
                                     with(straight, {"problem.materials.domain.effective_curve=" + std::string(kind),
                                                     "solver={nonlinear: {relative_tolerance: 1e-12}}"}));
    INFO(kind);
    CHECK(agree(found.at("losses"), expected.at("losses"), 1e-11));
    CHECK(agree(found.at("energy"), expected.at("energy"), 1e-11));
    CHECK(agree(found.at("skin_depth.domain"), expected.at("skin_depth.domain"), 1e-11));
  }
}

TEST_CASE("Losses in iron agree by field and terminals, for given currents and voltages", "[regression][device]") {
  for (const char* current : {"10", "300", "3000"}) {
    INFO(current);
    const auto driven = quantities_of("saturated-plate", as_bar("current: " + std::string(current)));
    CHECK(agree(driven.at("losses_by_terminals"), driven.at("losses"), 1e-6));
    // reactive power: 2 omega times the mean energy
    const double i = std::stod(current);
    CHECK(agree(0.25 * driven.at("inductance.domain") * i * i, driven.at("energy"), 1e-6));
    const double re = driven.at("voltage_real.domain"), im = driven.at("voltage_imaginary.domain");
    const auto again = quantities_of("saturated-plate", as_bar("voltage: " + text_of(std::hypot(re, im)) + ", phase: " +
                                                               text_of(std::atan2(im, re) * 180. / std::acos(-1.))));
    CHECK(agree(again.at("current_real.domain"), i, 1e-6));
    CHECK(std::fabs(again.at("current_imaginary.domain")) < 1e-6 * i);
    CHECK(agree(again.at("losses"), driven.at("losses"), 1e-6));
  }
}

TEST_CASE("A circuit drives saturated iron as the currents and voltages in it do", "[regression][device]") {
  for (const char* current : {"10", "3000"}) {
    INFO(current);
    const double i = std::stod(current);
    const auto driven = quantities_of("saturated-plate", as_bar("current: " + std::string(current)));
    const auto with_circuit = [&](const std::string& elements) {
      Settings settings = as_bar("");
      settings.push_back("problem.circuit={" + elements + ", domain: {nodes: [b, a]}}");
      return quantities_of("saturated-plate", settings);
    };
    const auto by_current = with_circuit("source: {nodes: [a, b], current: " + std::string(current) + "}");
    // A source behind a resistance in series with a capacitor, with another resistance in parallel to the bar: all
    // currents follow from the bar's.
    const double ohmic = driven.at("resistance.domain"), omega = 400. * std::acos(-1.);
    const std::complex<double> voltage(driven.at("voltage_real.domain"), driven.at("voltage_imaginary.domain"));
    const std::complex<double> of_source =
        (i + voltage / ohmic) * std::complex<double>(0.5 * ohmic, -0.3 * ohmic) + voltage;
    const auto by_source = with_circuit("source: {nodes: [b, c], voltage: " + text_of(std::abs(of_source)) +
                                        ", phase: " + text_of(std::arg(of_source) * 180. / std::acos(-1.)) +
                                        "}, r: {nodes: [c, d], resistance: " + text_of(0.5 * ohmic) +
                                        "}, c: {nodes: [d, a], capacitance: " + text_of(1. / (omega * 0.3 * ohmic)) +
                                        "}, parallel: {nodes: [a, b], resistance: " + text_of(ohmic) + "}");
    for (const auto* quantities : {&by_current, &by_source}) {
      CHECK(agree(quantities->at("losses"), driven.at("losses"), 1e-6));
      CHECK(agree(quantities->at("losses_by_terminals"), driven.at("losses"), 1e-6));
      CHECK(agree(quantities->at("energy"), driven.at("energy"), 1e-6));
      CHECK(agree(std::fabs(quantities->at("current_real.domain")), i, 1e-6));
    }
  }
}

TEST_CASE("A circuit with a straight B-H curve is that of the linear field", "[regression][device]") {
  Settings settings = as_bar("");
  settings.push_back("problem.circuit={source: {nodes: [a, b], voltage: 1e-3, phase: 30}, r: {nodes: [a, c], "
                     "resistance: 1e-5}, domain: {nodes: [c, b]}}");
  const auto expected = quantities_of(
      "saturated-plate", with(settings, {"problem.materials.domain={relative_permeability: 500, conductivity: 5e6}",
                                         "solver={relative_tolerance: 1e-13}"}));
  const auto found = quantities_of(
      "saturated-plate", with(settings, {"problem.materials.domain={bh_curve: [[0, 0], [" +
                                             text_of(3. / (500. * 1.25663706212e-6)) + ", 3]], conductivity: 5e6}",
                                         "solver={nonlinear: {relative_tolerance: 1e-12}}"}));
  for (const char* name : {"losses", "energy", "current_real.source", "current_imaginary.source", "inductance.domain"})
    CHECK(agree(found.at(name), expected.at(name), 1e-10));
}

TEST_CASE("Frequencies of saturated iron start from each other and give the results of each alone",
          "[regression][device]") {
  const auto all = quantities_of("saturated-plate", {"problem.frequency=[50, 60, 80]"});
  for (const char* frequency : {"60", "80"})
    CHECK(agree(all.at("losses." + std::string(frequency) + "Hz"),
                quantities_of("saturated-plate", {"problem.frequency=" + std::string(frequency)}).at("losses"), 1e-7));
}

TEST_CASE("Newton's method that does not converge at a frequency ends the run", "[regression]") {
  const driver::RunSummary summary = run_with("saturated-plate", {"solver={nonlinear: {max_iterations: 2}}"});
  CHECK(summary.exit_code != 0);
  CHECK(summary.nonlinear_history.size() == 3);
}

TEST_CASE("Input for iron at a frequency is checked", "[regression]") {
  const auto message_of = [](const Settings& settings) {
    try {
      run_with("saturated-plate", settings);
    } catch (const std::exception& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  const auto material = [&](const std::string& text) { return message_of({"problem.materials.domain=" + text}); };
  const std::string curve = "bh_curve: [[0, 0], [100, 1], [1000, 1.5]]";
  CHECK_THAT(material("{" + curve + ", effective_curve: sinusoidal}"),
             ContainsSubstring("effective_curve: must be sinusoidal-h, sinusoidal-b or as-given"));
  CHECK_THAT(material("{relative_permeability: 5, effective_curve: as-given}"),
             ContainsSubstring("effective_curve: needs a bh_curve"));
  CHECK_THAT(material("{" + curve + ", lag_angle: 10}"), ContainsSubstring("lag_angle: does not go with a bh_curve"));
  CHECK_THAT(material("{" + curve + ", laminations: {thickness: 1e-3, conductivity: 1e6}}"),
             ContainsSubstring("laminations: with a bh_curve are without eddy currents"));
  CHECK_THAT(material("{" + curve + ", conductivity: -1}"), ContainsSubstring("conductivity"));
  CHECK_THAT(material("{bh_curve: [[-100, 0], [0, 1], [1000, 1.5]]}"), ContainsSubstring("bh_curve: starts at H < 0"));
  const std::string conductor = "problem.conductors={domain: {current: 1}}";
  CHECK_THAT(message_of({conductor, "output.quantities=[impedance_matrix]"}),
             ContainsSubstring("are those of linear materials, but 'domain' has a bh_curve"));
  CHECK_THAT(message_of({conductor, "output.netlist=true"}),
             ContainsSubstring("a netlist has impedances of linear materials, but 'domain' has a bh_curve"));
  CHECK_THAT(message_of({"output.lines={across: {points: [[0, 0], [0.02, 0.001]]}}"}),
             ContainsSubstring("integrals along lines, output.lines, need linear materials"));
}

} // namespace tessera::test
