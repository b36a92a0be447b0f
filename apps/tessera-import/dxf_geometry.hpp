// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_IMPORT_DXF_GEOMETRY_HPP
#define TESSERA_IMPORT_DXF_GEOMETRY_HPP

#include "io/geometry/dxf_drawing.hpp"

#include <string>
#include <vector>

namespace tessera::importer {

/// Creates the surfaces of a drawing in Gmsh's model, names them by physical groups, and appends notes.
///
/// - Curves are split where they cross or end on each other. Ends closer than 1e-6 of the drawing's diagonal, or than
///   `join`, are joined. What still ends freely is an error without `join` (NaN), and left out otherwise.
/// - Closed regions with a label inside get its name, and the others are holes. If no region has a label, all regions
///   are meshed and get the name of the layer that contains their whole outer outline; if no layer does, several do, or
///   it is layer 0, they are called surface_1, ...
/// - The curves of a layer form one boundary; each curve of layer 0 is a separate boundary, curve_1, ...
void make_surfaces(const io::DxfDrawing& drawing, const std::string& path, double join,
                   std::vector<std::string>& notes);

} // namespace tessera::importer

#endif
