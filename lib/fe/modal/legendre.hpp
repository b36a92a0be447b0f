// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_FE_MODAL_LEGENDRE_HPP
#define TESSERA_FE_MODAL_LEGENDRE_HPP

/// \file
/// Legendre polynomials L_k(x) = sqrt(2k + 1) P_k(x) on [-1, 1], orthonormal in the mean: the average of L_j L_k over
/// the interval is 1 if j = k, else 0. Hence L_0 = 1, and coefficients have the unit of the function whatever the size
/// of the interval to which [-1, 1] is mapped.

#include "core/types.hpp"

#include <cmath>

namespace tessera::fe {

/// Highest degree: that of products of two polynomials of degree 8.
constexpr int max_legendre_degree = 16;

/// Values and derivatives by the three-term recurrence L_{k+1} = a_k x L_k - b_k L_{k-1}. The coefficients are computed
/// on the host and passed to kernels in their functors.
class Legendre {
public:
  Legendre() {
    for (int k = 0; k < max_legendre_degree; ++k) {
      a_[k] = a(k);
      b_[k] = b(k);
    }
  }

  /// The coefficients of the recurrence.
  static double a(int k) { return std::sqrt((2. * k + 1.) * (2. * k + 3.)) / (k + 1.); }
  static double b(int k) { return k == 0 ? 0. : k / (k + 1.) * std::sqrt((2. * k + 3.) / (2. * k - 1.)); }

  /// Sets values[k] and derivatives[k], with respect to x, for k = 0 .. degree.
  template <class Real> KOKKOS_FUNCTION void evaluate(int degree, double x, Real* values, Real* derivatives) const {
    double value = 1.;
    double derivative = 0.;
    double before = 0.;
    double derivative_before = 0.;
    values[0] = 1;
    derivatives[0] = 0;
    for (int k = 0; k < degree; ++k) {
      const double next = a_[k] * (value + x * derivative) - b_[k] * derivative_before;
      derivative_before = derivative;
      derivative = next;
      advance(k, x, value, before);
      values[k + 1] = static_cast<Real>(value);
      derivatives[k + 1] = static_cast<Real>(derivative);
    }
  }

  /// Sets the values[k] only.
  KOKKOS_FUNCTION void evaluate(int degree, double x, double* values) const {
    double value = 1.;
    double before = 0.;
    values[0] = value;
    for (int k = 0; k < degree; ++k) {
      advance(k, x, value, before);
      values[k + 1] = value;
    }
  }

  /// Advances from L_k, with L_{k-1} in `before` (0 for k = 0), to L_{k+1}.
  KOKKOS_FUNCTION void advance(int k, double x, double& value, double& before) const {
    const double next = a_[k] * x * value - b_[k] * before;
    before = value;
    value = next;
  }

private:
  double a_[max_legendre_degree];
  double b_[max_legendre_degree];
};

/// Coefficients of the polynomials of degree up to 8 in powers of x: L_k(x) = sum over m of c[k][m] x^m. Values by
/// Horner's scheme are within 1e-13 of those by the recurrence, derivatives within 1e-12.
struct LegendrePowers {
  static constexpr int max_degree = max_legendre_degree / 2;
  double c[max_degree + 1][max_degree + 1] = {};

  LegendrePowers() {
    c[0][0] = 1.;
    for (int k = 0; k < max_degree; ++k)
      for (int m = 0; m <= k + 1; ++m)
        c[k + 1][m] = (m > 0 ? Legendre::a(k) * c[k][m - 1] : 0.) - (k > 0 ? Legendre::b(k) * c[k - 1][m] : 0.);
  }
};

} // namespace tessera::fe

#endif
