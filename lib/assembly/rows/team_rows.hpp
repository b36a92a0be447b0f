// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_ASSEMBLY_ROWS_TEAM_ROWS_HPP
#define TESSERA_ASSEMBLY_ROWS_TEAM_ROWS_HPP

/// \file
/// The loops over rows of crs_pattern.hpp in the form that devices take: by teams (team_policy.hpp), with the team's
/// pairs, columns and sums in scratch memory. Entry by entry they do the same sums in the same order.

#include "assembly/rows/column_cache.hpp"
#include "assembly/rows/incidence.hpp"

namespace tessera::assembly::detail {

/// Place of a column inside its row, for rows short enough for a byte.
using local_index_t = std::uint8_t;
constexpr local_index_t no_local_index = 0xff; ///< fixed node

/// Places of a pair's columns in whole words, four in each.
template <int N> constexpr int packed_words = (N + 3) / 4;
using packed_t = std::uint32_t;

/// The places of the columns of every pair of the regular rows: what spares later loops the search.
template <class Space> struct LocalIndices {
  Array<local_index_t*, Space> bytes; ///< hosts: [n_pairs][nodes per element]
  Array<packed_t*, Space> words;      ///< devices: [n_pairs][packed_words]
  int max_entries = 0;                ///< devices: of the rows of one team
  int max_pairs = 0;

  double n_bytes() const {
    return static_cast<double>(bytes.extent(0)) + sizeof(packed_t) * static_cast<double>(words.extent(0));
  }
};

/// Takes a quarter off what a team is to keep in scratch memory until it fits; larger teams then go without.
template <class Body> void fit_team_scratch(Body& body, int& max_entries, int& max_pairs) {
  while (body.scratch_bytes() > max_team_scratch && max_entries + max_pairs > 0) {
    max_entries -= (max_entries + 3) / 4;
    max_pairs -= (max_pairs + 3) / 4;
  }
}

/// What a loop over columns notes for every pair: nothing.
struct NoIndices {
  static constexpr int n_words = 0;
};

/// Places in the order of Form::row_nodes, four to a word.
template <class Loop> struct PackedIndices {
  static constexpr int N = Loop::n_nodes;
  static constexpr int n_words = packed_words<N>;

  /// Writes the words of one pair.
  template <class PlaceOf>
  KOKKOS_FUNCTION static void write(const Loop& loop, index_t e, int a, const PlaceOf& place_of, packed_t* to) {
    index_t n[N];
    loop.form.row_nodes(e, a, n);
    for (int w = 0; w < n_words; ++w) {
      packed_t word = 0;
      for (int b = 4 * w; b < N && b < 4 * w + 4; ++b) {
        const index_t dof = loop.node_dof(n[b]);
        const int place = loop.is_free(dof) ? place_of(dof) : no_local_index;
        word |= static_cast<packed_t>(place) << (8 * (b - 4 * w));
      }
      to[w] = word;
    }
  }
};

/// Puts the columns of each regular row in their places: those that FindColumnsByTeam kept, the others found again. If
/// asked for, notes `Words` of every pair (PackedIndices) of rows short enough.
template <class Loop, class Words, class Incidence> struct FillColumnsByTeam {
  static constexpr int N = Loop::n_nodes;
  static constexpr int n_words = Words::n_words;
  static constexpr bool with_words = n_words > 0;
  using Columns = team_accumulator_t<N>;
  using Space = typename Loop::memory_space;
  /// Long rows are written by all threads of a team together, short ones by way of scratch memory.
  static constexpr bool by_row = Columns::in_scratch && !with_words;
  Loop loop;
  Incidence incidence; // with words CrsIncidence
  ColumnCache<Columns, Space> kept;
  ConstArray<const offset_t*, Space> offsets;
  Array<index_t*, Space> columns_out;
  Array<packed_t*, Space> words; // [n_pairs][n_words]
  int max_entries;               // what the team's scratch memory holds
  int max_pairs;

  std::size_t scratch_bytes() const {
    return Columns::scratch_bytes * rows_per_team<N> + sizeof(index_t) * max_entries +
           sizeof(packed_t) * n_words * max_pairs + 64;
  }
  void fit_scratch() { fit_team_scratch(*this, max_entries, max_pairs); }

  template <class Block> KOKKOS_FUNCTION void operator()(const Block& block) const {
    Columns columns(block);
    const offset_t first_entry = offsets(block.first);
    const offset_t n_entries = offsets(block.end) - first_entry;
    offset_t first_pair = 0;
    offset_t n_pairs = 0;
    if constexpr (with_words) {
      first_pair = incidence.offsets(block.first);
      n_pairs = incidence.offsets(block.end) - first_pair;
    }
    const bool fits = !by_row && n_entries <= max_entries && n_pairs <= max_pairs;
    index_t* team_columns = block.template scratch<index_t>(max_entries);
    packed_t* team_words = with_words ? block.template scratch<packed_t>(max_pairs * n_words) : nullptr;
    for (index_t first_row = block.first; first_row < block.end; first_row += block.size) {
      const std::int64_t base = kept.base(block, first_row);
      if (by_row)
        write_round(block, first_row, base);
      const index_t row = first_row + block.rank;
      if (row >= block.end)
        break;
      const offset_t begin = offsets(row);
      Row result;
      result.n_columns = static_cast<int>(offsets(row + 1) - begin);
      result.columns = fits ? team_columns + (begin - first_entry) : columns_out.data() + begin;
      if (!kept.has(base, result.n_columns)) {
        find_again(columns, row, result);
      } else if constexpr (with_words) {
        columns.read(kept.entries.data() + base + block.rank, block.size, result.n_columns);
        columns.write(result.columns, 0, result.n_columns);
      } else if (!by_row) {
        copy_strided(kept.entries.data() + base + block.rank, block.size, result.n_columns, result.columns, 1);
      }
      if constexpr (with_words) {
        const offset_t first = incidence.first(row);
        write_words(row, columns, result,
                    fits ? team_words + (first - first_pair) * n_words
                         : words.data() + static_cast<std::int64_t>(first) * n_words);
      }
    }
    if (!fits)
      return;
    block.barrier();
    block.copy(columns_out.data() + first_entry, team_columns, static_cast<int>(n_entries));
    if (with_words)
      block.copy(words.data() + static_cast<std::int64_t>(first_pair) * n_words, team_words,
                 static_cast<int>(n_pairs) * n_words);
  }

private:
  struct Row {
    index_t* columns;
    int n_columns;
  };

  /// Row after row of a round, by neighbouring threads; the loads of several rows are under way together.
  template <class Block>
  KOKKOS_FUNCTION void write_round(const Block& block, index_t first_row, std::int64_t base) const {
    constexpr int batch = 8;
    const index_t end = block.end - first_row > block.size ? first_row + block.size : block.end;
    for (index_t first = first_row; first < end; first += batch) {
      offset_t begin[batch];
      int n[batch];
      int n_most = 0;
      TESSERA_UNROLL
      for (int k = 0; k < batch; ++k) {
        const index_t row = first + k < end ? first + k : end - 1;
        begin[k] = offsets(row);
        n[k] = static_cast<int>(offsets(row + 1) - begin[k]);
        n[k] = first + k < end && kept.has(base, n[k]) ? n[k] : 0;
        n_most = n[k] > n_most ? n[k] : n_most;
      }
      for (int j = block.rank; j < n_most; j += block.size) {
        index_t column[batch];
        TESSERA_UNROLL
        for (int k = 0; k < batch; ++k)
          if (j < n[k])
            column[k] = kept.entries(base + j * block.size + (first + k - first_row));
        TESSERA_UNROLL
        for (int k = 0; k < batch; ++k)
          if (j < n[k])
            columns_out(begin[k] + j) = column[k];
      }
    }
  }

  KOKKOS_FUNCTION void find_again(Columns& columns, index_t row, const Row& result) const {
    int n_written = 0;
    find_columns(columns, loop.dofs(), incidence, row, [&](int n) {
      columns.write(result.columns + n_written, 0, n);
      n_written += n;
    });
  }

  KOKKOS_FUNCTION void write_words(index_t row, const Columns& columns, const Row& result, packed_t* to) const {
    if (result.n_columns > no_local_index)
      return;
    const auto place_of = [&](index_t dof) {
      return result.n_columns <= Columns::capacity
                 ? columns.place_of(dof)
                 : static_cast<int>(find_column(result.columns, 0, result.n_columns, dof));
    };
    for (offset_t c = incidence.first(row); incidence.more(row, c); c = incidence.next(c), to += n_words) {
      const offset_t pair = incidence.pair(c);
      const index_t e = static_cast<index_t>(pair / N);
      Words::write(loop, e, static_cast<int>(pair - static_cast<offset_t>(e) * N), place_of, to);
    }
  }
};

/// Values and load of each regular row whose columns, and the places of every pair's columns in them, are known.
template <class Loop> struct GatherRowsByTeam {
  static constexpr int N = Loop::n_nodes;
  static constexpr int n_words = packed_words<N>;
  static constexpr bool staged = N < 10; ///< pairs and places by way of scratch memory, where it does not run short
  Loop loop;
  CrsIncidence<typename Loop::memory_space> incidence;
  ConstArray<const offset_t*, typename Loop::memory_space> offsets;
  ConstArray<const index_t*, typename Loop::memory_space> columns;
  ConstArray<const packed_t*, typename Loop::memory_space> places;
  Array<double*, typename Loop::memory_space> values;
  Array<double*, typename Loop::memory_space> rhs;
  int max_entries;
  int max_pairs;

  std::size_t scratch_bytes() const {
    return sizeof(double) * max_entries + (staged ? (sizeof(offset_t) + sizeof(packed_t) * n_words) * max_pairs : 0) +
           64;
  }
  void fit_scratch() { fit_team_scratch(*this, max_entries, max_pairs); }

  template <class Block> KOKKOS_FUNCTION void operator()(const Block& block) const {
    const offset_t first_entry = offsets(block.first);
    const offset_t first_pair = incidence.offsets(block.first);
    const offset_t n_entries = offsets(block.end) - first_entry;
    const offset_t n_pairs = incidence.offsets(block.end) - first_pair;
    if (n_entries > max_entries || (staged && n_pairs > max_pairs)) {
      for (index_t row = block.first + block.rank; row < block.end; row += block.size)
        search_row(row);
      return;
    }
    double* team_sums = block.template scratch<double>(max_entries);
    const offset_t* team_pairs = incidence.pairs.data() + first_pair;
    const packed_t* team_places = places.data() + static_cast<std::int64_t>(first_pair) * n_words;
    block.fill(team_sums, 0., static_cast<int>(n_entries));
    if (staged) {
      offset_t* pair_copy = block.template scratch<offset_t>(max_pairs);
      packed_t* place_copy = block.template scratch<packed_t>(max_pairs * n_words);
      block.copy(pair_copy, team_pairs, static_cast<int>(n_pairs));
      block.copy(place_copy, team_places, static_cast<int>(n_pairs) * n_words);
      team_pairs = pair_copy;
      team_places = place_copy;
    }
    block.barrier();
    for (index_t row = block.first + block.rank; row < block.end; row += block.size) {
      const offset_t begin = offsets(row);
      double* sum = team_sums + (begin - first_entry);
      if (offsets(row + 1) - begin >= no_local_index) {
        search_row(row);
        for (offset_t i = begin; i < offsets(row + 1); ++i)
          sum[i - begin] = values(i);
        continue;
      }
      const int last = static_cast<int>(incidence.offsets(row + 1) - first_pair);
      double load = 0.;
      for (int s = static_cast<int>(incidence.offsets(row) - first_pair); s < last; ++s) {
        const offset_t pair = team_pairs[s];
        const index_t e = static_cast<index_t>(pair / N);
        index_t n[N];
        double k[N];
        const int a = static_cast<int>(pair - static_cast<offset_t>(e) * N);
        double own_load = loop.form.row(e, a, n, k);
        TESSERA_UNROLL
        for (int w = 0; w < n_words; ++w) {
          const packed_t word = team_places[s * n_words + w];
          TESSERA_UNROLL
          for (int b = 4 * w; b < 4 * w + 4; ++b)
            if (b < N) {
              const int place = static_cast<int>((word >> (8 * (b - 4 * w))) & 0xffu);
              if (place != no_local_index) {
                sum[place] += k[b];
              } else {
                loop.form.row_nodes(e, a, n);
                own_load -= k[b] * loop.fixed_values(loop.node_dof(n[b]) - loop.n_free);
              }
            }
        }
        load += own_load;
      }
      rhs(row) = load;
    }
    block.barrier();
    block.copy(values.data() + first_entry, team_sums, static_cast<int>(n_entries));
  }

  /// A row too long for places or scratch memory.
  KOKKOS_FUNCTION void search_row(index_t row) const {
    const offset_t begin = offsets(row);
    const offset_t end = offsets(row + 1);
    for (offset_t i = begin; i < end; ++i)
      values(i) = 0.;
    double load = 0.;
    for (offset_t c = incidence.first(row); incidence.more(row, c); c = incidence.next(c)) {
      const offset_t pair = incidence.pair(c);
      const index_t e = static_cast<index_t>(pair / N);
      index_t dof[N];
      double k[N];
      load += loop.row(e, static_cast<int>(pair - static_cast<offset_t>(e) * N), dof, k);
      for (int b = 0; b < N; ++b)
        if (loop.is_free(dof[b]))
          values(find_column(columns, begin, end, dof[b])) += k[b];
    }
    rhs(row) = load;
  }
};

/// Values and load of each regular row from its list and its columns, the element rows recomputed. A row's list is
/// ordered in scratch memory; rows of more pairs or columns than that holds are left to `Fallback` (MergeRows). Of the
/// teams whose rows have more than `lower` entries; only the last launch has those of more than `max_entries`.
template <class Loop, class Fallback> struct MergeRowsByTeam {
  static constexpr int N = Loop::n_nodes;
  static constexpr int pair_capacity = N == 3 ? 12 : 32;
  using Columns = team_accumulator_t<N>;
  static constexpr bool staged = Columns::in_scratch; ///< columns in scratch memory, too, else in registers
  Fallback fallback;                                  // also holds the arrays
  int lower;
  int max_entries;
  bool is_last;
  bool with_images; ///< nodes of several points may have one unknown (periodic sides)

  std::size_t scratch_bytes() const {
    return sizeof(offset_t) * pair_capacity * rows_per_team<N> +
           (sizeof(double) + (staged ? sizeof(index_t) : 0)) * max_entries + 64;
  }
  void fit_scratch() {
    int none = 0;
    fit_team_scratch(*this, max_entries, none);
  }

  template <class Block> KOKKOS_FUNCTION void operator()(const Block& block) const {
    const Loop& loop = fallback.loop;
    const offset_t first_entry = fallback.offsets(block.first);
    const offset_t n_entries = fallback.offsets(block.end) - first_entry;
    if (n_entries <= lower || n_entries > max_entries) {
      if (is_last && n_entries > max_entries)
        for (index_t row = block.first + block.rank; row < block.end; row += block.size)
          merge_in_list(row);
      return;
    }
    double* team_sums = block.template scratch<double>(max_entries);
    offset_t* pair = block.template scratch<offset_t>(pair_capacity * block.size) + block.rank; // strided
    index_t* team_columns = staged ? block.template scratch<index_t>(max_entries) : nullptr;
    block.fill(team_sums, 0., static_cast<int>(n_entries));
    if (staged)
      block.copy(team_columns, fallback.columns.data() + first_entry, static_cast<int>(n_entries));
    block.barrier();
    for (index_t row = block.first + block.rank; row < block.end; row += block.size) {
      const offset_t begin = fallback.offsets(row);
      const int count = static_cast<int>(fallback.offsets(row + 1) - begin);
      double* sum = team_sums + (begin - first_entry);
      const int n_pairs = count <= Columns::capacity ? ordered_pairs(row, pair, block.size) : pair_capacity + 1;
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
        const offset_t own = pair[s * block.size];
        const index_t e = static_cast<index_t>(own / N);
        index_t dof[N];
        double k[N];
        if constexpr (Loop::has_node_rows) {
          index_t n[N - 1];
          for (int b = 0; b < N - 1; ++b)
            n[b] = others[b];
          if (s + 1 < n_pairs)
            loop.other_nodes(pair[(s + 1) * block.size], others);
          if (with_images)
            point = own_point(own);
          load += loop.row(e, row, point, n, dof, k);
        } else {
          load += loop.row(e, static_cast<int>(own - static_cast<offset_t>(e) * N), dof, k);
        }
        for (int b = 0; b < N; ++b)
          if (dof[b] == row)
            diagonal += k[b];
          else if (loop.is_free(dof[b]))
            sum[columns.place_of(dof[b])] += k[b];
      }
      if (count > 0)
        sum[columns.place_of(row)] = diagonal;
      fallback.rhs(row) = load;
    }
    block.barrier();
    block.copy(fallback.values.data() + first_entry, team_sums, static_cast<int>(n_entries));
  }

  using OwnPoint = fe::Point<Loop::form_type::dimension>;
  KOKKOS_FUNCTION OwnPoint own_point(offset_t pair) const {
    if constexpr (Loop::has_node_rows) {
      const auto& form = fallback.loop.form;
      const index_t e = static_cast<index_t>(pair / N);
      const index_t node = form.node(e, static_cast<int>(pair - static_cast<offset_t>(e) * N));
      return fe::point_at<Loop::form_type::dimension>(form.coordinates.data(), node);
    } else {
      return OwnPoint();
    }
  }

  KOKKOS_FUNCTION void merge_in_list(index_t row) const {
    fallback.incidence.head(row) = sort_list(fallback.incidence.link, fallback.incidence.head(row), AscendingPairs{});
    fallback(row);
  }

  /// Puts the row's pairs in ascending order; returns their number, or more than fit. Lists were pushed at their heads,
  /// so most of them descend.
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
