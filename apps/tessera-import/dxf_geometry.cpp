// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "dxf_geometry.hpp"

#include "core/constants.hpp"
#include "core/error.hpp"
#include "io/geometry/dxf_curves.hpp"
#include "io/input/case.hpp"
#include "io/input/input_text.hpp"

#include <gmsh.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <sstream>

namespace tessera::importer {

using io::DxfCurve;
using io::DxfDrawing;
using io::DxfLabel;

namespace {

namespace occ = gmsh::model::occ;

constexpr double join_tolerance = 1e-6;   // relative to the diagonal: far below drawn lengths, far above rounding
                                          // errors
constexpr double largest_join = 1e-2;     // relative to the diagonal
constexpr double near_miss = 1e-3;        // relative to the diagonal: a larger gap is hardly one of rounding
constexpr double elements_per_turn = 24.; // on circles, unless other size limits are smaller
constexpr double least_diagonal = 2e-5;   // units; OpenCASCADE identifies points closer than 1e-7

std::string place_text(double x, double y) {
  std::ostringstream text;
  text << '(' << x << ", " << y << ')';
  return text.str();
}

int add_spline(const DxfCurve& curve) {
  std::vector<int> points;
  for (const auto& pole : curve.poles)
    points.push_back(occ::addPoint(pole[0], pole[1], 0.));
  std::vector<double> knots;
  std::vector<int> multiplicities;
  for (const double knot : curve.knots) {
    if (knots.empty() || knot != knots.back()) {
      knots.push_back(knot);
      multiplicities.push_back(0);
    }
    ++multiplicities.back();
  }
  const int tag = occ::addBSpline(points, -1, curve.degree, curve.weights, knots, multiplicities);
  gmsh::vectorpair inner; // not points of the geometry
  for (std::size_t i = 1; i + 1 < points.size(); ++i)
    inner.emplace_back(0, points[i]);
  occ::remove(inner);
  return tag;
}

int add_curve(const DxfCurve& curve) {
  if (curve.kind == DxfCurve::Kind::spline)
    return add_spline(curve);
  if (curve.kind == DxfCurve::Kind::line) {
    const int from = occ::addPoint(curve.from[0], curve.from[1], 0.);
    return occ::addLine(from, occ::addPoint(curve.to[0], curve.to[1], 0.));
  }
  const double x = curve.center[0], y = curve.center[1], radius = std::hypot(curve.axis[0], curve.axis[1]);
  const double turned = std::atan2(curve.axis[1], curve.axis[0]);
  const double start = curve.is_closed() ? 0. : curve.start;
  const double end = curve.is_closed() ? 2. * pi : curve.start + curve.sweep;
  if (curve.ratio == 1.)
    return occ::addCircle(x, y, 0., radius, -1, start + turned, end + turned);
  const int tag = occ::addEllipse(x, y, 0., radius, curve.ratio * radius, -1, start, end);
  occ::rotate({{1, tag}}, x, y, 0., 0., 0., 1., turned);
  return tag;
}

/// A key that is equal for curves that coincide up to rounding, independent of the direction in which they are drawn.
/// `unit`: the length to which coordinates are rounded.
std::vector<double> key_of(const DxfCurve& curve, double unit) {
  constexpr double angle_unit = 1e-9;
  std::vector<double> key{static_cast<double>(curve.kind)};
  const auto add = [&key](double value, double of) { key.push_back(std::round(value / of)); };
  if (curve.kind == DxfCurve::Kind::line) {
    auto ends = std::minmax(curve.from, curve.to);
    for (const std::array<double, 2>& end : {ends.first, ends.second})
      for (const double x : end)
        add(x, unit);
  } else if (curve.kind == DxfCurve::Kind::ellipse) {
    const bool is_circle = curve.ratio == 1.;
    const double radius = std::hypot(curve.axis[0], curve.axis[1]);
    const double turned = std::atan2(curve.axis[1], curve.axis[0]);
    for (const double x : {curve.center[0], curve.center[1], radius, curve.ratio * radius})
      add(x, unit);
    for (const double angle :
         {is_circle ? 0. : turned, curve.is_closed() ? 0. : curve.start + (is_circle ? turned : 0.)})
      add(std::remainder(angle, 2. * pi), angle_unit);
    add(curve.is_closed() ? 2. * pi : curve.sweep, angle_unit);
  } else {
    for (const std::array<double, 2>& pole : curve.poles)
      for (const double x : pole)
        add(x, unit);
    for (const std::vector<double>* numbers : {&curve.knots, &curve.weights})
      key.insert(key.end(), numbers->begin(), numbers->end());
  }
  return key;
}

/// The faces into which the curves of a drawing divide a rectangle around it.
class Arrangement {
public:
  Arrangement(const DxfDrawing& drawing, const std::string& path, double join, std::vector<std::string>& notes)
      : drawing_(drawing), path_(path), notes_(notes),
        diagonal_(std::hypot(drawing.upper[0] - drawing.lower[0], drawing.upper[1] - drawing.lower[1])),
        leaves_out_(!std::isnan(join)), tolerance_(std::max(leaves_out_ ? join : 0., join_tolerance * diagonal_)) {}

