// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "io/case_sections.hpp"

#include <algorithm>

namespace tessera::io::detail {

namespace {

Physics read_physics(MapReader& in) {
  const YamlNode* node = in.require("physics", "one of " + joined(spellings<Physics>()));
  if (node == nullptr)
    return Physics::electrostatics;
  // These are part of the format, so that nobody thinks of a typing error.
  for (const char* planned : {"magnetostatics", "advection-diffusion-reaction"})
    if (node->text == planned) {
      in.fail("physics", std::string(planned) +
                             " is not available in this version. Available: " + joined(spellings<Physics>()) + ".");
      return Physics::electrostatics;
    }
  return in.choice("physics", Physics::electrostatics);
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

Boundary read_boundary(MapReader in, const GroupName& group, Physics physics) {
  Boundary boundary;
  boundary.group = group;
  std::vector<std::string> kinds;
  std::vector<std::string> given;
  for (const BoundaryKind kind :
       {BoundaryKind::value, BoundaryKind::flux, BoundaryKind::robin, BoundaryKind::floating}) {
    const std::string name = name_of(kind, physics);
    kinds.push_back(name);
    if (in.has(name)) {
      given.push_back(name);
      boundary.kind = kind;
    }
  }
  if (given.size() == 1) {
    if (boundary.kind == BoundaryKind::robin) {
      MapReader robin = in.map("robin");
      robin.require("coefficient", "a number or an expression");
      robin.require("reference", "a number or an expression");
      boundary.coefficient = robin.scalar("coefficient", {}, Range::non_negative());
      boundary.reference = robin.scalar("reference", {});
      robin.finish();
    } else if (boundary.kind == BoundaryKind::floating) {
      MapReader floating = in.map(given[0]);
      const std::string total = physics == Physics::electrostatics ? "charge" : "total_flux";
      floating.require(total, "a number");
      boundary.total = floating.number(total, 0.);
      floating.finish();
    } else {
      boundary.value = in.scalar(given[0], {});
    }
  }
  in.finish();
  if (given.size() != 1)
    in.fail("exactly one of " + joined(kinds) + " is needed, found " + joined(given) + ".");
  return boundary;
}

} // namespace

void read_problem(MapReader in, int dimension, ProblemOptions& problem) {
  problem.physics = read_physics(in);
  const bool electric = problem.physics == Physics::electrostatics;
  problem.symmetry = in.choice("symmetry", problem.symmetry);
  if (problem.symmetry == Symmetry::axisymmetric && dimension == 3)
    in.fail("symmetry", "axisymmetric needs a mesh of dimension 2 (x is the radius, y the axis); this one has 3.");
  problem.depth = in.number("depth", problem.depth, Range::positive());
  if (in.has("depth") && (problem.symmetry == Symmetry::axisymmetric || dimension == 3))
    in.fail("depth", "applies to planar problems of dimension 2 only.");

  in.require("materials", "by region of the mesh");
  MapReader materials = in.map("materials");
  problem.materials_where = materials.where();
  const std::string coefficient = electric ? "relative_permittivity" : "diffusivity";
  for (const std::string& region : materials.keys()) {
    MapReader entry = materials.map(region);
    problem.materials.push_back({{region, entry.where()}, read_coefficient(entry, coefficient, dimension)});
    entry.finish();
  }

  MapReader sources = in.map("sources");
  const std::string density = electric ? "charge_density" : "source";
  for (const std::string& region : sources.keys()) {
    MapReader entry = sources.map(region);
    entry.require(density, "a number or an expression");
    problem.sources.push_back({{region, entry.where()}, entry.scalar(density, {})});
    entry.finish();
  }

  in.require("boundaries", "by boundary or region of the mesh");
  MapReader boundaries = in.map("boundaries");
  problem.boundaries_where = boundaries.where();
  bool determined = false;
  for (const std::string& group : boundaries.keys()) {
    MapReader entry = boundaries.map(group);
    problem.boundaries.push_back(read_boundary(entry, {group, entry.where()}, problem.physics));
    const BoundaryKind kind = problem.boundaries.back().kind;
    determined = determined || kind == BoundaryKind::value || kind == BoundaryKind::robin;
  }
  if (in.has("boundaries") && !determined)
    boundaries.fail("no boundary has a " + name_of(BoundaryKind::value, problem.physics) +
                    " or a robin condition; without one the solution is undetermined.");
  in.finish();
}

} // namespace tessera::io::detail
