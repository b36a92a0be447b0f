// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_PHYSICS_FIELDS_CORNER_FLOWS_HPP
#define TESSERA_PHYSICS_FIELDS_CORNER_FLOWS_HPP

/// \file
/// Flow through facets at nodes where boundaries meet (docs/theory.md, "Charge").

#include "physics/fields/surface_values.hpp"

#include <vector>

namespace tessera::physics {

/// Flow into the domain through a facet at its nodes of one class: the integral of the element's normal flux times
/// their shape functions.
struct CornerFlow {
  int surface = 0; ///< surface of the side
  int node_class = 0;
  double flow = 0.;
};

/// Computes the flows for the sides that have a node of a class, in their order. `node_class`: class of each node of
/// the form's space; numbers >= `n_classes` denote none. Not defined for forms of vector potentials.
template <class ExecutionSpace, class Form>
std::vector<CornerFlow> corner_flows(const ExecutionSpace& exec, const Form& form,
                                     const Array<const double*, ExecutionSpace>& nodal,
                                     const Array<const group_t*, ExecutionSpace>& node_class, index_t n_classes,
                                     const std::vector<SurfaceSide>& sides);

} // namespace tessera::physics

#endif
