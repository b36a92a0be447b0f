// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_TESTS_SUPPORT_DIRECT_SOLVE_HPP
#define TESSERA_TESTS_SUPPORT_DIRECT_SOLVE_HPP

/// \file
/// Plain direct solver, the reference for testing all others.

#include "core/error.hpp"
#include "linalg/crs/crs_matrix.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace tessera::test {

/// Solves A x = b on the host, serially, by Cholesky factorisation within the envelope of the lower triangle (A.
/// George, J. W. Liu, Computer Solution of Large Sparse Positive Definite Systems, 1981, chapter 4). Throws an Error of
/// kind numerical if a pivot is not positive.
inline std::vector<double> solve_directly(const linalg::CrsMatrix<HostMemory>& a, const std::vector<double>& b) {
  const auto n = static_cast<std::size_t>(a.n_rows());
  TESSERA_REQUIRE(b.size() == n, "The right-hand side has " << b.size() << " entries, the matrix " << n << " rows.");

  // Row i of the factor has the columns first[i] ... i.
  std::vector<std::vector<double>> rows(n);
  std::vector<std::size_t> first(n);
  for (std::size_t i = 0; i < n; ++i) {
    const auto begin = static_cast<std::size_t>(a.offsets(i));
    const auto end = static_cast<std::size_t>(a.offsets(i + 1));
    first[i] = i;
    for (std::size_t k = begin; k < end; ++k)
      first[i] = std::min(first[i], static_cast<std::size_t>(a.columns(k)));
    rows[i].assign(i - first[i] + 1, 0.);
    for (std::size_t k = begin; k < end; ++k) {
      const auto j = static_cast<std::size_t>(a.columns(k));
      if (j <= i)
        rows[i][j - first[i]] += a.values(k);
    }
  }

  for (std::size_t i = 0; i < n; ++i) {
    std::vector<double>& row = rows[i];
    for (std::size_t j = first[i]; j <= i; ++j) {
      double sum = row[j - first[i]];
      for (std::size_t k = std::max(first[i], first[j]); k < j; ++k)
        sum -= row[k - first[i]] * rows[j][k - first[j]];
      if (j < i) {
        row[j - first[i]] = sum / rows[j].back();
      } else {
        TESSERA_REQUIRE_KIND(sum > 0., ErrorKind::numerical,
                             "Cholesky: the matrix is not positive definite: pivot " << sum << " of unknown " << i
                                                                                     << ".");
        row.back() = std::sqrt(sum);
      }
    }
  }

  std::vector<double> x = b;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = first[i]; j < i; ++j)
      x[i] -= rows[i][j - first[i]] * x[j];
    x[i] /= rows[i].back();
  }
  for (std::size_t i = n; i-- > 0;) {
    x[i] /= rows[i].back();
    for (std::size_t j = first[i]; j < i; ++j)
      x[j] -= rows[i][j - first[i]] * x[i];
  }
  return x;
}

} // namespace tessera::test

#endif
