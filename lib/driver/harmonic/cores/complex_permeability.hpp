// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_HARMONIC_CORES_COMPLEX_PERMEABILITY_HPP
#define TESSERA_DRIVER_HARMONIC_CORES_COMPLEX_PERMEABILITY_HPP

#include "io/input/case.hpp"

#include <array>
#include <complex>

namespace tessera::driver {

/// Whether B lags behind H in the material, so that it has losses without currents of the mesh.
bool lags(const io::Material& material);

/// Whether the permeability is the same along both directions of the plane.
bool has_same_permeabilities(const io::Material& material);

/// Relative permeability along both directions of the plane at an angular frequency in 1/s, of a linear material
/// (docs/theory.md, "Lag and laminations"). At omega = 0 it is real: B does not lag behind a constant H.
std::array<std::complex<double>, 2> relative_permeability(const io::Material& material, double omega);

} // namespace tessera::driver

#endif
