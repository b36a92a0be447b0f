// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "io/input/sections/sections.hpp"
#include "io/materials/material_patterns.hpp"

#include <algorithm>

namespace tessera::io::detail {

namespace {

/// "energy", "coenergy", "capacitance", "charge.<group>", "volume.<region>", of floating bodies "potential.<group>", of
/// coils "flux_linkage.<coil>" and "inductance.<coil>", of bodies "force.<body>.x", of matrices
/// "<matrix>.<row>.<column>"; of dg "mean", "mean.<region>" and fluxes through any boundary. dimension 0: unknown.
NameSet expected_names(const ProblemOptions& problem, const OutputOptions& output, bool is_dg, int dimension) {
  if (is_harmonic(problem.physics))
    return harmonic_names(problem, output, dimension);
  NameSet names = force_names(problem, output, dimension);
  if (problem.coupling == Coupling::losses_heat)
    for (const char* name : {"largest_temperature", "temperature_rise"})
      names.add(name);
  if (problem.time.stop.is_given)
    names.add("stop_time");
  if (is_dg) {
    names.add(name_of(Quantity::mean, problem.physics));
    for (const Material& material : problem.materials)
      names.add(name_of(Quantity::mean, problem.physics) + "." + material.region.name);
  }
  if (!is_dg)
    for (const RegionQuantity quantity : region_quantities)
      for (const Material& material : problem.materials)
        if (!name_of(quantity, problem.physics).empty())
          names.add(name_of(quantity, problem.physics) + "." + material.region.name);
  for (const PathQuantity quantity : path_quantities) {
    const std::string head = name_of(quantity, problem.physics);
    for (const Line& line : output.lines)
      if (is_of_lines(quantity) && !head.empty())
        names.add(head + "." + line.name);
    for (const SurfaceInput& surface : output.surfaces)
      if (is_of_surfaces(quantity) && !head.empty())
        names.add(head + "." + surface.name);
  }
  const bool of_all = is_dg && problem.physics != Physics::electrostatics;
  for (const Quantity quantity : {Quantity::energy, Quantity::losses, Quantity::coenergy, Quantity::capacitance,
                                  Quantity::resistance, Quantity::storage})
    if (!name_of(quantity, problem.physics).empty())
      names.add(name_of(quantity, problem.physics));
  if (!name_of(Quantity::charge, problem.physics).empty())
    for (const Boundary& boundary : problem.boundaries)
      if (of_all || is_conductor(boundary) || is_natural(boundary))
        names.add(name_of(Quantity::charge, problem.physics) + "." + boundary.group.name);
  for (const Boundary& boundary : problem.boundaries)
    if (boundary.kind == BoundaryKind::joint) {
      const PhysicsTraits& traits = traits_of(problem.physics);
      for (const std::string& head : {std::string(traits.total.name), std::string(traits.solution.name) + "_jump",
                                      std::string("joint_energy"), std::string("joint_losses")})
        names.add(head + "." + boundary.group.name);
    }
  for (const CoilInput& coil : problem.coils)
    for (const Quantity quantity : {Quantity::flux_linkage, Quantity::inductance})
      names.add(name_of(quantity, problem.physics) + "." + coil.name.name);
  for (const Boundary& boundary : problem.boundaries)
    if (boundary.kind == BoundaryKind::floating)
      names.add(name_of(BoundaryKind::value, problem.physics) + "." + boundary.group.name);
  const auto add_matrix = [&](Quantity quantity, const char* second, const std::vector<std::string>& members) {
    if (is_dg || !lists(output, quantity))
      return;
    for (const std::string& row : members)
      for (const std::string& column : members)
        for (const std::string& head : {name_of(quantity, problem.physics), std::string(second)})
          names.add(head + "." + row + "." + column);
  };
  std::vector<std::string> coils;
  for (const CoilInput& coil : problem.coils)
    coils.push_back(coil.name.name);
  add_matrix(Quantity::capacitance_matrix, traits_of(problem.physics).matrix.mutual,
             matrix_conductors(problem, output));
  add_matrix(Quantity::inductance_matrix, coupling, coils);
  return names;
}
/// Reads columns of probes' tables: probe, column, exact values.
void read_expected_probes(MapReader in, int dimension, Method method, const ProblemOptions& problem,
                          const OutputOptions& output, VerificationOptions& verification) {
  NameSet probes;
  for (const Probe& probe : output.probes)
    probes.add(probe.name);
  std::vector<std::string> columns;
  for (const auto& column :
       probe_columns(problem, method, dimension == 0 ? (has_vector_potential(problem.physics) ? 2 : 3) : dimension))
    columns.push_back(column.first);
  for (const std::string& probe : in.keys()) {
    if (!probes.has(probe))
      in.errors().add_unknown(in.location(probe), "probe of output.probes", probe, probes.list());
    MapReader table = in.map(probe);
    for (const std::string& column : table.keys()) {
      if (std::find(columns.begin(), columns.end(), column) == columns.end())
        in.errors().add_unknown(table.location(column), "column", column, columns);
      MapReader entry = table.map(column);
      ExpectedProbe expected;
      expected.where = entry.where();
      expected.probe = probe;
      expected.column = column;
      entry.require("exact", "the exact values along the probe");
      expected.exact = entry.scalar("exact", {});
      if (entry.has("exact") && expected.exact.is_constant && expected.exact.value == 0.)
        entry.fail("exact", "must not be zero: errors are relative to it.");
      expected.tolerance = entry.number("tolerance", 0., Range::non_negative());
      entry.finish();
      verification.probes.push_back(expected);
    }
    table.finish();
  }
}
} // namespace

NameSet force_names(const ProblemOptions& problem, const OutputOptions& output, int dimension) {
  NameSet names;
  for (const Body& body : output.bodies)
    for (const char* method : {"", "_wide"}) {
      const std::string end = std::string(method) + "." + body.name + ".";
      if (problem.symmetry == Symmetry::axisymmetric) {
        names.add("force" + end + "axial");
        continue;
      }
      for (const char direction : {'x', 'y', 'z'}) {
        if (dimension != 2 || direction != 'z')
          names.add("force" + end + direction);
        if (dimension != 2 || direction == 'z') // in 2D only the torque about the axis perpendicular to the plane
          names.add("torque" + end + direction);
      }
    }
  return names;
}

void read_verification(MapReader in, int dimension, const ProblemOptions& problem,
                       const DiscretizationOptions& discretization, const OutputOptions& output,
                       VerificationOptions& verification) {
  verification.has_exact = in.has("exact");
  verification.exact = in.scalar("exact", {});
  if (verification.has_exact && is_zero(verification.exact))
    in.fail("exact", "must not be zero: the error is relative to it. Probes show a field that has to vanish.");
  const std::vector<const YamlNode*> gradient = in.list("gradient");
  if (in.has("gradient") && in.find("gradient")->kind == YamlNode::Kind::sequence && gradient.empty())
    in.fail("gradient", "the list is empty.");
  for (std::size_t i = 0; i < gradient.size(); ++i)
    verification.gradient.push_back(
        read_scalar(*gradient[i], in.item_location("gradient", i, *gradient[i]), in.errors(), false));
  if (!gradient.empty() && dimension != 0 && gradient.size() != static_cast<std::size_t>(dimension))
    in.fail("gradient", "expected " + std::to_string(dimension) + " expressions, one per direction, found " +
                            std::to_string(gradient.size()) + ".");
  if (!gradient.empty() && !verification.has_exact)
    in.fail("gradient", "needs the key 'exact', too.");
  MapReader quantities = in.map("quantities");
  const NameSet known = expected_names(problem, output, discretization.method == Method::dg, dimension);
  for (const std::string& name : quantities.keys()) {
    ExpectedQuantity expected;
    expected.name = name;
    expected.where = quantities.location(name);
    if (!known.has(name) && !is_listed(known.list(), name)) // names with wildcards
      in.errors().add_unknown(expected.where, "quantity", name, known.list());
    check_listed(name, expected.where, problem, output, in.errors());
    MapReader entry = quantities.map(name);
    entry.require("value", "the exact value");
    expected.value = entry.number("value", 0.);
    if (entry.has("value") && expected.value == 0.)
      entry.fail("value", "must not be zero: the error is relative to it.");
    expected.tolerance = entry.number("tolerance", 0., Range::non_negative());
    entry.finish();
    verification.quantities.push_back(expected);
  }
  read_expected_probes(in.map("probes"), dimension, discretization.method, problem, output, verification);
  in.finish();
}
} // namespace tessera::io::detail
