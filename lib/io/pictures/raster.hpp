// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_IO_PICTURES_RASTER_HPP
#define TESSERA_IO_PICTURES_RASTER_HPP

#include "io/pictures/canvas.hpp"

#include <array>
#include <functional>
#include <vector>

namespace tessera::io::pictures {

/// Values on a grid of samples, two by two for each pixel of the image made of them. Smooth edges at any number of
/// triangles, in time for each sample and each triangle.
class Raster {
public:
  Raster(int width, int height); ///< pixels

  /// A corner in pixels from the upper left, with what is interpolated between the corners. Where `depth` is less, it
  /// is nearer to the eye; parts with a negative `kept` are left out.
  struct Corner {
    double x = 0., y = 0.;
    double value = 0.;
    double depth = 0.;
    double kept = 0.;
  };
  /// Fills a triangle; `shade` from 0 to 1 darkens it. What was there remains where it is nearer.
  void triangle(const std::array<Corner, 3>& corners, double shade = 1.);
  /// Thin grey line, on what is as near or farther.
  void line(const Corner& from, const Corner& to);

  /// The image, with the colour of each value as 0xAARRGGBB.
  Image image(const std::function<std::uint32_t(double)>& colour_of) const;

private:
  std::size_t place(int column, int row) const {
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
