// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_PHYSICS_FIELDS_DERIVED_HPP
#define TESSERA_PHYSICS_FIELDS_DERIVED_HPP

/// \file
/// Quantities derived from a solution: energy, charges, fields, errors; values at points are in point_values.hpp.
/// `nodal` is the solution at all nodes (fe::expand). All sums have a fixed order. The vector field of a form is grad u
/// (diffusion) or B (magnetostatics); its flux D grad u, or H.
///
/// Functions that need only the nodes of a form's elements and their coordinates are compiled once for each dimension
/// and order (in namespace detail), not for each form.

#include "comm/communicator.hpp"
#include "fe/function_space.hpp"
#include "fe/lagrange.hpp"
#include "graph/incidence.hpp"
#include "physics/expressions/expression.hpp"

#include <array>
#include <vector>

namespace tessera::physics {

/// Computes half the integral of D grad u . grad u (electrostatics: the energy in J).
template <class ExecutionSpace, class Form>
double field_energy(const ExecutionSpace& exec, const Form& form, const Array<const double*, ExecutionSpace>& nodal);

/// Computes the flux into the domain through the nodes of each of the constraints 0 .. n_constraints - 1: the sum of
/// the residual K u - f over its nodes, which is as accurate as the energy (electrostatics: the conductor's charge in
/// C). `node_constraint` as in fe::DofMap. One pass over the elements, for any number of constraints.
template <class ExecutionSpace, class Form>
std::vector<double>
constraint_totals(const ExecutionSpace& exec, const Form& form, const Array<const double*, ExecutionSpace>& nodal,
                  const Array<const group_t*, ExecutionSpace>& node_constraint, index_t n_constraints);

/// Bounds the effect of the rounding of `nodal` on each of these totals: the unit roundoff times the sum of |K_ij u_j|
/// over the columns j, in which the rows of a constraint are first added. Elements whose nodes are all of one
/// constraint contribute nothing: constraint_totals() uses differences of u.
template <class ExecutionSpace, class Form>
std::vector<double>
constraint_rounding(const ExecutionSpace& exec, const Form& form, const Array<const double*, ExecutionSpace>& nodal,
                    const Array<const group_t*, ExecutionSpace>& node_constraint, index_t n_constraints);

/// Sums over the elements.
struct ResidualOfOthers {
  double sum = 0.;  ///< of the residual K u - f over nodes without constraint, times their signs
  double size = 0.; ///< of the magnitudes of each element's residual at each of its nodes
};

/// Computes both sums. The first is zero for the exact solution; the second is its scale. `node_sign` as in
/// residual_rows().
template <class ExecutionSpace, class Form>
ResidualOfOthers residual_of_others(const ExecutionSpace& exec, const Form& form,
                                    const Array<const double*, ExecutionSpace>& nodal,
                                    const Array<const group_t*, ExecutionSpace>& node_constraint, index_t n_constraints,
                                    const Array<const signed char*, ExecutionSpace>& node_sign);

/// Computes f - K u in the rows 0 .. rows.extent(0) - 1. `node_rows` maps nodes to rows, numbers outside that range
/// denote none; `node_sign` is the sign with which a node's residual is added, empty: all 1. Like constraint_totals()
/// by differences of u, so that it is exact to the rounding of u even if a matrix product is dominated by the rounding
/// of its entries (docs/theory.md, "Rounding of flows"). `kept`: the elements at each row, made if it is empty.
template <class ExecutionSpace, class Form>
void residual_rows(const ExecutionSpace& exec, const Form& form, const Array<const double*, ExecutionSpace>& nodal,
                   const Array<const index_t*, ExecutionSpace>& node_rows,
                   const Array<const signed char*, ExecutionSpace>& node_sign,
                   const Array<double*, ExecutionSpace>& rows,
                   graph::Incidence<typename ExecutionSpace::memory_space>* kept = nullptr);

/// Force and torque on a body. In 2D force[2] and all of torque but torque[2] are 0; in axisymmetric problems only the
/// axial force[1] is meaningful.
struct BodyLoad {
  std::array<double, 3> force{};  ///< N
  std::array<double, 3> torque{}; ///< N m
};

/// Integrates Maxwell's stress T = E D - 1/2 E.D (or H B - 1/2 H.B) where the `weight` (BodyWeights) varies: the force
/// is -int T grad w; the torque about a point is the sum of the moments of the forces at the vertices and at the bends
/// of curved edges. The medium there must be linear, isotropic and without sources (docs/theory.md, "Forces").
template <class ExecutionSpace, class Form>
BodyLoad body_load(const ExecutionSpace& exec, const Form& form, const Array<const double*, ExecutionSpace>& nodal,
                   const Array<const double*, ExecutionSpace>& weight, const std::array<double, 3>& about);

/// Integrals and extremes of a region.
struct RegionValues {
  double measure = 0.;                 ///< volume in m^3, weighted like integrals
  double integral = 0.;                ///< of the solution
  double field_integral = 0.;          ///< of the magnitude of the vector field
  double flux_integral = 0.;           ///< of the magnitude of the flux
  double energy = 0.;                  ///< as from field_energy()
  double smallest = 0.;                ///< value at nodes
  double largest = 0.;                 ///< value at nodes
  double largest_field = 0.;           ///< magnitude of the vector field, at quadrature points
  double largest_flux = 0.;            ///< magnitude of the flux, at quadrature points
  std::array<double, 3> smallest_at{}; ///< m, locations of the extremes
  std::array<double, 3> largest_at{};
  std::array<double, 3> largest_field_at{};
  std::array<double, 3> largest_flux_at{};
};

/// Computes them for the regions 0 .. n_regions - 1; `regions` is the region of each element. Regions without elements
/// have zeros. `original_element`: indices of the elements in the user's mesh; empty: the same. On a mesh distributed
/// over the processes of `world` the values are global, and the call is collective.
template <class ExecutionSpace, class Form>
std::vector<RegionValues> region_values(const ExecutionSpace& exec, const Form& form,
                                        const Array<const double*, ExecutionSpace>& nodal,
                                        const Array<const group_t*, ExecutionSpace>& regions, index_t n_regions,
                                        const Array<const index_t*, ExecutionSpace>& original_element = {},
                                        const comm::Communicator& world = comm::alone());

/// Distance of a solution from the exact one.
struct ErrorNorms {
  double l2 = 0.;       ///< ||u - u_h|| in L2 over the domain (not weighted with depth or radius)
  double h1 = 0.;       ///< ||grad u - grad u_h||, only if the exact gradient is given
  double exact_l2 = 0.; ///< norms of the exact solution, for relative errors
  double exact_h1 = 0.;
};

/// Elements of a Lagrange space: the data needed by functions on it and their gradients.
template <int Dim, int Order, class MemorySpace> struct LagrangeElements {
  using memory_space = MemorySpace;
  using element = fe::Lagrange<Dim, Order>;
  static constexpr int dimension = Dim;
  static constexpr int n_nodes = element::n_nodes;
  static constexpr bool has_vector_potential = false;

  Array<const index_t * [element::n_nodes], MemorySpace> element_nodes;
  Array<const double* [Dim], MemorySpace> coordinates;
  Array<const std::uint8_t*, MemorySpace> curved_elements; ///< fe::FunctionSpace

  KOKKOS_FUNCTION bool is_curved(index_t e) const {
    return Order == 2 && curved_elements.extent(0) > 0 && curved_elements(e) != 0;
  }
  KOKKOS_FUNCTION index_t n_elements() const { return static_cast<index_t>(element_nodes.extent(0)); }
  KOKKOS_FUNCTION void nodes(index_t e, index_t (&n)[n_nodes]) const {
    for (int a = 0; a < n_nodes; ++a)
      n[a] = element_nodes.data()[static_cast<std::int64_t>(e) * n_nodes + a];
  }
};

namespace detail {

template <class Form>
LagrangeElements<Form::dimension, Form::order, typename Form::memory_space> lagrange_elements(const Form& form) {
  if constexpr (Form::has_vector_potential)
    return {form.element_nodes, form.coordinates, form.medium.curved_elements};
  else
    return {form.element_nodes, form.coordinates, form.curved_elements};
}

/// Checks at compile time a form or elements from which quantities are derived.
template <class ExecutionSpace, class Elements> constexpr bool check_elements() {
  static_assert(Kokkos::is_execution_space<ExecutionSpace>::value,
                "The first argument is an instance of an execution space.");
  static_assert(std::is_same_v<typename Elements::memory_space, typename ExecutionSpace::memory_space>,
                "The arrays of a form must be in the memory space of the execution space that derives quantities.");
  return true;
}

/// The object that defines the form's vector field: the form itself if it uses a vector potential, else its elements.
template <class Form> auto vector_field(const Form& form) {
  if constexpr (Form::has_vector_potential)
    return form;
  else
    return lagrange_elements(form);
}

template <bool Flux, class ExecutionSpace, class Field>
Array<double * [Field::dimension], ExecutionSpace> centroid_field(const ExecutionSpace& exec, const Field& field,
                                                                  const Array<const double*, ExecutionSpace>& nodal,
                                                                  double scale);
template <class ExecutionSpace, class Field>
Array<double * [Field::dimension], ExecutionSpace>
nodal_gradients(const ExecutionSpace& exec, const Field& field, index_t n_nodes,
                const Array<const double*, ExecutionSpace>& nodal, double scale);

/// Element with the smallest index that contains each point; n_elements if there is none.
template <class ExecutionSpace, class Elements>
Array<index_t*, ExecutionSpace> locate_points(const ExecutionSpace& exec, const Elements& elements,
                                              const std::vector<std::array<double, 3>>& points);
template <class ExecutionSpace, class Elements>
ErrorNorms error_norms(const ExecutionSpace& exec, const Elements& elements,
                       const Array<const double*, ExecutionSpace>& nodal, const Expression& exact,
                       const std::vector<Expression>& gradient);

} // namespace detail

/// Computes scale * vector field at the centroid of each element, [n_elements][Dim].
template <class ExecutionSpace, class Form>
Array<double* [Form::dimension], ExecutionSpace> element_gradients(const ExecutionSpace& exec, const Form& form,
                                                                   const Array<const double*, ExecutionSpace>& nodal,
                                                                   double scale) {
  static_assert(detail::check_elements<ExecutionSpace, Form>());
  return detail::centroid_field<false>(exec, detail::vector_field(form), nodal, scale);
}

/// Computes scale * flux at the centroid of each element, [n_elements][Dim].
template <class ExecutionSpace, class Form>
Array<double* [Form::dimension], ExecutionSpace> element_fluxes(const ExecutionSpace& exec, const Form& form,
                                                                const Array<const double*, ExecutionSpace>& nodal,
                                                                double scale) {
  static_assert(detail::check_elements<ExecutionSpace, Form>());
  return detail::centroid_field<true>(exec, form, nodal, scale);
}

/// Computes scale * vector field at each node: mean over the elements at the node, weighted with their measure,
/// [n_nodes][Dim]. At interfaces, where the field jumps, the mean is the value on neither side.
template <class ExecutionSpace, class Form>
Array<double* [Form::dimension], ExecutionSpace> nodal_gradients(const ExecutionSpace& exec, const Form& form,
                                                                 index_t n_nodes,
                                                                 const Array<const double*, ExecutionSpace>& nodal,
                                                                 double scale) {
  static_assert(detail::check_elements<ExecutionSpace, Form>());
  return detail::nodal_gradients(exec, detail::vector_field(form), n_nodes, nodal, scale);
}

/// Computes errors relative to an exact solution and, if given (one per dimension), its gradient.
template <class ExecutionSpace, class Form>
ErrorNorms error_norms(const ExecutionSpace& exec, const Form& form, const Array<const double*, ExecutionSpace>& nodal,
                       const Expression& exact, const std::vector<Expression>& gradient) {
  static_assert(detail::check_elements<ExecutionSpace, Form>());
  return detail::error_norms(exec, detail::lagrange_elements(form), nodal, exact, gradient);
}

} // namespace tessera::physics

#endif
