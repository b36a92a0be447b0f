// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_MESH_COARSER_MESHES_HPP
#define TESSERA_MESH_COARSER_MESHES_HPP

namespace tessera::mesh {

/// What a mesh is to know of the coarser ones that it was refined from. A whole mesh has both with Mesh::node_parents;
/// a process's part of one knows the coarser nodes by MeshPart::nested, and coarser elements by node_parents of its
/// next coarser mesh.
enum class CoarserMeshes { none, nodes, elements };

} // namespace tessera::mesh

#endif
