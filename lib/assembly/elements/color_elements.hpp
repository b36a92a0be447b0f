// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_ASSEMBLY_ELEMENTS_COLOR_ELEMENTS_HPP
#define TESSERA_ASSEMBLY_ELEMENTS_COLOR_ELEMENTS_HPP

#include "assembly/assembler.hpp"
#include "assembly/element_loop.hpp"
#include "core/keep_alive.hpp"

#include <chrono>

namespace tessera::assembly {

/// Elements by colour in the form that kernels use.
template <class Space> struct ColorClasses {
  Array<index_t*, Space> elements; ///< by colour; empty: natural order, one class
  std::vector<index_t> offsets;    ///< [n_colors + 1]

  int n_colors() const { return static_cast<int>(offsets.size()) - 1; }
  index_t begin(int color) const { return offsets[color]; }
  index_t size(int color) const { return offsets[color + 1] - offsets[color]; }

  /// All elements in one class, for loops that use atomics.
  static ColorClasses one_class(index_t n_elements) { return {{}, {0, n_elements}}; }
};

namespace detail {
/// Copies the nodes or vertices of each element without orientation. Identified ones (periodic boundaries) get the
/// index of one of them, so that their elements conflict. No element gets an index twice: if one of its nodes already
/// has the index, further nodes of the same class keep their original one.
template <int N, class Space> struct IdentifyNodes {
  Array<const index_t* [N], Space> element_nodes;
  Array<const index_t*, Space> node_source; ///< of the dof map; may be empty
  Array<index_t*, Space> nodes;
  KOKKOS_FUNCTION void operator()(index_t e) const {
    index_t number[N];
    for (int a = 0; a < N; ++a)
      number[a] = fe::node_number(element_nodes(e, a));
    for (int a = 0; a < N && node_source.extent(0) > 0; ++a) {
      const index_t root = fe::node_number(node_source(fe::node_number(element_nodes(e, a))));
      bool is_new = true;
      for (int b = 0; b < N; ++b)
        is_new = is_new && (b == a || number[b] != root);
      number[a] = is_new ? root : number[a];
    }
    for (int a = 0; a < N; ++a)
      nodes(static_cast<std::int64_t>(e) * N + a) = number[a];
  }
};

/// The indices by which elements conflict, [n_elements * per_element].
template <class Space> struct ConflictNodes {
  Array<const index_t*, Space> numbers;
  int per_element;
  index_t n_numbers;
};

template <class ExecutionSpace, int N>
ConflictNodes<typename ExecutionSpace::memory_space>
conflict_nodes(const ExecutionSpace& exec,
               const Array<const index_t* [N], typename ExecutionSpace::memory_space>& element_nodes, index_t n_numbers,
               bool has_orientation, const Array<index_t*, typename ExecutionSpace::memory_space>& node_source) {
  using Space = typename ExecutionSpace::memory_space;
  const auto n_elements = static_cast<index_t>(element_nodes.extent(0));
  const std::int64_t n_entries = static_cast<std::int64_t>(n_elements) * N;
  if (!has_orientation && node_source.extent(0) == 0)
    return {Array<const index_t*, Space>(element_nodes.data(), n_entries), N, n_numbers};
  const auto copy = make_array<Array<index_t*, Space>>(exec, "assembly::conflict_nodes", n_entries);
  for_each("tessera::assembly::identify_nodes", exec, n_elements,
           IdentifyNodes<N, Space>{element_nodes, node_source, copy});
  return {copy, N, n_numbers};
}

/// Uses the vertices if the form has them: elements that share a node of higher order share a vertex. Uses the nodes if
/// nodes other than vertices are identified.
template <class ExecutionSpace, class Loop>
ConflictNodes<typename ExecutionSpace::memory_space>
conflict_nodes(const ExecutionSpace& exec, const Loop& loop,
               const fe::DofMap<typename ExecutionSpace::memory_space>& dofs) {
  using Traits = typename Loop::Traits;
  if constexpr (Traits::has_vertices)
    if (!Traits::has_orientation || dofs.node_source.extent(0) == 0)
      return conflict_nodes<ExecutionSpace, Loop::form_type::dimension + 1>(
          exec, loop.form.element_vertices, static_cast<index_t>(loop.form.coordinates.extent(0)), false,
          dofs.node_source);
  return conflict_nodes<ExecutionSpace, Loop::n_nodes>(exec, loop.form.element_nodes,
                                                       static_cast<index_t>(loop.node_dof.extent(0)),
                                                       Traits::has_orientation, dofs.node_source);
}
} // namespace detail

/// Colours the elements of a loop so that elements of one colour share no unknown, verifies the colours, and fills the
/// summary for the report.
template <class ExecutionSpace, class Loop>
ColorClasses<typename ExecutionSpace::memory_space>
color_elements(const ExecutionSpace& exec, const Loop& loop,
               const fe::DofMap<typename ExecutionSpace::memory_space>& dofs, const AssemblyOptions& options,
               ColoringSummary& summary) {
  using Space = typename ExecutionSpace::memory_space;
  const detail::ConflictNodes<Space> nodes = detail::conflict_nodes(exec, loop, dofs);
  graph::ColoringOptions coloring_options;
  coloring_options.deterministic = options.reproducible;

  exec.fence();
  const auto start = std::chrono::steady_clock::now();
  const graph::Coloring<Space> coloring = graph::color_elements(exec, options.coloring, nodes.numbers,
                                                                nodes.per_element, nodes.n_numbers, coloring_options);
  exec.fence();
  summary.used = true;
  summary.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  summary.method = graph::coloring_method_name(options.coloring);
  summary.n_colors = coloring.n_colors;
  summary.smallest = coloring.smallest_class();
  summary.mean = coloring.mean_class();
  summary.largest = coloring.largest_class();
  graph::verify_coloring(exec, coloring, nodes.numbers, nodes.per_element, nodes.n_numbers);
  if (options.keep_colors) {
    const auto colors = tessera::to_host(exec, coloring.colors);
    summary.colors = std::make_shared<const std::vector<double>>(colors.data(), colors.data() + colors.extent(0));
  }
  keep_alive(exec, nodes, coloring);
  return {coloring.elements, coloring.color_offsets};
}

} // namespace tessera::assembly

#endif
