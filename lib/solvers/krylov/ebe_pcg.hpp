// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_SOLVERS_KRYLOV_EBE_PCG_HPP
#define TESSERA_SOLVERS_KRYLOV_EBE_PCG_HPP

/// \file
/// EBE-J-PCG: conjugate gradients with Jacobi on vectors per element.

#include "linalg/element_level.hpp"
#include "solvers/jacobi.hpp"
#include "solvers/krylov/pcg.hpp"

#include <array>

namespace tessera::solvers {

/// The iteration of X. Ren et al., Research on EBE-FEM parallel algorithm combined with fast color marking method based
/// on CUDA platform, as published: x^(e), p^(e), z^(e), m^(e), q^e and the residual's parts r^e are stored for each
/// element, and sums over unknowns are sums over elements:
///   (a) q^e = A^e p^(e) and (p, A p) = sum of (p^(e), q^e)                          (equation 10)
///   (b) r^e -= alpha q^e;
///       r = sum of Q^T r^e, colour after colour                                     (equations 6, 8, algorithm 4)
///       z^(e) = r^(e) / m^(e), (r, r) = sum of (r^e, r^(e)), (r, z) likewise           (equations 7, 12)
///   (c) x^(e) += alpha p^(e), p^(e) = z^(e) + beta p^(e).
/// Only r is also assembled by unknowns. This is the method of Pcg with Jacobi with a different order of rounding:
/// iterations and solution agree up to rounding. Equation 7 has two limits: the parts r^e do not become small, only
/// their sum does, so that (r, r) loses digits to cancellation as the residual decreases; if it becomes negative the
/// iteration ends with a breakdown.
///
/// The paper starts from r^e = A^e x^(e) - b^e. Here b is given by unknowns, and an element's part of the first
/// residual is m^e / m^(e) times it: the parts add up to the same r, and the iteration depends on nothing else.
///
/// Processes that share an element perform the same computations for it: each iteration exchanges the assembled r of
/// their unknowns, and completes two sums, in which every element is counted once (linalg::DistributedElements). Throws
/// if sums must have the bits of a single process.
template <class ExecutionSpace> class EbePcg : private Pcg<ExecutionSpace> {
public:
  using operator_type = linalg::ElementLevelOperator<ExecutionSpace>;
  using typename Pcg<ExecutionSpace>::vector_type;
  using typename Pcg<ExecutionSpace>::const_vector_type;

  explicit EbePcg(const PcgOptions& options = PcgOptions()) : Pcg<ExecutionSpace>(options) {}

  /// Like Pcg::solve(), with the same criterion, results and messages.
  PcgResult solve(const ExecutionSpace& exec, const operator_type& a, const Jacobi<ExecutionSpace>& m,
                  const const_vector_type& b, const vector_type& x);

  /// Minimum traffic of one iteration; see the model in ebe_pcg.cpp.
  static linalg::Traffic iteration_traffic(const operator_type& a);

private:
  /// Initialises the vectors per element. Returns the array of the assembled residual at all unknowns of the elements.
  const_vector_type split(const ExecutionSpace& exec, const operator_type& a, const Jacobi<ExecutionSpace>& m,
                          const vector_type& x);

  vector_type element_r_, element_p_, element_q_, element_z_, element_x_;
  vector_type scale_;                  // 1 / m^(e)
  std::array<vector_type, 3> reached_; // with several processes
  ReduceWorkspace<ExecutionSpace> element_workspace_;
};

} // namespace tessera::solvers

#endif
