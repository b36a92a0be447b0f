// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_IO_PICTURES_BODY_VIEW_HPP
#define TESSERA_IO_PICTURES_BODY_VIEW_HPP

/// \file
/// A 3D view of a grid, cut open, in parallel projection.

#include "io/pictures/plane_mesh.hpp"
#include "io/pictures/raster.hpp"

#include <array>

namespace tessera::io::pictures {

/// The part of a grid on one side of a section, viewed from the other side; the part with the larger share of the
/// bounding box.
class BodyView {
public:
  BodyView(const SimplexGrid& grid, const Section& section);

  /// Extents of the picture, m.
  double width() const { return high_[0] - low_[0]; }
  double height() const { return high_[1] - low_[1]; }
  /// Directions of the axes x, y and z in the picture, x to the right and y upwards; unit vectors projected.
  std::array<Place, 3> axes() const;

  /// Draws the surface, shaded, and the section, unshaded, with values at the corners of the grid's tetrahedra and of
  /// the section's triangles. `per_metre`: pixels.
  void draw(Raster& raster, double per_metre, const std::vector<double>& values, const PlaneMesh& cut,
            const CornerValues& cut_values, bool with_edges) const;

private:
  using Point = std::array<double, 3>;
  Raster::Corner corner_at(const Point& p, double value, double per_metre, bool is_on_section) const;
  Point point_of(std::int32_t number) const;

  const SimplexGrid& grid_;
  Section section_;
  double kept_sign_ = 1.;                           ///< sign of the kept part: 1 if its coordinate is larger than the
                                                    ///< section's
  Point eye_{}, right_{}, up_{};                    ///< directions
  std::array<double, 2> low_{}, high_{};            ///< of the picture, m
  std::vector<std::array<std::uint32_t, 2>> faces_; ///< of the surface: tetrahedron, opposite corner
};

} // namespace tessera::io::pictures

#endif
