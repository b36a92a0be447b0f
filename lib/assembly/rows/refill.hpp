// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_ASSEMBLY_ROWS_REFILL_HPP
#define TESSERA_ASSEMBLY_ROWS_REFILL_HPP

/// \file
/// Values of rows whose columns, and the local indices of every pair's columns, are known.

#include "assembly/rows/local_indices.hpp"
#include "assembly/rows/row_sizes.hpp"
#include "linalg/pattern/find_column.hpp"

namespace tessera::assembly::detail {

/// Values and load of each regular row from recomputed element rows.
template <class Loop> struct GatherRows {
  static constexpr int N = Loop::n_nodes;
  using Indices = PackedIndices<Loop>;
  using Word = typename Indices::word_t;
  using Space = typename Loop::memory_space;
  static constexpr int n_words = Indices::n_words;
  static constexpr bool staged = N < 10; ///< pairs and indices are read through scratch memory, unless it would be too
                                         ///< small
  /// Reads the data that the elements of a row share once. Not for triangles of order 1 on hosts, where the data are in
  /// the cache and so little is computed that keeping them costs more.
  static constexpr bool shares_reads = Loop::Traits::has_vertex_rows && !(uses_host_forms<Space> && N == 3);
  Loop loop;
  CrsIncidence<Space> incidence;
  Array<const offset_t*, Space> offsets;
  Array<const index_t*, Space> columns;
  Array<const Word*, Space> indices;
  Array<double*, Space> values;
  Array<double*, Space> rhs;
  int max_entries; ///< capacity of a team's scratch memory
  int max_pairs;
  bool with_images; ///< nodes at several points may share an unknown (periodic sides)

  std::size_t scratch_bytes() const {
    return sizeof(double) * max_entries + (staged ? (sizeof(offset_t) + sizeof(Word) * n_words) * max_pairs : 0) + 64;
  }
  void fit_scratch() { linalg::fit_team_scratch(*this, max_entries, max_pairs); }

  template <class Range> KOKKOS_FUNCTION void operator()(const Range& range) const {
    const offset_t first_entry = offsets(range.first);
    const offset_t first_pair = incidence.offsets(range.first);
    const offset_t n_entries = offsets(range.end) - first_entry;
    const offset_t n_pairs = incidence.offsets(range.end) - first_pair;
    if (Range::in_team && (n_entries > max_entries || (staged && n_pairs > max_pairs))) {
      for (index_t row = range.first + range.rank; row < range.end; row += range.size)
        search_row(row);
      return;
    }
    double* const sums = range.output(values.data() + first_entry, max_entries);
    const offset_t* pairs = incidence.pairs.data() + first_pair;
    const Word* words = indices.data() + static_cast<std::int64_t>(first_pair) * n_words;
    range.fill(sums, 0., static_cast<int>(n_entries));
    if (staged) {
      pairs = range.input(pairs, static_cast<int>(n_pairs), max_pairs);
      words = range.input(words, static_cast<int>(n_pairs) * n_words, max_pairs * n_words);
    }
    range.barrier();
    for (index_t row = range.first + range.rank; row < range.end; row += range.size) {
      const offset_t begin = offsets(row);
      double* const sum = sums + (begin - first_entry);
      if (offsets(row + 1) - begin >= no_local_index) {
        search_row(row);
        if (Range::in_team)
          for (offset_t i = begin; i < offsets(row + 1); ++i)
            sum[i - begin] = values(i);
        continue;
      }
      const int last = static_cast<int>(incidence.offsets(row + 1) - first_pair);
      double load = 0.;
      const bool has_vertex = shares_reads && !with_images && offsets(row + 1) > begin;
      // The diagonal is summed separately if its position is known and no other column coincides with it. On hosts,
      // whose sums are in the cache, the test costs more than it saves.
      const bool has_diagonal = has_vertex && !uses_host_forms<Space>;
      double diagonal = 0.;
      [[maybe_unused]] typename Loop::RowState state{};
      if (has_vertex)
        loop.start_row(graph::local_node<N>(pairs[last - 1]), state);
      for (int s = static_cast<int>(incidence.offsets(row) - first_pair); s < last; ++s) {
        const graph::LocalNode own = graph::local_node<N>(pairs[s]);
        index_t n[N];
        double k[N];
        const int own_position = has_diagonal ? loop.own_position(own.a) : -1;
        double own_load;
        if constexpr (shares_reads) {
          if (with_images)
            loop.start_row(own, state);
          own_load = loop.next_row(own, state, n, k);
        } else {
          own_load = loop.signed_row(own.element, own.a, n, k);
        }
        TESSERA_UNROLL
        for (int w = 0; w < n_words; ++w) {
          const Word word = words[s * n_words + w];
          TESSERA_UNROLL
          for (int b = Indices::per_word * w; b < Indices::per_word * (w + 1); ++b)
            if (b < N) {
              const int index = Indices::index(word, b);
              if (b == own_position) {
                diagonal += k[b];
              } else if (index != no_local_index) {
                sum[index] += k[b];
              } else {
                const index_t node = loop.row_node(own.element, own.a, b);
                own_load -= k[b] * loop.fixed_value(loop.dof_of_node(node));
              }
            }
        }
        load += own_load;
      }
      if (has_diagonal) {
        const int b = loop.own_position(graph::local_node<N>(pairs[last - 1]).a);
        sum[Indices::index(words[(last - 1) * n_words + b / Indices::per_word], b)] = diagonal;
      }
      rhs(row) = load;
    }
    range.barrier();
    const offset_t first = offsets(range.first); // read again to save registers
    range.write(values.data() + first, sums, static_cast<int>(offsets(range.end) - first));
  }

private:
  /// A row too long for local indices or scratch memory.
  KOKKOS_FUNCTION void search_row(index_t row) const {
    const offset_t begin = offsets(row);
    const offset_t end = offsets(row + 1);
    for (offset_t i = begin; i < end; ++i)
      values(i) = 0.;
    double load = 0.;
    for (offset_t c = incidence.first(row); incidence.more(row, c); c = incidence.next(c)) {
      const graph::LocalNode own = graph::local_node<N>(incidence.pair(c));
      index_t dof[N];
      double k[N];
      load += loop.row(own.element, own.a, dof, k);
      for (int b = 0; b < N; ++b)
        if (loop.is_free(dof[b]))
          values(linalg::find_column(columns, begin, end, dof[b])) += k[b];
    }
    rhs(row) = load;
  }
};

} // namespace tessera::assembly::detail

#endif
