// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "mesh/checks/hanging_nodes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>
#include <utility>

namespace tessera::mesh {

namespace {

constexpr double tolerance = 1e-6; // relative to a facet's longest edge: above the rounding of coordinates written as
                                   // text

template <int Dim> using Point = std::array<double, Dim>;

template <int Dim> Point<Dim> difference(const Point<Dim>& a, const Point<Dim>& b) {
  Point<Dim> c;
  for (int d = 0; d < Dim; ++d)
    c[d] = a[d] - b[d];
  return c;
}

template <int Dim> double dot(const Point<Dim>& a, const Point<Dim>& b) {
  double sum = 0.;
  for (int d = 0; d < Dim; ++d)
    sum += a[d] * b[d];
  return sum;
}

/// A facet, prepared for tests of points.
template <int Dim> struct Facet {
  std::array<index_t, Dim> nodes;
  std::array<Point<Dim>, Dim> points;
  Point<Dim> normal; ///< unit normal
  double shortest;   ///< m, shortest edge
  double margin;     ///< m
  Point<Dim> lower, upper;

  Facet(const Surface<Dim>& surface, index_t f) {
    double longest = 0., least = std::numeric_limits<double>::infinity();
    for (int k = 0; k < Dim; ++k) {
      nodes[k] = surface.nodes(f, k);
      for (int d = 0; d < Dim; ++d)
        points[k][d] = surface.points(f, k * Dim + d);
      for (int j = 0; j < k; ++j) {
        const Point<Dim> edge = difference<Dim>(points[k], points[j]);
        longest = std::max(longest, dot<Dim>(edge, edge));
        least = std::min(least, dot<Dim>(edge, edge));
      }
    }
    shortest = std::sqrt(least);
    margin = tolerance * std::sqrt(longest);
    const Point<Dim> u = difference<Dim>(points[1], points[0]);
    if constexpr (Dim == 2) {
      normal = {u[1], -u[0]};
    } else {
      const Point<Dim> v = difference<Dim>(points[2], points[0]);
      normal = {u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]};
    }
    const double length = std::sqrt(dot<Dim>(normal, normal));
    for (int d = 0; d < Dim; ++d) {
      normal[d] /= length;
      lower[d] = upper[d] = points[0][d];
      for (const Point<Dim>& point : points) {
        lower[d] = std::min(lower[d], point[d]);
        upper[d] = std::max(upper[d], point[d]);
      }
    }
  }

  double distance(const Point<Dim>& x) const { return dot<Dim>(normal, difference<Dim>(x, points[0])); }

  /// Whether a box may contain points of the facet.
  bool meets(const Point<Dim>& low, const Point<Dim>& high) const {
    Point<Dim> center;
    double reach = margin;
    for (int d = 0; d < Dim; ++d) {
      if (low[d] > upper[d] + margin || high[d] < lower[d] - margin)
        return false;
      center[d] = 0.5 * (low[d] + high[d]);
      reach += 0.5 * (high[d] - low[d]) * std::fabs(normal[d]);
    }
    return std::fabs(distance(center)) <= reach;
  }

  /// Distance to the nearest node.
  double distance_of_nodes(const Point<Dim>& x) const {
    double least = std::numeric_limits<double>::infinity();
    for (const Point<Dim>& point : points) {
      const Point<Dim> r = difference<Dim>(x, point);
      least = std::min(least, dot<Dim>(r, r));
    }
    return std::sqrt(least);
  }

  /// Whether a point lies on the facet, and not at one of its nodes.
  bool carries(const Point<Dim>& x) const { return is_near(x) && distance_of_nodes(x) > margin; }

