// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_MESH_MESH_TRANSFER_HPP
#define TESSERA_DRIVER_MESH_MESH_TRANSFER_HPP

/// \file
/// Transfers meshes between files, whose arrays are plain host vectors, and a memory space.

#include "io/mesh_files/imported_mesh.hpp"
#include "mesh/mesh.hpp"

namespace tessera::driver {

/// The mesh in the memory of an execution space; complete on return. Throws if its dimension is not Dim or a count does
/// not fit index_t.
template <int Dim, class ExecutionSpace>
mesh::Mesh<Dim, typename ExecutionSpace::memory_space> upload_mesh(const ExecutionSpace& exec,
                                                                   const io::ImportedMesh& from);

/// The mesh as plain arrays on the host; complete on return.
template <int Dim, class ExecutionSpace>
io::ImportedMesh download_mesh(const ExecutionSpace& exec,
                               const mesh::Mesh<Dim, typename ExecutionSpace::memory_space>& from);

} // namespace tessera::driver

#endif
