// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_PHYSICS_BODY_WEIGHTS_HPP
#define TESSERA_PHYSICS_BODY_WEIGHTS_HPP

/// \file
/// Functions that are 1 on a body and fall to 0 around it, by which forces are integrals over elements
/// (docs/theory.md, "Forces").

#include "mesh/mesh.hpp"
#include "physics/part_of_mesh.hpp"

#include <array>
#include <vector>

namespace tessera::physics {

/// Groups of a mesh that make a body: regions, or the boundaries of what is not meshed.
struct BodyGroups {
  std::vector<bool> regions;    ///< [n_regions]
  std::vector<bool> boundaries; ///< [n_boundaries]
};

/// What ends the layers of elements around a body, besides the outside of the mesh.
struct LayerEnds {
  std::vector<bool> boundaries; ///< [n_boundaries]: those with conditions, unless they are the body's own
  std::vector<int> media;       ///< [n_regions]: equal numbers are one medium; empty: each region is one of its own
  bool has_axis = false;        ///< x = 0 is the axis of symmetry, and ends nothing
};

/// Continuous functions, linear in each element, by their values at the vertices, [n_nodes].
template <class MemorySpace> struct BodyWeights {
  Array<double*, MemorySpace> narrow; ///< 1 at the body's vertices, 0 at others: falls within one layer of elements
  Array<double*, MemorySpace> wide;   ///< 1/2 at vertices next to the body that nothing else touches: two layers
  bool is_wide = false;               ///< two layers lie everywhere around the body
  bool is_periodic = false;           ///< one of the functions goes across periodic boundaries
  std::vector<bool> layer_regions;    ///< [n_regions]: those of the elements where one of the functions varies
  /// Where one layer lies between the body and what it meets: the regions and boundaries there ([n_regions],
  /// [n_boundaries]), whether the outside of the mesh is among them, and the place (m) with the least x, then y, then
  /// z.
  std::vector<bool> met_regions;
  std::vector<bool> met_boundaries;
  bool meets_outside = false;
  std::array<double, 3> meets_at{};
};

/// A boundary or outside of the mesh that the body itself reaches, such as a plane of symmetry, goes through the layers
/// and does not end them. `node_source`: of the dof map; identified vertices have the same values. `part`: of parts,
/// with three layers around, where the values at the vertices of own elements are those of the whole; collective then.
template <class ExecutionSpace, int Dim>
BodyWeights<typename ExecutionSpace::memory_space>
make_body_weights(const ExecutionSpace& exec, const mesh::Mesh<Dim, typename ExecutionSpace::memory_space>& mesh,
                  const BodyGroups& body, const LayerEnds& ends,
                  const Array<const index_t*, ExecutionSpace>& node_source = {},
                  const PartOfMesh<ExecutionSpace>* part = nullptr);

} // namespace tessera::physics

#endif
