// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_IO_PICTURES_RASTER_HPP
#define TESSERA_IO_PICTURES_RASTER_HPP

#include "io/pictures/canvas.hpp"

#include <array>
#include <functional>
#include <vector>

namespace tessera::io::pictures {

/// Values on a grid of samples, two by two for each pixel of the resulting image. Edges are smooth for any number of
/// triangles, at a cost per sample and per triangle.
class Raster {
public:
  Raster(int width, int height); ///< pixels

  /// A corner in pixels from the upper left, with the values that are interpolated. A smaller `depth` is nearer to the
  /// viewer; parts with negative `kept` are omitted.
  struct Corner {
    double x = 0., y = 0.;
    double value = 0.;
    double depth = 0.;
    double kept = 0.;
  };
  /// Fills a triangle; `shade` from 0 to 1 darkens it. Nearer samples are kept.
  void triangle(const std::array<Corner, 3>& corners, double shade = 1.);
  /// Draws a thin grey line in front of everything that is as near or farther.
  void line(const Corner& from, const Corner& to);

  /// The image; `colour_of` maps values to 0xAARRGGBB.
  Image image(const std::function<std::uint32_t(double)>& colour_of) const;

private:
  std::size_t position(int column, int row) const {
    return static_cast<std::size_t>(row) * static_cast<std::size_t>(columns_) + static_cast<std::size_t>(column);
  }

  int columns_, rows_;
  std::vector<float> values_; // NaN: nothing
  std::vector<float> depths_;
  std::vector<std::uint8_t> shades_;
  std::vector<std::uint8_t> lines_;
};

} // namespace tessera::io::pictures

#endif
