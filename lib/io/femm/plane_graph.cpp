// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "io/femm/plane_graph.hpp"

#include "core/constants.hpp"
#include "core/error.hpp"
#include "core/place_text.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>
#include <tuple>

namespace tessera::io {

namespace {

using detail::at;
constexpr double join_tolerance = 1e-7;    // relative to the diagonal: FEMM joins what is closer
constexpr double least_distance = 0.05;    // from a common end, relative to the shorter curve: tangent curves seem to
                                           // meet again close to it
constexpr double right_angle = 90. + 1e-9; // degrees

PlanePoint minus(const PlanePoint& a, const PlanePoint& b) { return {a[0] - b[0], a[1] - b[1]}; }
double cross(const PlanePoint& a, const PlanePoint& b) { return a[0] * b[1] - a[1] * b[0]; }
double dot(const PlanePoint& a, const PlanePoint& b) { return a[0] * b[0] + a[1] * b[1]; }
double length(const PlanePoint& a) { return std::hypot(a[0], a[1]); }
double distance(const PlanePoint& a, const PlanePoint& b) { return length(minus(a, b)); }

/// Centre of the counterclockwise arc of `angle` (radians) between two points.
PlanePoint centre_of(const PlanePoint& a, const PlanePoint& b, double angle) {
  const double cosine = std::fabs(angle - pi) < 1e-14 ? 0. : std::cos(0.5 * angle); // exact for half-circles
  const double to_left = 0.5 * cosine / std::sin(0.5 * angle);                      // of the chord, over its length
  return {0.5 * (a[0] + b[0]) - to_left * (b[1] - a[1]), 0.5 * (a[1] + b[1]) + to_left * (b[0] - a[0])};
}

class Builder {
public:
  explicit Builder(const FemmFile& file) : file_(file) {}

  PlaneGraph build() {
    add_curves();
    check_crossings();
    std::vector<int> loop_of = trace(std::vector<bool>(graph_.curves.size(), true));
    std::vector<bool> divides(graph_.curves.size());
    for (std::size_t c = 0; c < divides.size(); ++c)
      divides[c] = loop_of[2 * c] != loop_of[2 * c + 1];
    loop_of = trace(divides);
    make_faces(loop_of, divides);
    assign_labels();
    return std::move(graph_);
  }

private:
  const PlanePoint& point(int p) const { return graph_.points[at(p)]; }
  const PlanePoint& begin_of(int half) const {
    const PlaneCurve& curve = graph_.curves[at(half / 2)];
    return point(half % 2 == 0 ? curve.from : curve.to);
  }
  int line_of(const PlaneCurve& curve) const { return file_.curves[at(curve.origin)].line; }

  void add_curves() {
    PlanePoint lower{}, upper{};
    for (const FemmPoint& p : file_.points) {
      graph_.points.push_back({p.x, p.y});
      for (std::size_t d = 0; d < 2; ++d) {
        lower[d] = std::min(graph_.points.size() == 1 ? graph_.points[0][d] : lower[d], graph_.points.back()[d]);
        upper[d] = std::max(graph_.points.size() == 1 ? graph_.points[0][d] : upper[d], graph_.points.back()[d]);
      }
    }
    graph_.diagonal = distance(lower, upper);
    tolerance_ = join_tolerance * graph_.diagonal;
    for (std::size_t c = 0; c < file_.curves.size(); ++c) {
      const FemmCurve& curve = file_.curves[c];
      PlaneCurve piece;
      piece.origin = static_cast<int>(c);
      piece.from = curve.from;
      piece.to = curve.to;
      if (curve.angle == 0.) {
        graph_.curves.push_back(piece);
        continue;
      }
      const double angle = curve.angle * pi / 180.;
      piece.centre = centre_of(point(curve.from), point(curve.to), angle);
      piece.radius = distance(piece.centre, point(curve.from));
      piece.angle = angle;
      if (curve.angle > right_angle) {
        const PlanePoint a = minus(point(curve.from), piece.centre);
        const double cosine = std::cos(0.5 * angle), sine = std::sin(0.5 * angle);
        piece.angle = 0.5 * angle;
        piece.to = static_cast<int>(graph_.points.size());
        graph_.points.push_back(
            {piece.centre[0] + cosine * a[0] - sine * a[1], piece.centre[1] + sine * a[0] + cosine * a[1]});
        graph_.curves.push_back(piece);
        piece.from = piece.to;
        piece.to = curve.to;
      }
      graph_.curves.push_back(piece);
    }
  }

