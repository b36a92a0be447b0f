// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_IO_PICTURES_FIGURE_HPP
#define TESSERA_IO_PICTURES_FIGURE_HPP

/// \file
/// Common parts of all pictures: title, axes, legend.

#include "io/pictures/canvas.hpp"
#include "io/pictures/scale.hpp"

#include <string>
#include <vector>

namespace tessera::io::pictures {

/// Format and size of a picture's file.
struct PictureSize {
  PictureFormat format = PictureFormat::svg;
  /// Width in pixels; in SVG and PDF that of embedded images.
  int pixels = 1300;
};

/// Texts are 15 units high, so that a picture of this width can be read at half its size.
constexpr double picture_width = 720.;

constexpr double text_size = 15., small_text_size = 13.;

/// A canvas of the usual width.
std::unique_ptr<Canvas> begin_picture(const PictureSize& size, double height);
/// The bytes of the file; throws (kind resource) if Cairo fails.
std::string end_picture(Canvas& canvas);

/// An axis: numbers from `low` to `high` along one side of a box.
struct Axis {
  double low = 0., high = 1.;
  std::string name; ///< with its unit
  bool is_logarithmic = false;
};

/// Position of a value between the ends, 0 to 1.
double share_of(const Axis& axis, double value);

/// Draws the title and the caption below it, shortened to fit; both are above `bottom`.
void draw_title(Canvas& canvas, const std::string& title, const std::string& caption);
constexpr double title_height = 56.;

/// Draws ticks, numbers and names below and to the left of the box; `with_grid`: faint grid lines.
void draw_axes(Canvas& canvas, const Box& box, const Axis& horizontal, const Axis& vertical, bool with_grid);

/// Draws the colours of the values from bottom to top, with numbers to the right. `exceeds`: with a pointed end if
/// values exceed the range.
void draw_colour_bar(Canvas& canvas, const Box& box, const Axis& axis, bool exceeds);

struct LegendEntry {
  Colour colour;
  std::string name;
};
/// Draws entries below each other, as many as fit.
void draw_legend(Canvas& canvas, const Box& box, const std::vector<LegendEntry>& entries);

/// The text, truncated with "…" to at most `width`.
std::string fitting(Canvas& canvas, const std::string& text, const TextStyle& style, double width);

} // namespace tessera::io::pictures

#endif
