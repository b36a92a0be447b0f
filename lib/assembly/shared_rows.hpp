// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_ASSEMBLY_SHARED_ROWS_HPP
#define TESSERA_ASSEMBLY_SHARED_ROWS_HPP

/// \file
/// Rows of shared unknowns (equipotential bodies). Thousands of elements meet there, so that one thread per row would
/// be slow and colours of elements would not separate them. Every parallel strategy leaves these rows out of its loop
/// and fills them here: off-diagonal entries by symmetry from the plain rows, the rest by sums in a fixed order over
/// the body's element slots.

#include "assembly/element_loop.hpp"
#include "core/reduce.hpp"
#include "core/scan.hpp"
#include "linalg/crs_matrix.hpp"

#include <vector>

namespace tessera::assembly {

namespace detail {

template <class Dofs> struct FlagSharedSlots {
  Dofs dofs;
  index_t shared;
  Array<offset_t*, typename Dofs::memory_space> flags;
  KOKKOS_FUNCTION void operator()(index_t e) const {
    index_t dof[Dofs::n_nodes];
    dofs.dofs_of(e, dof);
    for (int a = 0; a < Dofs::n_nodes; ++a)
      flags(static_cast<std::int64_t>(e) * Dofs::n_nodes + a) = dof[a] == shared ? 1 : 0;
  }
};

/// Writes i to list[offsets(i)] where the scanned flags step.
template <class Space> struct Compact {
  Array<const offset_t*, Space> offsets;
  Array<offset_t*, Space> list;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    if (offsets(i + 1) > offsets(i))
      list(offsets(i)) = static_cast<offset_t>(i);
  }
};

template <class Dofs> struct MarkColumns {
  Dofs dofs;
  Array<const offset_t*, typename Dofs::memory_space> slots;
  Array<offset_t*, typename Dofs::memory_space> mark;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    index_t dof[Dofs::n_nodes];
    dofs.dofs_of(static_cast<index_t>(slots(i) / Dofs::n_nodes), dof);
    for (int a = 0; a < Dofs::n_nodes; ++a)
      if (dofs.is_free(dof[a]))
        Kokkos::atomic_fetch_or(&mark(dof[a]), offset_t(1));
  }
};

template <class Space> struct WriteMarkedColumns {
  Array<const offset_t*, Space> position;
  Array<index_t*, Space> columns;
  offset_t row_begin;
  KOKKOS_FUNCTION void operator()(index_t column) const {
    if (position(column + 1) > position(column))
      columns(row_begin + position(column)) = column;
  }
};

/// Copies A(column, row) to A(row, column) for plain columns.
template <class Space> struct CopyTransposed {
  Array<const offset_t*, Space> offsets;
  Array<const index_t*, Space> columns;
  Array<double*, Space> values;
  index_t row;
  index_t n_plain;
  KOKKOS_FUNCTION void operator()(offset_t i) const {
    const offset_t entry = offsets(row) + i;
    const index_t column = columns(entry);
    if (column < n_plain)
      values(entry) = values(find_column(columns, offsets(column), offsets(column + 1), row));
  }
};

template <class Loop> struct SumSlotEntries {
  Loop loop;
  Array<const offset_t*, typename Loop::memory_space> slots;
  index_t column;
  KOKKOS_FUNCTION void operator()(std::int64_t i, double (&term)[1]) const {
    index_t dofs[Loop::n_nodes];
    double k[Loop::n_nodes];
    loop.row(static_cast<index_t>(slots(i) / Loop::n_nodes), static_cast<int>(slots(i) % Loop::n_nodes), dofs, k);
    term[0] = 0.;
    for (int b = 0; b < Loop::n_nodes; ++b)
      if (dofs[b] == column)
        term[0] += k[b];
  }
};

template <class Loop> struct SumSlotLoads {
  Loop loop;
  Array<const offset_t*, typename Loop::memory_space> slots;
  Array<const double*, typename Loop::memory_space> totals;
  index_t shared;
  KOKKOS_FUNCTION void operator()(std::int64_t i, double (&term)[1]) const {
    index_t dofs[Loop::n_nodes];
    double k[Loop::n_nodes];
    term[0] =
        loop.row(static_cast<index_t>(slots(i) / Loop::n_nodes), static_cast<int>(slots(i) % Loop::n_nodes), dofs, k);
    if (i == 0)
      term[0] += totals(shared); // the body's given total
  }
};

