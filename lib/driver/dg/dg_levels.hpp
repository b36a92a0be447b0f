// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_DG_DG_LEVELS_HPP
#define TESSERA_DRIVER_DG_DG_LEVELS_HPP

#include "comm/layout.hpp"
#include "fe/modal/modal_space.hpp"
#include "solvers/block/block_multigrid.hpp"

#include <vector>

namespace tessera::driver {

/// A level from which coarser ones are made. With several processes each has its owned elements followed by ghosts, and
/// the owned rows of matrices.
template <int Dim, class ExecutionSpace> struct DgLevel {
  using Space = typename ExecutionSpace::memory_space;
  comm::Shares<ExecutionSpace> shares; ///< distribution of the elements; {0, their number} if one process has all
  comm::Layout<ExecutionSpace> elements;
  fe::ModalSpace<Dim, Space> space;
  linalg::BlockCrsMatrix<Space> a;
  linalg::BlockCrsMatrix<Space> halved; ///< the form with half the penalty, with the same pattern
};

/// Makes the levels of multigrid for a discontinuous Galerkin matrix with diffusion: elements, agglomerates of them,
/// agglomerates of these and so on, with the same polynomials on each (docs/theory.md). The matrices are Galerkin
/// products P^T A P whose penalty decreases as agglomerates grow, which requires the matrix of half the penalty. The
/// bits are the same for any number of processes; levels with few unknowns (options) are replicated. Collective.
template <int Dim, class ExecutionSpace>
std::vector<solvers::BlockLevel<ExecutionSpace>> make_dg_levels(const ExecutionSpace& exec,
                                                                DgLevel<Dim, ExecutionSpace> finest,
                                                                const solvers::MultigridOptions& options);

} // namespace tessera::driver

#endif
