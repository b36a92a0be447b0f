// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/model.hpp"

#include "core/error.hpp"
#include "driver/magnetic_model.hpp"

#include <algorithm>

namespace tessera::driver {

namespace {

std::string list_names(const std::vector<std::string>& names) {
  if (names.empty())
    return "none";
  std::string text;
  for (const std::string& name : names)
    text += (text.empty() ? "" : ", ") + name;
  return text;
}

int find_name(const std::vector<std::string>& names, const std::string& name) {
  const auto found = std::find(names.begin(), names.end(), name);
  return found == names.end() ? -1 : static_cast<int>(found - names.begin());
}

fe::PeriodicPair periodic_pair(const io::Boundary& boundary, const std::vector<std::string>& boundaries) {
  const io::PeriodicMap& map = boundary.periodic;
  const auto group_of = [&](const io::GroupName& name) {
    const int group = find_name(boundaries, name.name);
    TESSERA_REQUIRE(group >= 0, name.where.text()
                                    << ": '" << name.name
                                    << "' of a periodic pair is no boundary of the mesh. Its boundaries are: "
                                    << list_names(boundaries) << ".");
    return static_cast<group_t>(group);
  };
  fe::PeriodicPair pair;
  pair.group = group_of(boundary.group);
  pair.partner = group_of(map.with);
  pair.name = boundary.group.name;
  pair.partner_name = map.with.name;
  pair.is_antiperiodic = boundary.kind == io::BoundaryKind::antiperiodic;
  pair.map = map.kind == io::PeriodicMap::Kind::translation
                 ? fe::PeriodicPair::Map::translation
                 : (map.kind == io::PeriodicMap::Kind::rotation ? fe::PeriodicPair::Map::rotation
                                                                : fe::PeriodicPair::Map::automatic);
  pair.translation = map.translation;
  pair.angle = map.degrees * 3.14159265358979323846 / 180.;
  pair.center = map.center;
  return pair;
}

} // namespace

int region_of(const io::GroupName& name, const std::vector<std::string>& regions, const char* what) {
  const int region = find_name(regions, name.name);
  TESSERA_REQUIRE(region >= 0, name.where.text() << ": " << what << " is given for '" << name.name
                                                 << "', which is no region of the mesh. Its regions are: "
                                                 << list_names(regions) << ".");
  return region;
}

physics::Expression to_expression(const io::Scalar& scalar) {
  return scalar.is_constant ? physics::Expression(scalar.value) : physics::Expression::parse(scalar.text);
}

Model make_model(const io::Case& input, int dimension, const std::vector<std::string>& region_names,
                 const std::vector<std::string>& boundary_names) {
  const io::ProblemOptions& options = input.problem;
  Model model;
  model.form = choose_form(options).kind;
  const bool is_magnetic = model.form == FormKind::magnetic;
  if (is_magnetic) {
    TESSERA_REQUIRE(dimension == 2,
                    "problem.physics: magnetostatics needs a mesh of dimension 2, this one has " << dimension << ".");
    model.magnetic.emplace();
    model.magnetic->regions.resize(region_names.size());
  }
  physics::DiffusionProblem& problem = is_magnetic ? model.magnetic->medium : model.problem;
  problem.axisymmetric = options.symmetry == io::Symmetry::axisymmetric;
  TESSERA_REQUIRE(!problem.axisymmetric || dimension == 2,
                  "problem.symmetry: axisymmetric needs a mesh of dimension 2, this one has " << dimension << ".");
  problem.depth = dimension == 2 && !problem.axisymmetric ? options.depth : 1.;

  problem.regions.resize(region_names.size());
  std::vector<bool> has_material(region_names.size(), false);
  for (const io::Material& material : options.materials) {
    const int region = region_of(material.region, region_names, "a material");
    has_material[region] = true;
    if (is_magnetic) {
      set_magnetic_material(material, region, *model.magnetic);
      continue;
    }
    physics::RegionData& data = problem.regions[region];
    const auto& diagonal = material.coefficient.diagonal;
    TESSERA_REQUIRE(diagonal.size() == 1 || static_cast<int>(diagonal.size()) == dimension,
                    material.region.where.text() << ": a coefficient has one value or one per direction (" << dimension
                                                 << "), not " << diagonal.size() << ".");
    for (int d = 0; d < dimension; ++d)
      data.coefficient.push_back(to_expression(diagonal[diagonal.size() == 1 ? 0 : d]));
    data.coefficient_factor = options.physics == io::Physics::electrostatics ? physics::vacuum_permittivity : 1.;
  }
  for (std::size_t r = 0; r < region_names.size(); ++r)
    TESSERA_REQUIRE(has_material[r], options.materials_where.text()
                                         << ": region '" << region_names[r]
                                         << "' of the mesh has no material. The mesh's regions are: "
                                         << list_names(region_names) << ".");
  for (const io::Source& source : options.sources)
    problem.regions[region_of(source.region, region_names, "a source")].source = to_expression(source.density);
  if (is_magnetic)
    set_coils(options.coils, region_names, *model.magnetic);

  bool fixes_solution = false;
  for (const io::Boundary& boundary : options.boundaries) {
    const std::string& name = boundary.group.name;
    const int group = find_name(boundary_names, name);
    const int region = group >= 0 ? -1 : find_name(region_names, name);
    TESSERA_REQUIRE(group >= 0 || region >= 0, boundary.group.where.text()
                                                   << ": the mesh has no physical group '" << name
                                                   << "'. Its boundaries are: " << list_names(boundary_names)
                                                   << "; its regions are: " << list_names(region_names) << ".");
    if (boundary.kind == io::BoundaryKind::periodic || boundary.kind == io::BoundaryKind::antiperiodic) {
      model.periodic.push_back(periodic_pair(boundary, boundary_names));
      fixes_solution = fixes_solution || boundary.kind == io::BoundaryKind::antiperiodic;
      continue;
    }
    const bool is_natural = boundary.kind == io::BoundaryKind::flux || boundary.kind == io::BoundaryKind::robin ||
                            boundary.kind == io::BoundaryKind::asymptotic;
    TESSERA_REQUIRE(!is_natural || group >= 0,
                    boundary.group.where.text()
                        << ": '" << name << "' is a region; a " << io::name_of(boundary.kind, options.physics)
                        << " condition belongs on a boundary. Boundaries are: " << list_names(boundary_names) << ".");
    if (is_natural) {
      physics::NaturalData data;
      data.group = static_cast<group_t>(group);
      data.name = name;
      data.is_robin = boundary.kind == io::BoundaryKind::robin;
      if (data.is_robin) {
        data.alpha = to_expression(boundary.coefficient);
        data.reference = to_expression(boundary.reference);
        fixes_solution = fixes_solution || !(data.alpha.is_constant() && data.alpha.value() == 0.);
      } else if (boundary.kind == io::BoundaryKind::asymptotic) {
        data.alpha = asymptotic_coefficient(boundary);
        fixes_solution = true;
      } else if (is_magnetic) { // nu dA/dn = -H . t
        data.flux = -to_expression(boundary.value);
      } else {
        data.flux = to_expression(boundary.value);
      }
      problem.natural.push_back(data);
      continue;
    }
    fe::Constraint constraint;
    constraint.is_region = group < 0;
    constraint.group = static_cast<group_t>(group < 0 ? region : group);
    constraint.is_shared = boundary.kind == io::BoundaryKind::floating;
    constraint.total = boundary.total;
    model.constraints.push_back(constraint);
    model.constraint_names.push_back(name);
    model.fixed_values.push_back(constraint.is_shared ? physics::Expression() : to_expression(boundary.value));
    const physics::Expression& value = model.fixed_values.back();
    model.conductors.push_back({name, constraint.is_shared, !constraint.is_shared && value.is_constant(),
                                !constraint.is_shared && value.is_constant() ? value.value() : 0.});
    fixes_solution = fixes_solution || !constraint.is_shared;
  }
  if (is_magnetic && problem.axisymmetric) {
    // A_phi vanishes on the axis, whatever the input says of boundaries there.
    fe::Constraint axis;
    axis.is_axis = true;
    model.constraints.push_back(axis);
    model.constraint_names.push_back("axis");
    model.fixed_values.push_back(physics::Expression(0.));
    model.conductors.push_back({"axis", false, true, 0.});
    model.needs_axis = !fixes_solution;
    fixes_solution = true;
  }
  const std::string value_key = io::name_of(io::BoundaryKind::value, options.physics);
  TESSERA_REQUIRE(fixes_solution, options.boundaries_where.text()
                                      << ": nothing fixes the solution: at least one boundary needs a '" << value_key
                                      << "' (or a 'robin' condition with a coefficient above 0, or an 'antiperiodic' "
                                         "one). The mesh's boundaries are: "
                                      << list_names(boundary_names) << ".");
  return model;
}

} // namespace tessera::driver
