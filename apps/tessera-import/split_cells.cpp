// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "split_cells.hpp"

#include <gmsh.h>

#include <algorithm>
#include <numeric>
#include <utility>

namespace tessera::importer {

namespace {

/// An empty block for elements of Gmsh's type `type`.
CellBlock block_of(int type) {
  CellBlock block;
  block.type = type;
  int n_nodes = 0, n_vertices = 0;
  std::vector<double> reference;
  gmsh::model::mesh::getElementProperties(type, block.type_name, block.dim, block.order, n_nodes, reference,
                                          n_vertices);
  block.n_nodes = static_cast<std::size_t>(n_nodes);
  block.n_vertices = static_cast<std::size_t>(n_vertices);
  block.shape = io::find_cell_shape(block.dim, n_vertices);
  return block;
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

std::vector<CellBlock> cell_blocks(int dim, int entity) {
  std::vector<int> types;
  gmsh::model::mesh::getElementTypes(types, dim, entity);
  std::vector<CellBlock> blocks;
  for (const int type : types) {
    blocks.push_back(block_of(type));
    gmsh::model::mesh::getElementsByType(type, blocks.back().tags, blocks.back().nodes, entity);
  }
  return blocks;
}

CellSplitter::CellSplitter(int mesh_dimension) : in_plane_(mesh_dimension == 2) {
  for (int dim = 2; dim <= mesh_dimension; ++dim) {
    std::vector<int> types;
    gmsh::model::mesh::getElementTypes(types, dim);
    const bool splits =
        std::any_of(types.begin(), types.end(), [](int type) { return block_of(type).shape != nullptr; });
    if (splits && positions_.empty())
      positions_ = node_positions();
  }
}

io::CellSplit CellSplitter::split(const CellBlock& block, std::size_t element) const {
  if (block.shape == nullptr) {
    io::CellSplit whole;
    whole.simplices.resize(block.n_vertices);
    std::iota(whole.simplices.begin(), whole.simplices.end(), 0);
    return whole;
  }
  const std::size_t* const own = &block.nodes[element * block.n_nodes];
  std::vector<std::array<double, 3>> places;
  for (std::size_t k = 0; k < block.n_vertices; ++k)
    places.push_back(positions_.at(own[k]));
  return io::split_cell(*block.shape, own, places.data(), in_plane_);
}

SimplicesOfCells CellSplitter::simplices(CellBlock block) const {
  SimplicesOfCells result;
  const std::size_t width = static_cast<std::size_t>(block.dim) + 1;
  if (block.shape == nullptr) {
    result.tags = std::move(block.tags);
    if (block.n_nodes == width) {
      result.vertices = std::move(block.nodes);
      return result;
    }
    result.vertices.resize(result.tags.size() * width);
    for (std::size_t e = 0; e < result.tags.size(); ++e)
      std::copy_n(&block.nodes[e * block.n_nodes], width, &result.vertices[e * width]);
    return result;
  }
  for (std::size_t e = 0; e < block.n_cells(); ++e) {
    const std::size_t* const own = &block.nodes[e * block.n_nodes];
    const io::CellSplit parts = split(block, e);
    for (const int k : parts.simplices)
      result.vertices.push_back(own[k]);
    for (const std::array<int, 2>& diagonal : parts.other_diagonals)
      result.other_diagonals.push_back({own[diagonal[0]], own[diagonal[1]]});
    result.tags.insert(result.tags.end(), parts.simplices.size() / width, block.tags[e]);
  }
  return result;
}

} // namespace tessera::importer
