// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_ASSEMBLY_ROWS_TIED_ROWS_HPP
#define TESSERA_ASSEMBLY_ROWS_TIED_ROWS_HPP

/// \file
/// Rows of tied unknowns (equipotential bodies). Thousands of elements meet there, so that one thread per row would
/// be slow and colours of elements would not separate them. Every parallel strategy leaves these rows out of its loop
/// and fills them here: off-diagonal entries by symmetry from the regular rows, the rest by sums in a fixed order over
/// the elements at the body. fill() is for symmetric matrices, the rest for all.

#include "assembly/element_loop.hpp"
#include "core/grouped_items.hpp"
#include "core/keep_alive.hpp"
#include "core/segmented_sums.hpp"
#include "linalg/crs_matrix.hpp"
#include "linalg/pattern/find_column.hpp"

#include <vector>

namespace tessera::assembly {

namespace detail {

/// Finds the tied unknown of an element-node pair, from 0; -1: none.
template <class Dofs> struct TiedOfPair {
  Dofs dofs;
  fe::DofKinds kinds;
  KOKKOS_FUNCTION index_t operator()(std::int64_t pair) const {
    const graph::LocalNode own = graph::local_node<Dofs::n_nodes>(pair);
    const index_t dof = dofs.dof_of(own.element, own.a);
    return kinds.is_tied(dof) ? kinds.tied_index(dof) : -1;
  }
};

/// Lists the entries of the tied rows as keys (row, column), with repetitions: those of one pair. First counts them. An
/// element has the same columns at all of its pairs of a row, so only the first pair lists them; the diagonal entry,
/// which all pairs have, comes from the row's first pair alone. Elements inside of a body hence add nothing.
template <class Dofs> struct ListEntries {
  using Space = typename Dofs::memory_space;
  Dofs dofs;
  Array<const std::int64_t*, Space> pairs;
  Array<const offset_t*, Space> starts;
  int column_bits;
  Array<offset_t*, Space> places; // [n_pairs + 1]
  Array<std::uint64_t*, Space> keys;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const graph::LocalNode own = graph::local_node<Dofs::n_nodes>(pairs(i));
    index_t dof[Dofs::n_nodes];
    dofs.dofs_of(own.element, dof);
    const index_t row = dof[own.a];
    const bool counts = keys.extent(0) == 0;
    offset_t place = counts ? 0 : places(i);
    const auto list = [&](index_t column) {
      if (!counts)
        keys(place) =
            static_cast<std::uint64_t>(dofs.tied_index(row)) << column_bits | static_cast<std::uint64_t>(column);
      ++place;
    };
    if (starts(dofs.tied_index(row)) == i)
      list(row);
    bool is_first = true;
    for (int b = 0; b < own.a; ++b)
      is_first = is_first && dof[b] != row;
    for (int b = 0; b < Dofs::n_nodes && is_first; ++b)
      if (dof[b] != row && dofs.is_free(dof[b]))
        list(dof[b]);
    if (counts)
      places(i) = place;
  }
};

/// Flags with 1 where a sorted key differs from the one before.
template <class Space> struct FlagNewKeys {
  Array<const std::uint64_t*, Space> keys;
  Array<offset_t*, Space> flags;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { flags(i) = i == 0 || keys(i) != keys(i - 1) ? 1 : 0; }
};

/// Splits every new key into row and column.
template <class Space> struct SplitKeys {
  Array<const std::uint64_t*, Space> keys;
  Array<const offset_t*, Space> places;
  int column_bits;
  Array<index_t*, Space> rows; // from 0
  Array<index_t*, Space> columns;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    if (places(i + 1) == places(i))
      return;
    rows(places(i)) = static_cast<index_t>(keys(i) >> column_bits);
    columns(places(i)) = static_cast<index_t>(keys(i) & ((std::uint64_t(1) << column_bits) - 1));
  }
};

template <class Space> struct CountEntries {
  Array<const offset_t*, Space> starts;
  Array<offset_t*, Space> counts;
  index_t n_regular;
  KOKKOS_FUNCTION void operator()(index_t s) const { counts(n_regular + s) = starts(s + 1) - starts(s); }
};

