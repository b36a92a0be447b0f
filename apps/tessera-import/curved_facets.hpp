// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_IMPORT_CURVED_FACETS_HPP
#define TESSERA_IMPORT_CURVED_FACETS_HPP

#include "io/mesh_files/imported_mesh.hpp"
#include "io/mesh_files/tag_ranks.hpp"
#include "split_cells.hpp"

namespace tessera::importer {

/// Adds the shape of curved boundaries and interfaces to `mesh`. For a mesh file of higher order, the shape is that of
/// the elements' facets; for a geometry, that of its curves or surfaces. `ranks`: numbers of the mesh's nodes by Gmsh's
/// tags; `scale`: metres per unit; `splitter`: splits the elements of the mesh into simplices. Changes Gmsh's mesh, so
/// this has to be the last step of an import.
void add_curved_facets(io::ImportedMesh& mesh, bool is_mesh_file, const io::detail::TagRanks& ranks, double scale,
                       const CellSplitter& splitter);

} // namespace tessera::importer

#endif
