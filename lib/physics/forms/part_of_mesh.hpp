// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_PHYSICS_FORMS_PART_OF_MESH_HPP
#define TESSERA_PHYSICS_FORMS_PART_OF_MESH_HPP

#include "comm/communicator.hpp"
#include "core/parallel.hpp"

namespace tessera::physics {

/// The elements and nodes that a process owns of a distributed mesh with layers of ghost elements.
template <class ExecutionSpace> struct PartOfMesh {
  Array<const index_t*, ExecutionSpace> owned_elements;
  index_t first_owned = 0; ///< first owned node
  index_t n_owned = 0;
  const comm::Communicator* world = nullptr;
};

} // namespace tessera::physics

#endif
