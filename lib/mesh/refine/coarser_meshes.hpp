// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_MESH_REFINE_COARSER_MESHES_HPP
#define TESSERA_MESH_REFINE_COARSER_MESHES_HPP

namespace tessera::mesh {

/// The data that a mesh stores about the coarser meshes from which it was refined. A whole mesh has both by
/// Mesh::node_parents; a process's part has the coarser nodes by MeshPart::nested, and coarser elements by node_parents
/// of its next coarser mesh.
enum class CoarserMeshes { none, nodes, elements };

} // namespace tessera::mesh

#endif
