// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_PHYSICS_PART_OF_MESH_HPP
#define TESSERA_PHYSICS_PART_OF_MESH_HPP

#include "comm/communicator.hpp"
#include "core/parallel.hpp"

namespace tessera::physics {

/// What a process has of a mesh of which each of several has a part, with layers of elements around: elements and nodes
/// that no other process has.
template <class ExecutionSpace> struct PartOfMesh {
  Array<const index_t*, ExecutionSpace> own_elements;
  index_t first_own = 0; ///< node
  index_t n_own = 0;
  const comm::Communicator* world = nullptr;
};

} // namespace tessera::physics

#endif
