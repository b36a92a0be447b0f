// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_PHYSICS_CORNER_FLOWS_HPP
#define TESSERA_PHYSICS_CORNER_FLOWS_HPP

/// \file
/// Flows at nodes where boundaries meet (docs/theory.md, "Charge").

#include "physics/surface_values.hpp"

#include <vector>

namespace tessera::physics {

/// What flows into the domain through a facet at its nodes of one class: the integral of the normal flux of the element
/// with their shape functions.
struct CornerFlow {
  int surface = 0; ///< of the side
  int node_class = 0;
  double flow = 0.;
};

/// Computes it for those of the sides that have a node of a class, in their order. `node_class`: of each node of the
/// form's space; numbers from `n_classes` on stand for none. Forms of vector potentials have no such flow.
template <class ExecutionSpace, class Form>
std::vector<CornerFlow> corner_flows(const ExecutionSpace& exec, const Form& form,
                                     const Array<const double*, ExecutionSpace>& nodal,
                                     const Array<const group_t*, ExecutionSpace>& node_class, index_t n_classes,
                                     const std::vector<SurfaceSide>& sides);

} // namespace tessera::physics

#endif
