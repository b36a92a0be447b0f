// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/harmonic/circuits/circuit.hpp"

#include "core/assert.hpp"
#include "core/error.hpp"
#include "driver/harmonic/harmonic_quantities.hpp"
#include "solvers/harmonic/small_systems.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

namespace tessera::driver {

namespace {

using Complex = std::complex<double>;
using Kind = io::CircuitElement::Kind;

constexpr std::size_t no_unknown = std::numeric_limits<std::size_t>::max();

/// Linear function of the unknowns.
struct Affine {
  std::vector<std::pair<std::size_t, Complex>> terms;
  Complex constant;

  Complex at(const std::vector<Complex>& x) const {
    Complex sum = constant;
    for (const auto& [i, factor] : terms)
      sum += factor * x[i];
    return sum;
  }
};

/// Modified nodal analysis: the unknowns are what drives the terminals that are not in the sources, the potentials of
/// nodes, and the currents of voltage sources. One node of each connected part of the circuit has the potential 0.
class CircuitSystem {
public:
  CircuitSystem(const std::vector<Terminal>& terminals, const FieldResponse& field,
                const std::vector<io::CircuitElement>& circuit, double omega)
      : terminals_(terminals), field_(field), circuit_(circuit), omega_(omega),
        drive_of_(terminals.size(), no_unknown) {
    for (const std::size_t k : field.driven)
      if (!terminals[k].is_in_sources())
        drive_of_[k] = n_++;
    number_nodes();
    for (std::size_t e = 0; e < circuit.size(); ++e)
      source_of_.push_back(circuit[e].kind == Kind::voltage_source ? n_++ : no_unknown);
    const std::size_t n = has_conjugates() ? 2 * n_ : n_;
    a_.assign(n, std::vector<Complex>(n));
    b_.assign(n, std::vector<Complex>(1));
    balances_.resize(node_of_.size());
  }

  std::vector<Complex> solve() {
    std::size_t row = 0;
    for (std::size_t k = 0; k < terminals_.size(); ++k)
      if (drive_of_[k] != no_unknown && terminals_[k].given != Terminal::Given::circuit)
        add(row++, response_of(k), 1., -terminals_[k].value);
    for (std::size_t e = 0; e < circuit_.size(); ++e) {
      const io::CircuitElement& element = circuit_[e];
      if (element.kind == Kind::voltage_source || element.kind == Kind::terminal) { // its voltage is that of its nodes
        add(row, voltage_between(element), 1., 0.);
        if (element.kind == Kind::terminal)
          add(row++, voltage_of(terminal_of(element)), -1., 0.);
        else
          add(row++, {}, 1., -phasor(element.value, element.phase));
      }
      const Affine current = current_of(e);
      for (const std::size_t end : {0, 1}) {
        const std::size_t node = unknown_of(element.nodes[end]);
        if (node != no_unknown)
          balances_[balance_of_.at(element.nodes[end])].emplace_back(current, end == 0 ? 1. : -1.);
      }
    }
    for (const auto& balance : balances_) {
      if (balance.empty()) // of a node with the potential 0
        continue;
      for (const auto& [current, sign] : balance)
        add(row, current, sign, 0.);
      ++row;
    }
    TESSERA_ASSERT(row == n_);
    for (std::size_t i = n_; i < b_.size(); ++i) { // the conjugate equations
      b_[i][0] = std::conj(b_[i - n_][0]);
      for (std::size_t j = 0; j < n_; ++j) {
        a_[i][j] = std::conj(a_[i - n_][n_ + j]);
        a_[i][n_ + j] = std::conj(a_[i - n_][j]);
      }
    }
    const solvers::SmallComplex x = solvers::solved(a_, b_);
    TESSERA_REQUIRE_KIND(x.size() == b_.size(), ErrorKind::numerical,
                         "The voltages and currents of conductors, coils and circuit do not follow from what is given: "
                         "the matrix of impedances is singular.");
    std::vector<Complex> values;
    for (const auto& entry : x)
      values.push_back(entry[0]);
    return values;
  }

