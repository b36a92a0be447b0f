// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_SOLVE_HPP
#define TESSERA_DRIVER_SOLVE_HPP

/// \file
/// From a problem on its mesh to its solution, by the strategy and the solver of a plan.

#include "driver/plan/plan.hpp"
#include "driver/problem/problem.hpp"
#include "driver/solution/distribution.hpp"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace tessera::driver {

/// What may change from solve to solve of one problem, beside its form.
struct Excitation {
  /// One per constraint of the binding, in its order; those of floating ones are not used. Empty: those of the binding.
  std::vector<physics::Expression> fixed_values;
  physics::Expression initial_guess;
  std::string initial_guess_where; ///< its place in the input, for errors
};

/// What the input says.
Excitation excitation_of(const io::Case& input);

/// The part of a plan that assemblers need.
assembly::AssemblyOptions assembly_options(const Plan& plan);

/// The solution of a problem and how it was reached.
template <class ExecutionSpace> struct Solution {
  linalg::ConstVector<ExecutionSpace> nodal; ///< at all nodes of the space
  std::vector<double> floating;              ///< values of the floating constraints, in their order
  SolveReport report;
};

/// The values of all unknowns at all nodes, and those of the floating constraints.
template <class ExecutionSpace>
Solution<ExecutionSpace> solution_of(const ExecutionSpace& exec, const Problem<ExecutionSpace>& problem,
                                     const linalg::Vector<ExecutionSpace>& unknowns);

/// Runs a piece of work as a phase of that name.
using PhaseRunner = std::function<void(const std::string& phase, const std::function<void()>& work)>;
/// Told the number of iterations done and ||r||_2 from time to time.
using SolverMonitor = std::function<void(int iterations, double residual)>;

/// A monitor that tells the console.
SolverMonitor progress_of(io::Console& console);

/// A linear system whose assembler and preconditioner are there, to be solved for further right-hand sides.
template <class ExecutionSpace> struct AssembledSystem {
  assembly::Assembler<ExecutionSpace>& assembler;
  /// Solves for the unknowns, all of them, of a right-hand side with the entries of the assembler's (of several
  /// processes: own ones); the initial guess is zero.
  std::function<solvers::PcgResult(const linalg::ConstVector<ExecutionSpace>& rhs,
                                   const linalg::Vector<ExecutionSpace>& unknowns)>
      solve;
  /// The same for at most `columns` right-hand sides, together where there is a way to: `take(c, result)` is called for
  /// each, in order, while its solution is in the unknowns.
  std::function<void(const std::vector<linalg::ConstVector<ExecutionSpace>>& rhs,
                     const linalg::Vector<ExecutionSpace>& unknowns,
                     const std::function<void(std::size_t c, const solvers::PcgResult& result)>& take)>
      solve_columns;
  int columns = 1;
  /// Where the problem needs refined solutions (solution/refined_solve.hpp), in the place of both: solves for the fixed
  /// values that are set, with the loads of the problem less `given`, all of them. `value_of`: of each boundary. Empty
  /// where it does not.
  std::function<solvers::PcgResult(const std::vector<double>& value_of,
                                   const linalg::ConstVector<ExecutionSpace>& given,
                                   const linalg::Vector<ExecutionSpace>& unknowns)>
      solve_refined;
  /// The entries of a vector of all unknowns that such a right-hand side has.
  std::function<linalg::Vector<ExecutionSpace>(const linalg::Vector<ExecutionSpace>& unknowns)> own_of_all;
};
/// Work on an assembled system after its solution.
template <class ExecutionSpace> using FurtherSolves = std::function<void(const AssembledSystem<ExecutionSpace>&)>;

/// Adds what a linear solve has to tell beside its own message: to the notes, or to that message.
void note_solver(const io::Case& input, SolverOutcome& solver, std::vector<std::string>& notes);

template <class ExecutionSpace> class LinearSolver;

/// Solves one problem time and again, and keeps what its solutions share: pattern, lists or colours, the levels of
/// multigrid, a matrix that has not changed.
template <class ExecutionSpace> class ProblemSolver {
public:
  /// All that is given must stay. `is_for_one`: nothing is kept after the first solution.
  ProblemSolver(const Problem<ExecutionSpace>& problem, const Plan& plan,
                const Distribution<ExecutionSpace>* distribution = nullptr, bool is_for_one = false);
  ~ProblemSolver();

  /// What changed since the solution before, other than fixed values, totals of tied unknowns and currents of coils.
  enum class Changed { nothing, form };

  /// As driver::solve(). `start`: values at all nodes to start from in place of the excitation's guess, if it is not
  /// empty. The bits of reproducible plans do not depend on earlier solutions, but for `start`.
  Solution<ExecutionSpace> solve(const ExecutionSpace& exec, const Excitation& excitation, PhaseLog& log,
                                 const SolverMonitor& monitor, const FurtherSolves<ExecutionSpace>& further,
                                 Changed changed = Changed::form,
                                 const linalg::ConstVector<ExecutionSpace>& start = {});

private:
  /// Pattern and values, as far as they are not there; returns the peak of memory in it.
  std::size_t assemble(const ExecutionSpace& exec, PhaseLog& log, const PhaseRunner& run, bool matrix_is_same);
  void describe_assembly(const ExecutionSpace& exec, const PhaseRunner& run, SolveReport& report) const;
  /// Drops levels of multigrid that do not suit another matrix than the one that they were made for.
  void judge(const SolverOutcome& outcome);

  const Problem<ExecutionSpace>& problem_;
  const Plan& plan_;
  const Distribution<ExecutionSpace>* distribution_;
  bool is_for_one_;
  std::unique_ptr<assembly::Assembler<ExecutionSpace>> assembler_;
  std::unique_ptr<LinearSolver<ExecutionSpace>> solver_;
  linalg::Vector<ExecutionSpace> unknowns_;
  int first_iterations_ = -1; // with the levels as they were made; -1: there are none
};

/// Solves the problem with the phases in `log`. A solver that does not converge is told by the report, not thrown. With
/// a distribution by all of its processes, each of which has the whole solution then. `further` is done before the
/// system of a linear problem goes; it leaves fixed values and currents as it found them.
template <class ExecutionSpace>
Solution<ExecutionSpace> solve(const ExecutionSpace& exec, const Problem<ExecutionSpace>& problem, const Plan& plan,
                               const Excitation& excitation, PhaseLog& log, const SolverMonitor& monitor = {},
                               const Distribution<ExecutionSpace>* distribution = nullptr,
                               const FurtherSolves<ExecutionSpace>& further = {});

/// The part of it after symbolic() and, for linear problems, numeric(): sets `unknowns`, all of them, to the initial
/// guess and then to the solution. Its first phase is "solver: set-up". `kept`: the solver of earlier solutions, set up
/// where it is not for the present matrix; null: one for this solution. `start` as ProblemSolver::solve() has it.
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
