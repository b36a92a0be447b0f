// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_PHYSICS_LOADS_POINT_LOADS_HPP
#define TESSERA_PHYSICS_LOADS_POINT_LOADS_HPP

/// \file
/// Loads of point sources: f_a = strength * shape function a at the point; any of the elements that contain the point
/// gives the same load.

#include "physics/forms/diffusion_problem.hpp"

#include <vector>

namespace tessera::physics {

/// Load of a point source at the nodes of the element that contains it.
struct PointLoad {
  index_t element = -1; ///< the one with the smallest index; -1: the point lies outside the mesh
  std::vector<index_t> nodes;
  std::vector<double> values; ///< one per node
};

/// Computes the loads, one per source. In magnetostatics sources are currents: they are multiplied by the weight of
/// integrals at the point.
template <class ExecutionSpace, class Form>
std::vector<PointLoad> point_loads(const ExecutionSpace& exec, const Form& form,
                                   const std::vector<PointSource>& sources);

} // namespace tessera::physics

#endif
