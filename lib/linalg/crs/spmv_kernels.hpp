// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_LINALG_CRS_SPMV_KERNELS_HPP
#define TESSERA_LINALG_CRS_SPMV_KERNELS_HPP

/// \file
/// Product of one matrix row with a vector, with a fixed order of summation.

#include "core/kokkos_ext/lanes.hpp"
#include "linalg/crs/compressed_columns.hpp"
#include "linalg/pack.hpp"

namespace tessera::linalg {

/// Number of accumulators of a row: entry k goes to accumulator k % n_sums, and a binary tree adds the accumulators.
/// Depends on the matrix alone, so that every backend rounds identically. Short rows are summed in order, by one
/// thread.
inline int accumulators_per_row(double mean_entries) { return mean_entries <= 10. ? 1 : mean_entries <= 20. ? 4 : 8; }
inline int accumulators_per_row(index_t n_rows, offset_t n_entries) {
  return accumulators_per_row(n_rows > 0 ? static_cast<double>(n_entries) / static_cast<double>(n_rows) : 0.);
}

/// A matrix and the vectors of a product, as raw pointers; several vectors as packs.
template <class Columns = FullColumns, class Entry = double> struct RowsOfProduct {
  const offset_t* offsets;
  Columns columns;
  const double* values;
  const Entry* x;
  Entry* y;
};

/// Computes y(i) = row i times x by one thread.
template <int NSums, class Columns = FullColumns, class Entry = double> struct RowProduct {
  RowsOfProduct<Columns, Entry> p;

  KOKKOS_FUNCTION Entry row(std::int64_t i) const {
    const auto row = static_cast<index_t>(i);
    const offset_t begin = p.offsets[i];
    const offset_t end = p.offsets[i + 1];
    if constexpr (NSums == 1) {
      Entry sum{};
      for (offset_t k = begin; k < end; ++k)
        sum += p.values[k] * p.x[p.columns.at(row, k)];
      return sum;
    } else {
      Entry sum[NSums];
      for (int l = 0; l < NSums; ++l)
        sum[l] = Entry{};
      offset_t k = begin;
      for (; k + NSums <= end; k += NSums)
        for (int l = 0; l < NSums; ++l)
          sum[l] += p.values[k + l] * p.x[p.columns.at(row, k + l)];
      for (int l = 0; k < end; ++k, ++l)
        sum[l] += p.values[k] * p.x[p.columns.at(row, k)];
      for (int width = NSums / 2; width > 0; width /= 2)
        for (int l = 0; l < width; ++l)
          sum[l] += sum[l + width];
      return sum[0];
    }
  }

  KOKKOS_FUNCTION void operator()(std::int64_t i) const { p.y[i] = row(i); }

  /// As above, and the term of (x, y).
  KOKKOS_FUNCTION void operator()(std::int64_t i, Entry (&term)[1]) const {
    const Entry y = row(i);
    p.y[i] = y;
    term[0] = p.x[i] * y;
  }
};

/// As above, by Threads neighbouring threads (a power of two): thread t handles the entries k with k % Threads = t and
/// their accumulators. A thread overlaps the loads of up to Batch entries.
template <int NSums, int Threads, int Batch, class Columns = FullColumns> struct SplitRowProduct {
  static_assert(NSums % Threads == 0 && Batch % (NSums / Threads) == 0, "Accumulators must not depend on the entry.");
  static constexpr int own_sums = NSums / Threads;
  RowsOfProduct<Columns> p;

  /// Sums the part of thread t of row i: the binary tree down to one accumulator per thread.
  KOKKOS_FUNCTION double part(std::int64_t i, int t) const {
    double sum[own_sums];
    TESSERA_UNROLL
    for (int l = 0; l < own_sums; ++l)
      sum[l] = 0.;
    const auto row = static_cast<index_t>(i);
    const offset_t end = p.offsets[i + 1];
    for (offset_t k = p.offsets[i] + t; k < end; k += Threads * Batch) {
      index_t column[Batch];
      double product[Batch];
      p.columns.template load<Threads>(k, end, column);
      TESSERA_UNROLL
      for (int j = 0; j < Batch; ++j)
        if (k + j * Threads < end)
          product[j] = p.values[k + j * Threads];
      p.columns.template resolve<Threads>(row, k, column);
      TESSERA_UNROLL
      for (int j = 0; j < Batch; ++j)
        if (k + j * Threads < end)
          sum[j % own_sums] += product[j] * p.x[column[j]];
    }
    TESSERA_UNROLL
    for (int width = own_sums / 2; width > 0; width /= 2)
      for (int l = 0; l < width; ++l)
        sum[l] += sum[l + width];
    return sum[0];
  }

  KOKKOS_FUNCTION void operator()(std::int64_t i, int t, bool exists) const {
    double sum = exists ? part(i, t) : 0.;
    TESSERA_UNROLL
    for (int width = Threads / 2; width > 0; width /= 2)
      sum += from_lane_after<Threads>(sum, width);
    if (exists && t == 0)
      p.y[i] = sum;
  }
};

/// Computes y(i) and the term of (x, y) by one device thread.
template <int NSums, class Columns = FullColumns> struct BatchedRowProduct {
  SplitRowProduct<NSums, 1, 8, Columns> row;
  KOKKOS_FUNCTION void operator()(std::int64_t i, double (&term)[1]) const {
    const double y = row.part(i, 0);
    row.p.y[i] = y;
    term[0] = row.p.x[i] * y;
  }
};

template <class Matrix, class Columns>
RowsOfProduct<Columns> product_of(const Matrix& a, const Columns& columns, const double* x, double* y) {
  return {a.offsets.data(), columns, a.values.data(), x, y};
}

template <class Entry = double, class Matrix>
RowsOfProduct<FullColumns, Entry> product_of(const Matrix& a, const std::common_type_t<Entry>* x,
                                             std::common_type_t<Entry>* y) {
  return {a.offsets.data(), {a.columns.data()}, a.values.data(), x, y};
}

} // namespace tessera::linalg

#endif