  Affine voltage_of(std::size_t terminal) const {
    return terminals_[terminal].drive == Terminal::Drive::current ? response_of(terminal) : drive(terminal);
  }
  Affine current_of_terminal(std::size_t terminal) const {
    return terminals_[terminal].drive == Terminal::Drive::current ? drive(terminal) : response_of(terminal);
  }
  Affine voltage_between(const io::CircuitElement& element) const {
    Affine voltage;
    for (const std::size_t end : {0, 1})
      if (unknown_of(element.nodes[end]) != no_unknown)
        voltage.terms.emplace_back(unknown_of(element.nodes[end]), end == 0 ? 1. : -1.);
    return voltage;
  }
  /// From the first node through the element to the second.
  Affine current_of(std::size_t e) const {
    const io::CircuitElement& element = circuit_[e];
    switch (element.kind) {
    case Kind::voltage_source:
      return {{{source_of_[e], 1.}}, 0.};
    case Kind::current_source:
      return {{}, phasor(element.value, element.phase)};
    case Kind::terminal:
      return current_of_terminal(terminal_of(element));
    case Kind::resistance:
    case Kind::inductance:
    case Kind::capacitance:
      break;
    }
    Complex admittance = 1. / element.value;
    if (element.kind == Kind::inductance)
      admittance = 1. / Complex(0., omega_ * element.value);
    if (element.kind == Kind::capacitance)
      admittance = Complex(0., omega_ * element.value);
    Affine current = voltage_between(element);
    for (auto& term : current.terms)
      term.second *= admittance;
    return current;
  }

private:
  /// The unknowns are followed by their complex conjugates then.
  bool has_conjugates() const { return !field_.of_conjugate.empty(); }

  /// Numbers the potentials of all nodes but the first of each connected part.
  void number_nodes() {
    std::map<std::string, std::string> part; // of each node, by one of its nodes
    for (const io::CircuitElement& element : circuit_)
      for (const std::string& node : element.nodes)
        part.emplace(node, node);
    for (const io::CircuitElement& element : circuit_) {
      const std::string from = part.at(element.nodes[0]);
      const std::string to = part.at(element.nodes[1]);
      for (auto& entry : part)
        if (entry.second == from)
          entry.second = to;
    }
    for (const auto& [node, name] : part) {
      balance_of_.emplace(node, balance_of_.size());
      node_of_.emplace(node, node == name ? no_unknown : n_++);
    }
  }
  std::size_t unknown_of(const std::string& node) const { return node_of_.at(node); }

  std::size_t terminal_of(const io::CircuitElement& element) const {
    const auto found = std::find_if(terminals_.begin(), terminals_.end(),
                                    [&](const Terminal& terminal) { return terminal.name == element.name.name; });
    TESSERA_ASSERT(found != terminals_.end()); // the input is checked
    return static_cast<std::size_t>(found - terminals_.begin());
  }

  /// What drives the terminal.
  Affine drive(std::size_t terminal) const {
    if (drive_of_[terminal] == no_unknown)
      return {{}, terminals_[terminal].value};
    return {{{drive_of_[terminal], 1.}}, 0.};
  }
  /// What the field gives for it.
  Affine response_of(std::size_t terminal) const {
    Affine response{{}, field_.of_sources[terminal]};
    const std::size_t m = field_.driven.size();
    for (std::size_t j = 0; j < m; ++j)
      if (drive_of_[field_.driven[j]] != no_unknown) {
        response.terms.emplace_back(drive_of_[field_.driven[j]], field_.response[terminal * m + j]);
        if (has_conjugates())
          response.terms.emplace_back(n_ + drive_of_[field_.driven[j]], field_.of_conjugate[terminal * m + j]);
      }
    return response;
  }

  /// Adds a multiple of a function and a constant to an equation, whose sum is zero.
  void add(std::size_t row, const Affine& function, Complex factor, Complex constant) {
    for (const auto& [i, value] : function.terms)
      a_[row][i] += factor * value;
    b_[row][0] -= factor * function.constant + constant;
  }

  const std::vector<Terminal>& terminals_;
  const FieldResponse& field_;
  const std::vector<io::CircuitElement>& circuit_;
  double omega_;
  std::size_t n_ = 0;                          // unknowns
  std::vector<std::size_t> drive_of_;          // unknown of each terminal
  std::map<std::string, std::size_t> node_of_; // unknown of each node
  std::map<std::string, std::size_t> balance_of_;
  std::vector<std::size_t> source_of_; // unknown of each element
  std::vector<std::vector<std::pair<Affine, Complex>>> balances_;
  solvers::SmallComplex a_, b_;
};

} // namespace

std::array<CircuitState, 2> solve_circuit(const std::vector<Terminal>& terminals, const FieldResponse& field,
                                          const std::vector<io::CircuitElement>& circuit, double omega) {
  CircuitSystem system(terminals, field, circuit, omega);
  const std::vector<Complex> x = system.solve();
  std::array<CircuitState, 2> states;
  for (std::size_t k = 0; k < terminals.size(); ++k) {
    states[0].voltage.push_back(system.voltage_of(k).at(x));
    states[0].current.push_back(system.current_of_terminal(k).at(x));
  }
  for (std::size_t e = 0; e < circuit.size(); ++e) {
    states[1].voltage.push_back(system.voltage_between(circuit[e]).at(x));
    states[1].current.push_back(system.current_of(e).at(x));
  }
  return states;
}

} // namespace tessera::driver
