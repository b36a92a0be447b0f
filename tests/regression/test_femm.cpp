// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "io/femm/femm_import.hpp"
#include "support/femm_text.hpp"
#include "support/is_near.hpp"
#include "support/quantities.hpp"

#include <catch2/catch_test_macros.hpp>

#include <cmath>
#include <complex>
#include <map>
#include <string>

namespace tessera::test {

#if TESSERA_HAVE_GMSH

namespace {

const double pi = std::acos(-1.);
constexpr double eps0 = 8.8541878128e-12;
constexpr double mu0 = 1.25663706212e-6;

/// The quantities of a problem file after its import.
std::map<std::string, double> run_femm(const std::string& file, const Settings& settings = {}) {
  const TemporaryFolder folder;
  const io::FemmImport imported = io::import_femm(file, "a");
  folder.write("a.geo", imported.geometry);
  return run(folder.write("a.yaml", imported.input), settings);
}

std::map<std::string, double> run_femm(const std::string& ending, const FemmText& text) {
  const TemporaryFolder folder;
  return run_femm(folder.write("a." + ending, text.text()));
}

std::string femm_input(const std::string& name) { return TESSERA_SOURCE_DIR "/inputs/femm/" + name; }

/// A disc of radius 4 mm with the wires +1 A at x = 2 mm and -1 A at x = -2 mm, A = 0 at its edge; or its right half.
FemmText two_wires(bool is_half) {
  FemmText text;
  text.boundary("edge", {{"BdryType", "0"}});
  text.boundary("cut", {{"BdryType", "5"}});
  text.material("Air", {{"Mu_x", "1"}, {"Mu_y", "1"}});
  text.circuit("line", {{"TotalAmps_re", "1"}, {"CircuitType", "1"}});
  text.points = {"0 -4 0 0", "0 4 0 0", "0 0 0 0", "1.5 0 0 0", "2.5 0 0 0"};
  text.segments.clear();
  text.arcs = {"0 1 180 2 1 0 0", "3 4 180 10 0 0 0", "4 3 180 10 0 0 0"};
  text.labels = {"1 1 1 0.15 0 0 0 1 0", "2 0 1 0.1 1 0 0 1 0"};
  if (is_half) {
    text.segments = {"0 2 0.15 2 0 0", "2 1 0.15 2 0 0"};
  } else {
    text.points.insert(text.points.end(), {"-1.5 0 0 0", "-2.5 0 0 0"});
    text.arcs.insert(text.arcs.end(), {"1 0 180 2 1 0 0", "5 6 180 10 0 0 0", "6 5 180 10 0 0 0"});
    text.labels.emplace_back("-2 0 1 0.1 1 0 0 -1 0");
  }
  return text;
}

} // namespace

TEST_CASE("problems of FEMM have their exact values after the import", "[regression]") {
  const auto cable = run_femm(femm_input("cable.fee"));
  CHECK(is_near(cable.at("charge.core"), 2. * pi * eps0 * 2.25 / std::log(3.), 2e-3));
  CHECK(is_near(run_femm(femm_input("bar.feh")).at("heat_flow.hot_end"), 0.2, 1e-8));
  CHECK(is_near(run_femm(femm_input("half-ring.fec")).at("potential.clamp"),
                100. * pi / (58e6 * 0.00635 * std::log(2.)), 1e-3));
  const double a = 5., b = 15., c = 17., ring = c * c - b * b;
  const double shell = std::pow(c * c / ring, 2) * std::log(c / b) - (3. * c * c - b * b) / (4. * ring);
  CHECK(is_near(run_femm(femm_input("coax.fem")).at("flux_linkage.line"),
                10. * mu0 / (2. * pi) * (std::log(b / a) + 0.25 + shell), 2e-3));
}

TEST_CASE("a round wire of FEMM at a frequency has the resistance of skin effect", "[regression]") {
  FemmText text = wire_in_air(); // radius 1 mm, 10 mm long; a circle of radius 2 mm around it keeps the field round
  text.head += "[Frequency] = 20000\n";
  text.points = {"-2 0 0 0", "2 0 0 0", "-1 0 0 0", "1 0 0 0"};
  text.segments.clear();
  text.arcs = {"0 1 180 4 1 0 0", "1 0 180 4 1 0 0", "2 3 180 3 0 0 0", "3 2 180 3 0 0 0"};
  text.labels = {"0 1.5 1 -1 0 0 0 1 0", "0 0 2 0.04 1 0 0 1 0"};
  const double sigma = 58e6, radius = 1e-3, depth = 0.01, f = 20000.;
  const std::complex<double> k = std::sqrt(std::complex<double>(0., 2. * pi * f * mu0 * sigma));
  const std::complex<double> square = 0.25 * k * k * radius * radius;
  std::complex<double> i0 = 0., i1 = 0., term = 1.; // Bessel functions of k radius; term is square^n/(n!)^2
  for (int n = 0; n < 40; ++n) {
    i0 += term;
    i1 += term * 0.5 * k * radius / (n + 1.);
    term *= square / ((n + 1.) * (n + 1.));
  }
  const double exact = (depth * k * i0 / (2. * pi * radius * sigma * i1)).real();
  CHECK(exact > 1.3 * depth / (sigma * pi * radius * radius));
  CHECK(is_near(run_femm("fem", text).at("resistance.wire"), exact, 5e-3));
}

TEST_CASE("an antiperiodic half of a problem of FEMM has half the flux of the whole", "[regression]") {
  const double whole = run_femm("fem", two_wires(false)).at("flux_linkage.line");
  CHECK(is_near(2. * run_femm("fem", two_wires(true)).at("flux_linkage.line"), whole, 3e-3));
}

TEST_CASE("the mapped outer region of an axisymmetric problem of FEMM is that of infinite space", "[regression]") {
  FemmText text; // a sphere of radius 1 mm, inside one of radius 3 mm whose outer space, up to 18 mm, is a second one
  text.is_magnetics = false;
  text.head = "[LengthUnits] = millimeters\n[ProblemType] = axisymmetric\n[extZo] = 7\n[extRo] = 3\n[extRi] = 3\n";
  text.boundary("joint", {{"BdryType", "3"}});
  text.material("Air", {{"ex", "1"}, {"ey", "1"}});
  text.circuit("sphere", {{"ConductorType", "1"}, {"Vc", "1"}});
  text.circuit("far", {{"ConductorType", "1"}, {"Vc", "0"}});
  text.points = {"0 -1 0 0", "0 1 0 0", "0 -3 0 0", "0 3 0 0", "0 4 0 0", "0 10 0 0", "0 6.5 0 0", "0 7.5 0 0"};
  text.segments = {"2 0 -1 0 0 0 0", "1 3 -1 0 0 0 0", "4 6 -1 0 0 0 0", "7 5 -1 0 0 0 0"};
  text.arcs = {"0 1 180 3 0 0 0 1", "2 3 180 3 1 0 0 0", "4 5 180 3 1 0 0 0", "6 7 180 6 0 0 0 2"};
  text.labels = {"2 0 1 0.1 0 0", "2 7 1 0.1 0 1"};
  CHECK(is_near(run_femm("fee", text).at("charge.sphere"), 4. * pi * eps0 * 1e-3 / (1. - 1. / 18.), 3e-3));
}

#endif

} // namespace tessera::test
