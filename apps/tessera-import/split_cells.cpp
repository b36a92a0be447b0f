// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "split_cells.hpp"

#include <gmsh.h>

#include <algorithm>
#include <array>
#include <utility>

namespace tessera::importer {

namespace {

using Face = std::vector<std::size_t>; // in order around it

/// Dimension, number of vertices, of simplices, and faces by local vertices, as Gmsh numbers them in any order.
struct CellShape {
  int dim;
  std::size_t n_vertices;
  std::size_t n_simplices;
  std::vector<Face> faces;
};

const CellShape* find_shape(int dim, int n_vertices) {
  static const std::array<CellShape, 4> shapes{
      {{2, 4, 2, {{0, 1, 2, 3}}},
       {3, 8, 6, {{0, 3, 2, 1}, {0, 1, 5, 4}, {0, 4, 7, 3}, {1, 2, 6, 5}, {2, 3, 7, 6}, {4, 5, 6, 7}}},
       {3, 6, 3, {{0, 2, 1}, {3, 4, 5}, {0, 1, 4, 3}, {0, 3, 5, 2}, {1, 2, 5, 4}}},
       {3, 5, 2, {{0, 1, 4}, {3, 0, 4}, {1, 2, 4}, {2, 3, 4}, {0, 3, 2, 1}}}}};
  const auto* const found = std::find_if(shapes.begin(), shapes.end(), [&](const CellShape& known) {
    return known.dim == dim && known.n_vertices == static_cast<std::size_t>(n_vertices);
  });
  return found != shapes.end() ? &*found : nullptr;
}

/// Area of the triangle with the corners a, b and c of a quadrilateral in the plane, positive counterclockwise.
double area(const std::size_t* own, const NodePositions& plane, int a, int b, int c) {
  const auto &p = plane.at(own[a]), &q = plane.at(own[b]), &r = plane.at(own[c]);
  return 0.5 * ((q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0]));
}

/// Appends the two triangles of a quadrilateral in the plane whose smaller one is larger; of a concave one the other
/// diagonal lies outside.
void append_better(const std::size_t* own, const NodePositions& plane, std::vector<std::size_t>& simplices) {
  double smallest[2], sum = 0.;
  for (int first = 0; first < 2; ++first) {
    const double one = area(own, plane, first, first + 1, first + 2);
    const double other = area(own, plane, first, first + 2, (first + 3) % 4);
    sum = one + other; // the same of either
    smallest[first] = sum < 0. ? -std::max(one, other) : std::min(one, other);
  }
  const std::size_t first = smallest[1] > smallest[0] ? 1 : 0;
  for (const std::size_t corner : {first, first + 1, first + 2, first, first + 2, first + 3})
    simplices.push_back(own[corner % 4]);
}

/// Appends the triangles of a face, fans around its lowest node, each behind the nodes of `first`.
void append_fan(const std::size_t* nodes, const Face& face, const std::vector<std::size_t>& first,
                std::vector<std::size_t>& simplices) {
  const std::size_t n = face.size();
  std::size_t low = 0;
  for (std::size_t k = 1; k < n; ++k)
    if (nodes[face[k]] < nodes[face[low]])
      low = k;
  for (std::size_t k = 1; k + 1 < n; ++k) {
    simplices.insert(simplices.end(), first.begin(), first.end());
    for (const std::size_t corner : {low, low + k, low + k + 1})
      simplices.push_back(nodes[face[corner % n]]);
  }
}

// From the lowest node of all to the triangles of the faces that do not have it: those that have it are then split from
// it, too. `width`: nodes of a cell.
std::vector<std::size_t> split_cells(const CellShape& cell, const std::vector<std::size_t>& nodes, std::size_t width,
                                     const NodePositions& plane) {
  std::vector<std::size_t> simplices;
  for (std::size_t begin = 0; begin < nodes.size(); begin += width) {
    const std::size_t* const own = &nodes[begin];
    if (cell.faces.size() == 1) {
      if (plane.empty())
        append_fan(own, cell.faces.front(), {}, simplices);
      else
        append_better(own, plane, simplices);
      continue;
    }
    const auto lowest = static_cast<std::size_t>(std::min_element(own, own + cell.n_vertices) - own);
    for (const Face& face : cell.faces)
      if (std::find(face.begin(), face.end(), lowest) == face.end())
        append_fan(own, face, {own[lowest]}, simplices);
  }
  return simplices;
}

/// What Gmsh tells of a type of elements.
struct ElementType {
  std::string name;
  int order = 0, n_nodes = 0, n_vertices = 0;

