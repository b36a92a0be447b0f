// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/problem/boundary_neighbours.hpp"

#include "driver/problem/input_values.hpp"
#include "io/map_reader.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

namespace tessera::driver {

namespace {

using Vertices = std::array<index_t, 3>;

/// Sorted vertices of a facet or of the side of an element: `count` nodes from `first` on, without the one at `but`.
Vertices vertices_of(const std::vector<index_t>& nodes, std::size_t first, std::size_t count, std::size_t but) {
  Vertices vertices{-1, -1, -1};
  std::size_t k = 0;
  for (std::size_t a = 0; a < count; ++a)
    if (a != but)
      vertices[k++] = nodes[first + a];
  std::sort(vertices.begin(), vertices.end());
  return vertices;
}

} // namespace

BoundaryNeighbours find_boundary_neighbours(const io::ImportedMesh& mesh, const std::vector<bool>& asked) {
  const auto n = static_cast<std::size_t>(mesh.dimension);
  std::map<Vertices, std::pair<group_t, int>> facets; // group, number of elements
  std::vector<bool> is_at_facet(mesh.n_nodes(), false);
  for (std::size_t f = 0; f < mesh.n_facets(); ++f)
    if (asked[mesh.facet_groups[f]]) {
      facets.emplace(vertices_of(mesh.facets, f * n, n, n), std::make_pair(mesh.facet_groups[f], 0));
      for (std::size_t a = 0; a < n; ++a)
        is_at_facet[static_cast<std::size_t>(mesh.facets[f * n + a])] = true;
    }
  const auto may_have_facet = [&](std::size_t element) { // most have none, and nothing is sought
    const auto first = mesh.elements.begin() + static_cast<std::ptrdiff_t>(element * (n + 1));
    return std::count_if(first, first + static_cast<std::ptrdiff_t>(n + 1), [&](index_t node) {
             return is_at_facet[static_cast<std::size_t>(node)];
           }) >= static_cast<std::ptrdiff_t>(n);
  };
  BoundaryNeighbours neighbours{
      std::vector<bool>(asked.size(), false),
      std::vector<std::vector<bool>>(asked.size(), std::vector<bool>(mesh.region_names.size(), false))};
  for (std::size_t e = 0; e < mesh.n_elements() && !facets.empty(); ++e) {
    if (!may_have_facet(e))
      continue;
    for (std::size_t a = 0; a <= n; ++a) {
      const auto found = facets.find(vertices_of(mesh.elements, e * (n + 1), n + 1, a));
      if (found == facets.end())
        continue;
      auto& [group, n_elements] = found->second;
      neighbours.regions[group][mesh.regions[e]] = true;
      if (++n_elements == 2)
        neighbours.is_inner[group] = true;
    }
  }
  return neighbours;
}

void check_outer_conditions(const io::Case& input, const io::ImportedMesh& imported) {
  if (input.mesh.source == io::MeshSource::box) // has no interfaces and no circles
    return;
  const std::vector<std::string>& names = imported.boundary_names;
  std::vector<bool> asked(names.size(), false);
  const auto ask = [&](const std::string& name) {
    if (const int group = find_name(names, name); group >= 0)
      asked[static_cast<std::size_t>(group)] = true;
  };
  for (const io::Boundary& boundary : input.problem.boundaries) {
    if (is_periodic(boundary) || boundary.kind == io::BoundaryKind::asymptotic)
      ask(boundary.group.name);
    if (is_periodic(boundary))
      ask(boundary.periodic.with.name);
  }
  const BoundaryNeighbours neighbours = find_boundary_neighbours(imported, asked);
  io::InputErrors errors;
  const auto check_outer = [&](const io::GroupName& group, const std::string& condition) {
    if (const int number = find_name(names, group.name);
        number >= 0 && neighbours.is_inner[static_cast<std::size_t>(number)])
      errors.add(group.where,
                 condition + ", but '" + group.name + "' has elements on both sides. Give it to the outer boundary.");
  };
  for (const io::Boundary& boundary : input.problem.boundaries) {
    if (is_periodic(boundary)) {
      const std::string condition = "at a periodic or antiperiodic boundary the field goes on from its partner";
      check_outer(boundary.group, condition);
      check_outer({boundary.periodic.with.name, boundary.group.where}, condition);
    }
    if (boundary.kind != io::BoundaryKind::asymptotic)
      continue;
    const std::string condition = "an asymptotic condition stands for all space outside of the mesh";
    check_outer(boundary.group, condition);
    const int number = find_name(names, boundary.group.name);
    for (std::size_t region = 0; number >= 0 && region < imported.region_names.size(); ++region)
      if (neighbours.regions[static_cast<std::size_t>(number)][region] &&
          io::shell_of(input.problem, imported.region_names[region]) != nullptr)
        errors.add(boundary.group.where, condition + ", but so does the shell '" + imported.region_names[region] +
                                             "', which '" + boundary.group.name + "' bounds. Take one of them.");
  }
  errors.throw_if_any();
}

} // namespace tessera::driver
