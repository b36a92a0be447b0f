// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_IO_INPUT_PHYSICS_TRAITS_HPP
#define TESSERA_IO_INPUT_PHYSICS_TRAITS_HPP

/// \file
/// The kinds of physics, and one table of their input keys, fields and quantities, with their units. A new physics that
/// solves -div(coefficient grad u) = source needs an enumerator and a row here, and documentation.

#include <string>
#include <vector>

namespace tessera::io {

enum class Physics {
  electrostatics,
  magnetostatics,
  eddy_currents,        ///< magnetostatics with currents induced at one frequency
  electro_quasistatics, ///< electrostatics with conduction at one frequency
  diffusion,
  current_flow,
  heat,
  advection_diffusion_reaction
};
/// Whether the solution is the vector potential of a plane or axisymmetric magnetic field.
constexpr bool has_vector_potential(Physics physics) {
  return physics == Physics::magnetostatics || physics == Physics::eddy_currents;
}

/// Whether the solution is a phasor, at given frequencies.
constexpr bool is_harmonic(Physics physics) {
  return physics == Physics::eddy_currents || physics == Physics::electro_quasistatics;
}
/// Whether the coefficient is a permittivity.
constexpr bool has_permittivity(Physics physics) {
  return physics == Physics::electrostatics || physics == Physics::electro_quasistatics;
}

enum class BoundaryKind {
  value,        ///< Dirichlet
  flux,         ///< Neumann
  robin,        ///< flux proportional to the difference from a reference
  radiation,    ///< heat: flux proportional to the difference of the fourth powers, in addition to that of robin
  floating,     ///< one unknown value, prescribed total flux
  asymptotic,   ///< the far field of a multipole
  periodic,     ///< same values as on another boundary
  antiperiodic, ///< opposite values
  joint         ///< of an interface: flux proportional to the jump between its sides
};

/// Unit of temperatures in input and output.
enum class TemperatureUnit { kelvin, celsius };

/// Fields in fields.vtkhdf.
enum class Field {
  solution,
  gradient, ///< E = -grad u | B = curl A | grad u
  flux,     ///< D = eps E | H | J = sigma E | -coefficient grad u
  material, ///< number of the region
  colour    ///< by which the strategy of assembly processes the element
};

enum class Quantity {
  energy,             ///< J; diffusion: half the integral of grad u . diffusivity grad u
  losses,             ///< W, the integral of E . J
  charge,             ///< total flux into the domain through each conductor (dg: through each boundary)
  mean,               ///< dg only: mean value of the domain and of each region
  capacitance,        ///< electrostatics; electro-quasistatics: with the conductance
  resistance,         ///< between two conductors: difference of their values per total flux
  coenergy,           ///< J, magnetostatics only
  flux_linkage,       ///< Wb, of each coil
  inductance,         ///< H, flux linkage per current of each coil
  storage,            ///< rate at which the domain stores, in time-dependent problems with continuous elements
  regions,            ///< volume, mean, extremes, energy of each region
  force,              ///< N, on each body
  torque,             ///< N m, on each body
  capacitance_matrix, ///< F, of all conductors; S and W/K of current flow and heat
  inductance_matrix   ///< H, of all coils
};

/// Values that `regions` contains for each region.
enum class RegionQuantity {
  volume,
  energy,
  losses,
  mean,
  smallest,
  largest,
  mean_field,
  largest_field,
  mean_flux,
  largest_flux
};
constexpr RegionQuantity region_quantities[] = {
    RegionQuantity::volume,    RegionQuantity::energy,      RegionQuantity::losses,     RegionQuantity::mean,
    RegionQuantity::smallest,  RegionQuantity::largest,     RegionQuantity::mean_field, RegionQuantity::largest_field,
    RegionQuantity::mean_flux, RegionQuantity::largest_flux};

/// Names and units of a physics. An empty name: not available.
struct PhysicsTraits {
  Physics physics;
  const char* name; ///< as the input spells it