  explicit ElementType(int type) {
    int dim = 0;
    std::vector<double> reference;
    gmsh::model::mesh::getElementProperties(type, name, dim, order, n_nodes, reference, n_vertices);
  }
};

/// The first `kept` of the `width` nodes of each element.
std::vector<std::size_t> first_nodes(const std::vector<std::size_t>& nodes, std::size_t width, std::size_t kept) {
  std::vector<std::size_t> first;
  first.reserve(nodes.size() / width * kept);
  for (std::size_t begin = 0; begin < nodes.size(); begin += width)
    for (std::size_t k = 0; k < kept; ++k)
      first.push_back(nodes[begin + k]);
  return first;
}

} // namespace

NodePositions node_positions() {
  std::vector<std::size_t> tags;
  std::vector<double> xyz, parameters;
  gmsh::model::mesh::getNodes(tags, xyz, parameters, -1, -1, false, false);
  NodePositions positions;
  positions.reserve(tags.size());
  for (std::size_t i = 0; i < tags.size(); ++i)
    positions[tags[i]] = {xyz[3 * i], xyz[3 * i + 1], xyz[3 * i + 2]};
  return positions;
}

SimplicesOfCells simplices_of_cells(int type, int dim, int entity, const NodePositions& plane) {
  SimplicesOfCells result;
  const ElementType properties(type);
  const CellShape* const cell = find_shape(dim, properties.n_vertices);
  if (properties.n_vertices != dim + 1 && cell == nullptr) {
    result.unsupported = properties.name;
    return result;
  }
  std::vector<std::size_t> tags, nodes;
  gmsh::model::mesh::getElementsByType(type, tags, nodes, entity);
  const auto width = static_cast<std::size_t>(properties.n_nodes);
  result.n_cells = tags.size();
  result.is_curved = properties.order > 1;
  if (cell != nullptr) {
    result.is_split = true;
    result.vertices = split_cells(*cell, nodes, width, plane);
    for (const std::size_t tag : tags)
      result.tags.insert(result.tags.end(), cell->n_simplices, tag);
    return result;
  }
  const std::size_t kept = static_cast<std::size_t>(dim) + 1;
  result.tags = std::move(tags);
  result.vertices = width == kept ? std::move(nodes) : first_nodes(nodes, width, kept);
  return result;
}

std::vector<CellBlock> cell_blocks(int dim, int entity, const NodePositions& plane) {
  std::vector<int> types;
  gmsh::model::mesh::getElementTypes(types, dim, entity);
  std::vector<CellBlock> blocks;
  for (const int type : types) {
    const ElementType properties(type);
    const CellShape* const cell = find_shape(dim, properties.n_vertices);
    if (properties.n_vertices != dim + 1 && cell == nullptr)
      continue;
    CellBlock block;
    block.type = type;
    block.order = properties.order;
    block.n_nodes = static_cast<std::size_t>(properties.n_nodes);
    std::vector<std::size_t> tags;
    gmsh::model::mesh::getElementsByType(type, tags, block.nodes, entity);
    if (cell != nullptr) {
      block.n_simplices = cell->n_simplices;
      block.simplices = split_cells(*cell, block.nodes, block.n_nodes, plane);
    } else {
      block.simplices = first_nodes(block.nodes, block.n_nodes, static_cast<std::size_t>(dim) + 1);
    }
    blocks.push_back(std::move(block));
  }
  return blocks;
}

} // namespace tessera::importer
