// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_COUPLED_FIXED_POINT_HPP
#define TESSERA_DRIVER_COUPLED_FIXED_POINT_HPP

#include "linalg/vector_kernels.hpp"

#include <vector>

namespace tessera::driver {

/// Square matrices by rows, of a few rows.
using SmallMatrix = std::vector<std::vector<double>>;

/// Largest real part of the eigenvalues, from the growth of exp(s A).
double spectral_abscissa(const SmallMatrix& a);

/// Anderson's acceleration of x = G(x) (D. G. Anderson, J. ACM 12, 1965; H. F. Walker, P. Ni, SIAM J. Numer. Anal. 49,
/// 2011): the next x is the combination of the last ones whose G(x) - x would be smallest if G were linear. On the
/// span of the steps it also knows the derivative of G.
template <class ExecutionSpace> class FixedPoint {
public:
  using Vector = linalg::Vector<ExecutionSpace>;
  using ConstVector = linalg::ConstVector<ExecutionSpace>;

  FixedPoint(const ExecutionSpace& exec, std::size_t n);

  /// Takes G(x), and replaces x by the next iterate.
  void advance(const Vector& x, const ConstVector& g);
  /// Root of the mean square of a - b.
  double distance(const ConstVector& a, const ConstVector& b) const;
  /// Root of the mean square of the last G(x) - x.
  double residual() const { return residual_; }
  /// Largest real part of the eigenvalues of the derivative of G, as far as the steps show it: what evolves towards
  /// G(x) leaves a fixed point where it exceeds 1. 0 before the second call of advance().
  double feedback() const { return feedback_; }

private:
  static constexpr std::size_t most = 5; ///< steps kept

  double dot(const ConstVector& a, const ConstVector& b) const;
  Vector difference(const ConstVector& a, const ConstVector& b) const;

  ExecutionSpace exec_;
  std::size_t n_;
  std::vector<Vector> dx_, df_; ///< of the last steps
  Vector last_x_, last_f_;
  double residual_ = 0.;
  double feedback_ = 0.;
};

} // namespace tessera::driver

#endif
