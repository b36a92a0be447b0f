// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_PHYSICS_FIELDS_SURFACE_VALUES_HPP
#define TESSERA_PHYSICS_FIELDS_SURFACE_VALUES_HPP

/// \file
/// Integrals and extremes of solution, vector field and flux of a form (physics/fields/derived.hpp) on surfaces.

#include "comm/communicator.hpp"
#include "physics/fields/extremes.hpp"
#include "physics/fields/point_values.hpp"

#include <vector>

namespace tessera::physics {

/// A side of a facet that belongs to a surface.
struct SurfaceSide {
  int surface = 0;
  index_t element = 0;        ///< the element with the facet as a face
  int face = 0;               ///< the element's vertex opposite to it
  double area_weight = 1.;    ///< factor of its area, and of the integral of the solution
  double outward_weight = 1.; ///< factor of the flux out of the element
  double field_weight = 1.;   ///< factor of the integrals of magnitudes; 0: extremes of fields also exclude the side
};

/// Integrals, weighted by the form (depth, or the full circle), and extremes on a surface. Extremes are taken among
/// quadrature points and vertices of the facets; among equal ones (extreme_tie) the first in the user's mesh.
struct SurfaceValues {
  double area = 0.;           ///< m^2
  double integral = 0.;       ///< of the solution
  double flux = 0.;           ///< of the normal component of the flux, or of the vector field B of a vector potential
  double field_integral = 0.; ///< of the magnitude of the vector field
  double flux_integral = 0.;  ///< of the magnitude of the flux
  Extremes solution;
  Extremes field_length;
  Extremes flux_length;
};

/// Computes the values for the surfaces 0 .. n_surfaces - 1, in a fixed order. `sides` ascend by surface.
/// `original_element`: indices of the elements in the user's mesh; empty: the same. On a mesh distributed over the
/// processes of `world`, each of which gives the sides of its owned elements, sums and extremes are global; then
/// collective.
template <class ExecutionSpace, class Form>
std::vector<SurfaceValues>
surface_values(const ExecutionSpace& exec, const Form& form, const Array<const double*, ExecutionSpace>& nodal,
               const std::vector<SurfaceSide>& sides, int n_surfaces, const FieldRecovery<ExecutionSpace>& recovery,
               const Array<const index_t*, ExecutionSpace>& original_element,
               const comm::Communicator& world = comm::alone());

} // namespace tessera::physics

#endif
