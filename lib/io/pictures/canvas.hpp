// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_IO_PICTURES_CANVAS_HPP
#define TESSERA_IO_PICTURES_CANVAS_HPP

/// \file
/// What pictures are drawn on. The module apps/tessera-cairo implements it with Cairo, whose libraries are loaded by
/// the first picture.

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

/// Place in a drawing: units of 1/72 inch of its natural size, y downwards.
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
  double across = 0.;      ///< share of the text that lies before the place: 0 left, 0.5 centred, 1 right
};

enum class PictureFormat { png, svg, pdf };

/// A drawing. What is drawn later covers what was drawn before.
class Canvas {
public:
  virtual ~Canvas() = default;
  /// Pixels per unit that images should have.
  virtual double resolution() const = 0;
  virtual void image(const Image& image, const Box& box) = 0;
  virtual void lines(const std::vector<Polyline>& lines, const LineStyle& style) = 0;
  virtual void fill(const Box& box, const Colour& colour) = 0;
  /// `place` is on the line on which the letters stand.
  virtual void text(const Place& place, const std::string& text, const TextStyle& style) = 0;
  virtual double text_width(const std::string& text, const TextStyle& style) = 0;
  /// What follows is drawn inside the box only, until end_clip().
  virtual void begin_clip(const Box& box) = 0;
  virtual void end_clip() = 0;
  /// Ends the drawing: the bytes of the file. On a failure, `error` is the reason.
  virtual std::string finish(std::string& error) = 0;
};

/// The module's function by its name in it.
struct CanvasRequest {
  PictureFormat format = PictureFormat::png;
  double width = 0., height = 0.; ///< units
  double resolution = 1.;         ///< pixels per unit
};
constexpr const char* make_canvas_name = "tessera_cairo_make";
using MakeCanvas = Canvas* (*)(const CanvasRequest*);

/// Version of the Cairo that this build has, "1.16.0"; empty: none.
const char* cairo_version();

/// Throws (kind input) where the build has no Cairo; `what` asks for it: "output.report".
void require_cairo(const std::string& what);

/// Loads Cairo where that has not been done. Throws where the build has none, the module cannot be loaded (kind input)
/// or memory runs out (kind resource).
std::unique_ptr<Canvas> make_canvas(const CanvasRequest& request);

} // namespace tessera::io::pictures

#endif