template <class Loop> struct SumSlotProducts {
  Loop loop;
  Array<const offset_t*, typename Loop::memory_space> slots;
  Array<const double*, typename Loop::memory_space> x;
  KOKKOS_FUNCTION void operator()(std::int64_t i, double (&term)[1]) const {
    index_t dofs[Loop::n_nodes];
    double k[Loop::n_nodes];
    loop.row(static_cast<index_t>(slots(i) / Loop::n_nodes), static_cast<int>(slots(i) % Loop::n_nodes), dofs, k);
    term[0] = 0.;
    for (int b = 0; b < Loop::n_nodes; ++b)
      if (loop.is_free(dofs[b]))
        term[0] += k[b] * x(dofs[b]);
  }
};

} // namespace detail

/// Slots (element * n_nodes + a) whose node belongs to a shared unknown, ascending. `Dofs` has the interface of
/// ElementDofs.
template <class ExecutionSpace, class Dofs>
Array<offset_t*, typename ExecutionSpace::memory_space> list_shared_slots(const ExecutionSpace& exec, const Dofs& dofs,
                                                                          index_t n_elements, index_t shared) {
  using Space = typename ExecutionSpace::memory_space;
  const std::int64_t n_slots = static_cast<std::int64_t>(n_elements) * Dofs::n_nodes;
  auto flags = make_array<Array<offset_t*, Space>>(exec, "assembly::shared_slot_flags", n_slots + 1);
  for_each("tessera::assembly::flag_shared_slots", exec, n_elements,
           detail::FlagSharedSlots<Dofs>{dofs, shared, flags});
  const std::int64_t n = counts_to_offsets(exec, flags, n_slots, "slots of a shared unknown");
  auto list = make_array<Array<offset_t*, Space>>(exec, "assembly::shared_slots", n);
  for_each<std::int64_t>("tessera::assembly::compact_shared_slots", exec, n_slots, detail::Compact<Space>{flags, list});
  return list;
}

