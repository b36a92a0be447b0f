// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_ASSEMBLY_ROWS_CRS_PATTERN_HPP
#define TESSERA_ASSEMBLY_ROWS_CRS_PATTERN_HPP

/// \file
/// Rows made by one thread each from the row's element pairs: pattern, values, or both.

#include "assembly/rows/column_accumulator.hpp"
#include "assembly/rows/incidence.hpp"
#include "assembly/rows/team_rows.hpp"
#include "core/keep_alive.hpp"
#include "core/scan.hpp"
#include "linalg/crs_matrix.hpp"

namespace tessera::assembly {

namespace detail {

/// Number of columns of each regular row. With lists, sorts the row's list first, so that later passes visit the pairs
/// in an order that does not depend on the threads.
template <class Dofs, class Incidence> struct CountColumns {
  static constexpr bool on_host = Dofs::on_host;
  Dofs dofs;
  Incidence incidence;
  Array<offset_t*, typename Dofs::memory_space> counts;

  KOKKOS_FUNCTION void operator()(index_t row) const {
    sort(incidence, row);
    StackAccumulator<row_capacity<Dofs::n_nodes>, false, on_host> buffer;
    offset_t count = 0;
    do {
      if (buffer.overflow)
        buffer.next_window();
      add_columns(buffer, dofs, incidence, row);
      count += buffer.count;
    } while (buffer.overflow);
    counts(row) = count;
  }

  template <class Space> KOKKOS_FUNCTION static void sort(const CrsIncidence<Space>&, index_t) {}
  template <class Space> KOKKOS_FUNCTION static void sort(const LinkedIncidence<Space>& lists, index_t row) {
    lists.head(row) = sort_list(lists.link, lists.head(row), AscendingPairs{});
  }
};

/// Columns of each regular row.
template <class Dofs, class Incidence> struct FillColumns {
  static constexpr bool on_host = Dofs::on_host;
  Dofs dofs;
  Incidence incidence;
  ConstArray<const offset_t*, typename Dofs::memory_space> offsets;
  Array<index_t*, typename Dofs::memory_space> columns;

  KOKKOS_FUNCTION void operator()(index_t row) const {
    StackAccumulator<row_capacity<Dofs::n_nodes>, false, on_host> buffer;
    offset_t entry = offsets(row);
    do {
      if (buffer.overflow)
        buffer.next_window();
      add_columns(buffer, dofs, incidence, row);
      for (int i = 0; i < buffer.count; ++i)
        columns(entry++) = buffer.column[i];
    } while (buffer.overflow);
  }
};

/// Columns, values and load of each regular row, the element rows recomputed.
template <class Loop, class Incidence> struct MergeRows {
  static constexpr bool on_host = Loop::on_host;
  Loop loop;
  Incidence incidence;
  ConstArray<const offset_t*, typename Loop::memory_space> offsets;
  Array<index_t*, typename Loop::memory_space> columns;
  Array<double*, typename Loop::memory_space> values;
  Array<double*, typename Loop::memory_space> rhs;

  KOKKOS_FUNCTION void operator()(index_t row) const {
    StackAccumulator<row_capacity<Loop::n_nodes>, true, on_host> buffer;
    offset_t entry = offsets(row);
    double load;
    do {
      if (buffer.overflow)
        buffer.next_window();
      load = 0.;
      for (offset_t c = incidence.first(row); incidence.more(row, c); c = incidence.next(c)) {
        const offset_t pair = incidence.pair(c);
        const index_t e = static_cast<index_t>(pair / Loop::n_nodes);
        index_t dof[Loop::n_nodes];
        double k[Loop::n_nodes];
        load += loop.row(e, static_cast<int>(pair - static_cast<offset_t>(e) * Loop::n_nodes), dof, k);
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

/// Places of the columns of every pair of the regular rows, [n_pairs][n_nodes] in the order of the pairs: what hosts
/// keep to spare themselves the search, whose mispredicted branches cost more than the reading. 0xff: fixed node.
template <class Loop, class Incidence> struct FindPlaces {
  Loop loop;
  Incidence incidence;
  ConstArray<const offset_t*, typename Loop::memory_space> offsets;
  ConstArray<const index_t*, typename Loop::memory_space> columns;
  Array<local_index_t*, typename Loop::memory_space> places;
  KOKKOS_FUNCTION void operator()(index_t row) const {
    for (offset_t c = incidence.first(row); incidence.more(row, c); c = incidence.next(c)) {
      const offset_t pair = incidence.pair(c);
      const index_t e = static_cast<index_t>(pair / Loop::n_nodes);
      index_t n[Loop::n_nodes];
      loop.form.row_nodes(e, static_cast<int>(pair - static_cast<offset_t>(e) * Loop::n_nodes), n);
      for (int b = 0; b < Loop::n_nodes; ++b) {
        const index_t dof = loop.node_dof(n[b]);
        places(static_cast<std::int64_t>(c) * Loop::n_nodes + b) =
            loop.is_free(dof)
                ? static_cast<local_index_t>(find_column(columns, offsets(row), offsets(row + 1), dof) - offsets(row))
                : no_local_index;
      }
    }
  }
};

/// Values and load of each regular row whose columns, and their places, are known; on hosts.
template <class Loop> struct GatherRows {
  GatherRowsByTeam<Loop> data; ///< the arrays, and the way for rows too long for places
  ConstArray<const local_index_t*, typename Loop::memory_space> places;

  KOKKOS_FUNCTION void operator()(index_t row) const {
    const Loop& loop = data.loop;
    const auto& values = data.values;
    const offset_t begin = data.offsets(row);
    const offset_t end = data.offsets(row + 1);
    if (end - begin >= no_local_index)
      return data.search_row(row);
    for (offset_t i = begin; i < end; ++i)
      values(i) = 0.;
    double load = 0.;
    for (offset_t c = data.incidence.first(row); data.incidence.more(row, c); c = data.incidence.next(c)) {
      const offset_t pair = data.incidence.pair(c);
      const index_t e = static_cast<index_t>(pair / Loop::n_nodes);
      index_t dof[Loop::n_nodes];
      double k[Loop::n_nodes];
      load += loop.row(e, static_cast<int>(pair - static_cast<offset_t>(e) * Loop::n_nodes), dof, k);
      const local_index_t* place = places.data() + static_cast<std::int64_t>(c) * Loop::n_nodes;
      for (int b = 0; b < Loop::n_nodes; ++b)
        if (loop.is_free(dof[b]))
          values(begin + place[b]) += k[b];
    }
    data.rhs(row) = load;
  }
};

} // namespace detail

/// Row offsets of a matrix from a count per row (regular rows by one thread each, tied rows by `tied`). Devices
/// return the columns that they found.
template <class ExecutionSpace, class Loop, class Incidence, class Tied>
detail::ColumnCache<team_accumulator_t<Loop::n_nodes>, typename ExecutionSpace::memory_space>
count_rows(const ExecutionSpace& exec, const Loop& loop, const Incidence& incidence, Tied& tied,
           linalg::CrsMatrix<typename ExecutionSpace::memory_space>& matrix) {
  using Space = typename ExecutionSpace::memory_space;
  const auto dofs = loop.dofs();
  using Dofs = std::decay_t<decltype(dofs)>;
  const char* label = "tessera::assembly::count_columns";
  detail::ColumnCache<team_accumulator_t<Loop::n_nodes>, Space> kept;
  matrix.offsets = make_array<Array<offset_t*, Space>>(exec, "assembly::row_offsets", dofs.n_free + 1);
  if constexpr (Loop::on_host) {
    for_each(label, exec, dofs.n_regular, detail::CountColumns<Dofs, Incidence>{dofs, incidence, matrix.offsets});
  } else {
    constexpr int rows = rows_per_team<Loop::n_nodes>;
    using Find = detail::FindColumnsByTeam<Dofs, Incidence>;
    kept.allocate(exec, dofs.n_regular, rows);
    for_each_team_rows<rows>(label, exec, dofs.n_regular, Find::scratch_bytes,
                             Find{dofs, incidence, matrix.offsets, kept});
  }
  tied.count(exec, loop, matrix.offsets);
  const std::int64_t n_entries = counts_to_offsets(exec, matrix.offsets, dofs.n_free, "matrix entries");
  matrix.columns = make_array<Array<index_t*, Space>>(exec, "assembly::columns", n_entries);
  return kept;
}

/// `rows` of a row-by-row loop on a host, or `blocks` on a device.
template <class Loop, class ExecutionSpace, class Rows, class ByTeam>
void for_each_regular_row(const char* label, const ExecutionSpace& exec, index_t n_regular, const Rows& rows,
                          ByTeam blocks) {
  if constexpr (Loop::on_host) {
    (void)blocks;
    for_each(label, exec, n_regular, rows);
  } else {
    (void)rows;
    blocks.fit_scratch();
    for_each_team_rows<rows_per_team<Loop::n_nodes>>(label, exec, n_regular, blocks.scratch_bytes(), blocks);
  }
}

/// Sizes of the largest teams' rows on a device (waits).
template <class Loop, class ExecutionSpace, class Offsets>
int largest_team(const ExecutionSpace& exec, index_t n_regular, const Offsets& offsets) {
  return Loop::on_host ? 0 : largest_team_rows<rows_per_team<Loop::n_nodes>>(exec, n_regular, offsets);
}

/// Row offsets and columns from the pairs of each row. Traffic: hosts read pairs, connectivity and dof map twice (the
/// second time mostly from caches) and write offsets and columns; devices read them once and move the columns twice.
/// With `places`, what later loops need to find every pair's columns: words of the kind `Words` on devices.
template <class Words, class ExecutionSpace, class Loop, class Incidence, class Tied>
void build_pattern(const ExecutionSpace& exec, const Loop& loop, const Incidence& rows, Tied& tied,
                   linalg::CrsMatrix<typename ExecutionSpace::memory_space>& matrix,
                   detail::LocalIndices<typename ExecutionSpace::memory_space>* places = nullptr) {
  using Space = typename ExecutionSpace::memory_space;
  const auto dofs = loop.dofs();
  using Dofs = std::decay_t<decltype(dofs)>;
  using ByTeam = detail::FillColumnsByTeam<Loop, Words, Incidence>;
  ByTeam blocks{loop, rows, {}, {}, {}, {}, 0, 0};
  blocks.kept = count_rows(exec, loop, rows, tied, matrix);
  blocks.offsets = matrix.offsets;
  blocks.columns_out = matrix.columns;
  if (Words::n_words == 0 && !ByTeam::by_row)
    blocks.max_entries = rows_per_team<Loop::n_nodes> * ByTeam::Columns::capacity; // without a look at the rows
  if constexpr (Words::n_words > 0 && !Loop::on_host) {
    places->max_entries = blocks.max_entries = largest_team<Loop>(exec, dofs.n_regular, matrix.offsets);
    blocks.max_pairs = places->max_pairs = largest_team<Loop>(exec, dofs.n_regular, rows.offsets);
    blocks.words = places->words = make_array<Array<detail::packed_t*, Space>>(exec, "assembly::column_places",
                                                                               rows.pairs.extent(0) * Words::n_words);
  }
  for_each_regular_row<Loop>("tessera::assembly::fill_columns", exec, dofs.n_regular,
                             detail::FillColumns<Dofs, Incidence>{dofs, rows, matrix.offsets, matrix.columns}, blocks);
  if constexpr (Words::n_words > 0 && Loop::on_host) {
    places->bytes = make_array<Array<detail::local_index_t*, Space>>(exec, "assembly::column_places",
                                                                     rows.pairs.extent(0) * Loop::n_nodes);
    for_each("tessera::assembly::find_places", exec, dofs.n_regular,
             detail::FindPlaces<Loop, Incidence>{loop, rows, matrix.offsets, matrix.columns, places->bytes});
  }
  tied.columns(exec, matrix);
  if constexpr (!Loop::on_host)
    keep_alive(exec, blocks, rows); // the columns found, and lists that the caller may drop
}

} // namespace tessera::assembly

#endif
