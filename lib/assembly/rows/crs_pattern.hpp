// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_ASSEMBLY_ROWS_CRS_PATTERN_HPP
#define TESSERA_ASSEMBLY_ROWS_CRS_PATTERN_HPP

/// \file
/// Rows made by one thread each from the row's element slots: pattern, values, or both.

#include "assembly/rows/incidence.hpp"
#include "assembly/rows/row_accumulator.hpp"
#include "assembly/rows/team_rows.hpp"
#include "core/keep_alive.hpp"
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
      add_columns(buffer, dofs, slots, row);
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
      add_columns(buffer, dofs, slots, row);
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

/// Places of the columns of every slot of the plain rows, [n_slots][n_nodes] in the order of the slots: what hosts keep
/// to spare themselves the search, whose mispredicted branches cost more than the reading. 0xff: fixed node.
template <class Loop, class Slots> struct FindPlaces {
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
                : no_place;
      }
    }
  }
};

/// Values and load of each plain row whose columns, and their places, are known; on hosts.
template <class Loop> struct GatherRows {
  GatherRowBlocks<Loop> data; ///< the arrays, and the way for rows too long for places
  ConstArray<const place_t*, typename Loop::memory_space> places;

  KOKKOS_FUNCTION void operator()(index_t row) const {
    const Loop& loop = data.loop;
    const auto& values = data.values;
    const offset_t begin = data.offsets(row);
    const offset_t end = data.offsets(row + 1);
    if (end - begin >= no_place)
      return data.search_row(row);
    for (offset_t i = begin; i < end; ++i)
      values(i) = 0.;
    double load = 0.;
    for (offset_t c = data.slots.first(row); data.slots.more(row, c); c = data.slots.next(c)) {
      const offset_t slot = data.slots.slot(c);
      const index_t e = static_cast<index_t>(slot / Loop::n_nodes);
      index_t dof[Loop::n_nodes];
      double k[Loop::n_nodes];
      load += loop.row(e, static_cast<int>(slot - static_cast<offset_t>(e) * Loop::n_nodes), dof, k);
      const place_t* place = places.data() + static_cast<std::int64_t>(c) * Loop::n_nodes;
      for (int b = 0; b < Loop::n_nodes; ++b)
        if (loop.is_free(dof[b]))
          values(begin + place[b]) += k[b];
    }
    data.rhs(row) = load;
  }
};

} // namespace detail

/// Row offsets of a matrix from a count per row (plain rows by one thread each, shared rows by `shared`). Devices
/// return the columns that they found.
template <class ExecutionSpace, class Loop, class Slots, class Shared>
detail::KeptColumns<column_set_t<Loop::n_nodes>, typename ExecutionSpace::memory_space>
count_rows(const ExecutionSpace& exec, const Loop& loop, const Slots& slots, Shared& shared,
           linalg::CrsMatrix<typename ExecutionSpace::memory_space>& matrix) {
  using Space = typename ExecutionSpace::memory_space;
  const auto dofs = loop.dofs();
  using Dofs = std::decay_t<decltype(dofs)>;
  const char* label = "tessera::assembly::count_columns";
  detail::KeptColumns<column_set_t<Loop::n_nodes>, Space> kept;
  matrix.offsets = make_array<Array<offset_t*, Space>>(exec, "assembly::row_offsets", dofs.n_free + 1);
  if constexpr (Loop::on_host) {
    for_each(label, exec, dofs.n_plain, detail::CountColumns<Dofs, Slots>{dofs, slots, matrix.offsets});
  } else {
    constexpr int rows = rows_per_team<Loop::n_nodes>;
    using Find = detail::FindColumnBlocks<Dofs, Slots>;
    kept.allocate(exec, dofs.n_plain, rows);
    for_each_row_block<rows>(label, exec, dofs.n_plain, Find::scratch_bytes, Find{dofs, slots, matrix.offsets, kept});
  }
  shared.count(exec, loop, matrix.offsets);
  const std::int64_t n_entries = counts_to_offsets(exec, matrix.offsets, dofs.n_free, "matrix entries");
  matrix.columns = make_array<Array<index_t*, Space>>(exec, "assembly::columns", n_entries);
  return kept;
}

