// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_IO_MESH_FILES_POLYGON_TRIANGLES_HPP
#define TESSERA_IO_MESH_FILES_POLYGON_TRIANGLES_HPP

/// \file
/// Polygons of meshes of other programs, as triangles.

#include <array>
#include <optional>
#include <vector>

namespace tessera::io {

/// Splits a polygon in 2D, convex or not, without new points: three indices into `corners` for each triangle, with the
/// orientation of the polygon. Corners on a straight side are kept, so that neighbours that end there are connected.
/// Returns nothing if the polygon crosses or touches itself, or has no area.
std::optional<std::vector<int>> triangles_of_polygon(const std::vector<std::array<double, 2>>& corners);

} // namespace tessera::io

#endif
