// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_IO_MESH_FILES_MESH_HANDOVER_HPP
#define TESSERA_IO_MESH_FILES_MESH_HANDOVER_HPP

/// \file
/// Transfers a mesh, or the reason for a failure, from the reader's process to the solver's.

#include "core/error.hpp"
#include "io/mesh_files/imported_mesh.hpp"

#include <string>

namespace tessera::io {

/// Writes the mesh to an open file; frees the arrays of `mesh` as they are written, so that the mesh is in memory only
/// once. Throws (kind resource) if it cannot be written.
void hand_over(int descriptor, ImportedMesh&& mesh);

/// Writes the reason for a failure.
void hand_over_failure(int descriptor, ErrorKind kind, const std::string& message);

/// Whether a complete result has been transferred.
bool was_handed_over(int descriptor);

/// Returns the mesh written by hand_over, or throws the error written by hand_over_failure. Sizes, numbers and the
/// checksum are checked; `path` names the mesh's file in messages.
ImportedMesh take_over(int descriptor, const std::string& path);

} // namespace tessera::io

#endif
