// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_SOLVERS_MULTIGRID_AGGREGATION_HPP
#define TESSERA_SOLVERS_MULTIGRID_AGGREGATION_HPP

/// \file
/// Groups of neighbouring unknowns that become the unknowns of a coarser level.

#include "linalg/crs_matrix.hpp"

namespace tessera::solvers {

template <class MemorySpace> struct Aggregates {
  Array<index_t*, MemorySpace> aggregate_of; ///< [n_rows]; -1: in none, for no other unknown is strongly coupled to it
  index_t n_aggregates = 0;
};

/// Whether entry a_ij couples strongly, by the smoothed aggregation of P. Vanek, J. Mandel, M. Brezina, Computing 56
/// (1996): |a_ij| > threshold sqrt(a_ii a_jj).
KOKKOS_INLINE_FUNCTION bool is_strong(double a_ij, double a_ii, double a_jj, double threshold) {
  return a_ij * a_ij > threshold * threshold * a_ii * a_jj;
}

/// Aggregates around the vertices of a maximal independent set of distance 2 of the graph of strong entries (N. Bell,
/// S. Dalton, L. N. Olson, SIAM J. Sci. Comput. 34, 2012, section 4.2): each takes its neighbours, what is left joins
/// the aggregate of its strongest neighbour. Connected; numbered in the order of their roots; the same on every
/// backend. `diagonal` is that of the symmetric matrix, positive.
template <class ExecutionSpace>
Aggregates<typename ExecutionSpace::memory_space>
make_aggregates(const ExecutionSpace& exec, const linalg::CrsMatrix<typename ExecutionSpace::memory_space>& a,
                const linalg::ConstVector<ExecutionSpace>& diagonal, double threshold);

/// The prolongation from the aggregates: their indicator functions, smoothed by a step of Jacobi's method with the
/// matrix whose weak entries are added to the diagonal (Vanek et al., with the damping 4/3 over a bound of the
/// eigenvalues). Weak are here, other than in aggregates, entries with |a_ij| <= threshold a_ii.
template <class ExecutionSpace>
linalg::CrsMatrix<typename ExecutionSpace::memory_space>
smoothed_prolongation(const ExecutionSpace& exec, const linalg::CrsMatrix<typename ExecutionSpace::memory_space>& a,
                      const linalg::ConstVector<ExecutionSpace>& diagonal,
                      const Aggregates<typename ExecutionSpace::memory_space>& aggregates, double threshold);

} // namespace tessera::solvers

#endif
