// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "io/geometry/dxf_drawing.hpp"

#include "core/constants.hpp"
#include "core/error.hpp"
#include "io/geometry/dxf_curves.hpp"
#include "io/geometry/dxf_entities.hpp"
#include "io/input/input_text.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <limits>
#include <map>
#include <set>

namespace tessera::io {

using detail::DxfBlock;
using detail::DxfEntity;
using detail::DxfPair;
using detail::DxfPlacement;
using detail::DxfSpline;
using detail::DxfText;

namespace {
constexpr double turn = 2. * pi;
constexpr std::size_t most_curves = 1000000; // maximum number of curves made by inserted blocks, and of insertions
constexpr std::size_t most_levels = 32;      // of nested blocks

/// $INSUNITS: name and metres.
struct Unit {
  int code;
  const char* name;
  double metres;
};
constexpr Unit units[] = {
    {1, "inch", 0.0254},      {2, "foot", 0.3048},  {3, "mile", 1609.344},   {4, "mm", 1e-3},
    {5, "cm", 1e-2},          {6, "m", 1.},         {7, "km", 1e3},          {8, "microinch", 2.54e-8},
    {9, "mil", 2.54e-5},      {10, "yard", 0.9144}, {11, "angstrom", 1e-10}, {12, "nm", 1e-9},
    {13, "micrometre", 1e-6}, {14, "dm", 0.1}};

/// Annotations, which are not part of the geometry.
const std::set<std::string> annotations{
    "DIMENSION", "ARC_DIMENSION", "HATCH",       "LEADER",      "MULTILEADER", "MLEADER",
    "TOLERANCE", "VIEWPORT",      "WIPEOUT",     "IMAGE",       "ACAD_TABLE",  "ACAD_PROXY_ENTITY",
    "OLEFRAME",  "OLE2FRAME",     "ATTDEF",      "XLINE",       "RAY",         "POINT",
    "SOLID",     "TRACE",         "PDFUNDERLAY", "DWFUNDERLAY", "DGNUNDERLAY", "SUN",
    "LIGHT"};

/// Removes the formatting of a multi-line text: "{\fArial|b0;coil\P}" is "coil".
std::string plain_text(const std::string& text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '{' || c == '}')
      continue;
    if (c != '\\' || i + 1 == text.size()) {
      plain += c;
      continue;
    }
    const char code = text[++i];
    if (code == '\\' || code == '{' || code == '}')
      plain += code;
    else if (code == 'P' || code == '~')
      plain += ' ';
    else if (std::string("ACfFHQTWpS").find(code) != std::string::npos) // codes with a value up to the semicolon
      i = std::min(text.find(';', i), text.size() - 1);
  }
  const std::size_t begin = plain.find_first_not_of(' ');
  return begin == std::string::npos ? "" : plain.substr(begin, plain.find_last_not_of(' ') + 1 - begin);
}

/// Turns entities into curves and labels.
class DrawingReader {
public:
  DrawingReader(const DxfText& text, const std::string& file) : text_(text), file_(file) {}

  DxfDrawing read() {
    read_unit();
    read_entities(text_.entities);
    TESSERA_REQUIRE(!drawing_.curves.empty(), file_
                                                  << " holds no curve (LINE, ARC, CIRCLE, ELLIPSE, SPLINE, LWPOLYLINE "
                                                     "or POLYLINE) that is shown in model space.");
    set_box();
    check_plane();
    for (const auto& [type, n] : left_out_)
      drawing_.notes.push_back(file_ + ": left out " + std::to_string(n) + " " + type + ".");
    return std::move(drawing_);
  }

private:
  void read_unit() {
    const auto found = text_.variables.find("$INSUNITS");
    const std::string code = found == text_.variables.end() ? "0" : found->second;
    for (const Unit& unit : units)
      if (code == std::to_string(unit.code)) {
        drawing_.metres_per_unit = unit.metres;
        drawing_.unit = unit.name;
      }
  }

  void leave_out(const std::string& what) { ++left_out_[what]; }

  using Entities = std::vector<DxfEntity>;

  void read_entities(const Entities& entities) {
    for (std::size_t i = 0; i < entities.size(); ++i) {
      const std::size_t first = i;
      while (i + 1 < entities.size() && is_part(entities[i + 1].type))
        ++i; // vertices or attributes
      read_entity(entities[first], {entities.begin() + static_cast<std::ptrdiff_t>(first) + 1,
                                    entities.begin() + static_cast<std::ptrdiff_t>(i) + 1});
    }
  }

