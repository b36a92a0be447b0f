// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/mesh/mesh_groups.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tessera::driver {

double simplex_measure(const io::ImportedMesh& mesh, const index_t* nodes, int n) {
  const int dim = mesh.dimension;
  double edge[3][3] = {};
  for (int k = 1; k < n; ++k)
    for (int d = 0; d < dim; ++d)
      edge[k - 1][d] = mesh.coordinates[static_cast<std::size_t>(nodes[k]) * dim + d] -
                       mesh.coordinates[static_cast<std::size_t>(nodes[0]) * dim + d];
  const auto product = [&](int i, int j) {
    return edge[i][0] * edge[j][0] + edge[i][1] * edge[j][1] + edge[i][2] * edge[j][2];
  };
  if (n == 2)
    return std::sqrt(product(0, 0));
  if (n == 3)
    return 0.5 * std::sqrt(std::max(0., product(0, 0) * product(1, 1) - product(0, 1) * product(0, 1)));
  const double cross[3] = {edge[0][1] * edge[1][2] - edge[0][2] * edge[1][1],
                           edge[0][2] * edge[1][0] - edge[0][0] * edge[1][2],
                           edge[0][0] * edge[1][1] - edge[0][1] * edge[1][0]};
  return std::fabs(cross[0] * edge[2][0] + cross[1] * edge[2][1] + cross[2] * edge[2][2]) / 6.;
}

namespace {

/// A face of an element: its nodes, ascending, and the element's region.
struct Face {
  std::array<index_t, 3> nodes; ///< 2D: the first one is -1
  group_t region;
  bool operator<(const Face& other) const { return nodes < other.nodes; }
};

std::array<index_t, 3> key_of(const index_t* nodes, int n) {
  std::array<index_t, 3> key{-1, -1, -1};
  std::copy_n(nodes, n, key.begin());
  std::sort(key.begin(), key.end());
  return key;
}

void add_simplex(const io::ImportedMesh& mesh, const index_t* nodes, int n, MeshGroup& group) {
  ++group.n_elements;
  group.measure += simplex_measure(mesh, nodes, n);
  for (int k = 0; k < n; ++k)
    for (int d = 0; d < mesh.dimension; ++d) {
      const double x = mesh.coordinates[static_cast<std::size_t>(nodes[k]) * mesh.dimension + d];
      group.lowest[d] = std::min(group.lowest[d], x);
      group.highest[d] = std::max(group.highest[d], x);
    }
}

std::vector<Face> faces_of(const io::ImportedMesh& mesh) {
  const int dim = mesh.dimension;
  std::vector<Face> faces;
  faces.reserve(mesh.n_elements() * static_cast<std::size_t>(dim + 1));
  for (std::size_t e = 0; e < mesh.n_elements(); ++e)
    for (int opposite = 0; opposite <= dim; ++opposite) {
      index_t nodes[3];
      for (int k = 0, i = 0; k <= dim; ++k)
        if (k != opposite)
          nodes[i++] = mesh.elements[e * static_cast<std::size_t>(dim + 1) + k];
      faces.push_back({key_of(nodes, dim), mesh.regions[e]});
    }
  std::sort(faces.begin(), faces.end());
  return faces;
}

} // namespace

std::vector<MeshGroup> mesh_groups(const io::ImportedMesh& mesh) {
  const int dim = mesh.dimension;
  const std::size_t n_regions = mesh.region_names.size();
  std::vector<MeshGroup> groups(n_regions + mesh.boundary_names.size());
  for (std::size_t g = 0; g < groups.size(); ++g) {
    groups[g].is_region = g < n_regions;
    groups[g].name = g < n_regions ? mesh.region_names[g] : mesh.boundary_names[g - n_regions];
    groups[g].lowest.fill(std::numeric_limits<double>::infinity());
    groups[g].highest.fill(-std::numeric_limits<double>::infinity());
  }
  for (std::size_t e = 0; e < mesh.n_elements(); ++e)
    add_simplex(mesh, &mesh.elements[e * static_cast<std::size_t>(dim + 1)], dim + 1, groups[mesh.regions[e]]);

  std::vector<std::array<index_t, 3>> boundary_faces;
  const std::vector<Face> faces = faces_of(mesh);
  for (std::size_t f = 0; f < mesh.n_facets(); ++f) {
    const index_t* nodes = &mesh.facets[f * static_cast<std::size_t>(dim)];
    const Face face{key_of(nodes, dim), 0};
    boundary_faces.push_back(face.nodes);
    if (mesh.facet_groups[f] >= mesh.boundary_names.size()) // in no group
      continue;
    MeshGroup& group = groups[n_regions + mesh.facet_groups[f]];
    add_simplex(mesh, nodes, dim, group);
    const auto matches = std::equal_range(faces.begin(), faces.end(), face);
    for (auto i = matches.first; i != matches.second; ++i)
      group.neighbours.insert(mesh.region_names[i->region]);
  }
  std::sort(boundary_faces.begin(), boundary_faces.end());
  for (std::size_t i = 0; i < faces.size(); ++i) {
    const bool is_shared = i + 1 < faces.size() && faces[i].nodes == faces[i + 1].nodes;
    if (!is_shared) {
      if (!std::binary_search(boundary_faces.begin(), boundary_faces.end(), faces[i].nodes))
        ++groups[faces[i].region].n_outer_facets;
      continue;
    }
    const group_t a = faces[i].region;
    const group_t b = faces[i + 1].region;
    if (a != b) {
      groups[a].neighbours.insert(mesh.region_names[b]);
      groups[b].neighbours.insert(mesh.region_names[a]);
    }
    ++i;
  }
  return groups;
}

} // namespace tessera::driver
