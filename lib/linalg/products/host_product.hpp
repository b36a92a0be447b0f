// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_LINALG_PRODUCTS_HOST_PRODUCT_HPP
#define TESSERA_LINALG_PRODUCTS_HOST_PRODUCT_HPP

/// \file
/// Rows of a sparse product C = A B on hosts, private to crs_product.cpp. A thread finds the columns of its row in a
/// hash table that stays in the L1 cache, and adds terms in the order of the row of A. Rows that are too long for the
/// table are added in windows of ascending columns.

#include "linalg/crs/crs_matrix.hpp"
#include "linalg/pattern/column_accumulator.hpp"
#include "linalg/pattern/find_column.hpp"

#include <algorithm>
#include <atomic>
#include <new>
#include <vector>

namespace tessera::linalg::detail {

/// A hash table for the columns of a row (open addressing), and the sums of their terms. Keys contain the row: slots of
/// earlier rows are free, and nothing is cleared between rows.
class RowTable {
public:
  static constexpr int bits = 10;
  static constexpr int most_columns = 3 << (bits - 2); ///< of a row, so that searches stay short

  RowTable() {
    for (Slot& slot : slots_)
      slot.key = ~Key(0); // of no row
  }
  void start(index_t row) {
    row_ = static_cast<Key>(row) << 32;
    n_ = 0;
  }
  int size() const { return n_; }

  /// Adds a term; returns whether its column is new. The row must have fewer than most_columns columns.
  bool add(index_t column, double term) {
    const Key key = row_ | static_cast<std::uint32_t>(column);
    Slot& slot = slots_[find(key)];
    const bool is_new = slot.key != key;
    if (is_new) {
      slot.key = key;
      ++n_;
    }
    slot.value = (is_new ? 0. : slot.value) + term; // -0 alone becomes 0
    return is_new;
  }
  /// The sum of a column's terms; 0 if it has none.
  double sum_of(index_t column) const {
    const Key key = row_ | static_cast<std::uint32_t>(column);
    const Slot& slot = slots_[find(key)];
    return slot.key == key ? slot.value : 0.;
  }

private:
  using Key = std::uint64_t;
  struct Slot {
    Key key;
    double value;
  };

  /// The slot with this key, or the free one where it would be. Multiplicative hash (D. E. Knuth, The Art of Computer
  /// Programming 3, section 6.4).
  std::uint32_t find(Key key) const {
    std::uint32_t position = static_cast<std::uint32_t>(key) * 2654435769u >> (32 - bits);
    while (slots_[position].key != key && slots_[position].key >> 32 == key >> 32)
      position = (position + 1) % (1u << bits);
    return position;
  }

