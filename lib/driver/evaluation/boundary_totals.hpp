// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_EVALUATION_BOUNDARY_TOTALS_HPP
#define TESSERA_DRIVER_EVALUATION_BOUNDARY_TOTALS_HPP

#include "driver/problem/problem.hpp"
#include "driver/solve.hpp"

#include <string>
#include <vector>

namespace tessera::driver {

/// What flows in through each constraint of the problem (Problem::boundary_totals). `notes` gets a sentence, once, for
/// each pair of boundaries whose values differ where they meet.
template <class ExecutionSpace>
std::vector<double> boundary_totals(const ExecutionSpace& exec, const Problem<ExecutionSpace>& problem,
                                    const io::Case& input, const Solution<ExecutionSpace>& solution,
                                    std::vector<std::string>& notes);

/// Adds a sentence to `notes` for each pair of boundaries whose values differ where they meet, as boundary_totals()
/// does, on what that means for the energy.
template <class ExecutionSpace>
void note_value_jumps(const ExecutionSpace& exec, const Problem<ExecutionSpace>& problem, const io::Case& input,
                      const Solution<ExecutionSpace>& solution, std::vector<std::string>& notes);

/// What flows in through the problem's multipole_ends, all together.
template <class ExecutionSpace>
double net_inflow(const ExecutionSpace& exec, const Problem<ExecutionSpace>& problem,
                  const typename Problem<ExecutionSpace>::ConstVector& nodal);

/// A note that the solution at asymptotic boundaries of order 0 is not that of a net charge (current, heat), whose far
/// field they stand for, or, where there is no conductor, that at the problem's multipole_ends it is; empty otherwise.
template <class ExecutionSpace>
std::string far_field_note(const ExecutionSpace& exec, const Problem<ExecutionSpace>& problem, const io::Case& input,
                           const typename Problem<ExecutionSpace>::ConstVector& nodal);

/// A note that a net charge (current, heat) passes the problem's multipole_ends, whose far field has none; empty where
/// `net` is below a thousandth of `largest`, that of a single conductor. `what`: what is then wrong.
template <class ExecutionSpace>
std::string net_inflow_note(const Problem<ExecutionSpace>& problem, const io::Case& input, double net, double largest,
                            const std::string& what);

} // namespace tessera::driver

#endif
