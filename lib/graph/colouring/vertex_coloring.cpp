// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "graph/colouring/vertex_coloring.hpp"

#include "core/algorithms/mix_bits.hpp"
#include "core/kokkos_ext/bits.hpp"

#include <utility>

namespace tessera::graph {

namespace {

/// One round. Reads only the colours of the last round, so that the order of threads does not matter.
struct ColorRound {
  const offset_t* offsets;
  const index_t* neighbors;
  const index_t* before; // -1: no colour yet
  index_t* after;

  KOKKOS_FUNCTION void operator()(index_t v, index_t& n_left) const {
    const index_t color = before[v] >= 0 ? before[v] : is_highest(v) ? smallest_free(v) : -1;
    after[v] = color;
    n_left += color < 0 ? 1 : 0;
  }

private:
  KOKKOS_FUNCTION static bool is_above(index_t u, index_t v) {
    const std::uint64_t a = mix_bits(static_cast<std::uint64_t>(u));
    const std::uint64_t b = mix_bits(static_cast<std::uint64_t>(v));
    return a > b || (a == b && u > v);
  }
  KOKKOS_FUNCTION bool is_highest(index_t v) const {
    for (offset_t k = offsets[v]; k < offsets[v + 1]; ++k)
      if (before[neighbors[k]] < 0 && is_above(neighbors[k], v))
        return false;
    return true;
  }
  KOKKOS_FUNCTION index_t smallest_free(index_t v) const {
    for (index_t first = 0;; first += 64) {
      std::uint64_t taken = 0;
      for (offset_t k = offsets[v]; k < offsets[v + 1]; ++k) {
        const index_t color = before[neighbors[k]];
        if (color >= first && color < first + 64)
          taken |= 1ull << (color - first);
      }
      if (~taken != 0)
        return first + lowest_bit(~taken);
    }
  }
};

} // namespace

template <class ExecutionSpace>
Array<index_t*, ExecutionSpace> color_vertices(const ExecutionSpace& exec,
                                               const Array<const offset_t*, ExecutionSpace>& offsets,
                                               const Array<const index_t*, ExecutionSpace>& neighbors) {
  using Colors = Array<index_t*, ExecutionSpace>;
  const index_t n = offsets.extent(0) == 0 ? 0 : static_cast<index_t>(offsets.extent(0)) - 1;
  Colors colors = make_filled<Colors>(exec, "graph::vertex_colors", n, -1);
  Colors next = make_array<Colors>(exec, "graph::next_vertex_colors", n);
  for (index_t n_left = n; n_left > 0;) {
    n_left = 0;
    Kokkos::parallel_reduce("tessera::graph::color_vertices",
                            Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<index_t>>(exec, 0, n),
                            ColorRound{offsets.data(), neighbors.data(), colors.data(), next.data()}, n_left); // waits
    std::swap(colors, next);
  }
  return colors;
}

#define TESSERA_INSTANTIATE(Space)                                                                                     \
  template Array<index_t*, Space> color_vertices(const Space&, const Array<const offset_t*, Space>&,                   \
                                                 const Array<const index_t*, Space>&);
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE

} // namespace tessera::graph
