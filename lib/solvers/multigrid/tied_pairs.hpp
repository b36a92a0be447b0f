// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_SOLVERS_MULTIGRID_TIED_PAIRS_HPP
#define TESSERA_SOLVERS_MULTIGRID_TIED_PAIRS_HPP

#include "linalg/prolongation.hpp"

namespace tessera::solvers {

/// The prolongation from a level on which the two unknowns of each tied pair are one; the others stay. Pairs are tied
/// if their coupling is nearly all of both diagonal entries, as on the two sides of a good conductor: a smoother scaled
/// by the diagonal barely changes their mean, and does so however fine the level is, so that the mean has to be solved
/// for on a level of its own before unknowns are merged along the conductor. Waits.
template <class ExecutionSpace>
linalg::Prolongation<typename ExecutionSpace::memory_space>
merge_tied_pairs(const ExecutionSpace& exec, const linalg::CrsMatrix<typename ExecutionSpace::memory_space>& a);

} // namespace tessera::solvers

#endif
