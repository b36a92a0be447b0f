// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/problem/part_values.hpp"

#include <algorithm>
#include <array>

namespace tessera::driver {

namespace {

/// The largest of all processes' values with its place, where they have one.
void take_largest(const comm::Communicator& world, bool has, double sign, double& value, std::array<double, 3>& at) {
  struct Entry {
    int has;
    double value;
    double at[3];
  };
  const Entry own{has ? 1 : 0, value, {at[0], at[1], at[2]}};
  bool is_first = true;
  for (const Entry& entry : world.all_gather(own))
    if (entry.has == 1 && (is_first || sign * entry.value > sign * value)) {
      is_first = false;
      value = entry.value;
      at = {entry.at[0], entry.at[1], entry.at[2]};
    }
}

} // namespace

std::vector<physics::RegionValues> of_all_parts(const comm::Communicator& world,
                                                std::vector<physics::RegionValues> own) {
  if (world.is_alone())
    return own;
  for (physics::RegionValues& values : own) {
    const bool has = values.measure > 0.; // else it has no element of the region
    take_largest(world, has, -1., values.smallest, values.smallest_at);
    take_largest(world, has, 1., values.largest, values.largest_at);
    take_largest(world, has, 1., values.largest_field, values.largest_field_at);
    take_largest(world, has, 1., values.largest_flux, values.largest_flux_at);
    for (double* sum :
         {&values.measure, &values.integral, &values.field_integral, &values.flux_integral, &values.energy})
      *sum = world.added(*sum);
  }
  return own;
}

std::string why_not_in_parts(const io::Case& input) {
  const io::ProblemOptions& problem = input.problem;
  const io::OutputOptions& output = input.output;
  const auto has_boundary = [&](auto... kinds) {
    return std::any_of(problem.boundaries.begin(), problem.boundaries.end(),
                       [&](const io::Boundary& boundary) { return ((boundary.kind == kinds) || ...); });
  };
  using Kind = io::BoundaryKind;
  if (input.discretization.method == io::Method::dg)
    return "elements of discretization.method: dg";
  if (input.mesh.source != io::MeshSource::box)
    return "meshes but those of mesh.box";
  if (input.mesh.refine > 0)
    return "mesh.refine; give the box more cells instead";
  if (input.mesh.ordering != io::Ordering::morton)
    return "mesh.ordering: none";
  if (input.execution.partition == io::Partition::metis)
    return "execution.partition: metis";
  if (problem.physics == io::Physics::magnetostatics || problem.symmetry == io::Symmetry::axisymmetric)
    return "magnetostatics and axisymmetric problems";
  if (has_boundary(Kind::floating, Kind::periodic, Kind::antiperiodic))
    return "floating, periodic and antiperiodic boundaries";
  if (has_boundary(Kind::radiation, Kind::asymptotic))
    return "radiation and asymptotic boundaries";
  if (!problem.point_sources.empty())
    return "point sources";
  if (input.solver.multigrid_given && input.solver.multigrid.type == solvers::MultigridType::geometric)
    return "solver.multigrid.type: geometric; use algebraic";
  if (!output.fields.empty() || output.recovered)
    return "files of fields; set output.fields: []";
  if (!output.probes.empty() || !output.lines.empty() || !output.surfaces.empty() || !output.bodies.empty())
    return "probes, lines, surfaces and bodies";
  for (const io::Quantity quantity : output.quantities)
    if (quantity != io::Quantity::energy && quantity != io::Quantity::losses && quantity != io::Quantity::charge &&
        quantity != io::Quantity::capacitance && quantity != io::Quantity::resistance &&
        quantity != io::Quantity::regions)
      return "the quantity " + io::name_of(quantity, problem.physics);
  return "";
}

} // namespace tessera::driver
