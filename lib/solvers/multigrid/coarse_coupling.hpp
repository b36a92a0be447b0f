// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_SOLVERS_MULTIGRID_COARSE_COUPLING_HPP
#define TESSERA_SOLVERS_MULTIGRID_COARSE_COUPLING_HPP

/// \file
/// Whether the unknowns of a coarser mesh suit a matrix.

#include "linalg/own_and_ghosts.hpp"

namespace tessera::solvers {

/// Share of the unknowns that hardly any path of couplings connects to unknowns of the coarser mesh: walks from there
/// along the entries of the matrix, with probabilities by their absolute values, have reached none of these after four
/// steps with a probability above 0.87, or 0.965 where the coarser mesh has less than a sixth of the unknowns, as in
/// space. In squares that is at most 0.25, in cubes 0.78; where elements are stretched or a coefficient is anisotropic
/// by more than some 4.5 : 1 in length, walks run along the unknowns between coarse ones. There smoothing leaves errors
/// that the coarser mesh does not know (compatible relaxation: O. E. Livne, Numer. Linear Algebra Appl. 11, 2004). A
/// row of `prolongation` with the value 1 alone is that of an unknown of the coarser mesh. `a`: own rows, `diagonal` of
/// own unknowns and ghosts. The same for any number of processes. Waits; collective.
template <class ExecutionSpace>
double loosely_coupled_share(const ExecutionSpace& exec, const comm::Group<ExecutionSpace>& group,
                             const linalg::CrsMatrix<typename ExecutionSpace::memory_space>& a,
                             const linalg::OwnAndGhosts<ExecutionSpace>& columns,
                             const linalg::ConstVector<ExecutionSpace>& diagonal,
                             const linalg::CrsMatrix<typename ExecutionSpace::memory_space>& prolongation,
                             std::int64_t n_unknowns, std::int64_t n_coarse);

} // namespace tessera::solvers

#endif
