// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_EVALUATION_LEVEL_NOTE_HPP
#define TESSERA_DRIVER_EVALUATION_LEVEL_NOTE_HPP

#include "driver/problem/problem.hpp"
#include "driver/solve.hpp"

#include <string>

namespace tessera::driver {

/// A note on the level of a solution that is fixed by weak Robin conditions only; empty if it is accurate. With their
/// conductance G, the integral of their coefficients, and a residual r = f - K u, whose sum over the nodes is the
/// unbalanced inflow, the constant part of the error is sum(r)/G: it may have any size if conduction is strong relative
/// to G, however small the residual is relative to the right-hand side (docs/theory.md, Solver). Collective.
template <class ExecutionSpace>
std::string level_note(const ExecutionSpace& exec, const Fields<ExecutionSpace>& problem, const io::Case& input,
                       const Solution<ExecutionSpace>& solution);

} // namespace tessera::driver

#endif
