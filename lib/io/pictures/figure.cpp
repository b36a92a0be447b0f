// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "io/pictures/figure.hpp"

#include "core/error.hpp"
#include "io/input/input_text.hpp"
#include "io/pictures/colours.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tessera::io::pictures {

namespace {

constexpr double margin = 14.;
constexpr double tick_length = 5.;

struct Tick {
  double value;
  std::string text;
};

std::vector<Tick> ticks_of(const Axis& axis, int n) {
  std::vector<Tick> ticks;
  if (axis.is_logarithmic) {
    for (const double value : powers_of_ten(axis.low, axis.high, n))
      ticks.push_back({value, power_text(value)});
    return ticks;
  }
  const double step = round_step(axis.high - axis.low, n);
  for (const double value : round_values(axis.low, axis.high, n))
    ticks.push_back({value, tick_text(value, step)});
  return ticks;
}

} // namespace

std::unique_ptr<Canvas> begin_picture(const PictureSize& size, double height) {
  return make_canvas({size.format, picture_width, height, size.pixels / picture_width});
}

std::string end_picture(Canvas& canvas) {
  std::string error;
  std::string bytes = canvas.finish(error);
  TESSERA_REQUIRE_KIND(error.empty(), ErrorKind::resource, "A picture could not be drawn: " << error << '.');
  return bytes;
}

double share_of(const Axis& axis, double value) {
  if (axis.is_logarithmic)
    return std::log(value / axis.low) / std::log(axis.high / axis.low);
  return (value - axis.low) / (axis.high - axis.low);
}

std::string fitting(Canvas& canvas, const std::string& text, const TextStyle& style, double width) {
  if (canvas.text_width(text, style) <= width)
    return text;
  std::string kept;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = std::max<std::size_t>(utf8_length(text, i), 1);
    const std::string longer = kept + text.substr(i, length);
    if (canvas.text_width(longer + "\u2026", style) > width)
      break;
    kept = longer;
    i += length;
  }
  return kept + "\u2026";
}

void draw_title(Canvas& canvas, const std::string& title, const std::string& caption) {
  TextStyle style{17., ink, true};
  const double width = picture_width - 2. * margin;
  canvas.text({margin, 22.}, fitting(canvas, printable(title, 200), style, width), style);
  style = {text_size, faint_ink, false};
  canvas.text({margin, 43.}, fitting(canvas, caption, style, width), style);
}

void draw_axes(Canvas& canvas, const Box& box, const Axis& horizontal, const Axis& vertical, bool with_grid) {
  const LineStyle line{faint_ink, 1.};
  const LineStyle grid{{0.88, 0.89, 0.90, 1.}, 1.};
  const TextStyle name{text_size, ink};
  std::vector<Polyline> marks, across;
  for (const Tick& tick : ticks_of(horizontal, std::max(2, static_cast<int>(box.width / 85.)))) {
    const double x = box.x + box.width * share_of(horizontal, tick.value);
    marks.push_back({{{x, box.bottom()}, {x, box.bottom() + tick_length}}});
    across.push_back({{{x, box.y}, {x, box.bottom()}}});
    canvas.text({x, box.bottom() + 19.}, tick.text, {small_text_size, ink, false, false, 0.5});
  }
  double widest = 0.;
  double last = std::numeric_limits<double>::infinity(); // last label, from below
  for (const Tick& tick : ticks_of(vertical, std::max(2, static_cast<int>(box.height / 55.)))) {
    const double y = box.bottom() - box.height * share_of(vertical, tick.value);
    marks.push_back({{{box.x, y}, {box.x - tick_length, y}}});
    across.push_back({{{box.x, y}, {box.right(), y}}});
    if (last - y < 0.75 * small_text_size) // for flat boxes
      continue;
    last = y;
    const TextStyle style{small_text_size, ink, false, false, 1.};
    canvas.text({box.x - 8., y + 4.5}, tick.text, style);
    widest = std::max(widest, canvas.text_width(tick.text, style));
  }
  if (with_grid)
    canvas.lines(across, grid);
  canvas.lines(marks, line);
  canvas.lines({{{{box.x, box.y}, {box.right(), box.y}, {box.right(), box.bottom()}, {box.x, box.bottom()}}, true}},
               line);
  canvas.text({box.x + 0.5 * box.width, box.bottom() + 39.}, horizontal.name, {text_size, ink, false, false, 0.5});
  TextStyle upright = name;
  upright.is_upright = true;
  upright.across = 0.5;
  canvas.text({std::max(margin, box.x - 16. - widest), box.y + 0.5 * box.height}, vertical.name, upright);
}

