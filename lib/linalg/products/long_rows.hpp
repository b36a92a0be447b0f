// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_LINALG_PRODUCTS_LONG_ROWS_HPP
#define TESSERA_LINALG_PRODUCTS_LONG_ROWS_HPP

/// \file
/// Rows of a sparse product that do not fit the first form of its kernels; private to crs_product.cpp.

#include "linalg/crs/crs_matrix.hpp"

namespace tessera::linalg::detail {

/// A list to which kernels append, in any order: the results of rows are independent.
template <class Space> struct LongRows {
  Array<index_t*, Space> rows; ///< [rows of the matrix]
  std::int64_t* count;         ///< in the space's memory; 0 at first

  KOKKOS_FUNCTION void add(index_t row) const { rows(Kokkos::atomic_fetch_add(count, std::int64_t(1))) = row; }
  KOKKOS_FUNCTION std::int64_t size() const { return *count; }
};

} // namespace tessera::linalg::detail

#endif
