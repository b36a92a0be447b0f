// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_IMPORT_LIST_ENTITIES_HPP
#define TESSERA_IMPORT_LIST_ENTITIES_HPP

#include "io/mesh_files/imported_mesh.hpp"
#include "split_cells.hpp"

#include <vector>

namespace tessera::importer {

/// Lists the volumes (in 3D), surfaces and curves of Gmsh's current, meshed model, each by its number, whether in
/// physical groups or not. `scale`: metres per unit. Measures are sums over the simplices of `splitter`.
std::vector<io::MeshEntity> list_entities(int dimension, double scale, const CellSplitter& splitter);

} // namespace tessera::importer

#endif
