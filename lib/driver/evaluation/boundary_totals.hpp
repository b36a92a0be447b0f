// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_EVALUATION_BOUNDARY_TOTALS_HPP
#define TESSERA_DRIVER_EVALUATION_BOUNDARY_TOTALS_HPP

#include "driver/problem/problem.hpp"
#include "driver/solve.hpp"

#include <string>
#include <vector>

namespace tessera::driver {

/// Inflow through each constraint of the problem (Problem::boundary_totals). `notes` gets a sentence, once, for each
/// pair of boundaries whose values differ where they meet.
template <class ExecutionSpace>
std::vector<double> boundary_totals(const ExecutionSpace& exec, const Fields<ExecutionSpace>& problem,
                                    const io::Case& input, const Solution<ExecutionSpace>& solution,
                                    std::vector<std::string>& notes);

/// Adds a sentence to `notes` for each pair of boundaries whose values differ where they meet, like boundary_totals(),
/// about the consequence for the energy.
template <class ExecutionSpace>
void note_value_jumps(const ExecutionSpace& exec, const Fields<ExecutionSpace>& problem, const io::Case& input,
                      const Solution<ExecutionSpace>& solution, std::vector<std::string>& notes);

/// Total inflow through the problem's multipole_ends.
template <class ExecutionSpace>
double net_inflow(const ExecutionSpace& exec, const Fields<ExecutionSpace>& problem,
                  const typename Fields<ExecutionSpace>::ConstVector& nodal);

/// A note if the solution on asymptotic boundaries of order 0 is not that of a net charge (current, heat), whose far
/// field they represent, or, without conductors, if that on the problem's multipole_ends is; empty otherwise.
template <class ExecutionSpace>
std::string far_field_note(const ExecutionSpace& exec, const Fields<ExecutionSpace>& problem, const io::Case& input,
                           const typename Fields<ExecutionSpace>::ConstVector& nodal);

/// A note if a net charge (current, heat) passes the problem's multipole_ends, whose far field has none; empty if `net`
/// is below a thousandth of `largest`, that of a single conductor. `what`: the result that is wrong then.
template <class ExecutionSpace>
std::string net_inflow_note(const Fields<ExecutionSpace>& problem, const io::Case& input, double net, double largest,
                            const std::string& what);

} // namespace tessera::driver

#endif
