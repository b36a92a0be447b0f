// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "graph/colouring/node_claims.hpp"

#include "core/kokkos_ext/device/free_memory.hpp"
#include "graph/colouring/node_masks.hpp"

namespace tessera::graph::detail {

namespace {

/// `N` nodes per element, or `n_element_nodes` if N is 0.
template <class ExecutionSpace, class Word, int N> struct ClaimColors {
  using Masks = NodeMasks<Word, ExecutionSpace>;
  static constexpr int capacity = N == 0 ? max_nodes_per_element : N;

  Array<const index_t*, ExecutionSpace> element_nodes;
  int n_element_nodes;
  int palette;
  Masks masks;
  Array<color_t*, ExecutionSpace> colors;
  Array<int*, ExecutionSpace> failed; // [1], set if an element found every colour taken

  KOKKOS_FUNCTION int size() const { return N == 0 ? n_element_nodes : N; }

  /// Takes a colour at all nodes or at none.
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
    // Nodes in ascending order: of elements that want the same colour, the one with the highest claim always succeeds.
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
      Kokkos::atomic_exchange(&failed(0), 1); // several threads write the same value
  }
};

/// Returns true unless the masks were too narrow.
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
  for_each("tessera::graph::claim_colors", exec, static_cast<std::int64_t>(colors.extent(0)), claims);
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
    if (claim_with<std::uint64_t, N>(exec, element_nodes, nodes_per_element, n_nodes, n_words, colors))
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