  /// `parts`: the following entities that belong to it.
  void read_entity(const DxfEntity& entity, const Entities& parts) {
    const std::string& type = entity.type;
    if (type == "SEQEND")
      return;
    if (entity.integer(67, 0) == 1)
      return leave_out(type + " in paper space");
    if (text_.hidden_layers.count(layer_of(entity)) > 0 || entity.integer(60, 0) == 1)
      return leave_out(type + " on layer '" + printable(layer_of(entity)) + "', which is hidden");
    if (annotations.count(type) > 0)
      return leave_out(type + " (it bounds no region)");
    mirror_ = direction(entity);
    if (type == "LINE")
      add_line(entity);
    else if (type == "ARC" || type == "CIRCLE")
      add_arc(entity);
    else if (type == "ELLIPSE")
      add_ellipse(entity);
    else if (type == "LWPOLYLINE")
      add_polyline(entity, vertices_of(entity));
    else if (type == "POLYLINE")
      add_polyline(entity, vertices_of(entity, parts));
    else if (type == "SPLINE")
      add_spline(entity);
    else if (type == "TEXT" || type == "MTEXT")
      add_text(entity);
    else if (type == "INSERT")
      add_insert(entity, parts);
    else
      TESSERA_REQUIRE(false, entity.location()
                                 << " cannot be read. Supported are LINE, ARC, CIRCLE, ELLIPSE, SPLINE, LWPOLYLINE, "
                                    "POLYLINE and INSERT; redraw it by these (CAD programs explode solids), or put it "
                                    "on a hidden layer.");
  }

  static bool is_part(const std::string& type) { return type == "VERTEX" || type == "ATTRIB" || type == "SEQEND"; }

  /// -1 for entities viewed from below (extrusion along -z), else 1.
  double direction(const DxfEntity& entity) const {
    const double x = entity.number(210, 0.), y = entity.number(220, 0.), z = entity.number(230, 1.);
    TESSERA_REQUIRE(std::hypot(x, y) <= 1e-9 * std::fabs(z),
                    entity.location() << " lies in another plane (extrusion " << x << ", " << y << ", " << z
                                      << "); only drawings in the plane of x and y are read.");
    return z < 0. ? -1. : 1.;
  }

  /// Layer 0 of a block is the layer on which the block is inserted.
  std::string layer_of(const DxfEntity& entity) const {
    const std::string layer = entity.layer();
    return layer == "0" && !blocks_.empty() ? block_layer_ : layer;
  }

  void note_height(const DxfEntity& entity, double own_z) {
    const double z = height_ + rise_ * own_z;
    if (z < lowest_z_) {
      lowest_z_ = z;
      lowest_ = entity.location();
    }
    if (z > highest_z_) {
      highest_z_ = z;
      highest_ = entity.location();
    }
  }

  DxfCurve curve_of(const DxfEntity& entity) const {
    DxfCurve curve;
    curve.layer = layer_of(entity);
    curve.location = entity.location();
    return curve;
  }

  void add_curve(const DxfCurve& curve) {
    TESSERA_REQUIRE(blocks_.empty() || drawing_.curves.size() < most_curves,
                    curve.location << ": inserted blocks make more than " << most_curves << " curves.");
    drawing_.curves.push_back(blocks_.empty() ? curve : detail::placed(curve, placement_));
    const DxfCurve& made = drawing_.curves.back();
    bool is_finite = are_finite(made.from) && are_finite(made.to) && are_finite(made.center) && are_finite(made.axis);
    for (const std::array<double, 2>& pole : made.poles)
      is_finite = is_finite && are_finite(pole);
    TESSERA_REQUIRE(is_finite, curve.location << " has coordinates out of the range of numbers.");
  }

  static bool are_finite(const std::array<double, 2>& point) {
    return std::isfinite(point[0]) && std::isfinite(point[1]);
  }

  void add_segment(const DxfEntity& entity, const std::array<double, 2>& from, const std::array<double, 2>& to) {
    if (from == to)
      return leave_out("lines without length");
    DxfCurve line = curve_of(entity);
    line.from = from;
    line.to = to;
    add_curve(line);
  }

  void add_line(const DxfEntity& entity) {
    note_height(entity, entity.number(30, 0.));
    note_height(entity, entity.number(31, 0.));
    add_segment(entity, {entity.number(10), entity.number(20)}, {entity.number(11), entity.number(21)});
  }

