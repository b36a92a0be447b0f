// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_MESH_MESH_NOTES_HPP
#define TESSERA_DRIVER_MESH_MESH_NOTES_HPP

/// \file
/// Notes on meshes that need no device.

#include "io/input/case.hpp"
#include "io/mesh_files/imported_mesh.hpp"

#include <string>
#include <vector>

namespace tessera::driver {

/// Notes on names shared by a boundary and a region of the mesh.
std::vector<std::string> shared_name_notes(const io::ImportedMesh& imported);

/// Notes on shells in 3D with elements of order 1: the tensor there grows with the inverse square of the distance to
/// the outer sphere, which straight sides miss by their sagitta.
std::vector<std::string> linear_shell_notes(const io::Case& input, int dimension);

} // namespace tessera::driver

#endif
