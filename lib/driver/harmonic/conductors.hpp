// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_HARMONIC_CONDUCTORS_HPP
#define TESSERA_DRIVER_HARMONIC_CONDUCTORS_HPP

#include "io/input/case.hpp"

#include <complex>
#include <vector>

namespace tessera::driver {

/// Voltages and currents of the solid conductors.
struct ConductorState {
  std::vector<std::complex<double>> voltage; ///< V
  std::vector<std::complex<double>> current; ///< A
};

/// Finds what is not given from the currents I = Y V + I_0: `admittance` is Y, S, [n * n] row by row, `induced` I_0,
/// the currents at zero voltages. Throws an Error of kind numerical if the voltages are not determined.
ConductorState solve_conductors(const std::vector<io::SolidConductor>& conductors,
                                const std::vector<std::complex<double>>& admittance,
                                const std::vector<std::complex<double>>& induced);

/// Results at 1 V at each of n conductors, and at 1 A in each of m coils with all conductors at 0 V.
struct TerminalResponse {
  std::vector<std::complex<double>> admittance; ///< currents of the conductors at these voltages, S, [n][n]
  std::vector<std::complex<double>> induced;    ///< and at these currents, [n][m]
  std::vector<std::complex<double>> linkage;    ///< flux linkages of the coils at the voltages, Wb, [m][n]
  std::vector<std::complex<double>> coupling;   ///< and at the currents, H, [m][m]
};

/// Matrix of impedances, Ohm, [n + m][n + m] row by row: voltages of conductors, then of coils without the resistance
/// of their wires, for 1 A in one of them and none in the others. Throws an Error of kind numerical if voltages of
/// conductors are not determined by their currents.
std::vector<std::complex<double>> impedances(double omega, std::size_t n, std::size_t m,
                                             const TerminalResponse& response);

} // namespace tessera::driver

#endif
