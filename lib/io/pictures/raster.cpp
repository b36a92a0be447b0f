// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "io/pictures/raster.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tessera::io::pictures {

namespace {

constexpr int per_pixel = 2; // samples in each direction
constexpr double line_strength = 0.55;

} // namespace

Raster::Raster(int width, int height)
    : columns_(per_pixel * width), rows_(per_pixel * height),
      values_(static_cast<std::size_t>(columns_) * static_cast<std::size_t>(rows_),
              std::numeric_limits<float>::quiet_NaN()),
      depths_(values_.size(), std::numeric_limits<float>::infinity()), shades_(values_.size(), 255),
      lines_(values_.size(), 0) {}

void Raster::triangle(const std::array<Corner, 3>& corners, double shade) {
  const auto& [a, b, c] = corners;
  const auto limits = [](double p, double q, double r, int n) {
    const double low = std::min({p, q, r}) * per_pixel - 0.5, high = std::max({p, q, r}) * per_pixel - 0.5;
    return std::pair<int, int>(static_cast<int>(std::clamp(std::ceil(low), 0., static_cast<double>(n))),
                               static_cast<int>(std::clamp(std::floor(high), -1., n - 1.)));
  };
  const auto [first_row, last_row] = limits(a.y, b.y, c.y, rows_);
  const auto [first_column, last_column] = limits(a.x, b.x, c.x, columns_);
  if (first_row > last_row || first_column > last_column)
    return;
  const double area = (b.x - a.x) * (c.y - a.y) - (c.x - a.x) * (b.y - a.y);
  if (area == 0.)
    return;
  const auto grey = static_cast<std::uint8_t>(std::lround(255. * std::clamp(shade, 0., 1.)));
  for (int row = first_row; row <= last_row; ++row) {
    const double y = (row + 0.5) / per_pixel;
    for (int column = first_column; column <= last_column; ++column) {
      const double x = (column + 0.5) / per_pixel;
      const double v = ((x - a.x) * (c.y - a.y) - (c.x - a.x) * (y - a.y)) / area;
      const double w = ((b.x - a.x) * (y - a.y) - (x - a.x) * (b.y - a.y)) / area;
      const double u = 1. - v - w;
      constexpr double slack = -1e-9; // samples on an edge belong to both triangles: no gaps
      if (u < slack || v < slack || w < slack || u * a.kept + v * b.kept + w * c.kept < 0.)
        continue;
      const std::size_t i = position(column, row);
      const auto depth = static_cast<float>(u * a.depth + v * b.depth + w * c.depth);
      if (depth > depths_[i])
        continue;
      depths_[i] = depth;
      values_[i] = static_cast<float>(u * a.value + v * b.value + w * c.value);
      shades_[i] = grey;
    }
  }
}

void Raster::line(const Corner& from, const Corner& to) {
  const double dx = (to.x - from.x) * per_pixel, dy = (to.y - from.y) * per_pixel;
  const int n = 1 + static_cast<int>(std::min(std::max(std::abs(dx), std::abs(dy)), 1e5));
  for (int k = 0; k <= n; ++k) {
    const double t = static_cast<double>(k) / n;
    if ((1. - t) * from.kept + t * to.kept < 0.)
      continue;
    const double x = std::floor(from.x * per_pixel + t * dx), y = std::floor(from.y * per_pixel + t * dy);
    if (x < 0. || y < 0. || x >= columns_ || y >= rows_)
      continue;
    const std::size_t i = position(static_cast<int>(x), static_cast<int>(y));
    if ((1. - t) * from.depth + t * to.depth <= static_cast<double>(depths_[i]))
      lines_[i] = 1;
  }
}

Image Raster::image(const std::function<std::uint32_t(double)>& colour_of) const {
  Image image;
  image.width = columns_ / per_pixel;
  image.height = rows_ / per_pixel;
  image.pixels.resize(static_cast<std::size_t>(image.width) * static_cast<std::size_t>(image.height));
  for (int row = 0; row < image.height; ++row)
    for (int column = 0; column < image.width; ++column) {
      std::array<double, 3> sum{};
      int n = 0;
      for (int j = 0; j < per_pixel; ++j)
        for (int i = 0; i < per_pixel; ++i) {
          const std::size_t k = position(per_pixel * column + i, per_pixel * row + j);
          if (std::isnan(values_[k]))
            continue;
          ++n;
          const std::uint32_t colour = colour_of(values_[k]);
          const double light = shades_[k] / 255. * (lines_[k] ? 1. - line_strength : 1.);
          for (int channel = 0; channel < 3; ++channel)
            sum[static_cast<std::size_t>(channel)] += light * ((colour >> (8 * channel)) & 255u);
        }
      constexpr int n_samples = per_pixel * per_pixel;
      std::uint32_t pixel = static_cast<std::uint32_t>(std::lround(255. * n / n_samples)) << 24;
      for (int channel = 0; channel < 3; ++channel)
        pixel |= static_cast<std::uint32_t>(std::lround(sum[static_cast<std::size_t>(channel)] / n_samples))
                 << (8 * channel);
      image.pixels[static_cast<std::size_t>(row) * static_cast<std::size_t>(image.width) +
                   static_cast<std::size_t>(column)] = pixel;
    }
  return image;
}

} // namespace tessera::io::pictures
