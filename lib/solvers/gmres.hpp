// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_SOLVERS_GMRES_HPP
#define TESSERA_SOLVERS_GMRES_HPP

/// \file
/// Generalized minimal residuals, restarted.

#include "solvers/krylov.hpp"

namespace tessera::solvers {

struct GmresOptions : SolverOptions {
  /// Iterations from one start to the next; as many vectors, and one more, are kept.
  int restart = default_restart;
};

/// Scalars of the iteration, in the space's memory.
struct GmresState {
  double ww;              ///< (w, w) of the new vector, once orthogonal to the others; at a start (r, r)
  double rr;              ///< (r, r) by the recurrence
  double scale;           ///< 1 / ||w||
  double threshold2;      ///< converged when (r, r) <= this
  double breakdown_value; ///< the number that broke the iteration
  DeviceStatus status;
  int iteration; ///< vectors added to Krylov spaces
  int inner;     ///< of them since the start, as far as x does not have them
  int used;      ///< vectors of the next update of x
};

/// Solves A x = b for any A and M, by GMRES(m) (Y. Saad, M. H. Schultz, SIAM J. Sci. Stat. Comput. 7, 1986) with the
/// preconditioner on the right, so that the residual is that of the system itself. An iteration adds w = A M^-1 v_j to
/// the basis, by classical Gram-Schmidt twice (L. Giraud, J. Langou, M. Rozloznik, Comput. Math. Appl. 50, 2005:
/// orthogonal to rounding): all products (v_i, w) of a pass at once instead of one after the other. The least-squares
/// problem is solved by Givens rotations in the space's memory, and the host looks at records as with Pcg. Sums are
/// added in a fixed order: with a reproducible operator and preconditioner every backend gives the same bits.
template <class ExecutionSpace> class Gmres : protected KrylovSolver<ExecutionSpace> {
public:
  using typename KrylovSolver<ExecutionSpace>::operator_type;
  using typename KrylovSolver<ExecutionSpace>::preconditioner_type;
  using typename KrylovSolver<ExecutionSpace>::vector_type;
  using typename KrylovSolver<ExecutionSpace>::const_vector_type;

  /// Throws when an option is out of range.
  explicit Gmres(const GmresOptions& options = GmresOptions());

  /// As Pcg::solve(). Breakdown: the operator is singular, or it or the preconditioner gives a value that is not
  /// finite; x then has what was found before.
  SolverResult solve(const ExecutionSpace& exec, const operator_type& a, const preconditioner_type& m,
                     const const_vector_type& b, const vector_type& x);

  /// Minimum traffic of one iteration in the mean; see the model in gmres.cpp.
  static linalg::Traffic iteration_traffic(const operator_type& a, const preconditioner_type& m, int restart);

private:
  void allocate(const ExecutionSpace& exec, const operator_type& a);

  int restart_;
  int cycle_ = 0;     ///< restart_, or fewer when that many iterations are not allowed
  vector_type basis_; ///< [cycle_ + 1][n]
  vector_type z_, q_; ///< M^-1 v, and others
  vector_type small_; ///< products, rotations, the triangular matrix
  Array<GmresState*, ExecutionSpace> state_;
};

} // namespace tessera::solvers

#endif
