// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

// The only file that includes Cairo.

#include "io/pictures/canvas.hpp"

#include "core/constants.hpp"

#include <cairo-pdf.h>
#include <cairo-svg.h>
#include <cairo.h>

#include <algorithm>
#include <cmath>
#include <new>

namespace {

using namespace tessera::io::pictures;

cairo_status_t append(void* bytes, const unsigned char* data, unsigned int n) {
  try {
    static_cast<std::string*>(bytes)->append(reinterpret_cast<const char*>(data), n);
  } catch (const std::bad_alloc&) {
    return CAIRO_STATUS_NO_MEMORY;
  }
  return CAIRO_STATUS_SUCCESS;
}

class CairoCanvas final : public Canvas {
public:
  explicit CairoCanvas(const CanvasRequest& request) : request_(request) {
    switch (request.format) {
    case PictureFormat::png:
      surface_ = cairo_image_surface_create(CAIRO_FORMAT_RGB24, pixels(request.width), pixels(request.height));
      break;
    case PictureFormat::svg:
      surface_ = cairo_svg_surface_create_for_stream(append, &bytes_, request.width, request.height);
      break;
    case PictureFormat::pdf:
      surface_ = cairo_pdf_surface_create_for_stream(append, &bytes_, request.width, request.height);
      break;
    }
    context_ = cairo_create(surface_);
    if (request.format == PictureFormat::png) {
      cairo_set_source_rgb(context_, 1., 1., 1.);
      cairo_paint(context_);
      cairo_scale(context_, request.resolution, request.resolution);
    }
    cairo_set_line_join(context_, CAIRO_LINE_JOIN_ROUND);
    cairo_set_line_cap(context_, CAIRO_LINE_CAP_ROUND);
  }

  ~CairoCanvas() override {
    cairo_destroy(context_);
    cairo_surface_destroy(surface_);
  }

  double resolution() const override { return request_.resolution; }

  void image(const Image& image, const Box& box) override {
    cairo_surface_t* source = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, image.width, image.height);
    if (cairo_surface_status(source) == CAIRO_STATUS_SUCCESS) {
      cairo_surface_flush(source);
      unsigned char* data = cairo_image_surface_get_data(source);
      const int stride = cairo_image_surface_get_stride(source);
      for (int row = 0; row < image.height; ++row)
        std::copy_n(image.pixels.data() + static_cast<std::size_t>(row) * static_cast<std::size_t>(image.width),
                    image.width, reinterpret_cast<std::uint32_t*>(data + static_cast<std::ptrdiff_t>(row) * stride));
      cairo_surface_mark_dirty(source);
    }
    cairo_save(context_);
    cairo_translate(context_, box.x, box.y);
    cairo_scale(context_, box.width / image.width, box.height / image.height);
    cairo_set_source_surface(context_, source, 0., 0.);
    // do not blend with transparent pixels at the borders
    cairo_pattern_set_extend(cairo_get_source(context_), CAIRO_EXTEND_PAD);
    cairo_rectangle(context_, 0., 0., image.width, image.height);
    cairo_fill(context_);
    cairo_restore(context_);
    cairo_surface_destroy(source);
  }

  void lines(const std::vector<Polyline>& lines, const LineStyle& style) override {
    set_colour(style.colour);
    cairo_set_line_width(context_, style.width);
    std::size_t n_places = 0;
    for (const Polyline& line : lines) {
      for (const Place& place : line.places)
        (&place == &line.places.front() ? cairo_move_to : cairo_line_to)(context_, place.x, place.y);
      if (line.is_closed)
        cairo_close_path(context_);
      n_places += line.places.size();
      if (n_places > 20000) { // the time of Cairo's stroke grows superlinearly with the length of the path
        cairo_stroke(context_);
        n_places = 0;
      }
    }
    cairo_stroke(context_);
  }

  void fill(const Box& box, const Colour& colour) override {
    set_colour(colour);
    cairo_rectangle(context_, box.x, box.y, box.width, box.height);
    cairo_fill(context_);
  }

  void text(const Place& place, const std::string& text, const TextStyle& style) override {
    cairo_save(context_);
    set_colour(style.colour);
    cairo_translate(context_, place.x, place.y);
    if (style.is_upright)
      cairo_rotate(context_, -tessera::pi / 2.);
    cairo_move_to(context_, -style.across * text_width(text, style), 0.);
    cairo_show_text(context_, text.c_str());
    cairo_restore(context_);
  }

  double text_width(const std::string& text, const TextStyle& style) override {
    cairo_select_font_face(context_, "sans-serif", CAIRO_FONT_SLANT_NORMAL,
                           style.is_bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_font_size(context_, style.size);
    cairo_text_extents_t extents;
    cairo_text_extents(context_, text.c_str(), &extents);
    return extents.x_advance;
  }

  void begin_clip(const Box& box) override {
    cairo_save(context_);
    cairo_rectangle(context_, box.x, box.y, box.width, box.height);
    cairo_clip(context_);
  }

  void end_clip() override { cairo_restore(context_); }

  std::string finish(std::string& error) override {
    cairo_status_t status = cairo_status(context_);
    if (status == CAIRO_STATUS_SUCCESS && request_.format == PictureFormat::png)
      status = cairo_surface_write_to_png_stream(surface_, append, &bytes_);
    cairo_surface_finish(surface_);
    if (status == CAIRO_STATUS_SUCCESS)
      status = cairo_surface_status(surface_);
    error = status == CAIRO_STATUS_SUCCESS ? "" : cairo_status_to_string(status);
    return std::move(bytes_);
  }

private:
  int pixels(double length) const { return std::max(1, static_cast<int>(std::lround(length * request_.resolution))); }

  void set_colour(const Colour& c) { cairo_set_source_rgba(context_, c.red, c.green, c.blue, c.opacity); }

  CanvasRequest request_;
  std::string bytes_;
  cairo_surface_t* surface_ = nullptr;
  cairo_t* context_ = nullptr;
};

} // namespace

/// See MakeCanvas.
extern "C" Canvas* tessera_cairo_make(const CanvasRequest* request) { return new (std::nothrow) CairoCanvas(*request); }
