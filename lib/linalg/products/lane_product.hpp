// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_LINALG_PRODUCTS_LANE_PRODUCT_HPP
#define TESSERA_LINALG_PRODUCTS_LANE_PRODUCT_HPP

/// \file
/// Recomputes the values of short rows of a sparse product C = A B on devices; private to crs_product.cpp. All lanes of
/// a row walk all of its terms and hold its columns in registers; the lane that holds a term's column adds it. Terms
/// are added in the order of the row of A, without atomics. The limit is the number of instructions, so that a row gets
/// no more lanes than its columns need.

#include "linalg/pattern/lane_accumulator.hpp"

namespace tessera::linalg::detail {

constexpr int slots_of_lane = 4;

/// Calls `visit(begin, end, a_ij)` in each lane for the rows of B that a row of A refers to, in order, until it returns
/// false. The lanes share the loads of the entries of A.
template <int Lanes, bool WithValues, class Space, class Visit>
KOKKOS_FUNCTION void walk_factors(const CrsMatrix<Space>& a, const CrsMatrix<Space>& b, index_t row, int lane,
                                  const Visit& visit) {
  const offset_t row_end = a.offsets(row + 1);
  for (offset_t first = a.offsets(row); first < row_end; first += Lanes) {
    const bool is_mine = first + lane < row_end;
    const index_t through = is_mine ? a.columns(first + lane) : 0;
    const double own_factor = WithValues && is_mine ? a.values(first + lane) : 0.;
    const offset_t owned_begin = is_mine ? b.offsets(through) : 0;
    const offset_t owned_end = is_mine ? b.offsets(through + 1) : 0;
    const int n = row_end - first < Lanes ? static_cast<int>(row_end - first) : Lanes;
    for (int e = 0; e < n; ++e) {
      const offset_t begin = from_lane<Lanes>(owned_begin, e);
      const offset_t end = from_lane<Lanes>(owned_end, e);
      if (!visit(begin, end, WithValues ? from_lane<Lanes>(own_factor, e) : 0.))
        return;
    }
  }
}

/// Calls `visit(column, term)` in each lane for all terms of a row until it returns false.
template <int Lanes, bool WithValues, class Space, class Visit>
KOKKOS_FUNCTION void walk_terms(const CrsMatrix<Space>& a, const CrsMatrix<Space>& b, index_t row, int lane,
                                const Visit& visit) {
  walk_factors<Lanes, WithValues>(a, b, row, lane, [&](offset_t begin, offset_t end, double factor) {
    for (offset_t k = begin; k < end; ++k)
      if (!visit(b.columns(k), WithValues ? factor * b.values(k) : 0.))
        return false;
    return true;
  });
}

/// Recomputes the values of a row of any length, in windows of as many columns as the registers hold.
template <int Lanes, class Space> struct RenewLaneRow {
  CrsMatrix<Space> a;
  CrsMatrix<Space> b;
  CrsMatrix<Space> result;
  KOKKOS_FUNCTION void operator()(std::int64_t item, int lane, bool exists) const {
    if (!exists)
      return;
    const auto row = static_cast<index_t>(item);
    const offset_t end = result.offsets(row + 1);
    for (offset_t first = result.offsets(row) + lane; first - lane < end; first += Lanes * slots_of_lane) {
      LaneAccumulator<Lanes, slots_of_lane, true> sums(lane);
      TESSERA_UNROLL
      for (int s = 0; s < slots_of_lane; ++s)
        if (first + s * Lanes < end)
          sums.column[s] = result.columns(first + s * Lanes);
      walk_terms<Lanes, true>(a, b, row, lane, [&](index_t column, double term) {
        sums.add_to_known(column, term);
        return true;
      });
      TESSERA_UNROLL
      for (int s = 0; s < slots_of_lane; ++s)
        if (first + s * Lanes < end)
          result.values(first + s * Lanes) = sums.value[s];
    }
  }
};

} // namespace tessera::linalg::detail

#endif
