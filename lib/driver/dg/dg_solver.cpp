// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/dg/dg_solver.hpp"

#include "core/kokkos_ext/spaces.hpp"
#include "driver/solution/linear_solver.hpp"
#include "solvers/block/block_gauss_seidel.hpp"
#include "solvers/block/block_jacobi.hpp"
#include "solvers/jacobi.hpp"
#include "solvers/krylov/gmres.hpp"
#include "solvers/krylov/pcg.hpp"

namespace tessera::driver {

namespace {

template <class ExecutionSpace>
std::unique_ptr<solvers::Preconditioner<ExecutionSpace>>
make_block_preconditioner(const ExecutionSpace& exec, io::Preconditioner kind,
                          const linalg::BlockCrsOperator<ExecutionSpace>& a, solvers::GaussSeidelSweep sweep,
                          const Array<const index_t*, ExecutionSpace>& order) {
  switch (kind) {
  case io::Preconditioner::none:
    return std::make_unique<solvers::Identity<ExecutionSpace>>(a.size());
  case io::Preconditioner::jacobi:
    return std::make_unique<solvers::Jacobi<ExecutionSpace>>(exec, a);
  case io::Preconditioner::block_gauss_seidel:
    return std::make_unique<solvers::BlockGaussSeidel<ExecutionSpace>>(
        exec, a, sweep,
        order.extent(0) > 0 ? solvers::levels_by_order(exec, a.matrix(), order)
                            : solvers::levels_by_color(exec, a.matrix()));
  default:
    return std::make_unique<solvers::BlockJacobi<ExecutionSpace>>(exec, a);
  }
}

/// Number of unknowns of an element up to which the inverse of its block has enough digits in single precision.
constexpr int largest_single_block = 20;

solvers::GmresOptions gmres_options(const io::SolverInput& input) {
  solvers::GmresOptions options;
  set_options(input, options);
  options.restart = input.restart;
  return options;
}

template <class Options> Options with_monitor(Options options, const SolverMonitor& monitor) {
  options.monitor = monitor;
  return options;
}

} // namespace

template <class ExecutionSpace>
BlockSolver<ExecutionSpace>::BlockSolver(const io::SolverInput& input, const SolverMonitor& monitor)
    : method_(input.method), kind_(input.preconditioner), multigrid_(input.multigrid),
      pcg_(with_monitor(pcg_options(input), monitor)), gmres_(with_monitor(gmres_options(input), monitor)),
      bicgstab_(with_monitor(gmres_options(input), monitor)) {}

template <class ExecutionSpace>
void BlockSolver<ExecutionSpace>::set_system(const linalg::BlockCrsOperator<ExecutionSpace>& a,
                                             const linalg::LinearOperator<ExecutionSpace>* system) {
  a_.emplace(a);
  system_ = system != nullptr ? system : &*a_;
}

template <class ExecutionSpace>
void BlockSolver<ExecutionSpace>::set_up(const ExecutionSpace& exec, const linalg::BlockCrsOperator<ExecutionSpace>& a,
                                         const Array<const index_t*, ExecutionSpace>& order,
                                         const linalg::LinearOperator<ExecutionSpace>* system) {
  const bool is_pcg = method_ == io::SolverMethod::pcg; // needs a symmetric preconditioner
  set_system(a, system);
  preconditioner_ = make_block_preconditioner(
      exec, kind_, *a_, is_pcg ? solvers::GaussSeidelSweep::symmetric : solvers::GaussSeidelSweep::forward, order);
}

template <class ExecutionSpace>
void BlockSolver<ExecutionSpace>::set_up(const ExecutionSpace& exec, const comm::ProcessGroup<ExecutionSpace>& group,
                                         const linalg::BlockCrsOperator<ExecutionSpace>& a,
                                         const std::vector<solvers::BlockLevel<ExecutionSpace>>& levels,
                                         const linalg::LinearOperator<ExecutionSpace>* system) {
  if (!fallback_.empty()) // for an earlier matrix
    return set_up(exec, a, {}, system);
  set_system(a, system);
  solvers::MultigridOptions options = multigrid_;
  if (a.matrix().largest_block > largest_single_block)
    options.precision = Precision::double_precision;
  preconditioner_ = std::make_unique<solvers::BlockMultigrid<ExecutionSpace>>(
      exec, group, levels, a.is_symmetric() ? linalg::Symmetry::symmetric : linalg::Symmetry::general, options);
}

template <class ExecutionSpace>
solvers::PcgResult BlockSolver<ExecutionSpace>::solve(const ExecutionSpace& exec,
                                                      const linalg::ConstVector<ExecutionSpace>& b,
                                                      const linalg::Vector<ExecutionSpace>& x) {
  const solvers::PcgResult result = solve_once(exec, b, x);
  if (kind_ != io::Preconditioner::multigrid || result.status != solvers::SolverStatus::breakdown)
    return result;
  fallback_ = result.message;
  kind_ = io::Preconditioner::block_jacobi;
  preconditioner_ = std::make_unique<solvers::BlockJacobi<ExecutionSpace>>(exec, *a_);
  fill(exec, x, 0.); // the values may not be finite
  return solve_once(exec, b, x);
}

template <class ExecutionSpace>
solvers::PcgResult BlockSolver<ExecutionSpace>::solve_once(const ExecutionSpace& exec,
                                                           const linalg::ConstVector<ExecutionSpace>& b,
                                                           const linalg::Vector<ExecutionSpace>& x) {
  if (method_ == io::SolverMethod::pcg)
    return pcg_.solve(exec, *system_, *preconditioner_, b, x);
  solvers::PcgResult result;
  static_cast<solvers::SolverResult&>(result) = method_ == io::SolverMethod::bicgstab
                                                    ? bicgstab_.solve(exec, *system_, *preconditioner_, b, x)
                                                    : gmres_.solve(exec, *system_, *preconditioner_, b, x);
  return result;
}

template <class ExecutionSpace> std::vector<solvers::LevelSummary> BlockSolver<ExecutionSpace>::levels() const {
  const auto* multigrid = dynamic_cast<const solvers::BlockMultigrid<ExecutionSpace>*>(preconditioner_.get());
  return multigrid != nullptr ? multigrid->levels() : std::vector<solvers::LevelSummary>();
}

#define TESSERA_INSTANTIATE(SPACE) template class BlockSolver<SPACE>;
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)

} // namespace tessera::driver