  /// Whether a point of its line or circle lies on the curve.
  bool holds(const PlaneCurve& curve, const PlanePoint& p) const {
    const PlanePoint a = point(curve.from), b = point(curve.to), chord = minus(b, a);
    const double along = dot(minus(p, a), chord) / length(chord);
    if (along < -tolerance_ || along > length(chord) + tolerance_)
      return false;
    // Arcs of at most 90 degrees are on the right of their chords, the rest of the circle within these bounds is not.
    return curve.angle == 0. || cross(chord, minus(p, a)) <= tolerance_ * length(chord);
  }

  /// Points common to the lines or circles of two curves.
  std::vector<PlanePoint> meets(const PlaneCurve& c, const PlaneCurve& d) const {
    if (c.angle == 0. && d.angle != 0.)
      return meets(d, c);
    const PlanePoint a = point(d.from), v = minus(point(d.to), a);
    if (c.angle == 0.) {
      const PlanePoint b = point(c.from), w = minus(point(c.to), b);
      const double sine = cross(v, w);
      if (std::fabs(sine) < 1e-12 * length(v) * length(w))
        return {}; // parallel: of two that overlap, one holds an end of the other
      const double t = cross(minus(b, a), w) / sine;
      return {{a[0] + t * v[0], a[1] + t * v[1]}};
    }
    PlanePoint foot, along; // of the common chord, or of the line, next to the centre of c
    if (d.angle == 0.) {
      const double t = dot(minus(c.centre, a), v) / dot(v, v);
      foot = {a[0] + t * v[0], a[1] + t * v[1]};
      along = {v[0] / length(v), v[1] / length(v)};
    } else {
      const PlanePoint to = minus(d.centre, c.centre);
      const double gap = length(to);
      if (gap < tolerance_)
        return {};
      const double t = (gap * gap + c.radius * c.radius - d.radius * d.radius) / (2. * gap * gap);
      foot = {c.centre[0] + t * to[0], c.centre[1] + t * to[1]};
      along = {-to[1] / gap, to[0] / gap};
    }
    const double square = c.radius * c.radius - dot(minus(foot, c.centre), minus(foot, c.centre));
    if (square < 0.)
      return {};
    const double half = std::sqrt(square);
    return {{foot[0] + half * along[0], foot[1] + half * along[1]},
            {foot[0] - half * along[0], foot[1] - half * along[1]}};
  }

  void fail_meeting(const PlaneCurve& c, const std::string& what, const PlanePoint& p) const {
    TESSERA_REQUIRE(false, file_.at(line_of(c)) << "this curve " << what << " at " << place_text(p.data(), 2)
                                                << ". FEMM divides curves where they meet: open the drawing there and "
                                                   "save it.");
  }

