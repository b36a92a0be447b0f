// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_LINALG_LANE_PRODUCT_HPP
#define TESSERA_LINALG_LANE_PRODUCT_HPP

/// \file
/// Rows of a sparse product C = A B by neighbouring threads of a device; private to crs_product.cpp. The lanes of a row
/// walk all of its terms together and hold its columns in registers, in the order in which they come: a term belongs
/// to the lane that has its column. Terms are added in the order of the row of A, without atomics.

#include "core/kokkos_ext/compiler.hpp"
#include "core/kokkos_ext/lanes.hpp"
#include "linalg/crs_matrix.hpp"

namespace tessera::linalg::detail {

constexpr index_t free_slot = -1;
constexpr index_t no_term = -2;

/// The columns of a row: the n-th one that comes is slot n / Lanes of lane n % Lanes. All threads of a warp, which have
/// several rows, go the same way through loops and conditions: otherwise they would wait for each other.
template <int Lanes, int Slots, class Space> struct LaneRow {
  static constexpr int capacity = Lanes * Slots;

  const CrsMatrix<Space>& a;
  const CrsMatrix<Space>& b;
  int lane;
  int n = 0; ///< columns
  bool fits = true;
  index_t column[Slots];
  double value[Slots];

  KOKKOS_FUNCTION LaneRow(const CrsMatrix<Space>& a_in, const CrsMatrix<Space>& b_in, int lane_in)
      : a(a_in), b(b_in), lane(lane_in) {
    TESSERA_UNROLL
    for (int s = 0; s < Slots; ++s) {
      column[s] = free_slot;
      value[s] = 0.;
    }
  }

  /// `visit(column, term)` for all terms of a row, if it exists; each lane gets all of them, and `no_term` as column
  /// while other rows of the warp have terms left. The lanes load entries of A side by side.
  template <bool WithValues, class Visit>
  KOKKOS_FUNCTION void walk(index_t row, bool exists, const Visit& visit) const {
    const offset_t row_end = exists ? a.offsets(row + 1) : 0;
    for (offset_t first = exists ? a.offsets(row) : 0; any_in_warp(first < row_end); first += Lanes) {
      const bool is_mine = first + lane < row_end;
      const index_t through = is_mine ? a.columns(first + lane) : 0;
      const double own_factor = WithValues && is_mine ? a.values(first + lane) : 0.;
      const offset_t own_begin = is_mine ? b.offsets(through) : 0;
      const offset_t own_end = is_mine ? b.offsets(through + 1) : 0;
      for (int e = 0; e < Lanes && any_in_warp(first + e < row_end); ++e) {
        const offset_t end = from_lane<Lanes>(own_end, e);
        const double factor = WithValues ? from_lane<Lanes>(own_factor, e) : 0.;
        for (offset_t k = from_lane<Lanes>(own_begin, e); any_in_warp(k < end); ++k) {
          const bool is_term = k < end;
          const index_t c = is_term ? b.columns(k) : no_term;
          visit(c, WithValues && is_term ? factor * b.values(k) : 0.);
        }
      }
    }
  }

  KOKKOS_FUNCTION void add(index_t c, double term) {
    TESSERA_UNROLL
    for (int s = 0; s < Slots; ++s)
      if (column[s] == c)
        value[s] += term;
  }

  /// Gives a column that is new a slot, as long as there are any.
  KOKKOS_FUNCTION void insert(index_t c) {
    bool is_known = c == no_term;
    TESSERA_UNROLL
    for (int s = 0; s < Slots; ++s)
      is_known = is_known || column[s] == c;
    if (any_lane<Lanes>(is_known))
      return;
    fits = fits && n < capacity;
    TESSERA_UNROLL
    for (int s = 0; s < Slots; ++s)
      if (n == s * Lanes + lane)
        column[s] = c;
    n += fits ? 1 : 0;
  }

  /// Numbers of the columns of all lanes below the own ones.
  KOKKOS_FUNCTION void ranks(int (&rank)[Slots]) const {
    TESSERA_UNROLL
    for (int s = 0; s < Slots; ++s)
      rank[s] = 0;
    TESSERA_UNROLL
    for (int from = 0; from < Slots; ++from)
      if (any_in_warp(from * Lanes < n))
        for (int l = 0; l < Lanes; ++l) {
          const index_t other = from_lane<Lanes>(column[from], l);
          TESSERA_UNROLL
          for (int s = 0; s < Slots; ++s)
            rank[s] += other != free_slot && other < column[s] ? 1 : 0;
        }
  }
};

/// Counts the columns of a row; sets the flag if they are too many.
template <int Lanes, int Slots, class Space> struct CountLaneRow {
  CrsMatrix<Space> a;
  CrsMatrix<Space> b;
  Array<offset_t*, Space> counts;
  Array<int*, Space> overflow; // [1]
  KOKKOS_FUNCTION void operator()(std::int64_t item, int lane, bool exists) const {
    const auto row = static_cast<index_t>(item);
    LaneRow<Lanes, Slots, Space> c(a, b, lane);
    c.template walk<false>(row, exists, [&](index_t column, double) { c.insert(column); });
    if (exists && lane == 0) {
      counts(row) = c.n;
      if (!c.fits)
        overflow(0) = 1;
    }
  }
};

/// Writes columns and values of a row that has room in the registers.
template <int Lanes, int Slots, class Space> struct FillLaneRow {
  CrsMatrix<Space> a;
  CrsMatrix<Space> b;
  CrsMatrix<Space> result;
  KOKKOS_FUNCTION void operator()(std::int64_t item, int lane, bool exists) const {
    const auto row = static_cast<index_t>(item);
    LaneRow<Lanes, Slots, Space> c(a, b, lane);
    c.template walk<true>(row, exists, [&](index_t column, double term) {
      c.insert(column);
      c.add(column, term);
    });
    int rank[Slots];
    c.ranks(rank);
    const offset_t begin = exists ? result.offsets(row) : 0;
    TESSERA_UNROLL
    for (int s = 0; s < Slots; ++s)
      if (c.column[s] != free_slot) {
        result.columns(begin + rank[s]) = c.column[s];
        result.values(begin + rank[s]) = c.value[s];
      }
  }
};

/// Renews the values of a row of any length, as many columns at a time as the registers hold.
template <int Lanes, int Slots, class Space> struct RenewLaneRow {
  CrsMatrix<Space> a;
  CrsMatrix<Space> b;
  CrsMatrix<Space> result;
  KOKKOS_FUNCTION void operator()(std::int64_t item, int lane, bool exists) const {
    const auto row = static_cast<index_t>(item);
    const offset_t end = exists ? result.offsets(row + 1) : 0;
    for (offset_t first = exists ? result.offsets(row) : 0; any_in_warp(first < end); first += Lanes * Slots) {
      LaneRow<Lanes, Slots, Space> c(a, b, lane);
      TESSERA_UNROLL
      for (int s = 0; s < Slots; ++s)
        if (first + s * Lanes + lane < end)
          c.column[s] = result.columns(first + s * Lanes + lane);
      c.template walk<true>(row, exists, [&](index_t column, double term) { c.add(column, term); });
      TESSERA_UNROLL
      for (int s = 0; s < Slots; ++s)
        if (first + s * Lanes + lane < end)
          result.values(first + s * Lanes + lane) = c.value[s];
    }
  }
};

} // namespace tessera::linalg::detail

#endif
