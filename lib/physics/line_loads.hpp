// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_PHYSICS_LINE_LOADS_HPP
#define TESSERA_PHYSICS_LINE_LOADS_HPP

/// \file
/// Loads of sources along straight lines in space: f_a = density * integral of shape function a along the line.

#include "physics/point_loads.hpp"

#include <array>
#include <vector>

namespace tessera::physics {

/// A line in pieces, each in one element.
struct LineLoads {
  double length = 0.;                    ///< m
  double outside = 0.;                   ///< m of it that lie outside of the mesh
  std::array<double, 3> first_outside{}; ///< m, where that begins
  std::vector<PointLoad> pieces;         ///< in the direction of the line
};

/// Cuts the line where it leaves the (straight) elements that it crosses, and integrates over each piece with a rule
/// that is exact in straight elements. Where a piece lies in several elements, in a common face or edge, one of them
/// has it: their shape functions agree there.
template <class ExecutionSpace, class Form>
LineLoads line_loads(const ExecutionSpace& exec, const Form& form, const LineSource& source);

} // namespace tessera::physics

#endif
