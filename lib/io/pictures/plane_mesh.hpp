// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_IO_PICTURES_PLANE_MESH_HPP
#define TESSERA_IO_PICTURES_PLANE_MESH_HPP

/// \file
/// Triangles in a plane: 2D meshes, and sections of 3D meshes.

#include "io/pictures/canvas.hpp"
#include "io/pictures/result_file.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace tessera::io::pictures {

using Triangle = std::array<std::int32_t, 3>;

struct PlaneMesh {
  std::vector<Place> points; ///< m, y upwards
  std::vector<Triangle> triangles;
  std::vector<std::int32_t> elements; ///< [n] the element that contains each triangle
  std::vector<std::uint16_t> regions; ///< [n]
};

double area_of(const PlaneMesh& mesh, const Triangle& triangle); ///< m^2

/// The plane x, y or z (axis 0, 1, 2) = position, m.
struct Section {
  int axis = 2;
  double position = 0.;
};

/// Values at the corners of triangles, [n][3].
using CornerValues = std::vector<std::array<double, 3>>;

/// The mesh of a 2D grid, and values at its corners.
PlaneMesh plane_mesh(const SimplexGrid& grid);
CornerValues plane_values(const std::vector<double>& values);

/// The section of a 3D grid with a plane, with its other two axes in order to the right and upwards, and interpolated
/// values. A plane that touches the grid's boundary is moved slightly inside.
PlaneMesh section_mesh(const SimplexGrid& grid, const Section& section);
CornerValues section_values(const SimplexGrid& grid, const Section& section, const std::vector<double>& values);

/// Sections of a grid across the shortest side of its bounding box: where the coordinate is 0 if that is inside, else
/// in the middle; or both, if the box ends at 0, as many models end at planes of symmetry.
std::vector<Section> usual_sections(const SimplexGrid& grid);

/// Sections through the middle of a grid's bounding box, across each of its sides.
std::vector<Section> middle_sections(const SimplexGrid& grid);

/// Neighbours of triangles: [n][3], across the edge from corner k to the next; -1: none.
std::vector<Triangle> neighbours_of(const std::vector<Triangle>& triangles);

/// Contour lines of a level, over all triangles whose values differ by more than `noise`: where there is no field,
/// rounding would produce meaningless lines.
std::vector<Polyline> contour_lines(const PlaneMesh& mesh, const std::vector<Triangle>& neighbours,
                                    const CornerValues& values, double level, double noise);

/// The outline of the mesh and the interfaces of its regions.
std::vector<Polyline> outlines(const PlaneMesh& mesh, const std::vector<Triangle>& neighbours);

/// The line with fewer points, none farther from it than `tolerance` (D. Douglas, T. Peucker 1973).
Polyline simplified(const Polyline& line, double tolerance);

} // namespace tessera::io::pictures

#endif