/// `rows` of a row-by-row loop on a host, or `blocks` on a device.
template <class Loop, class ExecutionSpace, class Rows, class Blocks>
void for_each_plain_row(const char* label, const ExecutionSpace& exec, index_t n_plain, const Rows& rows,
                        Blocks blocks) {
  if constexpr (Loop::on_host) {
    (void)blocks;
    for_each(label, exec, n_plain, rows);
  } else {
    (void)rows;
    blocks.fit_scratch();
    for_each_row_block<rows_per_team<Loop::n_nodes>>(label, exec, n_plain, blocks.scratch_bytes(), blocks);
  }
}

/// Sizes of the largest teams' rows on a device (waits).
template <class Loop, class ExecutionSpace, class Offsets>
int largest_block(const ExecutionSpace& exec, index_t n_plain, const Offsets& offsets) {
  return Loop::on_host ? 0 : largest_row_block<rows_per_team<Loop::n_nodes>>(exec, n_plain, offsets);
}

/// Row offsets and columns from the slots of each row. Traffic: hosts read slots, connectivity and dof map twice (the
/// second time mostly from caches) and write offsets and columns; devices read them once and move the columns twice.
/// With `places`, what later loops need to find every slot's columns: words of the kind `Words` on devices.
template <class Words, class ExecutionSpace, class Loop, class Slots, class Shared>
void build_pattern(const ExecutionSpace& exec, const Loop& loop, const Slots& rows, Shared& shared,
                   linalg::CrsMatrix<typename ExecutionSpace::memory_space>& matrix,
                   detail::RowPlaces<typename ExecutionSpace::memory_space>* places = nullptr) {
  using Space = typename ExecutionSpace::memory_space;
  const auto dofs = loop.dofs();
  using Dofs = std::decay_t<decltype(dofs)>;
  using Blocks = detail::FillColumnBlocks<Loop, Words, Slots>;
  Blocks blocks{loop, rows, {}, {}, {}, {}, 0, 0};
  blocks.kept = count_rows(exec, loop, rows, shared, matrix);
  blocks.offsets = matrix.offsets;
  blocks.columns_out = matrix.columns;
  if (Words::n_words == 0 && !Blocks::by_row)
    blocks.max_entries = rows_per_team<Loop::n_nodes> * Blocks::Columns::capacity; // without a look at the rows
  if constexpr (Words::n_words > 0 && !Loop::on_host) {
    places->max_entries = blocks.max_entries = largest_block<Loop>(exec, dofs.n_plain, matrix.offsets);
    blocks.max_slots = places->max_slots = largest_block<Loop>(exec, dofs.n_plain, rows.offsets);
    blocks.words = places->words = make_array<Array<detail::place_word_t*, Space>>(
        exec, "assembly::column_places", rows.slots.extent(0) * Words::n_words);
  }
  for_each_plain_row<Loop>("tessera::assembly::fill_columns", exec, dofs.n_plain,
                           detail::FillColumns<Dofs, Slots>{dofs, rows, matrix.offsets, matrix.columns}, blocks);
  if constexpr (Words::n_words > 0 && Loop::on_host) {
    places->bytes = make_array<Array<detail::place_t*, Space>>(exec, "assembly::column_places",
                                                               rows.slots.extent(0) * Loop::n_nodes);
    for_each("tessera::assembly::find_places", exec, dofs.n_plain,
             detail::FindPlaces<Loop, Slots>{loop, rows, matrix.offsets, matrix.columns, places->bytes});
  }
  shared.columns(exec, matrix);
  if constexpr (!Loop::on_host)
    keep_alive(exec, blocks, rows); // the columns found, and lists that the caller may drop
}

} // namespace tessera::assembly

#endif
