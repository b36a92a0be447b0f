// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_PHYSICS_LINE_LOADS_HPP
#define TESSERA_PHYSICS_LINE_LOADS_HPP

/// \file
/// Loads of sources along straight lines in space: f_a = density * integral of shape function a along the line.

#include "comm/communicator.hpp"
#include "physics/point_loads.hpp"

#include <array>
#include <vector>

namespace tessera::physics {

/// A line in pieces, each in one element.
struct LineLoads {
  double length = 0.;                    ///< m
  double outside = 0.;                   ///< m of it that lie outside of the mesh
  std::array<double, 3> first_outside{}; ///< m, where that begins
  /// In the direction of the line; those in elements that another process alone has are empty.
  std::vector<PointLoad> pieces;
};

/// Numbers of what a line crosses; of a mesh of which each process has a part, what makes its pieces the same in all.
template <class ExecutionSpace> struct LineMesh {
  Array<const index_t*, ExecutionSpace> original_element; ///< of the user's mesh; empty: the same, or too many in parts
  bool is_part = false;
  Array<const index_t*, ExecutionSpace> own_elements;  ///< of a part, ascending: no other process has them
  Array<const index_t*, ExecutionSpace> original_node; ///< of a part: numbers of its vertices among those of all
  const comm::Communicator* world = &comm::alone();
};

/// Cuts the line where it leaves the (straight) elements that it crosses, and integrates over each piece with a rule
/// that is exact in straight elements. Where a piece lies in several elements, in a common face or edge, one of them
/// has it, which does not depend on their order here, nor on the process that has them: their shape functions agree
/// there. Of parts collective.
template <class ExecutionSpace, class Form>
LineLoads line_loads(const ExecutionSpace& exec, const Form& form, const LineSource& source,
                     const LineMesh<ExecutionSpace>& mesh);

} // namespace tessera::physics

#endif
