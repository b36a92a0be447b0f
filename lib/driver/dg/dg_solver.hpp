// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_DG_DG_SOLVER_HPP
#define TESSERA_DRIVER_DG_DG_SOLVER_HPP

#include "driver/solve.hpp"
#include "io/input/case.hpp"
#include "linalg/blocks/block_crs_operator.hpp"
#include "solvers/block/block_multigrid.hpp"
#include "solvers/krylov/bicgstab.hpp"
#include "solvers/krylov/gmres.hpp"
#include "solvers/krylov/pcg.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tessera::driver {

/// Solves systems with block matrices by the method and preconditioner of the input; keeps its vectors between solves.
template <class ExecutionSpace> class BlockSolver {
public:
  BlockSolver(const io::SolverInput& input, const SolverMonitor& monitor);

  /// Makes the preconditioner for a matrix. Block Gauss-Seidel processes the block rows in the given order, or colour
  /// by colour without one. `system`: the operator of which `a` is this process's part; null: `a` itself. It must
  /// outlive its use, until the next call.
  void set_up(const ExecutionSpace& exec, const linalg::BlockCrsOperator<ExecutionSpace>& a,
              const Array<const index_t*, ExecutionSpace>& order = {},
              const linalg::LinearOperator<ExecutionSpace>* system = nullptr);
  /// The same with multigrid, whose finest level is `a` or that of `system`.
  void set_up(const ExecutionSpace& exec, const comm::ProcessGroup<ExecutionSpace>& group,
              const linalg::BlockCrsOperator<ExecutionSpace>& a,
              const std::vector<solvers::BlockLevel<ExecutionSpace>>& levels,
              const linalg::LinearOperator<ExecutionSpace>* system = nullptr);
  /// Solves A x = b from x, with the matrix of set_up(). Failure to converge is reported in the result. If multigrid
  /// breaks down, block Jacobi is used instead, starting from zero.
  solvers::PcgResult solve(const ExecutionSpace& exec, const linalg::ConstVector<ExecutionSpace>& b,
                           const linalg::Vector<ExecutionSpace>& x);

  /// The levels of multigrid, if it is the preconditioner.
  std::vector<solvers::LevelSummary> levels() const;
  /// Why block Jacobi replaced multigrid; else empty.
  const std::string& fallback() const { return fallback_; }

private:
  solvers::PcgResult solve_once(const ExecutionSpace& exec, const linalg::ConstVector<ExecutionSpace>& b,
                                const linalg::Vector<ExecutionSpace>& x);
  void set_system(const linalg::BlockCrsOperator<ExecutionSpace>& a,
                  const linalg::LinearOperator<ExecutionSpace>* system);

  io::SolverMethod method_;
  io::Preconditioner kind_;
  solvers::MultigridOptions multigrid_;
  solvers::Pcg<ExecutionSpace> pcg_;
  solvers::Gmres<ExecutionSpace> gmres_;
  solvers::BiCgStab<ExecutionSpace> bicgstab_;
  std::optional<linalg::BlockCrsOperator<ExecutionSpace>> a_;
  const linalg::LinearOperator<ExecutionSpace>* system_ = nullptr;
  std::unique_ptr<solvers::Preconditioner<ExecutionSpace>> preconditioner_;
  std::string fallback_;
};

} // namespace tessera::driver

#endif