  void add_circle_part(const DxfEntity& entity, const std::array<double, 2>& center, double radius, double start,
                       double sweep) {
    DxfCurve arc = curve_of(entity);
    arc.kind = DxfCurve::Kind::ellipse;
    arc.center = center;
    arc.axis = {radius, 0.};
    arc.start = start;
    arc.sweep = sweep;
    add_curve(arc);
  }

  /// Counterclockwise angle from `start` to `end`: more than 0, at most a full turn.
  static double sweep_of(double start, double end) {
    const double sweep = std::fmod(end - start, turn);
    return sweep < 1e-12 ? (sweep < -1e-12 ? sweep + turn : turn) : sweep;
  }

  /// An angle in radians; `unit`: radians per unit of the file. Throws for huge ones, which have no significant digits.
  static double angle(const DxfEntity& entity, int code, double unit) {
    const double value = entity.number(code);
    TESSERA_REQUIRE(std::fabs(value) < 1e6, entity.location() << " has the angle " << value << ".");
    return unit * value;
  }

  void add_arc(const DxfEntity& entity) {
    const double radius = entity.number(40);
    TESSERA_REQUIRE(radius > 0., entity.location() << " has the radius " << radius << ".");
    note_height(entity, mirror_ * entity.number(30, 0.));
    const bool is_circle = entity.type == "CIRCLE";
    const double start = is_circle ? 0. : angle(entity, 50, pi / 180.);
    const double end = is_circle ? turn : angle(entity, 51, pi / 180.);
    const double sweep = sweep_of(start, end);
    add_circle_part(entity, {mirror_ * entity.number(10), entity.number(20)}, radius,
                    mirror_ > 0. ? start : pi - start - sweep, sweep);
  }

  void add_ellipse(const DxfEntity& entity) {
    DxfCurve ellipse = curve_of(entity);
    ellipse.kind = DxfCurve::Kind::ellipse;
    ellipse.center = {entity.number(10), entity.number(20)};
    ellipse.axis = {entity.number(11), entity.number(21)};
    ellipse.ratio = entity.number(40);
    note_height(entity, entity.number(30, 0.));
    TESSERA_REQUIRE(ellipse.ratio > 0. && ellipse.ratio <= 1. && ellipse.axis != (std::array<double, 2>{}),
                    entity.location() << " has no two axes, the first the longer one.");
    const bool is_whole = !entity.has(41) && !entity.has(42);
    const double start = is_whole ? 0. : angle(entity, 41, 1.), end = is_whole ? turn : angle(entity, 42, 1.);
    ellipse.sweep = sweep_of(start, end);
    ellipse.start = mirror_ > 0. ? start : -start - ellipse.sweep;
    add_curve(ellipse);
  }

  /// Throws if an entity announces a number of items (with `code`) that differs from `n`.
  static void require_count(const DxfEntity& entity, int code, std::size_t n, const char* what) {
    const auto n_announced = static_cast<std::size_t>(std::max(0, entity.integer(code, static_cast<int>(n))));
    TESSERA_REQUIRE(n_announced == n, entity.location()
                                          << " announces " << n_announced << ' ' << what << " (group code " << code
                                          << "), but has " << n << "; the file is damaged.");
  }

  struct Vertex {
    std::array<double, 2> at{};
    double bulge = 0.; ///< tangent of a quarter of the arc's angle to the next vertex; > 0: counterclockwise
  };

  /// Vertices of a LWPOLYLINE: code 10 begins a vertex.
  std::vector<Vertex> vertices_of(const DxfEntity& entity) {
    note_height(entity, mirror_ * entity.number(38, 0.));
    std::vector<Vertex> vertices;
    for (const DxfPair& pair : entity.pairs) {
      if (pair.code != 10 && (vertices.empty() || (pair.code != 20 && pair.code != 42)))
        continue;
      const double value = entity.number_of(pair);
      if (pair.code == 10)
        vertices.push_back({{mirror_ * value, 0.}, 0.});
      else if (pair.code == 20)
        vertices.back().at[1] = value;
      else
        vertices.back().bulge = mirror_ * value;
    }
    require_count(entity, 90, vertices.size(), "vertices");
    return vertices;
  }

