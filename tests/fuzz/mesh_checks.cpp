// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "mesh_checks.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <sstream>

namespace tessera::fuzz {

namespace {

using Point = std::array<double, 3>;

class Geometry {
public:
  explicit Geometry(const io::ImportedMesh& mesh) : mesh_(mesh), dim_(static_cast<std::size_t>(mesh.dimension)) {}

  Point point(index_t node) const {
    Point p{};
    std::copy_n(&mesh_.coordinates[static_cast<std::size_t>(node) * dim_], dim_, p.begin());
    return p;
  }
  index_t node(std::size_t element, std::size_t k) const { return mesh_.elements[element * (dim_ + 1) + k]; }

  /// Twice the area or six times the volume.
  double measure(const std::array<Point, 4>& p) const {
    Point u{}, v{}, w{};
    for (std::size_t d = 0; d < 3; ++d) {
      u[d] = p[1][d] - p[0][d];
      v[d] = p[2][d] - p[0][d];
      w[d] = p[3][d] - p[0][d];
    }
    if (dim_ == 2)
      return u[0] * v[1] - u[1] * v[0];
    return u[0] * (v[1] * w[2] - v[2] * w[1]) - u[1] * (v[0] * w[2] - v[2] * w[0]) + u[2] * (v[0] * w[1] - v[1] * w[0]);
  }
  std::array<Point, 4> corners(std::size_t element) const {
    std::array<Point, 4> p{};
    for (std::size_t k = 0; k <= dim_; ++k)
      p[k] = point(node(element, k));
    return p;
  }
  Point centroid(std::size_t element) const {
    Point c{};
    for (std::size_t k = 0; k <= dim_; ++k)
      for (std::size_t d = 0; d < dim_; ++d)
        c[d] += point(node(element, k))[d] / static_cast<double>(dim_ + 1);
    return c;
  }
  /// Smallest barycentric coordinate.
  double depth(std::size_t element, const Point& x) const {
    const std::array<Point, 4> p = corners(element);
    const double whole = measure(p);
    double least = 1.;
    for (std::size_t k = 0; k <= dim_; ++k) {
      std::array<Point, 4> q = p;
      q[k] = x;
      least = std::min(least, measure(q) / whole);
    }
    return least;
  }

private:
  const io::ImportedMesh& mesh_;
  std::size_t dim_;
};

/// Whether a node lies inside of the segment or triangle of `facet`, away from its corners.
bool lies_inside(const Geometry& geometry, const std::vector<index_t>& facet, index_t node) {
  const Point x = geometry.point(node), a = geometry.point(facet[0]), b = geometry.point(facet[1]);
  const auto dot = [](const Point& u, const Point& v) { return u[0] * v[0] + u[1] * v[1] + u[2] * v[2]; };
  const auto minus = [](const Point& u, const Point& v) { return Point{u[0] - v[0], u[1] - v[1], u[2] - v[2]}; };
  const Point ab = minus(b, a), ax = minus(x, a);
  constexpr double near = 1e-6; // relative to the facet's size
  if (facet.size() == 2) {
    const double s = dot(ax, ab) / dot(ab, ab);
    const Point off{ax[0] - s * ab[0], ax[1] - s * ab[1], 0.};
    return s > near && s < 1. - near && dot(off, off) < near * near * dot(ab, ab);
  }
  const Point ac = minus(geometry.point(facet[2]), a);
  const double bb = dot(ab, ab), bc = dot(ab, ac), cc = dot(ac, ac), xb = dot(ax, ab), xc = dot(ax, ac);
  const double determinant = bb * cc - bc * bc;
  const double s = (cc * xb - bc * xc) / determinant, t = (bb * xc - bc * xb) / determinant;
  Point off{};
  for (std::size_t d = 0; d < 3; ++d)
    off[d] = ax[d] - s * ab[d] - t * ac[d];
  return s > -near && t > -near && s + t < 1. + near && std::max({1. - s - t, s, t}) < 1. - near &&
         dot(off, off) < near * near * std::max(bb, cc);
}

} // namespace

std::string find_fault(const io::ImportedMesh& mesh) {
  std::ostringstream fault;
  const Geometry geometry(mesh);
  const auto dim = static_cast<std::size_t>(mesh.dimension);
  const std::size_t n = mesh.n_elements();
  if (mesh.elements.size() != n * (dim + 1) || mesh.coordinates.size() != mesh.n_nodes() * dim)
    return "arrays of different lengths";
  for (const index_t node : mesh.elements)
    if (node < 0 || static_cast<std::size_t>(node) >= mesh.n_nodes())
      return "a node out of range";
  for (const double x : mesh.coordinates)
    if (!std::isfinite(x))
      return "a coordinate that is not finite";

  std::map<std::vector<index_t>, int> n_elements_of;
  for (std::size_t e = 0; e < n; ++e) {
    if (!(geometry.measure(geometry.corners(e)) > 0.)) {
      fault << "element " << e << " has no positive measure";
      return fault.str();
    }
    for (std::size_t left_out = 0; left_out <= dim; ++left_out) {
      std::vector<index_t> facet;
      for (std::size_t k = 0; k <= dim; ++k)
        if (k != left_out)
          facet.push_back(geometry.node(e, k));
      std::sort(facet.begin(), facet.end());
      if (++n_elements_of[facet] > 2)
        return "a facet of three elements";
    }
  }
  for (std::size_t e = 0; e < n; ++e)
    for (std::size_t other = 0; other < n; ++other)
      if (other != e && geometry.depth(other, geometry.centroid(e)) > 1e-6) {
        fault << "element " << e << " overlaps with " << other;
        return fault.str();
      }
  for (const auto& [facet, count] : n_elements_of)
    for (index_t node = 0; count == 1 && node < static_cast<index_t>(mesh.n_nodes()); ++node)
      if (std::find(facet.begin(), facet.end(), node) == facet.end() && lies_inside(geometry, facet, node)) {
        fault << "node " << node << " lies inside of an open facet";
        return fault.str();
      }
  return "";
}

} // namespace tessera::fuzz
