// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "curved_facets.hpp"

#include <gmsh.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace tessera::importer {

using namespace io;

namespace {

/// Coordinates in metres of the lattice points of a facet, from the coordinates of an element's nodes and the values of
/// its shape functions there.
std::vector<double> lattice_points(const std::vector<double>& xyz, const std::vector<double>& shape, std::size_t dim,
                                   double scale) {
  const std::size_t n_nodes = xyz.size() / 3;
  std::vector<double> points;
  for (std::size_t point = 0; point < shape.size() / n_nodes; ++point)
    for (std::size_t d = 0; d < dim; ++d) {
      double x = 0.;
      for (std::size_t a = 0; a < n_nodes; ++a)
        x += shape[point * n_nodes + a] * xyz[3 * a + d];
      points.push_back(scale * x);
    }
  return points;
}

/// Barycentric coordinates of a facet's lattice points, in the order of mesh::CurvedFacets.
std::vector<std::array<double, 3>> lattice(int facet_dim, int degree) {
  std::vector<std::array<double, 3>> points;
  for (int j = 0; j <= (facet_dim == 2 ? degree : 0); ++j)
    for (int i = 0; i <= degree - j; ++i)
      points.push_back({double(degree - i - j) / degree, double(i) / degree, double(j) / degree});
  return points;
}

/// Values of the shape functions of Gmsh's type `type` at the lattice of the simplex between some of its vertices,
/// `corners`. `straightens`: of a quadrilateral's diagonal what bends it beyond where its straight sides have it, so
/// that straight sides have a straight diagonal, also around a concave one.
std::vector<double> shapes_at(int type, const std::vector<int>& corners, int degree, bool straightens) {
  std::string name;
  int dim = 0, order = 0, n_nodes = 0, n_vertices = 0;
  std::vector<double> reference; // [n_nodes][dim]
  gmsh::model::mesh::getElementProperties(type, name, dim, order, n_nodes, reference, n_vertices);
  const auto width = static_cast<std::size_t>(n_nodes);
  const auto points = lattice(static_cast<int>(corners.size()) - 1, degree);
  std::vector<double> local;
  for (const std::array<double, 3>& lambda : points) {
    double at[3] = {0., 0., 0.};
    for (std::size_t k = 0; k < corners.size(); ++k)
      for (int d = 0; d < dim; ++d)
        at[d] += lambda[k] * reference[static_cast<std::size_t>(corners[k] * dim + d)];
    local.insert(local.end(), at, at + 3);
  }
  int n_components = 0, n_orientations = 0;
  std::vector<double> shape;
  gmsh::model::mesh::getBasisFunctions(type, local, "Lagrange", n_components, shape, n_orientations);
  // At corners they are known, and those of pyramids have no value at the apex.
  for (std::size_t i = 0; i < points.size(); ++i)
    for (std::size_t k = 0; k < corners.size(); ++k)
      if (points[i][k] == 1.) {
        std::fill_n(&shape[i * width], width, 0.);
        shape[i * width + static_cast<std::size_t>(corners[k])] = 1.;
      }
  if (straightens) {
    std::vector<double> flat;
    gmsh::model::mesh::getBasisFunctions(gmsh::model::mesh::getElementType("quadrangle", 1), local, "Lagrange",
                                         n_components, flat, n_orientations);
    for (std::size_t i = 0; i < points.size(); ++i) {
      for (std::size_t k = 0; k < 4; ++k)
        shape[i * width + k] -= flat[4 * i + k];
      for (std::size_t k = 0; k < corners.size(); ++k)
        shape[i * width + static_cast<std::size_t>(corners[k])] += points[i][k];
    }
  }
  return shape;
}

/// Adds curved facets of elements, each facet once.
class CurvedFacetCollector {
public:
  CurvedFacetCollector(ImportedMesh& mesh, const io::detail::TagRanks& ranks, double scale)
      : mesh_(mesh), ranks_(ranks), scale_(scale) {}

  void set_positions(NodePositions positions) { positions_ = std::move(positions); }

