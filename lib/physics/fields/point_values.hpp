// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_PHYSICS_FIELDS_POINT_VALUES_HPP
#define TESSERA_PHYSICS_FIELDS_POINT_VALUES_HPP

/// \file
/// Solution, vector field and flux of a form (physics/fields/derived.hpp) at points.

#include "core/parallel.hpp"

#include <array>
#include <vector>

namespace tessera::physics {

/// How fields at points are computed: from the element or, if `requested`, interpolated from fields recovered at its
/// nodes from the surrounding elements (docs/theory.md, "Fields at points"), which are continuous in each region.
template <class ExecutionSpace> struct FieldRecovery {
  using Groups = Array<const group_t*, ExecutionSpace>;
  bool requested = false;
  index_t n_nodes = 0;       ///< of the space
  Groups regions;            ///< by element
  Groups node_constraint;    ///< as in fe::DofMap; empty: none
  index_t n_constraints = 0; ///< larger numbers denote unconstrained nodes
  index_t n_vertices = 0;    ///< of the space's nodes, which are numbered first
};

struct PointValue {
  double value = 0.;             ///< of the solution; NaN outside the mesh
  std::array<double, 3> field{}; ///< vector field: grad u, or B
  std::array<double, 3> flux{};  ///< D grad u, or H
  int region = -1;               ///< -1: outside
  index_t element = -1;          ///< element with the point; -1: outside
};

/// Evaluates at points (m). If several elements contain a point, the one with the smallest index is used. The cost
/// grows as elements + points (times a logarithm), so evaluate many points in one call. Without regions in `recovery`
/// all points in the mesh have region 0.
template <class ExecutionSpace, class Form>
std::vector<PointValue>
values_at(const ExecutionSpace& exec, const Form& form, const Array<const double*, ExecutionSpace>& nodal,
          const std::vector<std::array<double, 3>>& points, const FieldRecovery<ExecutionSpace>& recovery = {});

} // namespace tessera::physics

#endif
