// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_PHYSICS_BODY_WEIGHTS_HPP
#define TESSERA_PHYSICS_BODY_WEIGHTS_HPP

/// \file
/// Functions that are 1 on a body and fall to 0 around it, by which forces are integrals over elements
/// (docs/theory.md, "Forces").

#include "mesh/mesh.hpp"
#include "physics/part_of_mesh.hpp"

#include <vector>

namespace tessera::physics {

/// Groups of a mesh that make a body: regions, or the boundaries of what is not meshed.
struct BodyGroups {
  std::vector<bool> regions;    ///< [n_regions]
  std::vector<bool> boundaries; ///< [n_boundaries]
};

/// Continuous functions, linear in each element, by their values at the vertices, [n_nodes].
template <class MemorySpace> struct BodyWeights {
  Array<double*, MemorySpace> narrow; ///< 1 at the body's vertices, 0 at others: falls within one layer of elements
  Array<double*, MemorySpace> wide;   ///< 1/2 at vertices next to the body that nothing else touches: two layers
  bool is_wide = false;               ///< there are such vertices
  bool is_periodic = false;           ///< one of the functions goes across periodic boundaries
  std::vector<bool> layer_regions;    ///< [n_regions]: those of the elements where one of the functions varies
};

/// `stops`: boundaries (of conditions) at which both functions are 0 unless they are the body's own. `node_source`: of
/// the dof map; identified vertices have the same values. `part`: of parts,
/// with two layers around, where the values at the vertices of own elements are those of the whole; collective then.
template <class ExecutionSpace, int Dim>
BodyWeights<typename ExecutionSpace::memory_space>
make_body_weights(const ExecutionSpace& exec, const mesh::Mesh<Dim, typename ExecutionSpace::memory_space>& mesh,
                  const BodyGroups& body, const std::vector<bool>& stops,
                  const Array<const index_t*, ExecutionSpace>& node_source = {},
                  const PartOfMesh<ExecutionSpace>* part = nullptr);

} // namespace tessera::physics

#endif
