// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_TESTS_SUPPORT_LAYERED_MESH_HPP
#define TESSERA_TESTS_SUPPORT_LAYERED_MESH_HPP

#include "io/mesh_files/imported_mesh.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <vector>

namespace tessera::test {

/// The unit square or cube with n cells in each direction (an even number) and two layers stacked in the direction
/// `along`: regions "lower" and "upper" (or only "lower"), boundaries "low", "middle" and "high" at 0, 1/2 and 1.
inline io::ImportedMesh layered_mesh(int dimension, index_t n, int along, bool has_two_regions) {
  io::ImportedMesh mesh;
  mesh.dimension = dimension;
  mesh.region_names = {"lower"};
  if (has_two_regions)
    mesh.region_names.emplace_back("upper");
  mesh.boundary_names = {"low", "middle", "high"};
  using Place = std::array<index_t, 3>;
  const index_t n_layers = dimension == 3 ? n + 1 : 1;
  for (index_t k = 0; k < n_layers; ++k)
    for (index_t j = 0; j <= n; ++j)
      for (index_t i = 0; i <= n; ++i) {
        const Place place{i, j, k};
        for (int d = 0; d < dimension; ++d)
          mesh.coordinates.push_back(static_cast<double>(place[static_cast<std::size_t>(d)]) / n);
      }
  const auto position = [&](index_t node) {
    const Place place{node % (n + 1), node / (n + 1) % (n + 1), node / ((n + 1) * (n + 1))};
    return place[static_cast<std::size_t>(along)];
  };
  const auto add = [&](const std::vector<index_t>& nodes) {
    index_t sum = 0;
    for (const index_t node : nodes)
      sum += position(node);
    const bool is_upper = 2 * sum > n * (dimension + 1);
    mesh.elements.insert(mesh.elements.end(), nodes.begin(), nodes.end());
    mesh.regions.push_back(has_two_regions && is_upper ? 1 : 0);
    for (std::size_t left_out = 0; left_out < nodes.size(); ++left_out)
      for (index_t group = 0; group < 3; ++group) {
        std::vector<index_t> facet = nodes;
        facet.erase(facet.begin() + static_cast<std::ptrdiff_t>(left_out));
        const bool is_there =
            std::all_of(facet.begin(), facet.end(), [&](index_t node) { return 2 * position(node) == group * n; });
        if (!is_there || (group == 1 && is_upper)) // one side of the middle suffices
          continue;
        mesh.facets.insert(mesh.facets.end(), facet.begin(), facet.end());
        mesh.facet_groups.push_back(static_cast<group_t>(group));
      }
  };
  const std::array<index_t, 3> strides{1, n + 1, (n + 1) * (n + 1)};
  for (index_t k = 0; k < (dimension == 3 ? n : 1); ++k)
    for (index_t j = 0; j < n; ++j)
      for (index_t i = 0; i < n; ++i) { // one simplex for each permutation of the directions
        std::vector<std::size_t> order(static_cast<std::size_t>(dimension));
        std::iota(order.begin(), order.end(), 0);
        do {
          std::vector<index_t> nodes{i + (n + 1) * (j + (n + 1) * k)};
          for (const std::size_t d : order)
            nodes.push_back(nodes.back() + strides[d]);
          int n_inversions = 0;
          for (std::size_t a = 0; a < order.size(); ++a)
            for (std::size_t b = a + 1; b < order.size(); ++b)
              n_inversions += order[a] > order[b] ? 1 : 0;
          if (n_inversions % 2 == 1)
            std::swap(nodes[nodes.size() - 1], nodes[nodes.size() - 2]);
          add(nodes);
        } while (std::next_permutation(order.begin(), order.end()));
      }
  return mesh;
}

} // namespace tessera::test

#endif
