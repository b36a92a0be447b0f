// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_PHYSICS_EXPRESSIONS_EFFECTIVE_CURVE_HPP
#define TESSERA_PHYSICS_EXPRESSIONS_EFFECTIVE_CURVE_HPP

/// \file
/// B-H curves of sinusoidal fields; without Kokkos.

#include "physics/expressions/bh_table.hpp"

namespace tessera::physics {

/// Which of H and B is sinusoidal; the other one has harmonics, of which the first is taken.
enum class Sinusoid { strength, density };

/// The amplitudes of the first harmonics of H and B in a material with a B-H curve (docs/theory.md, "Iron at a
/// frequency"), as a table that goes on beyond the last point of the curve, towards saturation. That of a straight
/// line is this line.
BhTable effective_curve(const BhTable& curve, Sinusoid sinusoid);

/// The largest B / (mu0 H) at the points of a table.
double largest_permeability(const BhTable& curve);

} // namespace tessera::physics

#endif
