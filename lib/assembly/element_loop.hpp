// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_ASSEMBLY_ELEMENT_LOOP_HPP
#define TESSERA_ASSEMBLY_ELEMENT_LOOP_HPP

/// \file
/// Contributions of one element in terms of unknowns: constraints are eliminated here, in the same way for every
/// strategy.

#include "assembly/form.hpp"
#include "core/kokkos_ext/compiler.hpp"
#include "fe/dofs/element_dofs.hpp"
#include "fe/geometry.hpp"
#include "graph/incidence.hpp"

namespace tessera::assembly {

/// A form with its dof map. Fixed values are moved to the load (f -= K g), so that the matrix of a symmetric form stays
/// symmetric; nodes that share an unknown have the same dof; the signs of antiperiodic and oriented nodes convert the
/// form's matrix and load to those of the unknowns.
template <class Form> struct ElementLoop : fe::DofView<typename Form::memory_space> {
  using form_type = Form;
  using memory_space = typename Form::memory_space;
  using Traits = FormTraits<Form>;
  static constexpr int n_nodes = Form::n_nodes;
  using RowState = typename Traits::RowState;
  static constexpr bool on_host = uses_host_forms<memory_space>;
  using Dofs = fe::ElementDofs<n_nodes, memory_space, Traits::has_orientation>;

  Form form;

  ElementLoop(const Form& form_in, const fe::DofMap<memory_space>& dofs)
      : fe::DofView<memory_space>(dofs), form(form_in) {}

  KOKKOS_FUNCTION Dofs dofs() const { return {*this, form.element_nodes, this->node_dof}; }
  KOKKOS_FUNCTION index_t n_elements() const { return static_cast<index_t>(form.element_nodes.extent(0)); }

  /// Entry of `element_nodes`; its row is contiguous (fe::ElementDofs).
  KOKKOS_FUNCTION index_t node(index_t e, int a) const {
    return form.element_nodes.data()[static_cast<std::int64_t>(e) * n_nodes + a];
  }
  KOKKOS_FUNCTION void nodes(index_t e, index_t (&n)[n_nodes]) const {
    for (int a = 0; a < n_nodes; ++a)
      n[a] = node(e, a);
  }
  KOKKOS_FUNCTION index_t dof_of_node(index_t entry) const {
    return this->node_dof(Traits::has_orientation ? fe::node_number(entry) : entry);
  }

  /// Matrix and load of an element with nodes n, signs applied.
  KOKKOS_FUNCTION void signed_system(index_t e, const index_t (&n)[n_nodes], double (&K)[n_nodes][n_nodes],
                                     double (&f)[n_nodes]) const {
    form.system(e, n, K, f);
    if (has_signs())
      for (int a = 0; a < n_nodes; ++a) {
        f[a] *= sign(n[a]);
        for (int b = 0; b < n_nodes; ++b)
          K[a][b] *= sign(n[a]) * sign(n[b]);
      }
  }

  /// Row of local node a, signs applied: k[b] is in the column of node n[b], in the order of row_nodes(). Returns its
  /// load.
  KOKKOS_FUNCTION double signed_row(index_t e, int a, index_t (&n)[n_nodes], double (&k)[n_nodes]) const {
    if constexpr (Traits::has_row) {
      const double load = form.row(e, a, n, k);
      if (!has_signs())
        return load;
      const double own = sign(node(e, a));
      for (int b = 0; b < n_nodes; ++b)
        k[b] *= own * sign(n[b]);
      return load * own;
    } else {
      double K[n_nodes][n_nodes];
      double f[n_nodes];
      nodes(e, n);
      signed_system(e, n, K, f);
      for (int b = 0; b < n_nodes; ++b)
        k[b] = K[a][b];
      return f[a];
    }
  }

  /// signed_row() for successive elements of a node, after start_row(): `state` holds the data that they share.
  KOKKOS_FUNCTION double next_row(const graph::LocalNode& own, RowState& state, index_t (&n)[n_nodes],
                                  double (&k)[n_nodes]) const {
    if constexpr (Traits::has_vertex_rows)
      return form.next_row(own.element, own.a, state, n, k);
    else
      return signed_row(own.element, own.a, n, k);
  }
  KOKKOS_FUNCTION void start_row(const graph::LocalNode& own, RowState& state) const {
    if constexpr (Traits::has_vertex_rows)
      form.start_row(own.element, own.a, state);
  }

  KOKKOS_FUNCTION void row_nodes(index_t e, int a, index_t (&n)[n_nodes]) const {
    if constexpr (Traits::has_row_nodes)
      form.row_nodes(e, a, n);
    else
      nodes(e, n);
  }

  /// Position of local node a itself in row_nodes(); -1: unknown.
  KOKKOS_FUNCTION static int own_position(int a) {
    if constexpr (Traits::has_vertex_rows)
      return Form::own_position(a);
    else
      return -1;
  }

  /// Entry b of row_nodes().
  KOKKOS_FUNCTION index_t row_node(index_t e, int a, int b) const {
    if constexpr (Traits::has_vertex_rows) {
      return form.row_node(e, a, b);
    } else {
      index_t n[n_nodes];
      row_nodes(e, a, n);
      return n[b];
    }
  }

  /// y = K x of an element with nodes n, signs applied; x is overwritten.
  KOKKOS_FUNCTION void signed_apply(index_t e, const index_t (&n)[n_nodes], double (&x)[n_nodes],
                                    double (&y)[n_nodes]) const {
    if constexpr (Traits::has_apply) {
      if (has_signs())
        for (int a = 0; a < n_nodes; ++a)
          x[a] *= sign(n[a]);
      form.apply(e, n, x, y);
      if (has_signs())
        for (int a = 0; a < n_nodes; ++a)
          y[a] *= sign(n[a]);
    } else {
      double K[n_nodes][n_nodes];
      double f[n_nodes];
      signed_system(e, n, K, f);
      for (int a = 0; a < n_nodes; ++a) {
        y[a] = 0.;
        for (int b = 0; b < n_nodes; ++b)
          y[a] += K[a][b] * x[b];
      }
    }
  }

  /// Element matrix, load with fixed values eliminated, and unknowns (or fixed values).
  KOKKOS_FUNCTION void system(index_t e, index_t (&dof)[n_nodes], double (&K)[n_nodes][n_nodes],
                              double (&f)[n_nodes]) const {
    index_t n[n_nodes];
    nodes(e, n);
    for (int a = 0; a < n_nodes; ++a)
      dof[a] = dof_of_node(n[a]);
    signed_system(e, n, K, f);
    for (int b = 0; b < n_nodes; ++b)
      if (this->is_fixed(dof[b])) {
        const double g = this->fixed_value(dof[b]);
        for (int a = 0; a < n_nodes; ++a)
          f[a] -= K[a][b] * g;
      }
  }

  /// Row of local node a: k[b] is in the column of unknown dof[b] (local order chosen by the form). Returns its load
  /// with fixed values eliminated.
  KOKKOS_FUNCTION double row(index_t e, int a, index_t (&dof)[n_nodes], double (&k)[n_nodes]) const {
    index_t n[n_nodes];
    double load = signed_row(e, a, n, k);
    for (int b = 0; b < n_nodes; ++b) {
      dof[b] = dof_of_node(n[b]);
      if (this->is_fixed(dof[b]))
        load -= k[b] * this->fixed_value(dof[b]);
    }
    return load;
  }

  /// True if element rows are determined by the coordinates of the nodes: for forms with vertex rows whose nodes are
  /// the vertices.
  static constexpr bool has_node_rows = Traits::has_vertex_rows && Form::dimension + 1 == n_nodes;

  /// The other nodes of a pair's element, in the order of row().
  KOKKOS_FUNCTION void other_nodes(offset_t pair, index_t (&n)[n_nodes - 1]) const {
    const graph::LocalNode own = graph::local_node<n_nodes>(pair);
    TESSERA_UNROLL
    for (int b = 1; b < n_nodes; ++b)
      n[b - 1] = form.row_node(own.element, own.a, b);
  }

  /// row() of a node whose unknown and point are given, as are the other nodes: nothing is read twice.
  KOKKOS_FUNCTION double row(index_t e, index_t own, const fe::Point<Form::dimension>& own_point,
                             const index_t (&others)[n_nodes - 1], index_t (&dof)[n_nodes],
                             double (&k)[n_nodes]) const {
    double p[n_nodes][Form::dimension];
    TESSERA_UNROLL
    for (int b = 0; b < n_nodes; ++b) {
      dof[b] = b == 0 ? own : dof_of_node(others[b - 1]);
      const auto point = b == 0 ? own_point : fe::point_at<Form::dimension>(form.coordinates.data(), others[b - 1]);
      for (int d = 0; d < Form::dimension; ++d)
        p[b][d] = point.x[d];
    }
    const group_t region = form.regions(e);
    double load = form.template vertex_row<true>(region, form.coefficient_of(region), p, k);
    for (int b = 1; b < n_nodes; ++b)
      if (this->is_fixed(dof[b]))
        load -= k[b] * this->fixed_value(dof[b]);
    return load;
  }

private:
  KOKKOS_FUNCTION bool has_signs() const {
    return Traits::has_orientation || (Traits::has_signs && this->node_sign.extent(0) > 0);
  }
  KOKKOS_FUNCTION double sign(index_t entry) const {
    if constexpr (!Traits::has_orientation)
      return fe::DofView<memory_space>::sign(entry);
    else
      return (entry < 0 ? -1. : 1.) * fe::DofView<memory_space>::sign(fe::node_number(entry));
  }
};

/// Computes *target += value, atomically if several threads may do so concurrently.
template <bool Atomic> KOKKOS_INLINE_FUNCTION void add_to(double* target, double value) {
  if (Atomic)
    Kokkos::atomic_add(target, value);
  else
    *target += value;
}

} // namespace tessera::assembly

#endif
