// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "io/input/yaml_reader.hpp"
#include "io/output/probes_file.hpp"
#include "support/run_case.hpp"
#include "support/temporary_folder.hpp"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <utility>

namespace tessera::test {

namespace {

using Catch::Matchers::ContainsSubstring;
using Settings = std::vector<std::string>;
using Quantities = std::map<std::string, double>;

Quantities run_cylinder(const Settings& settings) {
  const TemporaryFolder folder;
  Settings all = {"output.fields=[]", "verification="};
  all.insert(all.end(), settings.begin(), settings.end());
  const driver::RunSummary summary = run_case(input_file("cylinder-in-axial-field"), folder.file("out"), all);
  CHECK(summary.exit_code == 0);
  return summary.quantities;
}

constexpr double losses_of_cylinder = 4.55346876710443e-3; // W, see the case

double relative_error(double value, double exact) { return std::fabs(value / exact - 1.); }

} // namespace

TEST_CASE("Losses of a cylinder in an axial field converge to their exact value", "[regression][device]") {
  for (const char* order : {"1", "2"}) {
    INFO(order);
    const Settings settings = {"discretization.order=" + std::string(order), "mesh.box.cells=[20, 2]"};
    Settings refined = settings;
    refined.back() = "mesh.box.cells=[40, 4]";
    const double coarse = relative_error(run_cylinder(settings).at("losses"), losses_of_cylinder);
    const double fine = relative_error(run_cylinder(refined).at("losses"), losses_of_cylinder);
    CHECK(fine < (*order == '1' ? 1e-2 : 1e-4));
    CHECK(coarse / fine > (*order == '1' ? 3. : 12.)); // orders 2 and 4
  }
}

TEST_CASE("The largest current density is that at the surface", "[regression][device]") {
  // |H k I1(k R)/I0(k R)|, k = (1 + j)/delta
  constexpr double exact = 73315.72634180664;
  const auto error = [&](const Settings& settings) {
    return relative_error(run_cylinder(settings).at("largest_current_density.domain"), exact);
  };
  const double fine = error({"mesh.box.cells=[100, 4]"});
  CHECK(fine < 1e-6);
  CHECK(error({}) / fine > 6.); // of order 3
  CHECK(error({"mesh.box.cells=[100, 4]", "problem.phasors=rms"}) < 1e-6);
  CHECK(error({"mesh.box.cells=[100, 4]", "discretization.order=1"}) < 1e-3);
}

TEST_CASE("The mean flux density of a cylinder is exact to the order of its elements", "[regression][device]") {
  const std::complex<double> exact(-4.518413593849024e-4, 3.690902761291504e-4); // -mu0 H 2 I1(k R)/(k R I0(k R))
  const auto mean = [](const char* what, const Settings& settings) {
    Settings all = {"output.quantities=[regions]"};
    all.insert(all.end(), settings.begin(), settings.end());
    const Quantities quantities = run_cylinder(all);
    const std::string name = std::string("mean_flux_density_") + what;
    CHECK(relative_error(quantities.at("volume.domain"), std::acos(-1.) * 0.05 * 0.05 * 0.01) < 1e-12);
    return std::complex<double>(quantities.at(name + "_real.domain"), quantities.at(name + "_imaginary.domain"));
  };
  CHECK(std::abs(mean("z", {"discretization.order=1"}) - exact) < 1e-3 * std::abs(exact));
  CHECK(std::abs(mean("z", {}) - exact) < 1e-6 * std::abs(exact));
  CHECK(std::abs(mean("z", {"problem.phasors=rms"}) - exact) < 1e-6 * std::abs(exact)); // of the same kind as H
  CHECK(std::abs(mean("r", {})) < 1e-6 * std::abs(exact));
  const Quantities slow = run_cylinder({"output.quantities=[regions]", "problem.frequency=[1e-3, 50]"});
  CHECK(relative_error(slow.at("mean_flux_density_magnitude.domain.0.001Hz"), 1.25663706212e-3) < 1e-6);
  CHECK(relative_error(slow.at("mean_flux_density_z_real.domain.50Hz"), exact.real()) < 1e-6);
}

TEST_CASE("Every strategy that stores a matrix gives the same eddy currents", "[regression][device]") {
  const double expected = run_cylinder({}).at("losses");
  for (const char* strategy :
       {"reference", "atomic", "a-coo", "a-coo-compact", "sorted-coo", "colored", "row-gather"}) {
    INFO(strategy);
    CHECK(relative_error(run_cylinder({"assembly.strategy=" + std::string(strategy)}).at("losses"), expected) < 1e-10);
  }
}

TEST_CASE("Losses and energy for RMS values are twice those for amplitudes", "[regression][device]") {
  const Quantities amplitude = run_cylinder({});
  const Quantities rms = run_cylinder({"problem.phasors=rms"});
  for (const char* name : {"losses", "losses.domain", "energy"})
    CHECK(relative_error(rms.at(name), 2. * amplitude.at(name)) < 1e-12);
  CHECK(rms.at("skin_depth.domain") == amplitude.at("skin_depth.domain"));
}

TEST_CASE("Several frequencies in one run give the results of each alone", "[regression][device]") {
  const Quantities both = run_cylinder({"problem.frequency=[50, 400]"});
  CHECK(relative_error(both.at("losses.50Hz"), run_cylinder({}).at("losses")) < 1e-9);
  CHECK(relative_error(both.at("losses.400Hz"), run_cylinder({"problem.frequency=400"}).at("losses")) < 1e-9);
}

TEST_CASE("Frequencies that start from the solutions at others give the results of each alone",
          "[regression][device]") {
  const Quantities all = run_cylinder({"problem.frequency={from: 50, to: 800, points: 9}"}); // three packs
  for (const char* frequency : {"50", "200", "800"})
    CHECK(relative_error(all.at("losses." + std::string(frequency) + "Hz"),
                         run_cylinder({"problem.frequency=" + std::string(frequency)}).at("losses")) < 1e-9);
}

TEST_CASE("Sheets along the field and across it have their permeabilities", "[regression][device]") {
  using Complex = std::complex<double>;
  const double pi = std::acos(-1.);
  const double omega = 2. * pi * 1000.;
  constexpr double vacuum_permeability = 1.25663706212e-6;
  const Complex metal = std::polar(1000., -10. * pi / 180.);
  const Complex z = 0.25e-3 * std::sqrt(Complex(0., omega * 2e6 * vacuum_permeability) * metal);
  const Complex along = 0.9 * metal * std::tanh(z) / z + 0.1;
  const Complex across = 1. / (0.9 / metal + 0.1);
  const auto run = [&](const char* parallel) { // H along y, given at the right side
    const TemporaryFolder folder;
    const driver::RunSummary summary = run_case(
        input_file("cylinder-in-axial-field"), folder.file("out"),
        {"output.fields=[]", "verification=", "problem.symmetry=planar", "problem.frequency=[1000]",
         "mesh.box.cells=[3, 2]", "problem.boundaries.left={vector_potential: 0}",
         "problem.materials.domain={relative_permeability: 1000, lag_angle: 10, laminations: {thickness: 0.5e-3, "
         "stacking_factor: 0.9, conductivity: 2e6, parallel_to: " +
             std::string(parallel) + "}}",
         "output.probes={middle: {points: [[0.025, 0.005]]}}"});
    CHECK(summary.exit_code == 0);
    const auto rows = io::read_rows(folder.file("out") + "/middle.csv", 1 << 20);
    Quantities quantities = summary.quantities;
    for (std::size_t i = 0; i < rows[0].size(); ++i)
      quantities[rows[0][i].substr(0, rows[0][i].find(' '))] = std::strtod(rows.at(1)[i].c_str(), nullptr);
    return quantities;
  };
  for (const auto& [parallel, mu] : {std::make_pair("plane", along), {"x", across}, {"y", along}}) {
    INFO(parallel);
    const Quantities quantities = run(parallel);
    const double h = quantities.at("Hy_real"); // +-1000 A/m
    CHECK(relative_error(std::fabs(h), 1000.) < 1e-9);
    CHECK(std::fabs(quantities.at("Hy_imaginary")) < 1e-5);
    CHECK(relative_error(quantities.at("By_real"), vacuum_permeability * mu.real() * h) < 1e-9);
    CHECK(relative_error(quantities.at("By_imaginary"), vacuum_permeability * mu.imag() * h) < 1e-7);
    const double volume = 0.05 * 0.01;
    CHECK(relative_error(quantities.at("losses"), -0.5 * omega * vacuum_permeability * mu.imag() * 1e6 * volume) <
          1e-8);
    CHECK(relative_error(quantities.at("energy"), 0.25 * vacuum_permeability * mu.real() * 1e6 * volume) < 1e-8);
  }
}

TEST_CASE("Probes of eddy currents have both parts of all fields", "[regression][device]") {
  const TemporaryFolder folder;
  const driver::RunSummary summary =
      run_case(input_file("cylinder-in-axial-field"), folder.file("out"),
               {"output.fields=[]",
                "verification=", "output.probes={radius: {from: [0.01, 0.005], to: [0.05, 0.005], points: 3}}"});
  CHECK(summary.exit_code == 0);
  const std::vector<std::vector<std::string>> rows = io::read_rows(folder.file("out") + "/radius.csv", 1 << 20);
  const auto at = [&](const std::string& name, std::size_t row) {
    const auto found = std::find_if(rows[0].begin(), rows[0].end(),
                                    [&](const std::string& head) { return head.rfind(name + " ", 0) == 0; });
    REQUIRE(found != rows[0].end());
    return std::stod(rows.at(row + 1).at(static_cast<std::size_t>(found - rows[0].begin())));
  };
  constexpr double vacuum_permeability = 1.25663706212e-6;
  CHECK(relative_error(at("Hz_real", 2), -1000.) < 1e-3); // at the surface
  CHECK(std::fabs(at("Hz_imaginary", 2)) < 1.);
  for (std::size_t row = 0; row < 3; ++row) {
    constexpr double factor = 1.6e7 * 2. * 3.14159265358979323846 * 50.; // J = -j omega sigma A
    CHECK(relative_error(at("J_real", row), factor * at("vector_potential_imaginary", row)) < 1e-12);
    CHECK(relative_error(at("J_imaginary", row), -factor * at("vector_potential_real", row)) < 1e-12);
    CHECK(relative_error(at("Bz_real", row), vacuum_permeability * at("Hz_real", row)) < 1e-9);
  }
}

#if TESSERA_HAVE_GMSH
TEST_CASE("The mean force of TEAM 28 holds for amplitudes and RMS values", "[regression][device]") {
  const TemporaryFolder folder;
  const auto force = [&](const std::string& phasors) {
    return run_case(input_file("levitation"), folder.file("out"),
                    {"output.fields=[]", "verification=", "problem.phasors=" + phasors})
        .quantities.at("force.disc.axial");
  };
  const double of_amplitudes = force("amplitude");
  CHECK(relative_error(of_amplitudes, 1.096266) < 1e-3);
  CHECK(relative_error(force("rms"), 2. * of_amplitudes) < 1e-9);
}
#endif

TEST_CASE("A note names regions whose elements are too large for the skin depth", "[regression][device]") {
  const TemporaryFolder folder;
  const auto has_note = [&](const char* frequency) {
    run_case(input_file("cylinder-in-axial-field"), folder.file("out"),
             {"output.fields=[]", "verification=", "problem.frequency=" + std::string(frequency)});
    const io::YamlNode report = io::read_yaml(folder.file("out") + "/report.yaml");
    const io::YamlNode* notes = report.find("notes");
    return notes != nullptr && std::any_of(notes->items.begin(), notes->items.end(), [](const io::YamlNode& note) {
             return note.text.find("the skin depth of 'domain'") != std::string::npos;
           });
  };
  CHECK_FALSE(has_note("50"));
  CHECK(has_note("500000"));
}

TEST_CASE("A note reports losses that the terminals do not supply", "[regression][device]") {
  const TemporaryFolder folder;
  run_case(input_file("cylinder-in-axial-field"), folder.file("out"),
           {"output.fields=[]", "verification=", "problem.boundaries={right: {vector_potential: 0}}",
            "problem.conductors={domain: {current: 1}}", "problem.frequency=50000", "solver.max_iterations=1",
            "mesh.box.cells=[50, 40]"});
  const io::YamlNode report = io::read_yaml(folder.file("out") + "/report.yaml");
  const io::YamlNode* notes = report.find("notes");
  REQUIRE(notes != nullptr);
  CHECK(std::any_of(notes->items.begin(), notes->items.end(), [](const io::YamlNode& note) {
    return note.text.rfind("Energy balance: the losses are", 0) == 0;
  }));
}

TEST_CASE("Eddy currents may have several processes", "[regression]") {
  const TemporaryFolder folder;
  const io::Case input = read_case(input_file("cylinder-in-axial-field"), folder.file("out"));
  CHECK_NOTHROW(driver::check_processes(input, 2));
}

#if TESSERA_HAVE_GMSH
namespace {

/// Three wires in air, as solid conductors or as given.
Settings wires_with(const std::string& conductors, const Settings& more) {
  Settings settings = {"problem.physics=eddy-currents",
                       "problem.frequency=2000",
                       "problem.materials={air: {relative_permeability: 1}, wire_*: {relative_permeability: 1, "
                       "conductivity: 5.8e7}}",
                       "problem.conductors=" + conductors,
                       "problem.boundaries={shield: {vector_potential: 0}}",
                       "problem.coils=",
                       "solver={relative_tolerance: 1e-11}",
                       "discretization={order: 2}",
                       "output={fields: [], quantities: [losses, energy]}",
                       "verification="};
  settings.insert(settings.end(), more.begin(), more.end());
  return settings;
}

Quantities run_wires(const std::string& conductors, const Settings& more = {}) {
  const TemporaryFolder folder;
  const driver::RunSummary summary =
      run_case(input_file("three-wires"), folder.file("out"), wires_with(conductors, more));
  CHECK(summary.exit_code == 0);
  return summary.quantities;
}

std::string text_of(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.17g", value);
  return text;
}

} // namespace

TEST_CASE("Solid conductors with given currents and with the voltages that result are the same",
          "[regression][device]") {
  const Quantities driven =
      run_wires("{wire_1: {current: 1}, wire_2: {current: 1, phase: -120}, wire_3: {current: 0}}");
  const Quantities again = [&] {
    std::string conductors;
    for (const char* name : {"wire_1", "wire_2", "wire_3"}) {
      const double re = driven.at("voltage_real." + std::string(name));
      const double im = driven.at("voltage_imaginary." + std::string(name));
      conductors += (conductors.empty() ? "{" : ", ") + std::string(name) +
                    ": {voltage: " + text_of(std::hypot(re, im)) +
                    ", phase: " + text_of(std::atan2(im, re) * 180. / 3.14159265358979323846) + "}";
    }
    return run_wires(conductors + "}");
  }();
  for (const char* name : {"current_real.wire_1", "current_imaginary.wire_1", "current_real.wire_2",
                           "current_imaginary.wire_2", "current_real.wire_3", "current_imaginary.wire_3"}) {
    INFO(name);
    CHECK(std::fabs(driven.at(name) - again.at(name)) < 1e-6);
  }
  for (const Quantities& quantities : {driven, again}) // energy balance
    CHECK(relative_error(quantities.at("losses_by_terminals"), quantities.at("losses")) < 1e-6);
  CHECK(driven.at("losses.wire_3") > 0.); // eddy currents without a net current
}

TEST_CASE("A reduced model of the frequencies gives the quantities of each", "[regression][device]") {
  const std::string conductors = "{wire_1: {current: 1}, wire_2: {current: 1, phase: -120}, wire_3: {voltage: 0.001}}";
  const Settings frequencies{"problem.frequency={from: 50, to: 5.0e+5, points: 12}"};
  Settings reduced = frequencies;
  reduced.push_back("problem.sweep={method: reduced}");
  const Quantities each = run_wires(conductors, frequencies);
  const Quantities model = run_wires(conductors, reduced);
  int n_compared = 0;
  for (const auto& [name, value] : each) {
    INFO(name);
    const bool is_port = name.rfind("resistance.", 0) == 0 || name.rfind("inductance.", 0) == 0;
    if (is_port || name.rfind("losses.", 0) == 0) {
      CHECK(relative_error(model.at(name), value) < (is_port ? 1e-5 : 1e-4)); // fields have fewer digits
      ++n_compared;
    }
  }
  CHECK(n_compared > 100);
}

TEST_CASE("Fields at any frequency of a reduced model are those of a solution at it", "[regression][device]") {
  const auto probes = [](const Settings& frequency) {
    const TemporaryFolder folder;
    Settings settings{"output.fields=[]", "verification=", "solver.relative_tolerance=1e-11",
                      "output.probes={radius: {from: [0.01, 0.005], to: [0.05, 0.005], points: 5}}"};
    settings.insert(settings.end(), frequency.begin(), frequency.end());
    CHECK(run_case(input_file("cylinder-in-axial-field"), folder.file("out"), settings).exit_code == 0);
    return io::read_rows(folder.file("out") + "/radius.csv", 1 << 20);
  };
  const auto expected = probes({"problem.frequency=300"});
  const auto found =
      probes({"problem.frequency={from: 10, to: 1e4, points: 7, fields: 300}", "problem.sweep={method: reduced}"});
  REQUIRE(found.size() == expected.size());
  CHECK(found[0] == expected[0]);
  for (std::size_t row = 1; row < expected.size(); ++row)
    for (std::size_t column = 0; column < expected[row].size(); ++column) {
      INFO(expected[0][column]);
      const double value = std::strtod(expected[row][column].c_str(), nullptr);
      double largest = 0.;
      for (std::size_t r = 1; r < expected.size(); ++r)
        largest = std::max(largest, std::fabs(std::strtod(expected[r][column].c_str(), nullptr)));
      CHECK(std::fabs(std::strtod(found[row][column].c_str(), nullptr) - value) <= 1e-7 * largest);
    }
}

TEST_CASE("Reduced models refuse frequencies outside of their range, too many decades, and what changes with them",
          "[regression]") {
  const auto message_of = [](const Settings& settings) {
    try {
      run_cylinder(settings);
    } catch (const std::exception& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  const std::string several = "problem.frequency=[50, 100, 200]";
  CHECK_THAT(message_of({several, "problem.sweep={method: reduced, from: 60}"}),
             ContainsSubstring("the frequency 50 Hz is outside the range of the reduced model, 60 to 200 Hz"));
  CHECK_THAT(message_of({several, "problem.sweep={method: reduced, to: 150}"}),
             ContainsSubstring("the frequency 200 Hz is outside"));
  CHECK_THAT(message_of({"problem.sweep={method: reduced}"}), ContainsSubstring("needs at least two frequencies"));
  CHECK_THAT(message_of({several, "problem.sweep={method: reduce}"}), ContainsSubstring("must be direct or reduced"));
  CHECK_THAT(message_of({several, "problem.sweep={from: 10}"}), ContainsSubstring("is the range of a reduced model"));
  CHECK_THAT(message_of({several, "problem.sweep={method: reduced}", "problem.materials.domain.lag_angle=10"}),
             ContainsSubstring("'domain' has a lag_angle"));
  // Far too many decades for 12 frequencies, on a mesh that resolves them.
  CHECK_THAT(message_of({"mesh.box.cells=[400, 1]", "problem.frequency={from: 1.0e-3, to: 1.0e+15, points: 30}",
                         "problem.sweep={method: reduced}"}),
             ContainsSubstring("The reduced model of the frequencies differs from solutions"));
}

TEST_CASE("The networks of a netlist have the impedances in the table of frequencies", "[regression][device]") {
  using Complex = std::complex<double>;
  const TemporaryFolder folder;
  const driver::RunSummary summary =
      run_case(input_file("three-wires"), folder.file("out"),
               wires_with("{wire_1: {current: 1}, wire_2: {current: 0}, wire_3: {current: 0}}",
                          {"problem.frequency={from: 20, to: 2.0e+6, points: 26}", "output.netlist=true",
                           "mesh.size_factor=2"}));
  CHECK(summary.exit_code == 0);
  std::map<std::string, std::map<std::string, std::vector<std::pair<char, double>>>> networks; // by name and nodes
  std::ifstream file(folder.file("out/netlist.cir"));
  std::string line, name;
  while (std::getline(file, line)) {
    std::istringstream words(line);
    std::string first, from, to;
    double value = 0.;
    words >> first >> from >> to >> value;
    if (first == ".subckt")
      name = from;
    else if (first[0] == 'R' || first[0] == 'L') {
      CHECK(value > 0.);
      networks[name][from + " " + to].emplace_back(first[0], value);
    }
  }
  CHECK(networks.size() == 1); // the others have no current
  int n_compared = 0;
  for (const auto& [quantity, resistance] : summary.quantities) {
    if (quantity.rfind("resistance.", 0) != 0)
      continue;
    const std::size_t dot = quantity.find('.', 11);
    const double omega = 2. * 3.14159265358979323846 * std::stod(quantity.substr(dot + 1));
    const Complex expected(resistance, omega * summary.quantities.at("inductance" + quantity.substr(10)));
    Complex sum = 0.;
    for (const auto& [nodes, elements] : networks.at(quantity.substr(11, dot - 11))) {
      Complex admittance = 0.;
      for (const auto& [kind, value] : elements)
        admittance += 1. / (kind == 'R' ? Complex(value) : Complex(0., omega * value));
      sum += 1. / admittance;
    }
    INFO(quantity << ' ' << sum << ' ' << expected);
    CHECK(relative_error(sum.real(), expected.real()) < 1e-3);
    CHECK(relative_error(sum.imag(), expected.imag()) < 1e-3);
    ++n_compared;
  }
  CHECK(n_compared == 26);
}

TEST_CASE("The matrix of impedances gives the voltages, and is symmetric", "[regression][device]") {
  using Complex = std::complex<double>;
  constexpr double omega = 2. * 3.14159265358979323846 * 2000.;
  const auto with_matrix = [](const std::string& conductors, const std::string& coils) {
    return run_wires(conductors, {"output={fields: [], quantities: [impedance_matrix]}", "problem.coils=" + coils,
                                  "mesh.size_factor=2"});
  };
  const auto entry = [&](const Quantities& quantities, const std::string& row, const std::string& column) {
    const std::string end = "." + row + "." + column;
    return Complex(quantities.at("resistance" + end), omega * quantities.at("inductance" + end));
  };
  const auto voltage = [](const Quantities& quantities, const std::string& name) {
    return Complex(quantities.at("voltage_real." + name), quantities.at("voltage_imaginary." + name));
  };
  const std::vector<std::string> wires{"wire_1", "wire_2", "wire_3"};
  const std::vector<Complex> currents{1., std::polar(1., -2. * 3.14159265358979323846 / 3.), 0.};
  for (const bool has_coil : {false, true}) { // wire 3 as a coil of five turns without a current
    INFO(has_coil);
    const std::string two = "{wire_1: {current: 1}, wire_2: {current: 1, phase: -120}";
    const Quantities quantities = has_coil
                                      ? with_matrix(two + "}", "{wire_3: {regions: {wire_3: 1}, turns: 5, current: 0}}")
                                      : with_matrix(two + ", wire_3: {current: 0}}", "");
    for (const std::string& row : wires) {
      Complex sum = 0.;
      for (std::size_t j = 0; j < wires.size(); ++j) {
        sum += entry(quantities, row, wires[j]) * currents[j];
        CHECK(std::abs(entry(quantities, row, wires[j]) - entry(quantities, wires[j], row)) <
              1e-8 * std::abs(entry(quantities, row, row)));
      }
      CHECK(std::abs(sum - voltage(quantities, row)) < 1e-8 * std::abs(entry(quantities, row, row)));
    }
    CHECK(entry(quantities, "wire_1", "wire_1").real() > 0.);
  }
}

TEST_CASE("Conductors that a circuit connects in parallel are those of one conductor", "[regression][device]") {
  const Quantities one = run_wires("{pair: {regions: [wire_1, wire_2], current: 2}, wire_3: {current: -2}}");
  const Quantities two = run_wires("{wire_1: {}, wire_2: {}, wire_3: {}}",
                                   {"problem.circuit={source: {nodes: [b, a], current: 2}, wire_1: {nodes: [a, c]}, "
                                    "wire_2: {nodes: [a, c]}, wire_3: {nodes: [b, c]}}"});
  for (const char* part : {"voltage_real", "voltage_imaginary"}) {
    const std::string name = part;
    CHECK(relative_error(two.at(name + ".wire_1"), one.at(name + ".pair")) < 1e-7);
    CHECK(relative_error(two.at(name + ".wire_2"), one.at(name + ".pair")) < 1e-7);
    CHECK(relative_error(two.at(name + ".wire_3"), one.at(name + ".wire_3")) < 1e-7);
    CHECK(relative_error(two.at(name + ".source"), one.at(name + ".wire_3") - one.at(name + ".pair")) < 1e-7);
  }
  CHECK(std::fabs(two.at("current_real.wire_1") + two.at("current_real.wire_2") - 2.) < 1e-9);
  CHECK(relative_error(two.at("losses"), one.at("losses")) < 1e-7);
  CHECK(relative_error(two.at("losses_by_terminals"), two.at("losses")) < 1e-6);
}

TEST_CASE("A meshed conductor has the impedance of its surface if the skin is thin", "[regression][device]") {
  const TemporaryFolder folder;
  const auto run = [&](const Settings& more) { // a wire near its shield, whose skin depth is a twentieth of its radius
    Settings settings = {"output.fields=[]", "verification=", "problem.frequency=17500", "mesh.parameters.offset=5e-3"};
    settings.insert(settings.end(), more.begin(), more.end());
    return run_case(input_file("surface-impedance"), folder.file("out"), settings).quantities;
  };
  const Quantities surface = run({});
  const Quantities meshed =
      run({"mesh.parameters.meshed=1", "problem.materials.wire={relative_permeability: 1, conductivity: 5.8e7}",
           "problem.conductors={wire: {current: 1}}", "problem.boundaries={shield: {vector_potential: 0}}",
           "mesh.skin_elements=1"});
  const double ratio = meshed.at("resistance.wire") / surface.at("resistance.wire");
  CHECK(ratio > 1.);
  CHECK(ratio < 1.05);
  CHECK(relative_error(meshed.at("inductance.wire"), surface.at("inductance.wire")) < 2e-3);
  // The proximity of circles whose axes are e apart: coth(tau) with a = c / sinh(tau) of bipolar coordinates.
  const double axis = (0.0004 - 0.0001 - 0.000025) / (2. * 0.005); // (b^2 - a^2 - e^2) / (2 e)
  const double proximity = axis / std::sqrt(axis * axis - 0.0001);
  const double thin = run({"problem.frequency=1.75e6"}).at("resistance.wire");
  CHECK(relative_error(thin / 5.4929421815206264e-3, proximity) < 2e-3);
  CHECK(relative_error(surface.at("losses_by_terminals"), surface.at("losses")) < 1e-8);
  // A shield with the voltage 0 that is an impedance as well carries the current back.
  const Quantities both = run({"mesh.parameters.offset=0", "output.quantities=[losses]",
                               "problem.boundaries.shield={impedance: {conductivity: 1.45e7}}"});
  CHECK(relative_error(both.at("resistance.wire"), 5.49294218e-4 * (1. + 2. * 0.5)) < 1e-5); // sqrt(5.8/1.45), a/b
  CHECK(relative_error(both.at("losses.shield"), both.at("losses.surface")) < 1e-5);
  CHECK(relative_error(both.at("losses_by_terminals"), both.at("losses")) < 1e-7);
  // The voltage that results gives the current, and a matrix of impedances is that of currents.
  const Quantities by_voltage =
      run({"problem.conductors={wire: {boundaries: [surface], voltage: 1}}", "output.quantities=[impedance_matrix]"});
  for (const char* part : {"resistance", "inductance"}) {
    CHECK(relative_error(by_voltage.at(std::string(part) + ".wire"), surface.at(std::string(part) + ".wire")) < 1e-8);
    CHECK(relative_error(by_voltage.at(std::string(part) + ".wire.wire"), surface.at(std::string(part) + ".wire")) <
          1e-8);
  }
}

TEST_CASE("A note names impedance boundaries with a thick skin", "[regression]") {
  const TemporaryFolder folder;
  const auto n_notes = [&](const char* frequency) {
    run_case(input_file("surface-impedance"), folder.file("out"),
             {"output.fields=[]", "verification=", "problem.frequency=" + std::string(frequency)});
    const io::YamlNode report = io::read_yaml(folder.file("out") + "/report.yaml");
    const io::YamlNode* notes = report.find("notes");
    return notes == nullptr ? 0 : std::count_if(notes->items.begin(), notes->items.end(), [](const io::YamlNode& note) {
      return note.text.find("the skin depth behind 'surface'") != std::string::npos;
    });
  };
  CHECK(n_notes("17500") == 0);
  CHECK(n_notes("500") == 1);
}

TEST_CASE("Core losses by coefficients are those of the flux density", "[regression][device]") {
  // A solenoid of 10 kA/m around a core of 10 mm radius and 10 mm height: B is uniform.
  constexpr double pi = 3.14159265358979323846;
  const double b = 1.25663706212e-6 * 100. * 1e4, f = 400.;
  const auto losses = [&](const std::string& coefficients, const Settings& more = {}) {
    const TemporaryFolder folder;
    Settings settings{"problem.physics=eddy-currents",
                      "problem.frequency=400",
                      "problem.materials.core={relative_permeability: 100, core_losses: " + coefficients + "}",
                      "solver={relative_tolerance: 1e-10}",
                      "output={fields: [], quantities: [losses]}",
                      "verification="};
    settings.insert(settings.end(), more.begin(), more.end());
    const driver::RunSummary summary = run_case(input_file("saturated-core"), folder.file("out"), settings);
    CHECK(summary.exit_code == 0);
    CHECK(summary.quantities.at("losses") == 0.);
    return summary.quantities.at("core_losses.core");
  };
  const double volume = pi * 1e-4 * 0.01;
  const double expected = 2. * std::pow(f, 1.4) * std::pow(b, 2.3) * volume;
  CHECK(relative_error(losses("{k: 2, alpha: 1.4, beta: 2.3}"), expected) < 1e-5);
  const double sum = (30. * f * b * b + 0.04 * f * f * b * b + 0.5 * std::pow(f * b, 1.5)) * volume;
  CHECK(relative_error(losses("{hysteresis: 30, eddy: 0.04, excess: 0.5}"), sum) < 1e-5);
  const Settings rms{"problem.phasors=rms", "problem.coils.winding.current=" + text_of(std::sqrt(0.5))};
  CHECK(relative_error(losses("{k: 2, alpha: 1.4, beta: 2.3}", rms), expected) < 1e-5);
  const auto message_of = [&](const std::string& coefficients) {
    try {
      losses(coefficients);
    } catch (const std::exception& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  CHECK_THAT(message_of("{k: 2, alpha: 1.4}"), ContainsSubstring("the key 'beta' is missing"));
  CHECK_THAT(message_of("{k: 2, alpha: 1.4, beta: 2, eddy: 1}"),
             ContainsSubstring("does not go with k, alpha and beta"));
  CHECK_THAT(message_of("{k: -2, alpha: 1.4, beta: 2}"), ContainsSubstring("core_losses.k"));
  CHECK_THAT(message_of("{}"), ContainsSubstring("needs k, alpha and beta, or some of hysteresis, eddy and excess"));
  CHECK_THAT(message_of("{hysterisis: 1}"), ContainsSubstring("hysteresis"));
}

TEST_CASE("Rotors that turn have the torque and losses of TEAM 30a, by the frequencies of the slip", "[regression]") {
  // The currents of three phases are waves cos(omega t - n phi); in the rotor each has the frequency |f - n W/(2 pi)|.
  // A source J cos(n phi) is a wave in either direction with half of J: half the losses of one wave with J.
  const double pi = std::acos(-1.);
  const double density = 3.1e6 * std::sqrt(2.); // A/m^2
  const auto frequency_in_rotor = [&](int n, double speed) { return std::fabs(60. - n * speed / (2. * pi)); };
  const auto text_of = [](double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.6g", value);
    return std::string(text);
  };
  struct Speed {
    double speed, torque, losses, steel; // rad/s, N m, W, W: published
  };
  const std::vector<Speed> speeds{{200., 6.505013, 1179.541, 16.98615},
                                  {400., -3.89264, 120.0092, 1.383889},
                                  {1200., -2.24996, 1878.926, 12.01166}};
  std::vector<Speed> sums{{200., 0., 0., 0.}, {400., 0., 0., 0.}, {1200., 0., 0., 0.}};
  for (const int n : {1, -5, 7, -11, 13}) {
    const double amplitude = density * 6. * std::sin(std::abs(n) * pi / 8.) / (std::abs(n) * pi);
    const std::string source =
        text_of(amplitude) + "*cos(" + std::to_string(std::abs(n)) + "*atan2(y, x))"; // in all of the windings' ring
    std::string sources = "problem.sources={";
    for (const char* region : {"a_plus", "c_minus", "b_plus", "a_minus", "c_plus", "b_minus", "between"})
      sources += std::string(region) + ": {current_density: \"" + source + "\"}, ";
    sources += "}";
    std::string frequencies = "problem.frequency=[";
    for (std::size_t s = 0; s < speeds.size(); ++s)
      frequencies += (s == 0 ? "" : ", ") + text_of(frequency_in_rotor(n, speeds[s].speed));
    const TemporaryFolder folder;
    const driver::RunSummary summary =
        run_case(input_file("induction-motor"), folder.file("out"),
                 {"output.fields=[]", "verification=", "problem.coils=", "output.quantities=[losses]", sources,
                  frequencies + "]"});
    CHECK(summary.exit_code == 0);
    for (std::size_t s = 0; s < speeds.size(); ++s) {
      const std::string end = "." + text_of(frequency_in_rotor(n, speeds[s].speed)) + "Hz";
      const double losses = 2. * summary.quantities.at("losses" + end);
      sums[s].losses += losses;
      sums[s].steel += 2. * summary.quantities.at("losses.rotor_steel" + end);
      sums[s].torque += n * losses / (2. * pi * 60. - n * speeds[s].speed); // the wave turns with omega/n
    }
  }
  for (std::size_t s = 0; s < speeds.size(); ++s) {
    INFO(speeds[s].speed << " rad/s: " << sums[s].torque << " N m, " << sums[s].losses << " W");
    CHECK(relative_error(sums[s].torque, speeds[s].torque) < 1e-4);
    CHECK(relative_error(sums[s].losses, speeds[s].losses) < 1e-4);
    CHECK(relative_error(sums[s].steel, speeds[s].steel) < 1e-4);
  }
}

TEST_CASE("Eddy currents in one pole of a machine are a quarter of those in four", "[regression][device]") {
  const auto quantities_of = [](const char* name) {
    const TemporaryFolder folder;
    const driver::RunSummary summary =
        run_case(TESSERA_SOURCE_DIR "/inputs/antiperiodic-pole/" + std::string(name) + ".yaml", folder.file("out"),
                 {"problem.physics=eddy-currents", "problem.frequency=50", "output.fields=[]", "output.probes={}",
                  "verification=", "solver={relative_tolerance: 1e-12}", "output.quantities=[losses, energy]",
                  "problem.materials={rotor: {relative_permeability: 500, conductivity: 5e6}, stator: "
                  "{relative_permeability: 1000}, air: {relative_permeability: 1}, \"magnet_*\": "
                  "{relative_permeability: 1.05, conductivity: 6e5}, \"slot_*\": {relative_permeability: 1}}"});
    CHECK(summary.exit_code == 0);
    return summary.quantities;
  };
  const Quantities pole = quantities_of("antiperiodic-pole");
  const Quantities machine = quantities_of("antiperiodic-pole-full");
  for (const char* name : {"losses", "losses_by_terminals", "energy", "losses.rotor"})
    CHECK(relative_error(machine.at(name), 4. * pole.at(name)) < 1e-9);
}

TEST_CASE("A single phase at rest has the losses of TEAM 30a and no torque", "[regression]") {
  const TemporaryFolder folder;
  const driver::RunSummary summary =
      run_case(input_file("induction-motor"), folder.file("out"),
               {"output.fields=[]", "verification=", "problem.coils.b.current=0", "problem.coils.c.current=0"});
  CHECK(summary.exit_code == 0);
  CHECK(relative_error(summary.quantities.at("losses"), 341.7676) < 1e-4);
  CHECK(relative_error(summary.quantities.at("losses.rotor_steel"), 3.944175) < 1e-4);
  CHECK(std::fabs(summary.quantities.at("torque.rotor.z")) < 1e-6);
}

TEST_CASE("The magnetomotive force around a wire is its current", "[regression][device]") {
  const Quantities quantities =
      run_wires("{wire_1: {current: 1, phase: 90}, wire_2: {current: -1, phase: 90}, wire_3: {current: 0}}",
                {"output={fields: [], lines: {around: {points: [[0.006, -0.004], [0.014, -0.004], [0.014, 0.004], "
                 "[0.006, 0.004], [0.006, -0.004]]}}}"});
  CHECK(relative_error(quantities.at("magnetomotive_force_imaginary.around"), 1.) < 1e-3); // H of elements of order 2
  CHECK(std::fabs(quantities.at("magnetomotive_force_real.around")) < 1e-3);
  CHECK(std::fabs(quantities.at("magnetomotive_force_phase.around") - 90.) < 0.1);
}

TEST_CASE("Forces at a low frequency are half those of constant currents, on average and at twice the frequency",
          "[regression][device]") {
  const std::string output = "output={fields: [], quantities: [force], bodies: {wire_1: {}}}";
  const Quantities harmonic = run_wires("{wire_1: {current: 10}, wire_2: {current: -10}, wire_3: {current: 0}}",
                                        {"problem.frequency=0.1", output});
  const TemporaryFolder folder;
  const Quantities constant =
      run_case(input_file("three-wires"), folder.file("out"),
               {"problem.physics=magnetostatics",
                "problem.materials={air: {relative_permeability: 1}, wire_*: {relative_permeability: 1}}",
                "problem.boundaries={shield: {vector_potential: 0}}",
                "problem.coils={a: {regions: {wire_1: 1, wire_2: -1}, turns: 1, current: 10}}",
                "discretization={order: 2}", "solver={relative_tolerance: 1e-11}", output, "verification="})
          .quantities;
  for (const char* end : {".wire_1.x", ".wire_1.y"})
    for (const char* part : {"force", "force_amplitude"}) {
      INFO(part << end);
      CHECK(std::fabs(harmonic.at(part + std::string(end))) -
                0.5 * std::fabs(constant.at("force" + std::string(end))) ==
            Catch::Approx(0.).margin(1e-6 * std::fabs(constant.at("force.wire_1.x"))));
    }
  CHECK(std::fabs(constant.at("force.wire_1.x")) > 1e-5);
}
#endif

} // namespace tessera::test
