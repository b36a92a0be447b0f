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

/// The columns of a row: the n-th one that comes is slot n / Lanes of lane n % Lanes.
template <int Lanes, int Slots, class Space> struct LaneRow {
  static constexpr int capacity = Lanes * Slots;

  const CrsMatrix<Space>& a;
  const CrsMatrix<Space>& b;
  int lane;
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

  /// `visit(column, term)` for all terms of a row until it returns false; each lane gets all of them. The lanes load
  /// entries of A side by side.
  template <bool WithValues, class Visit> KOKKOS_FUNCTION void walk(index_t row, const Visit& visit) const {
    const offset_t row_end = a.offsets(row + 1);
    for (offset_t first = a.offsets(row); first < row_end; first += Lanes) {
      const bool is_mine = first + lane < row_end;
      const index_t through = is_mine ? a.columns(first + lane) : 0;
      const double own_factor = WithValues && is_mine ? a.values(first + lane) : 0.;
      const offset_t own_begin = is_mine ? b.offsets(through) : 0;
      const offset_t own_end = is_mine ? b.offsets(through + 1) : 0;
      const int n = row_end - first < Lanes ? static_cast<int>(row_end - first) : Lanes;
      for (int e = 0; e < n; ++e) {
        const offset_t begin = from_lane<Lanes>(own_begin, e);
        const offset_t end = from_lane<Lanes>(own_end, e);
        const double factor = WithValues ? from_lane<Lanes>(own_factor, e) : 0.;
        for (offset_t k = begin; k < end; ++k)
          if (!visit(b.columns(k), WithValues ? factor * b.values(k) : 0.))
            return;
      }
    }
  }

  KOKKOS_FUNCTION void add(index_t c, double term) {
    TESSERA_UNROLL
    for (int s = 0; s < Slots; ++s)
      if (column[s] == c)
        value[s] += term;
  }

  /// Adds a term, and its column if that is new; false if there is no room for it.
  template <bool WithValues> KOKKOS_FUNCTION bool insert(index_t c, double term, int& n) {
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
      add(c, term);
    return true;
  }

  /// Number of the columns of all lanes below c.
  KOKKOS_FUNCTION void ranks(int n, int (&rank)[Slots]) const {
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
  }
};

/// Counts the columns of a row; if they are too many, the count is `overflow`.
template <int Lanes, int Slots, class Space> struct CountLaneRow {
  CrsMatrix<Space> a;
  CrsMatrix<Space> b;
  Array<offset_t*, Space> counts;
  offset_t overflow;
  KOKKOS_FUNCTION void operator()(std::int64_t item, int lane, bool exists) const {
    if (!exists)
      return;
    const auto row = static_cast<index_t>(item);
    LaneRow<Lanes, Slots, Space> c(a, b, lane);
    int n = 0;
    bool fits = true;
    c.template walk<false>(row, [&](index_t column, double) {
      fits = c.template insert<false>(column, 0., n);
      return fits;
    });
    if (lane == 0)
      counts(row) = fits ? static_cast<offset_t>(n) : overflow;
  }
};

/// Writes columns and values of a row that has room in the registers.
template <int Lanes, int Slots, class Space> struct FillLaneRow {
  CrsMatrix<Space> a;
  CrsMatrix<Space> b;
  CrsMatrix<Space> result;
  KOKKOS_FUNCTION void operator()(std::int64_t item, int lane, bool exists) const {
    if (!exists)
      return;
    const auto row = static_cast<index_t>(item);
    LaneRow<Lanes, Slots, Space> c(a, b, lane);
    int n = 0;
    c.template walk<true>(row, [&](index_t column, double term) { return c.template insert<true>(column, term, n); });
    int rank[Slots];
    c.ranks(n, rank);
    const offset_t begin = result.offsets(row);
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
    if (!exists)
      return;
    const auto row = static_cast<index_t>(item);
    const offset_t end = result.offsets(row + 1);
    for (offset_t first = result.offsets(row); first < end; first += Lanes * Slots) {
      LaneRow<Lanes, Slots, Space> c(a, b, lane);
      TESSERA_UNROLL
      for (int s = 0; s < Slots; ++s)
        if (first + s * Lanes + lane < end)
          c.column[s] = result.columns(first + s * Lanes + lane);
      c.template walk<true>(row, [&](index_t column, double term) {
        c.add(column, term);
        return true;
      });
      TESSERA_UNROLL
      for (int s = 0; s < Slots; ++s)
        if (first + s * Lanes + lane < end)
          result.values(first + s * Lanes + lane) = c.value[s];
    }
  }
};

} // namespace tessera::linalg::detail

#endif