  /// Vertices of a POLYLINE, which are separate entities.
  std::vector<Vertex> vertices_of(const DxfEntity& entity, const Entities& parts) {
    const int flags = entity.integer(70, 0);
    TESSERA_REQUIRE((flags & (16 | 64)) == 0, entity.location()
                                                  << " is a surface in space; only plane drawings are read.");
    std::vector<Vertex> vertices;
    for (const DxfEntity& vertex : parts) {
      if (vertex.type != "VERTEX" || (vertex.integer(70, 0) & 16) != 0) // control points of a spline frame
        continue;
      note_height(entity, mirror_ * vertex.number(30, 0.));
      vertices.push_back({{mirror_ * vertex.number(10), vertex.number(20)}, mirror_ * vertex.number(42, 0.)});
    }
    return vertices;
  }

  void add_polyline(const DxfEntity& entity, const std::vector<Vertex>& vertices) {
    if (vertices.size() < 2)
      return leave_out("polylines of fewer than two vertices");
    const bool is_closed = (entity.integer(70, 0) & 1) != 0;
    for (std::size_t i = 0; i + (is_closed ? 0 : 1) < vertices.size(); ++i) {
      const Vertex& a = vertices[i];
      const Vertex& b = vertices[(i + 1) % vertices.size()];
      const double x = b.at[0] - a.at[0], y = b.at[1] - a.at[1], chord = std::hypot(x, y);
      // An arc that differs from its chord by less than rounding is a line.
      if (std::fabs(a.bulge) < 1e-9 || chord == 0.) {
        add_segment(entity, a.at, b.at);
        continue;
      }
      TESSERA_REQUIRE(std::fabs(a.bulge) < 1e6,
                      entity.location() << " has an arc of the bulge " << a.bulge << ", a full turn and more.");
      const double away = (1. - a.bulge * a.bulge) / (4. * a.bulge); // distance of the centre from the chord, in chords
      const std::array<double, 2> center{0.5 * (a.at[0] + b.at[0]) - away * y, 0.5 * (a.at[1] + b.at[1]) + away * x};
      const std::array<double, 2>& first = a.bulge > 0. ? a.at : b.at;
      add_circle_part(entity, center, chord * (1. + a.bulge * a.bulge) / (4. * std::fabs(a.bulge)),
                      std::atan2(first[1] - center[1], first[0] - center[0]), 4. * std::atan(std::fabs(a.bulge)));
    }
  }

  void add_spline(const DxfEntity& entity) {
    DxfSpline spline;
    spline.degree = entity.integer(71, 3);
    for (const DxfPair& pair : entity.pairs) {
      if (pair.code == 10)
        spline.poles.push_back({entity.number_of(pair), 0.});
      else if (pair.code == 20 && !spline.poles.empty())
        spline.poles.back()[1] = entity.number_of(pair);
      else if (pair.code == 30)
        note_height(entity, entity.number_of(pair));
      else if (pair.code == 40)
        spline.knots.push_back(entity.number_of(pair));
      else if (pair.code == 41)
        spline.weights.push_back(entity.number_of(pair));
    }
    TESSERA_REQUIRE(!spline.poles.empty() || !entity.has(11),
                    entity.location() << " has fit points only, between which programs draw different curves. Save the "
                                         "drawing with control points, or flatten the spline.");
    require_count(entity, 72, spline.knots.size(), "knots");
    require_count(entity, 73, spline.poles.size(), "control points");
    const std::string why = detail::why_no_spline(spline);
    TESSERA_REQUIRE(why.empty(), entity.location() << " cannot be read: " << why << ".");
    for (DxfCurve& curve : detail::curves_of(spline)) {
      if (curve.kind == DxfCurve::Kind::line) {
        add_segment(entity, curve.from, curve.to);
        continue;
      }
      curve.layer = layer_of(entity);
      curve.location = entity.location();
      add_curve(curve);
    }
  }

  void add_label(const DxfEntity& entity, const std::string& name) {
    if (name.empty())
      return leave_out("empty texts");
    // Texts that are not aligned at their lower left corner are positioned by a second point.
    const bool aligned = (entity.type == "TEXT" || entity.type == "ATTRIB") && entity.has(11) &&
                         (entity.integer(72, 0) != 0 || entity.integer(entity.type == "TEXT" ? 73 : 74, 0) != 0);
    const std::array<double, 2> at{mirror_ * entity.number(aligned ? 11 : 10), entity.number(aligned ? 21 : 20)};
    drawing_.labels.push_back({name, placement_.point(at), entity.location()});
    TESSERA_REQUIRE(are_finite(drawing_.labels.back().at), entity.location()
                                                               << " has coordinates out of the range of numbers.");
  }

