// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_GRAPH_COLOURING_NODE_MASKS_HPP
#define TESSERA_GRAPH_COLOURING_NODE_MASKS_HPP

/// \file
/// A set of colours per node, and the choice of a free colour.

#include "core/error.hpp"
#include "core/kokkos_ext/bits.hpp"
#include "graph/colouring/coloring.hpp"

namespace tessera::graph::detail {

constexpr int no_color = -1;
constexpr int max_nodes_per_element = 32;
constexpr int max_color_words = 256;

/// The colours of a node in one word of 32 or 64 bits, or in several words.
template <class Word, class Space> struct NodeMasks {
  static constexpr int word_bits = 8 * static_cast<int>(sizeof(Word));
  Array<Word*, Space> words; // [n_nodes * n_words]
  int n_words;

  int n_colors() const { return n_words * word_bits; }

  KOKKOS_FUNCTION Word* word_of(index_t node, int color) const {
    return words.data() + static_cast<std::int64_t>(node) * n_words + color / word_bits;
  }
  KOKKOS_FUNCTION static Word bit_of(int color) { return Word(1) << (color % word_bits); }
  KOKKOS_FUNCTION static int lowest_free(Word used) {
    return static_cast<Word>(~used) != 0 ? lowest_bit(static_cast<Word>(~used)) : no_color;
  }

  /// A colour below n_colors that none of the nodes has: the first one from `start` on, cyclically, below `palette`,
  /// else the smallest. `palette` is at most word_bits. Returns no_color if all are taken.
  KOKKOS_FUNCTION int free_color(const index_t* nodes, int n_element_nodes, int palette, int start) const {
    for (int w = 0; w < n_words; ++w) {
      Word used = 0;
      for (int a = 0; a < n_element_nodes; ++a)
        used |= load_shared(words.data() + static_cast<std::int64_t>(nodes[a]) * n_words + w);
      const int color = w == 0 ? free_color_of(used, palette, start) : lowest_free(used);
      if (color != no_color)
        return w * word_bits + color;
    }
    return no_color;
  }

  /// The same for one word of colours in use.
  KOKKOS_FUNCTION static int free_color_of(Word used, int palette, int start) {
    const Word in_palette = static_cast<Word>(~used) & (static_cast<Word>(~Word(0)) >> (word_bits - palette));
    const Word from_start = in_palette & (static_cast<Word>(~Word(0)) << start);
    if (in_palette != 0)
      return lowest_bit(from_start != 0 ? from_start : in_palette);
    return lowest_free(used);
  }
};

/// Number of colours that most meshes need; a larger palette gives fewer conflicts and smaller classes.
inline int palette_for(int nodes_per_element) { return nodes_per_element == 3 || nodes_per_element == 6 ? 12 : 48; }

/// Scales a hash in [0, 2^32) to [0, n).
KOKKOS_INLINE_FUNCTION int scaled_hash(std::uint32_t hash, int n) {
  return static_cast<int>((static_cast<std::uint64_t>(hash) * static_cast<std::uint64_t>(n)) >> 32);
}

/// The colour that an element tries first. Neighbours in a mesh often have neighbouring indices: within a run of
/// elements the colours are consecutive, so that few neighbours want the same colour; runs start at hashed colours.
KOKKOS_INLINE_FUNCTION int first_color(index_t element, int palette) {
  constexpr index_t run = 512;
  const auto hash = static_cast<std::uint32_t>(element / run) * 2654435761u;
  return (element % run + scaled_hash(hash, palette)) % palette;
}

inline void check_claims_arguments(std::int64_t n_pairs, int nodes_per_element) {
  TESSERA_REQUIRE(
      nodes_per_element >= 1 && nodes_per_element <= max_nodes_per_element && n_pairs % nodes_per_element == 0,
      "Colouring works for 1 to " << max_nodes_per_element << " nodes per element, not " << nodes_per_element << ".");
}

/// All nodes get masks as wide as the node with most elements needs. Throws if the masks do not fit in the `available`
/// memory (bytes; negative: unknown), which happens for a hub of thousands of elements in a large mesh.
inline void require_mask_memory(double available, std::int64_t n_nodes, std::int64_t n_colors, double bytes_per_node) {
  const double needed = static_cast<double>(n_nodes) * bytes_per_node;
  TESSERA_REQUIRE_KIND(available < 0. || needed <= available, ErrorKind::resource,
                       "Colouring: many elements meet at a node. Room for "
                           << n_colors << " colours at each of the " << n_nodes << " nodes takes "
                           << format_bytes(needed) << ", but " << format_bytes(available)
                           << " are free. Use a strategy without colours, such as row-gather.");
}

/// Reports that even the widest masks were full.
[[noreturn]] inline void throw_too_many_colors() {
  tessera::detail::throw_error(ErrorKind::resource, "Colouring: more elements meet at a node than there are colours "
                                                    "(16384). Use a strategy without colours, such as row-gather.");
}

} // namespace tessera::graph::detail

#endif
