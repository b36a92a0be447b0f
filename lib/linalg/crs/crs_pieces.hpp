// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_LINALG_CRS_CRS_PIECES_HPP
#define TESSERA_LINALG_CRS_CRS_PIECES_HPP

/// \file
/// Extracts and joins rows of CRS matrices.

#include "linalg/crs/crs_matrix.hpp"

#include <vector>

namespace tessera::linalg {

/// The rows [begin, end). Shares columns and values.
template <class ExecutionSpace, class MemorySpace>
CrsMatrix<MemorySpace> cut_rows(const ExecutionSpace& exec, const CrsMatrix<MemorySpace>& a, index_t begin,
                                index_t end);

/// A copy of the listed rows, in the order of the list. Columns or values may be missing in `a` and are then missing in
/// the result.
template <class ExecutionSpace, class MemorySpace>
CrsMatrix<MemorySpace> select_rows(const ExecutionSpace& exec, const CrsMatrix<MemorySpace>& a,
                                   const Array<index_t*, MemorySpace>& rows);

/// The rows of all pieces, one piece after the other, copied; without values if no piece has any.
template <class ExecutionSpace, class MemorySpace>
CrsMatrix<MemorySpace> stacked_rows(const ExecutionSpace& exec, const std::vector<CrsMatrix<MemorySpace>>& pieces);

} // namespace tessera::linalg

#endif
