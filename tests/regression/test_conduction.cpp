// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "io/hdf5_file.hpp"
#include "io/input/yaml_reader.hpp"
#include "support/is_near.hpp"
#include "support/run_case.hpp"
#include "support/temporary_folder.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <cmath>
#include <fstream>
#include <sstream>

namespace tessera::test {

namespace {

using Catch::Matchers::ContainsSubstring;
using Settings = std::vector<std::string>;

constexpr double sigma = 5.670374419184429e-8;

std::string bar() { return TESSERA_SOURCE_DIR "/tests/regression/conduction.yaml"; }

Settings with(Settings settings, const Settings& more) {
  settings.insert(settings.end(), more.begin(), more.end());
  return settings;
}

/// Current along the bar.
const Settings current = {"problem.physics=current-flow", "problem.materials={domain: {conductivity: 50}}",
                          "problem.boundaries={left: {terminal: {current: 30}}, right: {potential: 1}}",
                          "output.quantities=[losses, current, resistance]", "solver.nonlinear="};

driver::RunSummary run_bar(const Settings& settings = {}) {
  const TemporaryFolder folder;
  return run_case(bar(), folder.file("out"), settings);
}

std::string text_of(const std::string& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

std::string message_of(const Settings& settings) {
  try {
    run_bar(settings);
  } catch (const Error& error) {
    CHECK(error.exit_code() == 1);
    return error.what();
  }
  return "no error";
}

/// Flux through a bar with 500 K at one end; the other end loses heat to surroundings at 300 K. Bisection finds the
/// temperature at which conduction and loss balance.
double radiated(double conductance, double emissivity, double convection, double hot = 500.) {
  double low = 0.;
  double high = 2000.;
  for (int i = 0; i < 200; ++i) {
    const double t = 0.5 * (low + high);
    const double balance =
        conductance * (hot - t) - emissivity * sigma * (std::pow(t, 4) - std::pow(300., 4)) - convection * (t - 300.);
    (balance > 0. ? low : high) = t;
  }
  return conductance * (hot - low);
}

} // namespace

TEST_CASE("A bar that carries a current has the resistance and losses of its dimensions", "[regression][device]") {
  const double resistance = 2. / 50.;
  for (const char* order : {"1", "2"}) {
    const auto values = run_bar(with(current, {"discretization.order=" + std::string(order)})).quantities;
    CHECK(is_near(values.at("resistance"), resistance));
    CHECK(is_near(values.at("losses"), 30. * 30. * resistance));
    CHECK(is_near(values.at("current.left"), 30.));
    CHECK(is_near(values.at("current.right"), -30.));
    CHECK(is_near(values.at("potential.left"), 1. + 30. * resistance));
  }
}

TEST_CASE("A contact adds its resistance, and the current through it is reported", "[regression][device]") {
  const auto values =
      run_bar(
          with(current, {"problem.boundaries={left: {potential: 5}, right: {contact: {conductance: 10, potential: 1}}}",
                         "output.quantities=[losses, current]"}))
          .quantities;
  const double i = 4. / (2. / 50. + 1. / 10.);
  CHECK(is_near(values.at("current.left"), i));
  CHECK(is_near(values.at("current.right"), -i));
  CHECK(is_near(values.at("losses"), i * i * 2. / 50.)); // losses in the bar, without the contact
}

TEST_CASE("Current flow by discontinuous elements gives the same numbers", "[regression][device]") {
  const auto values = run_bar(with(current, {"problem.boundaries={left: {potential: 5}, right: {potential: 1}}",
                                             "discretization={method: dg, order: 1}"}))
                          .quantities;
  CHECK(is_near(values.at("resistance"), 2. / 50.));
  CHECK(is_near(values.at("losses"), 16. * 50. / 2.));
}

TEST_CASE("A radiating bar loses what it conducts", "[regression][device]") {
  const double exact = radiated(4. / 2., 0.9, 3.);
  for (const char* dimension : {"2", "3"})
    for (const char* order : {"1", "2"}) {
      Settings settings = {"discretization.order=" + std::string(order)};
      if (dimension == std::string("3"))
        settings.emplace_back("mesh.box={cells: [6, 2, 2], lower: [0, 0, 0], upper: [2, 1, 1]}");
      const auto summary = run_bar(settings);
      REQUIRE(summary.exit_code == 0);
      CHECK(is_near(summary.quantities.at("heat_flow.left"), exact));
      CHECK(is_near(summary.quantities.at("heat_flow.right"), -exact));
      CHECK(summary.nonlinear_history.size() <= 7);
    }
}

TEST_CASE("The rim of a disk radiates as its circumference", "[regression][device]") {
  // Radial conduction between the radii 1 m and 3 m, 1 m high: conductance 2 pi k / ln 3, rim 6 pi m^2.
  const auto values = run_bar({"mesh.box.cells=[128, 2]", "mesh.box.lower=[1, 0]", "mesh.box.upper=[3, 1]",
                               "problem.symmetry=axisymmetric", "discretization.order=2"})
                          .quantities;
  const double rim = 6. * 3.14159265358979323846;
  const double exact = rim * radiated(4. / (3. * std::log(3.)), 0.9, 3.);
  CHECK(is_near(values.at("heat_flow.right"), -exact, 1e-7)); // discretization error
}

TEST_CASE("Radiation far from equilibrium converges", "[regression][device]") {
  // The surroundings are cold, and without radiation the source would heat the bar to 6e9 K.
  const auto summary = run_bar({"problem.materials={domain: {thermal_conductivity: 1.0e-3}}",
                                "problem.sources={domain: {heat_source: 1.0e4}}",
                                "problem.boundaries={right: {radiation: {emissivity: 0.9, ambient: 3}}}",
                                "solver.nonlinear.relative_tolerance=1.0e-9"});
  CHECK(summary.exit_code == 0);
  CHECK(is_near(summary.quantities.at("heat_flow.right"), -2.e4, 1e-6)); // all heat of the source
}

TEST_CASE("Radiation that has not converged is reported", "[regression]") {
  const auto summary = run_bar({"solver.nonlinear.max_iterations=1"});
  CHECK(summary.exit_code == 2);
}

TEST_CASE("Strategies agree on a radiating bar", "[regression][device]") {
  const TemporaryFolder folder;
  driver::CompareOptions options;
  options.quiet = true;
  CHECK(driver::compare(read_case(bar(), folder.file("out")), options) == 0);
}

TEST_CASE("What a flux and a robin condition let in is reported in diffusion", "[regression][device]") {
  const auto values = run_bar({"problem.physics=diffusion", "problem.materials={domain: {diffusivity: 4}}",
                               "problem.boundaries={left: {flux: 7}, right: {robin: {coefficient: 2, reference: 1}}}",
                               "output.quantities=[total_flux]", "solver.nonlinear="})
                          .quantities;
  CHECK(is_near(values.at("total_flux.left"), 7.));
  CHECK(is_near(values.at("total_flux.right"), -7.));
}

TEST_CASE("Temperatures that are given in degrees Celsius are reported so everywhere", "[regression][device]") {
  const TemporaryFolder folder;
  const auto run_in = [&](const Settings& unit) {
    const Settings bar_of = {"problem.boundaries={left: {isothermal: {power: 4}}, right: {temperature: 20}}",
                             "solver.nonlinear=",
                             "output.quantities=[regions, thermal_resistance]",
                             "output.fields=[temperature, temperature_gradient]",
                             "output.probes={middle: {points: [[1, 0.5]]}}",
                             "output.lines={along: {points: [[0, 0.5], [2, 0.5]]}}"};
    return run_case(bar(), folder.file("out"), with(bar_of, unit));
  };
  const auto lines_of = [&](const char* file) {
    std::ifstream in(folder.file("out") + "/" + file);
    return std::string(std::istreambuf_iterator<char>(in), {});
  };
  const auto kelvin = run_in({});
  CHECK(kelvin.units.at("temperature.left") == "K");
  CHECK_THAT(lines_of("middle.csv"), ContainsSubstring("temperature [K]"));
  const auto celsius = run_in({"problem.temperature_unit=celsius"});
  CHECK(celsius.quantities == kelvin.quantities);
  for (const char* name :
       {"temperature.left", "mean_temperature.domain", "largest_temperature.domain", "average_temperature.along"})
    CHECK(celsius.units.at(name) == "degC");
  CHECK(celsius.units.at("thermal_resistance") == "K/W"); // a difference
  CHECK(celsius.units.at("largest_temperature_gradient.domain") == "K/m");
  CHECK_THAT(lines_of("middle.csv"), ContainsSubstring("temperature [degC]") && ContainsSubstring("[K/m]"));
  const io::Hdf5File fields = io::Hdf5File::open(folder.file("out") + "/fields.vtkhdf");
  CHECK(fields.read_text("/VTKHDF/PointData/temperature", "Unit") == "degC");
  CHECK(fields.read_text("/VTKHDF/PointData/temperature_gradient", "Unit") == "K/m");
}

TEST_CASE("Input of current flow and heat that cannot be is refused with its place", "[regression]") {
  const auto radiation = [](const std::string& map) {
    return message_of({"problem.boundaries.right.radiation=" + map});
  };
  CHECK_THAT(radiation("{emissivity: 1.5, ambient: 300}"),
             ContainsSubstring("problem.boundaries.right.radiation.emissivity"));
  CHECK_THAT(radiation("{emissivity: 0.5, ambient: -20}"),
             ContainsSubstring("problem.boundaries.right.radiation.ambient"));
  CHECK_THAT(radiation("{ambient: 300}"), ContainsSubstring("emissivity"));
  CHECK_THAT(radiation("{emissivity: \"1 + y\", ambient: 300}"),
             ContainsSubstring("Boundary 'right': a value of the condition"));
  CHECK_THAT(radiation("{emissivity: 0.5, ambiant: 300}"), ContainsSubstring("did you mean 'ambient'?"));
  CHECK_THAT(message_of({"problem.boundaries.right={convection: {coefficient: 1, ambient: 2}}"}),
             ContainsSubstring(
                 "solver.nonlinear: applies to magnetostatics and to eddy-currents with a bh_curve, and to heat with "
                 "radiation or materials of temperature only."));
  CHECK_THAT(message_of({"problem.temperature_unit=celsius"}),
             ContainsSubstring("problem.temperature_unit: 'right' radiates, by the fourth power"));
  CHECK_THAT(message_of(with(current, {"problem.temperature_unit=celsius"})),
             ContainsSubstring("problem.temperature_unit: applies to heat only."));
  CHECK_THAT(message_of({"problem.temperature_unit=fahrenheit"}), ContainsSubstring("kelvin"));
  CHECK_THAT(message_of(with(current, {"output.quantities=[capacitance]"})),
             ContainsSubstring("unknown quantity 'capacitance'"));
  CHECK_THAT(
      message_of(with(current, {"problem.boundaries={left: {potential: 1}, right: {potential: 1}}"})),
      ContainsSubstring("the terminals 'left' and 'right' have the same potential, 1 V, so they have no resistance"));
  CHECK_THAT(message_of(with(current, {"problem.materials={domain: {relative_permittivity: 1}}"})),
             ContainsSubstring("conductivity"));
  CHECK_THAT(message_of(with(current, {"problem.boundaries.left={terminal: {charge: 1}}"})),
             ContainsSubstring("current"));
  CHECK_THAT(
      message_of({"problem.boundaries.left=", "problem.boundaries.right={heat_flux: 3}", "solver.nonlinear="}),
      ContainsSubstring("no boundary has a temperature, a convection, a radiation, an asymptotic or an antiperiodic"));
}

#if TESSERA_HAVE_GMSH
TEST_CASE("A ball of a cut geometry that loses its heat by radiation alone has the temperature of its balance",
          "[regression]") {
  const TemporaryFolder folder;
  folder.write("ball.geo", R"(
    SetFactory("OpenCASCADE");
    Disk(1) = {0, 0, 0, 8}; Rectangle(2) = {0, -10, 0, 10, 20};
    BooleanIntersection(3) = { Surface{1}; Delete; }{ Surface{2}; Delete; }; // nodes of the axis at x = -3e-15
    Mesh.MeshSizeMax = 2;
  )");
  const std::string file = folder.write("ball.yaml", R"(tessera: 1
mesh:
  geometry: ball.geo
  dimension: 2
  units: mm
  groups: {ball: {at: [1, 0]}, surface: {near: [[5.65685, 5.65685], [5.65685, -5.65685]]}}
problem:
  physics: heat
  symmetry: axisymmetric
  materials: {ball: {thermal_conductivity: 1e6}}
  sources: {ball: {power: 5}}
  boundaries: {surface: {radiation: {emissivity: 0.5, ambient: 300}}}
discretization: {order: 2}
output: {quantities: [heat_flow, regions]}
)");
  const auto values = run_case(file, folder.file("out")).quantities;
  const double area = 4. * std::acos(-1.) * 64e-6;
  const double exact = std::pow(5. / (area * 0.5 * sigma) + std::pow(300., 4), 0.25);
  // error of the curved elements of the circle
  CHECK(std::fabs(values.at("mean_temperature.ball") / exact - 1.) < 1e-4);
  CHECK(std::fabs(values.at("heat_flow.surface") + 5.) < 1e-6);
}
#endif

/// A bar of length 2 and conductivity 50 with contacts at its ends.
std::string contacts(const std::string& conductance) {
  const std::string contact = "{contact: {conductance: " + conductance + ", potential: ";
  return "problem.boundaries={left: " + contact + "3}}, right: " + contact + "1}}}";
}

TEST_CASE("Flows through contacts are right up to the conductance from which these are refused",
          "[regression][device]") {
  for (const char* preconditioner : {"jacobi", "multigrid"})
    for (const double g : {1e-3, 1., 1e3, 1e4, 1e5, 1e6}) {
      std::ostringstream conductance;
      conductance << g;
      INFO(preconditioner << ", conductance " << g);
      const TemporaryFolder folder;
      const auto summary = run_case(
          bar(), folder.file("out"),
          with(current, {contacts(conductance.str()), "output.quantities=[losses, current]",
                         std::string("solver.preconditioner=") + preconditioner, "solver.relative_tolerance=1e-12"}));
      CHECK(summary.exit_code == 0);
      // The bar and both contacts in series. The solver's tolerance times some ten unknowns across the bar, and times
      // how far the rows of the contacts are above the others.
      const double i = 2. / (2. / 50. + 2. / g);
      const double tolerance = 1e-9 + 1e-12 * g;
      CHECK(std::fabs(summary.quantities.at("current.left") / i - 1.) < tolerance);
      CHECK(std::fabs(summary.quantities.at("current.right") / -i - 1.) < tolerance);
      CHECK(std::fabs(summary.quantities.at("losses") / (i * i * 2. / 50.) - 1.) < tolerance);
      CHECK_THAT(text_of(folder.file("out") + "/report.yaml"), !ContainsSubstring("do not add up"));
    }
}

TEST_CASE("Coefficients that fix the solution are refused", "[regression][device]") {
  const TemporaryFolder folder;
  for (const char* conductance : {"1e8", "1e20", "1e300", "1e8 * (1 + y)"})
    CHECK_THROWS_WITH(
        run_case(bar(), folder.file("out"), with(current, {contacts(conductance), "output.quantities=[current]"})),
        ContainsSubstring("The coefficient of boundary 'left' is") &&
            ContainsSubstring("at most 10000 is allowed. It fixes the solution there: use 'potential'"));
}

} // namespace tessera::test