  void check_crossings() const {
    struct Box {
      double lower[2], upper[2];
    };
    const auto& curves = graph_.curves;
    std::vector<Box> boxes;
    for (const PlaneCurve& c : curves) {
      const PlanePoint a = point(c.from), b = point(c.to);
      const double more = tolerance_ + (c.angle == 0. ? 0. : c.radius * (1. - std::cos(0.5 * c.angle)));
      boxes.push_back({{std::min(a[0], b[0]) - more, std::min(a[1], b[1]) - more},
                       {std::max(a[0], b[0]) + more, std::max(a[1], b[1]) + more}});
    }
    std::set<std::tuple<int, int, double>> seen;
    for (std::size_t i = 0; i < curves.size(); ++i) {
      const PlaneCurve& c = curves[i];
      const double turn = std::round(1e6 * (c.from < c.to ? c.angle : -c.angle));
      if (!seen.insert({std::min(c.from, c.to), std::max(c.from, c.to), turn}).second)
        fail_meeting(c, "is drawn twice", point(c.from));
      for (std::size_t p = 0; p < graph_.points.size(); ++p)
        check_point(c, boxes[i].lower, boxes[i].upper, static_cast<int>(p));
      for (std::size_t j = 0; j < i; ++j)
        if (boxes[i].lower[0] <= boxes[j].upper[0] && boxes[j].lower[0] <= boxes[i].upper[0] &&
            boxes[i].lower[1] <= boxes[j].upper[1] && boxes[j].lower[1] <= boxes[i].upper[1])
          check_pair(c, curves[j]);
    }
  }

  /// A point that is no end of a curve must not lie on it.
  void check_point(const PlaneCurve& c, const double* lower, const double* upper, int p) const {
    const PlanePoint& x = point(p);
    if (p != c.from && p != c.to && x[0] >= lower[0] && x[0] <= upper[0] && x[1] >= lower[1] && x[1] <= upper[1] &&
        is_on(c, x))
      fail_meeting(c, "holds another point", x);
  }

  void check_pair(const PlaneCurve& c, const PlaneCurve& d) const {
    const double shorter = std::min(distance(point(c.from), point(c.to)), distance(point(d.from), point(d.to)));
    for (const PlanePoint& p : meets(c, d)) {
      const auto is_end = [&](int end) {
        const bool is_common = (end == c.from || end == c.to) && (end == d.from || end == d.to);
        return is_common && distance(p, point(end)) < least_distance * shorter;
      };
      if (!is_end(c.from) && !is_end(c.to) && holds(c, p) && holds(d, p))
        fail_meeting(c, "and that of line " + std::to_string(line_of(d)) + " cross or touch", p);
    }
  }

  /// Direction from a point along the half-curve that begins there, at the distance `reach`.
  double direction_of(int half, double reach) const {
    const PlaneCurve& c = graph_.curves[at(half / 2)];
    const PlanePoint v = minus(begin_of(half ^ 1), begin_of(half));
    const double chord = std::atan2(v[1], v[0]);
    if (c.angle == 0.)
      return chord;
    const double turned = std::asin(reach / (2. * c.radius)) - 0.5 * c.angle; // from the chord to the place
    return chord + (half % 2 == 0 ? turned : -turned);
  }

  /// Follows the chosen curves around the faces on their left: numbers of the closed sequences by half-curve, -1 for
  /// those of other curves. The sequences themselves are in loops_.
  std::vector<int> trace(const std::vector<bool>& chosen) {
    std::vector<std::vector<int>> leaving(graph_.points.size());
    for (std::size_t c = 0; c < graph_.curves.size(); ++c)
      if (chosen[c]) {
        leaving[at(graph_.curves[c].from)].push_back(static_cast<int>(2 * c));
        leaving[at(graph_.curves[c].to)].push_back(static_cast<int>(2 * c + 1));
      }
    std::vector<int> next(2 * graph_.curves.size(), -1);
    for (std::vector<int>& halves : leaving) {
      double reach = std::numeric_limits<double>::infinity();
      for (const int half : halves)
        reach = std::min(reach, 0.3 * distance(begin_of(half), begin_of(half ^ 1)));
      std::vector<std::pair<double, int>> order;
      for (const int half : halves)
        order.emplace_back(std::remainder(direction_of(half, reach), 2. * pi), half);
      std::sort(order.begin(), order.end());
      for (std::size_t i = 0; i < order.size(); ++i) // from a curve that arrives to the next one clockwise
        next[at(order[(i + 1) % order.size()].second ^ 1)] = order[i].second;
    }
    std::vector<int> loop_of(next.size(), -1);
    loops_.clear();
    for (std::size_t h = 0; h < next.size(); ++h) {
      if (next[h] < 0 || loop_of[h] >= 0)
        continue;
      loops_.emplace_back();
      for (int half = static_cast<int>(h); loop_of[at(half)] < 0; half = next[at(half)]) {
        loop_of[at(half)] = static_cast<int>(loops_.size()) - 1;
        loops_.back().push_back(half);
      }
    }
    return loop_of;
  }