  void add_text(const DxfEntity& entity) {
    std::string text;
    for (const DxfPair& pair : entity.pairs)
      if (pair.code == 3) // long texts are split
        text += pair.value;
    add_label(entity, plain_text(text + entity.text(1, "")));
  }

  /// A block without curves is a label, named by its first attribute or its name. One with curves is drawn, and its
  /// first attribute is a label at its position.
  void add_insert(const DxfEntity& entity, const Entities& parts) {
    const std::string name = entity.text(2, "");
    const auto attribute = std::find_if(parts.begin(), parts.end(), [](const DxfEntity& part) {
      return part.type == "ATTRIB" && !part.text(1, "").empty();
    });
    const auto block = text_.blocks.find(name);
    TESSERA_REQUIRE(block != text_.blocks.end(), entity.location() << " inserts the block '" << printable(name)
                                                                   << "', which the drawing does not define.");
    if (!has_curves(entity, block->second))
      return add_label(entity, attribute == parts.end() ? name : attribute->text(1, ""));
    if (attribute != parts.end())
      add_label(*attribute, plain_text(attribute->text(1, "")));
    const double x_scale = entity.number(41, 1.), y_scale = entity.number(42, 1.);
    const double larger = std::max(std::fabs(x_scale), std::fabs(y_scale));
    TESSERA_REQUIRE(std::min(std::fabs(x_scale), std::fabs(y_scale)) > 1e-9 * larger,
                    entity.location() << " inserts the block '" << printable(name) << "' without extent (scales "
                                      << x_scale << ", " << y_scale << ").");
    const double turned = entity.has(50) ? angle(entity, 50, pi / 180.) : 0., c = std::cos(turned),
                 s = std::sin(turned);
    const int n_columns = count_of(entity, 70), n_rows = count_of(entity, 71);
    const DxfPlacement outer = placement_;
    const double mirror = mirror_, height = height_, rise = rise_;
    const std::string layer = block_layer_;
    const std::array<double, 3>& base = block->second.base;
    block_layer_ = layer_of(entity);
    blocks_.insert(name);
    for (int row = 0; row < n_rows; ++row)
      for (int column = 0; column < n_columns; ++column) {
        TESSERA_REQUIRE(++n_insertions_ <= most_curves,
                        entity.location() << ": blocks are inserted more than " << most_curves << " times.");
        // Columns and rows are rotated, but not scaled.
        const double x = column * entity.number(44, 0.), y = row * entity.number(45, 0.);
        DxfPlacement own;
        own.columns = {{{mirror * c * x_scale, s * x_scale}, {-mirror * s * y_scale, c * y_scale}}};
        const std::array<double, 2> origin = own.direction({base[0], base[1]});
        own.shift = {mirror * (entity.number(10) + c * x - s * y) - origin[0],
                     entity.number(20) + s * x + c * y - origin[1]};
        placement_ = outer.after(own);
        rise_ = rise * mirror * entity.number(43, 1.);
        height_ = height + rise * mirror * entity.number(30, 0.) - rise_ * base[2];
        read_entities(block->second.entities);
      }
    blocks_.erase(name);
    placement_ = outer;
    mirror_ = mirror;
    height_ = height;
    rise_ = rise;
    block_layer_ = layer;
  }

  /// Whether a block or a block inserted in it has curves. Throws if a block inserts itself; `insert` inserts the
  /// block.
  bool has_curves(const DxfEntity& insert, const DxfBlock& block) {
    if (const auto found = has_curves_.find(&block); found != has_curves_.end())
      return found->second;
    TESSERA_REQUIRE(looked_at_.insert(&block).second,
                    insert.location() << " inserts the block '" << printable(insert.text(2, "")) << "' into itself.");
    TESSERA_REQUIRE(looked_at_.size() <= most_levels, insert.location()
                                                          << ": blocks are inserted into each other more than "
                                                          << most_levels << " levels deep.");
    bool has_any = false;
    for (const DxfEntity& entity : block.entities) {
      if (entity.type == "INSERT") {
        const auto inner = text_.blocks.find(entity.text(2, ""));
        has_any = (inner != text_.blocks.end() && has_curves(entity, inner->second)) || has_any;
      } else {
        has_any = has_any || (annotations.count(entity.type) == 0 && entity.type != "TEXT" && entity.type != "MTEXT" &&
                              !is_part(entity.type));
      }
    }
    looked_at_.erase(&block);
    return has_curves_[&block] = has_any;
  }

