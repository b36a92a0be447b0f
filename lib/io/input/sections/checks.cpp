// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "io/input/sections/sections.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iomanip>
#include <map>
#include <sstream>

namespace tessera::io::detail {

namespace {

/// Finds the two conductors of a capacitance or resistance, or reports an error about their number.
std::vector<const Boundary*> find_pair(const ProblemOptions& problem, const OutputOptions& output,
                                       const std::string& quantity, const Location& where, InputErrors& errors) {
  std::vector<const Boundary*> conductors;
  std::vector<std::string> names;
  for (const Boundary& boundary : problem.boundaries) {
    const bool requested = output.conductors.empty() ||
                           std::any_of(output.conductors.begin(), output.conductors.end(),
                                       [&](const GroupName& name) { return name.name == boundary.group.name; });
    if (is_conductor(boundary) && requested) {
      conductors.push_back(&boundary);
      names.push_back(boundary.group.name);
    }
  }
  if (conductors.size() == 1 && output.conductors.empty() && has_infinity(problem)) // the other one is infinity
    return conductors;
  // Wrong names in output.conductors are reported at their places.
  if (conductors.size() != 2 && output.conductors.empty())
    errors.add(where, "a " + quantity + " is between two " + traits_of(problem.physics).conductors + ", but " +
                          std::to_string(conductors.size()) +
                          (conductors.size() == 1 ? " boundary has a " : " boundaries have a ") +
                          traits_of(problem.physics).solution.name + " (" + joined(names) +
                          (conductors.size() > 2 ? "). Name two under output.conductors." : ")."));
  if (conductors.size() != 2)
    conductors.clear();
  return conductors;
}

void check_pair(const ProblemOptions& problem, const OutputOptions& output, Quantity requested, const Location& where,
                InputErrors& errors) {
  const PhysicsTraits& traits = traits_of(problem);
  const std::string quantity = name_of(requested, problem.physics);
  const std::vector<const Boundary*> pair = find_pair(problem, output, quantity, where, errors);
  if (pair.empty())
    return;
  bool constant = true;
  for (const Boundary* conductor : pair)
    if (conductor->kind == BoundaryKind::value && !conductor->value.is_constant) {
      errors.add(where, "the " + quantity + " needs " + traits.conductors + " of one " + traits.solution.name +
                            " each, but that of '" + conductor->group.name + "' varies: " + conductor->value.text +
                            " (" + conductor->group.where.text() + ").");
      constant = false;
    }
  const bool of_infinity = pair.size() == 1;
  if (of_infinity && constant && pair[0]->kind == BoundaryKind::value &&
      pair[0]->value.value == value_at_infinity(problem))
    errors.add(where, "the " + quantity + " is that between '" + pair[0]->group.name + "' and infinity, where the " +
                          traits.solution.name + " is " + number_text(pair[0]->value.value) +
                          ", too. Give it another one.");
  if (of_infinity)
    return;
  const bool fixed = pair[0]->kind == BoundaryKind::value && pair[1]->kind == BoundaryKind::value;
  if (constant && fixed && pair[0]->value.value == pair[1]->value.value && pair[0]->phase == pair[1]->phase)
    errors.add(where, std::string("the ") + traits.conductors + " '" + pair[0]->group.name + "' and '" +
                          pair[1]->group.name + "' have the same " + traits.solution.name + ", " +
                          number_text(pair[0]->value.value) + ' ' + traits.solution.unit + ", so they have no " +
                          quantity + " between them here. Give them different ones.");
}

/// The ground counts as one of the two conductors that a matrix requires, whether it is named, only fixed, at infinity,
/// or a surface with a flux proportional to a difference. The matrix of conductances has the same requirements as that
/// of capacitances.
void check_capacitance_matrix(const ProblemOptions& problem, const OutputOptions& output, const Location& where,
                              InputErrors& errors) {
  const PhysicsTraits& traits = traits_of(problem.physics);
  const std::vector<std::string> conductors = matrix_conductors(problem, output);
  const auto n_fixed_or_floating = std::count_if(problem.boundaries.begin(), problem.boundaries.end(), is_conductor);
  const bool has_ground =
      has_infinity(problem) ||
      std::any_of(problem.boundaries.begin(), problem.boundaries.end(), [](const Boundary& boundary) {
        return boundary.kind == BoundaryKind::robin && !is_zero(boundary.coefficient);
      });
  if (conductors.empty() || n_fixed_or_floating < (has_ground ? 1 : 2))
    errors.add(where, std::string("a ") + traits.matrix.noun + " matrix takes at least two " + traits.conductors +
                          ", one of which may be the ground (or a " + name_of(BoundaryKind::robin, problem.physics) +
                          "), but " + std::to_string(n_fixed_or_floating) +
                          (n_fixed_or_floating == 1 ? " boundary has" : " boundaries have") + " a " +
                          traits.solution.name + " (a fixed or a floating one).");
  for (const Boundary& boundary : problem.boundaries)
    if (boundary.kind == BoundaryKind::radiation)
      errors.add(where, std::string("the ") + traits.matrix.noun + " matrix is that of linear problems, but '" +
                            boundary.group.name + "' radiates (" + boundary.group.where.text() +
                            "). Give it a convection, or list heat_flow instead.");
}

void check_inductance_matrix(const ProblemOptions& problem, const Location& where, InputErrors& errors) {
  for (const Material& material : problem.materials)
    if (!material.bh_curve.empty())
      errors.add(where, "the inductance matrix is that of linear materials, but '" + material.region.name +
                            "' has a B-H curve (" + material.region.where.text() +
                            "). Give it a relative_permeability, or list flux_linkage instead.");
}

void check_coils(const ProblemOptions& problem, Quantity quantity, const Location& where, InputErrors& errors) {
  if (problem.coils.empty())
    errors.add(where, "'" + name_of(quantity, problem.physics) + "' is of coils, but problem.coils lists none.");
  for (const CoilInput& coil : problem.coils)
    if (quantity == Quantity::inductance && coil.current == 0.)
      errors.add(where, "the inductance of coil '" + coil.name.name + "' needs a current in it, but it is 0 (" +
                            coil.name.where.text() + "). List flux_linkage instead.");
}

void check_bodies(const ProblemOptions& problem, const OutputOptions& output, Quantity quantity, const Location& where,
                  InputErrors& errors) {
  const std::string name = name_of(quantity, problem.physics);
  if (output.bodies.empty())
    errors.add(where, "'" + name +
                          "' is of bodies, but output.bodies lists none. Write for example bodies: {plate: {}}, "
                          "with the name of a region or boundary.");
  if (quantity == Quantity::torque && problem.symmetry == Symmetry::axisymmetric)
    errors.add(where, "axisymmetric fields have no torque. List force, which is along the axis.");
}

/// The quantity to which results of this name ("charge.high") belong, or nothing: potentials of floating bodies are
/// always computed.
std::optional<Quantity> quantity_of(const std::string& name, Physics physics) {
  const std::string head = name.substr(0, name.find('.'));
  if (head == traits_of(physics).matrix.mutual)
    return Quantity::capacitance_matrix;
  if (head == coupling)
    return Quantity::inductance_matrix;
  if (head == std::string(traits_of(physics).solution.name) + "_jump")
    return Quantity::charge;
  if (head == "joint_energy")
    return Quantity::energy;
  if (head == "joint_losses")
    return Quantity::losses;
  for (const RegionQuantity quantity : region_quantities)
    if (name != head && name_of(quantity, physics) == head)
      return Quantity::regions;
  for (const Quantity quantity :
       {Quantity::energy, Quantity::losses, Quantity::coenergy, Quantity::charge, Quantity::capacitance,
        Quantity::resistance, Quantity::flux_linkage, Quantity::inductance, Quantity::mean, Quantity::force,
        Quantity::torque, Quantity::capacitance_matrix, Quantity::inductance_matrix, Quantity::storage})
    if (name_of(quantity, physics) == head)
      return quantity;
  return std::nullopt;
}

/// Whether a quantity refers to a line or surface, by the part of its name after the dot.
bool is_of_path(const std::string& name, const OutputOptions& output) {
  const std::string member = name.substr(name.find('.') + 1);
  const auto has_name = [&](const auto& path) { return path.name == member; };
  return std::any_of(output.lines.begin(), output.lines.end(), has_name) ||
         std::any_of(output.surfaces.begin(), output.surfaces.end(), has_name);
}

} // namespace

bool lists(const OutputOptions& output, Quantity quantity) {
  return std::find(output.quantities.begin(), output.quantities.end(), quantity) != output.quantities.end();
}

void check_quantities(const ProblemOptions& problem, const OutputOptions& output,
                      const std::vector<Location>& locations, InputErrors& errors) {
  for (std::size_t i = 0; i < output.quantities.size(); ++i)
    switch (output.quantities[i]) {
    case Quantity::capacitance:
    case Quantity::resistance:
      check_pair(problem, output, output.quantities[i], locations[i], errors);
      break;
    case Quantity::flux_linkage:
    case Quantity::inductance:
      check_coils(problem, output.quantities[i], locations[i], errors);
      break;
    case Quantity::capacitance_matrix:
      check_capacitance_matrix(problem, output, locations[i], errors);
      if (std::any_of(problem.boundaries.begin(), problem.boundaries.end(), [](const Boundary& boundary) {
            return boundary.kind == BoundaryKind::periodic && boundary.total != 0.;
          }))
        errors.add(locations[i], "'" + name_of(output.quantities[i], problem.physics) +
                                     "' has one row per body at a value of 1 and all else 0: without the jumps of "
                                     "periodic boundaries. Leave one of them out.");
      break;
    case Quantity::inductance_matrix:
      if (problem.physics == Physics::eddy_currents && !problem.conductors.empty())
        break;
      check_coils(problem, output.quantities[i], locations[i], errors);
      check_inductance_matrix(problem, locations[i], errors);
      break;
    case Quantity::charge:
      if (problem.physics != Physics::advection_diffusion_reaction && // its fluxes are computed for all boundaries
          std::none_of(problem.boundaries.begin(), problem.boundaries.end(),
                       [](const Boundary& boundary) { return is_conductor(boundary) || is_natural(boundary); }))
        errors.add(locations[i], "'" + name_of(Quantity::charge, problem.physics) +
                                     "' is of groups with a value or a flux, but problem.boundaries has none.");
      break;
    case Quantity::force:
    case Quantity::torque:
      check_bodies(problem, output, output.quantities[i], locations[i], errors);
      break;
    case Quantity::storage:
      if (!problem.time.requested())
        errors.add(locations[i], "'" + name_of(Quantity::storage, problem.physics) +
                                     "' is of problems with problem.time only; steady ones store nothing.");
      break;
    case Quantity::energy:
    case Quantity::losses:
    case Quantity::coenergy:
    case Quantity::mean:
    case Quantity::regions:
      break;
    }
}

void note_small_differences(const Case& input, InputErrors& errors) {
  const ProblemOptions& problem = input.problem;
  if (has_vector_potential(problem.physics) || !problem.sources.empty() || !problem.point_sources.empty() ||
      !problem.line_sources.empty() || problem.time.requested())
    return; // these quantities imply differences
  const bool radiates = std::any_of(problem.boundaries.begin(), problem.boundaries.end(),
                                    [](const Boundary& boundary) { return boundary.kind == BoundaryKind::radiation; });
  if (input.discretization.method == Method::cg && !radiates)
    return; // these are solved for the differences (driver/solution/refined_solve.hpp)
  std::vector<double> values;
  for (const Boundary& boundary : problem.boundaries) {
    const bool is_value = boundary.kind == BoundaryKind::value;
    const bool has_reference = boundary.kind == BoundaryKind::robin || boundary.kind == BoundaryKind::radiation ||
                               boundary.kind == BoundaryKind::asymptotic;
    const Scalar& value = is_value ? boundary.value : boundary.reference;
    if ((boundary.kind == BoundaryKind::floating && boundary.total != 0.) || boundary.kind == BoundaryKind::flux ||
        boundary.kind == BoundaryKind::antiperiodic || ((is_value || has_reference) && !value.is_constant))
      return;
    if (is_value || has_reference)
      values.push_back(value.value);
  }
  if (values.empty())
    return;
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  const double size = std::max(std::fabs(*low), std::fabs(*high));
  // The residual is compared with a right-hand side of this size.
  const double share = size * input.solver.relative_tolerance / (*high - *low);
  constexpr double doubtful = 1e-4; // typical discretisation error
  constexpr double small = 0.1;     // above it the tolerance alone is too loose, which is reported with the solver's
                                    // residual
  if (!(*high > *low) || *high - *low > small * size || !(share > doubtful))
    return;
  std::ostringstream note;
  note << std::setprecision(2) << "the " << traits_of(problem).solution.name << " is given with differences of "
       << (*high - *low) / size << " of its size, but the solver's tolerance is " << input.solver.relative_tolerance
       << " of that: fields and flows may be wrong by a share of " << std::min(1., share)
       << " and more. Count it from one of the values given, or lower solver.relative_tolerance.";
  errors.add_note(problem.boundaries_where, note.str());
}

namespace {

/// Reports options that adaptive refinement with dg does not support.
void check_dg_adaptation(const Case& input, const std::function<void(const std::string&)>& refuse) {
  const Adaptation& adapt = input.mesh.adapt;
  const ElementNumbersInput& order = input.discretization.order;
  int largest = order.number;
  for (const RegionNumber& entry : order.regions)
    largest = std::max(largest, entry.number);
  if (input.problem.time.requested())
    refuse("refinement by error estimates is for steady problems");
  if (!diffuses(input.problem))
    refuse("the error estimate of dg needs a diffusivity");
  if (adapt.estimator == Estimator::recovery)
    refuse("dg has estimator: residual only");
  if (adapt.compare_setup)
    refuse("compare_setup is for continuous elements (discretization.method: cg)");
  if (adapt.max_order > 0 && input.mesh.dimension != 0 && adapt.max_order > largest_dg_order(input.mesh.dimension))
    refuse("max_order: elements in " + std::to_string(input.mesh.dimension) + "D have degrees up to " +
           std::to_string(largest_dg_order(input.mesh.dimension)));
  if (adapt.max_order > 0 && !order.expression && adapt.max_order < largest)
    refuse("max_order: " + std::to_string(adapt.max_order) + " is below discretization.order, " +
           std::to_string(largest));
}

} // namespace

void check_adaptation(const Case& input, InputErrors& errors) {
  const Adaptation& adapt = input.mesh.adapt;
  if (!adapt.requested())
    return;
  const auto refuse = [&](const std::string& what) { errors.add(adapt.where, what + '.'); };
  if (input.discretization.method == Method::dg)
    check_dg_adaptation(input, refuse);
  else if (adapt.max_order > 0)
    refuse("max_order is for discontinuous elements (discretization.method: dg), whose degrees may differ");
  for (const Boundary& boundary : input.problem.boundaries)
    if (is_periodic(boundary)) {
      refuse("the meshes of periodic boundaries would no longer match (" + boundary.group.where.text() + ")");
      break;
    }
  if (adapt.estimator == Estimator::residual)
    for (const Material& material : input.problem.materials)
      if (material.shell) {
        refuse("estimator: residual has no weights for shells, whose material tends to zero or infinity (" +
               material.region.where.text() + "). Use estimator: recovery");
        break;
      }
  for (const Quantity quantity : {Quantity::capacitance_matrix, Quantity::inductance_matrix})
    if (lists(input.output, quantity))
      refuse("a mesh for one solution does not suit the several solutions of output.quantities: " +
             name_of(quantity, input.problem.physics));
  if (input.solver.multigrid.type == solvers::MultigridType::geometric)
    refuse(
        "bisected meshes have no uniformly coarser ones for solver.multigrid.type: geometric. Use auto or algebraic");
}

void check_assembly_output(const Case& input, InputErrors& errors) {
  const OutputOptions& output = input.output;
  const bool is_dg = input.discretization.method == Method::dg;
  const Strategy strategy = input.assembly.strategy;
  const auto refuse = [&](const Location& where, const std::string& what) { errors.add(where, what + '.'); };
  if (!output.matrix.empty()) {
    if (!input.problem.circuit.empty())
      refuse(output.matrix_where, "with a circuit (" + input.problem.circuit.front().name.where.text() +
                                      ") currents are not known before the solution. Give them, or voltages");
    for (const SolidConductor& conductor : input.problem.conductors) {
      if (conductor.in_circuit)
        continue;
      const std::string solid = "solid conductor '" + conductor.name.name + "' (" + conductor.name.where.text() + ')';
      if (conductor.boundaries.empty())
        refuse(output.matrix_where, "the matrix of " + solid + " has a dense block and is not written");
      else if (!conductor.has_voltage)
        refuse(output.matrix_where, "the voltage of " + solid + " is not known before the solution. Give it");
    }
    for (const Material& material : input.problem.materials)
      if (is_harmonic(input.problem.physics) && !material.bh_curve.empty())
        refuse(output.matrix_where, "with saturation at frequencies (" + material.region.where.text() +
                                        ") no complex matrix has the solution. Give '" + material.region.name +
                                        "' a relative_permeability");
    if (!is_dg && !assembly::stores_matrix(strategy))
      refuse(output.matrix_where, "assembly.strategy: " + name_of(strategy) + " has no matrix. Use auto, or " +
                                      assembly::strategy_names(assembly::stores_matrix));
    if (!is_dg && input.problem.time.requested())
      refuse(output.matrix_where, "the systems of time steps (" + input.problem.time.where.text() +
                                      ") are written with discretization.method: dg only");
    if (input.mesh.adapt.requested())
      refuse(output.matrix_where, "each round of mesh.adapt has a matrix (" + input.mesh.adapt.where.text() +
                                      "): none is written. Use a mesh that is fine enough, or mesh.refine");
  }
  if (writes_colors(output)) {
    const std::string colored = "assembly.strategy: " + assembly::strategy_names(assembly::uses_coloring);
    if (is_dg || is_harmonic(input.problem.physics))
      refuse(output.fields_where, (is_dg ? "discretization.method: dg" : name_of(input.problem.physics)) +
                                      " assembles without colours: remove 'colour'");
    else if (!assembly::uses_coloring(strategy))
      refuse(output.fields_where, "'colour' is that of a strategy with colours, " + colored +
                                      ", but the strategy is '" + name_of(strategy) + '\'');
  }
}

void check_joints(const Case& input, InputErrors& errors) {
  if (has_joints(input.problem) && input.discretization.method == Method::cg &&
      input.solver.multigrid.type == solvers::MultigridType::geometric)
    errors.add_note(input.problem.boundaries_where,
                    "solver.multigrid.type: geometric takes many more iterations with joints that conduct far better "
                    "than the elements next to them; auto merges their nodes.");
  for (const Boundary& boundary : input.problem.boundaries) {
    if (boundary.kind != BoundaryKind::joint)
      continue;
    const auto refuse = [&](const std::string& what) {
      errors.add(boundary.group.where, "a joint ('" + boundary.joint.key() + "') is not supported with " + what + '.');
    };
    if (input.mesh.adapt.requested())
      refuse("mesh.adapt: the meshes of its two sides would no longer match");
    if (input.execution.mesh == MeshOfProcess::parts)
      refuse("execution.mesh: parts");
    if (input.solver.method == SolverMethod::ebe_j_pcg)
      refuse("solver.method: ebe-j-pcg, which works on the matrices of elements");
    for (const Quantity quantity : {Quantity::force, Quantity::torque})
      if (lists(input.output, quantity))
        refuse("output.quantities: " + name_of(quantity, input.problem.physics));
  }
}

void check_enclosures(const Case& input, InputErrors& errors) {
  std::map<std::string, const Boundary*> firsts;
  for (const Boundary& boundary : input.problem.boundaries) {
    if (boundary.enclosure.name.empty())
      continue;
    const Boundary& first = *firsts.emplace(boundary.enclosure.name, &boundary).first->second;
    const auto fail = [&](const std::string& text) { errors.add(boundary.enclosure.where, text); };
    if (boundary.has_surroundings != first.has_surroundings ||
        (boundary.has_surroundings && boundary.reference.value != first.reference.value))
      fail("the surfaces of an enclosure have one temperature behind its gaps, the same 'ambient', or none: see '" +
           first.group.name + "'.");
    if (boundary.has_surroundings && !boundary.reference.is_constant)
      fail("'ambient' of an enclosure is a number.");
    if (input.execution.mesh == MeshOfProcess::parts)
      fail("an enclosure is not supported with execution.mesh: parts.");
  }
}

void check_time(const Case& input, InputErrors& errors) {
  const ProblemOptions& problem = input.problem;
  if (!problem.time.requested() || input.discretization.method == Method::dg)
    return;
  const auto refuse = [&](const Location& where, const std::string& what) {
    errors.add(where, what + " is not supported with problem.time (" + problem.time.where.text() + ").");
  };
  if (input.mesh.adapt.requested())
    refuse(input.mesh.adapt.where, "refinement by error estimates");
  if (input.execution.mesh == MeshOfProcess::parts)
    refuse(input.execution.mesh_where, "execution.mesh: parts");
  if (input.solver.method == SolverMethod::ebe_j_pcg)
    refuse(problem.time.where, "solver.method: ebe-j-pcg");
  for (const Quantity quantity : {Quantity::resistance, Quantity::capacitance_matrix})
    if (lists(input.output, quantity))
      refuse(input.output.where,
             "output.quantities: " + name_of(quantity, problem.physics) + ", a property of the steady state,");
  for (const Boundary& boundary : problem.boundaries)
    if (boundary.kind == BoundaryKind::asymptotic)
      refuse(boundary.group.where, "an asymptotic condition, which stands for a steady field outside,");
}

void check_listed(const std::string& name, const Location& where, const ProblemOptions& problem,
                  const OutputOptions& output, InputErrors& errors) {
  const std::optional<Quantity> quantity = quantity_of(name, problem.physics);
  if (quantity == Quantity::regions && is_of_path(name, output)) // extremes on lines and surfaces have the same names
    return;
  if (quantity && !lists(output, *quantity))
    errors.add(where, "the run has no quantity '" + name + "'. List '" + name_of(*quantity, problem.physics) +
                          "' under output.quantities.");
}

} // namespace tessera::io::detail