/// Finds the row of an entry between tied unknowns, from 0; -1: another column.
template <class Space> struct RowOfTiedEntry {
  Array<const index_t*, Space> rows;
  Array<const index_t*, Space> columns;
  fe::DofKinds kinds;
  KOKKOS_FUNCTION index_t operator()(std::int64_t entry) const {
    return kinds.is_tied(columns(entry)) ? rows(entry) : -1;
  }
};

template <class Space> struct ColumnsOfEntries {
  Array<const std::int64_t*, Space> entries;
  Array<const index_t*, Space> columns;
  Array<index_t*, Space> result;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { result(i) = columns(entries(i)); }
};

/// Copies A(column, row) to A(row, column) for the regular columns of the tied rows, the last ones of the matrix.
template <class Space> struct CopyTransposed {
  Array<const offset_t*, Space> offsets;
  Array<const index_t*, Space> columns;
  Array<double*, Space> values;
  fe::DofKinds kinds;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const auto entry = static_cast<offset_t>(offsets(kinds.n_regular) + i);
    const index_t column = columns(entry);
    if (kinds.is_regular(column))
      values(entry) = values(linalg::find_column(columns, offsets(column), offsets(column + 1), row_of(entry)));
  }
  KOKKOS_FUNCTION index_t row_of(offset_t entry) const {
    index_t lower = kinds.n_regular;
    index_t upper = kinds.n_free; // offsets(lower) <= entry < offsets(upper)
    while (upper - lower > 1) {
      const index_t middle = lower + (upper - lower) / 2;
      if (offsets(middle) <= entry)
        lower = middle;
      else
        upper = middle;
    }
    return lower;
  }
};

/// Evaluates the entry of a pair's element row: in columns(segment) of segments that are entries, else in the row's own
/// column.
template <class Loop> struct SumPairEntries {
  Loop loop;
  Array<const std::int64_t*, typename Loop::memory_space> pairs;
  Array<const index_t*, typename Loop::memory_space> columns; // may be empty: a segment per row
  KOKKOS_FUNCTION void operator()(index_t segment, std::int64_t i, double (&term)[1]) const {
    const index_t column = columns.extent(0) > 0 ? columns(segment) : loop.n_regular + segment;
    index_t dofs[Loop::n_nodes];
    double k[Loop::n_nodes];
    const graph::LocalNode own = graph::local_node<Loop::n_nodes>(pairs(i));
    loop.row(own.element, own.a, dofs, k);
    term[0] = 0.;
    for (int b = 0; b < Loop::n_nodes; ++b)
      if (dofs[b] == column)
        term[0] += k[b];
  }
};

template <class Loop> struct SumPairLoads {
  Loop loop;
  Array<const std::int64_t*, typename Loop::memory_space> pairs;
  Array<const offset_t*, typename Loop::memory_space> starts;
  Array<const double*, typename Loop::memory_space> totals;
  KOKKOS_FUNCTION void operator()(index_t tied, std::int64_t i, double (&term)[1]) const {
    index_t dofs[Loop::n_nodes];
    double k[Loop::n_nodes];
    const graph::LocalNode own = graph::local_node<Loop::n_nodes>(pairs(i));
    term[0] = loop.row(own.element, own.a, dofs, k);
    if (i == starts(tied))
      term[0] += totals(tied); // the body's given total
  }
};

template <class Loop> struct SumPairProducts {
  Loop loop;
  Array<const std::int64_t*, typename Loop::memory_space> pairs;
  Array<const double*, typename Loop::memory_space> x;
  KOKKOS_FUNCTION void operator()(index_t, std::int64_t i, double (&term)[1]) const {
    index_t dofs[Loop::n_nodes];
    double k[Loop::n_nodes];
    const graph::LocalNode own = graph::local_node<Loop::n_nodes>(pairs(i));
    loop.row(own.element, own.a, dofs, k);
    term[0] = 0.;
    for (int b = 0; b < Loop::n_nodes; ++b)
      if (loop.is_free(dofs[b]))
        term[0] += k[b] * x(dofs[b]);
  }
};

} // namespace detail

/// Lists the pairs (element * n_nodes + a) whose node belongs to a tied unknown, by unknown. `Dofs` has the interface
/// of ElementDofs.
template <class ExecutionSpace, class Dofs>
GroupedItems<typename ExecutionSpace::memory_space> list_tied_pairs(const ExecutionSpace& exec, const Dofs& dofs,
                                                                    index_t n_elements, const fe::DofKinds& kinds) {
  return group_items(exec, static_cast<std::int64_t>(n_elements) * Dofs::n_nodes, kinds.n_tied(),
                     detail::TiedOfPair<Dofs>{dofs, kinds}, "pairs of tied unknowns");
}

