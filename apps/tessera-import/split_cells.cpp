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

/// Type, number of vertices, of simplices, and faces by local vertices, as Gmsh numbers them.
struct CellType {
  int type;
  std::size_t n_vertices;
  std::size_t n_simplices;
  std::vector<Face> faces;
};

const CellType* find_type(int type) {
  static const std::array<CellType, 4> types{
      {{3, 4, 2, {{0, 1, 2, 3}}},
       {5, 8, 6, {{0, 3, 2, 1}, {0, 1, 5, 4}, {0, 4, 7, 3}, {1, 2, 6, 5}, {2, 3, 7, 6}, {4, 5, 6, 7}}},
       {6, 6, 3, {{0, 2, 1}, {3, 4, 5}, {0, 1, 4, 3}, {0, 3, 5, 2}, {1, 2, 5, 4}}},
       {7, 5, 2, {{0, 1, 4}, {3, 0, 4}, {1, 2, 4}, {2, 3, 4}, {0, 3, 2, 1}}}}};
  const auto* const found =
      std::find_if(types.begin(), types.end(), [type](const CellType& known) { return known.type == type; });
  return found != types.end() ? &*found : nullptr;
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
// it, too.
std::vector<std::size_t> split_cells(const CellType& cell, const std::vector<std::size_t>& nodes) {
  std::vector<std::size_t> simplices;
  for (std::size_t begin = 0; begin < nodes.size(); begin += cell.n_vertices) {
    const std::size_t* const own = &nodes[begin];
    if (cell.faces.size() == 1) {
      append_fan(own, cell.faces.front(), {}, simplices);
      continue;
    }
    const auto lowest = static_cast<std::size_t>(std::min_element(own, own + cell.n_vertices) - own);
    for (const Face& face : cell.faces)
      if (std::find(face.begin(), face.end(), lowest) == face.end())
        append_fan(own, face, {own[lowest]}, simplices);
  }
  return simplices;
}

} // namespace

SimplicesOfCells simplices_of_cells(int type, int dim, int entity) {
  SimplicesOfCells result;
  std::string name;
  int type_dim = 0, order = 0, n_nodes = 0, n_vertices = 0;
  std::vector<double> reference;
  gmsh::model::mesh::getElementProperties(type, name, type_dim, order, n_nodes, reference, n_vertices);
  const CellType* const cell = find_type(type);
  if (n_vertices != dim + 1 && cell == nullptr) {
    result.unsupported = name;
    return result;
  }
  std::vector<std::size_t> tags, nodes;
  gmsh::model::mesh::getElementsByType(type, tags, nodes, entity);
  result.n_cells = tags.size();
  result.is_curved = order > 1;
  if (cell != nullptr) {
    result.is_split = true;
    result.vertices = split_cells(*cell, nodes);
    for (const std::size_t tag : tags)
      result.tags.insert(result.tags.end(), cell->n_simplices, tag);
    return result;
  }
  const std::size_t width = static_cast<std::size_t>(n_nodes), kept = static_cast<std::size_t>(dim) + 1;
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

} // namespace tessera::importer
