// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_HARMONIC_CONDUCTORS_HPP
#define TESSERA_DRIVER_HARMONIC_CONDUCTORS_HPP

#include "io/input/case.hpp"

#include <complex>
#include <vector>

namespace tessera::driver {

/// Magnitude and phase in degrees as a complex number.
std::complex<double> phasor(double magnitude, double degrees);

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

} // namespace tessera::driver

#endif
