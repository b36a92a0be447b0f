// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_PHYSICS_DERIVED_HPP
#define TESSERA_PHYSICS_DERIVED_HPP

/// \file
/// What is computed from a solution: energy, charges, fields, values at points, errors. `nodal` holds the solution at
/// all nodes (fe::expand). All sums have a fixed order. The vector field of a form is grad u (diffusion) or B
/// (magnetostatics); its flux D grad u, or H.

#include "fe/function_space.hpp"
#include "physics/expression.hpp"

#include <array>
#include <vector>

namespace tessera::physics {

/// Half the integral of D grad u . grad u (electrostatics: the energy in J).
template <class ExecutionSpace, class Form>
double field_energy(const ExecutionSpace& exec, const Form& form, const Array<const double*, ExecutionSpace>& nodal);

/// What flows into the domain through the nodes of each of the constraints 0 .. n_constraints - 1: the sum over its
/// nodes of the residual K u - f, which is as accurate as the energy (electrostatics: the conductor's charge in C).
/// `node_constraint` as in fe::DofMap. One pass over the elements, for any number of constraints.
template <class ExecutionSpace, class Form>
std::vector<double>
constraint_totals(const ExecutionSpace& exec, const Form& form, const Array<const double*, ExecutionSpace>& nodal,
                  const Array<const group_t*, ExecutionSpace>& node_constraint, index_t n_constraints);

/// scale * vector field at the centroid of each element, [n_elements][Dim].
template <class ExecutionSpace, class Form>
Array<double * [Form::dimension], ExecutionSpace> element_gradients(const ExecutionSpace& exec, const Form& form,
                                                                    const Array<const double*, ExecutionSpace>& nodal,
                                                                    double scale);

/// scale * flux at the centroid of each element, [n_elements][Dim].
template <class ExecutionSpace, class Form>
Array<double * [Form::dimension], ExecutionSpace> element_fluxes(const ExecutionSpace& exec, const Form& form,
                                                                 const Array<const double*, ExecutionSpace>& nodal,
                                                                 double scale);

/// scale * vector field at each node: mean over the elements at the node, weighted with their measure, [n_nodes][Dim].
/// At material interfaces, where the field jumps, this is a smooth picture, not a value of either side.
template <class ExecutionSpace, class Form>
Array<double * [Form::dimension], ExecutionSpace>
nodal_gradients(const ExecutionSpace& exec, const Form& form, index_t n_nodes,
                const Array<const double*, ExecutionSpace>& nodal, double scale);

/// Solution and scale * vector field at given points (m); NaN outside of the mesh. Row: u, then Dim components. Where
/// elements meet, the one with the smallest number counts. The cost grows as elements + points (times a logarithm):
/// better one call for many points than many calls.
template <class ExecutionSpace, class Form>
std::vector<std::array<double, 4>> values_at(const ExecutionSpace& exec, const Form& form,
                                             const Array<const double*, ExecutionSpace>& nodal,
                                             const std::vector<std::array<double, 3>>& points, double scale);

struct ErrorNorms {
  double l2 = 0.;       ///< ||u - u_h|| in L2 over the domain (not weighted with depth or radius)
  double h1 = 0.;       ///< ||grad u - grad u_h||, only when the gradient is given
  double exact_l2 = 0.; ///< norms of the exact solution, for relative errors
  double exact_h1 = 0.;
};

/// Errors against an exact solution and, if given (one per dimension), its gradient.
template <class ExecutionSpace, class Form>
ErrorNorms error_norms(const ExecutionSpace& exec, const Form& form, const Array<const double*, ExecutionSpace>& nodal,
                       const Expression& exact, const std::vector<Expression>& gradient);

} // namespace tessera::physics

#endif
