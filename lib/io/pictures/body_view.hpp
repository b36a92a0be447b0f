// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_IO_PICTURES_BODY_VIEW_HPP
#define TESSERA_IO_PICTURES_BODY_VIEW_HPP

/// \file
/// Three dimensions seen in space, by parallel projection, cut open.

#include "io/pictures/plane_mesh.hpp"
#include "io/pictures/raster.hpp"

#include <array>

namespace tessera::io::pictures {

/// The part of a grid on one side of a section, seen from the other side: the larger one of its box.
class BodyView {
public:
  BodyView(const SimplexGrid& grid, const Section& section);

  /// Extents of the picture, m.
  double width() const { return high_[0] - low_[0]; }
  double height() const { return high_[1] - low_[1]; }
  /// Where the axes x, y and z point to in the picture, x to the right and y upwards; parts of 1.
  std::array<Place, 3> axes() const;

  /// Draws the surface, shaded, and the section, which is not, with values at the corners of the grid's tetrahedra and
  /// at those of the section's triangles. `per_metre` pixels.
  void draw(Raster& raster, double per_metre, const std::vector<double>& values, const PlaneMesh& cut,
            const CornerValues& cut_values, bool with_edges) const;

private:
  using Point = std::array<double, 3>;
  Raster::Corner corner_at(const Point& p, double value, double per_metre, bool is_on_section) const;
  Point point_of(std::int32_t number) const;

  const SimplexGrid& grid_;
  Section section_;
  double kept_sign_ = 1.;                           ///< the kept part has a larger coordinate than the section
  Point eye_{}, right_{}, up_{};                    ///< directions
  std::array<double, 2> low_{}, high_{};            ///< of the picture, m
  std::vector<std::array<std::uint32_t, 2>> faces_; ///< of the surface: tetrahedron, corner opposite
};

} // namespace tessera::io::pictures

#endif
