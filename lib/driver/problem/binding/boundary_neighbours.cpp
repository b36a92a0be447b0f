// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/problem/binding/boundary_neighbours.hpp"

#include "driver/mesh/sorted_vertices.hpp"
#include "driver/problem/binding/input_values.hpp"
#include "io/input/map_reader.hpp"

#include <algorithm>
#include <array>
#include <map>

namespace tessera::driver {

BoundaryNeighbours find_boundary_neighbours(const io::ImportedMesh& mesh, const std::vector<bool>& requested) {
  const auto n = static_cast<std::size_t>(mesh.dimension);
  struct Facet {
    std::vector<group_t> groups;  ///< requested groups that contain it
    std::vector<group_t> regions; ///< of the elements on its sides
  };
  std::map<SortedVertices, Facet> facets;
  std::vector<bool> is_at_facet(mesh.n_nodes(), false);
  for (std::size_t f = 0; f < mesh.n_facets(); ++f)
    if (requested[mesh.facet_groups[f]]) {
      facets[sorted_vertices(mesh.facets, f * n, n, n)].groups.push_back(mesh.facet_groups[f]);
      for (std::size_t a = 0; a < n; ++a)
        is_at_facet[static_cast<std::size_t>(mesh.facets[f * n + a])] = true;
    }
  const auto may_have_facet = [&](std::size_t element) { // most elements have none, and need no search
    const auto first = mesh.elements.begin() + static_cast<std::ptrdiff_t>(element * (n + 1));
    return std::count_if(first, first + static_cast<std::ptrdiff_t>(n + 1), [&](index_t node) {
             return is_at_facet[static_cast<std::size_t>(node)];
           }) >= static_cast<std::ptrdiff_t>(n);
  };
  BoundaryNeighbours neighbours{
      std::vector<bool>(requested.size(), false),
      std::vector<bool>(requested.size(), false),
      std::vector<bool>(requested.size(), false),
      std::vector<group_t>(requested.size()),
      std::vector<std::array<group_t, 2>>(requested.size()),
      std::vector<std::vector<bool>>(requested.size(), std::vector<bool>(mesh.region_names.size(), false))};
  for (std::size_t e = 0; e < mesh.n_elements() && !facets.empty(); ++e) {
    if (!may_have_facet(e))
      continue;
    for (std::size_t a = 0; a <= n; ++a)
      if (const auto found = facets.find(sorted_vertices(mesh.elements, e * (n + 1), n + 1, a)); found != facets.end())
        found->second.regions.push_back(mesh.regions[e]);
  }
  for (const auto& [vertices, facet] : facets)
    for (const group_t group : facet.groups) {
      for (const group_t region : facet.regions)
        neighbours.regions[group][region] = true;
      if (facet.regions.size() == 1)
        neighbours.is_outer[group] = true;
      if (facet.regions.size() >= 2 && facet.regions[0] == facet.regions[1]) {
        neighbours.is_within[group] = true;
        neighbours.within[group] = facet.regions[0];
      }
      if (facet.regions.size() >= 2 && !neighbours.is_inner[group]) {
        neighbours.is_inner[group] = true;
        neighbours.between[group] = {facet.regions[0], facet.regions[1]};
      }
    }
  return neighbours;
}

namespace {

/// "'joint' lies between 'chip' and 'sink'"
std::string place_within(const BoundaryNeighbours& neighbours, std::size_t group, const io::ImportedMesh& mesh) {
  const auto [first, second] = neighbours.between[group];
  const std::string part = neighbours.is_outer[group] ? " in part" : "";
  return "'" + mesh.boundary_names[group] + "' lies" + part +
         (first == second ? " within '" + mesh.region_names[first] + "'"
                          : " between '" + mesh.region_names[first] + "' and '" + mesh.region_names[second] + "'");
}

/// The conditions that are a resistance between two parts.
std::string joint_instead(const io::Case& input) {
  switch (input.problem.physics) {
  case io::Physics::heat:
  case io::Physics::current_flow:
    return " (that is contact: {resistance: ...} or {conductance: ...} alone, or layer)";
  case io::Physics::electrostatics:
  case io::Physics::diffusion:
    return " (that is layer)";
  default:
    return "";
  }
}

/// Why a condition belongs on the outside of the mesh; empty: it may be within it.
std::string why_outside(const io::Case& input, const io::Boundary& boundary) {
  if (boundary.impedance)
    return "an impedance stands for a conductor behind the boundary, which is left out of the mesh";
  switch (boundary.kind) {
  case io::BoundaryKind::periodic:
  case io::BoundaryKind::antiperiodic:
    return "at a periodic or antiperiodic boundary the field continues from its partner";
  case io::BoundaryKind::robin:
  case io::BoundaryKind::radiation:
    return "a " + io::name_of(boundary.kind, input.problem.physics) +
           " condition represents the surroundings of the mesh: within it, it would be a sink, not a resistance "
           "between two parts" +
           joint_instead(input);
  case io::BoundaryKind::asymptotic:
    return "an asymptotic condition represents all space outside of the mesh";
  case io::BoundaryKind::joint:
    return "";
  default:
    return input.discretization.method == io::Method::dg ? "with dg, conditions belong on the outside of the mesh" : "";
  }
}

} // namespace

namespace {

/// Checks that all facets of a joint lie between two regions.
void check_joint(const io::Case& input, const io::Boundary& joint, const BoundaryNeighbours& neighbours,
                 const io::ImportedMesh& mesh, io::InputErrors& errors) {
  const int group = find_name(mesh.boundary_names, joint.group.name);
  if (group < 0)
    return; // reported
  const auto g = static_cast<std::size_t>(group);
  const std::string what = "a joint ('" + joint.joint.key() + "') is a resistance between two parts, but ";
  const std::string robin = io::name_of(io::BoundaryKind::robin, input.problem.physics);
  if (neighbours.is_outer[g])
    errors.add(joint.group.where,
               what + "'" + joint.group.name + "' bounds the mesh" + (neighbours.is_inner[g] ? " in part" : "") +
                   ". Give it to an interface; on the outside the condition is " + robin + " with the key '" +
                   io::traits_of(input.problem.physics).boundaries.robin_reference + "'.");
  else if (neighbours.is_within[g])
    errors.add(joint.group.where, what + "'" + joint.group.name + "' lies at least in part within '" +
                                      mesh.region_names[neighbours.within[g]] +
                                      "'. Make its two sides regions of the mesh.");
}

} // namespace

void check_outer_conditions(const io::Case& input, const io::ImportedMesh& imported) {
  if (input.mesh.source == io::MeshSource::box) // has no interfaces and no circles
    return;
  const std::vector<std::string>& names = imported.boundary_names;
  std::vector<bool> requested(names.size(), false);
  const auto ask = [&](const std::string& name) {
    if (const int group = find_name(names, name); group >= 0)
      requested[static_cast<std::size_t>(group)] = true;
  };
  for (const io::Boundary& boundary : input.problem.boundaries)
    if (boundary.kind == io::BoundaryKind::joint || !why_outside(input, boundary).empty()) {
      ask(boundary.group.name);
      ask(boundary.periodic.with.name);
    }
  const BoundaryNeighbours neighbours = find_boundary_neighbours(imported, requested);
  io::InputErrors errors;
  const auto check_outer = [&](const io::GroupName& group, const std::string& condition) {
    if (const int number = find_name(names, group.name);
        number >= 0 && neighbours.is_inner[static_cast<std::size_t>(number)])
      errors.add(group.where, condition + ", but " +
                                  place_within(neighbours, static_cast<std::size_t>(number), imported) +
                                  ". Give it to the outside of the mesh.");
  };
  for (const io::Boundary& boundary : input.problem.boundaries) {
    if (boundary.kind == io::BoundaryKind::joint)
      check_joint(input, boundary, neighbours, imported, errors);
    const std::string condition = why_outside(input, boundary);
    if (condition.empty())
      continue;
    check_outer(boundary.group, condition);
    if (is_periodic(boundary))
      check_outer({boundary.periodic.with.name, boundary.group.where}, condition);
    if (boundary.kind != io::BoundaryKind::asymptotic)
      continue;
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
