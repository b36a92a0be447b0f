// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "split_cells.hpp"

#include <gmsh.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <unordered_set>
#include <utility>

namespace tessera::importer {

namespace {

using Face = std::vector<int>; // local vertices in order around it

/// Faces of the elements in space, and edges of those in the plane, by local vertices as Gmsh numbers them; those of a
/// quadrilateral as a facet are itself.
const std::vector<Face>& faces_of(int dim, std::size_t n_vertices) {
  static const std::vector<Face> none, triangle{{0, 1}, {1, 2}, {2, 0}}, quadrilateral{{0, 1}, {1, 2}, {2, 3}, {3, 0}},
      tetrahedron{{0, 1, 2}, {0, 1, 3}, {1, 2, 3}, {0, 2, 3}},
      hexahedron{{0, 3, 2, 1}, {0, 1, 5, 4}, {0, 4, 7, 3}, {1, 2, 6, 5}, {2, 3, 7, 6}, {4, 5, 6, 7}},
      prism{{0, 2, 1}, {3, 4, 5}, {0, 1, 4, 3}, {0, 3, 5, 2}, {1, 2, 5, 4}},
      pyramid{{0, 1, 4}, {3, 0, 4}, {1, 2, 4}, {2, 3, 4}, {0, 3, 2, 1}};
  if (dim == 2)
    return n_vertices == 3 ? triangle : n_vertices == 4 ? quadrilateral : none;
  if (dim != 3)
    return none;
  return n_vertices == 4   ? tetrahedron
         : n_vertices == 8 ? hexahedron
         : n_vertices == 6 ? prism
         : n_vertices == 5 ? pyramid
                           : none;
}

Edge edge_between(std::size_t a, std::size_t b) { return {std::min(a, b), std::max(a, b)}; }

/// Nodes, vertices and order of the elements of a type.
struct TypeProperties {
  std::string name;
  std::size_t n_nodes = 0, n_vertices = 0;
  int dim = 0, order = 0;
};

TypeProperties properties_of(int type) {
  TypeProperties found;
  int n_nodes = 0, n_vertices = 0;
  std::vector<double> reference;
  gmsh::model::mesh::getElementProperties(type, found.name, found.dim, found.order, n_nodes, reference, n_vertices);
  found.n_nodes = static_cast<std::size_t>(n_nodes);
  found.n_vertices = static_cast<std::size_t>(n_vertices);
  return found;
}

/// Twice the area of a triangle in the plane over the sum of the squares of its sides, negative if it runs clockwise.
double quality(const std::array<double, 3>& a, const std::array<double, 3>& b, const std::array<double, 3>& c) {
  const auto square = [](const auto& p, const auto& q) {
    return (p[0] - q[0]) * (p[0] - q[0]) + (p[1] - q[1]) * (p[1] - q[1]);
  };
  const double area = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
  const double sides = square(a, b) + square(b, c) + square(c, a);
  return sides > 0. ? area / sides : 0.;
}

} // namespace

bool is_supported(int dim, std::size_t n_vertices) {
  return n_vertices == static_cast<std::size_t>(dim) + 1 || !faces_of(dim, n_vertices).empty();
}

const CellSplitter::Positions& CellSplitter::positions() {
  if (positions_.empty()) {
    std::vector<std::size_t> tags;
    std::vector<double> xyz, parameters;
    gmsh::model::mesh::getNodes(tags, xyz, parameters, -1, -1, false, false);
    positions_.reserve(tags.size());
    for (std::size_t i = 0; i < tags.size(); ++i)
      positions_[tags[i]] = {xyz[3 * i], xyz[3 * i + 1], xyz[3 * i + 2]};
  }
  return positions_;
}

bool CellSplitter::is_before(std::size_t a, std::size_t b) {
  // Its components are no rational multiples of each other, so that hardly two nodes of regular meshes are at one place
  // along it (they are powers of the root of x^3 = x + 1).
  constexpr double direction[3] = {1., 0.7548776662466927, 0.5698402909980532};
  const auto place = [&](std::size_t tag) {
    const std::array<double, 3>& x = positions().at(tag);
    return direction[0] * x[0] + direction[1] * x[1] + direction[2] * x[2];
  };
  const double of_a = place(a), of_b = place(b);
  return of_a != of_b ? of_a < of_b : a < b;
}

std::size_t CellSplitter::first_of(const std::size_t* nodes, std::size_t n) {
  std::size_t first = 0;
  for (std::size_t k = 1; k < n; ++k)
    if (is_before(nodes[k], nodes[first]))
      first = k;
  return first;
}

/// An end of the diagonal of a quadrilateral in the plane whose worse triangle is the better one, whichever way the
/// quadrilateral runs; of equal ones that from the first node.
std::size_t CellSplitter::better_corner(const std::size_t* nodes) {
  const auto at = [&](std::size_t k) { return positions().at(nodes[k % 4]); };
  const auto worse = [&](std::size_t corner) {
    const double one = quality(at(corner), at(corner + 1), at(corner + 2));
    const double other = quality(at(corner), at(corner + 2), at(corner + 3));
    return one + other < 0. ? -std::max(one, other) : std::min(one, other);
  };
  const std::size_t first = first_of(nodes, 4);
  constexpr double rounding = 1e-9;
  return worse(first + 1) > worse(first) + rounding ? (first + 1) % 4 : first;
}

std::vector<std::vector<int>> CellSplitter::simplices_of_facet(std::size_t n_vertices, const std::size_t* nodes) {
  Face all(n_vertices);
  std::iota(all.begin(), all.end(), 0);
  if (n_vertices < 4)
    return {all};
  const std::size_t first = mesh_dimension_ == 2 ? better_corner(nodes) : first_of(nodes, 4);
  const auto corner = [first](std::size_t k) { return static_cast<int>((first + k) % 4); };
  return {{corner(0), corner(1), corner(2)}, {corner(0), corner(2), corner(3)}};
}

std::vector<std::vector<int>> CellSplitter::surface(int dim, std::size_t n_vertices, const std::size_t* nodes) {
  std::vector<std::vector<int>> facets;
  for (const Face& face : faces_of(dim, n_vertices)) {
    std::vector<std::size_t> own;
    for (const int k : face)
      own.push_back(nodes[k]);
    for (std::vector<int>& facet : simplices_of_facet(own.size(), own.data())) {
      for (int& k : facet)
        k = face[static_cast<std::size_t>(k)];
      facets.push_back(std::move(facet));
    }
  }
  return facets;
}

// In space from the first node of all to the triangles of the faces that do not have it: those that have it are then
// split from it, too.
std::vector<std::size_t> CellSplitter::split(int dim, std::size_t n_vertices, const std::vector<std::size_t>& nodes,
                                             std::size_t width) {
  std::vector<std::size_t> simplices;
  for (std::size_t begin = 0; begin < nodes.size(); begin += width) {
    const std::size_t* const own = &nodes[begin];
    if (dim == 2) {
      for (const std::vector<int>& part : simplices_of_facet(n_vertices, own))
        for (const int k : part)
          simplices.push_back(own[k]);
      continue;
    }
    const int apex = static_cast<int>(first_of(own, n_vertices));
    for (const std::vector<int>& facet : surface(dim, n_vertices, own)) {
      if (std::find(facet.begin(), facet.end(), apex) != facet.end())
        continue;
      simplices.push_back(own[apex]);
      for (const int k : facet)
        simplices.push_back(own[k]);
    }
    for (const Face& face : faces_of(dim, n_vertices))
      if (face.size() == 4) {
        const std::size_t corners[4] = {own[face[0]], own[face[1]], own[face[2]], own[face[3]]};
        const std::size_t first = first_of(corners, 4);
        other_diagonals_.push_back(edge_between(corners[(first + 1) % 4], corners[(first + 3) % 4]));
      }
  }
  return simplices;
}

SimplicesOfCells CellSplitter::simplices(int type, int dim, int entity) {
  SimplicesOfCells result;
  const TypeProperties properties = properties_of(type);
  if (!is_supported(dim, properties.n_vertices)) {
    result.unsupported = properties.name;
    return result;
  }
  std::vector<std::size_t> tags, nodes;
  gmsh::model::mesh::getElementsByType(type, tags, nodes, entity);
  const std::size_t width = properties.n_nodes, kept = static_cast<std::size_t>(dim) + 1;
  result.n_cells = tags.size();
  result.is_curved = properties.order > 1;
  result.is_split = properties.n_vertices != kept;
  if (result.is_split) {
    result.vertices = split(dim, properties.n_vertices, nodes, width);
    const std::size_t n_parts = tags.empty() ? 0 : result.vertices.size() / (kept * tags.size());
    for (const std::size_t tag : tags)
      result.tags.insert(result.tags.end(), n_parts, tag);
    return result;
  }
  result.tags = std::move(tags);
  if (width == kept) {
    result.vertices = std::move(nodes);
    return result;
  }
  result.vertices.resize(result.n_cells * kept);
  for (std::size_t e = 0; e < result.n_cells; ++e)
    std::copy_n(&nodes[e * width], kept, &result.vertices[e * kept]);
  return result;
}

std::vector<Edge> CellSplitter::crossed_diagonals() {
  std::sort(other_diagonals_.begin(), other_diagonals_.end());
  other_diagonals_.erase(std::unique(other_diagonals_.begin(), other_diagonals_.end()), other_diagonals_.end());
  std::unordered_set<std::size_t> ends; // most nodes of other elements are none
  for (const Edge& diagonal : other_diagonals_)
    ends.insert(diagonal.begin(), diagonal.end());
  std::vector<Edge> crossed;
  std::vector<int> types;
  if (!other_diagonals_.empty())
    gmsh::model::mesh::getElementTypes(types, 3);
  for (const int type : types) {
    const TypeProperties properties = properties_of(type);
    std::set<std::array<int, 2>> edges; // of its triangles
    for (const Face& face : faces_of(3, properties.n_vertices))
      for (std::size_t k = 0; face.size() == 3 && k < 3; ++k)
        edges.insert({std::min(face[k], face[(k + 1) % 3]), std::max(face[k], face[(k + 1) % 3])});
    if (edges.empty())
      continue;
    std::vector<std::size_t> tags, nodes;
    gmsh::model::mesh::getElementsByType(type, tags, nodes);
    for (std::size_t begin = 0; begin < nodes.size(); begin += properties.n_nodes)
      for (const std::array<int, 2>& local : edges) {
        const Edge edge = edge_between(nodes[begin + static_cast<std::size_t>(local[0])],
                                       nodes[begin + static_cast<std::size_t>(local[1])]);
        if (ends.count(edge[0]) != 0 && ends.count(edge[1]) != 0 &&
            std::binary_search(other_diagonals_.begin(), other_diagonals_.end(), edge))
          crossed.push_back(edge);
      }
  }
  std::sort(crossed.begin(), crossed.end());
  crossed.erase(std::unique(crossed.begin(), crossed.end()), crossed.end());
  return crossed;
}

} // namespace tessera::importer
