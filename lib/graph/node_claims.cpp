// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "graph/node_claims.hpp"

#include "core/kokkos_ext/compiler.hpp"
#include "core/kokkos_ext/free_memory.hpp"
#include "graph/node_masks.hpp"

namespace tessera::graph::detail {

namespace {

/// `N` nodes per element, or as many as `n_element_nodes` says if N is 0.
template <class ExecutionSpace, class Word, int N> struct ClaimColors {
  using Masks = NodeMasks<Word, ExecutionSpace>;
  static constexpr int capacity = N == 0 ? max_nodes_per_element : N;

  Array<const index_t*, ExecutionSpace> element_nodes;
  int n_element_nodes;
  int palette;
  Masks masks;
  Array<color_t*, ExecutionSpace> colors;
  Array<int*, ExecutionSpace> failed; // [1], set where an element found every colour taken

  KOKKOS_FUNCTION int size() const { return N == 0 ? n_element_nodes : N; }

  /// Takes a colour at all nodes, or at none.
  KOKKOS_FUNCTION bool claim(const index_t (&nodes)[capacity], int color) const {
    const Word bit = Masks::bit_of(color);
    for (int a = 0; a < size(); ++a)
      if ((fetch_or<ExecutionSpace>(masks.word_of(nodes[a], color), bit) & bit) != 0) {
        for (int b = 0; b < a; ++b)
          fetch_and<ExecutionSpace>(masks.word_of(nodes[b], color), static_cast<Word>(~bit));
        return false;
      }
    return true;
  }

  KOKKOS_FUNCTION void operator()(index_t element) const {
    // Ascending nodes: of elements that want the same colour, the one with the highest claim always gets through.
    index_t nodes[capacity];
    for (int a = 0; a < size(); ++a) {
      const index_t node = element_nodes(static_cast<std::int64_t>(element) * size() + a);
      int at = a;
      for (; at > 0 && nodes[at - 1] > node; --at)
        nodes[at] = nodes[at - 1];
      nodes[at] = node;
    }
    const int start = first_color(element, palette);
    int color = masks.free_color(nodes, size(), palette, start);
    while (color != no_color && !claim(nodes, color))
      color = masks.free_color(nodes, size(), palette, start);
    colors(element) = static_cast<color_t>(color != no_color ? color : 0);
    if (color == no_color)
      failed(0) = 1;
  }
};

/// `Items` consecutive elements per thread, for masks of one word: the thread reads the mask of every node of theirs
/// once, chooses colours for all of them, and claims them by one atomic operation per node; none waits for another's
/// answer. Elements that others were faster than then go on by themselves.
template <class ExecutionSpace, class Word, int N, int Items> struct ClaimColorGroups {
  static constexpr int n_slots = N * Items;
  ClaimColors<ExecutionSpace, Word, N> one;
  index_t n_elements;

  KOKKOS_FUNCTION void operator()(index_t group) const {
    const index_t first = group * Items;
    if (n_elements - first < Items) {
      for (index_t element = first; element < n_elements; ++element)
        one(element);
      return;
    }
    index_t node[n_slots];
    Word used[n_slots]; // by elements of others, then by those of the group before
    Word bits[n_slots]; // to be claimed at the slot's node; at its first slot only
    bool is_first[n_slots];
    TESSERA_UNROLL
    for (int s = 0; s < n_slots; ++s)
      node[s] = one.element_nodes(static_cast<std::int64_t>(first) * N + s);
    TESSERA_UNROLL
    for (int s = 0; s < n_slots; ++s) {
      bits[s] = 0;
      is_first[s] = true;
      TESSERA_UNROLL
      for (int t = 0; t < s / N * N; ++t)
        is_first[s] = is_first[s] && node[t] != node[s];
      used[s] = is_first[s] ? load_shared(one.masks.words.data() + node[s]) : 0;
    }
    Word bit[Items];
    TESSERA_UNROLL
    for (int k = 0; k < Items; ++k) {
      Word taken = 0;
      TESSERA_UNROLL
      for (int s = k * N; s < (k + 1) * N; ++s) {
        taken |= used[s];
        TESSERA_UNROLL
        for (int t = 0; t < k * N; ++t)
          taken |= node[t] == node[s] ? used[t] | bits[t] : 0;
      }
      const int color = one.masks.free_color_of(taken, one.palette, first_color(first + k, one.palette));
      bit[k] = color == no_color ? 0 : one.masks.bit_of(color);
      one.colors(first + k) = static_cast<color_t>(color);
      TESSERA_UNROLL
      for (int s = k * N; s < (k + 1) * N; ++s) {
        bits[s] |= is_first[s] ? bit[k] : 0;
        TESSERA_UNROLL
        for (int t = 0; t < k * N; ++t)
          bits[t] |= is_first[t] && node[t] == node[s] ? bit[k] : 0;
      }
    }
    TESSERA_UNROLL
    for (int s = 0; s < n_slots; ++s)
      used[s] = is_first[s] ? fetch_or<ExecutionSpace>(one.masks.words.data() + node[s], bits[s]) : 0;
    TESSERA_UNROLL
    for (int k = 0; k < Items; ++k) {
      Word before = 0; // what its nodes had
      TESSERA_UNROLL
      for (int s = k * N; s < (k + 1) * N; ++s)
        before |= used_at(node, used, s);
      if (bit[k] != 0 && (before & bit[k]) == 0)
        continue;
      TESSERA_UNROLL
      for (int s = k * N; s < (k + 1) * N; ++s)
        if (bit[k] != 0 && (used_at(node, used, s) & bit[k]) == 0)
          fetch_and<ExecutionSpace>(one.masks.words.data() + node[s], static_cast<Word>(~bit[k]));
      one(first + k);
    }
  }

private:
  /// The mask of the slot's node, which its first slot has; the others have zero.
  KOKKOS_FUNCTION static Word used_at(const index_t (&node)[n_slots], const Word (&used)[n_slots], int s) {
    Word result = used[s];
    TESSERA_UNROLL
    for (int t = 0; t < s / N * N; ++t)
      result |= node[t] == node[s] ? used[t] : 0;
    return result;
  }
};

/// True unless the masks were too narrow.
template <class Word, int N, class ExecutionSpace>
bool claim_with(const ExecutionSpace& exec, const Array<const index_t*, ExecutionSpace>& element_nodes,
                int nodes_per_element, index_t n_nodes, int n_words, const Array<color_t*, ExecutionSpace>& colors) {
  ClaimColors<ExecutionSpace, Word, N> claims;
  claims.element_nodes = element_nodes;
  claims.n_element_nodes = nodes_per_element;
  claims.palette = palette_for(nodes_per_element);
  claims.masks.n_words = n_words;
  claims.masks.words = make_filled<Array<Word*, ExecutionSpace>>(exec, "graph::node_masks",
                                                                 static_cast<std::size_t>(n_nodes) * n_words, 0);
  claims.colors = colors;
  claims.failed = make_filled<Array<int*, ExecutionSpace>>(exec, "graph::claims_failed", 1, 0);
  const auto n_elements = static_cast<std::int64_t>(colors.extent(0));
  const char* label = "tessera::graph::claim_colors";
  bool by_groups = false;
  if constexpr (!uses_host_forms<typename ExecutionSpace::memory_space> && N > 0) {
    // On an H200, in ms, with 1, 2, 4 elements: 50 M triangles 1.94, 1.71, 1.95; 12.6 M tetrahedra 1.14, 1.11, 2.1.
    constexpr int items = 2;
    by_groups = n_words == 1;
    if (by_groups)
      for_each(label, exec, (n_elements + items - 1) / items,
               ClaimColorGroups<ExecutionSpace, Word, N, items>{claims, static_cast<index_t>(n_elements)});
  }
  if (!by_groups)
    for_each(label, exec, n_elements, claims);
  return read_entry(exec, claims.failed, 0) == 0;
}

/// Returns the number of colours that the masks hold.
template <int N, class ExecutionSpace>
int claim(const ExecutionSpace& exec, const Array<const index_t*, ExecutionSpace>& element_nodes, int nodes_per_element,
          index_t n_nodes, const Array<color_t*, ExecutionSpace>& colors) {
  if (palette_for(nodes_per_element) <= 16 &&
      claim_with<unsigned int, N>(exec, element_nodes, nodes_per_element, n_nodes, 1, colors))
    return 32;
  for (int n_words = 1; n_words <= max_color_words; n_words *= 4) {
    if (n_words > 1)
      require_mask_memory(free_memory(exec), n_nodes, 64 * n_words, 8. * n_words);
    if (claim_with<unsigned long long, N>(exec, element_nodes, nodes_per_element, n_nodes, n_words, colors))
      return 64 * n_words;
  }
  throw_too_many_colors();
}

} // namespace

// Traffic: the connectivity once, masks written (zero), read and written, colours written.
template <class ExecutionSpace>
ElementColors<ExecutionSpace> claim_colors(const ExecutionSpace& exec,
                                           const Array<const index_t*, ExecutionSpace>& element_nodes,
                                           int nodes_per_element, index_t n_nodes) {
  check_claims_arguments(static_cast<std::int64_t>(element_nodes.extent(0)), nodes_per_element);
  auto colors =
      make_array<Array<color_t*, ExecutionSpace>>(exec, "graph::colors", element_nodes.extent(0) / nodes_per_element);
  switch (nodes_per_element) {
  case 3:
    return {colors, claim<3>(exec, element_nodes, nodes_per_element, n_nodes, colors)};
  case 4:
    return {colors, claim<4>(exec, element_nodes, nodes_per_element, n_nodes, colors)};
  default:
    return {colors, claim<0>(exec, element_nodes, nodes_per_element, n_nodes, colors)};
  }
}

#define TESSERA_INSTANTIATE(Space)                                                                                     \
  template ElementColors<Space> claim_colors<Space>(const Space&, const Array<const index_t*, Space>&, int, index_t);
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE

} // namespace tessera::graph::detail
