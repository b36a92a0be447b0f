// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_SOLVERS_MULTIGRID_GIVEN_LEVELS_HPP
#define TESSERA_SOLVERS_MULTIGRID_GIVEN_LEVELS_HPP

/// \file
/// Levels of multigrid that are known beforehand: those of coarser meshes.

#include "linalg/nested_unknowns.hpp"
#include "linalg/prolongation.hpp"

#include <vector>

namespace tessera::solvers {

/// Interpolations between levels, finest first: those of one process, or what one of several knows of its own unknowns.
/// They are taken one after the other.
template <class ExecutionSpace> class GivenLevels {
public:
  using Space = typename ExecutionSpace::memory_space;

  GivenLevels() = default;
  /// Of one process.
  GivenLevels(std::vector<linalg::Prolongation<Space>> whole) // NOLINT: implicit
      : whole_(std::move(whole)) {}
  /// Of the own unknowns of the finest level.
  GivenLevels(linalg::NestedUnknowns<Space> nested) // NOLINT: implicit
      : nested_(std::move(nested)) {}

  /// Whether there is one more.
  bool has_next() const { return next_ < whole_.size() || nested_.n_levels > 0; }

  /// Takes the interpolation to a level whose matrix has these columns. A coarse unknown is its process's that has it
  /// on the finer level. Collective.
  linalg::InterpolationRows<ExecutionSpace> take(const ExecutionSpace& exec, const comm::Group<ExecutionSpace>& group,
                                                 const linalg::OwnAndGhosts<ExecutionSpace>& columns);

  /// From here on every process has the level whole, of which r had [offsets[r], offsets[r + 1]). Collective.
  void gather(const ExecutionSpace& exec, const comm::Group<ExecutionSpace>& group,
              const std::vector<std::int64_t>& offsets) {
    if (nested_.n_levels > 0)
      nested_ = linalg::gathered(exec, group, offsets, nested_);
  }

private:
  std::vector<linalg::Prolongation<Space>> whole_; ///< emptied one after the other
  std::size_t next_ = 0;
  linalg::NestedUnknowns<Space> nested_; ///< of the level that is next
};

} // namespace tessera::solvers

#endif
