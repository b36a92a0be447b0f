// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/error.hpp"
#include "driver/harmonic/circuits/circuit.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <cmath>

using namespace tessera;
using Catch::Matchers::ContainsSubstring;
using Complex = std::complex<double>;

namespace {

using Kind = io::CircuitElement::Kind;
using Drive = driver::Terminal::Drive;
using Given = driver::Terminal::Given;

io::CircuitElement element(const std::string& name, const std::string& from, const std::string& to,
                           Kind kind = Kind::terminal, double value = 0.) {
  io::CircuitElement element;
  element.name.name = name;
  element.kind = kind;
  element.nodes = {from, to};
  element.value = value;
  return element;
}

bool are_equal(Complex a, Complex b) { return std::abs(a - b) < 1e-12 * (1. + std::abs(b)); }

constexpr double omega = 100.;

} // namespace

TEST_CASE("Currents follow from given voltages", "[driver]") {
  const driver::Terminal terminal{"a", Drive::current, Given::voltage, 1.};
  const auto states = driver::solve_circuit({terminal}, {{0}, {0.5}, {2.}}, {}, omega);
  CHECK(states[0].current.at(0) == 0.25);
  CHECK(states[0].voltage.at(0) == 1.);
  CHECK_THROWS_WITH(driver::solve_circuit({terminal, terminal}, {{0, 1}, {0., 0.}, {1., 1., 1., 1.}}, {}, omega),
                    ContainsSubstring("the matrix of impedances is singular"));
}

TEST_CASE("A series resonance leaves the resistance to the source", "[driver]") {
  const Complex coil(0., omega * 0.5); // 0.5 H
  const std::vector<io::CircuitElement> circuit{
      element("source", "in", "ground", Kind::voltage_source, 10.), element("r", "in", "a", Kind::resistance, 4.),
      element("c", "a", "b", Kind::capacitance, 1. / (omega * omega * 0.8)),
      element("l", "b", "c", Kind::inductance, 0.3), element("coil", "c", "ground")};
  const auto states =
      driver::solve_circuit({{"coil", Drive::current, Given::circuit, 0.}}, {{0}, {0.}, {coil}}, circuit, omega);
  CHECK(are_equal(states[0].current.at(0), 2.5));
  CHECK(are_equal(states[0].voltage.at(0), 2.5 * coil));
  CHECK(are_equal(states[1].current.at(0), -2.5));
  CHECK(are_equal(states[1].voltage.at(0), 10.));
  CHECK(are_equal(states[1].voltage.at(2), Complex(0., -2.5 * omega * 0.8)));
}

TEST_CASE("The current of a terminal follows from a response to its conjugate as well", "[driver]") {
  const Complex z(3., 1.), of_conjugate(0.5, -0.7), resistance(2., 0.), source(4., 0.);
  const std::vector<io::CircuitElement> circuit{element("source", "in", "ground", Kind::voltage_source, 4.),
                                                element("r", "in", "a", Kind::resistance, 2.),
                                                element("coil", "a", "ground")};
  const auto states = driver::solve_circuit({{"coil", Drive::current, Given::circuit, 0.}},
                                            {{0}, {1.}, {z}, {of_conjugate}}, circuit, omega);
  const Complex i = states[0].current.at(0);
  CHECK(are_equal(states[0].voltage.at(0), 1. + z * i + of_conjugate * std::conj(i)));
  CHECK(are_equal(states[0].voltage.at(0) + resistance * i, source));
  CHECK(are_equal(states[1].current.at(1), i));
}

TEST_CASE("The current of a source divides between parallel terminals of either kind", "[driver]") {
  const std::vector<Complex> z{{3., 1.}, {0.5, 0.2}, {0.5, 0.2}, {2., 2.}}; // Ohm, row by row
  const std::vector<io::CircuitElement> circuit{element("source", "0", "1", Kind::current_source, 6.),
                                                element("a", "1", "0"), element("b", "1", "0")};
  const Complex share = (z[3] - z[1]) / (z[0] + z[3] - z[1] - z[2]);
  const auto by_currents =
      driver::solve_circuit({{"a", Drive::current, Given::circuit, 0.}, {"b", Drive::current, Given::circuit, 0.}},
                            {{0, 1}, {0., 0.}, z}, circuit, omega);
  CHECK(are_equal(by_currents[0].current.at(0), 6. * share));
  CHECK(are_equal(by_currents[0].current.at(1), 6. * (1. - share)));
  CHECK(are_equal(by_currents[0].voltage.at(0), by_currents[0].voltage.at(1)));
  // b as a boundary with an impedance: V_a = z_aa I_a + z_ab I_b, I_b = (V_b - z_ba I_a) / z_bb.
  const std::vector<Complex> hybrid{z[0] - z[1] * z[2] / z[3], z[1] / z[3], -z[2] / z[3], 1. / z[3]};
  const auto mixed =
      driver::solve_circuit({{"a", Drive::current, Given::circuit, 0.}, {"b", Drive::voltage, Given::circuit, 0.}},
                            {{0, 1}, {0., 0.}, hybrid}, circuit, omega);
  for (const std::size_t k : {0, 1}) {
    CHECK(are_equal(mixed[0].current.at(k), by_currents[0].current.at(k)));
    CHECK(are_equal(mixed[0].voltage.at(k), by_currents[0].voltage.at(k)));
  }
  CHECK(are_equal(mixed[1].voltage.at(0), -mixed[0].voltage.at(0)));
}