  /// Whether a point is within the margin of the facet.
  bool is_near(const Point<Dim>& x) const {
    if (std::fabs(distance(x)) > margin)
      return false;
    for (int k = 0; k < Dim; ++k) { // on the inner side of each end (2D) or edge (3D)
      const Point<Dim>& a = points[k];
      const Point<Dim> u = difference<Dim>(points[(k + 1) % Dim], a), r = difference<Dim>(x, a);
      const double length = std::sqrt(dot<Dim>(u, u));
      double inwards = 0.;
      if constexpr (Dim == 2)
        inwards = dot<Dim>(u, r) / length;
      else
        inwards = (normal[0] * (u[1] * r[2] - u[2] * r[1]) + normal[1] * (u[2] * r[0] - u[0] * r[2]) +
                   normal[2] * (u[0] * r[1] - u[1] * r[0])) /
                  length;
      if (inwards < -margin)
        return false;
    }
    return true;
  }
};

/// Tree of boxes over points: each node halves its points along the longest side of their box.
template <int Dim> class OpenNodeTree {
public:
  OpenNodeTree(std::vector<std::pair<index_t, Point<Dim>>> points) : points_(std::move(points)) {
    if (!points_.empty())
      build(0, points_.size());
  }

  /// Calls `work(number, point)` for the points in all boxes that the facet intersects.
  template <class Work> void visit(const Facet<Dim>& facet, const Work& work) const {
    if (!boxes_.empty())
      visit(0, facet, work);
  }

private:
  struct Box {
    Point<Dim> lower, upper;
    std::size_t begin = 0, end = 0; // of the points
    std::size_t right = 0;          // the second half's box, after the first's; 0: a leaf
  };
  static constexpr std::size_t leaf_size = 8;

  std::size_t build(std::size_t begin, std::size_t end) {
    Box box;
    box.begin = begin;
    box.end = end;
    box.lower = box.upper = points_[begin].second;
    for (std::size_t i = begin; i < end; ++i)
      for (int d = 0; d < Dim; ++d) {
        box.lower[d] = std::min(box.lower[d], points_[i].second[d]);
        box.upper[d] = std::max(box.upper[d], points_[i].second[d]);
      }
    const std::size_t at = boxes_.size();
    boxes_.push_back(box);
    if (end - begin > leaf_size) {
      int axis = 0;
      for (int d = 1; d < Dim; ++d)
        if (box.upper[d] - box.lower[d] > box.upper[axis] - box.lower[axis])
          axis = d;
      const std::size_t middle = begin + (end - begin) / 2;
      const auto first = points_.begin();
      std::nth_element(first + static_cast<std::ptrdiff_t>(begin), first + static_cast<std::ptrdiff_t>(middle),
                       first + static_cast<std::ptrdiff_t>(end),
                       [axis](const auto& a, const auto& b) { return a.second[axis] < b.second[axis]; });
      build(begin, middle);
      const std::size_t right = build(middle, end);
      boxes_[at].right = right;
    }
    return at;
  }

  template <class Work> void visit(std::size_t at, const Facet<Dim>& facet, const Work& work) const {
    const Box& box = boxes_[at];
    if (!facet.meets(box.lower, box.upper))
      return;
    if (box.right == 0) {
      for (std::size_t i = box.begin; i < box.end; ++i)
        work(points_[i].first, points_[i].second);
    } else {
      visit(at + 1, facet, work);
      visit(box.right, facet, work);
    }
  }

  std::vector<std::pair<index_t, Point<Dim>>> points_;
  std::vector<Box> boxes_;
};

using NodePairs = std::vector<std::pair<index_t, index_t>>;

/// Sorted pairs of nodes that are connected by open facets.
template <int Dim> NodePairs joined_pairs(const Surface<Dim>& surface) {
  NodePairs pairs;
  for (index_t f = 0; f < surface.n_facets(); ++f)
    for (int k = 0; k < Dim && surface.is_open(f) != 0; ++k)
      for (int j = 0; j < k; ++j)
        pairs.emplace_back(std::minmax(surface.nodes(f, j), surface.nodes(f, k)));
  std::sort(pairs.begin(), pairs.end());
  return pairs;
}

/// Nodes of open facets, without duplicates, by index.
template <int Dim> std::vector<std::pair<index_t, Point<Dim>>> open_nodes(const Surface<Dim>& surface) {
  std::vector<std::pair<index_t, Point<Dim>>> points;
  for (index_t f = 0; f < surface.n_facets(); ++f)
    for (int k = 0; k < Dim && surface.is_open(f) != 0; ++k) {
      Point<Dim> point;
      for (int d = 0; d < Dim; ++d)
        point[d] = surface.points(f, k * Dim + d);
      points.emplace_back(surface.nodes(f, k), point);
    }
  std::sort(points.begin(), points.end());
  points.erase(std::unique(points.begin(), points.end()), points.end());
  return points;
}

/// Identifies points that the mesh checks treat as coincident (checks.cpp: a grid of 1e-12 of the largest coordinate
/// along an axis). The largest coordinates of a mesh are those of its surface.
template <int Dim> class CoincidenceGrid {
public:
  explicit CoincidenceGrid(const std::vector<std::pair<index_t, Point<Dim>>>& points) {
    Point<Dim> largest{};
    for (const auto& entry : points)
      for (int d = 0; d < Dim; ++d)
        largest[d] = std::max(largest[d], std::fabs(entry.second[d]));
    for (int d = 0; d < Dim; ++d)
      cells_[d] = std::isfinite(1e12 / largest[d]) ? 1e12 / largest[d] : 0.;
  }
  bool is_same(const Point<Dim>& a, const Point<Dim>& b) const {
    for (int d = 0; d < Dim; ++d)
      if (std::floor(a[d] * cells_[d] + 0.5) != std::floor(b[d] * cells_[d] + 0.5))
        return false;
    return true;
  }

private:
  Point<Dim> cells_; // per m
};

} // namespace

