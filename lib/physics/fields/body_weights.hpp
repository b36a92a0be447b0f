// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_PHYSICS_FIELDS_BODY_WEIGHTS_HPP
#define TESSERA_PHYSICS_FIELDS_BODY_WEIGHTS_HPP

/// \file
/// Functions that are 1 on a body and decrease to 0 around it, by which forces are computed as integrals over elements
/// (docs/theory.md, "Forces").

#include "mesh/mesh.hpp"
#include "physics/forms/part_of_mesh.hpp"

#include <array>
#include <vector>

namespace tessera::physics {

/// Groups of a mesh that form a body: regions, or the boundaries of a body that is not meshed.
struct BodyGroups {
  std::vector<bool> regions;    ///< [n_regions]
  std::vector<bool> boundaries; ///< [n_boundaries]
};

/// What ends the layers of elements around a body, in addition to the exterior boundary of the mesh.
struct LayerEnds {
  std::vector<bool> boundaries; ///< [n_boundaries]: boundaries with conditions; those of the body are ignored
  std::vector<int> media;       ///< [n_regions]: equal numbers denote one medium; empty: each region is a separate
                                ///< medium
  bool has_axis = false;        ///< x = 0 is the axis of symmetry, which does not end layers
};

/// Continuous functions, linear in each element, by their values at the vertices, [n_nodes].
template <class MemorySpace> struct BodyWeights {
  Array<double*, MemorySpace> narrow; ///< 1 at the body's vertices, 0 at others: decreases within one layer of elements
  Array<double*, MemorySpace> wide;   ///< 1/2 at vertices next to the body that touch nothing else: decreases within
                                      ///< two layers
  bool is_wide = false;               ///< whether there are two layers everywhere around the body
  bool is_periodic = false;           ///< whether one of the functions crosses periodic boundaries
  std::vector<bool> layer_regions;    ///< [n_regions]: regions of the elements in which one of the functions varies
  /// The places with only one layer between the body and something else: the regions and boundaries there ([n_regions],
  /// [n_boundaries]), whether the exterior boundary is among them, and the location (m) with the least x, then y, then
  /// z.
  std::vector<bool> met_regions;
  std::vector<bool> met_boundaries;
  bool meets_outside = false;
  std::array<double, 3> meets_at{};
};

/// Computes the functions. A boundary of the mesh that the body itself reaches, such as a plane of symmetry, passes
/// through the layers and does not end them. `node_source`: of the dof map; identified vertices have the same values.
/// `part`: for a distributed mesh, with three layers of ghost elements, where the values at the vertices of owned
/// elements equal those on the undistributed mesh; then collective.
template <class ExecutionSpace, int Dim>
BodyWeights<typename ExecutionSpace::memory_space>
make_body_weights(const ExecutionSpace& exec, const mesh::Mesh<Dim, typename ExecutionSpace::memory_space>& mesh,
                  const BodyGroups& body, const LayerEnds& ends,
                  const Array<const index_t*, ExecutionSpace>& node_source = {},
                  const PartOfMesh<ExecutionSpace>* part = nullptr);

} // namespace tessera::physics

#endif
