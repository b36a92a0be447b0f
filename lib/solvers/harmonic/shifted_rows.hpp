// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_SOLVERS_HARMONIC_SHIFTED_ROWS_HPP
#define TESSERA_SOLVERS_HARMONIC_SHIFTED_ROWS_HPP

/// \file
/// Two matrices K and M on one sparsity pattern, and loops over the rows of K + s M.

#include "linalg/crs/sliced_matrix.hpp"

#include <cstdint>

namespace tessera::solvers {

/// Two square matrices, or owned rows of both with columns numbered owned first, on one pattern, which includes the
/// diagonal.
template <class Space> struct ShiftedMatrix {
  linalg::CrsMatrix<Space> k;
  Array<double*, Space> m; ///< values of M, [n_entries]

  index_t size() const { return k.n_rows(); }
  linalg::CrsMatrix<Space> mass() const { return {k.offsets, k.columns, m}; }
};

/// A row of K and of M times the same vector.
template <class Entry> struct RowProducts {
  Entry k;
  Entry m;
  KOKKOS_INLINE_FUNCTION RowProducts& operator+=(const RowProducts& other) {
    k += other.k;
    m += other.m;
    return *this;
  }
};

/// K and M in the slices of linalg::SlicedMatrix. A product is computed from differences,
///
///   (K x)_i = sum_j k_ij (x_j - x_i) + x_i sum_j k_ij,
///
/// where row sums that are zero up to rounding are exactly zero. With the stored diagonal the rounding of k_ii in a
/// good conductor would be a conductance to zero larger than those of an insulator (contrasts above 1e8).
template <class Value, class Space> struct ShiftedRows {
  using value_type = Value;
  using Slices = linalg::SlicedMatrix<Value, Space>;

  Slices k;                                ///< entries of K without the diagonal
  Array<const Value*, Space> m;            ///< those of M, in the same places
  Array<const std::uint8_t*, Space> has_m; ///< of each slice: 0 if its entries of M are zero, and not read
  Array<const Value*, Space> k_sum, m_sum; ///< row sums
  Array<const Value*, Space> k_diagonal, m_diagonal;

  index_t size() const { return k.n_rows; }
  std::int64_t bytes() const {
    return k.bytes() + static_cast<std::int64_t>((m.span() + 4 * k_sum.span()) * sizeof(Value) + has_m.span());
  }

  /// Column of the entry at place e of row i.
  KOKKOS_FUNCTION index_t column(index_t i, offset_t e) const {
    if constexpr (!Slices::one_row)
      if (k.codes.extent(0) > 0)
        return linalg::CompressedColumns{k.codes.data(), k.columns.data()}.at(i, e);
    return k.columns(e);
  }

  /// The part of row i that thread t of `Sums` computes; `own` is x_i.
  template <int Sums, bool Coded, class Entry>
  KOKKOS_FUNCTION RowProducts<Entry> part(index_t i, int t, const Entry& own, const Entry* x) const {
    constexpr int rows = Slices::slice_rows(Sums);
    constexpr int stride = rows * Sums;
    constexpr int batch = sizeof(Entry) <= 8 ? 8 : 4; // of loads that a device thread overlaps
    const index_t slice = i / rows;
    const offset_t end = k.end_of(slice);
    offset_t e = k.begin_of(slice) + i % rows * Sums + t;
    const bool reads_m = has_m(slice) != 0;
    RowProducts<Entry> sum{};
    if constexpr (Slices::one_row) {
      if (reads_m) {
        for (; e < end; e += stride) {
          const Entry difference = x[k.columns(e)] - own;
          sum.k += k.values(e) * difference;
          sum.m += m(e) * difference;
        }
      } else {
        for (; e < end; e += stride)
          sum.k += k.values(e) * (x[k.columns(e)] - own);
      }
    } else {
      for (; e < end; e += batch * stride) {
        index_t column[batch];
        Value k_value[batch];
        Value m_value[batch];
        k.template load_columns<stride, Coded>(e, end, column);
        TESSERA_UNROLL
        for (int j = 0; j < batch; ++j) {
          k_value[j] = e + j * stride < end ? k.values(e + j * stride) : Value(0);
          m_value[j] = reads_m && e + j * stride < end ? m(e + j * stride) : Value(0);
        }
        k.template resolve_columns<stride, Coded>(i, e, column);
        TESSERA_UNROLL
        for (int j = 0; j < batch; ++j)
          if (e + j * stride < end) {
            const Entry difference = x[column[j]] - own;
            sum.k += k_value[j] * difference;
            sum.m += m_value[j] * difference;
          }
      }
    }
    return sum;
  }

  /// Row i by one thread, without the row sums.
  template <int Sums, bool Coded, class Entry>
  KOKKOS_FUNCTION RowProducts<Entry> row(index_t i, const Entry& own, const Entry* x) const {
    if constexpr (Sums == 1) {
      return part<1, Coded>(i, 0, own, x);
    } else {
      RowProducts<Entry> sum[Sums];
      for (int t = 0; t < Sums; ++t)
        sum[t] = part<Sums, Coded>(i, t, own, x);
      for (int width = Sums / 2; width > 0; width /= 2)
        for (int t = 0; t < width; ++t)
          sum[t] += sum[t + width];
      return sum[0];
    }
  }
};

/// Copies pairs of matrices, divided by `k_unit` and `m_unit`, into slices, of which both have one pattern. `n_sums`:
/// of the whole matrix to which the rows of each pair belong (linalg::sums_of_rows()); without it the rows are whole
/// matrices. Waits.
template <class Value, class ExecutionSpace>
std::vector<ShiftedRows<Value, typename ExecutionSpace::memory_space>>
make_shifted_rows(const ExecutionSpace& exec,
                  const std::vector<ShiftedMatrix<typename ExecutionSpace::memory_space>>& matrices, double k_unit = 1.,
                  double m_unit = 1., const std::vector<int>& n_sums = {});

/// A pair in double precision, in the slices of its copy in single precision, with which it shares the pattern. Does
/// not wait.
template <class ExecutionSpace>
ShiftedRows<double, typename ExecutionSpace::memory_space>
make_shifted_rows(const ExecutionSpace& exec, const ShiftedMatrix<typename ExecutionSpace::memory_space>& matrix,
                  const ShiftedRows<float, typename ExecutionSpace::memory_space>& single);

namespace detail {

/// A loop over rows. The body has the vector `x` that the rows are multiplied by, and `finish(i, x_i, products)`.
template <int Sums, bool Coded, class Rows, class Body> struct ShiftedLoop {
  Rows a;
  Body body;
  using Entry = typename Body::Entry;
  KOKKOS_FUNCTION void operator()(index_t i) const {
    const Entry own = body.x[i];
    finish(i, own, a.template row<Sums, Coded>(i, own, body.x));
  }
  KOKKOS_FUNCTION void operator()(std::int64_t item, int lane, bool exists) const {
    const auto i = static_cast<index_t>(item);
    RowProducts<Entry> sum{};
    Entry own{};
    if (exists) {
      own = body.x[i];
      sum = a.template part<Sums, Coded>(i, lane, own, body.x);
    }
    TESSERA_UNROLL
    for (int width = Sums / 2; width > 0; width /= 2) {
      sum.k += linalg::from_lane_after<Sums>(sum.k, width);
      sum.m += linalg::from_lane_after<Sums>(sum.m, width);
    }
    if (exists && lane == 0)
      finish(i, own, sum);
  }

private:
  KOKKOS_FUNCTION void finish(index_t i, const Entry& own, RowProducts<Entry> sum) const {
    sum.k += a.k_sum(i) * own;
    sum.m += a.m_sum(i) * own;
    body.finish(i, own, sum);
  }
};

template <int Sums, bool Coded, class ExecutionSpace, class Rows, class Body>
void for_each_shifted_row(const char* label, const ExecutionSpace& exec, const Rows& a, const Body& body) {
  const ShiftedLoop<Sums, Coded, Rows, Body> rows{a, body};
  if constexpr (Sums > 1 && has_lanes<ExecutionSpace>)
    for_each_lane<Sums>(label, exec, a.size(), rows);
  else
    for_each(label, exec, a.size(), rows);
}

} // namespace detail

/// Applies `body` to all rows, as described at detail::ShiftedLoop. Does not wait.
template <class ExecutionSpace, class Rows, class Body>
void for_each_shifted_row(const char* label, const ExecutionSpace& exec, const Rows& a, const Body& body) {
  using linalg::most_row_sums;
  if constexpr (!Rows::Slices::one_row)
    if (a.k.codes.extent(0) > 0) {
      if (a.k.n_sums == 1)
        detail::for_each_shifted_row<1, true>(label, exec, a, body);
      else
        detail::for_each_shifted_row<most_row_sums, true>(label, exec, a, body);
      return;
    }
  if (a.k.n_sums == 1)
    detail::for_each_shifted_row<1, false>(label, exec, a, body);
  else
    detail::for_each_shifted_row<most_row_sums, false>(label, exec, a, body);
}

} // namespace tessera::solvers

#endif
