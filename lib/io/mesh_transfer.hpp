// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_IO_MESH_TRANSFER_HPP
#define TESSERA_IO_MESH_TRANSFER_HPP

/// \file
/// How a mesh, or the reason why there is none, goes from the process of a reader to that of the solver.

#include "core/error.hpp"
#include "io/imported_mesh.hpp"

#include <string>

namespace tessera::io {

/// Writes the mesh into an open file; arrays of `mesh` are freed as they are written, so that the mesh is in memory
/// once. Throws (kind resource) when the file does not take it.
void hand_over(int descriptor, ImportedMesh&& mesh);

/// Writes why there is no mesh.
void hand_over_failure(int descriptor, ErrorKind kind, const std::string& message);

/// Whether something was handed over as a whole.
bool was_handed_over(int descriptor);

/// The mesh that hand_over wrote, or throws the error that hand_over_failure wrote. Sizes, numbers and the checksum are
/// checked; `path` names the mesh's file in messages.
ImportedMesh take_over(int descriptor, const std::string& path);

} // namespace tessera::io

#endif
