// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_LINALG_NESTED_UNKNOWNS_HPP
#define TESSERA_LINALG_NESTED_UNKNOWNS_HPP

/// \file
/// Interpolation between levels each of whose unknowns are some of the next finer one's, for processes that know their
/// own unknowns alone.

#include "linalg/own_and_ghosts.hpp"

#include <cstdint>
#include <vector>

namespace tessera::linalg {

/// What a process knows of its own unknowns of a level, whose names on all levels are their numbers on the finest. An
/// unknown that the next coarser level lacks takes the mean of its two parents, which are unknowns of both levels, with
/// signs.
template <class MemorySpace> struct NestedUnknowns {
  int n_levels = 0;                       ///< coarser than this one
  index_t n_finest = 0;                   ///< unknowns of all processes on the finest level; stands for no parent
  Array<index_t*, MemorySpace> names;     ///< [n], ascending
  Array<index_t*, MemorySpace> n_coarser; ///< [n], so many of the coarser levels have it
  /// [2 n], names of those that give it its value where no coarser level has it; ~name: with the opposite sign. One
  /// that is n_finest has the value zero.
  Array<index_t*, MemorySpace> parents;
  /// Room for the number on the next coarser level of each name from `first_name` on, those of the own unknowns of the
  /// finest level: what coarsen() needs there is not searched for. May be empty.
  Array<index_t*, MemorySpace> numbers;
  index_t first_name = 0;

  index_t n_unknowns() const { return static_cast<index_t>(names.extent(0)); }
};

/// Rows of an interpolation, of the own unknowns of the finer level.
template <class ExecutionSpace> struct InterpolationRows {
  CrsMatrix<typename ExecutionSpace::memory_space> matrix; ///< columns are numbers among all, ascending
  std::vector<std::int64_t>
      coarse_offsets; ///< process r has the coarse unknowns [offsets[r], offsets[r + 1]) of its own
};

/// Makes the interpolation from the next coarser level, whose unknowns are in the order of the finer ones, and replaces
/// `unknowns` by those of that level. `columns`: own unknowns and ghosts, among which the parents of the own ones are
/// that have unknowns: those of the level's matrix. Collective: gets the ghosts' names and coarse numbers.
template <class ExecutionSpace>
InterpolationRows<ExecutionSpace> coarsen(const ExecutionSpace& exec, const comm::Group<ExecutionSpace>& group,
                                          const OwnAndGhosts<ExecutionSpace>& columns,
                                          NestedUnknowns<typename ExecutionSpace::memory_space>& unknowns);

/// Those of all processes, of which r has [offsets[r], offsets[r + 1]). Collective.
template <class ExecutionSpace>
NestedUnknowns<typename ExecutionSpace::memory_space>
gathered(const ExecutionSpace& exec, const comm::Group<ExecutionSpace>& group, const std::vector<std::int64_t>& offsets,
         const NestedUnknowns<typename ExecutionSpace::memory_space>& own);

} // namespace tessera::linalg

#endif
