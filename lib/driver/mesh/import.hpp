// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_MESH_IMPORT_HPP
#define TESSERA_DRIVER_MESH_IMPORT_HPP

/// \file
/// Meshes of cases on the host, from geometries and files.

#include "driver/context.hpp"
#include "io/geometry/import_process.hpp"
#include "io/mesh_files/imported_mesh.hpp"

#include <string>
#include <vector>

namespace tessera::driver {

/// Mesh of the case on the host; for a box only its dimension, because boxes are made on the device. The shape of
/// curved boundaries is included if the case requests it (mesh.curved) and needs it; `keeps_shape`: even if it is not
/// needed. `watch`, `with_entities`: as for io::read_mesh.
io::ImportedMesh read_mesh_of_case(const io::Case& input, const io::ImportWatch& watch = {}, bool keeps_shape = false,
                                   bool with_entities = false);

/// The same as a phase of a run, unless it is a box; notes of the import are added to those of the context.
io::ImportedMesh import_mesh(const io::Case& input, Context& context, bool keeps_shape = false,
                             bool with_entities = false);

/// Sets mesh.levels of the case to those that the import left to refinement, as further steps expect.
void take_levels(io::Case& input, const io::ImportedMesh& imported);

/// Assigns to each region of the case's mesh the material whose wildcard matches; throws an error for the user.
void spread_materials(io::Case& input, const io::ImportedMesh& imported);

/// Notes on names shared by a boundary and a region of the mesh.
std::vector<std::string> shared_name_notes(const io::ImportedMesh& imported);

} // namespace tessera::driver

#endif
