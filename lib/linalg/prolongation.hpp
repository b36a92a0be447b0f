// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_LINALG_PROLONGATION_HPP
#define TESSERA_LINALG_PROLONGATION_HPP

#include "linalg/crs/crs_matrix.hpp"

namespace tessera::linalg {

/// Interpolation matrix from the unknowns of a coarser level to those of the next finer one.
template <class MemorySpace> struct Prolongation {
  CrsMatrix<MemorySpace> matrix; ///< [n_fine x n_coarse], ascending columns
  index_t n_coarse = 0;
};

} // namespace tessera::linalg

#endif
