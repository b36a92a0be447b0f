// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_DG_DG_LEVELS_HPP
#define TESSERA_DRIVER_DG_DG_LEVELS_HPP

#include "fe/modal_space.hpp"
#include "linalg/own_and_ghosts.hpp"
#include "solvers/block_multigrid.hpp"

#include <vector>

namespace tessera::driver {

/// A level from which coarser ones are made. Of several processes each has its own elements and behind them ghosts, and
/// the own rows of matrices.
template <int Dim, class ExecutionSpace> struct DgLevel {
  using Space = typename ExecutionSpace::memory_space;
  linalg::Shares<ExecutionSpace> shares; ///< whose the elements are; {0, their number} where one process has all
  linalg::OwnAndGhosts<ExecutionSpace> elements;
  fe::ModalSpace<Dim, Space> space;
  linalg::BlockCrsMatrix<Space> a;
  linalg::BlockCrsMatrix<Space> halved; ///< of the same form with half the penalty, in the same pattern
};

/// Levels of multigrid for a discontinuous Galerkin matrix with diffusion: elements, agglomerates of them, agglomerates
/// of these and so on, with the same polynomials on each (docs/theory.md). They are Galerkin products P^T A P whose
/// penalty becomes weaker as agglomerates become larger, for which the matrix of half the penalty serves. The same bits
/// for any number of processes; levels of few unknowns (options) are whole in each. Collective.
template <int Dim, class ExecutionSpace>
std::vector<solvers::BlockLevel<ExecutionSpace>> make_dg_levels(const ExecutionSpace& exec,
                                                                DgLevel<Dim, ExecutionSpace> finest,
                                                                const solvers::MultigridOptions& options);

} // namespace tessera::driver

#endif
