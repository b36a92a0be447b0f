// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_FE_MODAL_LEGENDRE_PRODUCTS_HPP
#define TESSERA_FE_MODAL_LEGENDRE_PRODUCTS_HPP

/// \file
/// Products of Legendre polynomials (fe/modal/legendre.hpp) and of their derivatives as sums of Legendre polynomials.

#include "core/types.hpp"

namespace tessera::fe {

/// L_i^(a) L_j^(b) = sum over m of c_m L_m, for first derivatives (a, b = 1) or none (0) and i, j up to `degree`. The
/// sum ends with m = i + j - a - b, and every second c_m is zero; without derivatives it begins with m = |i - j|.
template <class MemorySpace> struct LegendreProducts {
  int degree = 0;
  Array<const double*, MemorySpace> coefficients; ///< [2][2][degree + 1][degree + 1][2 degree + 1]

  /// The c_m, [2 degree + 1].
  KOKKOS_FUNCTION const double* operator()(int a, int b, int i, int j) const {
    return coefficients.data() + ((((2 * a + b) * (degree + 1)) + i) * (degree + 1) + j) * (2 * degree + 1);
  }
};

/// Makes the table for degrees up to half of max_legendre_degree.
template <class ExecutionSpace>
LegendreProducts<typename ExecutionSpace::memory_space> make_legendre_products(const ExecutionSpace& exec, int degree);

} // namespace tessera::fe

#endif
