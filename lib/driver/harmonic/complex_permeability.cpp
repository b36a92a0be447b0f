// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/harmonic/complex_permeability.hpp"

#include "driver/harmonic/harmonic_quantities.hpp"
#include "physics/forms/diffusion_problem.hpp"

#include <cmath>

namespace tessera::driver {

namespace {

using Complex = std::complex<double>;

/// The mean of B over the thickness d of a sheet with H along its surfaces is mu H tanh(k d/2) / (k d/2), with
/// k = sqrt(j omega sigma mu).
Complex reaction_of_sheet(const Complex& permeability, double omega, const io::Laminations& sheets) {
  const Complex half =
      0.5 * sheets.thickness *
      std::sqrt(Complex(0., omega * sheets.conductivity * physics::vacuum_permeability) * permeability);
  if (std::abs(half) < 1e-4) // tanh(z) / z = 1 - z^2/3 + ...
    return 1. - half * half / 3.;
  return std::tanh(half) / half;
}

} // namespace

bool lags(const io::Material& material) {
  return material.lag_angle != 0. || (material.laminations && material.laminations->conductivity != 0.);
}

std::array<Complex, 2> relative_permeability(const io::Material& material, double omega) {
  const Complex metal = phasor(material.relative_permeability, omega == 0. ? 0. : -material.lag_angle);
  if (!material.laminations)
    return {metal, metal};
  const io::Laminations& sheets = *material.laminations;
  const double f = sheets.stacking_factor;
  const Complex along = f * metal * reaction_of_sheet(metal, omega, sheets) + (1. - f);
  const Complex across = 1. / (f / metal + (1. - f));
  switch (sheets.parallel) {
  case io::Laminations::Parallel::first:
    return {along, across};
  case io::Laminations::Parallel::second:
    return {across, along};
  case io::Laminations::Parallel::plane:
    break;
  }
  return {along, along};
}

} // namespace tessera::driver