  void make() {
    close_splines();
    split();
    leave_out_open_curves();
    find_faces();
    assign_labels();
    name_faces();
    name_curves();
    remove_others();
  }

private:
  struct Face {
    int tag = 0;
    std::set<int> curves; ///< on its boundary and inside
    const DxfLabel* label = nullptr;
    std::string name; ///< empty for a hole
  };

  /// Closes splines whose ends are within the tolerance: the library joins no ends of one curve.
  void close_splines() {
    std::vector<DxfCurve> curves;
    for (DxfCurve& curve : drawing_.curves) {
      const bool is_spline = curve.kind == DxfCurve::Kind::spline;
      if (!is_spline || std::hypot(curve.poles.back()[0] - curve.poles.front()[0],
                                   curve.poles.back()[1] - curve.poles.front()[1]) > tolerance_) {
        curves.push_back(std::move(curve));
        continue;
      }
      curve.poles.back() = curve.poles.front();
      for (DxfCurve& part : io::detail::curves_of({curve.degree, curve.knots, curve.poles, curve.weights})) {
        part.layer = curve.layer;
        part.location = curve.location;
        curves.push_back(std::move(part));
      }
    }
    drawing_.curves = std::move(curves);
  }

  void split() {
    TESSERA_REQUIRE(diagonal_ >= least_diagonal,
                    path_ << ": the drawing is only " << diagonal_ << " units across, and the library that divides it "
                          << "takes points closer than 1e-7 units for one. Draw it in a smaller unit (mesh.units).");
    TESSERA_REQUIRE(tolerance_ <= largest_join * diagonal_,
                    path_ << ": mesh.join is " << tolerance_
                          << " units, more than a hundredth of the drawing's diagonal, " << diagonal_ << " units.");
    gmsh::option::setNumber("Geometry.ToleranceBoolean", tolerance_);
    gmsh::vectorpair tools, made;
    // Coincident curves are passed once: the time of the library is cubic in the number of coincident ones.
    constexpr double equal = 1e-9; // relative to the diagonal: far below join_tolerance
    std::map<std::vector<double>, std::size_t> tool_of;
    std::vector<std::size_t> tools_of_curves;
    for (const DxfCurve& curve : drawing_.curves) {
      const auto [tool, is_new] = tool_of.emplace(key_of(curve, equal * diagonal_), tools.size());
      if (is_new)
        tools.emplace_back(1, add_curve(curve));
      tools_of_curves.push_back(tool->second);
    }
    first_label_part_ = 1 + tools.size();
    if (const std::size_t n_equal = drawing_.curves.size() - tools.size(); n_equal > 0)
      notes_.push_back(path_ + ": " + std::to_string(n_equal) + " of " + std::to_string(drawing_.curves.size()) +
                       " curves are duplicates; each was used once.");
    for (const DxfLabel& label : drawing_.labels)
      tools.emplace_back(0, occ::addPoint(label.at[0], label.at[1], 0.));
    // Wide enough to include labels next to the drawing.
    double lower[2], upper[2];
    for (std::size_t d = 0; d < 2; ++d) {
      lower[d] = drawing_.lower[d];
      upper[d] = drawing_.upper[d];
      for (const DxfLabel& label : drawing_.labels) {
        lower[d] = std::min(lower[d], label.at[d]);
        upper[d] = std::max(upper[d], label.at[d]);
      }
      lower[d] -= 0.1 * diagonal_;
      upper[d] += 0.1 * diagonal_;
    }
    const int around = occ::addRectangle(lower[0], lower[1], 0., upper[0] - lower[0], upper[1] - lower[1]);
    occ::fragment({{2, around}}, tools, made, parts_);
    occ::synchronize();
    for (std::size_t c = 0; c < drawing_.curves.size(); ++c)
      for (const auto& [dim, tag] : parts_[1 + tools_of_curves[c]])
        if (dim == 1)
          curves_of_layer_[drawing_.curves[c].layer].insert(tag);
  }

