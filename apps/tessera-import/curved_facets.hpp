// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_IMPORT_CURVED_FACETS_HPP
#define TESSERA_IMPORT_CURVED_FACETS_HPP

#include "io/imported_mesh.hpp"
#include "io/mesh_files/tag_ranks.hpp"
#include "split_cells.hpp"

namespace tessera::importer {

/// The shape of curved boundaries and interfaces: of a mesh file of higher order that of its elements' facets, of a
/// geometry that of its curves or surfaces. `ranks`: the mesh's nodes by Gmsh's tags; `scale`: metres per unit;
/// `splitter`: that of the mesh's elements. Changes Gmsh's mesh: the last thing that
/// is asked of it.
void add_curved_facets(io::ImportedMesh& mesh, bool is_mesh_file, const io::detail::TagRanks& ranks, double scale,
                       const CellSplitter& splitter);

} // namespace tessera::importer

#endif
