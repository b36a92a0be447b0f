// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_LINALG_ROW_EXCHANGE_HPP
#define TESSERA_LINALG_ROW_EXCHANGE_HPP

/// \file
/// Rows of matrices that are distributed over processes, sent to others between the memories of the devices. Columns
/// are numbers among all. All functions are collective.

#include "linalg/own_and_ghosts.hpp"

#include <cstdint>
#include <vector>

namespace tessera::linalg {

/// What rows consist of.
enum class RowParts { columns_and_values, columns, values };

/// The rows of a halo's ghosts, in their order. Of parts other than both `own` has, and the result gets, no others.
template <class ExecutionSpace>
CrsMatrix<typename ExecutionSpace::memory_space>
rows_of_ghosts(const ExecutionSpace& exec, const comm::Halo<ExecutionSpace>& halo,
               const CrsMatrix<typename ExecutionSpace::memory_space>& own,
               RowParts parts = RowParts::columns_and_values);

/// The own rows, and behind them those of the ghosts.
template <class ExecutionSpace>
CrsMatrix<typename ExecutionSpace::memory_space>
with_ghost_rows(const ExecutionSpace& exec, const OwnAndGhosts<ExecutionSpace>& ghosts,
                const CrsMatrix<typename ExecutionSpace::memory_space>& own);

/// The rows of all processes, on each.
template <class ExecutionSpace>
CrsMatrix<typename ExecutionSpace::memory_space>
gathered_rows(const ExecutionSpace& exec, const comm::Group<ExecutionSpace>& group,
              const std::vector<std::int64_t>& offsets, const CrsMatrix<typename ExecutionSpace::memory_space>& own);

/// Rows with the columns that they have.
template <class ExecutionSpace> struct DistributedMatrix {
  CrsMatrix<typename ExecutionSpace::memory_space> rows;
  OwnAndGhosts<ExecutionSpace> columns;
};

/// The transpose of a matrix of which process r has the rows [row_offsets[r], row_offsets[r + 1]): it gets the rows
/// [column_offsets[r], column_offsets[r + 1]) of the transpose, the terms in the order that they have in the whole.
template <class ExecutionSpace>
DistributedMatrix<ExecutionSpace> transposed(const ExecutionSpace& exec, const comm::Group<ExecutionSpace>& group,
                                             const std::vector<std::int64_t>& row_offsets,
                                             const std::vector<std::int64_t>& column_offsets,
                                             const CrsMatrix<typename ExecutionSpace::memory_space>& own);

} // namespace tessera::linalg

#endif
