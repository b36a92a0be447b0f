// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "gmsh_import.hpp"
#include "importer.hpp"

#include <gmsh.h>

namespace tessera::importer {

io::ImportedMesh read(const io::ImportRequest& request) { return io::import_gmsh(request); }

std::string library_version() { return std::string("Gmsh ") + GMSH_API_VERSION; }

} // namespace tessera::importer
