// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_SOLVE_HPP
#define TESSERA_DRIVER_SOLVE_HPP

/// \file
/// Solves a problem on its mesh by the strategy and the solver of a plan.

#include "driver/plan/plan.hpp"
#include "driver/problem/problem.hpp"
#include "driver/solution/distribution.hpp"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace tessera::driver {

/// Data other than the form that may change between solves of one problem.
struct Excitation {
  /// One per constraint of the binding, in order; those of floating ones are not used. Empty: those of the binding.
  std::vector<physics::Expression> fixed_values;
  physics::Expression initial_guess;
  std::string initial_guess_where; ///< place in the input, for errors
};

/// The excitation defined by the input.
Excitation excitation_of(const io::Case& input);

/// The part of a plan that assemblers need.
assembly::AssemblyOptions assembly_options(const Plan& plan);

/// The solution of a problem, and information on the solve.
template <class ExecutionSpace> struct Solution {
  linalg::ConstVector<ExecutionSpace> nodal; ///< at all nodes of the space
  std::vector<double> floating;              ///< values of the floating constraints, in order
  SolveReport report;
};

/// Expands the values of all unknowns to all nodes, and extracts those of the floating constraints.
template <class ExecutionSpace>
Solution<ExecutionSpace> solution_of(const ExecutionSpace& exec, const Problem<ExecutionSpace>& problem,
                                     const linalg::Vector<ExecutionSpace>& unknowns);

/// Runs some work as a phase of that name.
using PhaseRunner = std::function<void(const std::string& phase, const std::function<void()>& work)>;
/// Called from time to time with the number of completed iterations and ||r||_2.
using SolverMonitor = std::function<void(int iterations, double residual)>;

/// A monitor that prints to the console.
SolverMonitor progress_of(io::Console& console);

/// A linear system with its assembler and preconditioner, to be solved for further right-hand sides.
template <class ExecutionSpace> struct AssembledSystem {
  assembly::Assembler<ExecutionSpace>& assembler;
  /// Solves for all unknowns for a right-hand side with the entries of the assembler's (with several processes: owned
  /// ones); the initial guess is zero.
  std::function<solvers::PcgResult(const linalg::ConstVector<ExecutionSpace>& rhs,
                                   const linalg::Vector<ExecutionSpace>& unknowns)>
      solve;
  /// The same for at most `columns` right-hand sides, together if possible: `take(c, result)` is called for each, in
  /// order, while its solution is in the unknowns.
  std::function<void(const std::vector<linalg::ConstVector<ExecutionSpace>>& rhs,
                     const linalg::Vector<ExecutionSpace>& unknowns,
                     const std::function<void(std::size_t c, const solvers::PcgResult& result)>& take)>
      solve_columns;
  int columns = 1;
  /// Replaces both if the problem needs refined solutions (solution/refined_solve.hpp): solves for the current fixed
  /// values, with the loads of the problem minus `given`, for all unknowns. `value_of`: of each boundary. Empty
  /// otherwise.
  std::function<solvers::PcgResult(const std::vector<double>& value_of,
                                   const linalg::ConstVector<ExecutionSpace>& given,
                                   const linalg::Vector<ExecutionSpace>& unknowns)>
      solve_refined;
  /// Extracts the entries of a vector of all unknowns that such a right-hand side has.
  std::function<linalg::Vector<ExecutionSpace>(const linalg::Vector<ExecutionSpace>& unknowns)> own_of_all;
};
/// Work on an assembled system after its solution.
template <class ExecutionSpace> using FurtherSolves = std::function<void(const AssembledSystem<ExecutionSpace>&)>;

/// Adds notes on a linear solve that are not in its message: to the notes, or to that message.
void note_solver(const io::Case& input, SolverOutcome& solver, std::vector<std::string>& notes);

template <class ExecutionSpace> class LinearSolver;

/// Solves one problem repeatedly, and keeps the data shared by its solutions: pattern, lists or colours, the levels of
/// multigrid, an unchanged matrix.
template <class ExecutionSpace> class ProblemSolver {
public:
  /// The arguments must outlive this object. `is_for_one`: nothing is kept after the first solution.
  ProblemSolver(const Problem<ExecutionSpace>& problem, const Plan& plan,
                const Distribution<ExecutionSpace>* distribution = nullptr, bool is_for_one = false);
  ~ProblemSolver();

  /// What changed since the previous solution, other than fixed values, totals of tied unknowns and currents of coils.
  enum class Changed { nothing, form };

  /// Like driver::solve(). `start`: values at all nodes to start from instead of the excitation's guess, if not empty.
  /// The bits of reproducible plans do not depend on earlier solutions, except through `start`.
  Solution<ExecutionSpace> solve(const ExecutionSpace& exec, const Excitation& excitation, PhaseLog& log,
                                 const SolverMonitor& monitor, const FurtherSolves<ExecutionSpace>& further,
                                 Changed changed = Changed::form,
                                 const linalg::ConstVector<ExecutionSpace>& start = {});

private:
  /// Computes pattern and values that are missing; returns the peak of memory meanwhile.
  std::size_t assemble(const ExecutionSpace& exec, PhaseLog& log, const PhaseRunner& run, bool matrix_is_same);
  void describe_assembly(const ExecutionSpace& exec, const PhaseRunner& run, SolveReport& report) const;
  /// Drops levels of multigrid that do not suit the current matrix, if they were made for another one.
  void judge(const SolverOutcome& outcome);

  const Problem<ExecutionSpace>& problem_;
  const Plan& plan_;
  const Distribution<ExecutionSpace>* distribution_;
  bool is_for_one_;
  std::unique_ptr<assembly::Assembler<ExecutionSpace>> assembler_;
  std::unique_ptr<LinearSolver<ExecutionSpace>> solver_;
  linalg::Vector<ExecutionSpace> unknowns_;
  int first_iterations_ = -1; // with the levels as first made; -1: there are none
};

/// Solves the problem with the phases in `log`. Failure to converge is reported in the result, not thrown. With a
/// distribution called by all of its processes, each of which gets the whole solution. `further` is called before the
/// system of a linear problem is freed; it must leave fixed values and currents unchanged.
template <class ExecutionSpace>
Solution<ExecutionSpace> solve(const ExecutionSpace& exec, const Problem<ExecutionSpace>& problem, const Plan& plan,
                               const Excitation& excitation, PhaseLog& log, const SolverMonitor& monitor = {},
                               const Distribution<ExecutionSpace>* distribution = nullptr,
                               const FurtherSolves<ExecutionSpace>& further = {});

/// The part of it after symbolic() and, for linear problems, numeric(): sets all `unknowns` to the initial guess and
/// then to the solution. Its first phase is "solver: set-up". `kept`: the solver of earlier solutions, set up if it is
/// not for the current matrix; null: a temporary one. `start` as in ProblemSolver::solve().
template <class ExecutionSpace>
SolverOutcome
solve_assembled(const ExecutionSpace& exec, const Problem<ExecutionSpace>& problem, const Plan& plan,
                const Excitation& excitation, assembly::Assembler<ExecutionSpace>& assembler,
                const linalg::Vector<ExecutionSpace>& unknowns, const PhaseRunner& run,
                const SolverMonitor& monitor = {}, const Distribution<ExecutionSpace>* distribution = nullptr,
                const FurtherSolves<ExecutionSpace>& further = {}, LinearSolver<ExecutionSpace>* kept = nullptr,
                const linalg::ConstVector<ExecutionSpace>& start = {});

} // namespace tessera::driver

#endif
