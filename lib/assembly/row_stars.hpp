// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_ASSEMBLY_ROW_STARS_HPP
#define TESSERA_ASSEMBLY_ROW_STARS_HPP

/// \file
/// Values of rows from their stars (the elements around a node), on devices, for forms whose rows follow from region
/// and vertices (Form::has_vertex_rows).
///
/// All nodes of a row's elements are columns of the row. So a slot needs no number of an element to lead to its
/// vertices: the places of its nodes among the row's columns, which say where its entries go, say as well where its
/// vertices are. A team reads the coordinates of its rows' columns once, side by side into scratch memory, and per slot
/// one to three words of places with the region. Connectivity, dof map and slots are not read at all; a row of a P1
/// triangle mesh gathers 7 points instead of 18.
///
/// Rows with fixed nodes or shared unknowns in their elements have no words (no_words) and take the general way; so
/// does every row where several nodes have one unknown (periodic sides).

#include "assembly/row_blocks.hpp"
#include "fe/function_space.hpp"

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
      if (!loop.is_plain(dof))
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

/// Values and load of each plain row with words; `Fallback` (GatherRowBlocks) does the others and holds the arrays.
template <class Loop> struct GatherStarBlocks {
  using Words = StarWords<Loop>;
  using Form = typename Loop::form_type;
  using Space = typename Loop::memory_space;
  static constexpr int N = Loop::n_nodes;
  static constexpr int n_vertices = Form::n_vertices;
  static constexpr int dim = Form::dimension;
  static constexpr int n_words = Words::n_words;
  static constexpr bool staged = N == n_vertices; ///< every column is a vertex
  GatherRowBlocks<Loop> fallback;
  ConstArray<const double*, Space> dof_coordinates; ///< [n_plain][dim]
  int max_entries;
  int max_slots;

  std::size_t scratch_bytes() const {
    return sizeof(double) * (staged ? 1 + dim : 1) * max_entries + (staged ? 0 : sizeof(index_t) * max_entries) +
           sizeof(place_word_t) * n_words * max_slots + 64;
  }
  void fit_scratch() { fit_team_scratch(*this, max_entries, max_slots); }

  template <class Block> KOKKOS_FUNCTION void operator()(const Block& block) const {
    const offset_t first_entry = fallback.offsets(block.first);
    const offset_t first_slot = fallback.slots.offsets(block.first);
    const int n_entries = static_cast<int>(fallback.offsets(block.end) - first_entry);
    const int n_slots = static_cast<int>(fallback.slots.offsets(block.end) - first_slot);
    if (n_entries > max_entries || n_slots > max_slots) {
      for (index_t row = block.first + block.rank; row < block.end; row += block.size)
        fallback.search_row(row);
      return;
    }
    double* team_sums = block.template scratch<double>(max_entries);
    double* point = staged ? block.template scratch<double>(dim * max_entries) : nullptr; // [dim][max_entries]
    place_word_t* word = block.template scratch<place_word_t>(max_slots * n_words);
    index_t* column = staged ? nullptr : block.template scratch<index_t>(max_entries);
    block.copy(word, fallback.places.data() + first_slot * n_words, n_slots * n_words);
    for (int i = block.rank; i < n_entries; i += block.size) {
      const index_t c = fallback.columns(first_entry + i);
      team_sums[i] = 0.;
      if constexpr (staged) {
        // Columns of shared unknowns have no coordinates; rows with such columns have no words.
        const std::int64_t at = static_cast<std::int64_t>(c < fallback.loop.n_plain ? c : 0) * dim;
        for (int d = 0; d < dim; ++d)
          point[d * max_entries + i] = dof_coordinates.data()[at + d];
      } else {
        column[i] = c;
      }
    }
    block.barrier();
    for (index_t row = block.first + block.rank; row < block.end; row += block.size) {
      const offset_t begin = fallback.offsets(row);
      const offset_t end = fallback.offsets(row + 1);
      const int at = static_cast<int>(begin - first_entry);
      const int s = static_cast<int>(fallback.slots.offsets(row) - first_slot);
      const int last = static_cast<int>(fallback.slots.offsets(row + 1) - first_slot);
      if (s < last && word[s * n_words] == no_words) {
        fallback.search_row(row);
        for (offset_t i = begin; i < end; ++i)
          team_sums[at + i - begin] = fallback.values(i);
        continue;
      }
      bool is_edge = false;
      if (N > n_vertices && s < last) {
        place_word_t own[n_words];
        load(word, s, own);
        is_edge = Words::is_edge(own);
      }
      const Star star{team_sums + at, point == nullptr ? nullptr : point + at,
                      column == nullptr ? nullptr : column + at, word};
      double own_point[dim];
      for (int d = 0; d < dim; ++d)
        own_point[d] = dof_coordinates.data()[static_cast<std::int64_t>(row) * dim + d];
      double diagonal = 0.;
      fallback.rhs(row) = is_edge ? sum_star<false>(star, s, last, own_point, diagonal)
                                  : sum_star<true>(star, s, last, own_point, diagonal);
      const offset_t own = find_column(fallback.columns, begin, end, row);
      if (own >= 0)
        star.sum[own - begin] = diagonal;
    }
    block.barrier();
    block.copy(fallback.values.data() + first_entry, team_sums, n_entries);
  }

private:
  /// Where a row's parts lie in scratch memory.
  struct Star {
    double* sum;
    const double* point;
    const index_t* column;
    const place_word_t* word; ///< of the team
  };

  KOKKOS_FUNCTION static void load(const place_word_t* from, int s, place_word_t (&word)[n_words]) {
    for (int w = 0; w < n_words; ++w)
      word[w] = from[s * n_words + w];
  }

  /// Adds slots [s, last) to the row's sums and its own entry; returns the load.
  template <bool AtVertex>
  KOKKOS_FUNCTION double sum_star(const Star& star, int s, int last, const double (&own_point)[dim],
                                  double& diagonal) const {
    constexpr int own = AtVertex ? 0 : n_vertices;
    double load_sum = 0.;
    for (; s < last; ++s) {
      place_word_t word[n_words];
      load(star.word, s, word);
      double p[n_vertices][dim];
      TESSERA_UNROLL
      for (int v = 0; v < n_vertices; ++v) {
        const int place = AtVertex && v == 0 ? 0 : Words::place(word, AtVertex ? v - 1 : v);
        for (int d = 0; d < dim; ++d)
          if (AtVertex && v == 0)
            p[v][d] = own_point[d];
          else if (staged)
            p[v][d] = star.point[d * max_entries + place];
          else
            p[v][d] = dof_coordinates.data()[static_cast<std::int64_t>(star.column[place]) * dim + d];
      }
      double k[N];
      load_sum += fallback.loop.form.template vertex_row<AtVertex>(Words::region(word), p, k);
      diagonal += k[own];
      TESSERA_UNROLL
      for (int b = 0; b < N; ++b)
        if (b != own)
          star.sum[Words::place(word, b < own ? b : b - 1)] += k[b];
    }
    return load_sum;
  }
};

