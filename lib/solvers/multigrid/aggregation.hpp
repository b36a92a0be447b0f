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
  alone     ///< a separate aggregate; couplings are relative to the diagonal, and positive ones as strong, as suits
            ///< penalties of discontinuous elements
};

/// What positive entries off the diagonal are in a row. Smooth errors change little along negative entries, and where a
/// coefficient is anisotropic across the mesh they vary fastest along positive ones.
enum PositiveEntries : index_t {
  weak_positive,     ///< no strong couplings
  opposite_positive, ///< couplings of opposite values, as across antiperiodic boundaries
  strong_positive    ///< couplings like negative ones: they outweigh these, as in the matrix of masses
};

template <class MemorySpace> struct Aggregates {
  /// Of the owned unknowns and the ghosts; -1: in no aggregate.
  Array<index_t*, MemorySpace> aggregate_of;
  std::vector<std::int64_t> offsets; ///< process r owns the aggregates [offsets[r], offsets[r + 1])
  /// 1 or -1, for the same vertices: the sign of a smooth vector relative to the aggregate's root. Empty: all 1, as
  /// without antiperiodic boundaries.
  Array<index_t*, MemorySpace> sign;
  Array<index_t*, MemorySpace> positive; ///< PositiveEntries of each row, for the same vertices
  /// The diagonal that five couplings like the strongest one of each row would make, or half of its own if that is
  /// larger, for the same.
  Array<double*, MemorySpace> scale;
  /// Number of rows, of all processes, with large positive entries, as where a coefficient is anisotropic across the
  /// mesh.
  double n_skewed = 0.;
};

/// In which rows positive entries are treated as couplings of opposite values, as across antiperiodic boundaries.
enum class OppositeSigns {
  exact, ///< in rows that map constants with such signs to zero up to rounding: for matrices of elements
  likely ///< in rows that such signs bring closer to that: for a level below one with opposite signs
};

/// Whether entry a_ij is a strong coupling for the scales of its row and column: |a_ij| > threshold sqrt(s_i s_j), as
/// in the smoothed aggregation of P. Vanek, J. Mandel, M. Brezina, Computing 56 (1996), which has the diagonal in place
/// of s. Positive entries are strong by PositiveEntries in addition.
KOKKOS_INLINE_FUNCTION bool is_strong(double a_ij, double s_i, double s_j, double threshold) {
  return a_ij * a_ij > threshold * threshold * s_i * s_j;
}

/// Aggregates around the vertices of a maximal independent set of distance 2 of the graph of strong entries (N. Bell,
/// S. Dalton, L. N. Olson, SIAM J. Sci. Comput. 34, 2012, section 4.2): each root takes its neighbours, and remaining
/// vertices join the aggregate of their strongest neighbour. Aggregates are connected and numbered in the order of
/// their roots; they are the same on every backend and for any number of processes, each of which has some rows of the
/// matrix. Collective.
template <class ExecutionSpace>
Aggregates<typename ExecutionSpace::memory_space>
make_aggregates(const ExecutionSpace& exec, const comm::ProcessGroup<ExecutionSpace>& group,
                const linalg::CrsMatrix<typename ExecutionSpace::memory_space>& a,
                const comm::Layout<ExecutionSpace>& columns, double threshold,
                LoneVertices lone = LoneVertices::left_out, OppositeSigns signs = OppositeSigns::exact);

/// Steps of Jacobi's method that smooth a prolongation.
enum class ProlongationSteps { one, two };

/// The prolongation from the aggregates: their indicator functions, smoothed by steps of Jacobi's method with the
/// matrix whose weak entries are added to the diagonal (Vanek et al., with the damping 1.6 over a bound of the
/// eigenvalues; of two steps, 2 and 1.2). If aggregates have signs S, it is S times that of S A S. Here, unlike in
/// aggregates, entries are weak by scale and PositiveEntries of row i alone, and with signs positive ones
/// as negative ones. The result
/// has the owned rows; columns are global indices of aggregates. Queued kernels still read `a` and `aggregates` on
/// return. Collective.
template <class ExecutionSpace>
linalg::CrsMatrix<typename ExecutionSpace::memory_space>
smoothed_prolongation(const ExecutionSpace& exec, const comm::ProcessGroup<ExecutionSpace>& group,
                      const linalg::CrsMatrix<typename ExecutionSpace::memory_space>& a,
                      const comm::Layout<ExecutionSpace>& columns, const linalg::ConstVector<ExecutionSpace>& diagonal,
                      const Aggregates<typename ExecutionSpace::memory_space>& aggregates, double threshold,
                      ProlongationSteps steps = ProlongationSteps::one);

} // namespace tessera::solvers

#endif
