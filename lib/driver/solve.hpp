// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_SOLVE_HPP
#define TESSERA_DRIVER_SOLVE_HPP

/// \file
/// Solves a problem on its mesh by the strategy and the solver of a plan.

#include "driver/plan/plan.hpp"
#include "driver/problem/problem.hpp"
#include "driver/solution/distribution.hpp"
#include "solvers/krylov/pcg.hpp"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace tessera::driver {

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
Solution<ExecutionSpace> solution_of(const ExecutionSpace& exec, const ProblemData<ExecutionSpace>& problem,
                                     const linalg::Vector<ExecutionSpace>& unknowns);

/// Runs some work as a phase of that name.
using PhaseRunner = std::function<void(const std::string& phase, const std::function<void()>& work)>;
/// Called from time to time with the number of completed iterations and ||r||_2.
using SolverMonitor = std::function<void(int iterations, double residual)>;

/// A monitor that prints to the console.
SolverMonitor progress_of(io::Console& console);

/// Adds notes on a linear solve that are not in its message: to the notes, or to that message.
void note_solver(const io::Case& input, SolverOutcome& solver, std::vector<std::string>& notes);

template <class ExecutionSpace> class ColumnSolver;
template <class ExecutionSpace> class LinearSolver;

/// Solves one problem repeatedly, and keeps the data shared by its solutions: pattern, lists or colours, the levels of
/// multigrid, an unchanged matrix. With a distribution its functions are called by all processes.
template <class ExecutionSpace> class ProblemSolver {
public:
  using Vector = linalg::Vector<ExecutionSpace>;
  using ConstVector = linalg::ConstVector<ExecutionSpace>;
  using Assembler = assembly::Assembler<ExecutionSpace>;

  /// The arguments must outlive this object. `assembler`: one that has its pattern and, for linear problems, its
  /// values; null: made by solve().
  ProblemSolver(const Problem<ExecutionSpace>& problem, const Plan& plan,
                const Distribution<ExecutionSpace>* distribution = nullptr,
                std::unique_ptr<Assembler> assembler = nullptr);
  ~ProblemSolver();

  /// What changed since the previous solution, other than fixed values, totals of tied unknowns and currents of coils.
  enum class Changed { nothing, form };

  /// Solves the problem with the phases in `log`. Failure to converge is reported in the result, not thrown. Each
  /// process gets the whole solution. `start`: values at all nodes to start from instead of the excitation's guess, if
  /// not empty. The bits of reproducible plans do not depend on earlier solutions, except through `start`.
  Solution<ExecutionSpace> solve(const ExecutionSpace& exec, const Excitation& excitation, PhaseLog& log,
                                 const SolverMonitor& monitor = {}, Changed changed = Changed::form,
                                 const ConstVector& start = {});
  /// The part of it after assembly: sets the unknowns to the initial guess and then to the solution. Its first phase is
  /// "solver: set-up".
  SolverOutcome solve_assembled(const ExecutionSpace& exec, const Excitation& excitation, const PhaseRunner& run,
                                const SolverMonitor& monitor = {}, const ConstVector& start = {});
  /// All unknowns of the last solution; with a distribution of those only the owned ones after solve_assembled().
  const Vector& unknowns() const { return unknowns_; }

  /// With the matrix and, unless columns() have been solved since, the right-hand side of the last solution; of a
  /// nonlinear problem those of the last linearisation.
  const Assembler& assembler() const { return *assembler_; }

  /// For other right-hand sides of the system of the last solution, of a linear problem. This object must outlive it.
  ColumnSolver<ExecutionSpace> columns() const;

private:
  /// Computes pattern and values that are missing; returns the peak of memory meanwhile.
  std::size_t assemble(const ExecutionSpace& exec, PhaseLog& log, const PhaseRunner& run, bool matrix_is_same);
  void describe_assembly(const ExecutionSpace& exec, const PhaseRunner& run, SolveReport& report) const;
  /// Drops levels of multigrid that did not suit the matrix of the last solution, if they were made for another one.
  void drop_outdated_levels();

  const Problem<ExecutionSpace>& problem_;
  const Plan& plan_;
  std::unique_ptr<const Distribution<ExecutionSpace>> of_one_; // of a single process, if none is given
  const Distribution<ExecutionSpace>& distribution_;
  std::unique_ptr<Assembler> assembler_;
  std::unique_ptr<LinearSolver<ExecutionSpace>> solver_;
  solvers::PcgOptions options_; // of the last solution
  Vector unknowns_;
  int first_iterations_ = -1; // with the levels as first made; -1: there are none
  int last_iterations_ = -1;  // -1: there is no solution
  bool has_converged_ = false;
};

/// ProblemSolver::solve() for one solution.
template <class ExecutionSpace>
Solution<ExecutionSpace> solve(const ExecutionSpace& exec, const Problem<ExecutionSpace>& problem, const Plan& plan,
                               const Excitation& excitation, PhaseLog& log);

} // namespace tessera::driver

#endif
