// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_PHYSICS_POINT_VALUES_HPP
#define TESSERA_PHYSICS_POINT_VALUES_HPP

/// \file
/// Solution, vector field and flux of a form (physics/derived.hpp) at points.

#include "core/parallel.hpp"

#include <array>
#include <vector>

namespace tessera::physics {

/// What fields at points are: those of the element, or, if asked, those recovered at its nodes from the elements around
/// (docs/theory.md, "Fields at points"), interpolated: continuous in each region.
template <class ExecutionSpace> struct FieldRecovery {
  using Groups = Array<const group_t*, ExecutionSpace>;
  bool asked = false;
  index_t n_nodes = 0;       ///< of the space
  Groups regions;            ///< of each element
  Groups node_constraint;    ///< as in fe::DofMap; empty: none
  index_t n_constraints = 0; ///< numbers from here on stand for unconstrained nodes
  index_t n_vertices = 0;    ///< of the space's nodes, which come first
};

struct PointValue {
  double value = 0.;             ///< of the solution; NaN outside of the mesh
  std::array<double, 3> field{}; ///< vector field: grad u, or B
  std::array<double, 3> flux{};  ///< D grad u, or H
  int region = -1;               ///< -1: outside
  index_t element = -1;          ///< that has the point; -1: outside
};

/// Evaluates at points (m). Where elements meet, the one with the smallest number counts. The cost grows as elements +
/// points (times a logarithm), so evaluate many points in one call. Without regions in `recovery` all points in the
/// mesh have region 0.
template <class ExecutionSpace, class Form>
std::vector<PointValue>
values_at(const ExecutionSpace& exec, const Form& form, const Array<const double*, ExecutionSpace>& nodal,
          const std::vector<std::array<double, 3>>& points, const FieldRecovery<ExecutionSpace>& recovery = {});

} // namespace tessera::physics

#endif
