// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_SOLVERS_LARGEST_RESIDUAL_HPP
#define TESSERA_SOLVERS_LARGEST_RESIDUAL_HPP

namespace tessera::solvers {

/// Above this ||b - A x|| / ||b|| an x is no solution, whatever tolerance it has met: in a plate capacitor of 200 x 200
/// squares a charge is wrong by 4 % at 1e-3, and all of it is missing at 1e-2.
constexpr double largest_residual = 1e-3;

} // namespace tessera::solvers

#endif
