// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_ASSEMBLY_ROWS_LOCAL_INDICES_HPP
#define TESSERA_ASSEMBLY_ROWS_LOCAL_INDICES_HPP

/// \file
/// Local column indices: for every pair of an element and a node the positions of the element's columns in the row of
/// the node, so that numeric assembly needs no search.

#include "assembly/rows/incidence.hpp"

#include <type_traits>

namespace tessera::assembly::detail {

/// Index of a column in its row, for rows short enough for a byte.
using local_index_t = std::uint8_t;
constexpr local_index_t no_local_index = 0xff; ///< fixed node

/// Indices of a pair's columns in the order of Form::row_nodes: single threads read them byte by byte, teams four to a
/// word.
template <class Loop> struct PackedIndices {
  static constexpr int N = Loop::n_nodes;
  static constexpr int per_word = Loop::on_host ? 1 : 4;
  static constexpr int n_words = (N + per_word - 1) / per_word;
  using word_t = std::conditional_t<Loop::on_host, local_index_t, std::uint32_t>;

  /// Writes the words of one pair; index_of(dof) is the index of a free unknown.
  template <class IndexOf>
  KOKKOS_FUNCTION static void write(const Loop& loop, index_t e, int a, const IndexOf& index_of, word_t* to) {
    index_t n[N];
    loop.row_nodes(e, a, n);
    for (int w = 0; w < n_words; ++w) {
      std::uint32_t word = 0;
      for (int b = per_word * w; b < N && b < per_word * w + per_word; ++b) {
        const index_t dof = loop.dof_of_node(n[b]);
        const int index = loop.is_free(dof) ? index_of(dof) : no_local_index;
        word |= static_cast<std::uint32_t>(index) << (8 * (b - per_word * w));
      }
      to[w] = static_cast<word_t>(word);
    }
  }
  /// The index of column b of a pair from its word.
  KOKKOS_FUNCTION static int index(word_t word, int b) {
    return static_cast<int>((static_cast<std::uint32_t>(word) >> (8 * (b % per_word))) & 0xffu);
  }
};

/// The indices of all regular rows' pairs.
template <class Loop> struct LocalIndices {
  using Word = typename PackedIndices<Loop>::word_t;
  Array<Word*, typename Loop::memory_space> words; ///< [n_pairs][PackedIndices::n_words]
  int max_entries = 0;                             ///< devices: in the rows of one team
  int max_pairs = 0;

  double n_bytes() const { return sizeof(Word) * static_cast<double>(words.extent(0)); }
};

/// Makes the words of every pair while the pattern is filled (linalg/pattern/crs_pattern.hpp).
template <class Loop> struct LocalIndexItems {
  using Space = typename Loop::memory_space;
  using Word = typename PackedIndices<Loop>::word_t;
  static constexpr int n_words = PackedIndices<Loop>::n_words;
  Loop loop;
  CrsIncidence<Space> incidence;
  Array<Word*, Space> words;
  int max_items; ///< pairs of one team's rows in scratch memory

  KOKKOS_FUNCTION offset_t first(index_t row) const { return incidence.offsets(row); }
  template <class IndexOf>
  KOKKOS_FUNCTION void write(index_t row, int n_columns, const IndexOf& index_of, Word* to) const {
    if (n_columns > no_local_index)
      return;
    for (offset_t c = incidence.first(row); incidence.more(row, c); c = incidence.next(c), to += n_words) {
      const graph::LocalNode own = graph::local_node<Loop::n_nodes>(incidence.pair(c));
      PackedIndices<Loop>::write(loop, own.element, own.a, index_of, to);
    }
  }
};

} // namespace tessera::assembly::detail

#endif
