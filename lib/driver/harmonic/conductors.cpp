// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/harmonic/conductors.hpp"

#include "core/error.hpp"

#include <cmath>
#include <utility>

namespace tessera::driver {

namespace {

using Complex = std::complex<double>;

/// Solves A x = b, [n * n] row by row, by elimination with partial pivoting.
std::vector<Complex> solve_dense(std::vector<Complex> a, std::vector<Complex> b) {
  const std::size_t n = b.size();
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t pivot = k;
    for (std::size_t i = k + 1; i < n; ++i)
      if (std::abs(a[i * n + k]) > std::abs(a[pivot * n + k]))
        pivot = i;
    TESSERA_REQUIRE_KIND(std::abs(a[pivot * n + k]) > 0., ErrorKind::numerical,
                         "The voltages of the solid conductors do not follow from their currents: the matrix of "
                         "admittances is singular.");
    for (std::size_t j = 0; j < n; ++j)
      std::swap(a[k * n + j], a[pivot * n + j]);
    std::swap(b[k], b[pivot]);
    for (std::size_t i = k + 1; i < n; ++i) {
      const Complex factor = a[i * n + k] / a[k * n + k];
      for (std::size_t j = k; j < n; ++j)
        a[i * n + j] -= factor * a[k * n + j];
      b[i] -= factor * b[k];
    }
  }
  for (std::size_t k = n; k-- > 0;) {
    for (std::size_t j = k + 1; j < n; ++j)
      b[k] -= a[k * n + j] * b[j];
    b[k] /= a[k * n + k];
  }
  return b;
}

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
  std::vector<Complex> a(m * m);
  std::vector<Complex> b(m);
  for (std::size_t i = 0; i < m; ++i) {
    const std::size_t k = unknown[i];
    b[i] = phasor(conductors[k].value, conductors[k].phase) - induced[k];
    for (std::size_t l = 0; l < n; ++l)
      b[i] -= admittance[k * n + l] * state.voltage[l]; // zero for unknown ones
    for (std::size_t j = 0; j < m; ++j)
      a[i * m + j] = admittance[k * n + unknown[j]];
  }
  const std::vector<Complex> voltages = solve_dense(a, b);
  for (std::size_t i = 0; i < m; ++i)
    state.voltage[unknown[i]] = voltages[i];
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
