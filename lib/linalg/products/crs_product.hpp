// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_LINALG_PRODUCTS_CRS_PRODUCT_HPP
#define TESSERA_LINALG_PRODUCTS_CRS_PRODUCT_HPP

/// \file
/// Products and transposes of CRS matrices, which may be rectangular. Every sum has a fixed order: the same bits on
/// every backend.

#include "linalg/crs/crs_matrix.hpp"

namespace tessera::linalg {

/// C = A B with ascending columns. The columns of A index rows of B.
template <class ExecutionSpace, class MemorySpace>
CrsMatrix<MemorySpace> product(const ExecutionSpace& exec, const CrsMatrix<MemorySpace>& a,
                               const CrsMatrix<MemorySpace>& b);

/// Recomputes the values of C = A B, whose pattern includes that of the product. The terms of an entry are added in the
/// order of the row of A.
template <class ExecutionSpace, class MemorySpace>
void renew_product(const ExecutionSpace& exec, const CrsMatrix<MemorySpace>& a, const CrsMatrix<MemorySpace>& b,
                   const CrsMatrix<MemorySpace>& c);

/// A^T of a matrix with n_cols columns, with ascending columns. Queued kernels still read A on return.
template <class ExecutionSpace, class MemorySpace>
CrsMatrix<MemorySpace> transposed(const ExecutionSpace& exec, const CrsMatrix<MemorySpace>& a, index_t n_cols);

} // namespace tessera::linalg

#endif