  /// End of a curve that meets no other one.
  struct OpenEnd {
    std::array<double, 2> at;
    int curve;
    std::string layer;
  };

  /// Curves with an open end are an error, or are left out, and those whose ends are open then.
  void leave_out_open_curves() {
    std::map<int, std::string> layer_of;
    for (const auto& [layer, curves] : curves_of_layer_)
      for (const int curve : curves)
        layer_of[curve] = layer;
    std::map<int, std::vector<int>> curves_at, points_of; // a closed curve stands twice at its point
    for (const auto& [curve, layer] : layer_of) {
      gmsh::vectorpair points;
      gmsh::model::getBoundary({{1, curve}}, points, false, false, false);
      for (const auto& point : points)
        points_of[curve].push_back(std::abs(point.second));
      if (points.size() == 1)
        points_of[curve].push_back(points_of[curve][0]);
      for (const int point : points_of[curve])
        curves_at[point].push_back(curve);
    }
    std::vector<OpenEnd> ends;
    for (const auto& [point, curves] : curves_at)
      if (curves.size() == 1) {
        std::vector<double> xyz;
        gmsh::model::getValue(0, point, {}, xyz);
        ends.push_back({{xyz[0], xyz[1]}, curves[0], layer_of[curves[0]]});
      }
    if (ends.empty())
      return;
    TESSERA_REQUIRE(leaves_out_, open_ends_message(ends, layer_of));
    for (const OpenEnd& end : ends)
      for (int curve = end.curve; curve != 0 && left_out_.insert(curve).second;) {
        int next = 0;
        for (const int point : points_of[curve]) {
          std::vector<int>& others = curves_at[point];
          others.erase(std::find(others.begin(), others.end(), curve));
          next = others.size() == 1 ? others[0] : next;
        }
        curve = next;
      }
    note_left_out(ends);
    for (auto& [layer, curves] : curves_of_layer_)
      for (const int curve : left_out_)
        curves.erase(curve);
  }

  void note_left_out(const std::vector<OpenEnd>& ends) {
    double length = 0.;
    for (const int curve : left_out_) {
      double part = 0.;
      occ::getMass(1, curve, part);
      length += part;
    }
    std::ostringstream note;
    note << path_ << ": mesh.join: " << left_out_.size() << (left_out_.size() == 1 ? " piece" : " pieces")
         << " of curves with open ends, " << length << " units long in all, "
         << (left_out_.size() == 1 ? "was" : "were") << " left out: " << places_of(ends) << '.';
    notes_.push_back(note.str());
  }

  /// `distances`: from other curves, or empty.
  std::string places_of(const std::vector<OpenEnd>& ends, const std::vector<double>& distances = {}) const {
    constexpr std::size_t max_listed = 6;
    std::ostringstream text;
    for (std::size_t i = 0; i < std::min(ends.size(), max_listed); ++i) {
      text << (i > 0 ? "; " : "") << place_text(rounded(ends[i].at[0]), rounded(ends[i].at[1])) << " on layer '"
           << io::printable(ends[i].layer) << "'";
      if (i < distances.size() && std::isfinite(distances[i]))
        text << ", " << distances[i] << " from the nearest curve";
    }
    return text.str() + (ends.size() > max_listed ? "; ..." : "");
  }

