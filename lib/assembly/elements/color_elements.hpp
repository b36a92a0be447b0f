// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_ASSEMBLY_ELEMENTS_COLOR_ELEMENTS_HPP
#define TESSERA_ASSEMBLY_ELEMENTS_COLOR_ELEMENTS_HPP

#include "assembly/assembler.hpp"
#include "core/keep_alive.hpp"

#include <chrono>

namespace tessera::assembly {

/// Elements by colour, as kernels use them.
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
/// Copies the vertices of each element. Identified vertices (periodic boundaries) get the number of one of them, so
/// that elements conflict through them. No element gets a number twice: where one of its vertices has the number
/// already, further ones of the same class keep their own.
template <class Form> struct CopyVertices {
  static constexpr int n_vertices = Form::dimension + 1;
  ConstArray<const index_t * [Form::n_nodes], typename Form::memory_space> element_nodes;
  ConstArray<const index_t*, typename Form::memory_space> node_source; ///< of the dof map; may be empty
  Array<index_t*, typename Form::memory_space> vertices;
  KOKKOS_FUNCTION void operator()(index_t e) const {
    index_t number[n_vertices];
    for (int a = 0; a < n_vertices; ++a)
      number[a] = element_nodes(e, a);
    for (int a = 0; a < n_vertices && node_source.extent(0) > 0; ++a) {
      const index_t source = node_source(element_nodes(e, a));
      const index_t root = source < 0 ? ~source : source;
      bool is_new = true;
      for (int b = 0; b < n_vertices; ++b)
        is_new = is_new && (b == a || number[b] != root);
      number[a] = is_new ? root : number[a];
    }
    for (int a = 0; a < n_vertices; ++a)
      vertices(static_cast<std::int64_t>(e) * n_vertices + a) = number[a];
  }
};
} // namespace detail

/// Colours the elements of a form by their vertices (who shares an edge shares a vertex), identified ones counting as
/// one, verifies the colours, and fills the summary for the report.
template <class ExecutionSpace, class Form>
ColorClasses<typename ExecutionSpace::memory_space>
color_elements(const ExecutionSpace& exec, const Form& form,
               const fe::DofMap<typename ExecutionSpace::memory_space>& dofs, const AssemblyOptions& options,
               ColoringSummary& summary) {
  using Space = typename ExecutionSpace::memory_space;
  constexpr int n_vertices = Form::dimension + 1;
  const std::int64_t n_entries = static_cast<std::int64_t>(form.n_elements()) * n_vertices;
  Array<const index_t*, Space> vertices(form.element_nodes.data(), n_entries);
  if (Form::n_nodes != n_vertices || dofs.node_source.extent(0) > 0) {
    auto copy = make_array<Array<index_t*, Space>>(exec, "assembly::element_vertices", n_entries);
    for_each("tessera::assembly::copy_vertices", exec, form.n_elements(),
             detail::CopyVertices<Form>{form.element_nodes, dofs.node_source, copy});
    vertices = copy;
  }
  const index_t n_nodes = static_cast<index_t>(form.coordinates.extent(0));
  graph::ColoringOptions coloring_options;
  coloring_options.deterministic = options.reproducible;

  exec.fence();
  const auto start = std::chrono::steady_clock::now();
  const graph::Coloring<Space> coloring =
      graph::color_elements(exec, options.coloring, vertices, n_vertices, n_nodes, coloring_options);
  exec.fence();
  summary.used = true;
  summary.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  summary.method = graph::coloring_method_name(options.coloring);
  summary.n_colors = coloring.n_colors;
  summary.smallest = coloring.smallest_class();
  summary.mean = coloring.mean_class();
  summary.largest = coloring.largest_class();
  graph::verify_coloring(exec, coloring, vertices, n_vertices, n_nodes);
  keep_alive(exec, vertices, coloring);
  return {coloring.elements, coloring.color_offsets};
}

} // namespace tessera::assembly

#endif
