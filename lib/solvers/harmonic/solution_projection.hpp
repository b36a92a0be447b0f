// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_SOLVERS_HARMONIC_SOLUTION_PROJECTION_HPP
#define TESSERA_SOLVERS_HARMONIC_SOLUTION_PROJECTION_HPP

/// \file
/// Start vectors of frequency sweeps.

#include "solvers/harmonic/shifted_operator.hpp"

#include <complex>
#include <vector>

namespace tessera::solvers {

/// Approximates the solution of (K + s M) x = b in the span of the last solutions, for start vectors (P. F. Fischer,
/// Comput. Methods Appl. Mech. Eng. 163, 1998): x_0 = Q (Q^T (K + s M) Q)^-1 Q^T b, with real orthonormal columns Q
/// that span real and imaginary parts of the last solutions. Q^T K Q and Q^T M Q are kept, so that a new shift needs
/// products with b only. In sweeps with many frequencies per decade most solves then take one to four iterations.
///
/// Memory: 2 `most` + 2 vectors of real numbers. All solutions are of one K and M.
template <class ExecutionSpace> class SolutionProjection {
public:
  using operator_type = ShiftedOperator<ExecutionSpace, 1>;
  using vector_type = typename operator_type::vector_type;
  using const_vector_type = typename operator_type::const_vector_type;

  /// Keeps the last `most` solutions; with `most` above 8 add() must not be called for more.
  explicit SolutionProjection(int most = 8);

  /// Adds a solution and drops the oldest one if there are more than `most`. Parts within 1e-12 of the span of the
  /// others add no direction. Costs a product, about 4 `most` sums with two vectors, and, if one is dropped, a pass
  /// over Q. Waits.
  void add(const ExecutionSpace& exec, const operator_type& a, const const_vector_type& x);

  /// Replaces x by the approximation for the shift of `a`; zero without solutions. Waits.
  void start(const ExecutionSpace& exec, const operator_type& a, const const_vector_type& b,
             const vector_type& x) const;

  int n_solutions() const { return static_cast<int>(solutions_.size()); }
  int n_directions() const { return n_directions_; } ///< columns of Q

private:
  using Small = std::vector<std::vector<double>>; ///< small matrix, row by row

  void drop_oldest(const ExecutionSpace& exec);

  int most_;
  int n_directions_ = 0;
  Array<double*, ExecutionSpace> q_;           ///< [2 most][n]
  vector_type pair_, k_pair_, m_pair_;         ///< the two new directions as a complex vector, times K and M
  Small qkq_, qmq_;                            ///< Q^T K Q, Q^T M Q
  std::vector<std::vector<double>> solutions_; ///< real and imaginary parts in terms of Q: two rows each
  ReduceWorkspace<ExecutionSpace> workspace_;
  Array<double*, ExecutionSpace> sums_;
};

} // namespace tessera::solvers

#endif
