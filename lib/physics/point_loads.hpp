// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_PHYSICS_POINT_LOADS_HPP
#define TESSERA_PHYSICS_POINT_LOADS_HPP

/// \file
/// Loads of sources at points: f_a = strength * shape function a at the point, whatever element of those that meet
/// there gives it.

#include "physics/diffusion_problem.hpp"

#include <vector>

namespace tessera::physics {

/// Load of a point source at the nodes of the element that holds it.
struct PointLoad {
  index_t element = -1; ///< of the smallest number; -1: the point lies outside of the mesh
  std::vector<index_t> nodes;
  std::vector<double> values; ///< as many as nodes
};

/// Computes the loads of sources, one each. Sources of magnetostatics are currents: the weight of integrals at the
/// point multiplies them.
template <class ExecutionSpace, class Form>
std::vector<PointLoad> point_loads(const ExecutionSpace& exec, const Form& form,
                                   const std::vector<PointSource>& sources);

} // namespace tessera::physics

#endif
