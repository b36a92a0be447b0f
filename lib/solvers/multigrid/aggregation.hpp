// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_SOLVERS_MULTIGRID_AGGREGATION_HPP
#define TESSERA_SOLVERS_MULTIGRID_AGGREGATION_HPP

/// \file
/// Groups of neighbouring unknowns that become the unknowns of a coarser level.

#include "linalg/own_and_ghosts.hpp"

#include <vector>

namespace tessera::solvers {

/// What becomes of a vertex to which no other one is strongly coupled.
enum class LoneVertices {
  left_out, ///< in no aggregate
  alone     ///< an aggregate of its own
};

template <class MemorySpace> struct Aggregates {
  /// Of the process's unknowns and its ghosts; -1: left out.
  Array<index_t*, MemorySpace> aggregate_of;
  std::vector<std::int64_t> offsets; ///< process r has the aggregates [offsets[r], offsets[r + 1]) of its own
  /// 1 or -1, of the same: the value of a smooth vector there has this sign against that at the aggregate's root.
  /// Empty: all 1, as without antiperiodic boundaries.
  Array<index_t*, MemorySpace> sign;
};

/// Where positive entries are taken for couplings of unknowns with opposite values, as across antiperiodic boundaries.
enum class OppositeSigns {
  exact, ///< in rows that constants with such signs are mapped to zero by but for rounding: of a matrix of elements
  likely ///< in rows where such signs come closer to that: of a level below one that has them
};

/// Whether entry a_ij couples strongly, by the smoothed aggregation of P. Vanek, J. Mandel, M. Brezina, Computing 56
/// (1996): |a_ij| > threshold sqrt(a_ii a_jj).
KOKKOS_INLINE_FUNCTION bool is_strong(double a_ij, double a_ii, double a_jj, double threshold) {
  return a_ij * a_ij > threshold * threshold * a_ii * a_jj;
}

/// Aggregates around the vertices of a maximal independent set of distance 2 of the graph of strong entries (N. Bell,
/// S. Dalton, L. N. Olson, SIAM J. Sci. Comput. 34, 2012, section 4.2): each takes its neighbours, what is left joins
/// the aggregate of its strongest neighbour. Connected; numbered in the order of their roots; the same on every
/// backend and for any number of processes, each of which has some rows of the matrix. `diagonal` is that of the
/// symmetric matrix, positive, of the process's unknowns and its ghosts. Collective.
template <class ExecutionSpace>
Aggregates<typename ExecutionSpace::memory_space>
make_aggregates(const ExecutionSpace& exec, const comm::Group<ExecutionSpace>& group,
                const linalg::CrsMatrix<typename ExecutionSpace::memory_space>& a,
                const linalg::OwnAndGhosts<ExecutionSpace>& columns,
                const linalg::ConstVector<ExecutionSpace>& diagonal, double threshold,
                LoneVertices lone = LoneVertices::left_out, OppositeSigns signs = OppositeSigns::exact);

/// The prolongation from the aggregates: their indicator functions, smoothed by a step of Jacobi's method with the
/// matrix whose weak entries are added to the diagonal (Vanek et al., with the damping 1.6 over a bound of the
/// eigenvalues). Where aggregates have signs S, it is S times that of S A S. Weak are here, other than in aggregates,
/// entries with |a_ij| <= threshold a_ii. The process's rows; columns are numbers of aggregates among all. Queued
/// kernels read `a` and `aggregates` still. Collective.
template <class ExecutionSpace>
linalg::CrsMatrix<typename ExecutionSpace::memory_space>
smoothed_prolongation(const ExecutionSpace& exec, const comm::Group<ExecutionSpace>& group,
                      const linalg::CrsMatrix<typename ExecutionSpace::memory_space>& a,
                      const linalg::ConstVector<ExecutionSpace>& diagonal,
                      const Aggregates<typename ExecutionSpace::memory_space>& aggregates, double threshold);

} // namespace tessera::solvers

#endif
