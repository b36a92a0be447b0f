// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_MESH_SPLIT_JOINTS_HPP
#define TESSERA_DRIVER_MESH_SPLIT_JOINTS_HPP

#include "io/mesh_files/imported_mesh.hpp"

#include <vector>

namespace tessera::driver {

/// Cuts a mesh along the facets of boundary groups: a node there becomes one node for each set of its elements that are
/// connected through other facets. The first set keeps the node, further ones get new nodes at the end, so that an
/// interface that ends within the body has single nodes at its end. Facets of groups, and curved ones, that lie on the
/// cut are listed for both sides, in the same order of nodes.
io::ImportedMesh split_joints(const io::ImportedMesh& mesh, const std::vector<group_t>& groups);

} // namespace tessera::driver

#endif
