// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_DG_DG_STEPS_HPP
#define TESSERA_DRIVER_DG_DG_STEPS_HPP

#include "assembly/dg/assembler.hpp"
#include "driver/dg/dg_distribution.hpp"
#include "driver/dg/dg_problem.hpp"
#include "driver/dg/dg_solver.hpp"

#include <memory>
#include <optional>
#include <vector>

namespace tessera::driver {

/// Assembles and solves a problem by one strategy: time step by time step, each starting from the end of the previous
/// one, or a steady problem as one step. Changes the time slab of the form in `problem`.
template <int Dim, class ExecutionSpace> class DgSteps {
public:
  using Space = typename ExecutionSpace::memory_space;

  /// Its phases go to the log, "assembly: symbolic" immediately. With several processes all have the whole problem, or
  /// each its part.
  DgSteps(const ExecutionSpace& exec, DgProblem<Dim, ExecutionSpace>& problem, const io::Case& input, PhaseLog& log,
          const SolverMonitor& monitor = {}, const comm::Communicator& world = comm::alone());

  int n_steps() const { return n_steps_; }
  int step() const { return step_; } ///< the current step; 0 before the first
  /// Assembles the load of the next step, and its matrix if that changes; returns whether it does.
  bool assemble_next();
  /// Solves the current step. Failure to converge is reported in the result.
  solvers::PcgResult solve();
  /// Levels of multigrid, if it is the preconditioner.
  std::vector<solvers::LevelSummary> levels() const { return solver_->levels(); }
  const std::string& fallback() const { return solver_->fallback(); } ///< see BlockSolver
  /// That of the input, or if this is `automatic` block Gauss-Seidel or multigrid: the first step begins with some
  /// iterations of block Gauss-Seidel, which stays if it is fast enough.
  io::Preconditioner preconditioner() const { return solver_input_.preconditioner; }

  /// The assembler of this process.
  const assembly::dg::Assembler<ExecutionSpace>& assembler() const { return *assembler_; }
  ProcessSummary processes() const { return distribution_->unknowns().summary(); }
  const assembly::dg::TimeSlab<Space>& slab() const { return slab_; }
  /// Memory of the problem, including the part of the form with several processes, before anything is assembled.
  std::size_t problem_bytes() const { return problem_bytes_; }
  /// Peak of memory during assembly, above that of the problem.
  std::size_t assembly_peak_bytes() const { return assembly_peak_bytes_; }
  /// Coefficients of the current step, [n_dofs] of the problem's form.
  const linalg::Vector<ExecutionSpace>& coefficients() const { return u_; }

private:
  void note_peak();
  void set_up_solver(bool downwind);
  void make_solver();
  void choose_after_trial(bool is_fast, const linalg::Vector<ExecutionSpace>& u);
  /// Makes the levels of multigrid, with a second assembly for half the penalty.
  std::vector<solvers::BlockLevel<ExecutionSpace>> make_levels();
  assembly::dg::TimeSlab<Space> slab_of_part() const;

  ExecutionSpace exec_;
  DgProblem<Dim, ExecutionSpace>& problem_;
  const io::Case& input_;
  PhaseLog& log_;
  std::size_t bytes_before_;
  std::size_t problem_bytes_ = 0;
  std::size_t assembly_peak_bytes_ = 0;
  std::unique_ptr<comm::Transport<ExecutionSpace>> transport_;      ///< between several processes
  std::optional<DgDistribution<Dim, ExecutionSpace>> distribution_; ///< always set
  std::unique_ptr<assembly::dg::Assembler<ExecutionSpace>> assembler_;
  io::SolverInput solver_input_;
  std::optional<BlockSolver<ExecutionSpace>> solver_; ///< always set
  SolverMonitor monitor_;
  std::vector<double> times_;
  int n_steps_;
  int step_ = 0;
  assembly::dg::TimeSlab<Space> slab_;
  linalg::Vector<ExecutionSpace> u_;
};

} // namespace tessera::driver

#endif
