// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "io/input/input_text.hpp"
#include "io/input/sections/sections.hpp"
#include "io/materials/material_patterns.hpp"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <sstream>
#include <unordered_map>

namespace tessera::io::detail {

namespace {

constexpr int most_frequencies = 1000;

/// The number with six digits, so that names and tables with it are short.
double shortened(double value) {
  std::ostringstream text;
  text << std::setprecision(6) << value;
  return std::stod(text.str());
}

/// The frequencies between two, with six digits, and these.
std::vector<double> read_range(MapReader in) {
  for (const char* key : {"from", "to"})
    in.require(key, "a frequency in Hz");
  in.require("points", "the number of frequencies");
  const double from = in.number("from", 1., Range::positive());
  const double to = in.number("to", 2., Range::positive());
  const int n = in.integer("points", 2, 2, most_frequencies);
  const std::string scale = in.text("scale", "log");
  if (scale != "log" && scale != "linear")
    in.fail("scale", "must be log or linear, found " + printable(scale) + ".");
  if (in.has("from") && in.has("to") && !(from < to))
    in.fail("to", "must be above from, " + number_text(from) + " Hz.");
  in.finish();
  std::vector<double> frequencies;
  for (int i = 0; i < n; ++i) {
    const double share = static_cast<double>(i) / (n - 1);
    const double f = scale == "log" ? from * std::pow(to / from, share) : from + share * (to - from);
    frequencies.push_back(i == 0 ? from : i == n - 1 ? to : shortened(f));
  }
  return frequencies;
}

/// One number, a list of different ones, or a range.
std::vector<double> read_frequencies(MapReader& in) {
  const YamlNode* node = in.require("frequency", "in Hz, one number, a list or a range");
  if (node == nullptr)
    return {1.};
  std::vector<double> frequencies;
  if (node->kind == YamlNode::Kind::map)
    frequencies = read_range(in.map("frequency"));
  else if (node->kind == YamlNode::Kind::sequence)
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

void add_matrix_names(std::initializer_list<const char*> heads, const std::vector<std::string>& members,
                      const std::string& end, NameSet& names) {
  for (const char* head : heads)
    for (const std::string& row : members)
      for (const std::string& column : members)
        names.add(head + row + "." + column + end);
}

} // namespace

void read_losses(MapReader& in, Material& material) {
  material.conductivity = in.number("conductivity", 0., Range::non_negative());
  material.loss_tangent = in.number("loss_tangent", 0., Range::non_negative());
  if (material.shell && (material.conductivity != 0. || material.loss_tangent != 0.))
    in.fail("shell", "stands for space outside, which has no losses.");
}

void read_harmonic(MapReader& in, ProblemOptions& problem) {
  const bool is_eddy = problem.physics == Physics::eddy_currents;
  for (const char* key : {"frequency", "phasors"})
    if (in.has(key) && !is_harmonic(problem.physics))
      in.fail(key, "applies to eddy-currents and electro-quasistatics only.");
  if (in.has("conductors") && !is_eddy)
    in.fail("conductors", "applies to eddy-currents only.");
  if (!is_harmonic(problem.physics))
    return;
  problem.frequencies = read_frequencies(in);
  problem.phasors = in.choice("phasors", problem.phasors);
  if (!is_eddy)
    return;
  MapReader conductors = in.map("conductors");
  for (const std::string& name : conductors.keys())
    problem.conductors.push_back(read_conductor(conductors.map(name), name));
  check_conductors(problem, in.errors());
}

NameSet harmonic_names(const ProblemOptions& problem, const OutputOptions& output, int dimension) {
  NameSet names;
  const NameSet forces = force_names(problem, output, dimension);
  const bool is_eddy = problem.physics == Physics::eddy_currents;
  for (const double frequency : problem.frequencies) {
    const std::string end = frequency_suffix(problem, frequency);
    for (const char* name : {"energy", "losses", "losses_by_terminals"})
      names.add(name + end);
    for (const std::string& name : forces.list())
      for (const char* part : {"", "_amplitude"})
        names.add(std::string(name).insert(name.find('.'), part) + end);
    for (const Material& material : problem.materials) {
      names.add("losses." + material.region.name + end);
      for (const char* name : {"ohmic_losses.", "dielectric_losses.", "energy."})
        if (!is_eddy)
          names.add(name + material.region.name + end);
      if (is_eddy)
        names.add("skin_depth." + material.region.name + end);
    }
    for (const Boundary& boundary : problem.boundaries)
      for (const char* name : {"voltage_real.", "voltage_imaginary.", "current_real.", "current_imaginary."})
        if (is_conductor(boundary) && !is_eddy)
          names.add(name + boundary.group.name + end);
    for (const PathQuantity quantity : path_quantities) {
      const bool is_size = quantity == PathQuantity::length || quantity == PathQuantity::area;
      const bool is_integral = quantity == PathQuantity::along || quantity == PathQuantity::flux;
      const auto add_path = [&](const std::string& path) {
        for (const char* part : {"_real.", "_imaginary.", "_magnitude.", "_phase."})
          if (is_integral)
            names.add(name_of(quantity, problem.physics) + part + path + end);
        if (is_size)
          names.add(name_of(quantity, problem.physics) + "." + path + end);
      };
      for (const Line& line : output.lines)
        if (is_of_lines(quantity))
          add_path(line.name);
      for (const SurfaceInput& surface : output.surfaces)
        if (is_of_surfaces(quantity))
          add_path(surface.name);
    }
    if (lists(output, Quantity::capacitance_matrix))
      add_matrix_names({"conductance.", "capacitance."}, matrix_conductors(problem, output), end, names);
    if (lists(output, Quantity::capacitance))
      for (const char* name : {"capacitance", "conductance", "loss_tangent"})
        names.add(name + end);
    std::vector<std::string> terminals;
    for (const SolidConductor& conductor : problem.conductors)
      terminals.push_back(conductor.name.name);
    for (const CoilInput& coil : problem.coils)
      terminals.push_back(coil.name.name);
    for (const std::string& terminal : terminals)
      for (const char* name :
           {"voltage_real.", "voltage_imaginary.", "current_real.", "current_imaginary.", "resistance.", "inductance."})
        names.add(name + terminal + end);
    if (lists(output, Quantity::inductance_matrix))
      add_matrix_names({"resistance.", "inductance."}, terminals, end, names);
  }
  return names;
}

void finish_harmonic(Case& input, InputErrors& errors) {
  if (!is_harmonic(input.problem.physics))
    return;
  const auto refuse = [&](const Location& where, const std::string& what) {
    errors.add(where, name_of(input.problem.physics) + " does not support " + what + " in this version.");
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
  if (lists(input.output, Quantity::capacitance_matrix))
    for (const GroupName& name : input.output.conductors)
      for (const Boundary& boundary : input.problem.boundaries)
        if (boundary.group.name == name.name && boundary.kind == BoundaryKind::floating)
          errors.add(name.where, "the admittance matrix is that of conductors with a potential, but '" +
                                     printable(name.name) + "' floats: its given current is zero in the matrix.");
  if (input.output.recovered)
    refuse(input.output.where, "output.recovered");
  if (input.verification.has_exact)
    refuse(place, "verification by an exact solution");
  if (input.execution.mesh == MeshOfProcess::parts)
    refuse(input.execution.mesh_where, "execution.mesh: parts");
}

} // namespace tessera::io::detail