/// The shared rows of one system. Cheap and empty when the problem has no shared unknown.
template <class ExecutionSpace, class Form> class SharedRows {
public:
  using Space = typename ExecutionSpace::memory_space;
  using Loop = ElementLoop<Form>;
  using Dofs = ElementDofs<Loop::n_nodes, Space>;
  using Slots = Array<offset_t*, Space>;

  SharedRows() = default;

  /// Finds the element slots of every shared unknown, ascending.
  SharedRows(const ExecutionSpace& exec, const Loop& loop, const fe::DofMap<Space>& dofs)
      : n_plain_(dofs.n_plain), n_free_(dofs.n_free), totals_(dofs.shared_totals) {
    std::int64_t longest = 0;
    for (index_t s = 0; s < dofs.n_shared(); ++s) {
      slots_.push_back(list_shared_slots(exec, loop.dofs(), loop.n_elements(), n_plain_ + s));
      longest = n_slots(s) > longest ? n_slots(s) : longest;
    }
    if (!slots_.empty())
      workspace_ = ReduceWorkspace<ExecutionSpace>(exec, longest, 1);
  }

  bool empty() const { return slots_.empty(); }
  index_t size() const { return static_cast<index_t>(slots_.size()); }

  /// Number of entries of every shared row into counts[n_plain ...].
  void count(const ExecutionSpace& exec, const Loop& loop, const Slots& counts) const {
    for (index_t s = 0; s < size(); ++s) {
      const auto position = marked_columns(exec, loop, s);
      Kokkos::deep_copy(exec, Kokkos::subview(counts, n_plain_ + s), Kokkos::subview(position, n_free_));
    }
  }

  /// Columns of every shared row; remembers on the host where each row and its shared-shared entries lie.
  void columns(const ExecutionSpace& exec, const Loop& loop, const linalg::CrsMatrix<Space>& matrix) {
    entries_.clear();
    for (index_t s = 0; s < size(); ++s) {
      const auto position = marked_columns(exec, loop, s);
      const offset_t begin = read_entry(exec, matrix.offsets, n_plain_ + s);
      for_each("tessera::assembly::write_shared_columns", exec, n_free_,
               detail::WriteMarkedColumns<Space>{position, matrix.columns, begin});
      Row row{begin, read_entry(exec, position, n_free_), {}};
      for (index_t t = 0; t < size(); ++t) {
        const offset_t here = read_entry(exec, position, n_plain_ + t);
        if (read_entry(exec, position, n_plain_ + t + 1) > here)
          row.shared.push_back({n_plain_ + t, begin + here});
      }
      entries_.push_back(row);
    }
  }

  /// Values of the shared rows, after all plain rows are complete, and their right-hand side.
  void fill(const ExecutionSpace& exec, const Loop& loop, const linalg::CrsMatrix<Space>& matrix,
            const linalg::Vector<ExecutionSpace>& rhs) const {
    for (index_t s = 0; s < size(); ++s) {
      for_each<offset_t>(
          "tessera::assembly::copy_shared_row", exec, entries_[s].n_entries,
          detail::CopyTransposed<Space>{matrix.offsets, matrix.columns, matrix.values, n_plain_ + s, n_plain_});
      for (const auto& entry : entries_[s].shared)
        ordered_sums<1>("tessera::assembly::sum_shared_entry", exec, n_slots(s),
                        detail::SumSlotEntries<Loop>{loop, slots_[s], entry.first}, workspace_,
                        matrix.values.data() + entry.second);
    }
    loads(exec, loop, rhs);
  }

  void loads(const ExecutionSpace& exec, const Loop& loop, const linalg::Vector<ExecutionSpace>& rhs) const {
    for (index_t s = 0; s < size(); ++s)
      ordered_sums<1>("tessera::assembly::sum_shared_load", exec, n_slots(s),
                      detail::SumSlotLoads<Loop>{loop, slots_[s], totals_, s}, workspace_, rhs.data() + n_plain_ + s);
  }

  /// y(shared) = A(shared, :) x, matrix-free.
  void apply(const ExecutionSpace& exec, const Loop& loop, const linalg::ConstVector<ExecutionSpace>& x,
             const linalg::Vector<ExecutionSpace>& y) const {
    for (index_t s = 0; s < size(); ++s)
      ordered_sums<1>("tessera::assembly::apply_shared_row", exec, n_slots(s),
                      detail::SumSlotProducts<Loop>{loop, slots_[s], x}, workspace_, y.data() + n_plain_ + s);
  }

  /// d(shared) = A(shared, shared), matrix-free.
  void diagonal(const ExecutionSpace& exec, const Loop& loop, const linalg::Vector<ExecutionSpace>& d) const {
    for (index_t s = 0; s < size(); ++s)
      ordered_sums<1>("tessera::assembly::shared_diagonal", exec, n_slots(s),
                      detail::SumSlotEntries<Loop>{loop, slots_[s], n_plain_ + s}, workspace_, d.data() + n_plain_ + s);
  }

private:
  struct Row {
    offset_t begin;
    offset_t n_entries;
    std::vector<std::pair<index_t, offset_t>> shared; // column and place of entries between shared unknowns
  };

  std::int64_t n_slots(index_t s) const { return static_cast<std::int64_t>(slots_[s].extent(0)); }

  /// position(c) = number of columns of the row below c, for c in [0, n_free].
  Slots marked_columns(const ExecutionSpace& exec, const Loop& loop, index_t s) const {
    auto mark = make_filled<Slots>(exec, "assembly::shared_columns", n_free_ + 1, 0);
    for_each<std::int64_t>("tessera::assembly::mark_shared_columns", exec, n_slots(s),
                           detail::MarkColumns<Dofs>{loop.dofs(), slots_[s], mark});
    counts_to_offsets(exec, mark, n_free_, "columns of a shared unknown");
    return mark;
  }

  std::vector<Slots> slots_;
  std::vector<Row> entries_;
  ReduceWorkspace<ExecutionSpace> workspace_;
  index_t n_plain_ = 0;
  index_t n_free_ = 0;
  Array<double*, Space> totals_;
};

} // namespace tessera::assembly

#endif
