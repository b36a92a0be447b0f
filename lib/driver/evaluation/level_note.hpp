// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_EVALUATION_LEVEL_NOTE_HPP
#define TESSERA_DRIVER_EVALUATION_LEVEL_NOTE_HPP

#include "driver/problem/problem.hpp"
#include "driver/solve.hpp"

#include <string>

namespace tessera::driver {

/// A note on the level of a solution that nothing but weak Robin conditions fixes; empty where it is accurate. With
/// their conductance G, the integral of their coefficients, and a residual r = f - K u, whose sum over the nodes is
/// what flows in without flowing out, the constant part of the error is sum(r)/G: of any size where conduction is
/// strong against G, however small the residual is beside the right-hand side (docs/theory.md, Solver). Collective.
template <class ExecutionSpace>
std::string level_note(const ExecutionSpace& exec, const Problem<ExecutionSpace>& problem, const io::Case& input,
                       const Solution<ExecutionSpace>& solution);

} // namespace tessera::driver

#endif
