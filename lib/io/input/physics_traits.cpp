// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "io/input/physics_traits.hpp"

namespace tessera::io {

namespace {

constexpr PhysicsTraits::Named none{"", ""};
constexpr PhysicsTraits::Matrix no_matrix{"", "", "", "", "", ""};

const std::vector<PhysicsTraits> table = {
    {Physics::electrostatics,
     "electrostatics",
     {"potential", "V"},
     {"electric_field", "V/m"},
     "E",
     {"flux_density", "C/m^2"},
     "D",
     -1,
     -1,
     "relative_permittivity",
     "charge_density",
     "charge",
     {"potential", "surface_charge", "robin", "coefficient", "reference", "", "floating", "charge", "asymptotic",
      "periodic", "antiperiodic"},
     {"charge", "C"},
     {"energy", "J"},
     none,
     none,
     {"voltage", "V"},
     "conductors",
     {"capacitance_matrix", "mutual_capacitance", "F", "maxwell", "conductors", "capacitance"}},
    {Physics::magnetostatics,
     "magnetostatics",
     {"vector_potential", "Wb/m"},
     {"flux_density", "T"},
     "B",
     {"magnetic_field", "A/m"},
     "H",
     1,
     1,
     "relative_permeability",
     "current_density",
     "current",
     {"vector_potential", "tangential_field", "", "", "", "", "", "", "asymptotic", "periodic", "antiperiodic"},
     none,
     {"energy", "J"},
     none,
     none,
     {"magnetomotive_force", "A"},
     "boundaries",
     no_matrix},
    {Physics::eddy_currents,
     "eddy-currents",
     {"vector_potential", "Wb/m"},
     {"flux_density", "T"},
     "B",
     {"current_density", "A/m^2"},
     "",
     1,
     1,
     "relative_permeability",
     "current_density",
     "current",
     {"vector_potential", "tangential_field", "", "", "", "", "", "", "asymptotic", "periodic", "antiperiodic"},
     none,
     {"energy", "J"},
     {"losses", "W"},
     none,
     {"magnetomotive_force", "A"},
     "boundaries",
     no_matrix},
    {Physics::electro_quasistatics,
     "electro-quasistatics",
     {"potential", "V"},
     {"electric_field", "V/m"},
     "E",
     {"current_density", "A/m^2"},
     "J",
     -1,
     -1,
     "relative_permittivity",
     "",
     "",
     {"potential", "", "", "", "reference", "", "floating", "current", "asymptotic", "periodic", "antiperiodic"},
     {"", "A"},
     {"energy", "J"},
     {"losses", "W"},
     none,
     {"voltage", "V"},
     "conductors",
     {"admittance_matrix", "", "S", "nodal", "conductors", "admittance"}},
    {Physics::diffusion,
     "diffusion",
     {"value", ""},
     {"gradient", "1/m"},
     "d/d",
     {"flux", "m/s"},
     "flux_",
     1,
     -1,
     "diffusivity",
     "source",
     "total_flux",
     {"value", "flux", "robin", "coefficient", "reference", "", "equivalue", "total_flux", "asymptotic", "periodic",
      "antiperiodic"},
     {"total_flux", ""},
     {"energy", ""},
     none,
     none,
     none,
     "conductors",
     no_matrix,
     {"capacity"},
     {"storage", ""}},
    {Physics::current_flow,
     "current-flow",
     {"potential", "V"},
     {"electric_field", "V/m"},
     "E",
     {"current_density", "A/m^2"},
     "J",
     -1,
     -1,
     "conductivity",
     "current_source",
     "current",
     {"potential", "current_density", "contact", "conductance", "potential", "", "terminal", "current", "asymptotic",
      "periodic", "antiperiodic"},
     {"current", "A"},
     none,
     {"losses", "W"},
     {"resistance", "Ohm"},
     {"voltage", "V"},
     "terminals",
     {"conductance_matrix", "mutual_conductance", "S", "nodal", "terminals", "conductance"}},
    {Physics::heat,
     "heat",
     {"temperature", "K"},
     {"temperature_gradient", "K/m"},
     "dT/d",
     {"heat_flux", "W/m^2"},
     "q",
     1,
     -1,
     "thermal_conductivity",
     "heat_source",
     "power",
     {"temperature", "heat_flux", "convection", "coefficient", "ambient", "radiation", "isothermal", "power",
      "asymptotic", "periodic", "antiperiodic"},
     {"heat_flow", "W"},
     none,
     none,
     {"thermal_resistance", "K/W"},
     none,
     "boundaries of one temperature",
     {"thermal_conductance_matrix", "mutual_thermal_conductance", "W/K", "nodal", "boundaries", "thermal conductance"},
     {"density", "specific_heat"},
     {"heat_storage", "W"}},
    {Physics::advection_diffusion_reaction,
     "advection-diffusion-reaction",
     {"value", ""},
     {"gradient", "1/m"},
     "d/d",
     {"flux", ""},
     "",
     1,
     -1,
     "diffusivity",
     "source",
     "",
     {"value", "flux", "", "", "", "", "", "", "", "", ""},
     {"total_flux", ""},
     none,
     none,
     none,
     none,
     "conductors",
     no_matrix},
};

} // namespace

const std::vector<PhysicsTraits>& physics_table() { return table; }

bool has_capacity(Physics physics) { return !traits_of(physics).capacity.empty(); }

const PhysicsTraits& traits_of(Physics physics, TemperatureUnit unit) {
  static const PhysicsTraits in_celsius = [] { // gradients and resistances refer to differences, in kelvins
    PhysicsTraits traits = table[static_cast<std::size_t>(Physics::heat)];
    traits.solution.unit = "degC";
    return traits;
  }();
  return physics == Physics::heat && unit == TemperatureUnit::celsius ? in_celsius
                                                                      : table[static_cast<std::size_t>(physics)];
}

std::string name_of(Field field, Physics physics) {
  const PhysicsTraits& traits = traits_of(physics);
  switch (field) {
  case Field::solution:
    return traits.solution.name;
  case Field::gradient:
    return traits.gradient.name;
  case Field::flux:
    return traits.flux.name;
  case Field::material:
    return "material";
  case Field::colour:
    return "colour";
  }
  return "";
}

std::string unit_of(Field field, const PhysicsTraits& traits) {
  switch (field) {
  case Field::solution:
    return traits.solution.unit;
  case Field::gradient:
    return traits.gradient.unit;
  case Field::flux:
    return traits.flux.unit;
  case Field::material:
  case Field::colour:
    break;
  }
  return "";
}

std::string name_of(Quantity quantity, Physics physics) {
  const PhysicsTraits& traits = traits_of(physics);
  const auto of = [&](Physics only, const char* name) { return physics == only ? name : ""; };
  const bool has_forces = has_permittivity(physics) || has_vector_potential(physics);
  switch (quantity) {
  case Quantity::energy:
    return traits.energy.name;
  case Quantity::losses:
    return traits.losses.name;
  case Quantity::charge:
    return traits.total.name;
  case Quantity::mean:
    return has_vector_potential(physics) || is_harmonic(physics) ? "" : "mean";
  case Quantity::capacitance:
    return has_permittivity(physics) ? "capacitance" : "";
  case Quantity::resistance:
    return traits.resistance.name;
  case Quantity::coenergy:
    return of(Physics::magnetostatics, "coenergy");
  case Quantity::flux_linkage:
    return of(Physics::magnetostatics, "flux_linkage");
  case Quantity::inductance:
    return of(Physics::magnetostatics, "inductance");
  case Quantity::storage:
    return traits.storage.name;
  case Quantity::regions:
    return "regions";
  case Quantity::force:
    return has_forces ? "force" : "";
  case Quantity::torque:
    return has_forces ? "torque" : "";
  case Quantity::capacitance_matrix:
    return traits.matrix.name;
  case Quantity::inductance_matrix:
    return physics == Physics::eddy_currents ? "impedance_matrix" : of(Physics::magnetostatics, "inductance_matrix");
  }
  return "";
}

std::string name_of(RegionQuantity quantity, Physics physics) {
  if (is_harmonic(physics)) // their values of regions have real and imaginary parts: harmonic_names()
    return "";
  const PhysicsTraits& traits = traits_of(physics);
  // For a vector potential neither mean nor extremes are meaningful.
  const auto of_solution = [&](const char* start) {
    return has_vector_potential(physics) ? "" : start + std::string(traits.solution.name);
  };
  switch (quantity) {
  case RegionQuantity::volume:
    return "volume";
  case RegionQuantity::energy:
    return traits.energy.name;
  case RegionQuantity::losses:
    return traits.losses.name;
  case RegionQuantity::mean:
    return of_solution("mean_");
  case RegionQuantity::smallest:
    return of_solution("smallest_");
  case RegionQuantity::largest:
    return of_solution("largest_");
  case RegionQuantity::mean_field:
    return std::string("mean_") + traits.gradient.name;
  case RegionQuantity::largest_field:
    return std::string("largest_") + traits.gradient.name;
  case RegionQuantity::mean_flux:
    return std::string("mean_") + traits.flux.name;
  case RegionQuantity::largest_flux:
    return std::string("largest_") + traits.flux.name;
  }
  return "";
}

std::string unit_of(RegionQuantity quantity, const PhysicsTraits& traits) {
  switch (quantity) {
  case RegionQuantity::volume:
    return "m^3";
  case RegionQuantity::energy:
    return traits.energy.unit;
  case RegionQuantity::losses:
    return traits.losses.unit;
  case RegionQuantity::mean:
  case RegionQuantity::smallest:
  case RegionQuantity::largest:
    return traits.solution.unit;
  case RegionQuantity::mean_field:
  case RegionQuantity::largest_field:
    return traits.gradient.unit;
  case RegionQuantity::mean_flux:
  case RegionQuantity::largest_flux:
    return traits.flux.unit;
  }
  return "";
}

std::string line_source_key(Physics physics) {
  const std::string total = traits_of(physics).source_total;
  return total.empty() || has_vector_potential(physics) ? "" : total + "_per_length";
}

std::string name_of(PathQuantity quantity, Physics physics) {
  const PhysicsTraits& traits = traits_of(physics);
  const auto of_solution = [&](const char* what) { // not meaningful for a vector potential
    return has_vector_potential(physics) ? std::string() : what + std::string(traits.solution.name);
  };
  switch (quantity) {
  case PathQuantity::length:
    return "length";
  case PathQuantity::area:
    return "area";
  case PathQuantity::along:
    return traits.along.name;
  case PathQuantity::flux:
    return "flux";
  case PathQuantity::average:
    return of_solution("average_");
  case PathQuantity::smallest:
    return of_solution("smallest_");
  case PathQuantity::largest:
    return of_solution("largest_");
  case PathQuantity::average_field:
    return "average_" + std::string(traits.gradient.name);
  case PathQuantity::smallest_field:
    return "smallest_" + std::string(traits.gradient.name);
  case PathQuantity::largest_field:
    return "largest_" + std::string(traits.gradient.name);
  case PathQuantity::average_flux:
    return "average_" + std::string(traits.flux.name);
  case PathQuantity::smallest_flux:
    return "smallest_" + std::string(traits.flux.name);
  case PathQuantity::largest_flux:
    return "largest_" + std::string(traits.flux.name);
  }
  return "";
}

std::string unit_of(PathQuantity quantity, const PhysicsTraits& traits) {
  switch (quantity) {
  case PathQuantity::length:
    return "m";
  case PathQuantity::area:
    return "m^2";
  case PathQuantity::along:
    return traits.along.unit;
  case PathQuantity::flux:
    return has_vector_potential(traits.physics) ? "Wb" : traits.total.unit;
  case PathQuantity::average:
  case PathQuantity::smallest:
  case PathQuantity::largest:
    return traits.solution.unit;
  case PathQuantity::average_field:
  case PathQuantity::smallest_field:
  case PathQuantity::largest_field:
    return traits.gradient.unit;
  case PathQuantity::average_flux:
  case PathQuantity::smallest_flux:
  case PathQuantity::largest_flux:
    return traits.flux.unit;
  }
  return "";
}

std::string name_of(BoundaryKind kind, Physics physics) {
  const PhysicsTraits::Boundaries& names = traits_of(physics).boundaries;
  switch (kind) {
  case BoundaryKind::value:
    return names.value;
  case BoundaryKind::flux:
    return names.flux;
  case BoundaryKind::robin:
    return names.robin;
  case BoundaryKind::radiation:
    return names.radiation;
  case BoundaryKind::floating:
    return names.floating;
  case BoundaryKind::asymptotic:
    return names.asymptotic;
  case BoundaryKind::periodic:
    return names.periodic;
  case BoundaryKind::antiperiodic:
    return names.antiperiodic;
  case BoundaryKind::joint: // several keys
    return "";
  }
  return "";
}

} // namespace tessera::io
