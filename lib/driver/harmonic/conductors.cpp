// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/harmonic/conductors.hpp"

#include "core/error.hpp"
#include "driver/harmonic/harmonic_quantities.hpp"
#include "solvers/harmonic/small_systems.hpp"

#include <utility>

namespace tessera::driver {

namespace {

using Complex = std::complex<double>;

} // namespace

ConductorState solve_conductors(const std::vector<io::SolidConductor>& conductors,
                                const std::vector<std::size_t>& driven, const std::vector<Complex>& impedance,
                                const std::vector<Complex>& induced) {
  const std::size_t n = conductors.size();
  const std::size_t m = driven.size();
  std::vector<std::size_t> unknown; // columns of conductors of given voltage
  for (std::size_t j = 0; j < m; ++j)
    if (conductors[driven[j]].has_voltage)
      unknown.push_back(j);
  solvers::SmallComplex a(unknown.size(), std::vector<Complex>(unknown.size()));
  solvers::SmallComplex b(unknown.size(), std::vector<Complex>(1));
  for (std::size_t i = 0; i < unknown.size(); ++i) {
    const std::size_t k = driven[unknown[i]];
    b[i][0] = phasor(conductors[k].value, conductors[k].phase) - induced[k];
    for (std::size_t j = 0; j < unknown.size(); ++j)
      a[i][j] = impedance[k * m + unknown[j]];
  }
  const solvers::SmallComplex currents = solvers::solved(std::move(a), std::move(b));
  TESSERA_REQUIRE_KIND(currents.size() == unknown.size(), ErrorKind::numerical,
                       "The currents of the solid conductors do not follow from their voltages: the matrix of "
                       "impedances is singular.");
  ConductorState state{induced, std::vector<Complex>(n)};
  for (std::size_t k = 0; k < n; ++k)
    if (!conductors[k].has_voltage)
      state.current[k] = phasor(conductors[k].value, conductors[k].phase);
  for (std::size_t i = 0; i < unknown.size(); ++i) {
    state.current[driven[unknown[i]]] = currents[i][0];
    for (std::size_t k = 0; k < n; ++k)
      state.voltage[k] += impedance[k * m + unknown[i]] * currents[i][0];
  }
  for (const std::size_t j : unknown)
    state.voltage[driven[j]] = phasor(conductors[driven[j]].value, conductors[driven[j]].phase);
  return state;
}

} // namespace tessera::driver
