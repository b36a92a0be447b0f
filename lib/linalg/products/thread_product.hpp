// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_LINALG_PRODUCTS_THREAD_PRODUCT_HPP
#define TESSERA_LINALG_PRODUCTS_THREAD_PRODUCT_HPP

/// \file
/// Rows of a sparse product C = A B on devices by one thread each; private to crs_product.cpp. The thread holds the
/// columns of its row in registers, or in a hash table in scratch memory, and adds terms in the order of the row of A.
/// The limit is the number of instructions, most of which threads that share a row would spend on communication; then
/// the capacity of the L1 cache, in which neighbouring rows reuse each other's rows of B.

#include "linalg/pattern/lane_accumulator.hpp"
#include "linalg/products/long_rows.hpp"

namespace tessera::linalg::detail {

/// Calls `visit(column, term)` for all terms of a row until it returns false; returns whether it never did. Loads of
/// `Factors` entries of A, and of some of a row of B, are in flight together.
template <int Factors, bool WithValues, class Space, class Visit>
KOKKOS_FUNCTION bool walk_row(const CrsMatrix<Space>& a, const CrsMatrix<Space>& b, index_t row, const Visit& visit) {
  constexpr int batch = 4;
  const offset_t row_end = a.offsets(row + 1);
  for (offset_t first = a.offsets(row); first < row_end; first += Factors) {
    double factor[Factors];
    offset_t begin[Factors];
    offset_t end[Factors];
    TESSERA_UNROLL
    for (int f = 0; f < Factors; ++f) {
      const bool exists = first + f < row_end;
      const index_t through = exists ? a.columns(first + f) : 0;
      factor[f] = WithValues && exists ? a.values(first + f) : 0.;
      begin[f] = exists ? b.offsets(through) : 0;
      end[f] = exists ? b.offsets(through + 1) : 0;
    }
    TESSERA_UNROLL
    for (int f = 0; f < Factors; ++f)
      for (offset_t k = begin[f]; k < end[f]; k += batch) {
        index_t column[batch];
        double value[batch];
        TESSERA_UNROLL
        for (int j = 0; j < batch; ++j) {
          const bool exists = k + j < end[f];
          column[j] = exists ? b.columns(k + j) : -1;
          value[j] = WithValues && exists ? b.values(k + j) : 0.;
        }
        TESSERA_UNROLL
        for (int j = 0; j < batch; ++j)
          if (column[j] >= 0 && !visit(column[j], factor[f] * value[j]))
            return false;
      }
  }
  return true;
}

/// Entries of A processed at a time if columns are in registers: each term is compared with all of them, so that more
/// entries would be too much code.
constexpr int slot_factors = 1;

/// Counts the columns of a row of at most `Slots` columns, or lists it as a long row.
template <int Slots, class Space> struct CountBySlots {
  CrsMatrix<Space> a;
  CrsMatrix<Space> b;
  Array<offset_t*, Space> counts;
  LongRows<Space> long_rows;
  KOKKOS_FUNCTION void operator()(index_t row) const {
    LaneAccumulator<1, Slots, false> columns(0);
    const bool fits =
        walk_row<slot_factors, false>(a, b, row, [&](index_t column, double) { return columns.add(column, 0.); });
    counts(row) = fits ? static_cast<offset_t>(columns.n) : 0;
    if (!fits)
      long_rows.add(row);
  }
};

/// Writes columns and values of a row that is not long.
template <int Slots, class Space> struct FillBySlots {
  CrsMatrix<Space> a;
  CrsMatrix<Space> b;
  CrsMatrix<Space> result;
  KOKKOS_FUNCTION void operator()(index_t row) const {
    const offset_t begin = result.offsets(row);
    if (result.offsets(row + 1) - begin > Slots)
      return;
    LaneAccumulator<1, Slots, true> sums(0);
    walk_row<slot_factors, true>(a, b, row, [&](index_t column, double term) { return sums.add(column, term); });
    sums.write(result.columns.data() + begin, result.values.data() + begin);
  }
};

/// The columns of a row and, if `WithValues`, the sums of their terms: a hash table of one thread, interleaved with
/// those of the other threads of its team.
template <bool WithValues> class ThreadTable {
public:
  static constexpr index_t empty_slot = -1;

  /// Number of columns that a table accepts: a search ends at a free position, and should be short.
  KOKKOS_FUNCTION static int most_columns(int capacity) { return capacity - capacity / 16 - 1; }
  KOKKOS_FUNCTION static std::size_t bytes(int capacity) {
    return static_cast<std::size_t>(capacity) * (sizeof(index_t) + (WithValues ? sizeof(double) : 0));
  }

  /// `scratch`: memory of `stride` threads.
  KOKKOS_FUNCTION ThreadTable(void* scratch, int thread, int stride, int capacity)
      : stride_(stride), capacity_(capacity), most_(most_columns(capacity)),
        value_(static_cast<double*>(scratch) + (WithValues ? thread : 0)),
        column_(reinterpret_cast<index_t*>(static_cast<double*>(scratch) + (WithValues ? stride * capacity : 0)) +
                thread) {
    for (int position = 0; position < capacity; ++position)
      column_[position * stride] = empty_slot;
  }

  KOKKOS_FUNCTION int size() const { return n_; }

  /// Adds a term and, if it is new, its column; returns false if there is no room.
  KOKKOS_FUNCTION bool add(index_t c, double term) {
    for (int position = first_slot(c);; position = position + 1 == capacity_ ? 0 : position + 1) {
      const index_t there = column_[position * stride_];
      if (there == c) {
        if (WithValues)
          value_[position * stride_] += term;
        return true;
      }
      if (there == empty_slot) {
        if (n_ == most_)
          return false;
        ++n_;
        column_[position * stride_] = c;
        if (WithValues)
          value_[position * stride_] = 0. + term; // a sum that starts from zero: -0 becomes 0
        return true;
      }
    }
  }

  /// Writes the columns, ascending, and their sums. Destroys the table.
  KOKKOS_FUNCTION void write(index_t* columns, double* values) {
    int n = 0;
    for (int position = 0; n < n_; ++position) {
      const index_t c = column_[position * stride_];
      if (c == empty_slot)
        continue;
      column_[n * stride_] = c;
      value_[n * stride_] = value_[position * stride_];
      ++n;
    }
    for (int i = 0; i < n_; ++i) {
      const index_t c = column_[i * stride_];
      int rank = 0;
      for (int j = 0; j < n_; ++j)
        rank += column_[j * stride_] < c ? 1 : 0;
      columns[rank] = c;
      values[rank] = value_[i * stride_];
    }
  }

private:
  /// Multiplicative hash (D. E. Knuth, The Art of Computer Programming 3, section 6.4), scaled to the capacity: the
  /// lower half of the product with 2^32 over the golden ratio, which separates neighbouring columns.
  KOKKOS_FUNCTION int first_slot(index_t c) const {
    const std::uint32_t spread = static_cast<std::uint32_t>(c) * 2654435769u;
    return static_cast<int>(static_cast<std::uint64_t>(spread) * static_cast<std::uint64_t>(capacity_) >> 32);
  }

  int stride_;
  int capacity_;
  int most_;
  int n_ = 0;
  double* value_;
  index_t* column_;
};

/// Common parts of the kernels with tables: a team has as many rows as threads.
template <bool WithValues, class ExecutionSpace> struct TableRows {
  using Space = typename ExecutionSpace::memory_space;
  using Team = typename Kokkos::TeamPolicy<ExecutionSpace>::member_type;
  using Table = ThreadTable<WithValues>;
  CrsMatrix<Space> a;
  CrsMatrix<Space> b;
  index_t n_rows;
  int capacity;

  /// Calls `work(row, table, fits)` with the columns of the thread's row (and the sums), if `is_wanted(row)`.
  template <class IsWanted, class Work>
  KOKKOS_FUNCTION void for_own_row(const Team& team, const IsWanted& is_wanted, const Work& work) const {
    const int n = team.team_size();
    void* const scratch = team.team_scratch(0).get_shmem(Table::bytes(capacity) * static_cast<std::size_t>(n));
    const std::int64_t row = static_cast<std::int64_t>(team.league_rank()) * n + team.team_rank();
    if (row >= n_rows || !is_wanted(static_cast<index_t>(row)))
      return;
    Table table(scratch, team.team_rank(), n, capacity);
    const bool fits = walk_row<4, WithValues>(a, b, static_cast<index_t>(row),
                                              [&](index_t column, double term) { return table.add(column, term); });
    work(static_cast<index_t>(row), table, fits);
  }
};

/// Counts the columns of a row, or lists it as a long row.
template <class ExecutionSpace> struct CountByTable {
  using Rows = TableRows<false, ExecutionSpace>;
  Rows rows;
  Array<offset_t*, typename Rows::Space> counts;
  LongRows<typename Rows::Space> long_rows;
  KOKKOS_FUNCTION void operator()(const typename Rows::Team& team) const {
    rows.for_own_row(
        team, [](index_t) { return true; },
        [&](index_t row, const typename Rows::Table& table, bool fits) {
          counts(row) = fits ? static_cast<offset_t>(table.size()) : 0;
          if (!fits)
            long_rows.add(row);
        });
  }
};

/// Writes columns and values of a row that is not long.
template <class ExecutionSpace> struct FillByTable {
  using Rows = TableRows<true, ExecutionSpace>;
  Rows rows;
  CrsMatrix<typename Rows::Space> result;
  KOKKOS_FUNCTION void operator()(const typename Rows::Team& team) const {
    rows.for_own_row(
        team,
        [&](index_t row) {
          return result.offsets(row + 1) - result.offsets(row) <= Rows::Table::most_columns(rows.capacity);
        },
        [&](index_t row, typename Rows::Table& table, bool) {
          const offset_t begin = result.offsets(row);
          table.write(result.columns.data() + begin, result.values.data() + begin);
        });
  }
};

} // namespace tessera::linalg::detail

#endif
