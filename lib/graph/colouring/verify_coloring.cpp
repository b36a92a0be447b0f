// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/error.hpp"
#include "core/kokkos_ext/bits.hpp"
#include "core/transfer/upload.hpp"
#include "graph/colouring/coloring.hpp"

namespace tessera::graph {

namespace {

/// Checks that every position holds an element of its colour, in ascending order: with as many positions as elements,
/// each appears once.
template <class Space> struct MisplacedElements {
  Array<const index_t*, Space> elements;
  Array<const color_t*, Space> colors;
  Array<const index_t*, Space> color_offsets;
  int n_colors;
  KOKKOS_FUNCTION void operator()(index_t position, index_t& misplaced) const {
    const index_t element = elements(position);
    if (element < 0 || element >= static_cast<index_t>(colors.extent(0)) || colors(element) >= n_colors) {
      ++misplaced;
      return;
    }
    const index_t begin = color_offsets(colors(element));
    const index_t end = color_offsets(colors(element) + 1);
    if (position < begin || position >= end || (position > begin && elements(position - 1) >= element))
      ++misplaced;
  }
};

/// Each element sets the bit of its colour at its nodes; a bit that is already set is a conflict.
template <class ExecutionSpace> struct CountConflicts {
  static constexpr int word_bits = 32;
  Array<const index_t*, ExecutionSpace> element_nodes;
  int n_element_nodes;
  Array<const color_t*, ExecutionSpace> colors;
  Array<unsigned int*, ExecutionSpace> words; // [n_nodes * n_words]
  int n_words;

  KOKKOS_FUNCTION void operator()(index_t element, std::int64_t& conflicts) const {
    const int color = colors(element);
    const unsigned int bit = 1u << (color % word_bits);
    for (int a = 0; a < n_element_nodes; ++a) {
      const index_t node = element_nodes(static_cast<std::int64_t>(element) * n_element_nodes + a);
      unsigned int* word = words.data() + static_cast<std::int64_t>(node) * n_words + color / word_bits;
      if ((fetch_or<ExecutionSpace>(word, bit) & bit) != 0)
        ++conflicts;
    }
  }
};

/// Reports the first conflict in the order of colours and elements, found on the host.
template <class ExecutionSpace>
[[noreturn]] void name_conflict(const ExecutionSpace& exec,
                                const Coloring<typename ExecutionSpace::memory_space>& coloring,
                                const Array<const index_t*, ExecutionSpace>& element_nodes, int nodes_per_element,
                                index_t n_nodes, std::int64_t n_conflicts) {
  const auto elements = to_host(exec, coloring.elements);
  const auto nodes = to_host(exec, element_nodes);
  std::vector<index_t> taken_by(n_nodes, -1);
  std::vector<int> taken_in(n_nodes, -1);
  for (int c = 0; c < coloring.n_colors; ++c)
    for (index_t k = coloring.color_offsets[c]; k < coloring.color_offsets[c + 1]; ++k)
      for (int a = 0; a < nodes_per_element; ++a) {
        const index_t node = nodes(static_cast<std::int64_t>(elements(k)) * nodes_per_element + a);
        TESSERA_REQUIRE_KIND(taken_in[node] != c, ErrorKind::numerical,
                             "The colouring is wrong: elements "
                                 << taken_by[node] << " and " << elements(k) << " of colour " << c << " share node "
                                 << node << "; there are " << n_conflicts << " such conflicts.");
        taken_in[node] = c;
        taken_by[node] = elements(k);
      }
  tessera::detail::throw_error(ErrorKind::numerical,
                               "The colouring is wrong, and its classes differ from its colours.");
}

} // namespace

template <class ExecutionSpace>
void verify_coloring(const ExecutionSpace& exec, const Coloring<typename ExecutionSpace::memory_space>& coloring,
                     const Array<const index_t*, ExecutionSpace>& element_nodes, int nodes_per_element,
                     index_t n_nodes) {
  using Space = typename ExecutionSpace::memory_space;
  const index_t n = static_cast<index_t>(element_nodes.extent(0) / nodes_per_element);
  TESSERA_REQUIRE(coloring.elements.extent(0) == static_cast<std::size_t>(n) &&
                      coloring.colors.extent(0) == static_cast<std::size_t>(n) &&
                      coloring.color_offsets.size() == static_cast<std::size_t>(coloring.n_colors) + 1 &&
                      coloring.color_offsets.front() == 0 && coloring.color_offsets.back() == n,
                  "A colouring of " << coloring.elements.extent(0) << " elements does not fit a mesh of " << n << ".");
  const Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<index_t>> range(exec, 0, n);

  const auto offsets = uploaded(exec, "graph::color_offsets", coloring.color_offsets);
  index_t misplaced = 0;
  Kokkos::parallel_reduce("tessera::graph::misplaced_elements", range,
                          MisplacedElements<Space>{coloring.elements, coloring.colors, offsets, coloring.n_colors},
                          misplaced);
  exec.fence();
  TESSERA_REQUIRE_KIND(misplaced == 0, ErrorKind::numerical,
                       "The colouring is wrong: " << misplaced << " places of its classes hold an element of another "
                                                  << "colour, or one twice.");

  CountConflicts<ExecutionSpace> count;
  count.element_nodes = element_nodes;
  count.n_element_nodes = nodes_per_element;
  count.colors = coloring.colors;
  count.n_words = (coloring.n_colors + count.word_bits - 1) / count.word_bits;
  count.words = make_filled<Array<unsigned int*, Space>>(exec, "graph::color_masks",
                                                         static_cast<std::size_t>(n_nodes) * count.n_words, 0);
  std::int64_t conflicts = 0;
  Kokkos::parallel_reduce("tessera::graph::count_conflicts", range, count, conflicts);
  exec.fence();
  if (conflicts > 0)
    name_conflict(exec, coloring, element_nodes, nodes_per_element, n_nodes, conflicts);
}

#define TESSERA_INSTANTIATE(Space)                                                                                     \
  template void verify_coloring<Space>(const Space&, const Coloring<Space::memory_space>&,                             \
                                       const Array<const index_t*, Space>&, int, index_t);
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE

} // namespace tessera::graph