  /// Number of columns or rows; some programs write 0 for one.
  static int count_of(const DxfEntity& entity, int code) {
    const int n = entity.integer(code, 1);
    TESSERA_REQUIRE(n >= 0, entity.location() << " inserts a block " << n << " times (group code " << code << ").");
    return std::max(1, n);
  }

  struct Box {
    static constexpr double infinity = std::numeric_limits<double>::infinity();
    std::array<double, 2> lower{infinity, infinity}, upper{-infinity, -infinity};

    void add(const std::array<double, 2>& point, double radius = 0.) {
      for (std::size_t d = 0; d < 2; ++d) {
        lower[d] = std::min(lower[d], point[d] - radius);
        upper[d] = std::max(upper[d], point[d] + radius);
      }
    }
    double size() const { return std::max(upper[0] - lower[0], upper[1] - lower[1]); }
    double farthest() const { return std::max({-lower[0], -lower[1], upper[0], upper[1]}); }
  };

  static Box box_of(const DxfCurve& curve) {
    Box box;
    if (curve.kind == DxfCurve::Kind::ellipse) {
      box.add(curve.center, std::hypot(curve.axis[0], curve.axis[1]));
    } else if (curve.kind == DxfCurve::Kind::line) {
      box.add(curve.from);
      box.add(curve.to);
    }
    for (const std::array<double, 2>& pole : curve.poles) // the curve is in the convex hull of its poles
      box.add(pole);
    return box;
  }

  /// Sets the box of the drawing. Throws if curves are so far away that the coordinates cannot resolve the details of
  /// others, which geometry libraries do not expect.
  void set_box() {
    constexpr double most = 1e12; // relative to the smallest curve
    Box all;
    double smallest = Box::infinity, farthest = 0.;
    const std::string* where = &file_;
    const auto look = [&](const Box& box, const std::string& location) {
      if (box.farthest() > farthest) {
        farthest = box.farthest();
        where = &location;
      }
    };
    for (const DxfCurve& curve : drawing_.curves) {
      const Box box = box_of(curve);
      all.add(box.lower);
      all.add(box.upper);
      smallest = std::min(smallest, box.size());
      look(box, curve.location);
    }
    for (const DxfLabel& label : drawing_.labels) {
      Box box;
      box.add(label.at);
      look(box, label.location);
    }
    TESSERA_REQUIRE(farthest <= most * smallest, *where << " has coordinates of " << farthest
                                                        << ", compared to which the smallest curve, of " << smallest
                                                        << ", vanishes; the file is damaged.");
    drawing_.lower = all.lower;
    drawing_.upper = all.upper;
  }

  void check_plane() const {
    const double size = std::max(drawing_.upper[0] - drawing_.lower[0], drawing_.upper[1] - drawing_.lower[1]);
    TESSERA_REQUIRE(size > 0. && std::isfinite(size), file_ << ": the curves have no extent.");
    TESSERA_REQUIRE(!(highest_z_ - lowest_z_ > 1e-6 * size), highest_ << " lies at z = " << highest_z_ << ", but at "
                                                                      << lowest_z_ << ": " << lowest_
                                                                      << ". Only plane drawings are read.");
  }

  const DxfText& text_;
  const std::string& file_;
  DxfDrawing drawing_;
  double mirror_ = 1.; ///< of the current entity
  // Of the current block.
  DxfPlacement placement_;
  double height_ = 0., rise_ = 1.; ///< z is height + rise times z in the block
  std::string block_layer_;
  std::set<std::string> blocks_; ///< the current block and those that contain it
  std::size_t n_insertions_ = 0;
  std::map<const DxfBlock*, bool> has_curves_; ///< of visited blocks
  std::set<const DxfBlock*> looked_at_;        ///< blocks being visited by has_curves()
  double lowest_z_ = std::numeric_limits<double>::infinity();
  double highest_z_ = -std::numeric_limits<double>::infinity();
  std::string lowest_, highest_;
  std::map<std::string, int> left_out_;
};

} // namespace

bool DxfCurve::is_closed() const { return kind == Kind::ellipse && sweep > turn - 1e-9; }

DxfDrawing read_dxf_text(const std::string& text, const std::string& file) {
  const DxfText split = detail::split_dxf(text, file);
  return DrawingReader(split, file).read();
}

DxfDrawing read_dxf(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return read_dxf_text(std::string(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()), path);
}

} // namespace tessera::io
