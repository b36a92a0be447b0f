// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_LINALG_PATTERN_LANE_ACCUMULATOR_HPP
#define TESSERA_LINALG_PATTERN_LANE_ACCUMULATOR_HPP

/// \file
/// A sparse accumulator in the registers of neighbouring threads that share a row.

#include "core/kokkos_ext/compiler.hpp"
#include "core/kokkos_ext/lanes.hpp"
#include "core/parallel.hpp"
#include "linalg/crs/crs_matrix.hpp"

#include <type_traits>

namespace tessera::linalg {

/// Calls `work` with the number of threads, an integral constant, that share a row of A on a device: one if rows are so
/// short that the L1 cache holds those of all threads until they are read; else eight, which read a row's entries
/// together. One on devices without lanes.
template <class Space, class Work> auto by_length_of_rows(const CrsMatrix<Space>& a, const Work& work) {
  if constexpr (has_lanes<typename Space::execution_space>) {
    constexpr double short_row = 9.;
    if (static_cast<double>(a.n_entries()) > short_row * static_cast<double>(a.n_rows()))
      return work(std::integral_constant<int, 8>());
  }
  return work(std::integral_constant<int, 1>());
}

/// Calls `add(load(k))` for the entries k in [begin, end) of a short row, in order, by one thread. On a device several
/// are loaded before the first one is added, so that they use the cache lines that they bring in.
template <class Space, class Load, class Add>
KOKKOS_INLINE_FUNCTION void for_entries(offset_t begin, offset_t end, const Load& load, const Add& add) {
  if constexpr (uses_host_forms<Space>) {
    for (offset_t k = begin; k < end; ++k)
      add(load(k));
  } else {
    load_in_batches(
        0, 1, static_cast<int>(end - begin), [&](int e) { return load(begin + e); },
        [&](int, const auto& loaded) { add(loaded); });
  }
}

/// Columns, and sums of their terms, of a row of up to Lanes * Slots columns: the n-th new column is slot n / Lanes of
/// lane n % Lanes. All lanes add all terms.
template <int Lanes, int Slots, bool WithValues> struct LaneAccumulator {
  static constexpr int capacity = Lanes * Slots;
  static constexpr index_t free_slot = -1;

  int lane;
  int n = 0; ///< columns of all lanes
  index_t column[Slots];
  double value[WithValues ? Slots : 1];

  KOKKOS_FUNCTION explicit LaneAccumulator(int lane_in) : lane(lane_in) {
    TESSERA_UNROLL
    for (int s = 0; s < Slots; ++s) {
      column[s] = free_slot;
      if (WithValues)
        value[s] = 0.;
    }
  }

  /// Adds a term if its column is present, else ignores it.
  KOKKOS_FUNCTION void add_to_known(index_t c, double term) {
    TESSERA_UNROLL
    for (int s = 0; s < Slots; ++s)
      if (column[s] == c)
        value[s] += term;
  }

  /// Adds a term and, if it is new, its column; returns false if there is no room.
  KOKKOS_FUNCTION bool add(index_t c, double term) {
    bool is_known = false;
    TESSERA_UNROLL
    for (int s = 0; s < Slots; ++s)
      is_known = is_known || column[s] == c;
    if (!any_lane<Lanes>(is_known)) {
      if (n == capacity)
        return false;
      TESSERA_UNROLL
      for (int s = 0; s < Slots; ++s)
        if (n == s * Lanes + lane)
          column[s] = c;
      ++n;
    }
    if (WithValues)
      add_to_known(c, term);
    return true;
  }

  /// Writes the columns, ascending, and their sums.
  KOKKOS_FUNCTION void write(index_t* columns, double* values) const {
    int rank[Slots]; // number of columns, of all lanes, below this lane's
    TESSERA_UNROLL
    for (int s = 0; s < Slots; ++s)
      rank[s] = 0;
    TESSERA_UNROLL
    for (int from = 0; from < Slots; ++from)
      for (int l = 0; l < Lanes && from * Lanes + l < n; ++l) {
        const index_t other = from_lane<Lanes>(column[from], l);
        TESSERA_UNROLL
        for (int s = 0; s < Slots; ++s)
          rank[s] += other < column[s] ? 1 : 0;
      }
    TESSERA_UNROLL
    for (int s = 0; s < Slots; ++s)
      if (column[s] != free_slot) {
        columns[rank[s]] = column[s];
        if (WithValues)
          values[rank[s]] = value[s];
      }
  }
};

} // namespace tessera::linalg

#endif
