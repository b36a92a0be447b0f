// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_SOLVERS_BLOCK_BLOCK_INVERSE_HPP
#define TESSERA_SOLVERS_BLOCK_BLOCK_INVERSE_HPP

/// \file
/// Inverse of a dense block by a team; private to diagonal_blocks.cpp. A template of the team, so that a test can run
/// it on a host.

#include "core/kokkos_ext/math.hpp"
#include "core/types.hpp"

namespace tessera::solvers::detail {

/// A team of one thread.
struct LoneThread {
  KOKKOS_FUNCTION int team_rank() const { return 0; }
  KOKKOS_FUNCTION int team_size() const { return 1; }
  KOKKOS_FUNCTION void team_barrier() const {}
};

/// Temporary memory for a block of n rows.
struct InverseScratch {
  double* column; ///< [n]
  double* limit;  ///< smallest pivot of each column [n]
  index_t* pivot; ///< row of each column's pivot [n]; pivot[0] < 0: the block is singular
};

/// Row of the largest entry of the column from row k on, the first of equal ones; -1 if it cannot be a pivot.
KOKKOS_INLINE_FUNCTION index_t pivot_row(const double* column, double limit, index_t k, index_t n) {
  index_t row = k;
  for (index_t i = k + 1; i < n; ++i)
    if (math::fabs(column[i]) > math::fabs(column[row]))
      row = i;
  for (index_t i = k; i < n; ++i)
    if (!(column[i] - column[i] == 0.)) // NaN and infinity
      return -1;
  return math::fabs(column[row]) > limit ? row : -1;
}

/// Replaces a (n x n, here row by row; the inverse of the transpose is the transpose of the inverse) by its inverse:
/// in-place Gauss-Jordan elimination with partial pivoting. Every entry is computed by the same operations for any team
/// size, hence with the same bits. Singular up to rounding: a pivot below n times the unit roundoff of the largest
/// entry that its column had.
template <class Team>
KOKKOS_FUNCTION void invert_block(const Team& team, double* a, index_t n, const InverseScratch& scratch) {
  const int rank = team.team_rank();
  const int size = team.team_size();
  const index_t n_entries = n * n;
  for (index_t j = rank; j < n; j += size) {
    double largest = 0.;
    for (index_t i = 0; i < n; ++i)
      largest = math::fabs(a[i * n + j]) > largest ? math::fabs(a[i * n + j]) : largest;
    scratch.limit[j] = n * 2.220446049250313e-16 * largest;
  }
  for (index_t k = 0; k < n; ++k) {
    for (index_t i = rank; i < n; i += size)
      scratch.column[i] = a[i * n + k];
    team.team_barrier();
    if (rank == 0)
      scratch.pivot[k] = pivot_row(scratch.column, scratch.limit[k], k, n);
    team.team_barrier();
    const index_t p = scratch.pivot[k];
    if (p < 0) {
      if (rank == 0)
        scratch.pivot[0] = -1;
      return;
    }
    const double inverse = 1. / scratch.column[p];
    for (index_t j = rank; j < n; j += size) {
      const double pivot_entry = j == k ? 1. : a[p * n + j];
      a[p * n + j] = a[k * n + j];
      a[k * n + j] = pivot_entry * inverse;
    }
    team.team_barrier();
    for (index_t e = rank; e < n_entries; e += size) {
      const index_t i = e / n;
      const index_t j = e % n;
      if (i == k)
        continue;
      const double factor = scratch.column[i == p ? k : i]; // rows k and p were exchanged
      a[e] = (j == k ? 0. : a[e]) - factor * a[k * n + j];
    }
    team.team_barrier();
  }
  for (index_t i = rank; i < n; i += size)
    for (index_t k = n - 1; k >= 0; --k) {
      const index_t p = scratch.pivot[k];
      const double entry = a[i * n + k];
      a[i * n + k] = a[i * n + p];
      a[i * n + p] = entry;
    }
}

} // namespace tessera::solvers::detail

#endif
