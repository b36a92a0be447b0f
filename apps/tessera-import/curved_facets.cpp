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

/// Coordinates in metres of a facet's lattice points, computed from the coordinates of an element's nodes and the
/// values of its shape functions at these points.
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

/// Coordinates of the nodes of Gmsh's type `type` in its reference element, [n_nodes][3].
std::vector<double> reference_nodes(int type) {
  std::string name;
  int dim = 0, order = 0, n_nodes = 0, n_vertices = 0;
  std::vector<double> own, padded; // own: [n_nodes][dim], padded: [n_nodes][3]
  gmsh::model::mesh::getElementProperties(type, name, dim, order, n_nodes, own, n_vertices);
  for (int node = 0; node < n_nodes; ++node)
    for (int d = 0; d < 3; ++d)
      padded.push_back(d < dim ? own[static_cast<std::size_t>(node * dim + d)] : 0.);
  return padded;
}

/// Values of the vertices' linear shape functions at the nodes of a block's elements (see io::straight_parts).
std::vector<double> vertex_weights(const CellBlock& block) {
  const char* const family = block.dim == 2          ? "quadrangle"
                             : block.n_vertices == 8 ? "hexahedron"
                             : block.n_vertices == 6 ? "prism"
                                                     : "pyramid";
  int n_components = 0, n_orientations = 0;
  std::vector<double> weights;
  gmsh::model::mesh::getBasisFunctions(gmsh::model::mesh::getElementType(family, 1), reference_nodes(block.type),
                                       "Lagrange", n_components, weights, n_orientations);
  return weights;
}

/// Values of the shape functions of a block's elements at the lattice points of the simplex spanned by the vertices
/// `corners`. `straightens`: removes from the diagonal of a quadrilateral the curvature that its (bi)linear map has
/// even with straight sides, so that an element with straight sides gets a straight diagonal, also where it is concave.
std::vector<double> shapes_at(const CellBlock& block, const std::vector<int>& corners, int degree, bool straightens) {
  const int type = block.type;
  const std::vector<double> reference = reference_nodes(type);
  const std::size_t width = reference.size() / 3;
  const auto points = lattice(static_cast<int>(corners.size()) - 1, degree);
  std::vector<double> local;
  for (const std::array<double, 3>& lambda : points) {
    double at[3] = {0., 0., 0.};
    for (std::size_t k = 0; k < corners.size(); ++k)
      for (int d = 0; d < 3; ++d)
        at[d] += lambda[k] * reference[static_cast<std::size_t>(corners[k] * 3 + d)];
    local.insert(local.end(), at, at + 3);
  }
  int n_components = 0, n_orientations = 0;
  std::vector<double> shape;
  gmsh::model::mesh::getBasisFunctions(type, local, "Lagrange", n_components, shape, n_orientations);
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

/// Moves the lattice points on the edge between two corners of a facet in 3D onto the straight line between the
/// corners.
void straighten_edge(std::vector<double>& points, int degree, int a, int b) {
  const auto place_of = [&](int i, int j) { // in the order of mesh::CurvedFacets
    return 3 * static_cast<std::size_t>(i + j * (degree + 1) - j * (j - 1) / 2);
  };
  const int to_i[3] = {0, 1, 0}, to_j[3] = {0, 0, 1};
  for (int step = 1; step < degree; ++step) {
    const int i = (degree - step) * to_i[a] + step * to_i[b], j = (degree - step) * to_j[a] + step * to_j[b];
    const double share = static_cast<double>(step) / degree;
    for (std::size_t d = 0; d < 3; ++d)
      points[place_of(i, j) + d] = (1. - share) * points[place_of(degree * to_i[a], degree * to_j[a]) + d] +
                                   share * points[place_of(degree * to_i[b], degree * to_j[b]) + d];
  }
}

/// Collects curved facets of elements; a facet shared by several elements is added once.
class CurvedFacetCollector {
public:
  CurvedFacetCollector(ImportedMesh& mesh, const io::detail::TagRanks& ranks, double scale)
      : mesh_(mesh), ranks_(ranks), scale_(scale) {}

  void set_positions(NodePositions positions) { positions_ = std::move(positions); }

  /// Adds the facets of all simplices of a block, including those inside split elements; for a block of dimension one
  /// less than the mesh, adds the simplices themselves. `straight`: the same elements in the same order, with the nodes
  /// that the mesh and `splitter` know.
  void add(const CellBlock& block, int degree, const CellBlock& straight, const CellSplitter& splitter) {
    const auto dim = static_cast<std::size_t>(mesh_.dimension), width = static_cast<std::size_t>(block.dim) + 1;
    const std::vector<std::vector<int>> facets = facets_of(block.dim);
    const bool straightens = mesh_.dimension == 2 && block.shape != nullptr;
    const bool may_be_straight = mesh_.dimension == 3 && block.shape != nullptr;
    const std::vector<double> weights = may_be_straight ? vertex_weights(block) : std::vector<double>();
    std::map<std::vector<int>, std::vector<double>> shapes;
    std::vector<double> xyz(3 * block.n_nodes);
    std::vector<std::array<double, 3>> places(block.n_nodes);
    for (std::size_t e = 0; e < block.n_cells(); ++e) {
      for (std::size_t a = 0; a < block.n_nodes; ++a) {
        places[a] = positions_.at(block.nodes[e * block.n_nodes + a]);
        std::copy_n(places[a].begin(), 3, &xyz[3 * a]);
      }
      io::StraightParts parts;
      if (may_be_straight)
        parts = io::straight_parts(*block.shape, places, weights, mesh_.coordinate_rounding / scale_);
      if (parts.all)
        continue;
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
          if (key.front() < 0 || !seen_.insert(key).second ||
              (may_be_straight && lies_in_straight_face(*block.shape, parts, corners)))
            continue;
          std::vector<double>& shape = shapes[corners];
          if (shape.empty())
            shape = shapes_at(block, corners, degree, straightens);
          std::vector<double> points = lattice_points(xyz, shape, dim, scale_);
          for (std::size_t a = 0; a < 3 && may_be_straight; ++a)
            for (std::size_t b = a + 1; b < 3; ++b)
              if (parts.has_straight_diagonal(*block.shape, corners[a], corners[b])) // or is an edge
                straighten_edge(points, degree, static_cast<int>(a), static_cast<int>(b));
          add_curved_facet(mesh_, degree, nodes, points);
        }
    }
  }

private:
  static bool lies_in_straight_face(const io::CellShape& shape, const io::StraightParts& parts,
                                    const std::vector<int>& corners) {
    for (std::size_t f = 0; f < parts.faces.size(); ++f) {
      const std::vector<int>& face = shape.faces[f];
      if (parts.faces[f] && std::all_of(corners.begin(), corners.end(), [&face](int corner) {
            return std::find(face.begin(), face.end(), corner) != face.end();
          }))
        return true;
    }
    return false;
  }

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
  // Without this, Gmsh raises the order of the volume elements, too, which takes most of the time; only the facets are
  // needed. Clearing the elements renumbers nodes (Gmsh 4.8), but keeps the order of the facets.
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
