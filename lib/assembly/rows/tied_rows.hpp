// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_ASSEMBLY_ROWS_TIED_ROWS_HPP
#define TESSERA_ASSEMBLY_ROWS_TIED_ROWS_HPP

/// \file
/// Rows of tied unknowns (equipotential bodies). Thousands of elements contribute to them, so that one thread per row
/// would be slow and colours could not separate these elements. Every parallel strategy excludes these rows from its
/// loop and fills them here: off-diagonal entries by symmetry from the regular rows, the rest by sums in a fixed order
/// over the elements at the body. fill() is for symmetric matrices, the rest for all.

#include "assembly/element_loop.hpp"
#include "assembly/rows/tied_pattern.hpp"
#include "core/algorithms/scan.hpp"

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

/// Lists the entries of the tied rows contributed by one pair as keys (row, column), with repetitions. First counts
/// them. An element has the same columns for all of its pairs of a row, so only the first pair lists them; the diagonal
/// entry, which all pairs have, is listed by the row's first pair only. Elements inside a body therefore add nothing.
template <class Dofs> struct ListEntries {
  using Space = typename Dofs::memory_space;
  Dofs dofs;
  Array<const std::int64_t*, Space> pairs;
  Array<const offset_t*, Space> starts;
  int column_bits;
  Array<offset_t*, Space> positions; // [n_pairs + 1]
  Array<std::uint64_t*, Space> keys;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const graph::LocalNode own = graph::local_node<Dofs::n_nodes>(pairs(i));
    index_t dof[Dofs::n_nodes];
    dofs.dofs_of(own.element, dof);
    const index_t row = dof[own.a];
    const bool counts = keys.extent(0) == 0;
    offset_t position = counts ? 0 : positions(i);
    const auto list = [&](index_t column) {
      if (!counts)
        keys(position) =
            static_cast<std::uint64_t>(dofs.tied_index(row)) << column_bits | static_cast<std::uint64_t>(column);
      ++position;
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
      positions(i) = position;
  }
};

/// Evaluates an entry of a pair's element row: the one in column columns(segment) if segments are entries, else the
/// row's diagonal.
template <class Loop> struct SumPairEntries {
  Loop loop;
  Array<const std::int64_t*, typename Loop::memory_space> pairs;
  Array<const index_t*, typename Loop::memory_space> columns; // may be empty: one segment per row
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
      term[0] += totals(tied); // the prescribed total of the body
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

/// The tied rows of one system. Does nothing if the problem has no tied unknown. The number of passes over the
/// elements, of kernels and of reads by the host does not depend on the number of tied unknowns.
template <class ExecutionSpace, class Form> class TiedRows : public TiedPattern<ExecutionSpace> {
  using Base = TiedPattern<ExecutionSpace>;
  using Base::entry_columns_;
  using Base::entry_sums_;
  using Base::kinds_;
  using Base::pairs_;
  using Base::row_sums_;

public:
  using typename Base::Space;
  using Loop = ElementLoop<Form>;
  using Dofs = typename Loop::Dofs;

  TiedRows() = default;

  /// Finds the element-node pairs of every tied unknown, ascending.
  TiedRows(const ExecutionSpace& exec, const Loop& loop, const fe::DofMap<Space>& dofs)
      : Base(dofs), totals_(dofs.tied_totals) {
    if (this->empty())
      return;
    pairs_ = list_tied_pairs(exec, loop.dofs(), loop.n_elements(), kinds_);
    row_sums_ = sums_by_group(exec, pairs_);
  }

  /// Writes the number of entries of every tied row to counts[n_regular ...].
  void count(const ExecutionSpace& exec, const Loop& loop, const Array<offset_t*, Space>& counts) {
    if (this->empty())
      return;
    const int column_bits = bits_for(kinds_.n_free);
    const std::int64_t n_pairs = pairs_.n_items();
    detail::ListEntries<Dofs> list{loop.dofs(), pairs_.items, pairs_.starts, column_bits, {}, {}};
    list.positions = make_array<Array<offset_t*, Space>>(exec, "assembly::tied_pair_places", n_pairs + 1);
    for_each<std::int64_t>("tessera::assembly::count_tied_keys", exec, n_pairs, list);
    const std::int64_t n_keys = counts_to_offsets(exec, list.positions, n_pairs, "entries of tied rows");
    list.keys = make_array<Array<std::uint64_t*, Space>>(exec, "assembly::tied_keys", n_keys);
    if (n_keys > 0)
      for_each<std::int64_t>("tessera::assembly::list_tied_keys", exec, n_pairs, list);
    this->count_keys(exec, list.keys, column_bits, counts); // waits: the list may be freed
  }

  /// Fills the values of the tied rows, after all regular rows are complete, and their right-hand side.
  void fill(const ExecutionSpace& exec, const Loop& loop, const linalg::CrsMatrix<Space>& matrix,
            const linalg::Vector<ExecutionSpace>& rhs) const {
    if (this->empty())
      return;
    this->copy_transposed(exec, matrix);
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
  Array<double*, Space> totals_;
};

} // namespace tessera::assembly

#endif
