// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_HARMONIC_CIRCUITS_CIRCUIT_HPP
#define TESSERA_DRIVER_HARMONIC_CIRCUITS_CIRCUIT_HPP

#include "io/input/case.hpp"

#include <array>
#include <complex>
#include <string>
#include <vector>

namespace tessera::driver {

/// Solid conductor or coil of a field. With a current I of each terminal that has `drive`, and a
/// voltage V of the others, the field gives V of the former and I of the latter.
struct Terminal {
  enum class Drive { current, voltage };
  enum class Given { current, voltage, circuit };
  std::string name;
  Drive drive = Drive::current;
  Given given = Given::current;
  std::complex<double> value; ///< V or A, as given

  /// Whether the field's solution with the sources has the value already.
  bool is_in_sources() const { return drive == Drive::current ? given == Given::current : given == Given::voltage; }
};

/// Voltage and current of terminals or of elements of a circuit.
struct CircuitState {
  std::vector<std::complex<double>> voltage; ///< V
  std::vector<std::complex<double>> current; ///< A
};

/// What the field gives: for each terminal `of_sources`, and `response` to 1 A or 1 V of each of the m terminals in
/// `driven`, [n * m] row by row. `driven` contains all terminals but those with is_in_sources().
struct FieldResponse {
  std::vector<std::size_t> driven;
  std::vector<std::complex<double>> of_sources;
  std::vector<std::complex<double>> response;
  std::vector<std::complex<double>> of_conjugate{}; ///< likewise to the complex conjugate of the value; empty: none
};

/// Finds voltages and currents of the terminals, then of the elements of the circuit, in its order. Throws an Error of
/// kind numerical if they are not determined: the matrix is singular.
std::array<CircuitState, 2> solve_circuit(const std::vector<Terminal>& terminals, const FieldResponse& field,
                                          const std::vector<io::CircuitElement>& circuit, double omega);

} // namespace tessera::driver

#endif
