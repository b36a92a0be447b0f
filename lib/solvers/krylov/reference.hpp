// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_SOLVERS_KRYLOV_REFERENCE_HPP
#define TESSERA_SOLVERS_KRYLOV_REFERENCE_HPP

/// \file
/// Plain direct solver, the reference for testing all others.

#include "linalg/crs/crs_matrix.hpp"

#include <vector>

namespace tessera::solvers {

/// Solves A x = b on the host, serially, by Cholesky factorisation within the envelope of the lower triangle (A.
/// George, J. W. Liu, Computer Solution of Large Sparse Positive Definite Systems, 1981, chapter 4). Storage and work
/// are those of the envelope: meant for tests of some thousand unknowns. Throws an Error of kind numerical if a pivot
/// is not positive.
std::vector<double> solve_reference(const linalg::CrsMatrix<HostMemory>& a, const std::vector<double>& b);

} // namespace tessera::solvers

#endif
