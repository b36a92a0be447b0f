// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_TESTS_UNIT_MESH_HOLED_BOX_HPP
#define TESSERA_TESTS_UNIT_MESH_HOLED_BOX_HPP

/// \file
/// A mesh with a hole and two regions, and plain loops over its facets.

#include "host_mesh.hpp"
#include "random_mesh.hpp"

#include <cmath>
#include <map>
#include <utility>

namespace tessera::test {

template <int Dim> using Facet = std::array<index_t, Dim>;

/// (simplex, local facet) pairs of each facet, keyed by sorted nodes.
template <int Dim> using Sides = std::map<Facet<Dim>, std::vector<std::pair<index_t, int>>>;

/// Nodes of a facet: all but the opposite vertex.
template <int Dim> Facet<Dim> facet_nodes(const HostMesh<Dim>& mesh, index_t simplex, int apex) {
  Facet<Dim> nodes;
  int n = 0;
  for (int a = 0; a <= Dim; ++a)
    if (a != apex)
      nodes[n++] = mesh.elements(simplex, a);
  return nodes;
}

template <int Dim> Facet<Dim> sorted(Facet<Dim> nodes) {
  std::sort(nodes.begin(), nodes.end());
  return nodes;
}

template <int Dim> Sides<Dim> sides_of(const HostMesh<Dim>& mesh) {
  Sides<Dim> sides;
  for (index_t s = 0; s < mesh.n_elements(); ++s)
    for (int f = 0; f <= Dim; ++f)
      sides[sorted<Dim>(facet_nodes(mesh, s, f))].push_back({s, f});
  return sides;
}

template <int Dim> std::array<double, Dim> centroid(const HostMesh<Dim>& mesh, index_t simplex) {
  std::array<double, Dim> x{};
  for (int d = 0; d < Dim; ++d)
    for (int a = 0; a <= Dim; ++a)
      x[d] += mesh.coordinates(mesh.elements(simplex, a), d) / (Dim + 1);
  return x;
}

/// Whether the centroid's maximum-norm distance from the middle of the unit box is below `half`.
template <int Dim> bool is_within(const HostMesh<Dim>& mesh, index_t simplex, double half) {
  bool within = true;
  for (const double x : centroid(mesh, simplex))
    within = within && std::abs(x - 0.5) < half;
  return within;
}

/// A random box with a hole in the middle (its nodes remain), a second region at x > 0.5, some facets in a second
/// group, others in none, and one interior facet.
template <int Dim, class ExecutionSpace>
HostMesh<Dim> holed_box(const ExecutionSpace& exec, const std::array<index_t, Dim>& cells, unsigned seed) {
  const auto box = on_host(exec, random_box<Dim>(exec, cells, seed));
  HostMesh<Dim> mesh = box;
  std::vector<index_t> kept;
  for (index_t s = 0; s < box.n_elements(); ++s)
    if (!is_within(box, s, 0.16))
      kept.push_back(s);
  mesh.elements = decltype(mesh.elements)("test::elements", kept.size());
  mesh.regions = decltype(mesh.regions)("test::regions", kept.size());
  for (std::size_t s = 0; s < kept.size(); ++s) {
    for (int a = 0; a <= Dim; ++a)
      mesh.elements(s, a) = box.elements(kept[s], a);
    mesh.regions(s) = centroid(box, kept[s])[0] > 0.5 ? 1 : 0;
  }
  mesh.region_names = {"left", "right"};
  std::vector<std::pair<Facet<Dim>, group_t>> facets;
  for (index_t f = 0; f < box.n_facets(); ++f)
    if (f % 5 != 0) {
      Facet<Dim> nodes;
      for (int k = 0; k < Dim; ++k)
        nodes[k] = box.facets(f, k);
      facets.push_back({nodes, box.facet_groups(f)});
      std::swap(nodes[0], nodes[1]);
      if (f % 3 == 0)
        facets.push_back({nodes, group_t(1)});
    }
  for (const auto& [nodes, sides] : sides_of(mesh))
    if (sides.size() == 2) {
      facets.push_back({nodes, group_t(0)});
      break;
    }
  mesh.facets = decltype(mesh.facets)("test::facets", facets.size());
  mesh.facet_groups = decltype(mesh.facet_groups)("test::facet_groups", facets.size());
  for (std::size_t f = 0; f < facets.size(); ++f) {
    for (int k = 0; k < Dim; ++k)
      mesh.facets(f, k) = facets[f].first[k];
    mesh.facet_groups(f) = facets[f].second;
  }
  return mesh;
}

} // namespace tessera::test

#endif