  struct Named {
    const char* name;
    const char* unit; ///< "" without one
  };
  Named solution;
  Named gradient;
  const char* gradient_column; ///< of probes: followed by the direction
  Named flux;
  const char* flux_column; ///< of probes: followed by the direction; "" if they have none
  int gradient_sign;       ///< sign of the field `gradient` relative to grad u
  int flux_sign;           ///< sign of the field `flux` relative to coefficient grad u

  const char* coefficient;  ///< key of a region's material
  const char* source;       ///< key of a region's source
  const char* source_total; ///< key of its integral, and of a point source; "" if there is none

  struct Boundaries {
    const char* value;
    const char* flux;
    const char* robin;
    const char* robin_coefficient;
    const char* robin_reference; ///< also for radiation
    const char* radiation;
    const char* floating;
    const char* floating_total;
    const char* asymptotic;
    const char* periodic;
    const char* antiperiodic;
  } boundaries; ///< keys of the conditions

  Named total;            ///< flux into the domain through a conductor
  Named energy;           ///< half the integral of gradient . flux
  Named losses;           ///< the integral of gradient . flux
  Named resistance;       ///< difference of two values per total flux
  Named along;            ///< of lines: integral of the gradient along them; magnetostatics: of the flux
  const char* conductors; ///< name of groups of fixed or floating value in messages

  struct Matrix {
    const char* name;   ///< name of the relation of total fluxes to values
    const char* mutual; ///< name of its second form, the network between the groups
    const char* unit;
    const char* form;    ///< name of the first form
    const char* members; ///< key of the list of its groups
    const char* noun;    ///< for messages
  } matrix;              ///< "capacitance_matrix"

  /// Keys of the factors of the capacity c in c du/dt, with continuous elements; none: no time.
  std::vector<const char*> capacity = {};
  Named storage = {"", ""}; ///< the integral of c du/dt
};

/// Whether continuous elements take steps of time.
bool has_capacity(Physics physics);
/// Whether every material must have the factors of the capacity, which are otherwise 1.
constexpr bool needs_capacity(Physics physics) { return physics == Physics::heat; }

/// All of them, in the order of their enumerators and of lists in messages.
const std::vector<PhysicsTraits>& physics_table();
/// `unit`: of heat, the unit of the solution.
const PhysicsTraits& traits_of(Physics physics, TemperatureUnit unit = TemperatureUnit::kelvin);

/// Spellings that depend on the physics; empty if the physics does not have the item.
std::string name_of(Field field, Physics physics);
std::string unit_of(Field field, const PhysicsTraits& traits);
std::string name_of(Quantity quantity, Physics physics);
std::string name_of(BoundaryKind kind, Physics physics);
/// Prefix of the name in the results, <name>.<region>.
std::string name_of(RegionQuantity quantity, Physics physics);
std::string unit_of(RegionQuantity quantity, const PhysicsTraits& traits);

/// Key of a line source's strength per length, "charge_per_length"; empty if the physics has none.
std::string line_source_key(Physics physics);

/// Values that are computed for each line and surface.
enum class PathQuantity {
  length,
  area,
  along,
  flux,
  average,
  smallest,
  largest,
  average_field,
  smallest_field,
  largest_field,
  average_flux, ///< of its magnitude, like smallest and largest
  smallest_flux,
  largest_flux
};
constexpr PathQuantity path_quantities[] = {
    PathQuantity::length,         PathQuantity::area,          PathQuantity::along,        PathQuantity::flux,
    PathQuantity::average,        PathQuantity::smallest,      PathQuantity::largest,      PathQuantity::average_field,
    PathQuantity::smallest_field, PathQuantity::largest_field, PathQuantity::average_flux, PathQuantity::smallest_flux,
    PathQuantity::largest_flux};
constexpr bool is_of_lines(PathQuantity quantity) { return quantity != PathQuantity::area; }
constexpr bool is_of_surfaces(PathQuantity quantity) {
  return quantity != PathQuantity::length && quantity != PathQuantity::along &&
         quantity != PathQuantity::smallest_field && quantity != PathQuantity::smallest_flux;
}
/// Prefix of the name in the results, <name>.<line>.
std::string name_of(PathQuantity quantity, Physics physics);
std::string unit_of(PathQuantity quantity, const PhysicsTraits& traits);

} // namespace tessera::io

#endif
