// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_IMPORT_IMPORTER_HPP
#define TESSERA_IMPORT_IMPORTER_HPP

/// \file
/// What the two programs have each in its own way.

#include "io/import_request.hpp"
#include "io/imported_mesh.hpp"

#include <string>

namespace tessera::importer {

/// Makes the mesh that was asked for, or throws tessera::Error.
io::ImportedMesh read(const io::ImportRequest& request);

/// "Gmsh 4.8.4" or the like.
std::string library_version();

} // namespace tessera::importer

#endif
