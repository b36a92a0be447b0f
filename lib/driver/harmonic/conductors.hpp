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

/// Finds what is not given from the voltages V = Z I + V_0, where I is zero in conductors of given currents:
/// `impedance` is Z, Ohm, [n * m] row by row with a column for each of the m conductors in `driven`, among which are
/// those of given voltages; `induced` V_0, with the given currents. Throws an Error of kind numerical if the currents
/// are not determined.
ConductorState solve_conductors(const std::vector<io::SolidConductor>& conductors,
                                const std::vector<std::size_t>& driven,
                                const std::vector<std::complex<double>>& impedance,
                                const std::vector<std::complex<double>>& induced);

} // namespace tessera::driver

#endif
