// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/kokkos_ext/device/free_memory.hpp"
#include "core/tagged_loop.hpp"
#include "graph/colouring/node_claims.hpp"
#include "graph/colouring/node_masks.hpp"

#include <limits>

namespace tessera::graph::detail {

namespace {

constexpr color_t undecided = std::numeric_limits<color_t>::max();

/// One-to-one hash of 32 bits, so that no two elements have the same priority.
KOKKOS_INLINE_FUNCTION std::uint32_t mixed(std::uint32_t x) {
  x ^= x >> 16;
  x *= 0x7feb352du;
  x ^= x >> 15;
  x *= 0x846ca68bu;
  return x ^ (x >> 16);
}

/// The kernels of a round. Masks are changed in Decide only and read in Propose only, so that what an element reads
/// does not depend on the order of threads.
template <class ExecutionSpace, class Word> struct ClaimRounds {
  using Masks = NodeMasks<Word, ExecutionSpace>;

  Array<const index_t*, ExecutionSpace> element_nodes;
  int n_element_nodes;
  int palette;
  int round;
  Masks masks;
  int n_columns;                                // number of colours in the table of claims
  Array<std::uint32_t*, ExecutionSpace> claims; // [n_nodes * n_columns]: highest priority
  Array<color_t*, ExecutionSpace> colors;       // `undecided` for undecided elements
  Array<color_t*, ExecutionSpace> proposals;    // of the active elements
  Array<index_t*, ExecutionSpace> active;       // elements without a colour
  Array<index_t*, ExecutionSpace> next_active;
  bool is_first; // all elements are active

  struct Propose {};
  struct Decide {};
  struct Compact {};

  KOKKOS_FUNCTION index_t element_at(index_t i) const { return is_first ? i : active(i); }
  KOKKOS_FUNCTION const index_t* nodes_of(index_t element) const {
    return element_nodes.data() + static_cast<std::int64_t>(element) * n_element_nodes;
  }
  KOKKOS_FUNCTION std::uint32_t& claim_at(index_t node, int color) const {
    return claims(static_cast<std::int64_t>(node) * n_columns + color);
  }

  // `failures` counts elements whose colours are all taken.
  KOKKOS_FUNCTION void operator()(Propose, index_t i, index_t& failures) const {
    const index_t element = element_at(i);
    const index_t* nodes = nodes_of(element);
    const std::uint32_t priority = mixed(static_cast<std::uint32_t>(element));
    const std::uint32_t hash = mixed(static_cast<std::uint32_t>(element) + 0x9e3779b9u * round);
    const int start = round == 0 ? first_color(element, palette) : scaled_hash(hash, palette);
    const int color = masks.free_color(nodes, n_element_nodes, palette, start);
    if (color == no_color || color >= n_columns) {
      ++failures;
      return;
    }
    proposals(i) = static_cast<color_t>(color);
    for (int a = 0; a < n_element_nodes; ++a)
      Kokkos::atomic_fetch_max(&claim_at(nodes[a], color), priority);
  }

  KOKKOS_FUNCTION void operator()(Decide, index_t i) const {
    const index_t element = element_at(i);
    const index_t* nodes = nodes_of(element);
    const std::uint32_t priority = mixed(static_cast<std::uint32_t>(element));
    const int color = proposals(i);
    bool wins = true;
    for (int a = 0; a < n_element_nodes; ++a)
      wins = wins && claim_at(nodes[a], color) == priority;
    colors(element) = wins ? static_cast<color_t>(color) : undecided;
    if (wins)
      for (int a = 0; a < n_element_nodes; ++a)
        fetch_or<ExecutionSpace>(masks.word_of(nodes[a], color), Masks::bit_of(color));
  }

  // Losers erase their claims (winners' claims can stay: nobody will propose their colour there again) and remain
  // active.
  KOKKOS_FUNCTION void operator()(Compact, index_t i, index_t& position, bool final_pass) const {
    const index_t element = element_at(i);
    if (colors(element) != undecided)
      return;
    if (final_pass) {
      const index_t* nodes = nodes_of(element);
      const std::uint32_t priority = mixed(static_cast<std::uint32_t>(element));
      for (int a = 0; a < n_element_nodes; ++a)
        if (claim_at(nodes[a], proposals(i)) == priority)
          claim_at(nodes[a], proposals(i)) = 0;
      next_active(position) = element;
    }
    ++position;
  }
};

/// Returns true unless there were too few colours.
template <class Word, class ExecutionSpace>
bool claim_rounds(const ExecutionSpace& exec, const Array<const index_t*, ExecutionSpace>& element_nodes,
                  int nodes_per_element, index_t n_nodes, int n_words, int n_columns,
                  const Array<color_t*, ExecutionSpace>& colors) {
  using Rounds = ClaimRounds<ExecutionSpace, Word>;
  using Index = Kokkos::IndexType<index_t>;
  const index_t n_elements = static_cast<index_t>(colors.extent(0));
  Rounds rounds;
  rounds.element_nodes = element_nodes;
  rounds.n_element_nodes = nodes_per_element;
  rounds.palette = palette_for(nodes_per_element);
  rounds.masks.n_words = n_words;
  rounds.masks.words = make_filled<Array<Word*, ExecutionSpace>>(exec, "graph::node_masks",
                                                                 static_cast<std::size_t>(n_nodes) * n_words, 0);
  rounds.n_columns = n_columns;
  rounds.claims = make_filled<Array<std::uint32_t*, ExecutionSpace>>(exec, "graph::node_claims",
                                                                     static_cast<std::size_t>(n_nodes) * n_columns, 0);
  rounds.colors = colors;
  rounds.proposals = make_array<Array<color_t*, ExecutionSpace>>(exec, "graph::proposals", n_elements);

  index_t n_active = n_elements;
  for (rounds.round = 0; n_active > 0; ++rounds.round) {
    rounds.is_first = rounds.round == 0;
    index_t failures = 0;
    Kokkos::parallel_reduce("tessera::graph::propose_colors",
                            Kokkos::RangePolicy<ExecutionSpace, typename Rounds::Propose, Index>(exec, 0, n_active),
                            rounds, failures);
    exec.fence();
    if (failures > 0)
      return false;
    for_each_tagged<typename Rounds::Decide>("tessera::graph::decide_colors", exec, n_active, rounds);
    rounds.next_active = make_array<Array<index_t*, ExecutionSpace>>(exec, "graph::active_elements", n_active);
    index_t n_left = 0;
    Kokkos::parallel_scan("tessera::graph::undecided_elements",
                          Kokkos::RangePolicy<ExecutionSpace, typename Rounds::Compact, Index>(exec, 0, n_active),
                          rounds, n_left);
    exec.fence();
    rounds.active = rounds.next_active;
    n_active = n_left;
  }
  return true;
}

} // namespace

template <class ExecutionSpace>
ElementColors<ExecutionSpace> claim_colors_in_rounds(const ExecutionSpace& exec,
                                                     const Array<const index_t*, ExecutionSpace>& element_nodes,
                                                     int nodes_per_element, index_t n_nodes) {
  check_claims_arguments(static_cast<std::int64_t>(element_nodes.extent(0)), nodes_per_element);
  auto colors =
      make_array<Array<color_t*, ExecutionSpace>>(exec, "graph::colors", element_nodes.extent(0) / nodes_per_element);
  if (palette_for(nodes_per_element) <= 16)
    for (int n_columns = 16; n_columns <= 32; n_columns *= 2)
      if (claim_rounds<unsigned int>(exec, element_nodes, nodes_per_element, n_nodes, 1, n_columns, colors))
        return {colors, 32};
  for (int n_words = 1; n_words <= max_color_words; n_words *= 4) {
    if (n_words > 1) // masks, and a claim of 4 bytes per colour
      require_mask_memory(free_memory(exec), n_nodes, 64 * n_words, (8. + 4. * 64.) * n_words);
    if (claim_rounds<std::uint64_t>(exec, element_nodes, nodes_per_element, n_nodes, n_words, 64 * n_words, colors))
      return {colors, 64 * n_words};
  }
  throw_too_many_colors();
}

#define TESSERA_INSTANTIATE(Space)                                                                                     \
  template ElementColors<Space> claim_colors_in_rounds<Space>(const Space&, const Array<const index_t*, Space>&, int,  \
                                                              index_t);
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE

} // namespace tessera::graph::detail
