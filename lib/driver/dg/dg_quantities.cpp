// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/dg/dg_quantities.hpp"

#include "assembly/dg/form/fluxes.hpp"
#include "assembly/dg/form/joint_faces.hpp"
#include "core/kokkos_ext/spaces.hpp"
#include "driver/evaluation/balance.hpp"
#include "driver/evaluation/conductor_pair.hpp"
#include "driver/evaluation/joint_quantities.hpp"
#include "driver/plan/quantity_list.hpp"
#include "driver/problem/binding/input_values.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

namespace tessera::driver {

namespace {

/// Mean values of the domain and, if there are several, of each region.
void add_means(const std::vector<assembly::dg::RegionIntegrals>& integrals, const io::ProblemOptions& options,
               Results& results) {
  const std::string unit = io::traits_of(options).solution.unit;
  double measure = 0.;
  double value = 0.;
  for (const assembly::dg::RegionIntegrals& region : integrals) {
    measure += region.measure;
    value += region.value;
  }
  add_quantity(results, "mean", value / measure, unit);
  if (integrals.size() > 1)
    for (std::size_t r = 0; r < integrals.size(); ++r)
      add_quantity(results, "mean." + results.problem.region_names[r], integrals[r].value / integrals[r].measure, unit);
}

/// Capacitance or resistance. The reader has checked that there are two fixed boundaries of one value each.
void add_pair_quantity(const std::vector<double>& fluxes, const io::Case& input, Results& results) {
  std::vector<const io::Boundary*> pair;
  const auto& requested = input.output.conductors;
  for (std::size_t k = 0; k < (requested.empty() ? 1 : requested.size()); ++k)
    for (const io::Boundary& boundary : input.problem.boundaries)
      if (boundary.kind == io::BoundaryKind::value && (requested.empty() || boundary.group.name == requested[k].name))
        pair.push_back(&boundary);
  const int first = find_name(results.problem.boundary_names, pair.at(0)->group.name);
  const double total = fluxes[static_cast<std::size_t>(first)];
  const double difference = pair[0]->value.value - pair.at(1)->value.value;
  const int second = find_name(results.problem.boundary_names, pair[1]->group.name);
  const io::PhysicsTraits& traits = io::traits_of(input.problem.physics);
  const std::string note = unbalanced_note(
      input, wants(input, io::Quantity::capacitance) ? "capacitance" : traits.resistance.name,
      {pair[0]->group.name, pair[1]->group.name, total, fluxes[static_cast<std::size_t>(second)]}, pair[0]->group.name);
  if (!note.empty())
    results.notes.push_back(note);
  if (wants(input, io::Quantity::capacitance)) {
    add_quantity(results, "capacitance", total / difference, "F");
    return;
  }
  add_quantity(results, traits.resistance.name, difference / total, traits.resistance.unit);
}

/// Like check_balance() for continuous elements. `fluxes`: through the whole boundary; `size`: computes the sum of
/// their magnitudes on each face, which accurate solutions do not need.
void check_balance(const std::vector<double>& fluxes, double source, const std::function<double()>& size,
                   const io::Case& input, Results& results) {
  double missing = source;
  double largest = std::fabs(source);
  for (const double flux : fluxes) {
    missing += flux;
    largest = std::max(largest, std::fabs(flux));
  }
  missing = std::fabs(missing);
  if (missing > noted_imbalance * largest)
    report_imbalance(input.problem, {missing, largest, size(), 1e-7, 1e-5, false, true, ""}, results);
}

} // namespace

template <int Dim, class ExecutionSpace>
void add_dg_quantities(const ExecutionSpace& exec,
                       const assembly::dg::Form<Dim, typename ExecutionSpace::memory_space>& form,
                       const Array<const double*, ExecutionSpace>& u, const io::Case& input, Results& results,
                       const assembly::dg::ElementRange& owned, const comm::Communicator& world) {
  const io::PhysicsTraits& traits = io::traits_of(input.problem.physics);
  const double depth = Dim == 2 ? input.problem.depth : 1.;
  const bool conserves =
      input.problem.physics != io::Physics::advection_diffusion_reaction &&
      std::none_of(input.problem.boundaries.begin(), input.problem.boundaries.end(),
                   [](const io::Boundary& boundary) { return boundary.kind == io::BoundaryKind::antiperiodic; });
  std::vector<physics::JointTotals> joints =
      assembly::dg::joint_totals<ExecutionSpace, Dim>(exec, form, u, results.problem.region_names);
  for (physics::JointTotals& joint : joints)
    for (double* total : {&joint.flow, &joint.losses, &joint.area})
      *total *= depth;
  double source = 0.;
  if (conserves || wants(input, io::Quantity::energy) || wants(input, io::Quantity::losses) ||
      wants(input, io::Quantity::mean)) {
    auto integrals = assembly::dg::region_integrals<ExecutionSpace, Dim>(
        exec, form, u, static_cast<int>(results.problem.region_names.size()), owned);
    for (assembly::dg::RegionIntegrals& region : integrals)
      region = {world.added(region.measure), world.added(region.value), world.added(region.energy),
                world.added(region.source)};
    double energy = 0.;
    for (const assembly::dg::RegionIntegrals& region : integrals) {
      energy += depth * region.energy;
      source += depth * region.source;
    }
    for (const physics::JointTotals& joint : joints)
      energy += 0.5 * joint.losses;
    if (wants(input, io::Quantity::energy))
      add_quantity(results, "energy", energy, traits.energy.unit);
    if (wants(input, io::Quantity::losses))
      add_quantity(results, "losses", 2. * energy, traits.losses.unit);
    if (wants(input, io::Quantity::mean))
      add_means(integrals, input.problem, results);
  }
  add_joint_quantities(input, joints, results);
  const bool wants_pair = wants(input, io::Quantity::capacitance) || wants(input, io::Quantity::resistance);
  if (!wants(input, io::Quantity::charge) && !wants_pair && !conserves)
    return;
  const std::vector<std::string>& boundaries = results.problem.boundary_names;
  std::vector<double> fluxes =
      assembly::dg::boundary_fluxes<ExecutionSpace, Dim>(exec, form, u, static_cast<int>(boundaries.size()));
  for (double& flux : fluxes)
    flux = depth * world.added(flux);
  if (conserves && results.solve.solver.converged()) {
    const auto size = [&] {
      double sum = 0.;
      for (const double magnitude : assembly::dg::boundary_fluxes<ExecutionSpace, Dim>(
               exec, form, u, static_cast<int>(boundaries.size()), assembly::dg::FluxSum::magnitudes))
        sum += depth * world.added(magnitude);
      return sum;
    };
    check_balance(fluxes, source, size, input, results);
    if (results.step.is_last) {
      DomainFlows flows;
      for (const double flux : fluxes)
        flows.add(flux);
      flows.generated = source;
      report_flows(input.problem, flows, results);
    }
  }
  const bool of_all = input.problem.physics != io::Physics::electrostatics; // including those without a condition
  const auto has_condition = [&](const std::string& name) {
    return std::any_of(input.problem.boundaries.begin(), input.problem.boundaries.end(),
                       [&](const io::Boundary& boundary) { return boundary.group.name == name; });
  };
  const std::vector<std::int64_t> n_faces =
      assembly::dg::count_boundary_faces<ExecutionSpace, Dim>(exec, form, static_cast<int>(boundaries.size()));
  std::vector<bool> is_outer; // interfaces have no numerical flux
  for (std::size_t g = 0; g < boundaries.size(); ++g)
    is_outer.push_back(world.largest(n_faces[g] > 0 ? 1 : 0) > 0);
  if (wants(input, io::Quantity::charge))
    for (std::size_t g = 0; g < boundaries.size(); ++g)
      if (is_outer[g] && (of_all || has_condition(boundaries[g])))
        add_quantity(results, std::string(traits.total.name) + "." + boundaries[g], fluxes[g], traits.total.unit);
  if (wants_pair)
    add_pair_quantity(fluxes, input, results);
}

#define TESSERA_INSTANTIATE_DIM(SPACE, DIM)                                                                            \
  template void add_dg_quantities<DIM, SPACE>(const SPACE&, const assembly::dg::Form<DIM, SPACE::memory_space>&,       \
                                              const Array<const double*, SPACE>&, const io::Case&, Results&,           \
                                              const assembly::dg::ElementRange&, const comm::Communicator&);
#define TESSERA_INSTANTIATE(SPACE) TESSERA_INSTANTIATE_DIM(SPACE, 2) TESSERA_INSTANTIATE_DIM(SPACE, 3)
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)

} // namespace tessera::driver
