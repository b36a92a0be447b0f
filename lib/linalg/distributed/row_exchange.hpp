// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_LINALG_DISTRIBUTED_ROW_EXCHANGE_HPP
#define TESSERA_LINALG_DISTRIBUTED_ROW_EXCHANGE_HPP

/// \file
/// Exchange of matrix rows that are distributed over processes, between the memories of the devices. Columns are global
/// indices. All functions are collective.

#include "comm/layout.hpp"
#include "linalg/crs/crs_matrix.hpp"

#include <cstdint>
#include <vector>

namespace tessera::linalg {

/// Data of rows to be exchanged.
enum class RowParts { columns_and_values, columns, values };

/// The rows of a halo's ghosts, in their order. `owned` needs to have, and the result gets, only the given data.
template <class ExecutionSpace>
CrsMatrix<typename ExecutionSpace::memory_space>
rows_of_ghosts(const ExecutionSpace& exec, const comm::Halo<ExecutionSpace>& halo,
               const CrsMatrix<typename ExecutionSpace::memory_space>& owned,
               RowParts parts = RowParts::columns_and_values);

/// The rows with global column indices. Shares offsets and values.
template <class ExecutionSpace>
CrsMatrix<typename ExecutionSpace::memory_space>
with_global_columns(const ExecutionSpace& exec, const comm::Layout<ExecutionSpace>& columns,
                    const CrsMatrix<typename ExecutionSpace::memory_space>& rows);

/// The owned rows, followed by those of the ghosts.
template <class ExecutionSpace>
CrsMatrix<typename ExecutionSpace::memory_space>
with_ghost_rows(const ExecutionSpace& exec, const comm::Layout<ExecutionSpace>& ghosts,
                const CrsMatrix<typename ExecutionSpace::memory_space>& owned);

/// The rows of all processes, replicated on each.
template <class ExecutionSpace>
CrsMatrix<typename ExecutionSpace::memory_space>
gathered_rows(const ExecutionSpace& exec, const comm::ProcessGroup<ExecutionSpace>& group,
              const std::vector<std::int64_t>& offsets, const CrsMatrix<typename ExecutionSpace::memory_space>& owned);

/// Owned rows and the numbering of their columns.
template <class ExecutionSpace> struct DistributedMatrix {
  CrsMatrix<typename ExecutionSpace::memory_space> rows;
  comm::Layout<ExecutionSpace> columns;
};

/// The transpose of a matrix of which process r has the rows [row_offsets[r], row_offsets[r + 1]): process r gets the
/// rows [column_offsets[r], column_offsets[r + 1]) of the transpose, with the terms in the order of the undistributed
/// transpose.
template <class ExecutionSpace>
DistributedMatrix<ExecutionSpace>
transposed(const ExecutionSpace& exec, const comm::ProcessGroup<ExecutionSpace>& group,
           const std::vector<std::int64_t>& row_offsets, const std::vector<std::int64_t>& column_offsets,
           const CrsMatrix<typename ExecutionSpace::memory_space>& owned);

} // namespace tessera::linalg

#endif