  Slot slots_[1 << bits];
  Key row_ = 0;
  int n_ = 0;
};

/// Rows of A B by raw pointers.
template <class Space> struct HostProduct {
  const offset_t* a_offsets;
  const index_t* a_columns;
  const double* a_values;
  const offset_t* b_offsets;
  const index_t* b_columns;
  const double* b_values;
  index_t n_rows;

  HostProduct(const CrsMatrix<Space>& a, const CrsMatrix<Space>& b)
      : a_offsets(a.offsets.data()), a_columns(a.columns.data()), a_values(a.values.data()),
        b_offsets(b.offsets.data()), b_columns(b.columns.data()), b_values(b.values.data()), n_rows(a.n_rows()) {}

  /// Rows that share a table: clearing it takes as long as some ten rows.
  static constexpr index_t rows_of_block = 256;
  index_t n_blocks() const { return (n_rows + rows_of_block - 1) / rows_of_block; }
  template <class Work> void for_rows_of(index_t block, const Work& work) const {
    for (index_t row = block * rows_of_block; row < std::min((block + 1) * rows_of_block, n_rows); ++row)
      work(row);
  }

  /// Calls `visit(column, term)` for the terms of a row until it returns false; returns whether it never did.
  template <class Visit> bool visit_terms(index_t row, const Visit& visit) const {
    const offset_t end = a_offsets[row + 1];
    for (offset_t i = a_offsets[row]; i < end; ++i) {
      const double factor = a_values[i];
      const offset_t end_of_b = b_offsets[a_columns[i] + 1];
      for (offset_t j = b_offsets[a_columns[i]]; j < end_of_b; ++j)
        if (!visit(b_columns[j], factor * b_values[j]))
          return false;
    }
    return true;
  }

  /// Adds the terms of a long row in windows of ascending columns, as many at a time as the accumulator holds; calls
  /// `take(sums)` with each window.
  template <class Take> void for_each_window(index_t row, const Take& take) const {
    StackAccumulator<96, true, true> sums;
    for (bool again = true; again;) {
      visit_terms(row, [&](index_t column, double term) {
        sums.add(column, term);
        return true;
      });
      take(sums);
      again = sums.overflow;
      if (again)
        sums.next_window();
    }
  }
};

/// Columns and values of the rows of a block, until their places in the matrix are known.
struct RowsOfBlock {
  std::vector<index_t> columns;
  std::vector<double> values;
};

/// Multiplies the rows of a block, and counts the columns of each.
template <class Space> struct MultiplyHostRows {
  HostProduct<Space> product;
  Array<offset_t*, Space> counts;
  RowsOfBlock* blocks;
  std::atomic<bool>* is_out_of_memory; // an exception must not leave a loop

  void operator()(index_t block) const {
    try {
      multiply(block);
    } catch (const std::bad_alloc&) {
      *is_out_of_memory = true;
    }
  }

private:
  using Table = RowTable;

  void multiply(index_t block) const {
    Table table;
    index_t found[Table::most_columns];
    RowsOfBlock rows;
    rows.columns.reserve(8 * HostProduct<Space>::rows_of_block);
    rows.values.reserve(8 * HostProduct<Space>::rows_of_block);
    product.for_rows_of(block, [&](index_t row) {
      table.start(row);
      const bool fits = product.visit_terms(row, [&](index_t column, double term) {
        if (table.add(column, term))
          found[table.size() - 1] = column;
        return table.size() < Table::most_columns;
      });
      const std::size_t before = rows.columns.size();
      if (fits) {
        sort_columns(found, table.size());
        rows.columns.insert(rows.columns.end(), found, found + table.size());
        for (int k = 0; k < table.size(); ++k)
          rows.values.push_back(table.sum_of(found[k]));
      } else {
        product.for_each_window(row, [&](const auto& sums) {
          rows.columns.insert(rows.columns.end(), sums.column, sums.column + sums.count());
          rows.values.insert(rows.values.end(), sums.value, sums.value + sums.count());
        });
      }
      counts(row) = static_cast<offset_t>(rows.columns.size() - before);
    });
    blocks[block] = rows; // a copy takes no more memory than it needs
  }
  static void sort_columns(index_t* columns, int n) {
    constexpr int few = 48;
    if (n > few)
      return std::sort(columns, columns + n);
    for (int k = 1; k < n; ++k) {
      const index_t column = columns[k];
      int position = k;
      for (; position > 0 && columns[position - 1] > column; --position)
        columns[position] = columns[position - 1];
      columns[position] = column;
    }
  }
};

/// Copies the rows of a block to their places, and releases them.
template <class Space> struct PlaceHostRows {
  CrsMatrix<Space> c;
  RowsOfBlock* blocks;
  void operator()(index_t block) const {
    RowsOfBlock& rows = blocks[block];
    const offset_t begin = c.offsets(block * HostProduct<Space>::rows_of_block);
    std::copy(rows.columns.begin(), rows.columns.end(), c.columns.data() + begin);
    std::copy(rows.values.begin(), rows.values.end(), c.values.data() + begin);
    rows = {};
  }
};

/// Writes the values of each row of a known pattern, which may have more columns than the product.
template <class Space> struct RenewHostRows {
  HostProduct<Space> product;
  CrsMatrix<Space> c;
  void operator()(index_t block) const {
    using Table = RowTable;
    Table table;
    product.for_rows_of(block, [&](index_t row) {
      const offset_t begin = c.offsets(row);
      const offset_t end = c.offsets(row + 1);
      if (end - begin >= Table::most_columns)
        return renew_long(row, begin, end);
      table.start(row);
      product.visit_terms(row, [&](index_t column, double term) {
        table.add(column, term);
        return true;
      });
      for (offset_t k = begin; k < end; ++k)
        c.values(k) = table.sum_of(c.columns(k));
    });
  }

private:
  void renew_long(index_t row, offset_t begin, offset_t end) const {
    std::fill(c.values.data() + begin, c.values.data() + end, 0.);
    product.visit_terms(row, [&](index_t column, double term) {
      c.values(find_column(c.columns.data(), begin, end, column)) += term;
      return true;
    });
  }
};

} // namespace tessera::linalg::detail

#endif
