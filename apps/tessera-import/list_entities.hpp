// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_IMPORT_LIST_ENTITIES_HPP
#define TESSERA_IMPORT_LIST_ENTITIES_HPP

#include "io/imported_mesh.hpp"

#include <vector>

namespace tessera::importer {

/// Volumes (in three dimensions), surfaces and curves of Gmsh's current model, which is meshed, each by number: in
/// physical groups or not. `scale`: metres per unit.
std::vector<io::MeshEntity> list_entities(int dimension, double scale);

} // namespace tessera::importer

#endif
