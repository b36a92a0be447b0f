// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/advice/checks.hpp"
#include "io/input/physics_traits.hpp"

#include <algorithm>

namespace tessera::driver {

namespace {

/// Number of facets of each boundary, and number of them on the axis.
struct FacetCounts {
  std::vector<std::size_t> all, on_axis;
};

FacetCounts count_facets(const io::ImportedMesh& mesh) {
  FacetCounts counts{std::vector<std::size_t>(mesh.boundary_names.size(), 0),
                     std::vector<std::size_t>(mesh.boundary_names.size(), 0)};
  double largest_radius = 0.;
  for (std::size_t node = 0; node < mesh.n_nodes(); ++node)
    largest_radius = std::max(largest_radius, mesh.coordinates[2 * node]);
  const auto is_on_axis = [&](index_t node) {
    // the same tolerance as for A = 0 there
    return mesh.coordinates[2 * static_cast<std::size_t>(node)] <= 1e-9 * largest_radius;
  };
  for (std::size_t f = 0; f < mesh.n_facets(); ++f) {
    ++counts.all[mesh.facet_groups[f]];
    if (is_on_axis(mesh.facets[2 * f]) && is_on_axis(mesh.facets[2 * f + 1]))
      ++counts.on_axis[mesh.facet_groups[f]];
  }
  return counts;
}

} // namespace

void axis_notes(const Facts& facts, Notes& notes) {
  using Kind = io::BoundaryKind;
  const io::ProblemOptions& problem = facts.input.problem;
  const io::ImportedMesh& mesh = *facts.mesh;
  if (problem.symmetry != io::Symmetry::axisymmetric || io::has_vector_potential(problem.physics))
    return;
  const FacetCounts counts = count_facets(mesh);
  for (const io::Boundary& boundary : problem.boundaries) {
    const auto name = std::find(mesh.boundary_names.begin(), mesh.boundary_names.end(), boundary.group.name);
    const auto group = static_cast<std::size_t>(name - mesh.boundary_names.begin());
    if (name == mesh.boundary_names.end() || counts.on_axis[group] == 0)
      continue;
    const bool is_whole = counts.on_axis[group] == counts.all[group];
    const std::string place = boundary.group.where.text() + ": " + (is_whole ? "" : "a part of ") + "'" +
                              boundary.group.name + "' lies on the axis (x = 0)";
    if (boundary.kind == Kind::value || boundary.kind == Kind::floating)
      notes.push_back(place + ", where " + (boundary.kind == Kind::value ? "a fixed " : "a floating ") +
                      io::traits_of(problem).solution.name +
                      " is that of a wire without thickness: its flow, and the field around, depend on the mesh alone. "
                      "Leave the axis without a condition, or give the wire a radius.");
    else if (is_whole &&
             (boundary.kind == Kind::flux || boundary.kind == Kind::robin || boundary.kind == Kind::radiation))
      notes.push_back(place + ", where nothing passes: its condition has no effect.");
  }
}

} // namespace tessera::driver
