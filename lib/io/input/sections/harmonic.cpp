// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "io/input/input_text.hpp"
#include "io/input/sections/sections.hpp"
#include "io/materials/material_patterns.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_map>

namespace tessera::io::detail {

namespace {

/// Keys of `problem` that belong to this physics.
constexpr const char* harmonic_keys[] = {"frequency", "phasors", "conductors"};

constexpr std::size_t most_frequencies = 1000;

/// One number, or a list of different ones.
std::vector<double> read_frequencies(MapReader& in) {
  const YamlNode* node = in.require("frequency", "in Hz, one number or a list");
  if (node == nullptr)
    return {1.};
  std::vector<double> frequencies;
  if (node->kind == YamlNode::Kind::sequence)
    frequencies = in.numbers("frequency", 1, most_frequencies);
  else
    frequencies = {in.number("frequency", 1.)};
  for (std::size_t i = 0; i < frequencies.size(); ++i) {
    const double f = frequencies[i];
    if (f == 0.)
      in.fail("frequency", "must be above 0 Hz; for a direct current take magnetostatics or current-flow.");
    else if (f < 0. || std::isinf(f))
      in.fail("frequency", "must be a finite number above 0 Hz, found " + number_text(f) + ".");
    if (std::find(frequencies.begin(), frequencies.begin() + static_cast<std::ptrdiff_t>(i), f) !=
        frequencies.begin() + static_cast<std::ptrdiff_t>(i))
      in.fail("frequency", number_text(f) + " Hz is listed twice.");
  }
  return frequencies;
}

SolidConductor read_conductor(MapReader in, const std::string& name) {
  SolidConductor conductor;
  conductor.name = {name, in.where()};
  const std::vector<const YamlNode*> regions = in.list("regions");
  for (std::size_t i = 0; i < regions.size(); ++i) {
    const Location place = in.item_location("regions", i, *regions[i]);
    add_group(conductor.regions, {read_text(*regions[i], place, in.errors()), place}, in.errors());
  }
  if (in.has("regions") && regions.empty())
    in.fail("regions", "the list is empty. Name regions; without the key, the name of the conductor is used.");
  if (!in.has("regions"))
    conductor.regions.push_back(conductor.name);
  conductor.has_voltage = in.has("voltage");
  if (conductor.has_voltage == in.has("current") && in.exists())
    in.fail("a conductor needs either its total current (A) or its voltage (V), found " +
            std::string(conductor.has_voltage ? "both." : "none.") +
            " A region with a conductivity that is in no conductor has eddy currents and no connection.");
  conductor.value = in.number(conductor.has_voltage ? "voltage" : "current", 0.);
  conductor.phase = in.number("phase", 0.);
  in.finish();
  return conductor;
}

/// Checks that every region of a conductor conducts, and is in one of them and in no coil.
void check_conductors(const ProblemOptions& problem, InputErrors& errors) {
  NameSet regions;
  NameSet without_conductivity;
  for (const Material& material : problem.materials) {
    regions.add(material.region.name);
    if (material.conductivity == 0.)
      without_conductivity.add(material.region.name);
  }
  std::unordered_map<std::string, std::string> used; // by region
  for (const CoilInput& coil : problem.coils)
    for (const CoilSide& side : coil.sides)
      used.emplace(side.region.name, "coil '" + printable(coil.name.name) + "'");
  for (const SolidConductor& conductor : problem.conductors)
    for (const GroupName& region : conductor.regions) {
      const std::string name = "region '" + printable(region.name) + "' ";
      const auto added = used.emplace(region.name, "conductor '" + printable(conductor.name.name) + "'");
      if (!added.second)
        errors.add(region.where, name + "belongs to " + added.first->second + " already.");
      const bool has_entry = regions.has(region.name); // which precedes wildcards
      if (!is_listed(regions.list(), region.name))
        errors.add_unknown(region.where, "region", region.name, regions.list());
      else if (has_entry ? without_conductivity.has(region.name) : is_listed(without_conductivity.list(), region.name))
        errors.add(region.where, name + "of a solid conductor has no conductivity. Give it under problem.materials.");
    }
}

} // namespace

void read_harmonic(MapReader& in, ProblemOptions& problem) {
  if (problem.physics != Physics::eddy_currents) {
    for (const char* key : harmonic_keys)
      if (in.has(key))
        in.fail(key, "applies to eddy-currents only.");
    return;
  }
  problem.frequencies = read_frequencies(in);
  problem.phasors = in.choice("phasors", problem.phasors);
  MapReader conductors = in.map("conductors");
  for (const std::string& name : conductors.keys())
    problem.conductors.push_back(read_conductor(conductors.map(name), name));
  check_conductors(problem, in.errors());
}

NameSet harmonic_names(const ProblemOptions& problem, const OutputOptions& output) {
  NameSet names;
  const NameSet forces = force_names(problem, output, 2);
  for (const double frequency : problem.frequencies) {
    const std::string end = problem.frequencies.size() > 1 ? "." + number_text(frequency) + "Hz" : "";
    for (const char* name : {"energy", "losses", "losses_by_terminals"})
      names.add(name + end);
    for (const std::string& name : forces.list())
      for (const char* part : {"", "_amplitude"})
        names.add(std::string(name).insert(name.find('.'), part) + end);
    for (const Material& material : problem.materials)
      for (const char* name : {"losses.", "skin_depth."})
        names.add(name + material.region.name + end);
    std::vector<std::string> terminals;
    for (const SolidConductor& conductor : problem.conductors)
      terminals.push_back(conductor.name.name);
    for (const CoilInput& coil : problem.coils)
      terminals.push_back(coil.name.name);
    for (const std::string& terminal : terminals)
      for (const char* name :
           {"voltage_real.", "voltage_imaginary.", "current_real.", "current_imaginary.", "resistance.", "inductance."})
        names.add(name + terminal + end);
  }
  return names;
}

void finish_harmonic(Case& input, InputErrors& errors) {
  if (input.problem.physics != Physics::eddy_currents)
    return;
  const auto refuse = [&](const Location& where, const std::string& what) {
    errors.add(where, "eddy-currents does not support " + what + " in this version.");
  };
  const Location& place = input.problem.materials_where;
  if (input.mesh.adapt.requested())
    refuse(input.mesh.adapt.where, "adaptive refinement");
  if (input.assembly.strategy == Strategy::automatic)
    input.assembly.strategy = Strategy::row_gather;
  if (!assembly::stores_matrix(input.assembly.strategy))
    refuse(place, "strategies without an assembled matrix (assembly.strategy)");
  if (input.solver.method != SolverMethod::pcg)
    refuse(place, "solver.method: " + name_of(input.solver.method) + "; leave it out: COCG, with multigrid, is used");
  if (input.solver.preconditioner == Preconditioner::automatic)
    input.solver.preconditioner = Preconditioner::multigrid;
  if (input.solver.preconditioner != Preconditioner::multigrid)
    refuse(place, "solver.preconditioner: " + name_of(input.solver.preconditioner) + "; leave it out");
  if (input.output.recovered)
    refuse(input.output.where, "output.recovered");
  if (input.output.report)
    refuse(input.output.where, "output.report");
  for (const Line& line : input.output.lines)
    refuse(line.where, "lines");
  for (const SurfaceInput& surface : input.output.surfaces)
    refuse(surface.where, "surfaces");
  if (input.verification.has_exact)
    refuse(place, "verification by an exact solution");
  if (input.execution.mesh == MeshOfProcess::parts)
    refuse(input.execution.mesh_where, "execution.mesh: parts");
}

} // namespace tessera::io::detail