  /// Distance from a place to a curve. Gmsh's closest point may lie on the curve's extension.
  static double distance_of(const std::array<double, 2>& at, int curve) {
    std::vector<double> closest, parameter, lower, upper;
    gmsh::model::getClosestPoint(1, curve, {at[0], at[1], 0.}, closest, parameter);
    gmsh::model::getParametrizationBounds(1, curve, lower, upper);
    std::string type;
    gmsh::model::getType(1, curve, type);
    const double turn = type == "Circle" || type == "Ellipse" ? 2. * pi : 0.;
    double nearest = std::numeric_limits<double>::infinity();
    for (const double shift : {-turn, 0., turn})
      if (parameter[0] + shift >= lower[0] && parameter[0] + shift <= upper[0])
        nearest = std::hypot(closest[0] - at[0], closest[1] - at[1]);
    gmsh::vectorpair ends;
    gmsh::model::getBoundary({{1, curve}}, ends, false, false, false);
    for (const auto& end : ends) {
      std::vector<double> xyz;
      gmsh::model::getValue(0, std::abs(end.second), {}, xyz);
      nearest = std::min(nearest, std::hypot(xyz[0] - at[0], xyz[1] - at[1]));
    }
    return nearest;
  }

  /// Distance from an end to the nearest other curve, or open end of its own.
  static double distance_of(const OpenEnd& end, const std::vector<OpenEnd>& ends,
                            const std::map<int, std::string>& layer_of) {
    double nearest = std::numeric_limits<double>::infinity();
    for (const OpenEnd& other : ends)
      if (&other != &end && other.curve == end.curve)
        nearest = std::hypot(other.at[0] - end.at[0], other.at[1] - end.at[1]);
    for (const auto& [curve, layer] : layer_of)
      if (curve != end.curve)
        nearest = std::min(nearest, distance_of(end.at, curve));
    return nearest;
  }

  std::string open_ends_message(const std::vector<OpenEnd>& ends, const std::map<int, std::string>& layer_of) const {
    constexpr std::size_t most_projections = 200000; // a few seconds
    const bool is_measured = ends.size() * layer_of.size() <= most_projections;
    std::vector<double> distances;
    double needed = 0.;
    std::size_t n_near = 0;
    for (std::size_t i = 0; is_measured && i < ends.size(); ++i) {
      distances.push_back(distance_of(ends[i], ends, layer_of));
      if (distances.back() <= near_miss * diagonal_) {
        needed = std::max(needed, distances.back());
        ++n_near;
      }
    }
    std::ostringstream text;
    text << path_ << ": " << ends.size() << (ends.size() == 1 ? " end of a curve meets" : " ends of curves meet")
         << " no other curve, so that outlines are open: " << places_of(ends, distances) << ". Ends are joined within "
         << tolerance_ << " units. Close the outlines, put auxiliary lines on a hidden layer, or set mesh.join, ";
    if (n_near > 0) {
      constexpr double margin = 1.1; // for rounding of the printed number, and of the library
      std::ostringstream number;
      number.precision(2);
      number << margin * std::max(needed, tolerance_);
      text << number.str() << " for " << (n_near == ends.size() ? "all" : std::to_string(n_near)) << " of them"
           << (n_near == ends.size() ? "." : "; curves with other open ends are left out then.");
    } else {
      text << "in units of the drawing; with 0 curves with open ends are left out.";
    }
    return text.str();
  }

