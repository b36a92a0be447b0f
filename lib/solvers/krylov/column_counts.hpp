// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_SOLVERS_KRYLOV_COLUMN_COUNTS_HPP
#define TESSERA_SOLVERS_KRYLOV_COLUMN_COUNTS_HPP

/// \file
/// Number of right-hand sides solved together; without Kokkos.

namespace tessera::solvers {

constexpr int few_columns = 4;
constexpr int most_columns = 8;

/// The smallest compiled number of columns that fits `n` right-hand sides, at most `limit`; 1: one by one.
constexpr int columns_for(int n, int limit = most_columns) {
  if (n > few_columns && limit >= most_columns)
    return most_columns;
  return n > 1 && limit >= few_columns ? few_columns : 1;
}

} // namespace tessera::solvers

#endif