  double area_of(const std::vector<int>& loop) const {
    double area = 0.;
    for (const int half : loop) {
      const PlaneCurve& c = graph_.curves[at(half / 2)];
      const PlanePoint &a = begin_of(loop[0]), b = begin_of(half), e = begin_of(half ^ 1);
      const double segment = 0.5 * c.radius * c.radius * (c.angle - std::sin(c.angle));
      area += 0.5 * cross(minus(b, a), minus(e, a)) + (half % 2 == 0 ? segment : -segment);
    }
    return area;
  }

  /// Whether a point, which is not on a curve, lies within a closed sequence.
  bool encloses(const std::vector<int>& loop, const PlanePoint& p) const {
    double turned = 0.;
    for (const int half : loop) {
      const PlaneCurve& c = graph_.curves[at(half / 2)];
      const PlanePoint a = minus(begin_of(half), p), b = minus(begin_of(half ^ 1), p);
      turned += std::atan2(cross(a, b), dot(a, b));
      const PlanePoint begin = point(c.from);
      if (c.angle != 0. && distance(p, c.centre) < c.radius && cross(minus(point(c.to), begin), minus(p, begin)) < 0.)
        turned += half % 2 == 0 ? 2. * pi : -2. * pi; // between the arc and its chord
    }
    return turned > pi;
  }

  /// The smallest face around a point; -1 outside. `other_than`: skips faces with this component.
  int face_around(const PlanePoint& p, int other_than = -1) const {
    int found = -1;
    for (std::size_t f = 0; f < outlines_.size(); ++f)
      if (components_[at(begin_point(outlines_[f][0]))] != other_than && encloses(outlines_[f], p) &&
          (found < 0 || outline_areas_[f] < outline_areas_[at(found)]))
        found = static_cast<int>(f);
    return found;
  }

  int begin_point(int half) const {
    const PlaneCurve& curve = graph_.curves[at(half / 2)];
    return half % 2 == 0 ? curve.from : curve.to;
  }

  void find_components(const std::vector<bool>& divides) {
    components_.resize(graph_.points.size());
    std::iota(components_.begin(), components_.end(), 0);
    const auto root = [this](int p) {
      while (components_[at(p)] != p)
        p = components_[at(p)] = components_[at(components_[at(p)])];
      return p;
    };
    for (std::size_t c = 0; c < divides.size(); ++c)
      if (divides[c])
        components_[at(root(graph_.curves[c].from))] = root(graph_.curves[c].to);
    for (std::size_t p = 0; p < components_.size(); ++p)
      components_[p] = root(static_cast<int>(p));
  }

  void make_faces(const std::vector<int>& loop_of, const std::vector<bool>& divides) {
    find_components(divides);
    std::vector<int> face_of(loops_.size(), -1);
    for (std::size_t l = 0; l < loops_.size(); ++l)
      if (const double area = area_of(loops_[l]); area > 0.) {
        face_of[l] = static_cast<int>(graph_.faces.size());
        PlaneFace face;
        face.loops.push_back(loops_[l]);
        face.area = area;
        graph_.faces.push_back(face);
        outlines_.push_back(loops_[l]);
        outline_areas_.push_back(area);
      }
    TESSERA_REQUIRE(!graph_.faces.empty(), file_.path << ": the curves enclose no region.");
    for (std::size_t l = 0; l < loops_.size(); ++l)
      if (face_of[l] < 0) {
        face_of[l] = face_around(begin_of(loops_[l][0]), components_[at(begin_point(loops_[l][0]))]);
        if (face_of[l] >= 0) {
          graph_.faces[at(face_of[l])].loops.push_back(loops_[l]);
          graph_.faces[at(face_of[l])].area += area_of(loops_[l]); // negative
        }
      }
    for (std::size_t c = 0; c < divides.size(); ++c) {
      PlaneCurve& curve = graph_.curves[c];
      for (std::size_t side = 0; side < 2; ++side)
        curve.faces[side] = divides[c] ? face_of[at(loop_of[2 * c + side])] : face_around(middle_of(curve));
      if (!divides[c] && curve.faces[0] >= 0)
        graph_.faces[at(curve.faces[0])].inner_curves.push_back(static_cast<int>(c));
    }
    for (PlaneFace& face : graph_.faces) {
      PlanePoint lower = begin_of(face.loops[0][0]), upper = lower;
      for (const int half : face.loops[0])
        for (std::size_t d = 0; d < 2; ++d) {
          lower[d] = std::min(lower[d], begin_of(half)[d]);
          upper[d] = std::max(upper[d], begin_of(half)[d]);
        }
      face.diagonal = distance(lower, upper);
    }
  }

