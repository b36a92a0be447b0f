// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_SOLVERS_MULTIGRID_COARSE_COUPLING_HPP
#define TESSERA_SOLVERS_MULTIGRID_COARSE_COUPLING_HPP

/// \file
/// Tests whether the unknowns of a coarser mesh suit a matrix.

#include "comm/layout.hpp"
#include "linalg/crs/crs_matrix.hpp"

namespace tessera::solvers {

/// Fraction of the unknowns that are loosely coupled to the unknowns of the coarser mesh: random walks from there along
/// the entries of the matrix, with probabilities proportional to their absolute values, have not reached any of these
/// after four steps with a probability above 0.87, or above 0.965 if the coarser mesh has less than a sixth of the
/// unknowns, as in 3D. In squares the probability is at most 0.25, in cubes 0.78; if elements are stretched or a
/// coefficient is anisotropic by more than about 4.5 : 1 in length, walks run along the unknowns between coarse ones.
/// Smoothing leaves errors there that the coarser mesh cannot represent (compatible relaxation: O. E. Livne, Numer.
/// Linear Algebra Appl. 11, 2004). A row of `prolongation` with the single value 1 belongs to an unknown of the coarser
/// mesh. `a`: owned rows, `diagonal` for owned unknowns and ghosts. The result is the same for any number of processes.
/// Waits; collective.
template <class ExecutionSpace>
double loosely_coupled_share(const ExecutionSpace& exec, const comm::ProcessGroup<ExecutionSpace>& group,
                             const linalg::CrsMatrix<typename ExecutionSpace::memory_space>& a,
                             const comm::Layout<ExecutionSpace>& columns,
                             const linalg::ConstVector<ExecutionSpace>& diagonal,
                             const linalg::CrsMatrix<typename ExecutionSpace::memory_space>& prolongation,
                             std::int64_t n_unknowns, std::int64_t n_coarse);

} // namespace tessera::solvers

#endif
