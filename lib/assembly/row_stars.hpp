// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_ASSEMBLY_ROW_STARS_HPP
#define TESSERA_ASSEMBLY_ROW_STARS_HPP

/// \file
/// Values of rows from their stars (the elements around a node), on devices, for forms whose rows follow from region
/// and vertices (Form::has_vertex_rows).
///
/// All nodes of a row's elements are columns of the row, or fixed: its tail. So a slot needs no number of an element to
/// lead to its vertices: the places of its nodes among columns and tail, which say where its entries go, say as well
/// where its vertices are. A team reads the numbers of its rows' columns once, side by side into scratch memory, and
/// per slot one to three words of places with the region. Connectivity, dof map and slots are not read at all; a row of
/// a P1 triangle mesh has 7 points instead of 18.
///
/// Rows with shared unknowns in their elements have no words (no_words) and take the general way; so does every row
/// where several nodes have one unknown (periodic sides).

#include "assembly/row_blocks.hpp"
#include "fe/function_space.hpp"
#include "graph/adjacency.hpp"
#include "linalg/crs_matrix.hpp"

namespace tessera::assembly::detail {

/// Words of a slot, in the order of Form::row_nodes without the row's own node: a byte for each place; then, in the
/// last word, the region (tetrahedra of order 1: the last byte; else the upper half, and in order 2 byte 1 tells the
/// row of an edge's node).
template <class Loop> struct StarWords {
  static constexpr int N = Loop::n_nodes;
  static constexpr int n_vertices = Loop::form_type::n_vertices;
  static constexpr int n_words = place_words<N>;
  static constexpr int region_shift = N == 4 ? 24 : 16;
  static constexpr index_t max_regions = N == 4 ? 256 : 65536;
  static constexpr bool with_tails = true;
  static constexpr int max_places = no_place; ///< longer rows have no words
  static constexpr place_word_t edge_bit = 1u << 8;

  template <class PlaceOf>
  KOKKOS_FUNCTION static bool write(const Loop& loop, index_t e, int a, const PlaceOf& place_of, place_word_t* to) {
    index_t n[N];
    loop.form.row_nodes(e, a, n);
    const int own = a < n_vertices ? 0 : n_vertices;
    place_word_t word[n_words];
    for (int w = 0; w < n_words; ++w)
      word[w] = 0;
    for (int b = 0; b < N; ++b) {
      if (b == own)
        continue;
      const index_t dof = loop.node_dof(n[b]);
      if (loop.is_free(dof) && !loop.is_plain(dof))
        return false;
      const int i = b < own ? b : b - 1;
      word[i / 4] |= static_cast<place_word_t>(place_of(dof)) << (8 * (i % 4));
    }
    word[n_words - 1] |= static_cast<place_word_t>(loop.form.regions(e)) << region_shift;
    if (N > n_vertices && own != 0)
      word[n_words - 1] |= edge_bit;
    for (int w = 0; w < n_words; ++w)
      to[w] = word[w];
    return true;
  }

  KOKKOS_FUNCTION static int place(const place_word_t (&word)[n_words], int i) {
    return static_cast<int>((word[i / 4] >> (8 * (i % 4))) & 0xffu);
  }
  KOKKOS_FUNCTION static group_t region(const place_word_t (&word)[n_words]) {
    return static_cast<group_t>(word[n_words - 1] >> region_shift);
  }
  KOKKOS_FUNCTION static bool is_edge(const place_word_t (&word)[n_words]) {
    return N > n_vertices && (word[n_words - 1] & edge_bit) != 0;
  }
};

/// Scratch memory of a team: sums, numbers of columns and tails, words of slots. Coordinates would take six times the
/// numbers and halve the threads: on an H200, 12.6 M tetrahedra of order 1, 0.88 ms with them and 0.63 without.
template <class Loop> struct StarScratch {
  static constexpr int slot_bytes = sizeof(place_word_t) * StarWords<Loop>::n_words;
  static constexpr int number_bytes = sizeof(index_t);
  static constexpr int slack = 64; ///< alignment of the parts

  KOKKOS_FUNCTION static std::int64_t bytes(std::int64_t n_entries, std::int64_t n_tails, std::int64_t n_slots) {
    return 8 * n_entries + number_bytes * (n_entries + n_tails) + slot_bytes * n_slots;
  }
};

/// Values and load of each plain row with words, of the teams that need more than `lower` and at most `upper` bytes of
/// scratch memory; the last launch has the teams beyond, too. `Fallback` (GatherRowBlocks) does what has no words or
/// does not fit, and holds the arrays.
template <class Loop> struct GatherStarBlocks {
  using Words = StarWords<Loop>;
  using Scratch = StarScratch<Loop>;
  using Form = typename Loop::form_type;
  using Space = typename Loop::memory_space;
  using Point = fe::Point<Form::dimension>;
  static constexpr int N = Loop::n_nodes;
  static constexpr int n_vertices = Form::n_vertices;
  static constexpr int dim = Form::dimension;
  static constexpr int n_words = Words::n_words;
  /// The next slot is read before one is added: pays where a slot has much to wait for and registers are left. On an
  /// H200, 0.71 to 0.63 ms for 12.6 M tetrahedra of order 1, but 1.53 to 1.65 for 50 M triangles.
  static constexpr bool reads_ahead = N == 4;
  GatherRowBlocks<Loop> fallback;
  ConstArray<const double*, Space> dof_coordinates; ///< [n_free + n_fixed][dim]
  ConstArray<const place_t*, Space> own_places;     ///< [n_plain]
  ConstArray<const offset_t*, Space> tail_offsets;  ///< may be empty
  ConstArray<const index_t*, Space> tails;
  int lower;
  int upper;
  bool is_last;

  GatherStarBlocks(const GatherRowBlocks<Loop>& fallback_in, const RowPlaces<Space>& places, int lower_in, int upper_in,
                   bool is_last_in)
      : fallback(fallback_in), dof_coordinates(places.dof_coordinates), own_places(places.own_places),
        tail_offsets(places.tail_offsets), tails(places.tails), lower(lower_in), upper(upper_in), is_last(is_last_in) {}

  template <class Block> KOKKOS_FUNCTION void operator()(const Block& block) const {
    const bool with_tails = tail_offsets.extent(0) > 0;
    const offset_t first_entry = fallback.offsets(block.first);
    const offset_t first_slot = fallback.slots.offsets(block.first);
    const offset_t first_tail = with_tails ? tail_offsets(block.first) : 0;
    const int n_entries = static_cast<int>(fallback.offsets(block.end) - first_entry);
    const int n_slots = static_cast<int>(fallback.slots.offsets(block.end) - first_slot);
    const int n_tails = with_tails ? static_cast<int>(tail_offsets(block.end) - first_tail) : 0;
    const std::int64_t bytes = Scratch::bytes(n_entries, n_tails, n_slots);
    if (bytes <= lower || bytes > upper) {
      if (is_last && bytes > upper)
        for (index_t row = block.first + block.rank; row < block.end; row += block.size)
          fallback.search_row(row);
      return;
    }
    double* sums = block.template scratch<double>(n_entries);
    index_t* numbers = block.template scratch<index_t>(n_entries + n_tails);
    place_word_t* words = block.template scratch<place_word_t>(n_slots * n_words);
    block.copy(words, fallback.places.data() + static_cast<std::int64_t>(first_slot) * n_words, n_slots * n_words);
    const auto dof_at = [&](int i) {
      return i < n_entries ? fallback.columns(first_entry + i) : tails(first_tail + (i - n_entries));
    };
    block.batched(n_entries + n_tails, dof_at, [&](int i, index_t dof) { numbers[i] = dof; });
    block.fill(sums, 0., n_entries);
    block.barrier();
    for (index_t row = block.first + block.rank; row < block.end; row += block.size) {
      const offset_t begin = fallback.offsets(row);
      Star star;
      star.first = static_cast<int>(begin - first_entry);
      star.n_columns = static_cast<int>(fallback.offsets(row + 1) - begin);
      star.first_tail = n_entries + (with_tails ? static_cast<int>(tail_offsets(row) - first_tail) : 0);
      star.sums = sums + star.first;
      star.numbers = numbers;
      star.words = words;
      star.first_slot = static_cast<int>(fallback.slots.offsets(row) - first_slot);
      star.last_slot = static_cast<int>(fallback.slots.offsets(row + 1) - first_slot);
      const bool has_slots = star.first_slot < star.last_slot;
      if (has_slots && words[star.first_slot * n_words] == no_words) {
        fallback.search_row(row);
        for (int i = 0; i < star.n_columns; ++i)
          star.sums[i] = fallback.values(begin + i);
        continue;
      }
      const Point own_point = coordinates(row);
      double diagonal = 0.;
      if (is_edge_row(star))
        fallback.rhs(row) = sum_edge_star(star, row, own_point, diagonal);
      else
        fallback.rhs(row) = sum_star<true>(star, row, own_point, diagonal);
      if (has_slots)
        star.sums[own_places(row)] = diagonal;
    }
    block.barrier();
    block.copy(fallback.values.data() + first_entry, sums, n_entries);
  }

private:
  /// Where a row's parts lie in scratch memory.
  struct Star {
    double* sums;              ///< of the row
    const index_t* numbers;    ///< of the team: columns, then tails
    const place_word_t* words; ///< of the team
    int first;                 ///< of the row's columns
    int n_columns;
    int first_tail;
    int first_slot;
    int last_slot;
    KOKKOS_FUNCTION int at(int place) const {
      return place < n_columns ? first + place : first_tail + (place - n_columns);
    }
  };

  KOKKOS_FUNCTION Point coordinates(index_t dof) const { return fe::point_at<dim>(dof_coordinates.data(), dof); }

  KOKKOS_FUNCTION static void load(const place_word_t* from, int s, place_word_t (&word)[n_words]) {
    for (int w = 0; w < n_words; ++w)
      word[w] = from[s * n_words + w];
  }

  KOKKOS_FUNCTION static bool is_edge_row(const Star& star) {
    if (N == n_vertices || star.first_slot == star.last_slot)
      return false;
    place_word_t own[n_words];
    load(star.words, star.first_slot, own);
    return Words::is_edge(own);
  }
  KOKKOS_FUNCTION double sum_edge_star(const Star& star, index_t row, const Point& own_point, double& diagonal) const {
    if constexpr (N > n_vertices)
      return sum_star<false>(star, row, own_point, diagonal);
    else
      return 0.;
  }

  /// What a row's slot reads.
  template <bool AtVertex> struct Slot {
    place_word_t word[n_words];
    double p[n_vertices][dim];

    KOKKOS_FUNCTION void load(const GatherStarBlocks& blocks, const Star& star, int s, const Point& own_point) {
      GatherStarBlocks::load(star.words, s, word);
      TESSERA_UNROLL
      for (int v = 0; v < n_vertices; ++v) {
        Point point = own_point;
        if (!AtVertex || v != 0) {
          point = blocks.coordinates(star.numbers[star.at(Words::place(word, AtVertex ? v - 1 : v))]);
        }
        for (int d = 0; d < dim; ++d)
          p[v][d] = point.x[d];
      }
    }
  };

  /// Adds the row's slots to its sums and its own entry; returns the load.
  template <bool AtVertex>
  KOKKOS_FUNCTION double sum_star(const Star& star, index_t row, const Point& own_point, double& diagonal) const {
    constexpr int own = AtVertex ? 0 : n_vertices;
    double load_sum = 0.;
    Slot<AtVertex> next;
    if (reads_ahead && star.first_slot < star.last_slot)
      next.load(*this, star, star.first_slot, own_point);
    for (int s = star.first_slot; s < star.last_slot; ++s) {
      Slot<AtVertex> slot;
      if constexpr (reads_ahead) {
        slot = next;
        next.load(*this, star, s + 1 < star.last_slot ? s + 1 : s, own_point);
      } else {
        slot.load(*this, star, s, own_point);
      }
      double k[N];
      double slot_load = fallback.loop.form.template vertex_row<AtVertex>(Words::region(slot.word), slot.p, k);
      diagonal += k[own];
      TESSERA_UNROLL
      for (int b = 0; b < N; ++b) {
        if (b == own)
          continue;
        const int place = Words::place(slot.word, b < own ? b : b - 1);
        if (place < star.n_columns)
          star.sums[place] += k[b];
        else
          slot_load -= k[b] * fixed_value(row, place - star.n_columns);
      }
      load_sum += slot_load;
    }
    return load_sum;
  }

  KOKKOS_FUNCTION double fixed_value(index_t row, int i) const {
    return fallback.loop.fixed_values(tails(tail_offsets(row) + i) - fallback.loop.n_free);
  }
};

/// The largest need of scratch memory of any team.
template <class Loop> struct LargestStarScratch {
  using Space = typename Loop::memory_space;
  static constexpr int rows = rows_per_team<Loop::n_nodes>;
  ConstArray<const offset_t*, Space> offsets;
  ConstArray<const offset_t*, Space> slot_offsets;
  ConstArray<const offset_t*, Space> tail_offsets; // may be empty
  index_t n_rows;
  KOKKOS_FUNCTION void operator()(index_t block, std::int64_t& largest) const {
    const index_t first = block * rows;
    const index_t end = n_rows - first > rows ? first + rows : n_rows;
    const std::int64_t bytes = StarScratch<Loop>::bytes(
        offsets(end) - offsets(first), tail_offsets.extent(0) > 0 ? tail_offsets(end) - tail_offsets(first) : 0,
        slot_offsets(end) - slot_offsets(first));
    largest = bytes > largest ? bytes : largest;
  }
};

/// The scratch memory of the launches of GatherStarBlocks. `everything_fits` tells that no team is left to the
/// fallback. Waits.
template <class ExecutionSpace, class Loop>
std::vector<int> star_scratch(const ExecutionSpace& exec, const Loop& loop,
                              const linalg::CrsMatrix<typename ExecutionSpace::memory_space>& matrix,
                              const graph::RowSlots<typename ExecutionSpace::memory_space>& slots,
                              const RowPlaces<typename ExecutionSpace::memory_space>& places, bool& everything_fits) {
  using Largest = LargestStarScratch<Loop>;
  const index_t n_blocks = (loop.n_plain - 1) / Largest::rows + 1;
  std::int64_t largest = 0;
  Kokkos::parallel_reduce("tessera::assembly::largest_star_scratch",
                          Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<index_t>>(exec, 0, n_blocks),
                          Largest{matrix.offsets, slots.offsets, places.tail_offsets, loop.n_plain},
                          Kokkos::Max<std::int64_t>(largest));
  exec.fence();
  const auto bound = static_cast<std::int64_t>(max_team_scratch - StarScratch<Loop>::slack);
  everything_fits = largest <= bound;
  const std::int64_t all =
      StarScratch<Loop>::bytes(matrix.n_entries(), static_cast<std::int64_t>(places.tails.extent(0)),
                               static_cast<std::int64_t>(slots.slots.extent(0)));
  return scratch_of_launches(largest < bound ? largest : bound, static_cast<double>(all) / n_blocks);
}

template <class Space, int Dim> struct CopyDofCoordinates {
  ConstArray<const index_t*, Space> node_dof;
  ConstArray<const double* [Dim], Space> coordinates;
  Array<double*, Space> dof_coordinates;
  KOKKOS_FUNCTION void operator()(index_t node) const {
    const std::int64_t dof = node_dof(node);
    for (int d = 0; d < Dim; ++d)
      dof_coordinates(dof * Dim + d) = coordinates(node, d);
  }
};

/// True if rows of this form on these unknowns can have words.
template <class Loop> bool has_stars(const Loop& loop, const fe::DofMap<typename Loop::memory_space>& dofs) {
  if constexpr (Loop::on_host || !Loop::form_type::has_vertex_rows) {
    (void)loop;
    (void)dofs;
    return false;
  } else {
    return dofs.node_source.extent(0) == 0 && dofs.n_plain > 0 &&
           static_cast<index_t>(loop.form.coefficient.extent(0)) <= StarWords<Loop>::max_regions;
  }
}

/// Coordinates by unknown and, from n_free on, fixed node; those of shared unknowns mean nothing.
template <class ExecutionSpace, class Loop>
Array<double*, ExecutionSpace> dof_coordinates(const ExecutionSpace& exec, const Loop& loop) {
  constexpr int dim = Loop::form_type::dimension;
  auto result = make_array<Array<double*, ExecutionSpace>>(
      exec, "assembly::dof_coordinates", (static_cast<std::size_t>(loop.n_free) + loop.fixed_values.extent(0)) * dim);
  for_each("tessera::assembly::copy_dof_coordinates", exec, static_cast<std::int64_t>(loop.node_dof.extent(0)),
           CopyDofCoordinates<typename Loop::memory_space, dim>{loop.node_dof, loop.form.coordinates, result});
  return result;
}

} // namespace tessera::assembly::detail

#endif