  PlanePoint middle_of(const PlaneCurve& c) const {
    const PlanePoint a = point(c.from), b = point(c.to);
    PlanePoint middle{0.5 * (a[0] + b[0]), 0.5 * (a[1] + b[1])};
    if (c.angle != 0.)
      for (std::size_t d = 0; d < 2; ++d)
        middle[d] = c.centre[d] + (middle[d] - c.centre[d]) / std::cos(0.5 * c.angle);
    return middle;
  }

  void assign_labels() {
    int otherwise = -1;
    for (std::size_t l = 0; l < file_.labels.size(); ++l) {
      const FemmLabel& label = file_.labels[l];
      if (label.is_default)
        otherwise = static_cast<int>(l);
      const PlanePoint p{label.x, label.y};
      const std::string said = file_.at(label.line) + "the block label at " + place_text(p.data(), 2);
      for (const PlaneCurve& c : graph_.curves)
        TESSERA_REQUIRE(!is_on(c, p), said << " lies on the curve of line " << line_of(c) << '.');
      const int f = face_around(p);
      TESSERA_REQUIRE(f >= 0 || label.is_hole || label.is_default, said << " lies outside of all closed outlines.");
      if (f < 0)
        continue;
      PlaneFace& face = graph_.faces[at(f)];
      TESSERA_REQUIRE(face.label < 0, said << " lies in the same region as that of line "
                                           << file_.labels[at(face.label)].line << ". Each region has one label.");
      face.label = static_cast<int>(l);
    }
    for (PlaneFace& face : graph_.faces) {
      if (face.label < 0)
        face.label = otherwise;
      const PlaneCurve& first = graph_.curves[at(face.loops[0][0] / 2)];
      TESSERA_REQUIRE(face.label >= 0,
                      file_.at(line_of(first))
                          << "the region next to this curve at " << place_text(middle_of(first).data(), 2)
                          << ", of area " << face.area
                          << ", has no block label. Each region needs one with a material or <No Mesh>.");
    }
  }

  bool is_on(const PlaneCurve& c, const PlanePoint& p) const {
    const PlanePoint a = point(c.from), chord = minus(point(c.to), a);
    const double off = c.angle == 0. ? std::fabs(cross(chord, minus(p, a))) / length(chord)
                                     : std::fabs(distance(p, c.centre) - c.radius);
    return off <= tolerance_ && holds(c, p);
  }

  const FemmFile& file_;
  PlaneGraph graph_;
  std::vector<std::vector<int>> loops_;
  std::vector<std::vector<int>> outlines_; ///< of the faces
  std::vector<double> outline_areas_;
  std::vector<int> components_; ///< by point
  double tolerance_ = 0.;
};

} // namespace

bool PlaneGraph::is_meshed(const FemmFile& file, int face) const {
  return face >= 0 && !file.labels[static_cast<std::size_t>(faces[static_cast<std::size_t>(face)].label)].is_hole;
}

PlaneGraph make_plane_graph(const FemmFile& file) { return Builder(file).build(); }

} // namespace tessera::io
