// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_SOLVERS_SMALL_PCG_HPP
#define TESSERA_SOLVERS_SMALL_PCG_HPP

/// \file
/// Conjugate gradients for systems so small that launching kernels dominates: many iterations in one kernel of one
/// team.

#include "linalg/crs_matrix.hpp"
#include "solvers/pcg.hpp"

namespace tessera::solvers {

/// The method of Pcg with every sum in the same order, and hence the same bits, for CRS matrices on a device with a
/// pointwise preconditioner.
template <class ExecutionSpace> class SmallPcg : private Pcg<ExecutionSpace> {
public:
  using typename Pcg<ExecutionSpace>::operator_type;
  using typename Pcg<ExecutionSpace>::preconditioner_type;
  using typename Pcg<ExecutionSpace>::vector_type;
  using typename Pcg<ExecutionSpace>::const_vector_type;
  using matrix_type = linalg::CrsMatrix<typename ExecutionSpace::memory_space>;

  /// Up to this size one multiprocessor performs an iteration faster than four kernels can be launched.
  static constexpr index_t max_unknowns = 8192;
  static constexpr std::int64_t max_entries = 8 * max_unknowns;

  explicit SmallPcg(const PcgOptions& options = PcgOptions()) : Pcg<ExecutionSpace>(options) {}

  /// Whether solve() may be called and is faster; never on hosts, and not if sums extend over several devices.
  static bool suits(const operator_type& a, const preconditioner_type& m) {
    if (is_host_space<ExecutionSpace> || !m.pointwise().possible || a.sums().is_distributed())
      return false;
    const matrix_type* matrix = linalg::matrix_of<matrix_type>(a);
    return matrix != nullptr && matrix->n_rows() <= max_unknowns && matrix->n_entries() <= max_entries;
  }

  /// Like Pcg::solve(), with the same criterion, results and messages.
  PcgResult solve(const ExecutionSpace& exec, const operator_type& a, const preconditioner_type& m,
                  const const_vector_type& b, const vector_type& x);
};

} // namespace tessera::solvers

#endif
