// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_IO_INPUT_TEMPERATURE_HPP
#define TESSERA_IO_INPUT_TEMPERATURE_HPP

/// \file
/// Materials that depend on temperature.

#include "io/input/case.hpp"

namespace tessera::io {

/// The value of problem.physics for current flow and heat on one mesh (Case::current).
constexpr const char* electro_thermal = "electro-thermal";

/// Keys of the heat of fusion of a material and of the temperatures between which it melts (Fusion).
constexpr const char* latent_heat = "latent_heat";
constexpr const char* melting = "melting";

/// Whether an expression has the variable T.
bool mentions_temperature(const std::string& text);
/// Whether coefficients of the problem, or with a time capacities, depend on temperature.
bool depends_on_temperature(const ProblemOptions& problem);

} // namespace tessera::io

#endif
