// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_SOLVE_HPP
#define TESSERA_DRIVER_SOLVE_HPP

/// \file
/// From a problem on its mesh to its solution, by the strategy and the solver of a plan.

#include "driver/plan/plan.hpp"
#include "driver/problem/problem.hpp"
#include "solvers/newton.hpp"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tessera::driver {

/// What may change from solve to solve of one problem, beside its form.
struct Excitation {
  /// One per constraint of the binding; empty: those of the binding.
  std::vector<physics::Expression> fixed_values;
  physics::Expression initial_guess;
  std::string initial_guess_where; ///< its place in the input, for errors
};

/// What the input says.
Excitation excitation_of(const io::Case& input);

assembly::AssemblyOptions assembly_options(const Plan& plan);

/// Outcome of the solver.
struct SolverOutcome {
  solvers::PcgResult linear;                      ///< nonlinear problems: of the last linear system
  std::optional<solvers::NewtonResult> nonlinear; ///< of problems with B-H curves

  bool converged() const {
    return nonlinear ? nonlinear->status == solvers::NewtonStatus::converged
                     : linear.status == solvers::PcgStatus::converged;
  }
  const std::string& message() const { return nonlinear ? nonlinear->message : linear.message; }
};

/// Host data on assembly and solver.
struct SolveReport {
  assembly::ColoringSummary coloring;
  std::int64_t n_matrix_entries = 0;   ///< 0 without an assembled matrix
  std::size_t assembly_peak_bytes = 0; ///< above what the problem holds
  SolverOutcome solver;
  double nonlinear_seconds = 0.; ///< all of Newton's method
  double assembly_share = 0.;    ///< share of assembly in it
  /// Of a reproducible run: "matrix", "right_hand_side" and "solution" (nodal values) as hexadecimal numbers.
  std::map<std::string, std::string> checksums;
};

template <class ExecutionSpace> struct Solution {
  linalg::ConstVector<ExecutionSpace> nodal; ///< at all nodes of the space
  std::vector<double> floating;              ///< values of the floating constraints, in their order
  SolveReport report;
};

/// Runs a piece of work as a phase of that name.
using PhaseRunner = std::function<void(const std::string& phase, const std::function<void()>& work)>;
/// Told the number of iterations done and ||r||_2 from time to time.
using SolverMonitor = std::function<void(int iterations, double residual)>;

/// Solves the problem with the phases in `log`. A solver that does not converge is told by the report, not thrown.
template <class ExecutionSpace>
Solution<ExecutionSpace> solve(const ExecutionSpace& exec, const Problem<ExecutionSpace>& problem, const Plan& plan,
                               const Excitation& excitation, PhaseLog& log, const SolverMonitor& monitor = {});

/// The part of it after symbolic() and, for linear problems, numeric(): sets `unknowns` to the initial guess and then
/// to the solution. Its first phase is "solver: set-up".
template <class ExecutionSpace>
SolverOutcome solve_assembled(const ExecutionSpace& exec, const Problem<ExecutionSpace>& problem, const Plan& plan,
                              const Excitation& excitation, assembly::Assembler<ExecutionSpace>& assembler,
                              const linalg::Vector<ExecutionSpace>& unknowns, const PhaseRunner& run,
                              const SolverMonitor& monitor = {});

} // namespace tessera::driver

#endif
