// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_SOLVERS_HARMONIC_COMPLEX_INVERSE_HPP
#define TESSERA_SOLVERS_HARMONIC_COMPLEX_INVERSE_HPP

/// \file
/// Inverse of a dense complex matrix by a team; private to shifted_multigrid.cpp. A template of the team, so that a
/// test can run it on a host.

#include "core/kokkos_ext/math.hpp"
#include "core/types.hpp"
#include "solvers/harmonic/complex_columns.hpp"

namespace tessera::solvers::detail {

using DenseEntry = linalg::Pack<double, 2>; ///< a complex number

KOKKOS_INLINE_FUNCTION double size_of(const DenseEntry& z) {
  return math::sqrt(z.column[0] * z.column[0] + z.column[1] * z.column[1]);
}

/// Replaces a (n x n, row by row) by its inverse: in-place Gauss-Jordan elimination without exchanges of rows. Entries
/// grow by less than a factor of 3 if a is complex symmetric with positive definite real and imaginary parts (N. J.
/// Higham, Math. Comp. 67, 1998, 1591), also after multiplication by a number: K + s M of two positive semidefinite
/// matrices, with Re s >= 0. Every entry is computed by the same operations for any team size. `scratch`: memory of
/// [3 n] numbers. Returns, in every thread, the first row whose pivot is below n times the unit roundoff of the
/// diagonal entry that the row had, or not finite: then a is singular up to rounding and is not inverted; -1: none.
template <class Team>
KOKKOS_FUNCTION index_t invert_complex(const Team& team, DenseEntry* a, index_t n, DenseEntry* scratch) {
  DenseEntry* const row = scratch;
  DenseEntry* const column = scratch + n;
  DenseEntry* const diagonal = scratch + 2 * n;
  const int rank = team.team_rank();
  const int size = team.team_size();
  const int width = size % 32 == 0 ? 32 : 1; // threads that share a row
  for (index_t i = rank; i < n; i += size)
    diagonal[i] = a[i * n + i];
  for (index_t k = 0; k < n; ++k) {
    team.team_barrier();
    const DenseEntry pivot = a[k * n + k];
    const double limit = n * 2.220446049250313e-16 * size_of(diagonal[k]);
    if (const double pivot_size = size_of(pivot); !(pivot_size > limit) || !(pivot_size - pivot_size == 0.))
      return k;
    const DenseEntry inverse = inverse_of(pivot.column[0], DenseEntry{{0., pivot.column[1]}}, 1.);
    for (index_t j = rank; j < n; j += size) {
      row[j] = complex_product(inverse, a[k * n + j]);
      column[j] = a[j * n + k];
    }
    team.team_barrier();
    for (index_t i = rank / width; i < n; i += size / width)
      for (index_t j = rank % width; j < n; j += width) {
        const DenseEntry change = complex_product(column[i], j == k ? inverse : row[j]);
        DenseEntry& entry = a[i * n + j];
        if (i == k)
          entry = j == k ? inverse : row[j];
        else
          entry = (j == k ? DenseEntry{} : entry) - change;
      }
  }
  return -1;
}

} // namespace tessera::solvers::detail

#endif
