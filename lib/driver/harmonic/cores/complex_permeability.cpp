// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/harmonic/cores/complex_permeability.hpp"

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
  std::array<Complex, 2> permeability;
  for (std::size_t d = 0; d < 2; ++d) {
    const Complex metal = phasor(material.relative_permeability[d], omega == 0. ? 0. : -material.lag_angle);
    permeability[d] = metal;
    if (!material.laminations)
      continue;
    const io::Laminations& sheets = *material.laminations;
    const double f = sheets.stacking_factor;
    const bool is_across = (sheets.parallel == io::Laminations::Parallel::first && d == 1) ||
                           (sheets.parallel == io::Laminations::Parallel::second && d == 0);
    permeability[d] =
        is_across ? 1. / (f / metal + (1. - f)) : f * metal * reaction_of_sheet(metal, omega, sheets) + (1. - f);
  }
  return permeability;
}

bool has_same_permeabilities(const io::Material& material) {
  return material.relative_permeability[0] == material.relative_permeability[1] &&
         (!material.laminations || material.laminations->parallel == io::Laminations::Parallel::plane);
}

} // namespace tessera::driver
