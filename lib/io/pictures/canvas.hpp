// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_IO_PICTURES_CANVAS_HPP
#define TESSERA_IO_PICTURES_CANVAS_HPP

/// \file
/// The surface on which pictures are drawn. The module apps/tessera-cairo implements it with Cairo, whose libraries are
/// loaded by the first picture.

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace tessera::io::pictures {

/// Red, green and blue of sRGB and opacity, from 0 to 1.
struct Colour {
  double red = 0., green = 0., blue = 0., opacity = 1.;
};

/// Position in a drawing: in units of 1/72 inch at natural size, y downwards.
struct Place {
  double x = 0., y = 0.;
};

struct Box {
  double x = 0., y = 0., width = 0., height = 0.;
  double right() const { return x + width; }
  double bottom() const { return y + height; }
};

/// Rows of pixels from the top; 0xAARRGGBB, colours multiplied by opacity.
struct Image {
  int width = 0, height = 0;
  std::vector<std::uint32_t> pixels;
};

struct Polyline {
  std::vector<Place> places;
  bool is_closed = false;
};

struct LineStyle {
  Colour colour;
  double width = 1.;
};

struct TextStyle {
  double size = 15.;
  Colour colour;
  bool is_bold = false;
  bool is_upright = false; ///< runs from the bottom to the top
  double across = 0.;      ///< fraction of the text before the position: 0 left-aligned, 0.5 centred, 1 right-aligned
};

enum class PictureFormat { png, svg, pdf };

/// A drawing. Later items cover earlier ones.
class Canvas {
public:
  virtual ~Canvas() = default;
  /// Recommended pixels per unit of images.
  virtual double resolution() const = 0;
  virtual void image(const Image& image, const Box& box) = 0;
  virtual void lines(const std::vector<Polyline>& lines, const LineStyle& style) = 0;
  virtual void fill(const Box& box, const Colour& colour) = 0;
  /// `place` is on the baseline.
  virtual void text(const Place& place, const std::string& text, const TextStyle& style) = 0;
  virtual double text_width(const std::string& text, const TextStyle& style) = 0;
  /// Restricts subsequent drawing to the box, until end_clip().
  virtual void begin_clip(const Box& box) = 0;
  virtual void end_clip() = 0;
  /// Ends the drawing; returns the bytes of the file. On a failure, `error` is the reason.
  virtual std::string finish(std::string& error) = 0;
};

/// The name of the module's function.
struct CanvasRequest {
  PictureFormat format = PictureFormat::png;
  double width = 0., height = 0.; ///< units
  double resolution = 1.;         ///< pixels per unit
};
constexpr const char* make_canvas_name = "tessera_cairo_make";
using MakeCanvas = Canvas* (*)(const CanvasRequest*);

/// Version of this build's Cairo, "1.16.0"; empty: none.
const char* cairo_version();

/// Throws (kind input) if the build has no Cairo; `what` is the item that needs it: "output.report".
void require_cairo(const std::string& what);

/// Loads Cairo if it is not loaded yet. Throws if the build has none, the module cannot be loaded (kind input) or
/// memory runs out (kind resource).
std::unique_ptr<Canvas> make_canvas(const CanvasRequest& request);

} // namespace tessera::io::pictures

#endif
