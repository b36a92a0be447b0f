// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "split_cells.hpp"

#include <gmsh.h>

#include <algorithm>
#include <unordered_set>
#include <utility>

namespace tessera::importer {

namespace {

using Face = std::vector<std::size_t>; // in order around it

constexpr int type_of_tetrahedra = 4, type_of_prisms = 6, type_of_pyramids = 7; // Gmsh's, of order 1

/// Edges of the triangles of an element's surface, by local vertices.
std::vector<Edge> triangle_edges(int type) {
  if (type == type_of_tetrahedra)
    return {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};
  if (type == type_of_prisms)
    return {{0, 1}, {1, 2}, {0, 2}, {3, 4}, {4, 5}, {3, 5}};
  return {{0, 1}, {1, 2}, {2, 3}, {0, 3}, {0, 4}, {1, 4}, {2, 4}, {3, 4}};
}

Edge edge_between(std::size_t a, std::size_t b) { return {std::min(a, b), std::max(a, b)}; }

} // namespace

/// Type, number of vertices, of simplices, and faces by local vertices, as Gmsh numbers them.
struct CellSplitter::CellType {
  int type;
  std::size_t n_vertices;
  std::size_t n_simplices;
  std::vector<Face> faces;
};

const CellSplitter::CellType* CellSplitter::find_type(int type) {
  static const std::array<CellType, 4> types{
      {{3, 4, 2, {{0, 1, 2, 3}}},
       {5, 8, 6, {{0, 3, 2, 1}, {0, 1, 5, 4}, {0, 4, 7, 3}, {1, 2, 6, 5}, {2, 3, 7, 6}, {4, 5, 6, 7}}},
       {type_of_prisms, 6, 3, {{0, 2, 1}, {3, 4, 5}, {0, 1, 4, 3}, {0, 3, 5, 2}, {1, 2, 5, 4}}},
       {type_of_pyramids, 5, 2, {{0, 1, 4}, {3, 0, 4}, {1, 2, 4}, {2, 3, 4}, {0, 3, 2, 1}}}}};
  const auto* const found =
      std::find_if(types.begin(), types.end(), [type](const CellType& known) { return known.type == type; });
  return found != types.end() ? &*found : nullptr;
}

bool CellSplitter::is_before(std::size_t a, std::size_t b) {
  if (place_.empty()) {
    // Its components are no rational multiples of each other, so that hardly two nodes of regular meshes are at one
    // place along it (they are powers of the root of x^3 = x + 1).
    constexpr double direction[3] = {1., 0.7548776662466927, 0.5698402909980532};
    std::vector<std::size_t> tags;
    std::vector<double> xyz, parameters;
    gmsh::model::mesh::getNodes(tags, xyz, parameters, -1, -1, false, false);
    place_.reserve(tags.size());
    for (std::size_t i = 0; i < tags.size(); ++i)
      place_[tags[i]] = direction[0] * xyz[3 * i] + direction[1] * xyz[3 * i + 1] + direction[2] * xyz[3 * i + 2];
  }
  const double of_a = place_.at(a), of_b = place_.at(b);
  return of_a != of_b ? of_a < of_b : a < b;
}

std::size_t CellSplitter::first_of(const std::size_t* nodes, std::size_t n) {
  std::size_t first = 0;
  for (std::size_t k = 1; k < n; ++k)
    if (is_before(nodes[k], nodes[first]))
      first = k;
  return first;
}

/// Appends the triangles of a face with these nodes, a fan around its first one, each behind the nodes of `apex`.
void CellSplitter::append_fan(const Face& face, const std::vector<std::size_t>& apex,
                              std::vector<std::size_t>& simplices) {
  const std::size_t n = face.size(), begin = first_of(face.data(), n);
  for (std::size_t k = 1; k + 1 < n; ++k) {
    simplices.insert(simplices.end(), apex.begin(), apex.end());
    for (const std::size_t corner : {begin, begin + k, begin + k + 1})
      simplices.push_back(face[corner % n]);
  }
}

// From the first node of all to the triangles of the faces that do not have it: those that have it are then split from
// it, too.
std::vector<std::size_t> CellSplitter::split(const CellType& cell, const std::vector<std::size_t>& nodes) {
  std::vector<std::size_t> simplices;
  for (std::size_t begin = 0; begin < nodes.size(); begin += cell.n_vertices) {
    const std::size_t* const own = &nodes[begin];
    const std::size_t first = first_of(own, cell.n_vertices);
    for (const Face& local : cell.faces) {
      Face face;
      for (const std::size_t k : local)
        face.push_back(own[k]);
      if (cell.faces.size() == 1)
        append_fan(face, {}, simplices);
      else if (std::find(local.begin(), local.end(), first) == local.end())
        append_fan(face, {own[first]}, simplices);
      if (cell.faces.size() == 1 || face.size() != 4)
        continue;
      const std::size_t low = first_of(face.data(), 4);
      other_diagonals_.push_back(edge_between(face[(low + 1) % 4], face[(low + 3) % 4]));
    }
  }
  return simplices;
}

SimplicesOfCells CellSplitter::simplices(int type, int dim, int entity) {
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
    result.vertices = split(*cell, nodes);
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
    if (type != type_of_tetrahedra && type != type_of_prisms && type != type_of_pyramids)
      continue;
    std::string name;
    int dim = 0, order = 0, n_nodes = 0, n_vertices = 0;
    std::vector<double> reference;
    gmsh::model::mesh::getElementProperties(type, name, dim, order, n_nodes, reference, n_vertices);
    const std::vector<Edge> edges = triangle_edges(type);
    std::vector<std::size_t> tags, nodes;
    gmsh::model::mesh::getElementsByType(type, tags, nodes);
    for (std::size_t begin = 0; begin < nodes.size(); begin += static_cast<std::size_t>(n_nodes))
      for (const Edge& local : edges) {
        const Edge edge = edge_between(nodes[begin + local[0]], nodes[begin + local[1]]);
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
