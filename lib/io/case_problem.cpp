// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "io/case_sections.hpp"

#include <algorithm>

namespace tessera::io::detail {

namespace {

Physics read_physics(MapReader& in, int dimension) {
  const YamlNode* node = in.require("physics", "one of " + joined(spellings<Physics>()));
  if (node == nullptr)
    return Physics::electrostatics;
  // It is part of the format, so that nobody thinks of a typing error.
  if (node->text == "advection-diffusion-reaction") {
    in.fail("physics",
            node->text + " is not available in this version. Available: " + joined(spellings<Physics>()) + ".");
    return Physics::electrostatics;
  }
  const Physics physics = in.choice("physics", Physics::electrostatics);
  if (physics == Physics::magnetostatics && dimension == 3)
    in.fail("physics", "magnetostatics needs a mesh of dimension 2 in this version; this one has 3.");
  return physics;
}

Coefficient read_coefficient(MapReader& in, const std::string& key, int dimension) {
  Coefficient coefficient;
  const YamlNode* node = in.require(key, "a number, an expression, or one of them per direction");
  if (node == nullptr)
    return coefficient;
  if (node->kind != YamlNode::Kind::sequence) {
    coefficient.diagonal.push_back(read_scalar(*node, in.location(key), in.errors(), false, Range::positive()));
    return coefficient;
  }
  const std::size_t n = node->items.size();
  if (dimension != 0 ? n != static_cast<std::size_t>(dimension) : (n != 2 && n != 3))
    in.fail(key, "expected one value or a list of " + (dimension != 0 ? std::to_string(dimension) : "2 or 3") +
                     ", one per direction, found a list of " + std::to_string(n) + ".");
  for (std::size_t k = 0; k < n; ++k)
    coefficient.diagonal.push_back(
        read_scalar(node->items[k], location_of(node->items[k], in.join(key) + "[" + std::to_string(k) + "]"),
                    in.errors(), false, Range::positive()));
  return coefficient;
}

/// The partner of a periodic boundary: its name, or a map that says how it lies.
PeriodicMap read_periodic(MapReader& in, const std::string& key, const GroupName& group, int dimension) {
  PeriodicMap map;
  const YamlNode& node = *in.find(key);
  if (node.kind == YamlNode::Kind::scalar) {
    map.with = {in.text(key, ""), in.location(key)};
  } else {
    MapReader periodic = in.map(key);
    periodic.require("with", "the boundary with the same values");
    map.with = {periodic.text("with", ""), periodic.location("with")};
    const bool has_translation = periodic.has("translation");
    const bool has_rotation = periodic.has("rotation");
    if (has_translation && has_rotation)
      periodic.fail("either a translation or a rotation leads to the other boundary, not both.");
    if (has_translation) {
      map.kind = PeriodicMap::Kind::translation;
      const std::vector<double> vector =
          periodic.numbers("translation", dimension == 3 ? 3 : 2, dimension == 2 ? 2 : 3);
      std::copy(vector.begin(), vector.end(), map.translation.begin());
    }
    if (has_rotation) {
      map.kind = PeriodicMap::Kind::rotation;
      map.degrees = periodic.number("rotation", 0.);
      map.center = read_pair(periodic, "center", {0., 0.});
      if (dimension == 3)
        periodic.fail("rotation", "needs a mesh of dimension 2; in 3D boundaries are identified by translation.");
    } else if (periodic.has("center")) {
      periodic.fail("center", "goes with a rotation.");
    }
    periodic.finish();
  }
  if (map.with.name == group.name)
    in.fail(key, "a boundary cannot be " + key + " with itself.");
  return map;
}

Boundary read_boundary(MapReader in, const GroupName& group, const ProblemOptions& problem, int dimension) {
  Boundary boundary;
  boundary.group = group;
  std::vector<std::string> kinds;
  std::vector<std::string> given;
  for (const BoundaryKind kind : boundary_kinds) {
    const std::string name = name_of(kind, problem.physics);
    if (name.empty())
      continue;
    kinds.push_back(name);
    if (in.has(name)) {
      given.push_back(name);
      boundary.kind = kind;
    }
  }
  if (given.size() == 1) {
    switch (boundary.kind) {
    case BoundaryKind::value:
    case BoundaryKind::flux:
      boundary.value = in.scalar(given[0], {});
      break;
    case BoundaryKind::robin: {
      MapReader robin = in.map("robin");
      robin.require("coefficient", "a number or an expression");
      robin.require("reference", "a number or an expression");
      boundary.coefficient = robin.scalar("coefficient", {}, Range::non_negative());
      boundary.reference = robin.scalar("reference", {});
      robin.finish();
      break;
    }
    case BoundaryKind::floating: {
      MapReader floating = in.map(given[0]);
      const std::string total = problem.physics == Physics::electrostatics ? "charge" : "total_flux";
      floating.require(total, "a number");
      boundary.total = floating.number(total, 0.);
      floating.finish();
      break;
    }
    case BoundaryKind::asymptotic: {
      MapReader asymptotic = in.map(given[0]);
      boundary.center = read_center(asymptotic, problem.symmetry);
      boundary.order = asymptotic.integer("order", boundary.order, 1, 10);
      asymptotic.finish();
      break;
    }
    case BoundaryKind::periodic:
    case BoundaryKind::antiperiodic:
      boundary.periodic = read_periodic(in, given[0], group, dimension);
      break;
    }
  }
  in.finish();
  if (given.size() != 1)
    in.fail("exactly one of " + joined(kinds) + " is needed, found " + joined(given) + ".");
  return boundary;
}

bool is_periodic(const Boundary& boundary) {
  return boundary.kind == BoundaryKind::periodic || boundary.kind == BoundaryKind::antiperiodic;
}

/// The same two boundaries must not be paired from both sides: one of the two maps would be redundant at best.
void check_pairs(const std::vector<Boundary>& boundaries, InputErrors& errors) {
  for (std::size_t i = 0; i < boundaries.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (is_periodic(boundaries[i]) && is_periodic(boundaries[j]) &&
          boundaries[i].periodic.with.name == boundaries[j].group.name &&
          boundaries[j].periodic.with.name == boundaries[i].group.name)
        errors.add(boundaries[i].group.where, "is paired with '" + boundaries[j].group.name + "' already, in line " +
                                                  std::to_string(boundaries[j].group.where.line) +
                                                  "; give each pair once.");
}

} // namespace

void read_problem(MapReader in, const std::string& folder, int dimension, ProblemOptions& problem) {
  problem.physics = read_physics(in, dimension);
  problem.symmetry = in.choice("symmetry", problem.symmetry);
  if (problem.symmetry == Symmetry::axisymmetric && dimension == 3)
    in.fail("symmetry", "axisymmetric needs a mesh of dimension 2 (x is the radius, y the axis); this one has 3.");
  problem.depth = in.number("depth", problem.depth, Range::positive());
  if (in.has("depth") && (problem.symmetry == Symmetry::axisymmetric || dimension == 3))
    in.fail("depth", "applies to planar problems of dimension 2 only.");

  const bool magnetic = problem.physics == Physics::magnetostatics;
  in.require("materials", "by region of the mesh");
  MapReader materials = in.map("materials");
  problem.materials_where = materials.where();
  if (magnetic)
    read_magnetic_materials(materials, folder, problem);
  else
    for (const std::string& region : materials.keys()) {
      MapReader entry = materials.map(region);
      Material material;
      material.region = {region, entry.where()};
      material.coefficient = read_coefficient(entry, coefficient_name(problem.physics), dimension);
      entry.finish();
      problem.materials.push_back(std::move(material));
    }

  MapReader sources = in.map("sources");
  const std::string density = source_name(problem.physics);
  for (const std::string& region : sources.keys()) {
    MapReader entry = sources.map(region);
    entry.require(density, "a number or an expression");
    problem.sources.push_back({{region, entry.where()}, entry.scalar(density, {})});
    entry.finish();
  }
  if (magnetic)
    read_coils(in.map("coils"), problem);
  else if (in.has("coils"))
    in.fail("coils", "applies to magnetostatics only.");

  in.require("boundaries", "by boundary or region of the mesh");
  MapReader boundaries = in.map("boundaries");
  problem.boundaries_where = boundaries.where();
  bool determined = magnetic && problem.symmetry == Symmetry::axisymmetric; // by A = 0 on the axis
  for (const std::string& group : boundaries.keys()) {
    MapReader entry = boundaries.map(group);
    problem.boundaries.push_back(read_boundary(entry, {group, entry.where()}, problem, dimension));
    const BoundaryKind kind = problem.boundaries.back().kind;
    determined = determined || kind == BoundaryKind::value || kind == BoundaryKind::robin ||
                 kind == BoundaryKind::asymptotic || kind == BoundaryKind::antiperiodic;
  }
  check_pairs(problem.boundaries, in.errors());
  if (in.has("boundaries") && !determined)
    boundaries.fail("no boundary has a " + name_of(BoundaryKind::value, problem.physics) + ", " +
                    (magnetic ? "an asymptotic" : "a robin") +
                    " or an antiperiodic condition; without one the solution is undetermined.");
  in.finish();
}

} // namespace tessera::io::detail
