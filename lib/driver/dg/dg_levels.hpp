// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_DG_DG_LEVELS_HPP
#define TESSERA_DRIVER_DG_DG_LEVELS_HPP

#include "assembly/dg/assembler.hpp"
#include "solvers/block_multigrid.hpp"

namespace tessera::driver {

/// Levels of multigrid for a discontinuous Galerkin matrix with diffusion: elements, agglomerates of them, agglomerates
/// of these and so on, with the same polynomials on each (docs/theory.md). `halved` is the matrix of the same form with
/// half the penalty, in the same pattern: the levels are Galerkin products P^T A P whose penalty becomes weaker as
/// agglomerates become larger.
template <class ExecutionSpace, int Dim>
std::vector<solvers::BlockLevel<typename ExecutionSpace::memory_space>>
make_dg_levels(const ExecutionSpace& exec, const fe::ModalSpace<Dim, typename ExecutionSpace::memory_space>& space,
               const linalg::BlockCrsMatrix<typename ExecutionSpace::memory_space>& a,
               const linalg::BlockCrsMatrix<typename ExecutionSpace::memory_space>& halved,
               const solvers::MultigridOptions& options);

} // namespace tessera::driver

#endif
