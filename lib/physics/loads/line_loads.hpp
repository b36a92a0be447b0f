// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_PHYSICS_LOADS_LINE_LOADS_HPP
#define TESSERA_PHYSICS_LOADS_LINE_LOADS_HPP

/// \file
/// Loads of sources along straight lines in space: f_a = density * integral of shape function a along the line.

#include "comm/communicator.hpp"
#include "physics/loads/point_loads.hpp"

#include <array>
#include <vector>

namespace tessera::physics {

/// A line cut into pieces, each in one element.
struct LineLoads {
  double length = 0.;                    ///< m
  double outside = 0.;                   ///< m, length outside the mesh
  std::array<double, 3> first_outside{}; ///< m, start of the first part outside
  /// In the direction of the line; pieces in elements of other processes only are empty.
  std::vector<PointLoad> pieces;
};

/// Indices of elements that a line crosses; on a distributed mesh, the data that make the pieces the same in all
/// processes.
template <class ExecutionSpace> struct LineMesh {
  Array<const index_t*, ExecutionSpace> original_element; ///< in the user's mesh; empty: the same, or too large for a
                                                          ///< distributed mesh
  bool is_part = false;
  Array<const index_t*, ExecutionSpace> owned_elements; ///< on a distributed mesh, ascending: elements that this
                                                        ///< process owns
  Array<const index_t*, ExecutionSpace> original_node;  ///< on a distributed mesh: global indices of the local vertices
  const comm::Communicator* world = &comm::alone();
};

/// Cuts the line where it leaves the (straight) elements that it crosses, and integrates over each piece with a rule
/// that is exact in straight elements. A piece in a common face or edge of several elements is assigned to one of them,
/// independently of their local order and of the process that has them: their shape functions agree there. Collective
/// on a distributed mesh.
template <class ExecutionSpace, class Form>
LineLoads line_loads(const ExecutionSpace& exec, const Form& form, const LineSource& source,
                     const LineMesh<ExecutionSpace>& mesh);

} // namespace tessera::physics

#endif