/// Plans one sum per group, over its items.
template <class ExecutionSpace, class Space>
SegmentedSums<ExecutionSpace> sums_by_group(const ExecutionSpace& exec, const GroupedItems<Space>& items) {
  std::vector<Segment> segments;
  for (index_t g = 0; g < items.n_groups(); ++g)
    segments.push_back({items.host_starts[g], items.host_starts[g + 1], g});
  return {exec, segments};
}

/// The tied rows of one system. Does nothing when the problem has no tied unknown. The number of passes over the
/// elements, of kernels and of reads by the host does not depend on the number of tied unknowns.
template <class ExecutionSpace, class Form> class TiedRows {
public:
  using Space = typename ExecutionSpace::memory_space;
  using Loop = ElementLoop<Form>;

  TiedRows() = default;

  /// Finds the element-node pairs of every tied unknown, ascending.
  TiedRows(const ExecutionSpace& exec, const Loop& loop, const fe::DofMap<Space>& dofs)
      : kinds_(dofs), totals_(dofs.tied_totals) {
    if (empty())
      return;
    pairs_ = list_tied_pairs(exec, loop.dofs(), loop.n_elements(), kinds_);
    row_sums_ = sums_by_group(exec, pairs_);
  }

  bool empty() const { return size() == 0; }
  index_t size() const { return kinds_.n_tied(); }

  /// Writes the number of entries of every tied row to counts[n_regular ...].
  void count(const ExecutionSpace& exec, const Loop& loop, const Array<offset_t*, Space>& counts) {
    if (empty())
      return;
    find_pattern(exec, loop);
    for_each("tessera::assembly::count_tied_entries", exec, size(),
             detail::CountEntries<Space>{pattern_.starts, counts, kinds_.n_regular});
  }

  /// Writes the columns of every tied row, which count() found, and frees them; remembers where the entries between
  /// tied unknowns lie.
  void columns(const ExecutionSpace& exec, const linalg::CrsMatrix<Space>& matrix) {
    if (empty())
      return;
    const auto begin = static_cast<std::int64_t>(read_entry(exec, matrix.offsets, kinds_.n_regular));
    n_entries_ = static_cast<std::int64_t>(pattern_.columns.extent(0));
    Kokkos::deep_copy(exec, Kokkos::subview(matrix.columns, std::make_pair(begin, begin + n_entries_)),
                      pattern_.columns);
    const auto entries =
        group_items(exec, n_entries_, size(), detail::RowOfTiedEntry<Space>{pattern_.rows, pattern_.columns, kinds_},
                    "entries of tied rows");
    entry_columns_ = make_array<Array<index_t*, Space>>(exec, "assembly::tied_entry_columns", entries.n_items());
    for_each<std::int64_t>("tessera::assembly::tied_entry_columns", exec, entries.n_items(),
                           detail::ColumnsOfEntries<Space>{entries.items, pattern_.columns, entry_columns_});
    const auto places = to_host(exec, entries.items); // waits: the pattern may go
    pattern_ = Pattern();
    std::vector<Segment> segments;
    for (index_t s = 0; s < size(); ++s)
      for (offset_t i = entries.host_starts[s]; i < entries.host_starts[s + 1]; ++i)
        segments.push_back({pairs_.host_starts[s], pairs_.host_starts[s + 1], begin + places(i)});
    entry_sums_ = SegmentedSums<ExecutionSpace>(exec, segments);
  }

  /// Fills the values of the tied rows, after all regular rows are complete, and their right-hand side.
  void fill(const ExecutionSpace& exec, const Loop& loop, const linalg::CrsMatrix<Space>& matrix,
            const linalg::Vector<ExecutionSpace>& rhs) const {
    if (empty())
      return;
    for_each<std::int64_t>("tessera::assembly::copy_tied_rows", exec, n_entries_,
                           detail::CopyTransposed<Space>{matrix.offsets, matrix.columns, matrix.values, kinds_});
    entry_sums_.sum("tessera::assembly::sum_tied_entries", exec,
                    detail::SumPairEntries<Loop>{loop, pairs_.items, entry_columns_}, matrix.values.data());
    loads(exec, loop, rhs);
  }

  void loads(const ExecutionSpace& exec, const Loop& loop, const linalg::Vector<ExecutionSpace>& rhs) const {
    row_sums_.sum("tessera::assembly::sum_tied_loads", exec,
                  detail::SumPairLoads<Loop>{loop, pairs_.items, pairs_.starts, totals_},
                  rhs.data() + kinds_.n_regular);
  }

  /// y(tied) = A(tied, :) x, matrix-free.
  void apply(const ExecutionSpace& exec, const Loop& loop, const linalg::ConstVector<ExecutionSpace>& x,
             const linalg::Vector<ExecutionSpace>& y) const {
    row_sums_.sum("tessera::assembly::apply_tied_rows", exec, detail::SumPairProducts<Loop>{loop, pairs_.items, x},
                  y.data() + kinds_.n_regular);
  }

  /// d(tied) = A(tied, tied), matrix-free.
  void diagonal(const ExecutionSpace& exec, const Loop& loop, const linalg::Vector<ExecutionSpace>& d) const {
    row_sums_.sum("tessera::assembly::tied_diagonal", exec, detail::SumPairEntries<Loop>{loop, pairs_.items, {}},
                  d.data() + kinds_.n_regular);
  }

private:
  /// Entries of the tied rows, row after row, columns ascending.
  struct Pattern {
    Array<offset_t*, Space> starts; // [n_tied + 1]
    Array<index_t*, Space> rows;    // of each entry, from 0
    Array<index_t*, Space> columns;
  };

  void find_pattern(const ExecutionSpace& exec, const Loop& loop) {
    const auto dofs = loop.dofs();
    using Dofs = std::decay_t<decltype(dofs)>;
    const int column_bits = bits_for(kinds_.n_free);
    const std::int64_t n_pairs = pairs_.n_items();
    detail::ListEntries<Dofs> list{dofs, pairs_.items, pairs_.starts, column_bits, {}, {}};
    list.places = make_array<Array<offset_t*, Space>>(exec, "assembly::tied_pair_places", n_pairs + 1);
    for_each<std::int64_t>("tessera::assembly::count_tied_keys", exec, n_pairs, list);
    const std::int64_t n_keys = counts_to_offsets(exec, list.places, n_pairs, "entries of tied rows");
    list.keys = make_array<Array<std::uint64_t*, Space>>(exec, "assembly::tied_keys", n_keys);
    if (n_keys > 0)
      for_each<std::int64_t>("tessera::assembly::list_tied_keys", exec, n_pairs, list);
    sort_keys(exec, list.keys, n_keys, column_bits + bits_for(size()));
    const auto places = make_array<Array<offset_t*, Space>>(exec, "assembly::tied_key_places", n_keys + 1);
    for_each<std::int64_t>("tessera::assembly::flag_tied_keys", exec, n_keys,
                           detail::FlagNewKeys<Space>{list.keys, places});
    const std::int64_t n_entries = counts_to_offsets(exec, places, n_keys, "entries of tied rows");
    pattern_.rows = make_array<Array<index_t*, Space>>(exec, "assembly::tied_rows", n_entries);
    pattern_.columns = make_array<Array<index_t*, Space>>(exec, "assembly::tied_columns", n_entries);
    for_each<std::int64_t>("tessera::assembly::split_tied_keys", exec, n_keys,
                           detail::SplitKeys<Space>{list.keys, places, column_bits, pattern_.rows, pattern_.columns});
    pattern_.starts = make_array<Array<offset_t*, Space>>(exec, "assembly::tied_row_starts", size() + 1);
    for_each<std::int64_t>(
        "tessera::assembly::find_tied_rows", exec, n_entries + 1,
        tessera::detail::FindStarts<Array<index_t*, Space>, Space>{pattern_.rows, n_entries, size(), pattern_.starts});
    keep_alive(exec, list, places);
  }

  GroupedItems<Space> pairs_;
  SegmentedSums<ExecutionSpace> row_sums_;   // over the pairs of each row
  SegmentedSums<ExecutionSpace> entry_sums_; // over those of the row of each entry between tied unknowns
  Array<index_t*, Space> entry_columns_;
  Pattern pattern_; // between count() and columns()
  std::int64_t n_entries_ = 0;
  fe::DofKinds kinds_;
  Array<double*, Space> totals_;
};

} // namespace tessera::assembly

#endif