template <class Space, int Dim> struct CopyDofCoordinates {
  ConstArray<const index_t*, Space> node_dof;
  ConstArray<const double* [Dim], Space> coordinates;
  index_t n_plain;
  Array<double*, Space> dof_coordinates;
  KOKKOS_FUNCTION void operator()(index_t node) const {
    const index_t dof = node_dof(node);
    if (dof < n_plain)
      for (int d = 0; d < Dim; ++d)
        dof_coordinates(static_cast<std::int64_t>(dof) * Dim + d) = coordinates(node, d);
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

/// Coordinates by unknown.
template <class ExecutionSpace, class Loop>
Array<double*, ExecutionSpace> dof_coordinates(const ExecutionSpace& exec, const Loop& loop) {
  constexpr int dim = Loop::form_type::dimension;
  auto result = make_array<Array<double*, ExecutionSpace>>(exec, "assembly::dof_coordinates",
                                                           static_cast<std::size_t>(loop.n_plain) * dim);
  for_each(
      "tessera::assembly::copy_dof_coordinates", exec, static_cast<std::int64_t>(loop.node_dof.extent(0)),
      CopyDofCoordinates<typename Loop::memory_space, dim>{loop.node_dof, loop.form.coordinates, loop.n_plain, result});
  return result;
}

} // namespace tessera::assembly::detail

#endif