  void find_faces() {
    const double outside = drawing_.lower[0] - 0.05 * diagonal_;
    for (const auto& part : parts_[0]) {
      double x0 = 0., y0 = 0., z0 = 0., x1 = 0., y1 = 0., z1 = 0.;
      gmsh::model::getBoundingBox(part.first, part.second, x0, y0, z0, x1, y1, z1);
      if (x0 < outside) {
        outer_ = part.second;
        continue;
      }
      Face face;
      face.tag = part.second;
      gmsh::vectorpair curves;
      gmsh::model::getBoundary({part}, curves, false, false, false);
      for (const auto& curve : curves)
        face.curves.insert(std::abs(curve.second));
      std::vector<int> inside;
      for (const auto& [dim, tag] : embedded(face.tag))
        if (dim == 1 && left_out_.count(tag) == 0)
          inside.push_back(tag);
      if (!left_out_.empty()) {
        gmsh::model::mesh::removeEmbedded({part}, 1);
        gmsh::model::mesh::embed(1, inside, 2, face.tag);
      }
      face.curves.insert(inside.begin(), inside.end());
      faces_.push_back(face);
    }
    TESSERA_REQUIRE(!faces_.empty(), path_ << " holds no closed region.");
  }

  static gmsh::vectorpair embedded(int face) {
    gmsh::vectorpair inside;
    gmsh::model::mesh::getEmbedded(2, face, inside);
    return inside;
  }

  void assign_labels() {
    std::map<int, Face*> face_of_point;
    for (Face& face : faces_)
      for (const auto& [dim, tag] : embedded(face.tag))
        if (dim == 0)
          face_of_point[tag] = &face;
    std::set<int> in_outer;
    for (const auto& [dim, tag] : embedded(outer_))
      if (dim == 0)
        in_outer.insert(tag);
    for (std::size_t l = 0; l < drawing_.labels.size(); ++l) {
      const DxfLabel& label = drawing_.labels[l];
      const auto& parts = parts_[first_label_part_ + l];
      const int point = parts.empty() ? 0 : parts[0].second;
      const std::string said = " '" + io::printable(label.name) + "' at " + place_text(label.at[0], label.at[1]);
      if (in_outer.count(point) > 0) {
        notes_.push_back(label.location + ":" + said + " lies in no closed region and names nothing.");
        continue;
      }
      const auto found = face_of_point.find(point);
      TESSERA_REQUIRE(found != face_of_point.end(),
                      label.location << ":" << said
                                     << " lies on a curve; the insertion point of a text names the region "
                                     << "in which it lies. Move it, or put it on a hidden layer.");
      Face& face = *found->second;
      TESSERA_REQUIRE(face.label == nullptr || face.label->name == label.name,
                      label.location << ":" << said << " lies in the same region as '"
                                     << io::printable(face.label->name) << "' at "
                                     << place_text(face.label->at[0], face.label->at[1]) << " (" << face.label->location
                                     << "); a region has one name.");
      face.label = &label;
      face.name = label.name;
      any_label_ = true;
    }
    // Embedded points must not become nodes of the mesh.
    for (const Face& face : faces_)
      gmsh::model::mesh::removeEmbedded({{2, face.tag}}, 0);
  }

  /// Replaces a rounding error around 0 by 0.
  double rounded(double x) const { return std::fabs(x) < 1e-12 * diagonal_ ? 0. : x; }

  /// Layers that contain the whole outer outline of a face, that is the curves connected to the leftmost one.
  std::set<std::string> outline_layers(const Face& face) const {
    std::map<int, std::vector<int>> curves_at;
    std::map<int, gmsh::vectorpair> points_of;
    double leftmost = std::numeric_limits<double>::infinity();
    int first = 0;
    for (const int curve : face.curves) {
      gmsh::model::getBoundary({{1, curve}}, points_of[curve], false, false, false);
      for (const auto& point : points_of[curve])
        curves_at[std::abs(point.second)].push_back(curve);
      double x0 = 0., y0 = 0., z0 = 0., x1 = 0., y1 = 0., z1 = 0.;
      gmsh::model::getBoundingBox(1, curve, x0, y0, z0, x1, y1, z1);
      if (x0 < leftmost) {
        leftmost = x0;
        first = curve;
      }
    }
    std::set<int> outline{first};
    for (std::vector<int> open{first}; !open.empty();) {
      const int curve = open.back();
      open.pop_back();
      for (const auto& point : points_of[curve])
        for (const int next : curves_at[std::abs(point.second)])
          if (outline.insert(next).second)
            open.push_back(next);
    }
    std::set<std::string> layers;
    for (const auto& [layer, curves] : curves_of_layer_)
      if (std::all_of(outline.begin(), outline.end(), [&](int curve) { return curves.count(curve) > 0; }))
        layers.insert(layer);
    return layers;
  }

