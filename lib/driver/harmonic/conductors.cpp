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

void require_solved(bool is_solved) {
  TESSERA_REQUIRE_KIND(is_solved, ErrorKind::numerical,
                       "The voltages of the solid conductors do not follow from their currents: the matrix of "
                       "admittances is singular.");
}

} // namespace

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
  require_solved(voltages.size() == m);
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

std::vector<Complex> impedances(double omega, std::size_t n, std::size_t m, const TerminalResponse& response) {
  // Voltages V = Y^-1 (I - I_0 i) of the conductors at their currents I and those of the coils, i.
  solvers::SmallComplex y(n, std::vector<Complex>(n));
  solvers::SmallComplex right(n, std::vector<Complex>(n + m));
  for (std::size_t k = 0; k < n; ++k) {
    right[k][k] = 1.;
    for (std::size_t l = 0; l < n; ++l)
      y[k][l] = response.admittance[k * n + l];
    for (std::size_t j = 0; j < m; ++j)
      right[k][n + j] = -response.induced[k * m + j];
  }
  const solvers::SmallComplex voltage = solvers::solved(std::move(y), std::move(right));
  require_solved(voltage.size() == n);
  std::vector<Complex> impedance;
  for (const std::vector<Complex>& row : voltage)
    impedance.insert(impedance.end(), row.begin(), row.end());
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t j = 0; j < n + m; ++j) {
      Complex linkage = j < n ? 0. : response.coupling[i * m + j - n];
      for (std::size_t l = 0; l < n; ++l)
        linkage += response.linkage[i * n + l] * voltage[l][j];
      impedance.push_back(Complex(0., omega) * linkage);
    }
  return impedance;
}

} // namespace tessera::driver
