// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/dg/advection_binding.hpp"

#include "driver/mesh/box_groups.hpp"
#include "driver/problem/binding/input_values.hpp"
#include "io/input/map_reader.hpp"
#include "physics/forms/diffusion_problem.hpp"

#include <vector>

namespace tessera::driver {

namespace {

physics::Expression scaled(const io::Scalar& scalar, double factor) {
  if (factor == 1.)
    return to_expression(scalar);
  if (scalar.is_constant)
    return physics::Expression(factor * scalar.value);
  return parse_around(scalar, "(" + scalar.text + ")*" + io::number_text(factor));
}

/// The upper triangle row by row, from diagonal and off-diagonal entries.
std::vector<physics::Expression> tensor(const io::Coefficient& coefficient, double factor) {
  std::vector<physics::Expression> entries;
  const std::size_t n = coefficient.diagonal.size();
  std::size_t next = 0;
  for (std::size_t i = 0; i < n; ++i) {
    entries.push_back(scaled(coefficient.diagonal[i], factor));
    if (!coefficient.off_diagonal.empty())
      for (std::size_t j = i + 1; j < n; ++j)
        entries.push_back(scaled(coefficient.off_diagonal[next++], factor));
  }
  return entries;
}

} // namespace

physics::AdvectionDiffusionReaction bind_advection(const io::Case& input, const io::ImportedMesh& imported) {
  const bool is_box = input.mesh.source == io::MeshSource::box;
  const io::JoinedGroups groups = is_box ? box_groups(input.mesh) : io::JoinedGroups();
  const auto& regions = is_box ? groups.regions.names : imported.region_names;
  const auto& boundaries = is_box ? groups.boundaries.names : imported.boundary_names;
  const io::ProblemOptions& options = input.problem;
  const double factor = options.physics == io::Physics::electrostatics ? physics::vacuum_permittivity : 1.;

  physics::AdvectionDiffusionReaction problem;
  problem.regions.resize(regions.size());
  for (const io::Material& material : options.materials) {
    physics::AdvectionRegion& region = problem.regions[find_name(regions, material.region.name)];
    region.diffusion = tensor(material.coefficient, factor);
    for (const io::Scalar& component : material.velocity)
      region.advection.push_back(to_expression(component));
    region.reaction = to_expression(material.reaction);
    region.where = material.region.where.text();
    region.initial = to_expression(options.time.initial);
  }
  for (const io::Source& source : options.sources)
    problem.regions[find_name(regions, source.region.name)].source = to_expression(source.density);
  io::InputErrors errors;
  for (const io::Boundary& boundary : options.boundaries) {
    const int group = find_name(boundaries, boundary.group.name);
    if (group < 0)
      errors.add(boundary.group.where, "'" + boundary.group.name +
                                           "' is a region; conditions of dg belong on boundaries. Boundaries are: " +
                                           io::joined(boundaries) + ".");
    problem.boundaries.push_back({static_cast<group_t>(group), boundary.group.name,
                                  boundary.kind == io::BoundaryKind::value ? physics::AdvectionCondition::dirichlet
                                                                           : physics::AdvectionCondition::neumann,
                                  to_expression(boundary.value), boundary.group.where.text()});
  }
  errors.throw_if_any();
  return problem;
}

} // namespace tessera::driver
