// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "graph/colouring/coloring.hpp"

#include "core/algorithms/scan.hpp"
#include "core/error.hpp"
#include "core/keep_alive.hpp"
#include "core/kokkos_ext/device/graph_color.hpp"
#include "core/tagged_loop.hpp"
#include "core/transfer/upload.hpp"
#include "graph/colouring/conflict_graph.hpp"
#include "graph/colouring/host_coloring.hpp"
#include "graph/colouring/node_claims.hpp"

#include <algorithm>

namespace tessera::graph {

namespace {

/// Stable counting sort of the elements by colour: the range is cut into chunks, counts[colour][chunk] becomes the
/// first position of a chunk's elements of that colour.
template <class Space> struct ColorSort {
  Array<const color_t*, Space> colors;
  Array<index_t*, Space> counts;
  Array<index_t*, Space> elements;
  index_t chunk_size;
  index_t n_chunks;

  struct Count {};
  struct Place {};

  KOKKOS_FUNCTION index_t begin(index_t chunk) const { return chunk * chunk_size; }
  KOKKOS_FUNCTION index_t end(index_t chunk) const {
    const index_t n = static_cast<index_t>(colors.extent(0));
    return n - begin(chunk) < chunk_size ? n : begin(chunk) + chunk_size;
  }
  KOKKOS_FUNCTION index_t& count(color_t color, index_t chunk) const {
    return counts(static_cast<std::int64_t>(color) * n_chunks + chunk);
  }
  KOKKOS_FUNCTION void operator()(Count, index_t chunk) const {
    for (index_t e = begin(chunk); e < end(chunk); ++e)
      ++count(colors(e), chunk);
  }
  KOKKOS_FUNCTION void operator()(Place, index_t chunk) const {
    for (index_t e = begin(chunk); e < end(chunk); ++e)
      elements(count(colors(e), chunk)++) = e;
  }
};

/// End positions of the colours' elements, from the table of chunk positions.
template <class Space> struct GatherEnds {
  Array<const index_t*, Space> offsets;
  Array<index_t*, Space> ends;
  std::int64_t n_chunks;
  KOKKOS_FUNCTION void operator()(std::int64_t color) const { ends(color) = offsets((color + 1) * n_chunks); }
};

template <class Space> struct RenumberColors {
  Array<const color_t*, Space> new_color;
  Array<color_t*, Space> colors;
  KOKKOS_FUNCTION void operator()(index_t element) const { colors(element) = new_color(colors(element)); }
};

/// First position of each colour, and the number of elements, from the scanned table of counts. Waits.
template <class ExecutionSpace, class Space = typename ExecutionSpace::memory_space>
std::vector<index_t> starts_of(const ExecutionSpace& exec, const Array<index_t*, Space>& counts, int n_numbers,
                               index_t n_chunks) {
  const auto ends = make_array<Array<index_t*, Space>>(exec, "graph::color_ends", n_numbers);
  for_each<std::int64_t>("tessera::graph::gather_color_ends", exec, n_numbers,
                         GatherEnds<Space>{counts, ends, n_chunks});
  const auto ends_host = to_host(exec, ends);
  std::vector<index_t> starts(1, 0);
  starts.insert(starts.end(), ends_host.data(), ends_host.data() + n_numbers);
  return starts;
}

/// Sorts the elements by colour; returns the first position of each of `n_numbers` colours. Traffic: the colours twice,
/// the elements once.
template <class ExecutionSpace>
std::vector<index_t> sort_by_color(const ExecutionSpace& exec, const Array<color_t*, ExecutionSpace>& colors,
                                   int n_numbers, const Array<index_t*, ExecutionSpace>& elements) {
  using Space = typename ExecutionSpace::memory_space;
  const index_t n = static_cast<index_t>(colors.extent(0));
  // On devices chunks for about 50 000 threads: longer ones write longer runs of each colour, fewer leave threads idle.
  const index_t smallest_chunk = is_host_space<ExecutionSpace> ? 16384 : std::clamp<index_t>(n / 50'000, 256, 1024);
  // Chunks large enough that the table of counts stays below the size of the colours.
  const index_t chunk_size = std::max<index_t>(smallest_chunk, 4 * n_numbers);
  const index_t n_chunks = n / chunk_size + (n % chunk_size > 0 ? 1 : 0);
  const std::int64_t n_counts = static_cast<std::int64_t>(n_numbers) * n_chunks;
  const auto counts = make_filled<Array<index_t*, Space>>(exec, "graph::color_counts", n_counts + 1, 0);
  const ColorSort<Space> sort{colors, counts, elements, chunk_size, n_chunks};
  for_each_tagged<typename ColorSort<Space>::Count>("tessera::graph::count_colors", exec, n_chunks, sort);
  counts_to_offsets(exec, counts, n_counts, "elements by colour");
  const std::vector<index_t> starts = starts_of(exec, counts, n_numbers, n_chunks);
  for_each_tagged<typename ColorSort<Space>::Place>("tessera::graph::place_colors", exec, n_chunks, sort);
  keep_alive(exec, counts);
  return starts;
}

/// Makes classes from colours; unused colours are removed.
template <class ExecutionSpace>
Coloring<typename ExecutionSpace::memory_space> make_classes(const ExecutionSpace& exec,
                                                             const detail::ElementColors<ExecutionSpace>& numbered) {
  const auto& [colors, n_numbers] = numbered;
  using Space = typename ExecutionSpace::memory_space;
  const index_t n = static_cast<index_t>(colors.extent(0));
  Coloring<Space> result;
  result.colors = colors;
  result.color_offsets = {0};
  result.elements = make_array<Array<index_t*, Space>>(exec, "graph::colored_elements", n);
  if (n == 0)
    return result;
  const std::vector<index_t> starts = sort_by_color(exec, colors, n_numbers, result.elements);

  std::vector<color_t> new_color(n_numbers);
  int n_used = 0; // largest used colour + 1
  for (int c = 0; c < n_numbers; ++c) {
    new_color[c] = static_cast<color_t>(result.n_colors);
    if (starts[c + 1] > starts[c]) {
      result.color_offsets.push_back(starts[c + 1]);
      ++result.n_colors;
      n_used = c + 1;
    }
  }
  if (result.n_colors < n_used) {
    const auto table = uploaded(exec, "graph::new_colors", new_color);
    for_each("tessera::graph::renumber_colors", exec, n, RenumberColors<Space>{table, colors});
    keep_alive(exec, table);
  }
  return result;
}

template <class ExecutionSpace>
detail::ElementColors<ExecutionSpace> colors_on_host(const ExecutionSpace& exec, ColoringMethod method,
                                                     const Array<const index_t*, ExecutionSpace>& element_nodes,
                                                     int nodes_per_element, index_t n_nodes) {
  const auto nodes_host = to_host(exec, element_nodes);
  const detail::HostElements elements{
      nodes_host.data(), static_cast<index_t>(element_nodes.extent(0) / nodes_per_element), nodes_per_element, n_nodes};
  const std::vector<color_t> colors_host = method == ColoringMethod::ccm ? detail::classical_colors(elements)
                                           : method == ColoringMethod::fcm
                                               ? detail::fast_marked_colors(elements)
                                               : detail::optimized_fast_marked_colors(elements);
  const auto colors = uploaded(exec, "graph::colors", colors_host);
  const auto largest = std::max_element(colors_host.begin(), colors_host.end());
  return {colors, largest == colors_host.end() ? 0 : *largest + 1};
}

template <class Space> struct NarrowColors {
  Array<const index_t*, Space> from;
  Array<color_t*, Space> to;
  KOKKOS_FUNCTION void operator()(index_t element, int& largest) const {
    to(element) = static_cast<color_t>(from(element) - 1);
    if (from(element) > largest)
      largest = from(element);
  }
};

template <class ExecutionSpace>
detail::ElementColors<ExecutionSpace> colors_of_graph(const ExecutionSpace& exec,
                                                      const Array<const index_t*, ExecutionSpace>& element_nodes,
                                                      int nodes_per_element, index_t n_nodes) {
  using Space = typename ExecutionSpace::memory_space;
  const index_t n = static_cast<index_t>(element_nodes.extent(0) / nodes_per_element);
  auto colors = make_array<Array<color_t*, Space>>(exec, "graph::colors", n);
  auto numbers = make_array<Array<index_t*, Space>>(exec, "graph::graph_colors", n);
  {
    const auto graph = build_conflict_graph<ExecutionSpace>(exec, element_nodes, nodes_per_element, n_nodes);
    color_graph<ExecutionSpace>(exec, graph.offsets, graph.neighbors, numbers);
    keep_alive(exec, graph);
  }
  int largest = 0;
  Kokkos::parallel_reduce("tessera::graph::narrow_colors",
                          Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<index_t>>(exec, 0, n),
                          NarrowColors<Space>{numbers, colors}, Kokkos::Max<int>(largest));
  exec.fence();
  TESSERA_REQUIRE_KIND(largest < 65536, ErrorKind::resource,
                       "Colouring: " << largest << " colours are more than the 65536 that are supported.");
  return {colors, largest};
}

} // namespace

const char* coloring_method_name(ColoringMethod method) {
  switch (method) {
  case ColoringMethod::ccm:
    return "ccm";
  case ColoringMethod::fcm:
    return "fcm";
  case ColoringMethod::ofcm:
    return "ofcm";
  case ColoringMethod::kokkos_kernels:
    return "kokkos-kernels";
  case ColoringMethod::node_claims:
    return "node-claims";
  }
  return "";
}

template <class MemorySpace> index_t Coloring<MemorySpace>::smallest_class() const {
  index_t smallest = n_colors > 0 ? class_size(0) : 0;
  for (int c = 1; c < n_colors; ++c)
    smallest = std::min(smallest, class_size(c));
  return smallest;
}

template <class MemorySpace> index_t Coloring<MemorySpace>::largest_class() const {
  index_t largest = 0;
  for (int c = 0; c < n_colors; ++c)
    largest = std::max(largest, class_size(c));
  return largest;
}

template <class MemorySpace> double Coloring<MemorySpace>::mean_class() const {
  return n_colors > 0 ? static_cast<double>(color_offsets.back()) / n_colors : 0.;
}

template <class ExecutionSpace>
Coloring<typename ExecutionSpace::memory_space>
color_elements(const ExecutionSpace& exec, ColoringMethod method,
               const Array<const index_t*, ExecutionSpace>& element_nodes, int nodes_per_element, index_t n_nodes,
               const ColoringOptions& options) {
  TESSERA_REQUIRE(nodes_per_element >= 1 && element_nodes.extent(0) % nodes_per_element == 0,
                  "The number of element nodes (" << element_nodes.extent(0)
                                                  << ") is no multiple of the nodes per element (" << nodes_per_element
                                                  << ").");
  switch (method) {
  case ColoringMethod::kokkos_kernels:
    return make_classes(exec, colors_of_graph(exec, element_nodes, nodes_per_element, n_nodes));
  case ColoringMethod::node_claims:
    return make_classes(exec, options.deterministic
                                  ? detail::claim_colors_in_rounds(exec, element_nodes, nodes_per_element, n_nodes)
                                  : detail::claim_colors(exec, element_nodes, nodes_per_element, n_nodes));
  default:
    return make_classes(exec, colors_on_host(exec, method, element_nodes, nodes_per_element, n_nodes));
  }
}

#define TESSERA_INSTANTIATE(Space)                                                                                     \
  template Coloring<Space::memory_space> color_elements<Space>(                                                        \
      const Space&, ColoringMethod, const Array<const index_t*, Space>&, int, index_t, const ColoringOptions&);
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE

template struct Coloring<HostMemory>;
#define TESSERA_INSTANTIATE(Space) template struct Coloring<Space::memory_space>;
TESSERA_FOR_EACH_DEVICE_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE

} // namespace tessera::graph