  /// The facets of all simplices of a block, also those within elements, or of a block of one dimension less than the
  /// mesh's the simplices themselves. `straight`: the same elements in the same order, with the nodes that the mesh
  /// knows and `splitter`.
  void add(const CellBlock& block, int degree, const CellBlock& straight, const CellSplitter& splitter) {
    const auto dim = static_cast<std::size_t>(mesh_.dimension), width = static_cast<std::size_t>(block.dim) + 1;
    const std::vector<std::vector<int>> facets = facets_of(block.dim);
    const bool straightens = mesh_.dimension == 2 && block.shape != nullptr;
    std::map<std::vector<int>, std::vector<double>> shapes;
    std::vector<double> xyz(3 * block.n_nodes);
    for (std::size_t e = 0; e < block.n_cells(); ++e) {
      for (std::size_t a = 0; a < block.n_nodes; ++a)
        std::copy_n(positions_.at(block.nodes[e * block.n_nodes + a]).begin(), 3, &xyz[3 * a]);
      const std::vector<int> simplices = splitter.split(straight, e).simplices;
      for (std::size_t begin = 0; begin < simplices.size(); begin += width)
        for (const std::vector<int>& facet : facets) {
          std::vector<index_t> nodes;
          std::vector<int> corners; // of the element
          for (const int k : facet) {
            corners.push_back(simplices[begin + static_cast<std::size_t>(k)]);
            nodes.push_back(
                ranks_.rank(straight.nodes[e * straight.n_nodes + static_cast<std::size_t>(corners.back())]));
          }
          std::vector<index_t> key = nodes;
          std::sort(key.begin(), key.end());
          if (key.front() < 0 || !seen_.insert(key).second)
            continue;
          std::vector<double>& shape = shapes[corners];
          if (shape.empty())
            shape = shapes_at(block.type, corners, degree, straightens);
          add_curved_facet(mesh_, degree, nodes, lattice_points(xyz, shape, dim, scale_));
        }
    }
  }

private:
  std::vector<std::vector<int>> facets_of(int cell_dim) const {
    if (cell_dim < mesh_.dimension)
      return {cell_dim == 1 ? std::vector<int>{0, 1} : std::vector<int>{0, 1, 2}};
    if (cell_dim == 2)
      return {{0, 1}, {1, 2}, {2, 0}};
    return {{0, 1, 2}, {0, 1, 3}, {1, 2, 3}, {0, 2, 3}};
  }

  ImportedMesh& mesh_;
  const io::detail::TagRanks& ranks_;
  double scale_;
  NodePositions positions_;
  std::set<std::vector<index_t>> seen_;
};

} // namespace

void add_curved_facets(ImportedMesh& mesh, bool is_mesh_file, const io::detail::TagRanks& ranks, double scale,
                       const CellSplitter& splitter) {
  const int dim = mesh.dimension;
  CurvedFacetCollector collector(mesh, ranks, scale);
  if (is_mesh_file) {
    const std::vector<CellBlock> blocks = cell_blocks(dim, -1);
    int degree = 1;
    for (const CellBlock& block : blocks)
      if (block.is_supported())
        degree = std::max(degree, std::min(block.order, max_curved_degree));
    if (degree == 1)
      return;
    collector.set_positions(node_positions());
    for (const CellBlock& block : blocks)
      if (block.order > 1 && block.is_supported())
        collector.add(block, degree, block, splitter);
    return;
  }
  // Gmsh raises the order of facets alone: without the elements, which would take most of the time. Clearing these
  // renumbers nodes (Gmsh 4.8), but keeps facets in their order.
  gmsh::vectorpair entities;
  gmsh::model::getEntities(entities, dim - 1);
  std::map<int, std::vector<CellBlock>> straight;
  for (const auto& entity : entities)
    straight[entity.second] = cell_blocks(dim - 1, entity.second);
  gmsh::vectorpair bodies;
  gmsh::model::getEntities(bodies, dim);
  gmsh::model::mesh::clear(bodies);
  gmsh::option::setNumber("Mesh.SecondOrderLinear", 0);
  gmsh::option::setNumber("Mesh.HighOrderOptimize", 0);
  gmsh::model::mesh::setOrder(max_curved_degree);
  collector.set_positions(node_positions());
  for (const auto& [entity, blocks] : straight) {
    const std::vector<CellBlock> raised = cell_blocks(dim - 1, entity);
    for (const CellBlock& before : blocks) {
      const auto after = std::find_if(raised.begin(), raised.end(), [&before](const CellBlock& block) {
        return block.n_vertices == before.n_vertices && block.n_cells() == before.n_cells();
      });
      if (after != raised.end() && before.is_supported())
        collector.add(*after, max_curved_degree, before, splitter);
    }
  }
}

} // namespace tessera::importer
