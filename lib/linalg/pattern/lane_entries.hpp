// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_LINALG_PATTERN_LANE_ENTRIES_HPP
#define TESSERA_LINALG_PATTERN_LANE_ENTRIES_HPP

/// \file
/// Sums of the terms of a short row, all of which are held in the registers of the threads that share the row.

#include "core/kokkos_ext/compiler.hpp"
#include "core/kokkos_ext/lanes.hpp"
#include "linalg/pattern/column_accumulator.hpp"

namespace tessera::linalg {

/// Columns and terms of up to Lanes * Slots entries: entry s * Lanes + lane is in slot s of a lane. As all entries are
/// available, each finds equal ones without the sequential search of LaneAccumulator.
template <int Lanes, int Slots, bool WithValues> struct LaneEntries {
  static constexpr int capacity = Lanes * Slots;

  int lane;
  int n;                 ///< entries of all lanes
  index_t column[Slots]; ///< negative: the entry is ignored
  double term[WithValues ? Slots : 1];

  KOKKOS_FUNCTION LaneEntries(int lane_in, int n_in) : lane(lane_in), n(n_in) {}

  /// Number of different columns.
  KOKKOS_FUNCTION int count() const {
    bool is_first[Slots];
    double sum[WithValues ? Slots : 1];
    add_up(is_first, sum);
    int total = 0;
    TESSERA_UNROLL
    for (int s = 0; s < Slots; ++s)
      total += count_bits(bits_of_lanes<Lanes>(is_first[s]));
    return total;
  }

  /// Writes the distinct columns, ascending, and the sums of their terms in the order of the entries.
  KOKKOS_FUNCTION void write(index_t* columns, double* values) const {
    static_assert(WithValues, "There are no terms.");
    bool is_first[Slots];
    double sum[Slots];
    add_up(is_first, sum);
    index_t key[Slots];
    int rank[Slots]; // number of columns, of all lanes, below this lane's
    TESSERA_UNROLL
    for (int s = 0; s < Slots; ++s) {
      key[s] = is_first[s] ? column[s] : no_column;
      rank[s] = 0;
    }
    TESSERA_UNROLL
    for (int from = 0; from < Slots; ++from)
      for (int l = 0; l < Lanes && from * Lanes + l < n; ++l) {
        const index_t other = from_lane<Lanes>(key[from], l);
        TESSERA_UNROLL
        for (int s = 0; s < Slots; ++s)
          rank[s] += other < key[s] ? 1 : 0;
      }
    TESSERA_UNROLL
    for (int s = 0; s < Slots; ++s)
      if (is_first[s]) {
        columns[rank[s]] = key[s];
        values[rank[s]] = sum[s];
      }
  }

private:
  /// Finds the first entry of each column, and adds to it the terms of the later entries of the same column.
  KOKKOS_FUNCTION void add_up(bool (&is_first)[Slots], double (&sum)[WithValues ? Slots : 1]) const {
    TESSERA_UNROLL
    for (int s = 0; s < Slots; ++s) {
      is_first[s] = s * Lanes + lane < n && column[s] >= 0;
      if (WithValues)
        sum[s] = 0.;
    }
    TESSERA_UNROLL
    for (int from = 0; from < Slots; ++from)
      for (int l = 0; l < Lanes && from * Lanes + l < n; ++l) {
        const index_t other = from_lane<Lanes>(column[from], l);
        const double other_term = WithValues ? from_lane<Lanes>(term[from], l) : 0.;
        TESSERA_UNROLL
        for (int s = 0; s < Slots; ++s) {
          const bool is_same = other == column[s];
          if (WithValues && s <= from && is_same)
            sum[s] += other_term;
          if (is_same && (s > from || (s == from && lane > l)))
            is_first[s] = false;
        }
      }
  }
};

} // namespace tessera::linalg

#endif
