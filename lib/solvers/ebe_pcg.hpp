// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_SOLVERS_EBE_PCG_HPP
#define TESSERA_SOLVERS_EBE_PCG_HPP

/// \file
/// EBE-J-PCG: conjugate gradients with Jacobi on vectors per element.

#include "linalg/element_level.hpp"
#include "solvers/jacobi.hpp"
#include "solvers/pcg.hpp"

#include <array>

namespace tessera::solvers {

/// The iteration of X. Ren et al., Research on EBE-FEM parallel algorithm combined with fast color marking method based
/// on CUDA platform, as they write it: x^(e), p^(e), z^(e), m^(e), q^e and the residual's parts r^e are kept for each
/// element, and sums over unknowns are sums over elements:
///   (a) q^e = A^e p^(e) and (p, A p) = sum of (p^(e), q^e)                          (equation 10)
///   (b) r^e -= alpha q^e;
///       r = sum of Q^T r^e, colour after colour                                     (equations 6, 8, algorithm 4)
///       z^(e) = r^(e) / m^(e), (r, r) = sum of (r^e, r^(e)), (r, z) alike           (equations 7, 12)
///   (c) x^(e) += alpha p^(e), p^(e) = z^(e) + beta p^(e).
/// Only r exists by unknowns, in between. It is the method of Pcg with Jacobi in another order of rounding: iterations
/// and solution agree as far as that allows. Two limits come with equation 7: the parts r^e do not become small, their
/// sum does, so that (r, r) loses digits to cancellation as the residual falls; and when it comes out negative the
/// iteration ends as a breakdown.
///
/// The paper starts from r^e = A^e x^(e) - b^e. Here b is given by unknowns, and an element's part of the first
/// residual is m^e / m^(e) of it: the parts add up to the same r, and the iteration depends on nothing else.
///
/// Processes that share an element do the same for it: each iteration exchanges the assembled r of
/// their unknowns, and completes two sums, in which every element counts once (linalg::DistributedElements). Sums that
/// must have the bits of one process are refused.
template <class ExecutionSpace> class EbePcg : private Pcg<ExecutionSpace> {
public:
  using operator_type = linalg::ElementLevelOperator<ExecutionSpace>;
  using typename Pcg<ExecutionSpace>::vector_type;
  using typename Pcg<ExecutionSpace>::const_vector_type;

  explicit EbePcg(const PcgOptions& options = PcgOptions()) : Pcg<ExecutionSpace>(options) {}

  /// As Pcg::solve(), with the same criterion, results and messages.
  PcgResult solve(const ExecutionSpace& exec, const operator_type& a, const Jacobi<ExecutionSpace>& m,
                  const const_vector_type& b, const vector_type& x);

  /// Minimum traffic of one iteration; see the model in ebe_pcg.cpp.
  static linalg::Traffic iteration_traffic(const operator_type& a);

private:
  /// Starts the vectors per element. Returns where the iterations find the assembled residual at all unknowns of the
  /// elements.
  const_vector_type split(const ExecutionSpace& exec, const operator_type& a, const Jacobi<ExecutionSpace>& m,
                          const vector_type& x);

  vector_type element_r_, element_p_, element_q_, element_z_, element_x_;
  vector_type scale_;                  // 1 / m^(e)
  std::array<vector_type, 3> reached_; // of several processes
  ReduceWorkspace<ExecutionSpace> element_workspace_;
};

} // namespace tessera::solvers

#endif
