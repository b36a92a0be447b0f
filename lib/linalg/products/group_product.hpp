// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_LINALG_PRODUCTS_GROUP_PRODUCT_HPP
#define TESSERA_LINALG_PRODUCTS_GROUP_PRODUCT_HPP

/// \file
/// Long rows of a sparse product C = A B on devices; private to crs_product.cpp. The entries of a row of A are
/// processed one by one; the threads of a group share the entries of the corresponding row of B. Their columns differ,
/// so that each sum is updated by one thread at a time, and its terms are added in the order of the row of A. Columns
/// are found in a hash table in scratch memory (Y. Nagasaka, S. Matsuoka, A. Azad, A. Buluc, Parallel Computing 90,
/// 2019).

#include "core/algorithms/lower_bound.hpp"
#include "core/kokkos_ext/thread_group.hpp"
#include "linalg/products/lane_product.hpp"
#include "linalg/products/long_rows.hpp"

namespace tessera::linalg::detail {

/// The columns of a row and, if `WithValues`, the sums of their terms, in the scratch memory of a group of threads.
template <bool WithValues> struct HashedRow {
  static constexpr index_t empty_slot = -1;

  int capacity;      ///< a power of two
  double* value;     ///< [capacity]
  index_t* column;   ///< [capacity], at their hashed positions
  index_t* in_order; ///< [capacity], in order of insertion
  int* n;

  KOKKOS_FUNCTION static std::size_t bytes(int capacity) {
    return static_cast<std::size_t>(capacity) * (WithValues ? sizeof(double) + 2 * sizeof(index_t) : sizeof(index_t)) +
           sizeof(double);
  }
  KOKKOS_FUNCTION HashedRow(void* scratch, int capacity_in) : capacity(capacity_in) {
    value = static_cast<double*>(scratch);
    n = reinterpret_cast<int*>(value + (WithValues ? capacity : 0));
    column = reinterpret_cast<index_t*>(n + sizeof(double) / sizeof(int));
    in_order = column + (WithValues ? capacity : 0);
  }

  /// The multiplicative hash of D. E. Knuth (The Art of Computer Programming 3, section 6.4): the upper bits of the
  /// lower half of the product with 2^32 over the golden ratio, which separates neighbouring columns.
  KOKKOS_FUNCTION int first_slot(index_t c) const {
    return static_cast<int>(static_cast<std::uint32_t>(c) * 2654435769u >> 16) & (capacity - 1);
  }
  /// Adds a term; threads that call this concurrently have different columns. The table must have room.
  KOKKOS_FUNCTION void add(index_t c, double term) const {
    for (int position = first_slot(c);; position = (position + 1) & (capacity - 1)) {
      index_t there = column[position];
      if (there == empty_slot)
        there = Kokkos::atomic_compare_exchange(&column[position], empty_slot, c);
      if (there == empty_slot) { // the column is new
        const int number = Kokkos::atomic_fetch_add(n, 1);
        if (WithValues) {
          in_order[number] = c;
          value[position] = 0. + term; // a sum that starts from zero: -0 becomes 0
        }
        return;
      }
      if (there == c) {
        if (WithValues)
          value[position] += term;
        return;
      }
    }
  }
  KOKKOS_FUNCTION double value_of(index_t c) const {
    int position = first_slot(c);
    while (column[position] != c)
      position = (position + 1) & (capacity - 1);
    return value[position];
  }
};

/// Number of columns that a group of `Width` threads accepts: the threads' next columns then still find a place.
template <int Width> KOKKOS_INLINE_FUNCTION int most_columns(int capacity) { return capacity - Width; }

/// Common parts of the kernels of groups: rows and terms. `Width` is one on hosts.
template <int Width, class ExecutionSpace> struct GroupRows {
  using Space = typename ExecutionSpace::memory_space;
  using Team = typename Kokkos::TeamPolicy<ExecutionSpace>::member_type;
  using Group = ThreadGroup<ExecutionSpace>;

  CrsMatrix<Space> a;
  CrsMatrix<Space> b;
  index_t n_rows;
  int capacity;

  /// Calls `visit(column, term)` for the terms of a row, concurrently for those of one entry of A; after each entry of
  /// A, `goes_on` decides whether to continue.
  template <bool WithValues, class Visit, class GoesOn>
  KOKKOS_FUNCTION void walk(const Group& group, index_t row, const Visit& visit, const GoesOn& goes_on) const {
    const int lane = group.team_rank();
    walk_factors<Width, WithValues>(a, b, row, lane, [&](offset_t begin, offset_t end, double factor) {
      for (offset_t k = begin; k < end; k += Width) {
        if (k + lane < end)
          visit(b.columns(k + lane), WithValues ? factor * b.values(k + lane) : 0.);
        group.team_barrier();
        if (!goes_on())
          return false;
      }
      return true;
    });
  }

  /// Calls `work(row)` for the rows of this group: of all rows, or of a list.
  template <class Work>
  KOKKOS_FUNCTION void for_each_row(const Team& team, const Group& group, const LongRows<Space>* list,
                                    const Work& work) const {
    const std::int64_t n_groups = static_cast<std::int64_t>(team.league_size()) * group.n_groups();
    const std::int64_t n = list != nullptr ? list->size() : n_rows;
    for (std::int64_t i = group.league_rank(); i < n; i += n_groups)
      work(list != nullptr ? list->rows(i) : static_cast<index_t>(i));
  }

  /// Adds the columns of a row (and their terms); returns false if there are too many.
  template <bool WithValues>
  KOKKOS_FUNCTION bool collect(const Group& group, index_t row, const HashedRow<WithValues>& sums) const {
    for (int i = group.team_rank(); i < capacity; i += Width)
      sums.column[i] = sums.empty_slot;
    if (group.team_rank() == 0)
      *sums.n = 0;
    group.team_barrier();
    bool fits = true;
    walk<WithValues>(
        group, row, [&](index_t c, double term) { sums.add(c, term); },
        [&] { // A common answer for all threads, since some may already be counting the next columns, for which there
              // is room.
          fits = !any_lane<Width>(*sums.n > most_columns<Width>(capacity));
          return fits;
        });
    return fits;
  }
};

/// Counts the columns of rows. Without a list it counts all rows and lists those that are too long; with a list it
/// counts the listed rows, and rows that are too long get the count `overflow`.
template <int Width, class ExecutionSpace> struct CountGroupRow : GroupRows<Width, ExecutionSpace> {
  using Base = GroupRows<Width, ExecutionSpace>;
  using Space = typename Base::Space;
  using Row = HashedRow<false>;
  Array<offset_t*, Space> counts;
  LongRows<Space> long_rows;
  bool of_list;
  offset_t overflow;

  CountGroupRow(const Base& base, const Array<offset_t*, Space>& counts_in, const LongRows<Space>& long_rows_in,
                bool of_list_in, offset_t overflow_in)
      : Base(base), counts(counts_in), long_rows(long_rows_in), of_list(of_list_in), overflow(overflow_in) {}

  KOKKOS_FUNCTION void count(const typename Base::Group& group, const Row& columns, index_t row) const {
    const bool fits = this->template collect<false>(group, row, columns);
    if (group.team_rank() == 0) {
      counts(row) = fits ? static_cast<offset_t>(*columns.n) : of_list ? overflow : 0;
      if (!fits && !of_list)
        long_rows.add(row);
    }
    group.team_barrier(); // before the table is reused
  }
  KOKKOS_FUNCTION void operator()(const typename Base::Team& team) const {
    const typename Base::Group group(team, Width);
    const Row columns(group.scratch(0, Row::bytes(this->capacity)), this->capacity);
    this->for_each_row(team, group, of_list ? &long_rows : nullptr, [&](index_t row) { count(group, columns, row); });
  }
};

/// Writes columns and values of rows: of all rows except long ones, which have more than `most` columns, or of the rows
/// of a list.
template <int Width, class ExecutionSpace> struct FillGroupRow : GroupRows<Width, ExecutionSpace> {
  using Base = GroupRows<Width, ExecutionSpace>;
  using Space = typename Base::Space;
  using Row = HashedRow<true>;
  CrsMatrix<Space> result;
  LongRows<Space> long_rows;
  bool of_list;

  FillGroupRow(const Base& base, const CrsMatrix<Space>& result_in, const LongRows<Space>& long_rows_in,
               bool of_list_in)
      : Base(base), result(result_in), long_rows(long_rows_in), of_list(of_list_in) {}

  KOKKOS_FUNCTION void fill(const typename Base::Group& group, const Row& sums, index_t row) const {
    const offset_t begin = result.offsets(row);
    if (result.offsets(row + 1) - begin > most_columns<Width>(this->capacity))
      return;
    this->template collect<true>(group, row, sums);
    const int n = *sums.n;
    for (int i = group.team_rank(); i < n; i += Width) {
      const index_t column = sums.in_order[i];
      int rank = 0;
      for (int j = 0; j < n; ++j)
        rank += sums.in_order[j] < column ? 1 : 0;
      result.columns(begin + rank) = column;
      result.values(begin + rank) = sums.value_of(column);
    }
    group.team_barrier(); // before the table is reused
  }
  KOKKOS_FUNCTION void operator()(const typename Base::Team& team) const {
    const typename Base::Group group(team, Width);
    const Row sums(group.scratch(0, Row::bytes(this->capacity)), this->capacity);
    this->for_each_row(team, group, of_list ? &long_rows : nullptr, [&](index_t row) { fill(group, sums, row); });
  }
};

/// Recomputes the values of rows of any length, in windows of as many columns as the table holds.
template <int Width, class ExecutionSpace> struct RenewGroupRow : GroupRows<Width, ExecutionSpace> {
  using Base = GroupRows<Width, ExecutionSpace>;
  using Space = typename Base::Space;
  CrsMatrix<Space> result;

  RenewGroupRow(const Base& base, const CrsMatrix<Space>& result_in) : Base(base), result(result_in) {}

  KOKKOS_FUNCTION static std::size_t bytes(int capacity) {
    return static_cast<std::size_t>(capacity) * (sizeof(double) + sizeof(index_t));
  }
  KOKKOS_FUNCTION void operator()(const typename Base::Team& team) const {
    const typename Base::Group group(team, Width);
    auto* const value = static_cast<double*>(group.scratch(0, bytes(this->capacity)));
    auto* const column = reinterpret_cast<index_t*>(value + this->capacity);
    const std::int64_t item = group.league_rank();
    if (item >= this->n_rows)
      return;
    const auto row = static_cast<index_t>(item);
    const offset_t end = result.offsets(row + 1);
    for (offset_t first = result.offsets(row); first < end; first += this->capacity) {
      const int n = end - first < this->capacity ? static_cast<int>(end - first) : this->capacity;
      for (int i = group.team_rank(); i < n; i += Width) {
        column[i] = result.columns(first + i);
        value[i] = 0.;
      }
      group.team_barrier();
      this->template walk<true>(
          group, row,
          [&](index_t c, double term) {
            const int position = lower_bound(column, 0, n, c);
            if (position < n && column[position] == c)
              value[position] += term;
          },
          [] { return true; });
      for (int i = group.team_rank(); i < n; i += Width)
        result.values(first + i) = value[i];
      group.team_barrier();
    }
  }
};

} // namespace tessera::linalg::detail

#endif
