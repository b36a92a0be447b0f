// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_ASSEMBLY_ROWS_MERGE_ROWS_HPP
#define TESSERA_ASSEMBLY_ROWS_MERGE_ROWS_HPP

/// \file
/// Rows from linked lists of their elements: by a single thread with columns and values at once or, if the columns are
/// known, by a team with the lists and sums in scratch memory. Both add the terms of an entry in the same order.

#include "assembly/rows/incidence.hpp"
#include "assembly/rows/row_sizes.hpp"

namespace tessera::assembly::detail {

/// Columns, values and load of each regular row from recomputed element rows.
template <class Loop, class Incidence> struct MergeRows {
  static constexpr bool on_host = Loop::on_host;
  Loop loop;
  Incidence incidence;
  Array<const offset_t*, typename Loop::memory_space> offsets;
  Array<index_t*, typename Loop::memory_space> columns;
  Array<double*, typename Loop::memory_space> values;
  Array<double*, typename Loop::memory_space> rhs;

  KOKKOS_FUNCTION void operator()(index_t row) const {
    linalg::StackAccumulator<row_capacity<Loop::n_nodes>, true, on_host> buffer;
    offset_t entry = offsets(row);
    double load;
    do {
      if (buffer.overflow)
        buffer.next_window();
      load = 0.;
      for (offset_t c = incidence.first(row); incidence.more(row, c); c = incidence.next(c)) {
        const graph::LocalNode own = graph::local_node<Loop::n_nodes>(incidence.pair(c));
        index_t dof[Loop::n_nodes];
        double k[Loop::n_nodes];
        load += loop.row(own.element, own.a, dof, k);
        for (int b = 0; b < Loop::n_nodes; ++b)
          if (loop.is_free(dof[b]))
            buffer.add(dof[b], k[b]);
      }
      for (int i = 0; i < buffer.n; ++i) {
        columns(entry) = buffer.column[i];
        values(entry++) = buffer.value[i];
      }
    } while (buffer.overflow);
    rhs(row) = load;
  }
};

/// Values and load of each regular row from its list and its columns and from recomputed element rows. A row's list is
/// sorted in scratch memory; rows with more pairs or columns than fit there are left to `Fallback` (MergeRows).
/// Processes only teams whose rows have more than `lower` entries; those with more than `max_entries` are processed by
/// the last launch only.
template <class Loop, class Fallback> struct MergeRowsByTeam {
  static constexpr int N = Loop::n_nodes;
  static constexpr int pair_capacity = N == 3 ? 12 : 32;
  using Columns = team_accumulator_t<N>;
  static constexpr bool staged = Columns::in_scratch; ///< columns are also in scratch memory, else in registers
  Fallback fallback;                                  // also owns the arrays
  int lower;
  int max_entries;
  bool is_last;
  bool with_images; ///< nodes at several points may share an unknown (periodic sides)

  std::size_t scratch_bytes() const {
    return sizeof(offset_t) * pair_capacity * rows_per_team<N> +
           (sizeof(double) + (staged ? sizeof(index_t) : 0)) * max_entries + 64;
  }
  void fit_scratch() {
    int none = 0;
    linalg::fit_team_scratch(*this, max_entries, none);
  }

  template <class Range> KOKKOS_FUNCTION void operator()(const Range& range) const {
    const Loop& loop = fallback.loop;
    const offset_t first_entry = fallback.offsets(range.first);
    const offset_t n_entries = fallback.offsets(range.end) - first_entry;
    if (n_entries <= lower || n_entries > max_entries) {
      if (is_last && n_entries > max_entries)
        for (index_t row = range.first + range.rank; row < range.end; row += range.size)
          merge_in_list(row);
      return;
    }
    double* team_sums = range.template scratch<double>(max_entries);
    offset_t* pair = range.template scratch<offset_t>(pair_capacity * range.size) + range.rank; // strided
    index_t* team_columns = staged ? range.template scratch<index_t>(max_entries) : nullptr;
    range.fill(team_sums, 0., static_cast<int>(n_entries));
    if (staged)
      range.copy(team_columns, fallback.columns.data() + first_entry, static_cast<int>(n_entries));
    range.barrier();
    for (index_t row = range.first + range.rank; row < range.end; row += range.size) {
      const offset_t begin = fallback.offsets(row);
      const int count = static_cast<int>(fallback.offsets(row + 1) - begin);
      double* sum = team_sums + (begin - first_entry);
      const int n_pairs = count <= Columns::capacity ? ordered_pairs(row, pair, range.size) : pair_capacity + 1;
      if (n_pairs > pair_capacity) {
        merge_in_list(row);
        for (int i = 0; i < count; ++i)
          sum[i] = fallback.values(begin + i);
        continue;
      }
      const Columns columns =
          Columns::finished(staged ? team_columns + (begin - first_entry) : fallback.columns.data() + begin, count);
      double load = 0.;
      double diagonal = 0.;
      OwnPoint point = n_pairs > 0 ? own_point(pair[0]) : OwnPoint();
      index_t others[N - 1]; // of the next pair
      if constexpr (Loop::has_node_rows)
        if (n_pairs > 0)
          loop.other_nodes(pair[0], others);
      for (int s = 0; s < n_pairs; ++s) {
        const graph::LocalNode own = graph::local_node<N>(pair[s * range.size]);
        index_t dof[N];
        double k[N];
        if constexpr (Loop::has_node_rows) {
          index_t n[N - 1];
          for (int b = 0; b < N - 1; ++b)
            n[b] = others[b];
          if (s + 1 < n_pairs)
            loop.other_nodes(pair[(s + 1) * range.size], others);
          if (with_images)
            point = own_point(pair[s * range.size]);
          load += loop.row(own.element, row, point, n, dof, k);
        } else {
          load += loop.row(own.element, own.a, dof, k);
        }
        for (int b = 0; b < N; ++b)
          if (dof[b] == row)
            diagonal += k[b];
          else if (loop.is_free(dof[b]))
            sum[columns.position_of(dof[b])] += k[b];
      }
      if (count > 0)
        sum[columns.position_of(row)] = diagonal;
      fallback.rhs(row) = load;
    }
    range.barrier();
    range.copy(fallback.values.data() + first_entry, team_sums, static_cast<int>(n_entries));
  }

  using OwnPoint = fe::Point<Loop::form_type::dimension>;
  KOKKOS_FUNCTION OwnPoint own_point(offset_t pair) const {
    if constexpr (Loop::has_node_rows) {
      const auto& form = fallback.loop.form;
      const graph::LocalNode own = graph::local_node<N>(pair);
      return fe::point_at<Loop::form_type::dimension>(form.coordinates.data(), fallback.loop.node(own.element, own.a));
    } else {
      return OwnPoint();
    }
  }

  KOKKOS_FUNCTION void merge_in_list(index_t row) const {
    sort_pairs(fallback.incidence, row);
    fallback(row);
  }

  /// Sorts the row's pairs in ascending order; returns their number, or a larger number than fits. Lists were pushed at
  /// their heads, so most of them are descending.
  KOKKOS_FUNCTION int ordered_pairs(index_t row, offset_t* pair, int stride) const {
    int n = 0;
    for (offset_t c = fallback.incidence.first(row); fallback.incidence.more(row, c); c = fallback.incidence.next(c)) {
      if (n == pair_capacity)
        return pair_capacity + 1;
      pair[n++ * stride] = fallback.incidence.pair(c);
    }
    for (int i = 0, j = n - 1; i < j; ++i, --j) {
      const offset_t other = pair[i * stride];
      pair[i * stride] = pair[j * stride];
      pair[j * stride] = other;
    }
    for (int i = 1; i < n; ++i) {
      const offset_t moved = pair[i * stride];
      int j = i;
      for (; j > 0 && pair[(j - 1) * stride] > moved; --j)
        pair[j * stride] = pair[(j - 1) * stride];
      pair[j * stride] = moved;
    }
    return n;
  }
};

} // namespace tessera::assembly::detail

#endif
