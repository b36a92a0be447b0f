// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "io/geometry/gap_sizes.hpp"

#include "core/constants.hpp"

#include <cmath>
#include <limits>
#include <map>
#include <utility>

namespace tessera::io {

namespace {

using Vector = std::array<double, 3>;

constexpr double growth = 0.3;  // of sizes, per unit of distance from a gap
constexpr double coarse = 6.;   // elements up to this multiple of the size for a gap are accepted
constexpr double coarser = 1.5; // remaining elements above this multiple of the size for a gap are reported
constexpr double facing = 0.5;  // cosine of the largest angle between a ray and the normal of a facet that faces back
constexpr double alike = 0.1;   // relative difference of widths in one place
constexpr double no_limit = 1e22;

Vector operator+(const Vector& a, const Vector& b) { return {a[0] + b[0], a[1] + b[1], a[2] + b[2]}; }
Vector operator-(const Vector& a, const Vector& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
Vector operator*(double f, const Vector& a) { return {f * a[0], f * a[1], f * a[2]}; }
double dot(const Vector& a, const Vector& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
Vector cross(const Vector& a, const Vector& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
double length(const Vector& a) { return std::sqrt(dot(a, a)); }

using Corners = std::array<Vector, 3>;

/// Unit normal; zero for a degenerate facet.
Vector normal_of(int dimension, const Corners& corners) {
  const Vector along = corners[1] - corners[0];
  const Vector normal = dimension == 2 ? Vector{along[1], -along[0], 0.} : cross(along, corners[2] - corners[0]);
  const double norm = length(normal);
  return norm > 0. ? (1. / norm) * normal : Vector{};
}

/// An inner point: not the centroid of a triangle, from which rays often hit edges of opposite triangles.
Vector inner_point(int dimension, const Corners& corners) {
  return dimension == 2 ? 0.5 * (corners[0] + corners[1]) : 0.31 * corners[0] + 0.36 * corners[1] + 0.33 * corners[2];
}

double longest_edge(int dimension, const Corners& corners) {
  double longest = length(corners[1] - corners[0]);
  if (dimension == 3)
    longest = std::max({longest, length(corners[2] - corners[0]), length(corners[2] - corners[1])});
  return longest;
}

double measure_of(int dimension, const Corners& corners) {
  return dimension == 2 ? length(corners[1] - corners[0])
                        : 0.5 * length(cross(corners[1] - corners[0], corners[2] - corners[0]));
}

std::vector<Corners> halves(int dimension, const Corners& c) {
  const Vector m = 0.5 * (c[0] + c[1]);
  if (dimension == 2)
    return {{c[0], m, {}}, {m, c[1], {}}};
  const Vector n = 0.5 * (c[1] + c[2]), o = 0.5 * (c[2] + c[0]);
  return {{c[0], m, o}, {m, c[1], n}, {o, n, c[2]}, {n, o, m}};
}

/// Distance along a ray to a facet; <= 0: no hit. A ray through the common end of two segments hits one of them.
double hit(int dimension, const Corners& corners, const Vector& from, const Vector& direction) {
  const Vector a = corners[0] - from;
  if (dimension == 2) {
    const Vector b = corners[1] - from;
    const auto side = [&](const Vector& v) { return direction[0] * v[1] - direction[1] * v[0]; };
    if ((side(a) >= 0.) == (side(b) >= 0.))
      return 0.;
    return (a[0] * (b[1] - a[1]) - a[1] * (b[0] - a[0])) / side(b - a);
  }
  const Vector u = corners[1] - corners[0], v = corners[2] - corners[0]; // after Moeller and Trumbore
  const Vector p = cross(direction, v);
  const double det = dot(u, p);
  if (det == 0.)
    return 0.;
  const double s = -dot(a, p) / det;
  const Vector q = cross(-1. * a, u);
  const double t = dot(direction, q) / det;
  return s < 0. || t < 0. || s + t > 1. ? 0. : dot(v, q) / det;
}

/// Distance along a ray to a box; infinite: no hit. Rounding may change it by some 1e-15.
double hit_box(const Box3& box, const Vector& from, const Vector& direction) {
  double enter = 0., leave = no_limit;
  for (std::size_t d = 0; d < 3; ++d) {
    if (direction[d] == 0.) {
      if (from[d] < box.lower[d] || from[d] > box.upper[d])
        return std::numeric_limits<double>::infinity();
      continue;
    }
    const double one = (box.lower[d] - from[d]) / direction[d], other = (box.upper[d] - from[d]) / direction[d];
    enter = std::max(enter, std::min(one, other));
    leave = std::min(leave, std::max(one, other));
  }
  return enter <= leave * (1. + 1e-12) ? enter * (1. - 1e-12) : std::numeric_limits<double>::infinity();
}

double distance_to_segment(const Vector& x, const Vector& a, const Vector& b) {
  const Vector along = b - a;
  const double square = dot(along, along);
  const double t = square > 0. ? std::min(1., std::max(0., dot(x - a, along) / square)) : 0.;
  return length(x - a - t * along);
}

double distance_to(int dimension, const Corners& c, const Vector& x) {
  if (dimension == 2)
    return distance_to_segment(x, c[0], c[1]);
  const Vector normal = normal_of(3, c);
  bool is_inside = true; // inside the prism above the triangle
  for (std::size_t k = 0; k < 3; ++k)
    is_inside = is_inside && dot(cross(c[(k + 1) % 3] - c[k], x - c[k]), normal) >= 0.;
  if (is_inside && length(normal) > 0.)
    return std::fabs(dot(x - c[0], normal));
  return std::min(
      {distance_to_segment(x, c[0], c[1]), distance_to_segment(x, c[1], c[2]), distance_to_segment(x, c[2], c[0])});
}

std::vector<Box3> boxes_of(int dimension, const std::vector<Corners>& facets) {
  std::vector<Box3> boxes(facets.size());
  for (std::size_t i = 0; i < facets.size(); ++i)
    for (int k = 0; k < dimension; ++k)
      boxes[i].add(facets[i][static_cast<std::size_t>(k)]);
  return boxes;
}

std::vector<Corners> corners_of(const std::vector<GapFacet>& facets) {
  std::vector<Corners> corners;
  for (const GapFacet& facet : facets)
    corners.push_back(facet.corners);
  return corners;
}

bool have_common(const std::vector<int>& a, const std::vector<int>& b) {
  return std::any_of(a.begin(), a.end(), [&](int end) { return std::binary_search(b.begin(), b.end(), end); });
}

class Finder {
public:
  Finder(int dimension, const std::vector<GapFacet>& facets, const std::vector<GapEntity>& entities,
         const std::vector<bool>& twice, double elements, double factor)
      : dimension_(dimension), facets_(facets), entities_(entities), twice_(twice), elements_(elements),
        factor_(factor), tree_(boxes_of(dimension, corners_of(facets))) {
    double largest = 0.;
    for (const GapFacet& facet : facets)
      largest = std::max(largest, facet.size);
    widest_ = largest * elements / (coarse * factor);
  }

  std::vector<GapPlace> find() {
    for (std::size_t f = 0; f < facets_.size(); ++f) {
      const GapFacet& facet = facets_[f];
      const Vector normal = normal_of(dimension_, facet.corners);
      if (twice_[static_cast<std::size_t>(facet.entity)] || length(normal) == 0.)
        continue;
      const Vector from = inner_point(dimension_, facet.corners);
      const Vector inwards = n_hits(f, from, normal) % 2 == 1 ? normal : -1. * normal;
      directions_ = directions_around(inwards, facet.corners);
      search(f, facet.corners, 0);
    }
    return std::move(places_);
  }

private:
  struct Seen {
    double width = 0.; ///< 0: no gap
    std::size_t facet = 0;
  };

  std::size_t n_hits(std::size_t f, const Vector& from, const Vector& direction) const {
    std::size_t n = 0;
    tree_.least(
        no_limit, [&](std::size_t node) { return hit_box(tree_.nodes()[node].box, from, direction); },
        [&](std::size_t g) {
          n += g != f && !twice_[static_cast<std::size_t>(facets_[g].entity)] &&
                       hit(dimension_, facets_[g].corners, from, direction) > 0.
                   ? 1
                   : 0;
          return no_limit;
        });
    return n;
  }

  /// Straight, and at 22.5 and 45 degrees to the normal.
  std::vector<Vector> directions_around(const Vector& inwards, const Corners& corners) const {
    std::vector<Vector> sideways{(1. / length(corners[1] - corners[0])) * (corners[1] - corners[0])};
    if (dimension_ == 3)
      sideways.push_back(cross(inwards, sideways[0]));
    std::vector<Vector> directions{inwards};
    for (const Vector& side : sideways)
      for (const double angle : {-45., -22.5, 22.5, 45.}) {
        const double turn = angle * pi / 180.;
        directions.push_back(std::cos(turn) * inwards + std::sin(turn) * side);
      }
    return directions;
  }

  /// The facet that faces a point of facet f across a gap for which the elements are too coarse.
  Seen look(std::size_t f, const Vector& from) const {
    Seen nearest;
    const int own = facets_[f].entity;
    for (const Vector& direction : directions_) {
      std::size_t first = f;
      double nearest_hit = widest_;
      const double distance = tree_.least(
          widest_, [&](std::size_t node) { return hit_box(tree_.nodes()[node].box, from, direction); },
          [&](std::size_t g) {
            const double at = g != f ? hit(dimension_, facets_[g].corners, from, direction) : 0.;
            if (at <= 0.)
              return no_limit;
            if (at < nearest_hit) {
              nearest_hit = at;
              first = g;
            }
            return at;
          });
      if (first == f || (nearest.width > 0. && distance >= nearest.width))
        continue;
      const int other = facets_[first].entity;
      const bool faces = std::fabs(dot(normal_of(dimension_, facets_[first].corners), direction)) >= facing;
      if (faces && other != own &&
          !have_common(entities_[static_cast<std::size_t>(own)].ends, entities_[static_cast<std::size_t>(other)].ends))
        nearest = {distance, first};
    }
    if (nearest.width > 0.) {
      const double present = std::max(facets_[f].size, facets_[nearest.facet].size);
      if (present <= coarse * factor_ * nearest.width / elements_)
        nearest.width = 0.;
    }
    return nearest;
  }

  void search(std::size_t f, const Corners& corners, int depth) {
    search(f, corners, depth, look(f, inner_point(dimension_, corners)));
  }

  void search(std::size_t f, const Corners& corners, int depth, const Seen& seen) {
    const int most_depth = dimension_ == 2 ? 12 : 5;
    const double width = seen.width;
    if (depth < most_depth && (width == 0. || longest_edge(dimension_, corners) > 0.5 * width)) {
      const std::vector<Corners> parts = halves(dimension_, corners);
      std::vector<Seen> below;
      bool differ = false;
      for (const Corners& part : parts) {
        below.push_back(look(f, inner_point(dimension_, part)));
        differ = differ || std::fabs(below.back().width - width) > alike * std::min(below.back().width, width);
      }
      if (differ) {
        for (std::size_t k = 0; k < parts.size(); ++k)
          search(f, parts[k], depth + 1, below[k]);
        return;
      }
    }
    if (width == 0.)
      return;
    GapPlace place;
    place.facet = facets_[f];
    place.facet.corners = corners;
    place.other = facets_[seen.facet].entity;
    place.width = width;
    place.size = width / elements_;
    places_.push_back(place);
  }

  int dimension_;
  const std::vector<GapFacet>& facets_;
  const std::vector<GapEntity>& entities_;
  const std::vector<bool>& twice_;
  double elements_;
  double factor_;
  double widest_ = 0.; ///< width of gaps above which no element is too coarse
  BoxTree tree_;
  std::vector<Vector> directions_; ///< into the region, for the current facet
  std::vector<GapPlace> places_;
};

/// Number of elements in and around half of a gap, with growing sizes.
double n_elements(int dimension, const GapPlace& place, double size) {
  const double layers = std::max(1., place.width / size) + 2. / growth;
  const double per_layer = dimension == 2 ? 1. : 3.;
  return per_layer * layers * measure_of(dimension, place.facet.corners) / std::pow(size, dimension - 1);
}

} // namespace

std::vector<GapPlace> find_gaps(int dimension, const std::vector<GapFacet>& facets,
                                const std::vector<GapEntity>& entities, const std::vector<bool>& twice, double elements,
                                double factor) {
  return Finder(dimension, facets, entities, twice, elements, factor).find();
}

GapSizes::GapSizes(int dimension, std::vector<GapPlace> places, double most_elements)
    : dimension_(dimension), places_(std::move(places)) {
  std::vector<Corners> corners;
  double largest = 0.;
  for (const GapPlace& place : places_) {
    corners.push_back(place.facet.corners);
    largest = std::max(largest, std::max(place.size, place.facet.size));
  }
  const auto count = [&](double least) {
    double n = 0.;
    for (const GapPlace& place : places_)
      n += n_elements(dimension, place, std::max(place.size, least));
    return n;
  };
  if (count(0.) > most_elements) {
    double lower = 0., upper = largest; // bounds of the smallest size
    for (int k = 0; k < 60; ++k)
      (count(0.5 * (lower + upper)) > most_elements ? lower : upper) = 0.5 * (lower + upper);
    std::map<std::pair<int, int>, CoarseGap> found;
    for (GapPlace& place : places_) {
      if (upper <= coarser * place.size)
        continue;
      CoarseGap& gap = found[std::minmax(place.facet.entity, place.other)];
      if (gap.size == 0. || upper / place.width > gap.size / gap.width)
        gap = {place.facet.entity, place.other, place.width, upper};
    }
    for (GapPlace& place : places_)
      place.size = std::max(place.size, upper);
    for (const auto& entry : found)
      coarse_.push_back(entry.second);
    std::stable_sort(coarse_.begin(), coarse_.end(),
                     [](const CoarseGap& a, const CoarseGap& b) { return a.size / a.width > b.size / b.width; });
  }
  tree_ = BoxTree(boxes_of(dimension, corners));
  for (const BoxTree::Node& node : tree_.nodes()) {
    double smallest = no_limit;
    for (std::size_t i = node.first; i < node.end; ++i)
      smallest = std::min(smallest, places_[tree_.order()[i]].size);
    smallest_.push_back(smallest);
  }
}

double GapSizes::at(const std::array<double, 3>& point) const {
  const double size = tree_.least(
      no_limit,
      [&](std::size_t n) {
        const Box3& box = tree_.nodes()[n].box;
        Vector away{};
        for (std::size_t d = 0; d < 3; ++d)
          away[d] = std::max({0., box.lower[d] - point[d], point[d] - box.upper[d]});
        return smallest_[n] + growth * length(away);
      },
      [&](std::size_t i) {
        const GapPlace& place = places_[i];
        return place.size + growth * distance_to(dimension_, place.facet.corners, point);
      });
  return factor_ * size;
}

} // namespace tessera::io
