// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_MESH_MESH_NOTES_HPP
#define TESSERA_DRIVER_MESH_MESH_NOTES_HPP

/// \file
/// Notes on meshes that need no device.

#include "io/case.hpp"
#include "io/imported_mesh.hpp"

#include <string>
#include <vector>

namespace tessera::driver {

/// Notes on names that a boundary and a region of the mesh have in common.
std::vector<std::string> shared_name_notes(const io::ImportedMesh& imported);

/// Notes on shells in space with elements of order 1: the tensor there grows with the inverse square of the distance to
/// the outer sphere, which these miss by the sagitta of their straight sides.
std::vector<std::string> linear_shell_notes(const io::Case& input, int dimension);

} // namespace tessera::driver

#endif
