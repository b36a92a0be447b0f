// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "graph/colouring/host_coloring.hpp"

#include "core/available_memory.hpp"
#include "core/error.hpp"
#include "core/kokkos_ext/bits.hpp"
#include "graph/colouring/node_masks.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace tessera::graph::detail {

namespace {

color_t checked_color(std::int64_t color) {
  TESSERA_REQUIRE_KIND(color < std::numeric_limits<color_t>::max(), ErrorKind::resource,
                       "Colouring: more than " << std::numeric_limits<color_t>::max()
                                               << " colours are needed. Use a strategy without colours, such as "
                                                  "row-gather.");
  return static_cast<color_t>(color);
}

/// Elements of each node, in compressed rows.
struct NodeElements {
  std::vector<std::int64_t> offsets;
  std::vector<index_t> elements;

  explicit NodeElements(const HostElements& mesh)
      : offsets(static_cast<std::size_t>(mesh.n_nodes) + 1, 0),
        elements(static_cast<std::size_t>(mesh.n_elements) * mesh.per_element) {
    for (const index_t* node = mesh.nodes; node != mesh.begin(mesh.n_elements); ++node)
      ++offsets[*node + 1];
    std::partial_sum(offsets.begin(), offsets.end(), offsets.begin());
    std::vector<std::int64_t> next(offsets.begin(), offsets.end() - 1);
    for (index_t e = 0; e < mesh.n_elements; ++e)
      for (const index_t* node = mesh.begin(e); node != mesh.end(e); ++node)
        elements[next[*node]++] = e;
  }
};

} // namespace

std::vector<color_t> classical_colors(const HostElements& elements) {
  const NodeElements node_elements(elements);
  constexpr color_t none = std::numeric_limits<color_t>::max();
  std::vector<color_t> colors(elements.n_elements, none);
  const auto is_used_nearby = [&](index_t e, color_t color) {
    for (const index_t* node = elements.begin(e); node != elements.end(e); ++node)
      for (std::int64_t k = node_elements.offsets[*node]; k < node_elements.offsets[*node + 1]; ++k)
        if (colors[node_elements.elements[k]] == color)
          return true;
    return false;
  };
  std::vector<index_t> waiting(elements.n_elements);
  std::iota(waiting.begin(), waiting.end(), 0);
  for (std::int64_t number = 0; !waiting.empty(); ++number) {
    const color_t color = checked_color(number);
    std::size_t n_left = 0;
    for (const index_t e : waiting) {
      if (is_used_nearby(e, color))
        waiting[n_left++] = e;
      else
        colors[e] = color;
    }
    waiting.resize(n_left);
  }
  return colors;
}

std::vector<color_t> fast_marked_colors(const HostElements& elements) {
  const NodeElements node_elements(elements);
  std::vector<color_t> colors(elements.n_elements);
  std::vector<index_t> used_by; // [colour]: the last element that found the colour in use
  for (index_t e = 0; e < elements.n_elements; ++e) {
    for (const index_t* node = elements.begin(e); node != elements.end(e); ++node)
      for (std::int64_t k = node_elements.offsets[*node]; k < node_elements.offsets[*node + 1]; ++k) {
        const index_t neighbor = node_elements.elements[k];
        if (neighbor >= e) // the lists ascend; later elements have no colour yet
          break;
        used_by[colors[neighbor]] = e;
      }
    std::size_t color = 0;
    while (color < used_by.size() && used_by[color] == e)
      ++color;
    if (color == used_by.size())
      used_by.push_back(-1);
    colors[e] = checked_color(static_cast<std::int64_t>(color));
  }
  return colors;
}

std::vector<color_t> optimized_fast_marked_colors(const HostElements& elements) {
  std::vector<color_t> colors(elements.n_elements);
  std::size_t n_words = 1;
  std::vector<std::uint64_t> used(elements.n_nodes, 0); // the paper's array A: [node][word]
  for (index_t e = 0; e < elements.n_elements; ++e) {
    std::size_t word = 0;
    std::uint64_t free = 0;
    for (; word < n_words && free == 0; ++word) {
      std::uint64_t taken = 0;
      for (const index_t* node = elements.begin(e); node != elements.end(e); ++node)
        taken |= used[*node * n_words + word];
      free = ~taken;
    }
    if (free == 0) { // double the words of every node
      require_mask_memory(available_host_memory(), elements.n_nodes, static_cast<std::int64_t>(128 * n_words),
                          16. * static_cast<double>(n_words));
      std::vector<std::uint64_t> wider(used.size() * 2, 0);
      for (std::size_t i = 0; i < used.size(); ++i)
        wider[i / n_words * 2 * n_words + i % n_words] = used[i];
      used.swap(wider);
      word = n_words + 1;
      n_words *= 2;
      free = ~0ull;
    }
    const int bit = lowest_bit(free);
    colors[e] = checked_color(static_cast<std::int64_t>(word - 1) * 64 + bit);
    for (const index_t* node = elements.begin(e); node != elements.end(e); ++node)
      used[*node * n_words + word - 1] |= 1ull << bit;
  }
  return colors;
}

} // namespace tessera::graph::detail
