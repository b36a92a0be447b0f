// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_SOLVERS_HARMONIC_SHIFTED_LEVELS_HPP
#define TESSERA_SOLVERS_HARMONIC_SHIFTED_LEVELS_HPP

/// \file
/// Multigrid levels of K + s M that serve every shift s.

#include "solvers/harmonic/pack_ghosts.hpp"
#include "solvers/harmonic/shifted_rows.hpp"
#include "solvers/multigrid/given_levels.hpp"
#include "solvers/multigrid/options.hpp"

#include <vector>

namespace tessera::solvers {

/// The levels in single precision, finest first. K and M are Galerkin products apart, P^T K P and P^T M P on one
/// pattern, with a real interpolation P: a new shift needs neither new values nor a new set-up. With several processes
/// each has its owned rows of distributed levels; coarser levels are replicated.
template <class ExecutionSpace> struct ShiftedLevels {
  using Space = typename ExecutionSpace::memory_space;
  struct Level {
    ShiftedRows<float, Space> a;
    linalg::SlicedMatrix<float, Space> p; ///< empty on the coarsest level, as r
    linalg::SlicedMatrix<float, Space> r; ///< transpose of P
    int n_visits = 1;                     ///< visits of the coarser level per visit of this one
    std::vector<std::int64_t> offsets;    ///< process r owns the unknowns [offsets[r], offsets[r + 1])
    PackGhosts<ExecutionSpace> a_ghosts, p_ghosts, r_ghosts; ///< for products with a, p and r

    bool is_distributed() const { return a_ghosts.is_distributed(); }
  };

  comm::ProcessGroup<ExecutionSpace> group;
  std::vector<Level> levels;
  ShiftedMatrix<Space> coarsest; ///< of the last level, in double precision
  double k_unit = 1.;            ///< powers of two by which K and M are divided in `levels`
  double m_unit = 1.;
  int degree = 2; ///< steps of the smoother before and after the coarser level

  std::int64_t bytes() const; ///< memory of the levels' arrays
};

/// Makes the levels from those of K alone: by the given interpolations of coarser meshes, then by smoothed aggregation
/// (solvers/multigrid/hierarchy.hpp). Aggregates must not come from K + s M with a shift above the one that is solved
/// for: unknowns where M dominates would not be coarsened. `guide`, on the same pattern, replaces K for the choice of
/// interpolations if K is not positive definite (insulators without any conductivity). Waits. Throws the errors of
/// make_hierarchy().
template <class ExecutionSpace>
ShiftedLevels<ExecutionSpace>
make_shifted_levels(const ExecutionSpace& exec, const ShiftedMatrix<typename ExecutionSpace::memory_space>& a,
                    GivenLevels<ExecutionSpace> given = {}, const MultigridOptions& options = {},
                    const Array<double*, typename ExecutionSpace::memory_space>& guide = {});

/// The same for owned rows of K and M, with the processes' unknowns and their numbering of columns; more than
/// replicated_size() of them, as the coarsest level has to be replicated. `sums` are over the unknowns. Collective.
template <class ExecutionSpace>
ShiftedLevels<ExecutionSpace>
make_shifted_levels(const ExecutionSpace& exec, const comm::ProcessGroup<ExecutionSpace>& group,
                    const linalg::GlobalSums<ExecutionSpace>& sums, const std::vector<std::int64_t>& offsets,
                    const comm::Layout<ExecutionSpace>& columns,
                    const ShiftedMatrix<typename ExecutionSpace::memory_space>& a, GivenLevels<ExecutionSpace> given,
                    const MultigridOptions& options,
                    const Array<double*, typename ExecutionSpace::memory_space>& guide = {});

} // namespace tessera::solvers

#endif
