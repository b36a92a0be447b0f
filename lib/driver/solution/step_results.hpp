// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_SOLUTION_STEP_RESULTS_HPP
#define TESSERA_DRIVER_SOLUTION_STEP_RESULTS_HPP

/// \file
/// What the discretizations by Lagrange elements have in common: a step of time with its report, and norms of errors.

#include "driver/checksums.hpp"
#include "driver/discretization.hpp"
#include "driver/plan/plan.hpp"
#include "driver/time/time_steps.hpp"

#include <vector>

namespace tessera::driver {

/// Takes the next step of time; sets the solution at its end, whose report is that of the step, and adds the step's
/// residuals. Returns whether the matrix was computed.
template <class ExecutionSpace>
bool take_step(const ExecutionSpace& exec, const Plan& plan, TimeSteps<ExecutionSpace>& steps,
               Solution<ExecutionSpace>& solution, Results& results) {
  SolveReport& report = solution.report;
  const bool assembled = steps.advance(results.step, report);
  solution.nodal = steps.nodal();
  solution.floating = steps.floating();
  report.strategy = io::name_of(plan.strategy);
  report.strategy_reason = plan.reason;
  report.preconditioner_reason = plan.preconditioner_reason.empty() || report.solver.fallback.empty()
                                     ? plan.preconditioner_reason
                                     : report.solver.fallback;
  if (results.step.is_last && plan.reproducible)
    report.checksums["solution"] = checksum_text(exec, solution.nodal);
  const solvers::PcgResult& linear = report.solver.linear;
  results.histories.push_back(
      {"solution", 1, results.step.number, io::relative_residuals(linear.history, linear.rhs_norm)});
  return assembled;
}

/// Norms of the difference to an exact solution at a time in s, and, if there is a gradient, to that.
template <class ExecutionSpace>
std::vector<NormError> norm_errors(const ExecutionSpace& exec, const Problem<ExecutionSpace>& problem,
                                   const linalg::ConstVector<ExecutionSpace>& nodal, double time,
                                   const physics::Expression& exact, const std::vector<physics::Expression>& gradient) {
  std::vector<physics::Expression> gradient_now;
  for (const physics::Expression& entry : gradient)
    gradient_now.push_back(entry.at_time(time));
  const physics::ErrorNorms norms = problem.error_norms(exec, nodal, exact.at_time(time), gradient_now);
  std::vector<NormError> errors{{"l2", norms.l2, norms.exact_l2, "solution"}};
  if (!gradient.empty())
    errors.push_back({"h1", norms.h1, norms.exact_h1, "gradient"});
  return errors;
}

} // namespace tessera::driver

#endif
