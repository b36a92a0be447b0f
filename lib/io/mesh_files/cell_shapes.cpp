// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "io/mesh_files/cell_shapes.hpp"

#include "core/error.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>
#include <utility>

namespace tessera::io {

namespace {

using Place = std::array<double, 3>;
using Edge = std::array<index_t, 2>;

/// Sort keys of the vertices of a cell: their positions along a direction, and for equal ones their numbers.
std::vector<std::pair<double, std::size_t>> keys_of(std::size_t n, const std::size_t* own, const Place* places) {
  // Its components are not rational multiples of each other, so that nodes of regular meshes rarely have the same
  // position along it (they are powers of the root of x^3 = x + 1).
  constexpr double direction[3] = {1., 0.7548776662466927, 0.5698402909980532};
  std::vector<std::pair<double, std::size_t>> keys;
  for (std::size_t k = 0; k < n; ++k) {
    const double place = direction[0] * places[k][0] + direction[1] * places[k][1] + direction[2] * places[k][2];
    keys.emplace_back(place, own[k]);
  }
  return keys;
}

/// Twice the area of a triangle in the plane over the sum of the squares of its sides, negative if it runs clockwise.
double quality(const Place& a, const Place& b, const Place& c) {
  const auto square = [](const Place& p, const Place& q) {
    return (p[0] - q[0]) * (p[0] - q[0]) + (p[1] - q[1]) * (p[1] - q[1]);
  };
  const double area = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
  const double sides = square(a, b) + square(b, c) + square(c, a);
  return sides > 0. ? area / sides : 0.;
}

/// An end of the diagonal of a quadrilateral in 2D whose worse triangle is better, whatever the orientation of the
/// quadrilateral; among equal ones that from its vertex `first`.
std::size_t better_corner(const Place* places, std::size_t first) {
  const auto at = [places](std::size_t k) { return places[k % 4]; };
  const auto worse = [&](std::size_t corner) {
    const double one = quality(at(corner), at(corner + 1), at(corner + 2));
    const double other = quality(at(corner), at(corner + 2), at(corner + 3));
    return one + other < 0. ? -std::max(one, other) : std::min(one, other);
  };
  constexpr double rounding = 1e-9;
  return worse(first + 1) > worse(first) + rounding ? (first + 1) % 4 : first;
}

/// Appends the triangles of a face, a fan around its vertex `corner`, each preceded by `apex`.
void append_fan(const std::vector<int>& face, std::size_t corner, const std::vector<int>& apex,
                std::vector<int>& simplices) {
  for (std::size_t k = 1; k + 1 < face.size(); ++k) {
    simplices.insert(simplices.end(), apex.begin(), apex.end());
    for (const std::size_t at : {corner, corner + k, corner + k + 1})
      simplices.push_back(face[at % face.size()]);
  }
}

} // namespace

const CellShape* find_cell_shape(int dim, int n_vertices) {
  static const std::array<CellShape, 4> shapes{
      {{2, 4, {{0, 1, 2, 3}}},
       {3, 8, {{0, 3, 2, 1}, {0, 1, 5, 4}, {0, 4, 7, 3}, {1, 2, 6, 5}, {2, 3, 7, 6}, {4, 5, 6, 7}}},
       {3, 6, {{0, 2, 1}, {3, 4, 5}, {0, 1, 4, 3}, {0, 3, 5, 2}, {1, 2, 5, 4}}},
       {3, 5, {{0, 1, 4}, {3, 0, 4}, {1, 2, 4}, {2, 3, 4}, {0, 3, 2, 1}}}}};
  const auto* const found = std::find_if(shapes.begin(), shapes.end(), [&](const CellShape& known) {
    return known.dim == dim && known.n_vertices == static_cast<std::size_t>(n_vertices);
  });
  return found != shapes.end() ? &*found : nullptr;
}

// In 3D from the first vertex to the triangles of the faces that do not contain it: the faces that contain it are then
// also split from it.
CellSplit split_cell(const CellShape& shape, const std::size_t* own, const Place* places, bool in_plane) {
  const std::vector<std::pair<double, std::size_t>> keys = keys_of(shape.n_vertices, own, places);
  const auto is_before = [&keys](int a, int b) {
    return keys[static_cast<std::size_t>(a)] < keys[static_cast<std::size_t>(b)];
  };
  const auto first_of = [&](const std::vector<int>& face) {
    return static_cast<std::size_t>(std::min_element(face.begin(), face.end(), is_before) - face.begin());
  };
  const auto is_collapsed = [own](const std::vector<int>& face) { // with a repeated vertex: its diagonals are edges
    std::vector<std::size_t> numbers;
    for (const int k : face)
      numbers.push_back(own[k]);
    std::sort(numbers.begin(), numbers.end());
    return std::adjacent_find(numbers.begin(), numbers.end()) != numbers.end();
  };
  CellSplit split;
  if (shape.dim == 2) {
    const std::vector<int>& cell = shape.faces.front();
    const std::size_t first = first_of(cell);
    append_fan(cell, in_plane ? better_corner(places, first) : first, {}, split.simplices);
    return split;
  }
  const auto apex = static_cast<int>(std::min_element(keys.begin(), keys.end()) - keys.begin());
  for (const std::vector<int>& face : shape.faces) {
    const std::size_t first = first_of(face);
    if (std::find(face.begin(), face.end(), apex) == face.end())
      append_fan(face, first, {apex}, split.simplices);
    if (face.size() == 4 && !is_collapsed(face))
      split.other_diagonals.push_back({face[(first + 1) % 4], face[(first + 3) % 4]});
  }
  return split;
}

bool StraightParts::has_straight_diagonal(const CellShape& shape, int a, int b) const {
  for (std::size_t f = 0; f < faces.size(); ++f) {
    const std::vector<int>& face = shape.faces[f];
    if (std::find(face.begin(), face.end(), a) != face.end() && std::find(face.begin(), face.end(), b) != face.end())
      return faces[f];
  }
  return all;
}

StraightParts straight_parts(const CellShape& shape, const std::vector<Place>& nodes,
                             const std::vector<double>& weights, double rounding) {
  const std::size_t n = shape.n_vertices;
  double size = 0.;
  for (std::size_t k = 1; k < n; ++k)
    for (std::size_t d = 0; d < 3; ++d)
      size = std::max(size, std::fabs(nodes[k][d] - nodes[0][d]));
  StraightParts parts{std::vector<bool>(shape.faces.size(), true), true};
  for (std::size_t node = n; node < nodes.size(); ++node) {
    const double* const weight = &weights[node * n];
    double bend = 0.;
    for (std::size_t d = 0; d < 3; ++d) {
      double straight = 0.;
      for (std::size_t k = 0; k < n; ++k)
        straight += weight[k] * nodes[k][d];
      bend = std::max(bend, std::fabs(nodes[node][d] - straight));
    }
    if (bend <= smallest_bend * size + rounding)
      continue;
    parts.all = false;
    for (std::size_t f = 0; f < shape.faces.size(); ++f) {
      const std::vector<int>& face = shape.faces[f];
      bool is_on_face = true; // all vertices with weights are on the face
      for (std::size_t k = 0; k < n; ++k)
        is_on_face = is_on_face && (std::fabs(weight[k]) < 1e-9 ||
                                    std::find(face.begin(), face.end(), static_cast<int>(k)) != face.end());
      if (is_on_face)
        parts.faces[f] = false;
    }
  }
  return parts;
}

std::string split_note(std::size_t n_cells, int dimension) {
  const std::string one = dimension == 2 ? "a quadrilateral" : "a hexahedron, prism or pyramid";
  const std::string many = dimension == 2 ? " quadrilaterals" : " hexahedra, prisms and pyramids";
  const std::string parts = dimension == 3 ? "tetrahedra" : n_cells == 1 ? "two triangles" : "two triangles each";
  return "Split " + (n_cells == 1 ? one : std::to_string(n_cells) + many) + " into " + parts + ".";
}

void check_joints(const ImportedMesh& mesh, std::vector<Edge> other_diagonals, const std::string& path) {
  if (other_diagonals.empty())
    return;
  const auto edge_between = [](index_t a, index_t b) { return Edge{std::min(a, b), std::max(a, b)}; };
  for (Edge& diagonal : other_diagonals)
    diagonal = edge_between(diagonal[0], diagonal[1]);
  std::sort(other_diagonals.begin(), other_diagonals.end());
  other_diagonals.erase(std::unique(other_diagonals.begin(), other_diagonals.end()), other_diagonals.end());
  std::vector<std::size_t> first(mesh.n_nodes() + 1, 0); // diagonals of each node, as the lower one
  for (const Edge& diagonal : other_diagonals)
    ++first[static_cast<std::size_t>(diagonal[0]) + 1];
  for (std::size_t node = 0; node < mesh.n_nodes(); ++node)
    first[node + 1] += first[node];

  std::vector<Edge> crossed;
  for (std::size_t e = 0; e < mesh.n_elements(); ++e)
    for (std::size_t a = 0; a < 4; ++a)
      for (std::size_t b = 0; b < a; ++b) {
        const Edge edge = edge_between(mesh.elements[4 * e + a], mesh.elements[4 * e + b]);
        const auto node = static_cast<std::size_t>(edge[0]);
        for (std::size_t at = first[node]; at < first[node + 1]; ++at)
          if (other_diagonals[at] == edge)
            crossed.push_back(edge);
      }
  if (crossed.empty())
    return;
  std::sort(crossed.begin(), crossed.end());
  crossed.erase(std::unique(crossed.begin(), crossed.end()), crossed.end());
  std::ostringstream text;
  text << path << ": " << crossed.size()
       << (crossed.size() == 1 ? " face of a hexahedron, prism or pyramid lies"
                               : " faces of hexahedra, prisms or pyramids lie")
       << " against two triangles of others that are split along the other diagonal (near (";
  const double *const a = &mesh.coordinates[3 * static_cast<std::size_t>(crossed.front()[0])],
                      *const b = &mesh.coordinates[3 * static_cast<std::size_t>(crossed.front()[1])];
  for (std::size_t d = 0; d < 3; ++d)
    text << (d > 0 ? ", " : "") << 0.5 * (a[d] + b[d]);
  text << ")): there the mesh is not connected. Put pyramids or prisms between both, as Gmsh makes them next to "
          "transfinite volumes with Recombine Surface, or use tetrahedra only.";
  TESSERA_REQUIRE(false, text.str());
}

} // namespace tessera::io
