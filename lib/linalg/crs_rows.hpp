// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_LINALG_CRS_ROWS_HPP
#define TESSERA_LINALG_CRS_ROWS_HPP

/// \file
/// The product of one row, with the order of its sum.

#include "linalg/crs_matrix.hpp"

namespace tessera::linalg {

/// Entries of a row are dealt to this many accumulators, which a binary tree adds: entry k to accumulator k % lanes. It
/// depends on the matrix alone, so that every backend rounds alike. Short rows are summed in order, by one thread.
inline int lanes_per_row(index_t n_rows, offset_t n_entries) {
  const double mean = n_rows > 0 ? static_cast<double>(n_entries) / static_cast<double>(n_rows) : 0.;
  return mean <= 10. ? 1 : mean <= 20. ? 4 : 8;
}

/// A matrix and the vectors of a product, as bare pointers.
struct RowsOfProduct {
  const offset_t* offsets;
  const index_t* columns;
  const double* values;
  const double* x;
  double* y;
};

/// Sum of a row's products in the same order.
template <int Lanes> KOKKOS_INLINE_FUNCTION double sum_row(const double* product, int n) {
  double sum[Lanes];
  for (int l = 0; l < Lanes; ++l)
    sum[l] = 0.;
  int k = 0;
  for (; k + Lanes <= n; k += Lanes) {
    TESSERA_UNROLL
    for (int l = 0; l < Lanes; ++l)
      sum[l] += product[k + l];
  }
  TESSERA_UNROLL
  for (int l = 0; l < Lanes; ++l)
    if (k + l < n)
      sum[l] += product[k + l];
  TESSERA_UNROLL
  for (int width = Lanes / 2; width > 0; width /= 2)
    for (int l = 0; l < width; ++l)
      sum[l] += sum[l + width];
  return sum[0];
}

/// y(i) = row i times x by one thread.
template <int Lanes> struct RowProduct {
  RowsOfProduct p;

  KOKKOS_FUNCTION double row(std::int64_t i) const {
    const offset_t begin = p.offsets[i];
    const offset_t end = p.offsets[i + 1];
    if constexpr (Lanes == 1) {
      double sum = 0.;
      for (offset_t k = begin; k < end; ++k)
        sum += p.values[k] * p.x[p.columns[k]];
      return sum;
    } else {
      double sum[Lanes];
      for (int l = 0; l < Lanes; ++l)
        sum[l] = 0.;
      offset_t k = begin;
      for (; k + Lanes <= end; k += Lanes)
        for (int l = 0; l < Lanes; ++l)
          sum[l] += p.values[k + l] * p.x[p.columns[k + l]];
      for (int l = 0; k < end; ++k, ++l)
        sum[l] += p.values[k] * p.x[p.columns[k]];
      for (int width = Lanes / 2; width > 0; width /= 2)
        for (int l = 0; l < width; ++l)
          sum[l] += sum[l + width];
      return sum[0];
    }
  }

  KOKKOS_FUNCTION void operator()(std::int64_t i) const { p.y[i] = row(i); }

  /// The same, with a term of (x, y).
  KOKKOS_FUNCTION void operator()(std::int64_t i, double (&term)[1]) const {
    const double y = row(i);
    p.y[i] = y;
    term[0] = p.x[i] * y;
  }
};

template <class Matrix> RowsOfProduct product_of(const Matrix& a, const double* x, double* y) {
  return {a.offsets.data(), a.columns.data(), a.values.data(), x, y};
}

} // namespace tessera::linalg

#endif
