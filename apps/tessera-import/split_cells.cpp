// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "split_cells.hpp"

#include "io/cell_shapes.hpp"

#include <gmsh.h>

#include <algorithm>
#include <array>
#include <unordered_set>
#include <utility>

namespace tessera::importer {

namespace {

/// Vertices of the simplices of cells with `width` nodes each.
std::vector<std::size_t> split_cells(const io::CellShape& shape, const std::vector<std::size_t>& nodes,
                                     std::size_t width, const NodePositions& plane) {
  std::vector<std::size_t> simplices;
  for (std::size_t begin = 0; begin < nodes.size(); begin += width) {
    const std::size_t* const own = &nodes[begin];
    std::array<std::array<double, 2>, 4> places{};
    for (std::size_t k = 0; k < (plane.empty() ? 0 : shape.n_vertices); ++k)
      places[k] = {plane.at(own[k])[0], plane.at(own[k])[1]};
    for (const int vertex : io::split_cell(shape, own, plane.empty() ? nullptr : &places))
      simplices.push_back(own[vertex]);
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
  const io::CellShape* const cell = io::find_cell_shape(dim, properties.n_vertices);
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
    const io::CellShape* const cell = io::find_cell_shape(dim, properties.n_vertices);
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

std::vector<std::array<std::size_t, 2>> crossed_diagonals() {
  using Edge = std::array<std::size_t, 2>;
  const auto edge_between = [](std::size_t a, std::size_t b) { return Edge{std::min(a, b), std::max(a, b)}; };
  const auto unique = [](std::vector<Edge>& edges) {
    std::sort(edges.begin(), edges.end());
    edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  };
  const std::vector<CellBlock> blocks = cell_blocks(3, -1);
  const std::vector<std::vector<int>> of_tetrahedron{{0, 1, 2}, {0, 1, 3}, {1, 2, 3}, {0, 2, 3}};
  const auto faces_of = [&](const CellBlock& block) {
    const io::CellShape* const shape = io::find_cell_shape(3, ElementType(block.type).n_vertices);
    return shape != nullptr ? shape->faces : of_tetrahedron;
  };
  std::vector<Edge> diagonals, crossed;
  for (const CellBlock& block : blocks)
    for (const std::vector<int>& face : faces_of(block))
      for (std::size_t begin = 0; face.size() == 4 && begin < block.nodes.size(); begin += block.n_nodes) {
        std::size_t own[4], low = 0;
        for (std::size_t k = 0; k < 4; ++k) {
          own[k] = block.nodes[begin + static_cast<std::size_t>(face[k])];
          low = own[k] < own[low] ? k : low;
        }
        diagonals.push_back(edge_between(own[(low + 1) % 4], own[(low + 3) % 4]));
      }
  unique(diagonals);
  std::unordered_set<std::size_t> ends; // most nodes of other elements are none
  for (const Edge& diagonal : diagonals)
    ends.insert(diagonal.begin(), diagonal.end());
  for (const CellBlock& block : blocks)
    for (const std::vector<int>& face : faces_of(block))
      for (std::size_t begin = 0; face.size() == 3 && begin < block.nodes.size(); begin += block.n_nodes)
        for (std::size_t k = 0; k < 3; ++k) {
          const Edge edge = edge_between(block.nodes[begin + static_cast<std::size_t>(face[k])],
                                         block.nodes[begin + static_cast<std::size_t>(face[(k + 1) % 3])]);
          if (ends.count(edge[0]) != 0 && ends.count(edge[1]) != 0 &&
              std::binary_search(diagonals.begin(), diagonals.end(), edge))
            crossed.push_back(edge);
        }
  unique(crossed);
  return crossed;
}

} // namespace tessera::importer
