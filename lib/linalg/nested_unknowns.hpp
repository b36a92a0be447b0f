// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_LINALG_NESTED_UNKNOWNS_HPP
#define TESSERA_LINALG_NESTED_UNKNOWNS_HPP

/// \file
/// Interpolation between nested levels, on each of which the unknowns are a subset of the next finer level's, for
/// processes that store their owned unknowns only.

#include "comm/layout.hpp"
#include "linalg/crs/crs_matrix.hpp"

#include <cstdint>
#include <vector>

namespace tessera::linalg {

/// The owned unknowns of a level. The identifier of an unknown on all levels is its index on the finest level. An
/// unknown that is not on the next coarser level is interpolated as the mean, with signs, of its two parents, which are
/// unknowns of both levels.
template <class MemorySpace> struct NestedUnknowns {
  int n_levels = 0;                       ///< number of coarser levels
  index_t n_finest = 0;                   ///< number of unknowns of all processes on the finest level; a parent with
                                          ///< this identifier does not exist
  Array<index_t*, MemorySpace> ids;       ///< [n], ascending
  Array<index_t*, MemorySpace> n_coarser; ///< [n], number of coarser levels that have the unknown
  /// [2 n], identifiers of the two parents from which the unknown is interpolated on the first level without it
  /// (bitwise complement: sign flipped). A parent n_finest has the value zero.
  Array<index_t*, MemorySpace> parents;
  /// The global index on the next coarser level of each identifier from `first_id` on, the owned unknowns of the
  /// finest level, so that coarsen() need not search for these. May be empty.
  Array<index_t*, MemorySpace> numbers;
  index_t first_id = 0;

  index_t n_unknowns() const { return static_cast<index_t>(ids.extent(0)); }
};

/// The interpolation's rows of the owned unknowns of the finer level.
template <class ExecutionSpace> struct InterpolationRows {
  CrsMatrix<typename ExecutionSpace::memory_space> matrix; ///< columns are global indices, ascending
  std::vector<std::int64_t> coarse_offsets; ///< process r owns the coarse unknowns [offsets[r], offsets[r + 1])
};

/// Makes the interpolation from the next coarser level, whose unknowns are in the order of the finer ones, and replaces
/// `unknowns` by those of that level. `columns`: owned unknowns and ghosts, as in the level's matrix; they include the
/// parents, where these have unknowns, of owned unknowns. Collective: exchanges the ghosts' identifiers and coarse
/// indices.
template <class ExecutionSpace>
InterpolationRows<ExecutionSpace> coarsen(const ExecutionSpace& exec, const comm::ProcessGroup<ExecutionSpace>& group,
                                          const comm::Layout<ExecutionSpace>& columns,
                                          NestedUnknowns<typename ExecutionSpace::memory_space>& unknowns);

/// Gathers the unknowns of all processes, of which r owns [offsets[r], offsets[r + 1]). Collective.
template <class ExecutionSpace>
NestedUnknowns<typename ExecutionSpace::memory_space>
gathered(const ExecutionSpace& exec, const comm::ProcessGroup<ExecutionSpace>& group,
         const std::vector<std::int64_t>& offsets, const NestedUnknowns<typename ExecutionSpace::memory_space>& owned);

} // namespace tessera::linalg

#endif
