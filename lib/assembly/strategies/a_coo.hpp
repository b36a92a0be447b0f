// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_ASSEMBLY_STRATEGIES_A_COO_HPP
#define TESSERA_ASSEMBLY_STRATEGIES_A_COO_HPP

#include "assembly/crs_assembler.hpp"
#include "assembly/rows/incidence.hpp"
#include "assembly/rows/row_sizes.hpp"
#include "core/algorithms/scan.hpp"
#include "core/keep_alive.hpp"

namespace tessera::assembly {

namespace detail {

/// Linked lists of (column, value) per row, A-FEM paper, section IV.B and figure 7. The position of an entry in the
/// pool is determined by element and local indices, so that the insertion needs no allocation counter; the load of a
/// pair is in a separate array and is added to its row when the pair's diagonal entry is processed.
template <class Space> struct EntryLists {
  Array<offset_t*, Space> head;  ///< [n_free]
  Array<offset_t*, Space> link;  ///< [n_elements * n_nodes^2]
  Array<index_t*, Space> column; ///< a node when inserted, an unknown after consolidation
  Array<double*, Space> value;
  Array<double*, Space> load; ///< [n_elements * n_nodes]
};

/// One element per thread: every row of the element matrix is pushed, entry by entry, to the list of its row, "without
/// concern for duplicity or ordering". Columns are nodes: boundary conditions come later, by row.
template <class Loop> struct InsertEntries {
  Loop loop;
  EntryLists<typename Loop::memory_space> lists;

  KOKKOS_FUNCTION void operator()(index_t e) const {
    constexpr int N = Loop::n_nodes;
    index_t n[N];
    double K[N][N];
    double f[N];
    loop.nodes(e, n);
    loop.signed_system(e, n, K, f);
    for (int a = 0; a < N; ++a) {
      const index_t row = loop.dof_of_node(n[a]);
      if (!loop.is_free(row))
        continue; // an eliminated unknown has no row
      const offset_t first = (static_cast<offset_t>(e) * N + a) * N;
      for (int b = 0; b < N; ++b) {
        lists.column(first + b) = n[b];
        lists.value(first + b) = K[a][b];
        if (b + 1 < N)
          lists.link(first + b) = first + b + 1;
      }
      lists.load(static_cast<offset_t>(e) * N + a) = f[a];
      // The row's entries are inserted as one chain by a single exchange.
      lists.link(first + N - 1) = Kokkos::atomic_exchange(&lists.head(row), first);
    }
  }
};

/// Orders entries by column, and equal columns by their position in the pool, so that sums do not depend on the
/// threads.
template <class Columns> struct ByColumn {
  Columns column;
  KOKKOS_FUNCTION bool operator()(offset_t i, offset_t j) const {
    const index_t ci = column(i);
    const index_t cj = column(j);
    return ci < cj || (ci == cj && i < j);
  }
};

/// One row per thread: applies the boundary conditions (removes columns of fixed nodes from the list and moves them to
/// the right-hand side), sums the loads, sorts the list, merges duplicates, counts.
template <class Loop> struct ConsolidateRows {
  Loop loop;
  EntryLists<typename Loop::memory_space> lists;
  Array<double*, typename Loop::memory_space> rhs;
  Array<const double*, typename Loop::memory_space> totals;
  Array<offset_t*, typename Loop::memory_space> counts;

  /// Rows with at most this many pairs are sorted and merged in thread-private memory, longer ones (tied unknowns) in
  /// the pool.
  static constexpr int max_pairs = 32;
  static constexpr bool on_host = Loop::on_host;

  KOKKOS_FUNCTION void operator()(index_t row) const {
    constexpr int N = Loop::n_nodes;
    // The entries of a pair were inserted as one chain, so the chains' first entries identify all.
    offset_t pairs[max_pairs];
    int n_pairs = 0;
    for (offset_t i = lists.head(row); i != -1; i = lists.link(i + N - 1)) {
      if (n_pairs == max_pairs) {
        consolidate_in_pool(row);
        return;
      }
      int position = n_pairs++;
      for (; position > 0 && pairs[position - 1] > i; --position)
        pairs[position] = pairs[position - 1];
      pairs[position] = i;
    }
    linalg::StackAccumulator<row_capacity<N>, true, on_host> buffer;
    double load = loop.is_tied(row) ? totals(loop.tied_index(row)) : 0.;
    for (int s = 0; s < n_pairs; ++s) {
      load += lists.load(pairs[s] / N);
      for (int b = 0; b < N; ++b) {
        const double value = lists.value(pairs[s] + b);
        const index_t dof = loop.dof_of_node(lists.column(pairs[s] + b));
        if (loop.is_free(dof))
          buffer.add(dof, value);
        else
          load -= value * loop.fixed_value(dof);
      }
    }
    if (buffer.overflow) {
      consolidate_in_pool(row);
      return;
    }
    // The merged row uses the first positions of its entries.
    offset_t last = -1;
    for (int i = 0; i < buffer.n; ++i) {
      const offset_t position = pairs[i / N] + i % N;
      lists.column(position) = buffer.column[i];
      lists.value(position) = buffer.value[i];
      if (last == -1)
        lists.head(row) = position;
      else
        lists.link(last) = position;
      last = position;
    }
    if (last != -1)
      lists.link(last) = -1;
    rhs(row) = load;
    counts(row) = buffer.n;
  }

  KOKKOS_FUNCTION void consolidate_in_pool(index_t row) const {
    constexpr int N = Loop::n_nodes;
    // Sorted first by node and position, so that the sums of the right-hand side also have a fixed order.
    ByColumn<decltype(lists.column)> by_column{lists.column};
    offset_t head = sort_list(lists.link, lists.head(row), by_column);
    double load = loop.is_tied(row) ? totals(loop.tied_index(row)) : 0.;
    offset_t kept = -1;
    offset_t first = -1;
    bool ascending = true;
    for (offset_t i = head; i != -1; i = lists.link(i)) {
      const offset_t pair = i / N;
      if (i - pair * N == pair % N)
        load += lists.load(pair);
      const index_t dof = loop.dof_of_node(lists.column(i));
      if (!loop.is_free(dof)) {
        load -= lists.value(i) * loop.fixed_value(dof);
        continue;
      }
      lists.column(i) = dof;
      ascending = ascending && (kept == -1 || lists.column(kept) <= dof);
      if (kept == -1)
        first = i;
      else
        lists.link(kept) = i;
      kept = i;
    }
    if (kept != -1)
      lists.link(kept) = -1;
    // Unknowns ascend with the nodes, except tied ones.
    if (!ascending)
      first = sort_list(lists.link, first, by_column);
    offset_t count = 0;
    for (offset_t i = first; i != -1;) {
      double sum = lists.value(i);
      offset_t j = lists.link(i);
      while (j != -1 && lists.column(j) == lists.column(i)) {
        sum += lists.value(j);
        j = lists.link(j);
      }
      lists.value(i) = sum;
      lists.link(i) = j;
      i = j;
      ++count;
    }
    lists.head(row) = first;
    rhs(row) = load;
    counts(row) = count;
  }
};

/// One row per thread: converts the consolidated list to CRS.
template <class Space> struct ListsToCrs {
  EntryLists<Space> lists;
  Array<const offset_t*, Space> offsets;
  Array<index_t*, Space> columns;
  Array<double*, Space> values;
  KOKKOS_FUNCTION void operator()(index_t row) const {
    offset_t entry = offsets(row);
    for (offset_t i = lists.head(row); i != -1; i = lists.link(i), ++entry) {
      columns(entry) = lists.column(i);
      values(entry) = lists.value(i);
    }
  }
};

} // namespace detail

/// Strategy `a-coo`: assembly without colouring by linked lists, as described in the A-FEM paper. All work is done in
/// numeric(), because the lists are freed once the CRS matrix is complete; symbolic() does nothing. load() also makes
/// the lists, whose order is that of its sums.
///
/// Memory: (4 + 4 + 8) bytes per entry of every element matrix, 8 per pair, 4 per row, in addition to the matrix.
/// Minimum traffic: the data of every element read; entries written, read, sorted (links once more), read; matrix
/// written.
template <class ExecutionSpace, class Form> class ACoo final : public CrsAssembler<ExecutionSpace, Form> {
  using Base = CrsAssembler<ExecutionSpace, Form>;
  using typename Base::Loop;
  using typename Base::Space;

public:
  using Base::Base;

  void symbolic(const ExecutionSpace&) override {}

  void numeric(const ExecutionSpace& exec) override {
    const index_t n_free = this->loop_.n_free;
    auto& matrix = this->matrix_;
    matrix = {};
    this->operator_ = {};
    matrix.offsets = make_array<Array<offset_t*, Space>>(exec, "assembly::row_offsets", n_free + 1);
    const detail::EntryLists<Space> lists = consolidate(exec, matrix.offsets);
    const std::int64_t n_entries = counts_to_offsets(exec, matrix.offsets, n_free, "matrix entries");
    matrix.columns = make_array<Array<index_t*, Space>>(exec, "assembly::columns", n_entries);
    this->allocate_values(exec);
    for_each("tessera::assembly::a_coo_to_crs", exec, n_free,
             detail::ListsToCrs<Space>{lists, matrix.offsets, matrix.columns, matrix.values});
    keep_alive(exec, lists);
  }

  void load(const ExecutionSpace& exec) override {
    const auto counts = make_array<Array<offset_t*, Space>>(exec, "assembly::a_coo_counts", this->loop_.n_free);
    keep_alive(exec, consolidate(exec, counts), counts);
  }

  linalg::Traffic numeric_traffic() const override {
    const double n_pairs = static_cast<double>(this->loop_.n_elements()) * Loop::n_nodes;
    const double entry = sizeof(offset_t) + sizeof(index_t) + sizeof(double);
    return {element_bytes(this->loop_) + n_pairs * Loop::n_nodes * 2. * entry + n_pairs * 16. +
                this->loop_.n_free * 4. * 4. + static_cast<double>(this->matrix_.n_entries()) * 2. * entry +
                pattern_bytes(this->matrix_) + value_bytes(this->matrix_),
            0.};
  }

private:
  /// Lists all entries, and consolidates the rows: writes the right-hand side and the rows' numbers of entries.
  detail::EntryLists<Space> consolidate(const ExecutionSpace& exec, const Array<offset_t*, Space>& counts) {
    constexpr int N = Loop::n_nodes;
    const std::int64_t n_pairs = static_cast<std::int64_t>(this->loop_.n_elements()) * N;
    const index_t n_free = this->loop_.n_free;
    const offset_t n_pool = checked_offset(n_pairs * N, "entries of element matrices");
    detail::EntryLists<Space> lists;
    lists.head = make_filled<Array<offset_t*, Space>>(exec, "assembly::a_coo_heads", n_free, offset_t(-1));
    lists.link = make_array<Array<offset_t*, Space>>(exec, "assembly::a_coo_links", n_pool);
    lists.column = make_array<Array<index_t*, Space>>(exec, "assembly::a_coo_columns", n_pool);
    lists.value = make_array<Array<double*, Space>>(exec, "assembly::a_coo_values", n_pool);
    lists.load = make_array<Array<double*, Space>>(exec, "assembly::a_coo_loads", n_pairs);
    for_each("tessera::assembly::a_coo_insert", exec, this->loop_.n_elements(),
             detail::InsertEntries<Loop>{this->loop_, lists});
    this->allocate_rhs(exec);
    for_each("tessera::assembly::a_coo_consolidate", exec, n_free,
             detail::ConsolidateRows<Loop>{this->loop_, lists, this->rhs_, this->dof_map_.tied_totals, counts});
    return lists;
  }
};

} // namespace tessera::assembly

#endif
