// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_MESH_BOX_GROUPS_HPP
#define TESSERA_DRIVER_MESH_BOX_GROUPS_HPP

#include "io/input/case.hpp"
#include "io/input/named_groups.hpp"
#include "mesh/mesh.hpp"

namespace tessera::driver {

/// The groups of a box after mesh.groups; groups of meshes from files are joined when these are read. Members are found
/// in a box of one cell, which has the same groups.
io::JoinedGroups box_groups(const io::MeshOptions& options);

/// The box of one cell with its groups joined, in metres.
io::ImportedMesh box_of_one_cell(const io::MeshOptions& options);

/// Sets the groups of a box.
template <class ExecutionSpace, int Dim>
void set_box_groups(const ExecutionSpace& exec, const io::JoinedGroups& groups,
                    mesh::Mesh<Dim, typename ExecutionSpace::memory_space>& mesh);

} // namespace tessera::driver

#endif
