// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "io/output/probes_file.hpp"
#include "support/run_case.hpp"
#include "support/temporary_folder.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers.hpp>

#include <cmath>
#include <complex>
#include <cstdio>
#include <map>
#include <string>

namespace tessera::test {

#if TESSERA_HAVE_GMSH
namespace {

using Settings = std::vector<std::string>;
using Quantities = std::map<std::string, double>;
using Complex = std::complex<double>;

constexpr double vacuum_permittivity = 8.8541878128e-12;
constexpr double pi = 3.14159265358979323846;

double relative_error(double value, double exact) { return std::fabs(value / exact - 1.); }

Quantities run(const char* input, Settings settings) {
  const TemporaryFolder folder;
  settings.insert(settings.begin(), {"output.fields=[]", "verification="});
  const driver::RunSummary summary = run_case(input_file(input), folder.file("out"), settings);
  CHECK(summary.exit_code == 0);
  return summary.quantities;
}

Complex current_of(const Quantities& quantities, const std::string& name, const std::string& what = "current") {
  return {quantities.at(what + "_real." + name), quantities.at(what + "_imaginary." + name)};
}

/// Complex permittivities times j omega.
Complex admittivity(double frequency, double conductivity, double permittivity, double loss_tangent = 0.) {
  return conductivity +
         Complex(0., 2. * pi * frequency * vacuum_permittivity * permittivity) * Complex(1., -loss_tangent);
}

/// Of the two layers of inputs/maxwell-wagner.
Complex admittance_of_layers(const Complex& lower, const Complex& upper) {
  return 4e-4 / (4e-3 / lower + 6e-3 / upper);
}

const Settings block = {"mesh.dimension=3", "mesh.parameters.depth=0.02", "problem.depth="};

} // namespace

TEST_CASE("Layers in series have the exact admittance in space, with both orders", "[regression][device]") {
  for (const char* order : {"1", "2"}) {
    INFO(order);
    Settings settings = block;
    settings.insert(settings.end(), {"problem.frequency=0.005", "discretization.order=" + std::string(order)});
    const Quantities quantities = run("maxwell-wagner", settings);
    const Complex exact = admittance_of_layers(admittivity(0.005, 1e-12, 2.2), admittivity(0.005, 1e-14, 4.4));
    CHECK(relative_error(quantities.at("conductance"), exact.real()) < 1e-8); // the solver's tolerance is 1e-10
    CHECK(relative_error(quantities.at("capacitance"), exact.imag() / (2. * pi * 0.005)) < 1e-8);
    CHECK(std::abs(current_of(quantities, "electrode") - 1000. * exact) < 1e-8 * std::abs(1000. * exact));
    CHECK(std::abs(current_of(quantities, "electrode") + current_of(quantities, "ground")) <
          1e-8 * std::abs(1000. * exact));
    CHECK(relative_error(quantities.at("losses"), 0.5e6 * exact.real()) < 1e-8);
    CHECK(relative_error(quantities.at("losses_by_terminals"), quantities.at("losses")) < 1e-8);
  }
}

TEST_CASE("Mean fields of layers in series are exact", "[regression][device]") {
  const Complex y[] = {admittivity(0.005, 1e-12, 2.2), admittivity(0.005, 1e-14, 4.4, 0.02)};
  const Complex density = 1000. / (4e-3 / y[0] + 6e-3 / y[1]); // from the electrode, at the top, down
  for (const char* order : {"1", "2"}) {
    INFO(order);
    Settings settings = block;
    settings.insert(settings.end(), {"problem.frequency=0.005", "discretization.order=" + std::string(order),
                                     "problem.materials.board.loss_tangent=0.02", "output.quantities=[regions]"});
    const Quantities quantities = run("maxwell-wagner", settings);
    const char* const layers[] = {"oil", "board"};
    for (int layer = 0; layer < 2; ++layer) {
      const auto is_near = [&](const std::string& name, const Complex& exact, double size) {
        return std::abs(current_of(quantities, layers[layer], name) - exact) < 1e-8 * size;
      };
      const Complex field = density / y[layer];
      const double size = std::abs(density);
      CHECK(relative_error(quantities.at("volume." + std::string(layers[layer])), layer == 0 ? 1.6e-6 : 2.4e-6) <
            1e-12);
      CHECK(is_near("mean_electric_field_y", -field, std::abs(field)));
      CHECK(is_near("mean_electric_field_x", 0., std::abs(field)));
      CHECK(is_near("mean_current_density_y", -density, size));
      CHECK(is_near("mean_current_density_z", 0., size));
      CHECK(relative_error(quantities.at("mean_electric_field_magnitude." + std::string(layers[layer])),
                           std::abs(field)) < 1e-8);
      CHECK(is_near("mean_potential", layer == 0 ? 2e-3 * field : 1000. - 3e-3 * field, 1000.));
    }
  }
}

TEST_CASE("The admittance of a cable converges with the order of the elements", "[regression][device]") {
  const double frequency = 1e6;
  const Complex exact =
      2. * pi * 1e-3 /
      (std::log(1.1) / admittivity(frequency, 1e-3, 10.) + std::log(2. / 1.1) / admittivity(frequency, 0., 2.3, 5e-4));
  const auto error = [&](const char* order, const char* size) {
    const Quantities quantities =
        run("lossy-coax", {"problem.frequency=1e6", "discretization.order=" + std::string(order),
                           "mesh.parameters.size=" + std::string(size)});
    const Complex admittance(quantities.at("conductance"), 2. * pi * frequency * quantities.at("capacitance"));
    return std::abs(admittance / exact - 1.);
  };
  const double linear = error("1", "0.25e-3");
  CHECK(linear < 1e-3);
  CHECK(linear / error("1", "0.125e-3") > 3.); // order 2
  const double quadratic = error("2", "0.5e-3");
  CHECK(quadratic < 1e-5);
  CHECK(quadratic / error("2", "0.25e-3") > 10.); // order 4
}

TEST_CASE("A good conductor in series with an insulator leaves the insulator's capacitance", "[regression][device]") {
  // A contrast of 2e16: currents follow from differences of the potential in the insulator only.
  Settings settings = {"problem.frequency=50",
                       "problem.materials={oil: {relative_permittivity: 2.2}, board: {relative_permittivity: 1, "
                       "conductivity: 5.8e7}}"};
  const double exact = vacuum_permittivity * 2.2 * 4e-4 / 4e-3;
  for (const bool is_block : {false, true}) {
    INFO(is_block);
    if (is_block)
      settings.insert(settings.begin(), block.begin(), block.end());
    const Quantities quantities = run("maxwell-wagner", settings);
    CHECK(relative_error(quantities.at("capacitance"), exact) < 1e-8);
    const Complex current = current_of(quantities, "electrode");
    CHECK(std::abs(current + current_of(quantities, "ground")) < 1e-8 * std::abs(current));
    CHECK(relative_error(quantities.at("energy"), 0.25e6 * exact) < 1e-8);
  }
}

TEST_CASE("Without losses the fields are those of electrostatics", "[regression][device]") {
  const Settings materials = {
      "problem.materials={oil: {relative_permittivity: 2.2}, board: {relative_permittivity: [4.4, 3]}}"};
  Settings harmonic = materials;
  harmonic.emplace_back("problem.frequency=[1, 1e9]");
  const Quantities quantities = run("maxwell-wagner", harmonic);
  const double exact = admittance_of_layers(admittivity(1., 0., 2.2), admittivity(1., 0., 3.)).imag() / (2. * pi);
  for (const char* frequency : {".1Hz", ".1000000000Hz"}) {
    CHECK(relative_error(quantities.at("capacitance" + std::string(frequency)), exact) < 1e-8);
    CHECK(quantities.at("losses" + std::string(frequency)) == 0.);
  }
}

TEST_CASE("Given currents of an electrode are those that its voltage would drive", "[regression][device]") {
  const Quantities quantities =
      run("maxwell-wagner", {"problem.frequency=0.01", "problem.phasors=rms",
                             "problem.boundaries={electrode: {floating: {current: 1e-12, phase: 40}}, ground: "
                             "{potential: 0}}"});
  const Complex admittance = admittance_of_layers(admittivity(0.01, 1e-12, 2.2), admittivity(0.01, 1e-14, 4.4));
  const Complex voltage = std::polar(1e-12, 40. * pi / 180.) / admittance;
  CHECK(std::abs(current_of(quantities, "electrode", "voltage") - voltage) < 1e-8 * std::abs(voltage));
  CHECK(relative_error(quantities.at("losses"), std::norm(voltage) * admittance.real()) < 1e-8); // RMS values
  CHECK(relative_error(quantities.at("losses_by_terminals"), quantities.at("losses")) < 1e-8);
}

TEST_CASE("A common phase turns all currents, and losses stay", "[regression][device]") {
  const Settings settings = {"problem.frequency=0.01"};
  Settings turned = settings;
  turned.emplace_back(
      "problem.boundaries={electrode: {potential: 1000, phase: 120}, ground: {potential: 500, phase: 120}}");
  const Quantities before = run("maxwell-wagner", settings);
  const Quantities after = run("maxwell-wagner", turned);
  const Complex expected = 0.5 * std::polar(1., 2. * pi / 3.) * current_of(before, "electrode");
  CHECK(std::abs(current_of(after, "electrode") - expected) < 1e-8 * std::abs(expected));
  CHECK(relative_error(after.at("losses"), 0.25 * before.at("losses")) < 1e-8);
}

TEST_CASE("Losses of a dielectric and of its conductivity add up", "[regression][device]") {
  const double frequency = 1000.;
  const Quantities quantities =
      run("maxwell-wagner",
          {"problem.frequency=1000",
           "problem.materials={oil: {relative_permittivity: 2.2, conductivity: 1e-9, loss_tangent: 0.01}, "
           "board: {relative_permittivity: 4.4, loss_tangent: 0.02}}"});
  const Complex oil = admittivity(frequency, 1e-9, 2.2, 0.01);
  const Complex board = admittivity(frequency, 0., 4.4, 0.02);
  const Complex current = 1000. * admittance_of_layers(oil, board);
  const double of_oil = 0.5 * std::norm(current / oil) / 4e-4 * 4e-3; // the mean of |E|^2 times the volume
  CHECK(relative_error(quantities.at("ohmic_losses.oil"), 1e-9 * of_oil) < 1e-8);
  CHECK(relative_error(quantities.at("dielectric_losses.oil"), (oil.real() - 1e-9) * of_oil) < 1e-8);
  CHECK(relative_error(quantities.at("losses.oil"), oil.real() * of_oil) < 1e-8);
  CHECK(relative_error(quantities.at("dielectric_losses.board"), quantities.at("losses.board")) < 1e-12);
  CHECK(relative_error(quantities.at("losses"), quantities.at("losses_by_terminals")) < 1e-8);
  CHECK(quantities.count("ohmic_losses.board") == 0);
}

TEST_CASE("Probes and fields have the total current density", "[regression][device]") {
  const TemporaryFolder folder;
  const driver::RunSummary summary =
      run_case(input_file("maxwell-wagner"), folder.file("out"),
               {"verification=", "problem.frequency=0.01", "output.fields=[potential, electric_field, current_density]",
                "output.probes={axis: {points: [[0.01, 0.001], [0.01, 0.008]]}}"});
  CHECK(summary.exit_code == 0);
  const std::vector<std::vector<std::string>> rows = io::read_rows(folder.file("out") + "/axis.csv", 1 << 20);
  const auto at = [&](const std::string& name, std::size_t row) {
    for (std::size_t c = 0; c < rows[0].size(); ++c)
      if (rows[0][c].rfind(name + " ", 0) == 0)
        return std::stod(rows.at(row + 1).at(c));
    FAIL("no column " << name);
    return 0.;
  };
  const Complex admittance = admittance_of_layers(admittivity(0.01, 1e-12, 2.2), admittivity(0.01, 1e-14, 4.4));
  const Complex density = -1000. * admittance / 4e-4; // downwards
  for (const std::size_t row : {0, 1}) {
    const Complex J(at("Jy_real", row), at("Jy_imaginary", row));
    CHECK(std::abs(J - density) < 1e-8 * std::abs(density));
    const Complex E(at("Ey_real", row), at("Ey_imaginary", row));
    const Complex medium = row == 0 ? admittivity(0.01, 1e-12, 2.2) : admittivity(0.01, 1e-14, 4.4);
    CHECK(std::abs(E * medium - density) < 1e-8 * std::abs(density));
  }
}

TEST_CASE("Integrals along lines and over surfaces are phasors", "[regression][device]") {
  const Quantities quantities = run("maxwell-wagner", {"problem.frequency=0.01",
                                                       "output.lines={across: {points: [[0.01, 0.01], [0.01, 0]]}, "
                                                       "cut: {points: [[0, 0.002], [0.02, 0.002]]}}",
                                                       "output.surfaces={electrode: {}}"});
  const Complex current = current_of(quantities, "electrode");
  CHECK(std::fabs(quantities.at("voltage_real.across") - 1000.) < 1e-6);
  CHECK(std::fabs(quantities.at("voltage_imaginary.across")) < 1e-6);
  CHECK(std::fabs(quantities.at("voltage_magnitude.across") - 1000.) < 1e-6);
  for (const char* name : {"cut", "electrode"})
    CHECK(std::abs(current_of(quantities, name, "flux") - current) < 1e-8 * std::abs(current));
  CHECK(std::fabs(quantities.at("flux_phase.cut") - std::arg(current) * 180. / pi) < 1e-6);
  CHECK(relative_error(quantities.at("length.cut"), 0.02) < 1e-12);
  CHECK(relative_error(quantities.at("area.electrode"), 4e-4) < 1e-12);
}

TEST_CASE("The matrix of admittances has the capacitances of electrostatics and the conductances of current flow",
          "[regression][device]") {
  // With one material both are the matrix of the geometry times its permittivity or conductivity.
  const Quantities constant = run("three-wires", {});
  const Quantities harmonic =
      run("three-wires", {"problem.physics=electro-quasistatics", "problem.frequency=1000",
                          "problem.materials={air: {relative_permittivity: 1, conductivity: 1e-9}, wire_*: "
                          "{relative_permittivity: 1}}",
                          "problem.boundaries={wire_1: {potential: 1}, wire_2: {potential: 0}, wire_3: {potential: "
                          "0}, shield: {potential: 0}}",
                          "output.quantities=[admittance_matrix]"});
  for (const char* pair : {"wire_1.wire_1", "wire_1.wire_2", "wire_2.wire_1", "wire_3.wire_2"}) {
    INFO(pair);
    const double capacitance = constant.at("capacitance_matrix." + std::string(pair));
    CHECK(relative_error(harmonic.at("capacitance." + std::string(pair)), capacitance) < 1e-7);
    CHECK(relative_error(harmonic.at("conductance." + std::string(pair)), capacitance / vacuum_permittivity * 1e-9) <
          1e-7);
  }
}

TEST_CASE("The far field of a charge is that of electrostatics", "[regression][device]") {
  const Quantities constant = run("isolated-sphere", {});
  const Quantities harmonic = run("isolated-sphere", {"problem.physics=electro-quasistatics", "problem.frequency=50",
                                                      "output.quantities=[energy, capacitance]"});
  CHECK(relative_error(harmonic.at("capacitance"), constant.at("capacitance")) < 1e-6);
}
#endif

} // namespace tessera::test
