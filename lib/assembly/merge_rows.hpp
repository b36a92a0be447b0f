// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_ASSEMBLY_MERGE_ROWS_HPP
#define TESSERA_ASSEMBLY_MERGE_ROWS_HPP

/// \file
/// Rows made by one thread each from the row's element slots: pattern, values, or both.

#include "assembly/row_buffer.hpp"
#include "assembly/slot_lists.hpp"
#include "core/scan.hpp"
#include "linalg/crs_matrix.hpp"

namespace tessera::assembly {

namespace detail {

/// Number of columns of each plain row. With lists, sorts the row's list first, so that later passes visit the slots in
/// an order that does not depend on the threads.
template <class Dofs, class Slots> struct CountColumns {
  static constexpr bool on_host = Dofs::on_host;
  Dofs dofs;
  Slots slots;
  Array<offset_t*, typename Dofs::memory_space> counts;

  KOKKOS_FUNCTION void operator()(index_t row) const {
    sort(slots, row);
    RowBuffer<row_capacity<Dofs::n_nodes>, false, on_host> buffer;
    offset_t count = 0;
    do {
      if (buffer.overflow)
        buffer.next_window();
      for (offset_t c = slots.first(row); slots.more(row, c); c = slots.next(c)) {
        index_t dof[Dofs::n_nodes];
        dofs.dofs_of(static_cast<index_t>(slots.slot(c) / Dofs::n_nodes), dof);
        for (int b = 0; b < Dofs::n_nodes; ++b)
          if (dofs.is_free(dof[b]))
            buffer.add(dof[b], 0.);
      }
      count += buffer.count;
    } while (buffer.overflow);
    counts(row) = count;
  }

  template <class Space> KOKKOS_FUNCTION static void sort(const SlotRows<Space>&, index_t) {}
  template <class Space> KOKKOS_FUNCTION static void sort(const SlotLists<Space>& lists, index_t row) {
    lists.head(row) = sort_list(lists.link, lists.head(row), AscendingSlots{});
  }
};

/// Columns of each plain row.
template <class Dofs, class Slots> struct FillColumns {
  static constexpr bool on_host = Dofs::on_host;
  Dofs dofs;
  Slots slots;
  ConstArray<const offset_t*, typename Dofs::memory_space> offsets;
  Array<index_t*, typename Dofs::memory_space> columns;

  KOKKOS_FUNCTION void operator()(index_t row) const {
    RowBuffer<row_capacity<Dofs::n_nodes>, false, on_host> buffer;
    offset_t entry = offsets(row);
    do {
      if (buffer.overflow)
        buffer.next_window();
      for (offset_t c = slots.first(row); slots.more(row, c); c = slots.next(c)) {
        index_t dof[Dofs::n_nodes];
        dofs.dofs_of(static_cast<index_t>(slots.slot(c) / Dofs::n_nodes), dof);
        for (int b = 0; b < Dofs::n_nodes; ++b)
          if (dofs.is_free(dof[b]))
            buffer.add(dof[b], 0.);
      }
      for (int i = 0; i < buffer.count; ++i)
        columns(entry++) = buffer.column[i];
    } while (buffer.overflow);
  }
};

/// Columns, values and load of each plain row, the element rows recomputed.
template <class Loop, class Slots> struct MergeRows {
  static constexpr bool on_host = Loop::on_host;
  Loop loop;
  Slots slots;
  ConstArray<const offset_t*, typename Loop::memory_space> offsets;
  Array<index_t*, typename Loop::memory_space> columns;
  Array<double*, typename Loop::memory_space> values;
  Array<double*, typename Loop::memory_space> rhs;

  KOKKOS_FUNCTION void operator()(index_t row) const {
    RowBuffer<row_capacity<Loop::n_nodes>, true, on_host> buffer;
    offset_t entry = offsets(row);
    double load;
    do {
      if (buffer.overflow)
        buffer.next_window();
      load = 0.;
      for (offset_t c = slots.first(row); slots.more(row, c); c = slots.next(c)) {
        const offset_t slot = slots.slot(c);
        const index_t e = static_cast<index_t>(slot / Loop::n_nodes);
        index_t dof[Loop::n_nodes];
        double k[Loop::n_nodes];
        load += loop.row(e, static_cast<int>(slot - static_cast<offset_t>(e) * Loop::n_nodes), dof, k);
        for (int b = 0; b < Loop::n_nodes; ++b)
          if (loop.is_free(dof[b]))
            buffer.add(dof[b], k[b]);
      }
      for (int i = 0; i < buffer.count; ++i) {
        columns(entry) = buffer.column[i];
        values(entry++) = buffer.value[i];
      }
    } while (buffer.overflow);
    rhs(row) = load;
  }
};

/// Place of a column inside its row, for rows short enough for a byte.
using place_t = std::uint8_t;

/// Places of the columns of every slot of the plain rows, [n_slots][n_nodes] in the order of the slots: what hosts keep
/// to spare themselves the search, whose mispredicted branches cost more than the reading. 0xff: fixed node.
template <class Loop, class Slots> struct FindPlaces {
  static constexpr place_t none = 0xff;
  Loop loop;
  Slots slots;
  ConstArray<const offset_t*, typename Loop::memory_space> offsets;
  ConstArray<const index_t*, typename Loop::memory_space> columns;
  Array<place_t*, typename Loop::memory_space> places;
  KOKKOS_FUNCTION void operator()(index_t row) const {
    for (offset_t c = slots.first(row); slots.more(row, c); c = slots.next(c)) {
      const offset_t slot = slots.slot(c);
      const index_t e = static_cast<index_t>(slot / Loop::n_nodes);
      index_t n[Loop::n_nodes];
      loop.form.row_nodes(e, static_cast<int>(slot - static_cast<offset_t>(e) * Loop::n_nodes), n);
      for (int b = 0; b < Loop::n_nodes; ++b) {
        const index_t dof = loop.node_dof(n[b]);
        places(static_cast<std::int64_t>(c) * Loop::n_nodes + b) =
            loop.is_free(dof)
                ? static_cast<place_t>(find_column(columns, offsets(row), offsets(row + 1), dof) - offsets(row))
                : none;
      }
    }
  }
};

/// Values and load of each plain row whose columns are known. Short rows are summed in thread-private memory.
template <class Loop, class Slots> struct GatherRows {
  static constexpr int capacity = row_capacity<Loop::n_nodes>;
  Loop loop;
  Slots slots;
  ConstArray<const offset_t*, typename Loop::memory_space> offsets;
  ConstArray<const index_t*, typename Loop::memory_space> columns;
  Array<double*, typename Loop::memory_space> values;
  Array<double*, typename Loop::memory_space> rhs;
  ConstArray<const place_t*, typename Loop::memory_space> places; ///< empty: search

  KOKKOS_FUNCTION void operator()(index_t row) const {
    const offset_t begin = offsets(row);
    const offset_t end = offsets(row + 1);
    const int count = static_cast<int>(end - begin);
    double load = 0.;
    if (Loop::on_host && places.extent(0) > 0 && count <= FindPlaces<Loop, Slots>::none) {
      for (offset_t i = begin; i < end; ++i)
        values(i) = 0.;
      for (offset_t c = slots.first(row); slots.more(row, c); c = slots.next(c)) {
        index_t dof[Loop::n_nodes];
        double k[Loop::n_nodes];
        load += slot_row(slots.slot(c), dof, k);
        const place_t* place = places.data() + static_cast<std::int64_t>(c) * Loop::n_nodes;
        for (int b = 0; b < Loop::n_nodes; ++b)
          if (loop.is_free(dof[b]))
            values(begin + place[b]) += k[b];
      }
    } else if (!Loop::on_host && count <= capacity) {
      index_t column[capacity];
      double sum[capacity];
      for (int i = 0; i < capacity; ++i) {
        column[i] = i < count ? columns(begin + i) : no_column;
        sum[i] = 0.;
      }
      for (offset_t c = slots.first(row); slots.more(row, c); c = slots.next(c)) {
        index_t dof[Loop::n_nodes];
        double k[Loop::n_nodes];
        load += slot_row(slots.slot(c), dof, k);
        for (int b = 0; b < Loop::n_nodes; ++b)
          if (loop.is_free(dof[b]))
            sum[columns_below(column, dof[b])] += k[b];
      }
      for (int i = 0; i < count; ++i)
        values(begin + i) = sum[i];
    } else {
      for (offset_t i = begin; i < end; ++i)
        values(i) = 0.;
      for (offset_t c = slots.first(row); slots.more(row, c); c = slots.next(c)) {
        index_t dof[Loop::n_nodes];
        double k[Loop::n_nodes];
        load += slot_row(slots.slot(c), dof, k);
        for (int b = 0; b < Loop::n_nodes; ++b)
          if (loop.is_free(dof[b]))
            values(find_column(columns, begin, end, dof[b])) += k[b];
      }
    }
    rhs(row) = load;
  }

  KOKKOS_FUNCTION double slot_row(offset_t slot, index_t (&dof)[Loop::n_nodes], double (&k)[Loop::n_nodes]) const {
    const index_t e = static_cast<index_t>(slot / Loop::n_nodes);
    return loop.row(e, static_cast<int>(slot - static_cast<offset_t>(e) * Loop::n_nodes), dof, k);
  }
};

} // namespace detail

/// Row offsets of a matrix from a count per row (plain rows by one thread each, shared rows by `shared`).
template <class ExecutionSpace, class Loop, class Slots, class Shared>
void count_rows(const ExecutionSpace& exec, const Loop& loop, const Slots& slots, const Shared& shared,
                linalg::CrsMatrix<typename ExecutionSpace::memory_space>& matrix) {
  using Space = typename ExecutionSpace::memory_space;
  const auto dofs = loop.dofs();
  matrix.offsets = make_array<Array<offset_t*, Space>>(exec, "assembly::row_offsets", dofs.n_free + 1);
  for_each("tessera::assembly::count_columns", exec, dofs.n_plain,
           detail::CountColumns<std::decay_t<decltype(dofs)>, Slots>{dofs, slots, matrix.offsets});
  shared.count(exec, loop, matrix.offsets);
  const std::int64_t n_entries = counts_to_offsets(exec, matrix.offsets, dofs.n_free, "matrix entries");
  matrix.columns = make_array<Array<index_t*, Space>>(exec, "assembly::columns", n_entries);
}

/// Row offsets and columns from the slots of each row. Traffic of both passes: slots, connectivity and dof map read
/// twice (the second time mostly from caches), offsets and columns written.
template <class ExecutionSpace, class Loop, class Slots, class Shared>
void build_pattern(const ExecutionSpace& exec, const Loop& loop, const Slots& slots, Shared& shared,
                   linalg::CrsMatrix<typename ExecutionSpace::memory_space>& matrix) {
  count_rows(exec, loop, slots, shared, matrix);
  const auto dofs = loop.dofs();
  for_each("tessera::assembly::fill_columns", exec, dofs.n_plain,
           detail::FillColumns<std::decay_t<decltype(dofs)>, Slots>{dofs, slots, matrix.offsets, matrix.columns});
  shared.columns(exec, loop, matrix);
}

} // namespace tessera::assembly

#endif
