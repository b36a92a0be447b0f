// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_LINALG_CRS_SLICED_MATRIX_HPP
#define TESSERA_LINALG_CRS_SLICED_MATRIX_HPP

/// \file
/// Sparse rows in slices (sliced ELLPACK, A. Monakov, A. Lokhmotov, A. Avetisyan, HiPEAC 2010): neighbouring threads of
/// a device read neighbouring entries.

#include "core/kokkos_ext/lanes.hpp"
#include "linalg/crs/compressed_columns.hpp"
#include "linalg/pack.hpp"

#include <vector>

namespace tessera::linalg {

/// Entry k of a row goes to the sum k % n_sums, and a binary tree adds the sums. Rows have several sums (and threads)
/// if they are long and too few to fill a device. Depends on the matrix alone: every backend rounds identically.
constexpr int most_row_sums = 8;
inline int sums_of_rows(std::int64_t n_rows, double n_entries) {
  return n_rows <= 100000 && n_entries >= 10. * static_cast<double>(n_rows) ? most_row_sums : 1;
}

namespace detail {
/// Entry of the product with a vector, or with several stored together (pack.hpp), in the wider of both precisions.
template <class Value, class Vector> struct ProductEntry {
  using Entry = typename Vector::non_const_value_type;
  using type = EntryOf<std::common_type_t<Value, typename EntryTraits<Entry>::Value>, columns_of<Entry>>;
};
} // namespace detail

/// A slice holds the rows that 32 neighbouring threads of a device work on; on hosts it is one row, or eight ones that
/// are computed together by vector instructions. Its rows are padded to the longest: entry k of its row r is at
///
///   begin_of(slice) + (k / n_sums) * threads + r * n_sums + k % n_sums, threads = rows of a slice * n_sums
///
/// Padding has the value 0. Where eight rows have columns too far apart for 2 bytes, padding may also be between the
/// entries of a row, so that the eight entries that are multiplied together are in near columns.
template <class Value, class MemorySpace> struct SlicedMatrix {
  using value_type = Value;
  static constexpr bool one_row = uses_host_forms<MemorySpace>; ///< unless it is grouped
  static constexpr int grouped_rows = 8;                        ///< of a slice of several rows on a host

  index_t n_rows = 0;
  int n_sums = 1;                              ///< 1 if rows are grouped
  index_t of_slice = 0;                        ///< number of entries of each slice if all have the same, else 0
  Array<const offset_t*, MemorySpace> offsets; ///< [n_slices + 1]; empty if all slices have the same number of
                                               ///< entries
  /// Empty if the codes suffice. Of grouped rows: the smallest column of entries 8 k to 8 k + 7, for slices without a
  /// base.
  Array<const index_t*, MemorySpace> columns;
  /// Codes of CompressedColumns, or of grouped rows the distances from the smallest column; empty if they do not pay.
  Array<const std::uint16_t*, MemorySpace> codes;
  /// Of each slice of grouped rows: the smallest column, or -1 if codes do not reach all columns from there. Empty if
  /// rows are not grouped.
  Array<const index_t*, MemorySpace> bases;
  Array<const Value*, MemorySpace> values;

  KOKKOS_FUNCTION offset_t begin_of(index_t slice) const {
    return of_slice > 0 ? static_cast<offset_t>(slice) * of_slice : offsets(slice);
  }
  KOKKOS_FUNCTION offset_t end_of(index_t slice) const {
    return of_slice > 0 ? static_cast<offset_t>(slice + 1) * of_slice : offsets(slice + 1);
  }
  KOKKOS_FUNCTION static constexpr int slice_rows(int sums, bool grouped = false) {
    return one_row ? (grouped ? grouped_rows : 1) : 32 / sums;
  }
  KOKKOS_FUNCTION bool is_grouped() const { return bases.extent(0) > 0; }
  index_t n_slices() const {
    const int rows = slice_rows(n_sums, is_grouped());
    return (n_rows + rows - 1) / rows;
  }
  std::int64_t bytes() const {
    return static_cast<std::int64_t>(offsets.span() * sizeof(offset_t) +
                                     (columns.span() + bases.span()) * sizeof(index_t) +
                                     codes.span() * sizeof(std::uint16_t) + values.span() * sizeof(Value));
  }
  /// Bytes read by a product.
  double bytes_read() const {
    const std::size_t n_of_groups = is_grouped() ? bases.span() + columns.span() : 0;
    return static_cast<double>(offsets.span() * sizeof(offset_t) + n_of_groups * sizeof(index_t)) +
           static_cast<double>(values.span()) *
               static_cast<double>(sizeof(Value) + (codes.span() > 0 ? sizeof(std::uint16_t) : sizeof(index_t)));
  }

  /// The part of row i times x that thread t of `Sums` computes. A device thread overlaps the loads of a batch.
  template <int Sums, bool Coded, bool Grouped = false, class Vector>
  KOKKOS_FUNCTION typename detail::ProductEntry<Value, Vector>::type part(index_t i, int t, const Vector& x) const {
    constexpr int rows = slice_rows(Sums, Grouped);
    constexpr int stride = rows * Sums;
    constexpr int batch = Sums == 1 ? 8 : 4;
    const index_t slice = i / rows;
    const offset_t end = end_of(slice);
    offset_t k = begin_of(slice) + i % rows * Sums + t;
    typename detail::ProductEntry<Value, Vector>::type sum{};
    if constexpr (one_row) {
      const index_t base = Grouped ? bases(slice) : -1;
      for (; k < end; k += stride)
        sum += values(k) * x(!Grouped ? columns(k) : (base >= 0 ? base : columns(k / rows)) + codes(k));
    } else {
      for (; k < end; k += batch * stride) {
        index_t column[batch];
        Value value[batch];
        load_columns<stride, Coded>(k, end, column);
        TESSERA_UNROLL
        for (int j = 0; j < batch; ++j)
          if (k + j * stride < end)
            value[j] = values(k + j * stride);
        resolve_columns<stride, Coded>(i, k, column);
        TESSERA_UNROLL
        for (int j = 0; j < batch; ++j)
          if (k + j * stride < end)
            sum += value[j] * x(column[j]);
      }
    }
    return sum;
  }

  /// Row i times x by one thread.
  template <int Sums, bool Coded, bool Grouped = false, class Vector>
  KOKKOS_FUNCTION typename detail::ProductEntry<Value, Vector>::type row(index_t i, const Vector& x) const {
    if constexpr (Sums == 1) {
      return part<1, Coded, Grouped>(i, 0, x);
    } else {
      using Entry = typename detail::ProductEntry<Value, Vector>::type;
      Entry sum[Sums] = {};
      if constexpr (one_row && columns_of<Entry> == 1) {
        add_entries(
            i, [from = x.data()](offset_t) { return from; }, columns.data(), sum);
      } else {
        for (int t = 0; t < Sums; ++t)
          sum[t] = part<Sums, Coded>(i, t, x);
      }
      for (int width = Sums / 2; width > 0; width /= 2)
        for (int t = 0; t < width; ++t)
          sum[t] += sum[t + width];
      return sum[0];
    }
  }

  /// Adds the products of all rows of a group, on a host.
  template <class Vector, class Entry>
  KOKKOS_FUNCTION void add_group(index_t slice, const Vector& x, Entry (&sum)[grouped_rows]) const {
    if (const index_t base = bases(slice); base >= 0)
      add_entries(
          slice, [from = x.data() + base](offset_t) { return from; }, codes.data(), sum);
    else
      add_entries(
          slice, [from = x.data(), smallest = columns.data()](offset_t k) { return from + smallest[k / grouped_rows]; },
          codes.data(), sum);
  }
  /// Adds the entries of a slice to `Lanes` sums in turn, on a host, by vector instructions. Entries k to k + Lanes - 1
  /// are multiplied by those of x_of(k).
  template <int Lanes, class VectorOf, class Column, class Sum>
  KOKKOS_FUNCTION void add_entries(index_t slice, const VectorOf& x_of, const Column* column, Sum (&sum)[Lanes]) const {
    const Value* const value = values.data();
    const offset_t end = end_of(slice);
    for (offset_t k = begin_of(slice); k < end; k += Lanes) {
      const auto* const x = x_of(k);
      TESSERA_INDEPENDENT_ITERATIONS
      for (int t = 0; t < Lanes; ++t)
        sum[t] += value[k + t] * x[column[k + t]];
    }
  }

  /// Loads the columns of entries k, k + Stride, ... before `end`, in two steps, between which other loads may start.
  template <int Stride, bool Coded, int Batch>
  KOKKOS_FUNCTION void load_columns(offset_t k, offset_t end, index_t (&column)[Batch]) const {
    if constexpr (Coded)
      CompressedColumns{codes.data(), columns.data()}.template load<Stride>(k, end, column);
    else
      FullColumns{columns.data()}.template load<Stride>(k, end, column);
  }
  template <int Stride, bool Coded, int Batch>
  KOKKOS_FUNCTION void resolve_columns(index_t i, offset_t k, index_t (&column)[Batch]) const {
    if constexpr (Coded)
      CompressedColumns{codes.data(), columns.data()}.template resolve<Stride>(i, k, column);
  }
};

/// Scaling of the entries of a matrix: a_ij column_factors(j) / row_divisors(i), for the arrays that are not empty.
template <class MemorySpace> struct EntryScaling {
  Array<const double*, MemorySpace> row_divisors;
  Array<const double*, MemorySpace> column_factors;
  bool drops_diagonal = false;
};

/// A matrix to be copied into slices, or rows of a larger one, which determines `n_sums` (sums_of_rows()). If the
/// diagonal is dropped, each row must have a diagonal entry, in the column of the row's index. `may_group`: slices of a
/// host may have several rows, if that pays.
template <class MemorySpace> struct SliceSource {
  CrsMatrix<MemorySpace> a;
  EntryScaling<MemorySpace> scaling;
  int n_sums = 1;
  bool may_group = false;
};

/// Copies matrices into slices. Waits once for all, and once for each on hosts or if its slices differ in length.
///
/// Traffic on a device with m entries: offsets twice, columns and values 12 m read, 4 m more if the diagonal is
/// dropped; values, and codes 2 m or columns 4 m, are written.
template <class Value, class ExecutionSpace>
std::vector<SlicedMatrix<Value, typename ExecutionSpace::memory_space>>
make_sliced(const ExecutionSpace& exec, const std::vector<SliceSource<typename ExecutionSpace::memory_space>>& sources);

/// The values of another matrix on the pattern of one that was copied into slices, of any precision, in the same places
/// as its entries. `from.n_sums` is not used. Does not wait.
template <class Value, class Other, class ExecutionSpace>
Array<const Value*, typename ExecutionSpace::memory_space>
sliced_values(const ExecutionSpace& exec, const SliceSource<typename ExecutionSpace::memory_space>& from,
              const SlicedMatrix<Other, typename ExecutionSpace::memory_space>& slices);

namespace detail {

/// A loop over rows. The body has `operand(i)`, read before the row's entries; `x()`, the vector (or several) that the
/// row is multiplied by; and `finish(i, operand, product)`.
template <int Sums, bool Coded, class Matrix, class Body, bool Grouped = false> struct SlicedRows {
  using Vector = std::decay_t<decltype(std::declval<const Body&>().x())>;
  using Entry = typename ProductEntry<typename Matrix::value_type, Vector>::type;
  Matrix a;
  Body body;
  KOKKOS_FUNCTION void operator()(index_t i) const {
    const auto operand = body.operand(i);
    body.finish(i, operand, a.template row<Sums, Coded, Grouped>(i, body.x()));
  }
  KOKKOS_FUNCTION void operator()(std::int64_t item, int lane, bool exists) const {
    const auto i = static_cast<index_t>(item);
    Entry sum{};
    if (exists)
      sum = a.template part<Sums, Coded>(i, lane, body.x());
    TESSERA_UNROLL
    for (int width = Sums / 2; width > 0; width /= 2)
      sum += from_lane_after<Sums>(sum, width);
    if (exists && lane == 0)
      body.finish(i, body.operand(i), sum);
  }
};

/// The same by slices of several rows on a host.
template <class Matrix, class Body> struct GroupedRows {
  using Rows = SlicedRows<1, false, Matrix, Body, true>;
  Rows rows;
  void operator()(index_t slice) const {
    constexpr int n = Matrix::grouped_rows;
    const index_t first = slice * n;
    if (first + n > rows.a.n_rows) {
      for (index_t i = first; i < rows.a.n_rows; ++i)
        rows(i);
      return;
    }
    const Body& body = rows.body;
    typename Rows::Entry sum[n] = {};
    rows.a.add_group(slice, body.x(), sum);
    TESSERA_INDEPENDENT_ITERATIONS
    for (int r = 0; r < n; ++r)
      body.finish(first + r, body.operand(first + r), sum[r]);
  }
};

template <int Sums, bool Coded, class ExecutionSpace, class Matrix, class Body>
void for_each_sliced_row(const char* label, const ExecutionSpace& exec, const Matrix& a, const Body& body) {
  using Rows = SlicedRows<Sums, Coded, Matrix, Body>;
  const Rows rows{a, body};
  if constexpr (Sums > 1 && has_lanes<ExecutionSpace>)
    for_each_lane<Sums>(label, exec, a.n_rows, rows);
  else if constexpr (!is_host_space<ExecutionSpace>) // with as many threads as a multiprocessor can hold
    launch_loop<void, Kokkos::LaunchBounds<128, sizeof(typename Rows::Entry) == 4   ? 16
                                                : sizeof(typename Rows::Entry) == 8 ? 8
                                                                                    : 4>>(label, exec, a.n_rows, rows);
  else
    for_each(label, exec, a.n_rows, rows);
}

} // namespace detail

/// Applies `body` to all rows, as described at SlicedRows.
template <class ExecutionSpace, class Matrix, class Body>
void for_each_sliced_row(const char* label, const ExecutionSpace& exec, const Matrix& a, const Body& body) {
  if constexpr (!Matrix::one_row)
    if (a.codes.extent(0) > 0) {
      if (a.n_sums == 1)
        detail::for_each_sliced_row<1, true>(label, exec, a, body);
      else
        detail::for_each_sliced_row<most_row_sums, true>(label, exec, a, body);
      return;
    }
  if constexpr (Matrix::one_row)
    if (a.is_grouped()) {
      using Grouped = detail::GroupedRows<Matrix, Body>;
      const typename Grouped::Rows rows{a, body};
      if constexpr (columns_of<typename Grouped::Rows::Entry> == 1)
        for_each(label, exec, a.n_slices(), Grouped{rows});
      else
        for_each(label, exec, a.n_rows, rows); // the columns of a row's sums fill a vector
      return;
    }
  if (a.n_sums == 1)
    detail::for_each_sliced_row<1, false>(label, exec, a, body);
  else
    detail::for_each_sliced_row<most_row_sums, false>(label, exec, a, body);
}

} // namespace tessera::linalg

#endif
