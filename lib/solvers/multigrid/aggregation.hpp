// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_SOLVERS_MULTIGRID_AGGREGATION_HPP
#define TESSERA_SOLVERS_MULTIGRID_AGGREGATION_HPP

/// \file
/// Aggregates of neighbouring unknowns, which become the unknowns of a coarser level.

#include "comm/layout.hpp"
#include "linalg/crs/crs_matrix.hpp"

#include <vector>

namespace tessera::solvers {

/// Treatment of vertices without strong couplings.
enum class LoneVertices {
  left_out, ///< in no aggregate
  alone     ///< a separate aggregate
};

template <class MemorySpace> struct Aggregates {
  /// Of the owned unknowns and the ghosts; -1: in no aggregate.
  Array<index_t*, MemorySpace> aggregate_of;
  std::vector<std::int64_t> offsets; ///< process r owns the aggregates [offsets[r], offsets[r + 1])
  /// 1 or -1, for the same vertices: the sign of a smooth vector relative to the aggregate's root. Empty: all 1, as
  /// without antiperiodic boundaries.
  Array<index_t*, MemorySpace> sign;
};

/// In which rows positive entries are treated as couplings of opposite values, as across antiperiodic boundaries.
enum class OppositeSigns {
  exact, ///< in rows that map constants with such signs to zero up to rounding: for matrices of elements
  likely ///< in rows that such signs bring closer to that: for a level below one with opposite signs
};

/// Whether entry a_ij is a strong coupling in the smoothed aggregation of P. Vanek, J. Mandel, M. Brezina, Computing 56
/// (1996): |a_ij| > threshold sqrt(a_ii a_jj).
KOKKOS_INLINE_FUNCTION bool is_strong(double a_ij, double a_ii, double a_jj, double threshold) {
  return a_ij * a_ij > threshold * threshold * a_ii * a_jj;
}

/// Aggregates around the vertices of a maximal independent set of distance 2 of the graph of strong entries (N. Bell,
/// S. Dalton, L. N. Olson, SIAM J. Sci. Comput. 34, 2012, section 4.2): each root takes its neighbours, and remaining
/// vertices join the aggregate of their strongest neighbour. Aggregates are connected and numbered in the order of
/// their roots; they are the same on every backend and for any number of processes, each of which has some rows of the
/// matrix. `diagonal` is that of the symmetric matrix, positive, for the owned unknowns and the ghosts. Collective.
template <class ExecutionSpace>
Aggregates<typename ExecutionSpace::memory_space>
make_aggregates(const ExecutionSpace& exec, const comm::ProcessGroup<ExecutionSpace>& group,
                const linalg::CrsMatrix<typename ExecutionSpace::memory_space>& a,
                const comm::Layout<ExecutionSpace>& columns, const linalg::ConstVector<ExecutionSpace>& diagonal,
                double threshold, LoneVertices lone = LoneVertices::left_out,
                OppositeSigns signs = OppositeSigns::exact);

/// The prolongation from the aggregates: their indicator functions, smoothed by a step of Jacobi's method with the
/// matrix whose weak entries are added to the diagonal (Vanek et al., with the damping 1.6 over a bound of the
/// eigenvalues). If aggregates have signs S, it is S times that of S A S. Here, unlike in aggregates, entries with
/// |a_ij| <= threshold a_ii are weak. The result has the owned rows; columns are global indices of aggregates. Queued
/// kernels still read `a` and `aggregates` on return. Collective.
template <class ExecutionSpace>
linalg::CrsMatrix<typename ExecutionSpace::memory_space>
smoothed_prolongation(const ExecutionSpace& exec, const comm::ProcessGroup<ExecutionSpace>& group,
                      const linalg::CrsMatrix<typename ExecutionSpace::memory_space>& a,
                      const linalg::ConstVector<ExecutionSpace>& diagonal,
                      const Aggregates<typename ExecutionSpace::memory_space>& aggregates, double threshold);

} // namespace tessera::solvers

#endif
