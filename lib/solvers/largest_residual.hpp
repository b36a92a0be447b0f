// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_SOLVERS_LARGEST_RESIDUAL_HPP
#define TESSERA_SOLVERS_LARGEST_RESIDUAL_HPP

namespace tessera::solvers {

/// Above this ||b - A x|| / ||b||, x is not accepted as a solution, whatever tolerance it meets: charges are then wrong
/// by several per cent (docs/notebook/hosts.md).
constexpr double largest_residual = 1e-3;

} // namespace tessera::solvers

#endif
