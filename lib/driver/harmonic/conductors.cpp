// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/harmonic/conductors.hpp"

#include "core/error.hpp"
#include "solvers/harmonic/small_systems.hpp"

#include <cmath>
#include <utility>

namespace tessera::driver {

namespace {

using Complex = std::complex<double>;

} // namespace

std::complex<double> phasor(double magnitude, double degrees) {
  constexpr double pi = 3.14159265358979323846;
  const double angle = degrees * pi / 180.;
  return {magnitude * std::cos(angle) + 0., magnitude * std::sin(angle) + 0.}; // not -0
}

ConductorState solve_conductors(const std::vector<io::SolidConductor>& conductors,
                                const std::vector<Complex>& admittance, const std::vector<Complex>& induced) {
  const std::size_t n = conductors.size();
  ConductorState state{std::vector<Complex>(n), std::vector<Complex>(n)};
  std::vector<std::size_t> unknown; // conductors of given current
  for (std::size_t k = 0; k < n; ++k)
    if (conductors[k].has_voltage)
      state.voltage[k] = phasor(conductors[k].value, conductors[k].phase);
    else
      unknown.push_back(k);
  const std::size_t m = unknown.size();
  solvers::SmallComplex a(m, std::vector<Complex>(m));
  solvers::SmallComplex b(m, std::vector<Complex>(1));
  for (std::size_t i = 0; i < m; ++i) {
    const std::size_t k = unknown[i];
    b[i][0] = phasor(conductors[k].value, conductors[k].phase) - induced[k];
    for (std::size_t l = 0; l < n; ++l)
      b[i][0] -= admittance[k * n + l] * state.voltage[l]; // zero for unknown ones
    for (std::size_t j = 0; j < m; ++j)
      a[i][j] = admittance[k * n + unknown[j]];
  }
  const solvers::SmallComplex voltages = solvers::solved(std::move(a), std::move(b));
  TESSERA_REQUIRE_KIND(voltages.size() == m, ErrorKind::numerical,
                       "The voltages of the solid conductors do not follow from their currents: the matrix of "
                       "admittances is singular.");
  for (std::size_t i = 0; i < m; ++i)
    state.voltage[unknown[i]] = voltages[i][0];
  for (std::size_t k = 0; k < n; ++k) {
    state.current[k] = induced[k];
    for (std::size_t l = 0; l < n; ++l)
      state.current[k] += admittance[k * n + l] * state.voltage[l];
  }
  for (const std::size_t k : unknown)
    state.current[k] = phasor(conductors[k].value, conductors[k].phase);
  return state;
}

} // namespace tessera::driver
