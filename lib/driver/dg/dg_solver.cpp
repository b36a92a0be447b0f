// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/dg/dg_solver.hpp"

#include "core/kokkos_ext/spaces.hpp"
#include "driver/linear_solver.hpp"
#include "solvers/bicgstab.hpp"
#include "solvers/block_gauss_seidel.hpp"
#include "solvers/block_jacobi.hpp"
#include "solvers/gmres.hpp"
#include "solvers/jacobi.hpp"
#include "solvers/pcg.hpp"

namespace tessera::driver {

namespace {

template <class ExecutionSpace>
std::unique_ptr<solvers::Preconditioner<ExecutionSpace>>
make_block_preconditioner(const ExecutionSpace& exec, io::Preconditioner kind,
                          const linalg::BlockCrsOperator<ExecutionSpace>& a, solvers::Sweep sweep) {
  switch (kind) {
  case io::Preconditioner::none:
    return std::make_unique<solvers::Identity<ExecutionSpace>>();
  case io::Preconditioner::jacobi:
    return std::make_unique<solvers::Jacobi<ExecutionSpace>>(exec, a);
  case io::Preconditioner::block_gauss_seidel:
    return std::make_unique<solvers::BlockGaussSeidel<ExecutionSpace>>(exec, a, sweep);
  default:
    return std::make_unique<solvers::BlockJacobi<ExecutionSpace>>(exec, a);
  }
}

} // namespace

template <class ExecutionSpace>
solvers::PcgResult solve_blocks(const ExecutionSpace& exec, const io::SolverOptions& input,
                                const linalg::BlockCrsOperator<ExecutionSpace>& a,
                                const linalg::ConstVector<ExecutionSpace>& b, const linalg::Vector<ExecutionSpace>& x,
                                const PhaseRunner& run, const SolverMonitor& monitor) {
  std::unique_ptr<solvers::Preconditioner<ExecutionSpace>> preconditioner;
  const bool is_pcg = input.method == io::SolverMethod::pcg; // needs a symmetric preconditioner
  run("solver: set-up", [&] {
    preconditioner = make_block_preconditioner(exec, input.preconditioner, a,
                                               is_pcg ? solvers::Sweep::symmetric : solvers::Sweep::forward);
  });
  solvers::GmresOptions gmres;
  set_options(input, gmres);
  gmres.restart = input.restart;
  gmres.monitor = monitor;
  solvers::PcgOptions pcg = pcg_options(input);
  pcg.monitor = monitor;
  solvers::PcgResult result;
  run("solver: " + io::name_of(input.method), [&] {
    if (is_pcg)
      result = solvers::Pcg<ExecutionSpace>(pcg).solve(exec, a, *preconditioner, b, x);
    else if (input.method == io::SolverMethod::bicgstab)
      static_cast<solvers::SolverResult&>(result) =
          solvers::BiCgStab<ExecutionSpace>(gmres).solve(exec, a, *preconditioner, b, x);
    else
      static_cast<solvers::SolverResult&>(result) =
          solvers::Gmres<ExecutionSpace>(gmres).solve(exec, a, *preconditioner, b, x);
  });
  return result;
}

#define TESSERA_INSTANTIATE(SPACE)                                                                                     \
  template solvers::PcgResult solve_blocks<SPACE>(                                                                     \
      const SPACE&, const io::SolverOptions&, const linalg::BlockCrsOperator<SPACE>&,                                  \
      const linalg::ConstVector<SPACE>&, const linalg::Vector<SPACE>&, const PhaseRunner&, const SolverMonitor&);
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)

} // namespace tessera::driver
