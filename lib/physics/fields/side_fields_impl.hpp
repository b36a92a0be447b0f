// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_PHYSICS_FIELDS_SIDE_FIELDS_IMPL_HPP
#define TESSERA_PHYSICS_FIELDS_SIDE_FIELDS_IMPL_HPP

/// \file
/// Definitions of physics/fields/side_fields.hpp: included only by the generated instantiations.

#include "core/algorithms/scan.hpp"
#include "physics/estimates/recovery_impl.hpp"
#include "physics/fields/side_fields.hpp"

namespace tessera::physics {

namespace detail {

/// Elements around a node by side. An element-node pair first links to another pair of its side, by position in the
/// node's list of pairs, then to the first pair of the side; the first pair gets -1 - the side's position among those
/// of the node; finally each pair has the index of its side.
template <class Form> struct SidesOfNodes {
  static constexpr int Dim = Form::dimension;
  using Space = typename Form::memory_space;
  PatchFit<Form> fit;
  Array<const index_t*, Space> original_node;
  Array<index_t*, Space> links; // by element-node pair

  KOKKOS_FUNCTION index_t number_of(index_t node) const {
    return node < static_cast<index_t>(original_node.extent(0)) ? original_node(node) : node;
  }
  KOKKOS_FUNCTION offset_t pair(index_t node, index_t s) const {
    return fit.around.incidence.pairs(fit.around.incidence.offsets(node) + s);
  }
  KOKKOS_FUNCTION index_t n_pairs(index_t node) const {
    return static_cast<index_t>(fit.around.incidence.offsets(node + 1) - fit.around.incidence.offsets(node));
  }
  KOKKOS_FUNCTION index_t& link(index_t node, index_t s) const { return links(pair(node, s)); }
  KOKKOS_FUNCTION index_t element(index_t node, index_t s) const {
    return graph::local_node<Form::n_nodes>(pair(node, s)).element;
  }
};

/// Joins the elements of each side and counts the sides of a node.
template <class Form> struct FindSides {
  SidesOfNodes<Form> sides;
  Array<index_t*, typename Form::memory_space> counts; // by original node index

  KOKKOS_FUNCTION void operator()(index_t node) const {
    const index_t n = sides.n_pairs(node);
    for (index_t s = 0; s < n; ++s)
      sides.link(node, s) = s;
    for (index_t s = 0; s < n; ++s)
      for (index_t t = s + 1; t < n; ++t)
        join(node, s, t);
    for (index_t s = 0; s < n; ++s) // links lead to smaller positions, which already lead to the first one
      sides.link(node, s) = sides.link(node, sides.link(node, s));
    index_t n_sides = 0;
    for (index_t s = 0; s < n; ++s)
      if (sides.link(node, s) == s) {
        sides.link(node, s) = -1 - order_of(node, s, n);
        ++n_sides;
      }
    counts(sides.number_of(node)) = n_sides;
  }

private:
  KOKKOS_FUNCTION index_t first_of(index_t node, index_t s) const {
    while (sides.link(node, s) != s)
      s = sides.link(node, s);
    return s;
  }
  KOKKOS_FUNCTION void join(index_t node, index_t s, index_t t) const {
    const index_t a = first_of(node, s);
    const index_t b = first_of(node, t);
    if (a != b && sides.fit.goes_on(sides.element(node, s), sides.element(node, t)))
      sides.link(node, a < b ? b : a) = a < b ? a : b;
  }
  /// Position of the side whose first pair is s: sides of smaller regions precede it, then those that begin earlier.
  KOKKOS_FUNCTION index_t order_of(index_t node, index_t s, index_t n) const {
    const group_t region = sides.fit.regions(sides.element(node, s));
    index_t order = 0;
    for (index_t t = 0; t < n; ++t) {
      const index_t link = sides.link(node, t);
      if (t == s || (link >= 0 && link != t))
        continue;
      const group_t other = sides.fit.regions(sides.element(node, t));
      order += other < region || (other == region && t < s) ? 1 : 0;
    }
    return order;
  }
};

/// Numbers the sides in the order of the nodes.
template <class Form> struct NumberSides {
  SidesOfNodes<Form> sides;
  Array<const index_t*, typename Form::memory_space> starts; // by original node index
  Array<offset_t*, typename Form::memory_space> first_pairs; // by side

  KOKKOS_FUNCTION void operator()(index_t node) const {
    const index_t n = sides.n_pairs(node);
    const index_t start = starts(sides.number_of(node));
    for (index_t s = 0; s < n; ++s)
      if (sides.link(node, s) >= 0)
        sides.link(node, s) = start - 1 - sides.link(node, sides.link(node, s));
    for (index_t s = 0; s < n; ++s)
      if (sides.link(node, s) < 0) {
        const index_t side = start - 1 - sides.link(node, s);
        sides.link(node, s) = side;
        first_pairs(side) = sides.pair(node, s);
      }
  }
};

/// The fit costs about 100 operations for each element of a patch, whose data are in caches: it is not limited by
/// memory.
template <class Form> struct EvaluateSides {
  static constexpr int Dim = Form::dimension;
  using Space = typename Form::memory_space;
  SidesOfNodes<Form> sides;
  Array<const offset_t*, Space> first_pairs;
  double field_scale;
  double flux_scale;
  SideFields<Dim, Space> result;

  KOKKOS_FUNCTION void operator()(index_t side) const {
    const graph::LocalNode own = graph::local_node<Form::n_nodes>(first_pairs(side));
    const index_t node = sides.fit.form.element_nodes(own.element, own.a);
    double field[Dim];
    sides.fit.at_node(own, field);
    double flux[Dim];
    find_flux(own, field, flux);
    result.nodes(side) = sides.number_of(node);
    result.solution(side) = sides.fit.nodal(node);
    for (int d = 0; d < Dim; ++d) {
      result.coordinates(side, d) = sides.fit.position(own, d);
      result.field(side, d) = field_scale * field[d];
      result.flux(side, d) = flux_scale * flux[d];
    }
  }

private:
  KOKKOS_FUNCTION void find_flux(const graph::LocalNode& own, const double (&field)[Dim], double (&flux)[Dim]) const {
    const Form& form = sides.fit.form;
    LocalField<Form> local(form, own.element, sides.fit.nodal);
    double lambda[Dim + 1];
    Form::element::node_position(own.a, lambda);
    local.move_to(lambda);
    for (int d = 0; d < Dim; ++d)
      flux[d] = field[d];
    flux_of(form, own.element, local, lambda, flux);
  }
};

} // namespace detail

template <class ExecutionSpace, class Form>
SideFields<Form::dimension, typename ExecutionSpace::memory_space>
side_fields(const ExecutionSpace& exec, const Form& form, const Array<const double*, ExecutionSpace>& nodal,
            const FieldRecovery<ExecutionSpace>& recovery, const Array<const index_t*, ExecutionSpace>& original_node,
            double field_scale, double flux_scale) {
  static_assert(detail::check_elements<ExecutionSpace, Form>());
  constexpr int Dim = Form::dimension;
  using Space = typename ExecutionSpace::memory_space;
  using Vectors = Array<double* [Dim], Space>;
  const index_t n_nodes = recovery.n_nodes;
  const auto& nodes = form.element_nodes;
  const auto incidence = graph::build_incidence<ExecutionSpace>(
      exec, Array<const index_t*, ExecutionSpace>(nodes.data(), nodes.size()), Form::n_nodes, {}, n_nodes);
  SideFields<Dim, Space> result;
  result.of_elements = make_array<Array<index_t*, Space>>(exec, "physics::sides_of_elements", nodes.size());
  const detail::SidesOfNodes<Form> sides{
      {form, nodal, {incidence, {}}, recovery.regions, recovery.node_constraint, recovery.n_constraints},
      original_node,
      result.of_elements};
  const auto starts =
      make_array<Array<index_t*, Space>>(exec, "physics::first_sides", static_cast<std::int64_t>(n_nodes) + 1);
  for_each("tessera::physics::find_sides", exec, n_nodes, detail::FindSides<Form>{sides, starts});
  const std::int64_t n_sides = counts_to_offsets(exec, starts, n_nodes, "sides of nodes");
  const auto first_pairs = make_array<Array<offset_t*, Space>>(exec, "physics::first_pairs", n_sides);
  for_each("tessera::physics::number_sides", exec, n_nodes, detail::NumberSides<Form>{sides, starts, first_pairs});
  result.nodes = make_array<Array<index_t*, Space>>(exec, "physics::nodes_of_sides", n_sides);
  result.coordinates = make_array<Vectors>(exec, "physics::coordinates_of_sides", n_sides);
  result.solution = make_array<Array<double*, Space>>(exec, "physics::solution_at_sides", n_sides);
  result.field = make_array<Vectors>(exec, "physics::field_at_sides", n_sides);
  result.flux = make_array<Vectors>(exec, "physics::flux_at_sides", n_sides);
  for_each("tessera::physics::evaluate_sides", exec, n_sides,
           detail::EvaluateSides<Form>{sides, first_pairs, field_scale, flux_scale, result});
  keep_alive(exec, incidence, starts, first_pairs);
  return result;
}

} // namespace tessera::physics

#endif
