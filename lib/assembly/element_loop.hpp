// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_ASSEMBLY_ELEMENT_LOOP_HPP
#define TESSERA_ASSEMBLY_ELEMENT_LOOP_HPP

/// \file
/// One element's contributions in terms of unknowns: where constraints are eliminated, alike for every strategy.

#include "core/kokkos_ext/compiler.hpp"
#include "fe/function_space.hpp"
#include "fe/geometry.hpp"

namespace tessera::assembly {

/// Unknowns of the nodes of each element.
template <int NNodes, class MemorySpace> struct ElementDofs {
  using memory_space = MemorySpace;
  static constexpr int n_nodes = NNodes;
  static constexpr bool on_host = uses_host_forms<MemorySpace>;

  ConstArray<const index_t* [NNodes], MemorySpace> element_nodes;
  ConstArray<const index_t*, MemorySpace> node_dof;
  index_t n_regular; ///< unknowns of one node each, or of images of one; tied unknowns follow
  index_t n_free;

  KOKKOS_FUNCTION index_t n_elements() const { return static_cast<index_t>(element_nodes.extent(0)); }
  KOKKOS_FUNCTION bool is_free(index_t dof) const { return dof < n_free; }
  KOKKOS_FUNCTION bool is_regular(index_t dof) const { return dof < n_regular; }
  KOKKOS_FUNCTION void dofs_of(index_t e, index_t (&dof)[NNodes]) const {
    for (int a = 0; a < NNodes; ++a)
      dof[a] = node_dof(element_nodes.data()[static_cast<std::int64_t>(e) * NNodes + a]);
  }
  KOKKOS_FUNCTION index_t dof_of(index_t e, int a) const {
    return node_dof(element_nodes.data()[static_cast<std::int64_t>(e) * NNodes + a]);
  }
  /// Of the nodes other than a, cyclically.
  KOKKOS_FUNCTION void other_dofs(index_t e, int a, index_t (&dof)[NNodes - 1]) const {
    for (int i = 0; i < NNodes - 1; ++i) {
      const int b = a + 1 + i < NNodes ? a + 1 + i : a + 1 + i - NNodes;
      dof[i] = node_dof(element_nodes.data()[static_cast<std::int64_t>(e) * NNodes + b]);
    }
  }
};

/// A form with its dof map. Fixed values move to the load (f -= K g), so that A stays symmetric; nodes that share an
/// unknown simply name the same dof; signs of antiperiodic nodes are the form's.
template <class Form> struct ElementLoop {
  using form_type = Form;
  using memory_space = typename Form::memory_space;
  static constexpr int n_nodes = Form::n_nodes;
  static constexpr bool on_host = uses_host_forms<memory_space>;

  Form form;
  ConstArray<const index_t*, memory_space> node_dof;
  ConstArray<const double*, memory_space> fixed_values;
  index_t n_regular;
  index_t n_free;

  ElementLoop(const Form& form_in, const fe::DofMap<memory_space>& dofs)
      : form(form_in), node_dof(dofs.node_dof), fixed_values(dofs.fixed_values), n_regular(dofs.n_regular),
        n_free(dofs.n_free) {}

  KOKKOS_FUNCTION index_t n_elements() const { return form.n_elements(); }
  KOKKOS_FUNCTION ElementDofs<n_nodes, memory_space> dofs() const {
    return {form.element_nodes, node_dof, n_regular, n_free};
  }

  KOKKOS_FUNCTION bool is_free(index_t dof) const { return dof < n_free; }
  KOKKOS_FUNCTION bool is_regular(index_t dof) const { return dof < n_regular; }

  /// Element matrix, load with fixed values eliminated, and unknowns (>= n_free: fixed).
  KOKKOS_FUNCTION void system(index_t e, index_t (&dof)[n_nodes], double (&K)[n_nodes][n_nodes],
                              double (&f)[n_nodes]) const {
    index_t n[n_nodes];
    form.nodes(e, n);
    for (int a = 0; a < n_nodes; ++a)
      dof[a] = node_dof(n[a]);
    form.system(e, n, K, f);
    for (int b = 0; b < n_nodes; ++b)
      if (!is_free(dof[b])) {
        const double g = fixed_values(dof[b] - n_free);
        for (int a = 0; a < n_nodes; ++a)
          f[a] -= K[a][b] * g;
      }
  }

  /// Row of local node a: k[b] belongs to unknown dof[b] (local order chosen by the form). Returns its load with fixed
  /// values eliminated.
  KOKKOS_FUNCTION double row(index_t e, int a, index_t (&dof)[n_nodes], double (&k)[n_nodes]) const {
    index_t n[n_nodes];
    double load = form.row(e, a, n, k);
    for (int b = 0; b < n_nodes; ++b) {
      dof[b] = node_dof(n[b]);
      if (!is_free(dof[b]))
        load -= k[b] * fixed_values(dof[b] - n_free);
    }
    return load;
  }

  /// True if element rows follow from the coordinates of the nodes: vertices, of forms with vertex_row().
  static constexpr bool has_node_rows = Form::has_vertex_rows && Form::n_vertices == n_nodes;

  /// The nodes of a pair's element other than the pair's own, in the order of row().
  KOKKOS_FUNCTION void other_nodes(offset_t pair, index_t (&n)[n_nodes - 1]) const {
    const auto e = static_cast<index_t>(pair / n_nodes);
    TESSERA_UNROLL
    for (int b = 1; b < n_nodes; ++b)
      n[b - 1] = form.row_node(e, static_cast<int>(pair - static_cast<offset_t>(e) * n_nodes), b);
  }

  /// row() of a node whose unknown and point are known, like the other nodes: none is read again.
  KOKKOS_FUNCTION double row(index_t e, index_t own, const fe::Point<Form::dimension>& own_point,
                             const index_t (&others)[n_nodes - 1], index_t (&dof)[n_nodes],
                             double (&k)[n_nodes]) const {
    double p[n_nodes][Form::dimension];
    TESSERA_UNROLL
    for (int b = 0; b < n_nodes; ++b) {
      dof[b] = b == 0 ? own : node_dof(others[b - 1]);
      const auto point = b == 0 ? own_point : fe::point_at<Form::dimension>(form.coordinates.data(), others[b - 1]);
      for (int d = 0; d < Form::dimension; ++d)
        p[b][d] = point.x[d];
    }
    double load = form.template vertex_row<true>(form.regions(e), p, k);
    for (int b = 1; b < n_nodes; ++b)
      if (!is_free(dof[b]))
        load -= k[b] * fixed_values(dof[b] - n_free);
    return load;
  }
};

/// *target += value, atomically where several threads may meet.
template <bool Atomic> KOKKOS_INLINE_FUNCTION void add_to(double* target, double value) {
  if (Atomic)
    Kokkos::atomic_add(target, value);
  else
    *target += value;
}

/// Position of a column in the ascending columns [begin, end) of a row, or -1.
template <class Columns>
KOKKOS_INLINE_FUNCTION offset_t find_column(const Columns& columns, offset_t begin, offset_t end, index_t column) {
  // Short rows are searched in order, which costs less than mispredicted halving.
  if (end - begin <= 12) {
    for (offset_t i = begin; i < end; ++i)
      if (columns[i] == column)
        return i;
    return -1;
  }
  offset_t lower = begin;
  offset_t upper = end;
  while (lower < upper) {
    const offset_t middle = lower + (upper - lower) / 2;
    if (columns[middle] < column)
      lower = middle + 1;
    else
      upper = middle;
  }
  return lower < end && columns[lower] == column ? lower : -1;
}

} // namespace tessera::assembly

#endif