void draw_colour_bar(Canvas& canvas, const Box& box, const Axis& axis, bool exceeds) {
  constexpr double width = 18.;
  constexpr int n = 256;
  Image image;
  image.width = 24; // not less: viewers blur the borders of images that they enlarge
  image.height = n;
  for (int i = 0; i < n * image.width; ++i)
    image.pixels.push_back(pixel_of(field_colour(1. - (i / image.width + 0.5) / n)));
  const Box bar{box.x, box.y, width, box.height};
  canvas.image(image, bar);
  if (exceeds) {
    const Colour last = field_colour(1.);
    std::vector<Polyline> point;
    for (double y = 0.; y < 10.; y += 0.5) // a triangle made of lines: the canvas only fills boxes
      point.push_back({{{bar.x + 0.9 * y, bar.y - y}, {bar.right() - 0.9 * y, bar.y - y}}});
    canvas.lines(point, {last, 1.});
  }
  const LineStyle line{faint_ink, 1.};
  canvas.lines({{{{bar.x, bar.y}, {bar.right(), bar.y}, {bar.right(), bar.bottom()}, {bar.x, bar.bottom()}}, true}},
               line);
  std::vector<Polyline> marks;
  double widest = 0.;
  for (const Tick& tick : ticks_of(axis, std::max(2, static_cast<int>(box.height / 45.)))) {
    const double y = bar.bottom() - bar.height * share_of(axis, tick.value);
    marks.push_back({{{bar.right(), y}, {bar.right() + tick_length, y}}});
    const TextStyle style{small_text_size, ink};
    canvas.text({bar.right() + 8., y + 4.5}, tick.text, style);
    widest = std::max(widest, canvas.text_width(tick.text, style));
  }
  canvas.lines(marks, line);
  TextStyle name{text_size, ink, false, true, 0.5};
  const std::string text = fitting(canvas, axis.name, name, std::max(box.height, 150.));
  canvas.text({std::min(bar.right() + widest + 28., picture_width - 6.), bar.y + 0.5 * bar.height}, text, name);
}

void draw_legend(Canvas& canvas, const Box& box, const std::vector<LegendEntry>& entries) {
  constexpr double row = 22., swatch = 14.;
  const std::size_t room = static_cast<std::size_t>(std::max(1., box.height / row));
  const std::size_t n = entries.size() <= room ? entries.size() : room - 1;
  const TextStyle style{text_size, ink};
  for (std::size_t i = 0; i < n; ++i) {
    const double y = box.y + row * static_cast<double>(i);
    const Box square{box.x, y, swatch, swatch};
    canvas.fill(square, entries[i].colour);
    canvas.lines({{{{square.x, square.y},
                    {square.right(), square.y},
                    {square.right(), square.bottom()},
                    {square.x, square.bottom()}},
                   true}},
                 {faint_ink, 0.8});
    canvas.text({box.x + swatch + 7., y + 12.5},
                fitting(canvas, printable(entries[i].name, 100), style, box.width - swatch - 7.), style);
  }
  if (n < entries.size())
    canvas.text({box.x, box.y + row * static_cast<double>(n) + 12.5},
                "and " + std::to_string(entries.size() - n) + " more", {text_size, faint_ink});
}

} // namespace tessera::io::pictures