template <int Dim> std::vector<NodeOnFacet<Dim>> find_nodes_on_facets(const Surface<Dim>& surface) {
  const OpenNodeTree<Dim> tree(open_nodes<Dim>(surface));

  std::vector<NodeOnFacet<Dim>> found;
  NodePairs pairs;
  for (index_t f = 0; f < surface.n_facets(); ++f) {
    if (surface.is_open(f) == 0)
      continue;
    const Facet<Dim> facet(surface, f);
    const std::size_t first = found.size();
    tree.visit(facet, [&](index_t node, const Point<Dim>& point) {
      if (std::find(facet.nodes.begin(), facet.nodes.end(), node) == facet.nodes.end() && facet.carries(point))
        found.push_back({node, point, surface.elements(f), false});
    });
    if (found.size() == first)
      continue;
    if (pairs.empty())
      pairs = joined_pairs(surface);
    bool is_hanging = true;
    for (const index_t corner : facet.nodes)
      is_hanging = is_hanging && std::any_of(found.begin() + static_cast<std::ptrdiff_t>(first), found.end(),
                                             [&](const NodeOnFacet<Dim>& entry) {
                                               return std::binary_search(
                                                   pairs.begin(), pairs.end(),
                                                   std::pair<index_t, index_t>(std::minmax(corner, entry.node)));
                                             });
    for (std::size_t i = first; i < found.size(); ++i)
      found[i].is_hanging = is_hanging;
  }
  return found;
}

template <int Dim> std::vector<NarrowGap<Dim>> find_narrow_gaps(const Surface<Dim>& surface) {
  constexpr double narrow = 1e-3; // relative to the shortest edge
  std::vector<std::pair<index_t, Point<Dim>>> points = open_nodes<Dim>(surface);
  const CoincidenceGrid<Dim> grid(points);
  const OpenNodeTree<Dim> tree(std::move(points));
  std::vector<NarrowGap<Dim>> near; // candidates by distance and size of the facet: few, if any
  for (index_t f = 0; f < surface.n_facets(); ++f) {
    if (surface.is_open(f) == 0)
      continue;
    const Facet<Dim> exact(surface, f);
    Facet<Dim> facet = exact;
    facet.margin = narrow * facet.shortest;
    tree.visit(facet, [&](index_t node, const Point<Dim>& point) {
      if (!facet.is_near(point) || exact.carries(point) ||
          std::find(facet.nodes.begin(), facet.nodes.end(), node) != facet.nodes.end() ||
          std::any_of(facet.points.begin(), facet.points.end(),
                      [&](const Point<Dim>& other) { return grid.is_same(point, other); }))
        return;
      const double to_nodes = facet.distance_of_nodes(point);
      near.push_back({node, point, f, to_nodes <= 2. * facet.margin ? to_nodes : std::fabs(facet.distance(point))});
    });
  }
  if (near.empty())
    return near;

  const NodePairs pairs = joined_pairs(surface);
  std::unordered_map<index_t, double> shortest; // shortest edge at a node
  for (index_t f = 0; f < surface.n_facets(); ++f)
    if (surface.is_open(f) != 0) {
      const Facet<Dim> facet(surface, f);
      for (const index_t node : facet.nodes) {
        double& least = shortest.emplace(node, facet.shortest).first->second;
        least = std::min(least, facet.shortest);
      }
    }
  std::vector<NarrowGap<Dim>> found;
  for (const NarrowGap<Dim>& gap : near) {
    bool is_joined = false;
    for (int k = 0; k < Dim; ++k)
      is_joined = is_joined ||
                  std::binary_search(pairs.begin(), pairs.end(),
                                     std::pair<index_t, index_t>(std::minmax(surface.nodes(gap.facet, k), gap.node)));
    if (!is_joined && gap.width <= narrow * shortest[gap.node])
      found.push_back(gap);
  }
  return found;
}

template std::vector<NarrowGap<2>> find_narrow_gaps(const Surface<2>&);
template std::vector<NarrowGap<3>> find_narrow_gaps(const Surface<3>&);
template std::vector<NodeOnFacet<2>> find_nodes_on_facets(const Surface<2>&);
template std::vector<NodeOnFacet<3>> find_nodes_on_facets(const Surface<3>&);

} // namespace tessera::mesh
