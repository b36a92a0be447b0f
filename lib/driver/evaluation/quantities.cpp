// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/evaluation/quantities.hpp"

#include "core/kokkos_ext/runtime.hpp"
#include "driver/evaluation/balance.hpp"
#include "driver/evaluation/boundary_totals.hpp"
#include "driver/evaluation/conductor_pair.hpp"
#include "driver/evaluation/forces.hpp"
#include "driver/evaluation/joint_quantities.hpp"
#include "driver/evaluation/paths/lines.hpp"
#include "driver/evaluation/paths/surfaces.hpp"
#include "driver/plan/quantity_list.hpp"
#include "driver/problem/problem.hpp"
#include "driver/solve.hpp"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <limits>
#include <optional>
#include <sstream>
#include <string>

namespace tessera::driver {

namespace {

constexpr double doubtful = 1e-4; ///< fraction of the solution's range: typical discretisation error

/// Whether linear Robin conditions alone fix the solution. The coefficients of far-field conditions are of the size of
/// conduction.
bool is_held_by_robin_alone(const ProblemBinding& binding) {
  if (binding.magnetic || binding.problem.has_storage)
    return false;
  const auto& constraints = binding.constraints;
  const auto& natural = binding.problem.natural;
  const auto is_zero = [](const physics::Expression& value) { return value.is_constant() && value.value() == 0.; };
  return std::all_of(constraints.begin(), constraints.end(),
                     [](const fe::Constraint& constraint) { return constraint.is_tied; }) &&
         std::none_of(binding.periodic.begin(), binding.periodic.end(),
                      [](const fe::PeriodicPair& pair) { return pair.is_antiperiodic; }) &&
         std::all_of(
             natural.begin(), natural.end(),
             [&](const physics::NaturalData& data) { return !data.is_asymptotic && is_zero(data.emissivity); }) &&
         std::any_of(natural.begin(), natural.end(),
                     [&](const physics::NaturalData& data) { return !is_zero(data.alpha); });
}

/// Inflow through natural conditions for a constant solution.
template <class ExecutionSpace>
double inflow_at(const ExecutionSpace& exec, const Fields<ExecutionSpace>& problem, double value) {
  const auto nodal = make_array<linalg::Vector<ExecutionSpace>>(exec, "driver::constant_solution",
                                                                static_cast<std::size_t>(problem.n_space_nodes));
  fill(exec, nodal, value);
  double inflow = 0.;
  for (const physics::NaturalTotals& total : problem.natural_totals(exec, nodal))
    inflow += total.inflow;
  keep_alive(exec, nodal);
  return inflow;
}

/// Range of the solution's values and of the reference values of Robin conditions.
template <class ExecutionSpace>
double range_of(const ExecutionSpace& exec, const Fields<ExecutionSpace>& problem,
                const linalg::ConstVector<ExecutionSpace>& nodal) {
  std::vector<double> values;
  for (const physics::RegionValues& region : problem.region_values(exec, nodal))
    if (region.measure > 0.)
      values.insert(values.end(), {region.smallest, region.largest});
  for (const physics::NaturalData& data : problem.binding.problem.natural)
    if (data.reference.is_constant() && !(data.alpha.is_constant() && data.alpha.value() == 0.))
      values.push_back(data.reference.value());
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  return values.empty() ? 0. : *high - *low;
}

/// A note on the level of a solution that is fixed by weak Robin conditions only; empty if it is accurate. With their
/// conductance G, the integral of their coefficients, and a residual r = f - K u, whose sum over the nodes is the
/// unbalanced inflow, the constant part of the error is sum(r)/G: it may have any size if conduction is strong relative
/// to G, however small the residual is relative to the right-hand side (docs/theory.md, Solver). Collective.
template <class ExecutionSpace>
std::string level_note(const ExecutionSpace& exec, const Fields<ExecutionSpace>& problem, const io::Case& input,
                       const Solution<ExecutionSpace>& solution) {
  const solvers::PcgResult& solver = solution.report.solver.linear;
  if (!solution.report.solver.converged() || !is_held_by_robin_alone(problem.binding))
    return "";
  const double conductance = inflow_at(exec, problem, 0.) - inflow_at(exec, problem, 1.);
  const double unbalanced = std::fabs(problem.totals(exec, solution.nodal, TotalsOf::all).inflow.front());
  const double error = unbalanced / conductance;
  const double range = range_of(exec, problem, solution.nodal);
  if (!(error > doubtful * range))
    return "";
  const io::PhysicsTraits& traits = io::traits_of(input.problem);
  const std::string condition = io::name_of(io::BoundaryKind::robin, input.problem.physics);
  std::ostringstream note;
  note << std::setprecision(2) << "The " << traits.solution.name << " is uncertain by about " << error << ' '
       << traits.solution.unit << " everywhere, compared to differences of " << range << ' ' << traits.solution.unit
       << ": nothing but '" << condition << "' fixes it, whose coefficients are very small against conduction. ";
  // The error is proportional to the residual until that is dominated by the rounding of the system, or of the sum over
  // its rows.
  const double tolerance = input.solver.relative_tolerance;
  const double enough = tolerance * doubtful * range / error;
  const double rounding = 10. * std::numeric_limits<double>::epsilon() * solver.rhs_norm;
  if (enough * solver.rhs_norm > rounding && solver.true_residual <= 10. * tolerance * solver.rhs_norm &&
      unbalanced > rounding * std::sqrt(problem.summary.n_unknowns))
    note << "solver.relative_tolerance: " << std::setprecision(1) << enough << " would do.";
  else
    note << "This is rounding, which no tolerance lowers: fix the " << traits.solution.name
         << " at a boundary and add the difference that the coefficients make of the total flow.";
  return note.str();
}

/// Potential of each conductor. `floating`: values of the floating constraints, in order.
std::vector<double> values_of(const std::vector<Conductor>& conductors, const std::vector<double>& floating) {
  std::vector<double> values;
  std::size_t next = 0;
  for (const Conductor& conductor : conductors)
    values.push_back(conductor.is_floating ? floating[next++] : conductor.value);
  return values;
}

/// Inflow through asymptotic boundaries.
double inflow_from_infinity(const std::vector<physics::NaturalData>& natural,
                            const std::vector<physics::NaturalTotals>& totals) {
  double inflow = 0.;
  for (std::size_t i = 0; i < natural.size(); ++i)
    if (natural[i].is_asymptotic)
      inflow += totals[i].inflow;
  return inflow;
}

/// Capacitance or resistance. The reader has checked that there are two conductors of one value each, or one and
/// infinity. `from_infinity`: inflow from there.
void add_pair_quantity(const ProblemBinding& binding, const io::Case& input, const std::vector<double>& totals,
                       const std::vector<double>& values, double from_infinity, Results& results) {
  const io::PhysicsTraits& traits = io::traits_of(input.problem.physics);
  const bool is_capacitance = wants(input, io::Quantity::capacitance);
  const std::string name = is_capacitance ? "capacitance" : traits.resistance.name;
  std::vector<std::size_t> pair;
  const auto& requested = input.output.conductors;
  if (requested.empty())
    for (std::size_t c = 0; c < binding.conductors.size(); ++c)
      pair.push_back(c);
  for (const io::GroupName& group : requested) // the total of the first one is used
    for (std::size_t c = 0; c < binding.conductors.size(); ++c)
      if (group.name == binding.conductors[c].name)
        pair.push_back(c);
  const std::optional<double> far = io::value_at_infinity(input.problem);
  const Conductor infinity{"infinity", {}, false, far.value_or(0.)};
  const Conductor& one = binding.conductors[pair.at(0)];
  const Conductor& other = pair.size() > 1 ? binding.conductors[pair[1]] : infinity;
  const double first = values[pair[0]];
  const double second = pair.size() > 1 ? values[pair[1]] : infinity.value;
  // Values of floating conductors are accurate to the solver's tolerance.
  const double uncertain = one.is_floating || other.is_floating ? 100. * input.solver.relative_tolerance : 0.;
  if (std::fabs(first - second) <= uncertain * std::max(std::fabs(first), std::fabs(second))) {
    results.failures.push_back(std::string("The ") + traits.conductors + " '" + one.name + "' and '" + other.name +
                               "' came out at the same " + traits.solution.name + ", so that no " + name + " follows.");
    return;
  }
  double total = totals[pair[0]];
  if (pair.size() > 1) {
    // A part of a conductor with the value of infinity, like a ground plane, continues outside the mesh, where it is
    // one with infinity.
    const ConductorPair both{one.name, other.name, totals[pair[0]], totals[pair[1]]};
    const bool first_is_far = far && first == *far;
    const bool is_one_with_space = far && (first_is_far || second == *far) && is_balanced(both, from_infinity);
    const bool takes_second = first_is_far && requested.empty() && is_one_with_space;
    if (takes_second)
      total = -totals[pair[1]];
    const std::string note = is_one_with_space && takes_second == first_is_far
                                 ? ""
                                 : unbalanced_note(input, name, both, takes_second ? other.name : one.name);
    if (!note.empty())
      results.notes.push_back(note);
  }
  if (is_capacitance)
    add_quantity(results, name, total / (first - second), "F");
  else
    add_quantity(results, name, (first - second) / total, traits.resistance.unit);
}

/// Flux linkage and inductance of every coil.
template <class ExecutionSpace>
void add_coils(const ExecutionSpace& exec, const Fields<ExecutionSpace>& problem, const io::Case& input,
               const Solution<ExecutionSpace>& solution, Results& results) {
  for (std::size_t c = 0; c < problem.coil_densities.size(); ++c) {
    const physics::Coil& coil = problem.binding.magnetic->coils[c];
    const double linkage = problem.flux_linkage(exec, solution.nodal, c);
    if (wants(input, io::Quantity::flux_linkage))
      add_quantity(results, "flux_linkage." + coil.name, linkage, "Wb");
    if (wants(input, io::Quantity::inductance))
      add_quantity(results, "inductance." + coil.name, linkage / coil.current, "H");
  }
}

double region_value(io::RegionQuantity quantity, const physics::RegionValues& values) {
  const auto mean = [&](double integral) { return values.measure > 0. ? integral / values.measure : 0.; };
  switch (quantity) {
  case io::RegionQuantity::volume:
    return values.measure;
  case io::RegionQuantity::energy:
    return values.energy;
  case io::RegionQuantity::losses:
    return 2. * values.energy;
  case io::RegionQuantity::mean:
    return mean(values.integral);
  case io::RegionQuantity::mean_field:
    return mean(values.field_integral);
  case io::RegionQuantity::mean_flux:
    return mean(values.flux_integral);
  case io::RegionQuantity::smallest:
    return values.smallest;
  case io::RegionQuantity::largest:
    return values.largest;
  case io::RegionQuantity::largest_field:
    return values.largest_field;
  case io::RegionQuantity::largest_flux:
    return values.largest_flux;
  }
  return 0.;
}

const std::array<double, 3>* place_of(io::RegionQuantity quantity, const physics::RegionValues& values) {
  switch (quantity) {
  case io::RegionQuantity::smallest:
    return &values.smallest_at;
  case io::RegionQuantity::largest:
    return &values.largest_at;
  case io::RegionQuantity::largest_field:
    return &values.largest_field_at;
  case io::RegionQuantity::largest_flux:
    return &values.largest_flux_at;
  default:
    return nullptr;
  }
}

/// Volume, energy, means and extremes of every region, with the locations of the extremes.
template <class ExecutionSpace>
void add_regions(const ExecutionSpace& exec, const Fields<ExecutionSpace>& problem, const io::ProblemOptions& options,
                 const Solution<ExecutionSpace>& solution, Results& results) {
  const io::Physics physics = options.physics;
  const std::vector<physics::RegionValues> values = problem.region_values(exec, solution.nodal);
  std::vector<std::string> heads;
  for (const io::RegionQuantity quantity : io::region_quantities) {
    const std::string name = io::name_of(quantity, physics);
    if (name.empty())
      continue;
    heads.push_back(name);
    for (std::size_t r = 0; r < values.size(); ++r) {
      io::Place place;
      if (const std::array<double, 3>* at = place_of(quantity, values[r]))
        place.at.assign(at->begin(), at->begin() + problem.summary.dimension);
      add_quantity(results, name + "." + problem.summary.region_names[r], region_value(quantity, values[r]),
                   io::unit_of(quantity, io::traits_of(options)), place);
    }
  }
  add_table(results, "regions", "region", problem.summary.region_names, heads);
}

/// Notes flux densities beyond the tables of B-H curves, where H is extrapolated.
template <class ExecutionSpace>
void note_saturation(const ExecutionSpace& exec, const Fields<ExecutionSpace>& problem,
                     const Solution<ExecutionSpace>& solution, std::vector<std::string>& notes) {
  const physics::MagneticProblem& magnetic = *problem.binding.magnetic;
  for (std::size_t r = 0; r < magnetic.regions.size(); ++r) {
    const int curve = magnetic.regions[r].curve;
    const int across = magnetic.regions[r].curve_across;
    if (curve < 0)
      continue;
    double last = magnetic.curves[static_cast<std::size_t>(curve)].back()[1];
    if (across >= 0)
      last = std::max(last, magnetic.curves[static_cast<std::size_t>(across)].back()[1]);
    const double largest = problem.largest_flux_density(exec, solution.nodal, static_cast<group_t>(r));
    if (!(largest > last))
      continue;
    std::ostringstream note;
    note << "Region '" << problem.summary.region_names[r] << "': B reaches " << largest
         << " T, but its B-H curve ends at " << last
         << " T. Beyond, H is extrapolated with the slope of vacuum, which is right where a table ends in saturation.";
    notes.push_back(note.str());
  }
}

/// What flows in and out, is generated and stored: of the sum, sources are what all elements have less the rest.
template <class ExecutionSpace>
DomainFlows domain_flows(const ExecutionSpace& exec, const Fields<ExecutionSpace>& problem,
                         const Solution<ExecutionSpace>& solution, const std::vector<double>& totals,
                         const std::vector<physics::NaturalTotals>& natural_totals) {
  const ProblemBinding& binding = problem.binding;
  DomainFlows flows;
  for (const double total : totals)
    flows.add(total);
  for (const physics::NaturalTotals& total : natural_totals)
    flows.add(total.inflow);
  if (binding.problem.has_storage)
    flows.stored = problem.stored_rate(exec, solution.nodal);
  const std::vector<physics::RegionData>& regions = binding.problem.regions;
  if (!binding.takes_losses && !binding.problem.has_lumped_sources() &&
      std::none_of(regions.begin(), regions.end(), [](const auto& region) { return region.has_source(); }))
    return flows;
  flows.generated = flows.stored.value_or(0.) - problem.totals(exec, solution.nodal, TotalsOf::all).inflow.front();
  for (const physics::NaturalTotals& total : natural_totals)
    flows.generated -= total.inflow;
  for (const fe::Constraint& constraint : binding.constraints)
    flows.generated -= constraint.is_tied ? constraint.total : 0.;
  return flows;
}

} // namespace

template <class ExecutionSpace>
void add_quantities(const ExecutionSpace& exec, const Problem<ExecutionSpace>& problem, const io::Case& input,
                    const Solution<ExecutionSpace>& solution, Results& results) {
  const io::PhysicsTraits& traits = io::traits_of(input.problem);
  const ProblemBinding& binding = problem.binding;
  if (const std::string note = level_note(exec, problem, input, solution); !note.empty())
    results.notes.push_back(note);
  const bool wants_pair = wants(input, io::Quantity::capacitance) || wants(input, io::Quantity::resistance);
  const std::vector<double> values = values_of(binding.conductors, solution.floating);
  std::vector<double> totals(binding.conductors.size(), 0.);
  std::vector<physics::NaturalTotals> natural_totals;
  std::vector<double> rounding; // of the totals
  const bool wants_totals =
      !binding.magnetic && (wants(input, io::Quantity::charge) || wants_pair || !input.output.surfaces.empty());
  if (!wants_totals && (wants(input, io::Quantity::energy) || wants(input, io::Quantity::losses) ||
                        wants(input, io::Quantity::coenergy) || wants(input, io::Quantity::regions)))
    note_value_jumps(exec, problem, input, solution, results.notes);
  if (!binding.magnetic) {
    totals = wants_totals ? boundary_totals(exec, problem, input, solution, results.notes)
                          : problem.totals(exec, solution.nodal).inflow; // only for the balance
    natural_totals = problem.natural_totals(exec, solution.nodal);
    rounding = check_balance(exec, problem, input, solution, totals, natural_totals, results);
    if (results.step.is_last)
      report_flows(input.problem, domain_flows(exec, problem, solution, totals, natural_totals), results);
  }
  if (wants(input, io::Quantity::storage))
    add_quantity(results, traits.storage.name, problem.stored_rate(exec, solution.nodal), traits.storage.unit);
  if (wants(input, io::Quantity::energy))
    add_quantity(results, "energy", problem.energy(exec, solution.nodal), traits.energy.unit);
  if (wants(input, io::Quantity::losses))
    add_quantity(results, "losses", 2. * problem.energy(exec, solution.nodal), traits.losses.unit);
  for (std::size_t c = 0; c < totals.size(); ++c) {
    const Conductor& conductor = binding.conductors[c];
    if (wants(input, io::Quantity::charge))
      add_quantity(results, std::string(traits.total.name) + "." + conductor.name, totals[c], traits.total.unit,
                   {{}, {}, {}, rounding.empty() ? 0. : rounding[c]});
    if (conductor.is_floating)
      add_quantity(results, std::string(traits.solution.name) + "." + conductor.name, values[c], traits.solution.unit);
  }
  if (wants(input, io::Quantity::charge)) {
    const std::vector<physics::NaturalData>& natural = binding.problem.natural;
    for (std::size_t i = 0; i < natural.size(); ++i)
      add_quantity(results, std::string(traits.total.name) + "." + natural[i].name, natural_totals[i].inflow,
                   traits.total.unit);
  }
  if (!binding.joints.empty())
    add_joint_quantities(input, problem.joint_totals(exec, solution.nodal), results);
  if (const std::string note = far_field_note(exec, problem, input, solution.nodal); !note.empty())
    results.notes.push_back(note);
  if (!binding.conductors.empty() && !problem.multipole_ends.empty()) {
    double largest = 0.;
    for (const double total : problem.totals(exec, solution.nodal).inflow)
      largest = std::max(largest, std::fabs(total));
    const std::string note = net_inflow_note(problem, input, net_inflow(exec, problem, solution.nodal), largest,
                                             "Energies, the values of floating bodies, what flows through boundaries "
                                             "and what is made of it");
    if (largest > 0. && !note.empty())
      results.notes.push_back(note);
  }
  if (wants_pair)
    add_pair_quantity(binding, input, totals, values, inflow_from_infinity(binding.problem.natural, natural_totals),
                      results);
  if (wants(input, io::Quantity::regions))
    add_regions(exec, problem, input.problem, solution, results);
  if (wants(input, io::Quantity::force) || wants(input, io::Quantity::torque))
    add_forces<ExecutionSpace>(
        exec, problem, input, {""},
        [&](const auto& weight, const auto& about) {
          return std::vector<physics::BodyLoad>{problem.body_load(exec, solution.nodal, weight, about)};
        },
        results);
  if (!input.output.lines.empty())
    add_lines(exec, problem, input, solution, results);
  if (!input.output.surfaces.empty())
    add_surfaces(exec, problem, input, solution, totals, results);
  if (!binding.magnetic)
    return;
  if (wants(input, io::Quantity::coenergy))
    add_quantity(results, "coenergy", problem.energy(exec, solution.nodal, EnergyOf::coenergy), "J");
  if (wants(input, io::Quantity::flux_linkage) || wants(input, io::Quantity::inductance))
    add_coils(exec, problem, input, solution, results);
  note_saturation(exec, problem, solution, results.notes);
}

#define TESSERA_INSTANTIATE(SPACE)                                                                                     \
  template void add_quantities<SPACE>(const SPACE&, const Problem<SPACE>&, const io::Case&, const Solution<SPACE>&,    \
                                      Results&);
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)

} // namespace tessera::driver
