// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_SOLVERS_HARMONIC_DEFLATED_HPP
#define TESSERA_SOLVERS_HARMONIC_DEFLATED_HPP

/// \file
/// A preconditioner corrected by the solution in a small space.

#include "solvers/harmonic/shifted_operator.hpp"

#include <vector>

namespace tessera::solvers {

/// Balanced (J. Mandel, Commun. Numer. Methods Eng. 9, 1993), with plain transposes: with Y = B C for the columns C of
/// conductors and E = Y^T A Y,
///
///   z = B (r - A Y E^-1 Y^T r) + Y E^-1 (Y^T r - (A Y)^T B (...)).
///
/// A preconditioner B that ignores conductors of given currents needs some ten further iterations for each of them once
/// the skin depth is below its size; vectors that are constant in a conductor are slow. With one or two conductors B
/// alone is faster, with more than about sixteen the vectors take more memory than all else: 2 for each conductor.
template <class ExecutionSpace, int N> class Deflated final : public ShiftedPreconditioner<ExecutionSpace, N> {
public:
  using typename ShiftedPreconditioner<ExecutionSpace, N>::vector_type;
  using typename ShiftedPreconditioner<ExecutionSpace, N>::const_vector_type;

  /// For the shifts and conductors of `a`; refers to `inner` and to the sums of `a`. Throws an Error of kind numerical
  /// if E is singular. Waits.
  Deflated(const ExecutionSpace& exec, const ShiftedOperator<ExecutionSpace, N>& a,
           const ConductorRows<ExecutionSpace>& conductors, const ShiftedPreconditioner<ExecutionSpace, N>& inner);

  void apply(const ExecutionSpace& exec, const const_vector_type& r, const double* rr,
             const vector_type& z) const override;

private:
  void products(const ExecutionSpace& exec, const vector_type& vectors, const const_vector_type& v, double* t) const;

  const ShiftedPreconditioner<ExecutionSpace, N>& inner_;
  const linalg::GlobalSums<ExecutionSpace>& sums_;
  index_t n_;
  int k_;
  vector_type y_, ay_;                                          ///< [k][n]
  vector_type r_;                                               ///< work vector
  Array<linalg::Pack<double, 2 * N>*, ExecutionSpace> inverse_; ///< E^-1, [k][k]
  Array<double*, ExecutionSpace> t_;                            ///< Y^T r, (A Y)^T z, coefficients; [3][k][2 N]
  ReduceWorkspace<ExecutionSpace> workspace_;
};

} // namespace tessera::solvers

#endif
