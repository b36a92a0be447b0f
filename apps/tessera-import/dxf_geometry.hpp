// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_IMPORT_DXF_GEOMETRY_HPP
#define TESSERA_IMPORT_DXF_GEOMETRY_HPP

#include "io/geometry/dxf_drawing.hpp"

#include <string>
#include <vector>

namespace tessera::importer {

/// Makes the surfaces of a drawing in Gmsh's model, with names as physical groups, and appends notes.
///
/// - Curves cross and end on each other as drawn: they are split there. Ends closer than 1e-6 of the drawing's diagonal
///   are joined. An end that meets nothing is an error.
/// - Closed regions with a label inside are named by it, and the others are holes. If no region has a label, all are
///   meshed, named by the layer that holds their whole outer outline; where none does, several do, or layer 0, they are
///   called surface_1, ...
/// - The curves of a layer are a boundary; those of layer 0 are boundaries of their own, curve_1, ...
void make_surfaces(const io::DxfDrawing& drawing, const std::string& path, std::vector<std::string>& notes);

} // namespace tessera::importer

#endif
