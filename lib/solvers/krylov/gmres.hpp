// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_SOLVERS_KRYLOV_GMRES_HPP
#define TESSERA_SOLVERS_KRYLOV_GMRES_HPP

/// \file
/// Restarted generalised minimal residual method.

#include "solvers/krylov/krylov.hpp"

namespace tessera::solvers {

struct GmresOptions : SolverOptions {
  /// Iterations between restarts; the number of stored basis vectors is one larger.
  int restart = default_restart;
};

/// Scalars of the iteration, in the space's memory.
struct GmresState {
  double ww;              ///< (w, w) of the new vector, once orthogonal to the others; at a restart (r, r)
  double rr;              ///< (r, r) by the recurrence
  double scale;           ///< 1 / ||w||
  double threshold2;      ///< convergence criterion: (r, r) <= this
  double breakdown_value; ///< the number that caused the breakdown
  DeviceStatus status;
  int iteration; ///< number of vectors added to Krylov spaces
  int inner;     ///< number of them since the restart that are not in x yet
  int used;      ///< number of vectors of the next update of x
};

/// Solves A x = b for any A and M, by GMRES(m) (Y. Saad, M. H. Schultz, SIAM J. Sci. Stat. Comput. 7, 1986) with the
/// preconditioner on the right, so that the residual is that of the system itself. An iteration adds w = A M^-1 v_j to
/// the basis, by two passes of classical Gram-Schmidt (L. Giraud, J. Langou, M. Rozloznik, Comput. Math. Appl. 50,
/// 2005: orthogonal up to rounding): all products (v_i, w) of a pass are computed at once instead of one after the
/// other. The least-squares problem is solved by Givens rotations in the space's memory, and the host reads records as
/// in Pcg. Sums are added in a fixed order: with a reproducible operator and preconditioner every backend gives the
/// same bits.
template <class ExecutionSpace> class Gmres : protected KrylovSolver<ExecutionSpace> {
public:
  using typename KrylovSolver<ExecutionSpace>::operator_type;
  using typename KrylovSolver<ExecutionSpace>::preconditioner_type;
  using typename KrylovSolver<ExecutionSpace>::vector_type;
  using typename KrylovSolver<ExecutionSpace>::const_vector_type;

  /// Throws if an option is out of range.
  explicit Gmres(const GmresOptions& options = GmresOptions());

  /// Like Pcg::solve(). Breakdown: the operator is singular, or it or the preconditioner produces a value that is not
  /// finite; x then contains the progress made before.
  SolverResult solve(const ExecutionSpace& exec, const operator_type& a, const preconditioner_type& m,
                     const const_vector_type& b, const vector_type& x);

  /// Minimum traffic of an average iteration; see the model in gmres.cpp.
  static linalg::Traffic iteration_traffic(const operator_type& a, const preconditioner_type& m, int restart);

private:
  void allocate(const ExecutionSpace& exec, const operator_type& a);

  int restart_;
  int cycle_ = 0;     ///< restart_, or the maximum number of iterations if that is smaller
  vector_type basis_; ///< [cycle_ + 1][n]
  vector_type z_, q_; ///< M^-1 v, and temporary vectors
  vector_type small_; ///< products, rotations, the triangular matrix
  Array<GmresState*, ExecutionSpace> state_;
};

} // namespace tessera::solvers

#endif
