// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "io/input/resolved.hpp"

#include "io/input/temperature.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iterator>

namespace tessera::io {

namespace {

std::vector<double> first(const std::array<double, 3>& from, int n) { return {from.begin(), from.begin() + n}; }

std::vector<double> pair(const std::array<double, 2>& from) { return {from[0], from[1]}; }

std::string mesh_path(const std::string& path, const std::string& directory) {
  namespace fs = std::filesystem;
  const fs::path absolute = fs::absolute(path).lexically_normal();
  if (directory.empty())
    return absolute.string();
  // Resolves symbolic links: ".." after a link leads elsewhere.
  std::error_code error;
  const fs::path mesh = fs::weakly_canonical(absolute, error);
  const fs::path folder = error ? fs::path() : fs::weakly_canonical(fs::absolute(directory), error);
  const fs::path root = mesh.root_path();
  const bool share = !error && !folder.empty() && mesh.parent_path() != root && folder != root &&
                     *std::next(mesh.begin()) == *std::next(folder.begin());
  return share ? mesh.lexically_relative(folder).string() : absolute.string();
}

/// As many as in the input; dimension 0: unknown.
std::vector<double> coordinates(const std::array<double, 3>& point, int dimension) {
  return first(point, dimension == 0 && std::isnan(point[2]) ? 2 : dimension == 2 ? 2 : 3);
}

void write_points(const std::vector<std::array<double, 3>>& points, int dimension, ReportNode& out) {
  for (const std::array<double, 3>& point : points)
    out.append() = coordinates(point, dimension);
}

void write_group(const NamedGroup& group, int dimension, ReportNode& out) {
  if (!group.members.empty())
    out["names"] = group.members;
  if (!group.inside.empty())
    write_points(group.inside, dimension, out["at"]);
  if (!group.near.empty())
    write_points(group.near, dimension, out["near"]);
  if (group.outside && group.outside_of.empty())
    out["outside"] = true;
  else if (group.outside)
    out["outside"] = group.outside_of;
  if (!group.except.empty())
    out["except"] = group.except;
}

void write_mesh(const MeshOptions& mesh, const std::string& directory, ReportNode& out) {
  if (mesh.source == MeshSource::box) {
    ReportNode& box = out["box"].flow();
    for (int k = 0; k < mesh.dimension; ++k)
      box["cells"].flow().append() = mesh.box.cells[static_cast<std::size_t>(k)];
    box["lower"] = first(mesh.box.lower, mesh.dimension);
    box["upper"] = first(mesh.box.upper, mesh.dimension);
  } else {
    out[name_of(mesh.source)] = mesh_path(mesh.path, directory);
  }
  if (mesh.dimension != 0)
    out["dimension"] = mesh.dimension;
  if (mesh.source == MeshSource::geometry) {
    out["parameters"].set_map().flow();
    for (const auto& parameter : mesh.parameters)
      out["parameters"][parameter.first] = parameter.second;
    for (const auto& size : mesh.sizes)
      out["sizes"].flow()[size.first] = size.second;
    for (const LocalSize& local : mesh.refine_at) {
      ReportNode& item = out["refine_at"].append().flow();
      item["point"] = first(local.point, mesh.dimension);
      item["size"] = local.size;
      item["radius"] = local.radius;
    }
    out["size_factor"] = mesh.size_factor;
    if (mesh.levels)
      out["levels"] = *mesh.levels;
    else
      out["levels"] = "auto";
    out["gap_elements"] = mesh.gap_elements;
    if (mesh.skin_elements > 0.)
      out["skin_elements"] = mesh.skin_elements;
    if (!std::isnan(mesh.join))
      out["join"] = mesh.join;
    out["allow_commands"] = mesh.allow_commands;
  }
  if (mesh.source != MeshSource::box) {
    out["curved"] = mesh.curved;
    out["time_limit"] = mesh.time_limit;
    if (mesh.memory_limit > 0.)
      out["memory_limit"] = mesh.memory_limit;
  }
  for (const NamedGroup& group : mesh.groups)
    write_group(group, mesh.dimension, out["groups"][group.name].flow());
  out["refine"] = mesh.refine;
  if (mesh.adapt.requested()) {
    ReportNode& adapt = out["adapt"].flow();
    if (mesh.adapt.target_error > 0.)
      adapt["target_error"] = mesh.adapt.target_error;
    if (mesh.adapt.max_elements > 0)
      adapt["max_elements"] = mesh.adapt.max_elements;
    adapt["max_rounds"] = mesh.adapt.max_rounds;
    adapt["share"] = mesh.adapt.share;
    if (mesh.adapt.max_order > 0)
      adapt["max_order"] = mesh.adapt.max_order;
    adapt["estimator"] = name_of(mesh.adapt.estimator);
    adapt["compare_setup"] = mesh.adapt.compare_setup;
  }
  if (mesh.scale > 0.)
    out["scale"] = mesh.scale;
  out["ordering"] = name_of(mesh.ordering);
  if (mesh.agglomerate.elements > 0)
    out["agglomerate"].flow()["elements"] = mesh.agglomerate.elements;
  if (mesh.agglomerate.mean_size > 0.)
    out["agglomerate"].flow()["mean_size"] = mesh.agglomerate.mean_size;
  if (!mesh.agglomerate.from.empty())
    out["agglomerate"].flow()["from"] =
        mesh.agglomerate.is_partition_file ? mesh_path(mesh.agglomerate.from, directory) : mesh.agglomerate.from;
  else if (mesh.agglomerate.requested())
    out["agglomerate"]["method"] = name_of(mesh.agglomerate.method);
}

void write_coefficient(const Coefficient& coefficient, ReportNode& out) {
  if (coefficient.isotropic()) {
    out = coefficient.diagonal[0];
    return;
  }
  const std::size_t n = coefficient.diagonal.size();
  if (!coefficient.off_diagonal.empty()) {
    for (std::size_t i = 0; i < n; ++i) {
      ReportNode& row = out.append().flow();
      for (std::size_t j = 0; j < n; ++j)
        row.append() = i == j ? coefficient.diagonal[i] : coefficient.off_diagonal[n == 2 ? 0 : i + j - 1];
    }
    return;
  }
  out.flow();
  for (const Scalar& entry : coefficient.diagonal)
    out.append() = entry;
}

void write_shell(const Material& material, int dimension, ReportNode& out) {
  if (!material.shell)
    return;
  out["shell"]["inner_radius"] = material.shell->inner_radius;
  out["shell"]["outer_radius"] = material.shell->outer_radius;
  out["shell"]["center"] = first(material.shell->center, dimension == 2 ? 2 : 3);
}

/// Conductivity and lag of a material of eddy-currents, and sheets of one of magnetics.
void write_losses(const Material& material, Physics physics, Symmetry symmetry, ReportNode& out) {
  const bool has_eddy_currents = physics == Physics::eddy_currents;
  if (has_eddy_currents && !material.laminations)
    out["conductivity"] = material.conductivity;
  if (has_eddy_currents && material.bh_curve.empty())
    out["lag_angle"] = material.lag_angle;
  if (material.core_losses.size() == 1) { // as k f^alpha B^beta, whatever it was given as
    const LossTerm& term = material.core_losses.front();
    ReportNode& losses = out["core_losses"].flow();
    losses["k"] = term.k;
    losses["alpha"] = term.alpha;
    losses["beta"] = term.beta;
  } else {
    for (const LossTerm& term : material.core_losses)
      out["core_losses"][term.alpha == 1. ? "hysteresis" : term.alpha == 2. ? "eddy" : "excess"] = term.k;
  }
  if (!material.laminations)
    return;
  const Laminations& sheets = *material.laminations;
  ReportNode& node = out["laminations"].flow();
  node["stacking_factor"] = sheets.stacking_factor;
  if (has_eddy_currents) {
    node["thickness"] = sheets.thickness;
    node["conductivity"] = sheets.conductivity;
  }
  const bool is_planar = symmetry == Symmetry::planar;
  const char* parallel = "plane";
  if (sheets.parallel == Laminations::Parallel::first)
    parallel = is_planar ? "x" : "r";
  else if (sheets.parallel == Laminations::Parallel::second)
    parallel = is_planar ? "y" : "z";
  node["parallel_to"] = parallel;
}

void write_material(const Material& material, Physics physics, Symmetry symmetry, int dimension, ReportNode& out) {
  if (!has_vector_potential(physics)) {
    write_coefficient(material.coefficient, out[traits_of(physics).coefficient]);
    for (std::size_t i = 0; i < material.capacity.size(); ++i)
      out[material.capacity_keys[i]] = material.capacity[i];
    if (material.fusion) {
      out[latent_heat] = material.fusion->latent_heat;
      out[melting] = std::vector<double>{material.fusion->solidus, material.fusion->liquidus};
    }
    for (const Scalar& entry : material.velocity)
      out["velocity"].flow().append() = entry;
    if (physics == Physics::advection_diffusion_reaction)
      out["reaction"] = material.reaction;
    if (physics == Physics::electro_quasistatics) {
      out["conductivity"] = material.conductivity;
      out["loss_tangent"] = material.loss_tangent;
    }
    write_shell(material, dimension, out);
    return;
  }
  const std::array<double, 2>& permeability = material.relative_permeability;
  if (material.bh_curve.empty() && permeability[0] == permeability[1])
    out[traits_of(physics).coefficient] = permeability[0];
  else if (material.bh_curve.empty())
    out[traits_of(physics).coefficient] = std::vector<double>(permeability.begin(), permeability.end());
  write_losses(material, physics, symmetry, out);
  const double shift = material.magnet ? material.magnet->coercivity : 0.; // of a magnet's curve
  const auto write_curve = [shift](const physics::BhTable& table, ReportNode& to) {
    for (const std::array<double, 2>& point : table)
      to.append() = std::vector<double>{point[0] - shift, point[1]};
  };
  if (!material.bh_across.empty()) {
    const bool is_planar = symmetry == Symmetry::planar;
    write_curve(material.bh_curve, out["bh_curve"][is_planar ? "x" : "r"]);
    write_curve(material.bh_across, out["bh_curve"][is_planar ? "y" : "z"]);
    out["bh_curve"]["angle"] = material.bh_angle;
  } else if (!material.bh_curve.empty()) {
    write_curve(material.bh_curve, out["bh_curve"]);
  }
  if (physics == Physics::eddy_currents && !material.bh_curve.empty())
    out["effective_curve"] = "as-given"; // the points are those of amplitudes
  if (material.magnet) {
    if (material.magnet->remanence != 0.)
      out["remanence"] = material.magnet->remanence;
    else if (material.bh_curve.empty())
      out["coercivity"] = material.magnet->coercivity;
    for (const Scalar& component : material.magnet->direction)
      out["direction"].flow().append() = component;
  }
  write_shell(material, 2, out);
}

void write_coil(const CoilInput& coil, Physics physics, ReportNode& out) {
  for (const CoilSide& side : coil.sides)
    out["regions"][side.region.name] = side.sign;
  out["turns"] = coil.turns;
  if (coil.in_circuit)
    return;
  out["current"] = coil.current;
  if (physics == Physics::eddy_currents)
    out["phase"] = coil.phase;
}

/// The keys of time-harmonic problems.
void write_harmonic(const ProblemOptions& problem, ReportNode& out) {
  if (!is_harmonic(problem.physics))
    return;
  out["frequency"] = problem.frequencies;
  out["phasors"] = name_of(problem.phasors);
  if (problem.physics != Physics::eddy_currents)
    return;
  if (problem.sweep.reduced) {
    ReportNode& sweep = out["sweep"].flow();
    sweep["method"] = "reduced";
    sweep["from"] = problem.sweep.from;
    sweep["to"] = problem.sweep.to;
  }
  out["conductors"].set_map();
  for (const SolidConductor& conductor : problem.conductors) {
    ReportNode& node = out["conductors"][conductor.name.name].flow();
    std::vector<std::string> regions;
    for (const GroupName& region : conductor.regions)
      regions.push_back(region.name);
    for (const GroupName& boundary : conductor.boundaries)
      regions.push_back(boundary.name);
    node[conductor.boundaries.empty() ? "regions" : "boundaries"] = regions;
    if (conductor.in_circuit)
      continue;
    node[conductor.has_voltage ? "voltage" : "current"] = conductor.value;
    node["phase"] = conductor.phase;
  }
  out["circuit"].set_map();
  for (const CircuitElement& element : problem.circuit) {
    using Kind = CircuitElement::Kind;
    ReportNode& node = out["circuit"][element.name.name].flow();
    node["nodes"] = std::vector<std::string>{element.nodes[0], element.nodes[1]};
    if (element.kind == Kind::terminal)
      continue;
    const bool is_voltage = element.kind == Kind::voltage_source;
    if (is_voltage || element.kind == Kind::current_source) {
      node[is_voltage ? "voltage" : "current"] = element.value;
      node["phase"] = element.phase;
    } else {
      node[element.kind == Kind::resistance   ? "resistance"
           : element.kind == Kind::inductance ? "inductance"
                                              : "capacitance"] = element.value;
    }
  }
}

void write_boundary(const Boundary& boundary, Physics physics, int dimension, ReportNode& value) {
  const PhysicsTraits::Boundaries& names = traits_of(physics).boundaries;
  switch (boundary.kind) {
  case BoundaryKind::value:
  case BoundaryKind::flux:
    value = boundary.value;
    break;
  case BoundaryKind::robin:
    value[names.robin_coefficient] = boundary.coefficient;
    value[names.robin_reference] = boundary.reference;
    break;
  case BoundaryKind::radiation:
    value["emissivity"] = boundary.emissivity;
    if (!boundary.enclosure.name.empty())
      value["enclosure"] = boundary.enclosure.name;
    if (!boundary.has_surroundings)
      break;
    value[names.robin_reference] = boundary.reference;
    value[names.robin_coefficient] = boundary.coefficient;
    break;
  case BoundaryKind::floating:
    value[names.floating_total] = boundary.total;
    break;
  case BoundaryKind::asymptotic:
    value["center"] = first(boundary.center, dimension == 2 ? 2 : 3);
    value["order"] = boundary.order;
    if (!has_vector_potential(physics)) {
      value[traits_of(physics).coefficient] = boundary.coefficient;
      value[names.robin_reference] = boundary.reference;
    }
    break;
  case BoundaryKind::periodic:
  case BoundaryKind::antiperiodic:
    value["with"] = boundary.periodic.with.name;
    if (boundary.periodic.kind == PeriodicMap::Kind::translation)
      value["translation"] = first(boundary.periodic.translation, dimension == 2 ? 2 : 3);
    if (boundary.periodic.kind == PeriodicMap::Kind::rotation) {
      value["rotation"] = boundary.periodic.degrees;
      value["center"] = pair(boundary.periodic.center);
    }
    if (boundary.total != 0.)
      value["jump"] = boundary.total;
    break;
  case BoundaryKind::joint:
    if (boundary.joint.given == Joint::Given::layer) {
      value["thickness"] = boundary.joint.thickness;
      value[traits_of(physics).coefficient] = boundary.joint.value;
    } else {
      value[boundary.joint.given == Joint::Given::resistance ? "resistance" : "conductance"] = boundary.joint.value;
    }
    break;
  }
}

void write_problem(const ProblemOptions& problem, int dimension, ReportNode& out) {
  out["physics"] = name_of(problem.physics);
  out["symmetry"] = name_of(problem.symmetry);
  // A file may turn out to be three-dimensional only later; the depth is then 1 m, too.
  if (problem.symmetry == Symmetry::planar && dimension != 3 && (dimension == 2 || problem.depth != 1.))
    out["depth"] = problem.depth;
  if (problem.physics == Physics::heat)
    out["temperature_unit"] = name_of(problem.temperature_unit);
  if (problem.time.requested()) {
    ReportNode& time = out["time"].flow();
    time["from"] = problem.time.from;
    if (problem.time.sizes.empty()) {
      time["to"] = problem.time.to;
      if (problem.time.is_controlled())
        time["tolerance"] = problem.time.tolerance;
      else
        time["steps"] = problem.time.steps;
    } else {
      time["sizes"] = problem.time.sizes;
    }
    if (has_capacity(problem.physics)) {
      time["method"] = name_of(problem.time.method);
      if (!problem.time.breaks.empty())
        time["breaks"] = problem.time.breaks;
    }
    if (problem.time.stop.is_given)
      time["stop"].flow()["when"] = problem.time.stop.text;
    out["initial"] = problem.time.initial;
  }
  out["materials"].set_map();
  for (const Material& material : problem.materials)
    write_material(material, problem.physics, problem.symmetry, dimension,
                   out["materials"][material.region.name].flow());
  out["sources"].set_map();
  for (const Source& source : problem.sources)
    if (source.total)
      out["sources"][source.region.name].flow()[traits_of(problem.physics).source_total] = *source.total;
    else
      out["sources"][source.region.name].flow()[traits_of(problem.physics).source] = source.density;
  for (const PointSourceInput& source : problem.point_sources) {
    ReportNode& node = out["point_sources"][source.name.name].flow();
    node["at"] = first(source.at, source.n_coordinates);
    node[traits_of(problem.physics).source_total] = source.strength;
  }
  for (const LineSourceInput& source : problem.line_sources) {
    ReportNode& node = out["line_sources"][source.name.name].flow();
    node["from"] = first(source.from, 3);
    node["to"] = first(source.to, 3);
    node[line_source_key(problem.physics)] = source.density;
  }
  if (has_vector_potential(problem.physics))
    out["coils"].set_map();
  for (const CoilInput& coil : problem.coils)
    write_coil(coil, problem.physics, out["coils"][coil.name.name].flow());
  write_harmonic(problem, out);
  out["boundaries"].set_map();
  for (const Boundary& boundary : problem.boundaries) {
    ReportNode& node = out["boundaries"][boundary.group.name].flow();
    if (boundary.impedance) {
      node["impedance"]["conductivity"] = boundary.impedance->conductivity;
      node["impedance"]["relative_permeability"] = boundary.impedance->relative_permeability;
      continue;
    }
    const bool is_joint = boundary.kind == BoundaryKind::joint;
    write_boundary(boundary, problem.physics, dimension,
                   node[is_joint ? boundary.joint.key() : name_of(boundary.kind, problem.physics)]);
    if (boundary.phase != 0.)
      (boundary.kind == BoundaryKind::floating ? node[name_of(boundary.kind, problem.physics)] : node)["phase"] =
          boundary.phase;
  }
}

void write_numbers(const ElementNumbersInput& numbers, ReportNode& out) {
  if (numbers.expression) {
    out = *numbers.expression;
    return;
  }
  if (numbers.regions.empty()) {
    out = numbers.number;
    return;
  }
  out["default"] = numbers.number;
  for (const RegionNumber& entry : numbers.regions)
    out["regions"][entry.region.name] = entry.number;
}

void write_output(const OutputOptions& output, Physics physics, int dimension, bool is_dg, ReportNode& out) {
  out["directory"] = output.directory;
  std::vector<std::string> names;
  for (const Field field : output.fields)
    names.push_back(name_of(field, physics));
  out["fields"] = names;
  if (!is_dg)
    out["recovered"] = output.recovered;
  if (output.errors == ErrorEstimates::automatic)
    out["errors"] = name_of(output.errors);
  else
    out["errors"] = output.errors == ErrorEstimates::on;
  out["report"] = output.report;
  if (output.netlist)
    out["netlist"] = true;
  if (!output.matrix.empty())
    out["matrix"] = output.matrix;
  out["convergence"] = output.convergence;
  names.clear();
  for (const Quantity quantity : output.quantities)
    names.push_back(name_of(quantity, physics));
  out["quantities"] = names;
  names.clear();
  for (const GroupName& conductor : output.conductors)
    names.push_back(conductor.name);
  if (!names.empty())
    out["conductors"] = names;
  if (!output.ground.name.empty())
    out["ground"] = output.ground.name;
  for (const Body& body : output.bodies) {
    names.clear();
    for (const GroupName& group : body.groups)
      names.push_back(group.name);
    ReportNode& node = out["bodies"][body.name].flow();
    node["groups"] = names;
    node["about"] = coordinates(body.about, dimension);
  }
  out["probes"].set_map();
  for (const Probe& probe : output.probes) {
    ReportNode& node = out["probes"][probe.name].flow();
    if (probe.is_line) {
      node["from"] = coordinates(probe.from, dimension);
      node["to"] = coordinates(probe.to, dimension);
      node["points"] = probe.n_points;
    } else {
      write_points(probe.list, dimension, node["points"]);
    }
    if (!is_dg)
      node["recovered"] = probe.recovered;
  }
  for (const Line& line : output.lines) {
    ReportNode& node = out["lines"][line.name].flow();
    write_points(line.points, dimension, node["points"]);
    node["samples"] = line.n_samples;
  }
  for (const SurfaceInput& surface : output.surfaces) {
    names.clear();
    for (const GroupName& group : surface.groups)
      names.push_back(group.name);
    ReportNode& node = out["surfaces"][surface.name].flow();
    node["groups"] = names;
    if (!surface.from.name.empty())
      node["from"] = surface.from.name;
    if (surface.away_from)
      node["away_from"] = coordinates(*surface.away_from, dimension);
  }
}

/// Lists fields and quantities of a second physics, after those of the first.
void add_output(const OutputOptions& output, Physics physics, const OutputOptions& first, Physics first_physics,
                ReportNode& out) {
  const auto names_of_both = [&](const auto& of_first, const auto& of_second) {
    std::vector<std::string> names;
    for (const auto& entry : of_first)
      names.push_back(name_of(entry, first_physics));
    for (const auto& entry : of_second)
      if (const std::string name = name_of(entry, physics); std::find(names.begin(), names.end(), name) == names.end())
        names.push_back(name);
    return names;
  };
  out["fields"] = names_of_both(first.fields, output.fields);
  out["quantities"] = names_of_both(first.quantities, output.quantities);
  std::vector<std::string> conductors;
  for (const GroupName& conductor : output.conductors)
    conductors.push_back(conductor.name);
  if (!conductors.empty())
    out["conductors"] = conductors;
}

void write_verification(const VerificationOptions& verification, ReportNode& out) {
  if (verification.has_exact)
    out["exact"] = verification.exact;
  for (const Scalar& entry : verification.gradient)
    out["gradient"].flow().append() = entry;
  for (const ExpectedQuantity& expected : verification.quantities) {
    ReportNode& node = out["quantities"][expected.name].flow();
    node["value"] = expected.value;
    node["tolerance"] = expected.tolerance;
  }
  for (const ExpectedProbe& expected : verification.probes) {
    ReportNode& node = out["probes"][expected.probe][expected.column].flow();
    node["exact"] = expected.exact;
    node["tolerance"] = expected.tolerance;
  }
}

} // namespace

ReportNode resolved_tree(const Case& input, const std::string& directory) {
  ReportNode out;
  out["tessera"] = 1;
  out["title"] = input.title;
  write_mesh(input.mesh, directory, out["mesh"]);
  if (input.current) // both write to the entries of regions and boundaries
    write_problem(input.current->problem, input.mesh.dimension, out["problem"]);
  write_problem(input.problem, input.mesh.dimension, out["problem"]);
  if (input.current)
    out["problem"]["physics"] = electro_thermal;
  out["discretization"].flow()["method"] = name_of(input.discretization.method);
  write_numbers(input.discretization.order, out["discretization"]["order"]);
  const bool is_dg = input.discretization.method == Method::dg;
  if (is_dg) {
    out["discretization"]["penalty"] = input.discretization.penalty;
    out["discretization"]["covering"] = name_of(input.discretization.covering);
    out["discretization"]["extra_degree"] = input.discretization.extra_degree;
  }
  if (is_dg && input.problem.time.requested()) {
    out["discretization"]["time_polynomials"] = name_of(input.discretization.time_polynomials);
    write_numbers(input.discretization.local_steps, out["discretization"]["local_steps"]);
  }
  if (is_dg) {
    out["assembly"].flow()["strategy"] = name_of(input.assembly.dg_strategy);
    out["assembly"]["precision"] = name_of(input.assembly.precision);
  } else {
    out["assembly"].flow()["strategy"] = name_of(input.assembly.strategy);
    out["assembly"]["coloring"] = name_of(input.assembly.coloring);
  }
  ReportNode& solver = out["solver"];
  solver["method"] = name_of(input.solver.method);
  if (input.solver.method == SolverMethod::petsc)
    solver["petsc"] = input.solver.petsc;
  else
    solver["preconditioner"] = name_of(input.solver.preconditioner);
  solver["relative_tolerance"] = input.solver.relative_tolerance;
  solver["absolute_tolerance"] = input.solver.absolute_tolerance;
  solver["max_iterations"] = input.solver.max_iterations;
  if (input.solver.method == SolverMethod::gmres)
    solver["restart"] = input.solver.restart;
  if (input.solver.preconditioner == Preconditioner::block_gauss_seidel)
    solver["sweep_order"] = name_of(input.solver.sweep_order);
  if (input.solver.preconditioner == Preconditioner::multigrid ||
      (input.solver.preconditioner == Preconditioner::automatic && input.solver.multigrid_given)) {
    const solvers::MultigridOptions& options = input.solver.multigrid;
    ReportNode& multigrid = solver["multigrid"].flow();
    multigrid["type"] = name_of(options.type);
    multigrid["cycle"] = name_of(options.cycle);
    multigrid["precision"] = name_of(options.precision);
    multigrid["replicated_size"] = options.replicated_size;
  }
  solver["initial_guess"] = input.solver.initial_guess;
  if (may_be_nonlinear(input.problem)) {
    const NonlinearOptions& options = input.solver.nonlinear;
    ReportNode& nonlinear = solver["nonlinear"].flow();
    nonlinear["method"] = name_of(options.method);
    nonlinear["relative_tolerance"] = options.relative_tolerance;
    nonlinear["max_iterations"] = options.max_iterations;
    nonlinear["line_search"] = options.line_search;
  }
  ReportNode& execution = out["execution"];
  execution["backend"] = input.execution.backend;
  if (input.execution.threads > 0)
    execution["threads"] = input.execution.threads;
  execution["reproducible"] = input.execution.reproducible;
  execution["messages"] = name_of(input.execution.messages);
  execution["partition"] = name_of(input.execution.partition);
  execution["mesh"] = name_of(input.execution.mesh);
  const std::optional<double>& limit = input.execution.memory_limit;
  if (limit && std::isfinite(*limit))
    execution["memory_limit"] = *limit;
  else
    execution["memory_limit"] = limit ? "unlimited" : "free";
  write_output(input.output, input.problem.physics, input.mesh.dimension, is_dg, out["output"]);
  if (input.current)
    add_output(input.current->output, input.current->problem.physics, input.output, input.problem.physics,
               out["output"]);
  if (input.problem.time.requested())
    out["output"]["every"] = input.output.every;
  if (!input.output.times.empty())
    out["output"]["times"] = input.output.times;
  if (input.discretization.method == Method::dg)
    out["output"]["subdivisions"] = input.output.subdivisions;
  out["verification"].set_map();
  write_verification(input.verification, out["verification"]);
  return out;
}

std::string material_text(const Material& material, Physics physics) {
  ReportNode node;
  write_material(material, physics, Symmetry::planar, 0, node);
  return to_yaml(node);
}

std::string resolved_text(const Case& input) {
  return "# The whole input with its defaults, as this program understood it.\n" + to_yaml(resolved_tree(input));
}

} // namespace tessera::io
