// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_SOLVERS_MULTIGRID_GIVEN_LEVELS_HPP
#define TESSERA_SOLVERS_MULTIGRID_GIVEN_LEVELS_HPP

/// \file
/// Multigrid levels that are given beforehand: those of coarser meshes.

#include "linalg/nested_unknowns.hpp"
#include "linalg/prolongation.hpp"

#include <vector>

namespace tessera::solvers {

/// Interpolations between levels, finest first: the complete ones in a single process, or the data of the owned
/// unknowns in one of several. They are taken one after the other.
template <class ExecutionSpace> class GivenLevels {
public:
  using Space = typename ExecutionSpace::memory_space;

  GivenLevels() = default;
  /// For a single process.
  GivenLevels(std::vector<linalg::Prolongation<Space>> whole) // NOLINT: implicit
      : whole_(std::move(whole)) {}
  /// For the owned unknowns of the finest level.
  GivenLevels(linalg::NestedUnknowns<Space> nested) // NOLINT: implicit
      : nested_(std::move(nested)) {}

  /// Whether there is another level.
  bool has_next() const { return next_ < whole_.size() || nested_.n_levels > 0; }

  /// Returns the interpolation to a level whose matrix has these columns. A coarse unknown has the owner that it has on
  /// the finer level. Collective.
  linalg::InterpolationRows<ExecutionSpace> take(const ExecutionSpace& exec,
                                                 const comm::ProcessGroup<ExecutionSpace>& group,
                                                 const comm::Layout<ExecutionSpace>& columns);

  /// From here on levels are replicated; process r owned the unknowns [offsets[r], offsets[r + 1]) of this one.
  /// Collective.
  void gather(const ExecutionSpace& exec, const comm::ProcessGroup<ExecutionSpace>& group,
              const std::vector<std::int64_t>& offsets) {
    if (nested_.n_levels > 0)
      nested_ = linalg::gathered(exec, group, offsets, nested_);
  }

private:
  std::vector<linalg::Prolongation<Space>> whole_; ///< emptied one by one
  std::size_t next_ = 0;
  linalg::NestedUnknowns<Space> nested_; ///< of the next level
};

} // namespace tessera::solvers

#endif