  void name_faces() {
    std::map<std::string, std::vector<int>> faces_of;
    std::string holes;
    int n_holes = 0;
    for (Face& face : faces_) {
      if (!any_label_) {
        const std::set<std::string> layers = outline_layers(face);
        const bool by_layer = layers.size() == 1 && *layers.begin() != "0";
        face.name = by_layer ? *layers.begin() : "surface_" + std::to_string(face.tag);
      }
      if (!face.name.empty()) {
        faces_of[face.name].push_back(face.tag);
        continue;
      }
      double x = 0., y = 0., z = 0.;
      occ::getCenterOfMass(2, face.tag, x, y, z);
      if (++n_holes <= 6)
        holes += (holes.empty() ? "" : ", ") + place_text(rounded(x), rounded(y));
    }
    if (n_holes > 0)
      notes_.push_back(path_ + ": regions without a label are holes: " + std::to_string(n_holes) + ", around " + holes +
                       (n_holes > 6 ? ", ..." : "") + ".");
    for (const auto& [name, faces] : faces_of) {
      gmsh::model::setPhysicalName(2, gmsh::model::addPhysicalGroup(2, faces), name);
      if (!any_label_ && faces.size() > 1)
        notes_.push_back(path_ + ": layer '" + name + "' outlines " + std::to_string(faces.size()) +
                         " regions, which form one group; labels (texts inside) would distinguish them.");
    }
  }

  void name_curves() {
    std::set<int> kept;
    for (const Face& face : faces_)
      if (!face.name.empty())
        kept.insert(face.curves.begin(), face.curves.end());
    for (const auto& [layer, curves] : curves_of_layer_) {
      std::vector<int> tags;
      std::set_intersection(curves.begin(), curves.end(), kept.begin(), kept.end(), std::back_inserter(tags));
      if (tags.empty())
        continue;
      if (layer != "0") {
        gmsh::model::setPhysicalName(1, gmsh::model::addPhysicalGroup(1, tags), layer);
        continue;
      }
      for (const int tag : tags)
        gmsh::model::setPhysicalName(1, gmsh::model::addPhysicalGroup(1, {tag}), "curve_" + std::to_string(tag));
    }
  }

  /// Removes holes and the surroundings of the drawing, which are not meshed.
  void remove_others() {
    gmsh::vectorpair others{{2, outer_}};
    for (const Face& face : faces_)
      if (face.name.empty())
        others.emplace_back(2, face.tag);
    gmsh::model::removeEntities(others, true);
    gmsh::vectorpair open;
    for (const int curve : left_out_)
      open.emplace_back(1, curve);
    gmsh::model::removeEntities(open, true);
  }

  DxfDrawing drawing_;
  const std::string& path_;
  std::vector<std::string>& notes_;
  double diagonal_;
  bool leaves_out_;  ///< curves with open ends
  double tolerance_; ///< within which ends are joined
  std::set<int> left_out_;
  std::vector<gmsh::vectorpair> parts_; ///< entities made from the rectangle, each distinct curve and each label
  std::size_t first_label_part_ = 0;
  std::map<std::string, std::set<int>> curves_of_layer_;
  std::vector<Face> faces_;
  int outer_ = 0;
  bool any_label_ = false;
};

} // namespace

void make_surfaces(const DxfDrawing& drawing, const std::string& path, double join, std::vector<std::string>& notes) {
  gmsh::model::add("drawing");
  Arrangement(drawing, path, join, notes).make();
  gmsh::option::setNumber("Mesh.MeshSizeFromCurvature", elements_per_turn);
}

} // namespace tessera::importer
