// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_SOLVERS_HARMONIC_SMALL_SYSTEMS_HPP
#define TESSERA_SOLVERS_HARMONIC_SMALL_SYSTEMS_HPP

#include <cmath>
#include <complex>
#include <utility>
#include <vector>

namespace tessera::solvers {

using SmallComplex = std::vector<std::vector<std::complex<double>>>; ///< small matrix, row by row

/// Solves A X = B on the host by Gauss-Jordan elimination with partial pivoting; empty if A is singular.
inline SmallComplex solved(SmallComplex a, SmallComplex b) {
  for (std::size_t p = 0; p < a.size(); ++p) {
    std::size_t largest = p;
    for (std::size_t i = p + 1; i < a.size(); ++i)
      if (std::abs(a[i][p]) > std::abs(a[largest][p]))
        largest = i;
    std::swap(a[p], a[largest]);
    std::swap(b[p], b[largest]);
    const std::complex<double> pivot = a[p][p];
    if (!(std::abs(pivot) > 0.) || !std::isfinite(std::abs(pivot)))
      return {};
    for (SmallComplex* const rows : {&a, &b}) {
      for (auto& value : (*rows)[p])
        value /= pivot;
    }
    for (std::size_t i = 0; i < a.size(); ++i) {
      if (i == p)
        continue;
      const std::complex<double> factor = a[i][p];
      for (SmallComplex* const rows : {&a, &b})
        for (std::size_t j = 0; j < (*rows)[i].size(); ++j)
          (*rows)[i][j] -= factor * (*rows)[p][j];
    }
  }
  return b;
}

} // namespace tessera::solvers

#endif
