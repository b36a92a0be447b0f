// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_PHYSICS_FIELDS_CORNER_FLOWS_IMPL_HPP
#define TESSERA_PHYSICS_FIELDS_CORNER_FLOWS_IMPL_HPP

/// \file
/// Definition of physics/fields/corner_flows.hpp: included only by the generated instantiations.

#include "physics/fields/corner_flows.hpp"
#include "physics/fields/surface_values_impl.hpp"

#include <cstdint>

namespace tessera::physics {

namespace detail {

/// Whether a vertex of a side is in a class.
template <class Form> struct FlagCorners {
  static constexpr int Dim = Form::dimension;
  using Space = typename Form::memory_space;
  Form form;
  Array<const SurfaceSide*, Space> sides;
  Array<const group_t*, Space> node_class;
  index_t n_classes;
  Array<std::uint8_t*, Space> is_corner;
  KOKKOS_FUNCTION void operator()(index_t i) const {
    const SurfaceSide& side = sides(i);
    index_t n[Form::n_nodes];
    form.nodes(side.element, n);
    is_corner(i) = 0;
    for (int a = 0; a <= Dim; ++a)
      if (a != side.face && static_cast<index_t>(node_class(n[a])) < n_classes)
        is_corner(i) = 1;
  }
};

/// Integrals over a side of its flux times the shape function of each node of a class. Shape functions of nodes that
/// are not on the side vanish there.
template <class Form> struct IntegrateCorners {
  static constexpr int Dim = Form::dimension;
  using LocalPoints = FacetPoints<Dim>;
  using Space = typename Form::memory_space;
  Form form;
  Array<const SurfaceSide*, Space> sides;
  Array<const group_t*, Space> node_class;
  Array<const double* [point_entries], Space> values; // at the points of all sides
  Array<group_t * [Form::n_nodes], Space> classes;
  Array<double * [Form::n_nodes], Space> flows;

  KOKKOS_FUNCTION void operator()(index_t i) const {
    const SurfaceSide& side = sides(i);
    index_t n[Form::n_nodes];
    form.nodes(side.element, n);
    for (int a = 0; a < Form::n_nodes; ++a) {
      classes(i, a) = node_class(n[a]);
      flows(i, a) = 0.;
    }
    fe::ElementMap<typename Form::element> map;
    map.load(form.coordinates.data(), n, form.is_curved(side.element));
    for (int q = 0; q < LocalPoints::rule::n_points; ++q) {
      double lambda[Dim + 1];
      const double fraction = LocalPoints::set(side.face, q, lambda);
      map.move_to(form.coordinates.data(), n, lambda);
      double square = 0.;
      double outward = 0.;
      for (int d = 0; d < Dim; ++d) {
        square += map.grad_lambda[side.face][d] * map.grad_lambda[side.face][d];
        outward -= map.grad_lambda[side.face][d] * values(static_cast<std::int64_t>(i) * LocalPoints::n + q, 4 + d);
      }
      const double weight =
          fraction * map.facet_size(side.face) * form.integral_weight(map, lambda) / math::sqrt(square);
      for (int a = 0; a < Form::n_nodes; ++a)
        flows(i, a) += weight * outward * Form::element::value(a, lambda);
    }
  }
};

} // namespace detail

template <class ExecutionSpace, class Form>
std::vector<CornerFlow> corner_flows(const ExecutionSpace& exec, const Form& form,
                                     const Array<const double*, ExecutionSpace>& nodal,
                                     const Array<const group_t*, ExecutionSpace>& node_class, index_t n_classes,
                                     const std::vector<SurfaceSide>& sides) {
  static_assert(detail::check_elements<ExecutionSpace, Form>());
  constexpr int Dim = Form::dimension;
  using Space = typename ExecutionSpace::memory_space;
  std::vector<CornerFlow> result;
  if (Form::has_vector_potential || sides.empty() || n_classes == 0)
    return result;
  const auto n_all = static_cast<std::int64_t>(sides.size());
  const auto all = uploaded(exec, "physics::sides", sides);
  const auto is_corner = make_array<Array<std::uint8_t*, Space>>(exec, "physics::corner_flags", n_all);
  for_each("tessera::physics::flag_corners", exec, n_all,
           detail::FlagCorners<Form>{form, all, node_class, n_classes, is_corner});
  const auto flags = to_host(exec, is_corner); // waits
  std::vector<SurfaceSide> corners;
  for (std::size_t i = 0; i < sides.size(); ++i)
    if (flags(i) != 0)
      corners.push_back(sides[i]);
  if (corners.empty())
    return result;

  const auto n_sides = static_cast<std::int64_t>(corners.size());
  const std::int64_t n = n_sides * detail::FacetPoints<Dim>::n;
  const auto on_device = uploaded(exec, "physics::corner_sides", corners);
  const auto element = make_array<Array<index_t*, Space>>(exec, "physics::corner_elements", n);
  const auto lambda = make_array<Array<double * [Dim + 1], Space>>(exec, "physics::barycentric_coordinates", n);
  for_each("tessera::physics::place_on_sides", exec, n, detail::PlaceOnSides<Form>{on_device, element, lambda});
  const auto values = detail::evaluate_points(exec, form, nodal, detail::LocalPoints<Dim, Space>{element, lambda}, {});
  const auto classes = make_array<Array<group_t * [Form::n_nodes], Space>>(exec, "physics::corner_classes", n_sides);
  const auto flows = make_array<Array<double * [Form::n_nodes], Space>>(exec, "physics::corner_flows", n_sides);
  for_each("tessera::physics::integrate_corners", exec, n_sides,
           detail::IntegrateCorners<Form>{form, on_device, node_class, values, classes, flows});
  const auto of_node = to_host(exec, classes);
  const auto flowing = to_host(exec, flows); // waits: the arrays may be freed
  for (std::size_t i = 0; i < corners.size(); ++i)
    for (int a = 0; a < Form::n_nodes; ++a)
      if (static_cast<index_t>(of_node(i, a)) < n_classes)
        result.push_back({corners[i].surface, static_cast<int>(of_node(i, a)), flowing(i, a)});
  return result;
}

} // namespace tessera::physics

#endif
