// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/constants.hpp"
#include "io/input/input_text.hpp"
#include "io/input/sections/sections.hpp"
#include "io/materials/material_patterns.hpp"
#include "physics/expressions/effective_curve.hpp"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <map>
#include <sstream>
#include <unordered_map>

namespace tessera::io::detail {

namespace {

constexpr int most_frequencies = 1000;

double skin_depth(double frequency, double relative_permeability, double conductivity) {
  return 1. / std::sqrt(pi * frequency * physics::vacuum_permeability * relative_permeability * conductivity);
}

/// The number with six digits, so that names and tables with it are short.
double shortened(double value) {
  std::ostringstream text;
  text << std::setprecision(6) << value;
  return std::stod(text.str());
}

/// The frequencies between two, with six digits, and these; first the one whose fields are written.
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
  const double of_fields = in.number("fields", from, Range::positive());
  if (in.has("from") && in.has("to") && !(from < to))
    in.fail("to", "must be above from, " + number_text(from) + " Hz.");
  else if (of_fields < from || of_fields > to)
    in.fail("fields", "must be between from and to, " + number_text(from) + " and " + number_text(to) + " Hz.");
  in.finish();
  std::vector<double> frequencies;
  for (int i = 0; i < n; ++i) {
    const double share = static_cast<double>(i) / (n - 1);
    const double f = scale == "log" ? from * std::pow(to / from, share) : from + share * (to - from);
    frequencies.push_back(i == 0 ? from : i == n - 1 ? to : shortened(f));
  }
  frequencies.erase(std::remove(frequencies.begin(), frequencies.end(), of_fields), frequencies.end());
  frequencies.insert(frequencies.begin(), of_fields);
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

/// How the frequencies are solved.
FrequencySweep read_sweep(MapReader in, const std::vector<double>& frequencies) {
  FrequencySweep sweep;
  sweep.where = in.where();
  const std::string method = in.text("method", "direct");
  if (method != "direct" && method != "reduced")
    in.fail("method", "must be direct or reduced, found " + printable(method) + ".");
  sweep.reduced = method == "reduced";
  const auto [least, largest] = std::minmax_element(frequencies.begin(), frequencies.end());
  for (const char* key : {"from", "to"})
    if (in.has(key) && !sweep.reduced)
      in.fail(key, "is the range of a reduced model: method: reduced.");
  sweep.from = in.number("from", *least, Range::positive());
  sweep.to = in.number("to", *largest, Range::positive());
  if (sweep.reduced && !(sweep.from < sweep.to))
    in.fail("a reduced model needs at least two frequencies, or a range from < to.");
  else if (sweep.reduced)
    for (const double f : frequencies)
      if (f < sweep.from || f > sweep.to) {
        in.fail("the frequency " + number_text(f) + " Hz is outside the range of the reduced model, " +
                number_text(sweep.from) + " to " + number_text(sweep.to) + " Hz (from, to).");
        break;
      }
  in.finish();
  return sweep;
}

std::vector<GroupName> read_names_of(MapReader& in, const char* key) {
  std::vector<GroupName> groups;
  const std::vector<const YamlNode*> nodes = in.list(key);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const Location place = in.item_location(key, i, *nodes[i]);
    add_group(groups, {read_text(*nodes[i], place, in.errors()), place}, in.errors());
  }
  if (in.has(key) && nodes.empty())
    in.fail(key, "the list is empty. Name " + std::string(key) +
                     "; without the key, the name of the conductor is that of its region.");
  return groups;
}

SolidConductor read_conductor(MapReader in, const std::string& name) {
  SolidConductor conductor;
  conductor.name = {name, in.where()};
  conductor.regions = read_names_of(in, "regions");
  conductor.boundaries = read_names_of(in, "boundaries");
  if (in.has("regions") && in.has("boundaries"))
    in.fail("boundaries", "are for a conductor that is not meshed, 'regions' for one that is: give one of them.");
  if (!in.has("regions") && !in.has("boundaries"))
    conductor.regions.push_back(conductor.name);
  conductor.has_voltage = in.has("voltage");
  conductor.in_circuit = in.exists() && !conductor.has_voltage && !in.has("current"); // check_circuit() sees to that
  if (conductor.has_voltage && in.has("current"))
    in.fail("a conductor needs either its total current (A) or its voltage (V), found both.");
  conductor.value = in.number(conductor.has_voltage ? "voltage" : "current", 0.);
  if (conductor.in_circuit && in.has("phase"))
    in.fail("phase", "needs a current or a voltage.");
  conductor.phase = in.number("phase", 0.);
  in.finish();
  return conductor;
}

constexpr std::array<std::pair<const char*, CircuitElement::Kind>, 5> element_keys{
    {{"voltage", CircuitElement::Kind::voltage_source},
     {"current", CircuitElement::Kind::current_source},
     {"resistance", CircuitElement::Kind::resistance},
     {"inductance", CircuitElement::Kind::inductance},
     {"capacitance", CircuitElement::Kind::capacitance}}};

CircuitElement read_element(MapReader in, const std::string& name) {
  CircuitElement element;
  element.name = {name, in.where()};
  in.require("nodes", "the two nodes that it connects, for example [in, ground]");
  const std::vector<const YamlNode*> nodes = in.list("nodes");
  for (std::size_t i = 0; i < nodes.size() && i < 2; ++i)
    element.nodes[i] = read_text(*nodes[i], in.item_location("nodes", i, *nodes[i]), in.errors());
  if (in.has("nodes") && nodes.size() != 2)
    in.fail("nodes", "an element has two nodes, found " + std::to_string(nodes.size()) + ".");
  else if (in.has("nodes") && element.nodes[0] == element.nodes[1])
    in.fail("nodes", "both are '" + printable(element.nodes[0]) + "'; a short circuit is a source of 0 V.");
  std::vector<std::string> given;
  for (const auto& [key, kind] : element_keys) {
    if (!in.has(key))
      continue;
    given.emplace_back(key);
    element.kind = kind;
    const bool is_source = kind == CircuitElement::Kind::voltage_source || kind == CircuitElement::Kind::current_source;
    element.value = in.number(key, 1., is_source ? Range{} : Range::positive());
    if (is_source)
      element.phase = in.number("phase", 0.);
  }
  if (given.size() > 1)
    in.fail("an element has one value, found " + joined(given) + "; connect two elements by a node.");
  in.finish();
  return element;
}

/// Sets of nodes that are connected.
class NodeSets {
public:
  /// Connects two nodes; returns whether they were not connected before.
  bool join(const std::array<std::string, 2>& nodes) {
    const std::string from = set_of(nodes[0]);
    const std::string to = set_of(nodes[1]);
    for (auto& entry : sets_)
      if (entry.second == from)
        entry.second = to;
    return from != to;
  }
  bool are_connected(const std::array<std::string, 2>& nodes) { return set_of(nodes[0]) == set_of(nodes[1]); }

private:
  std::string set_of(const std::string& node) { return sets_.emplace(node, node).first->second; }
  std::unordered_map<std::string, std::string> sets_; // one of the nodes of the set of each
};

/// Checks that sources determine all voltages and currents, and that the circuit has those terminals that are given
/// neither.
void check_circuit(const ProblemOptions& problem, InputErrors& errors) {
  std::unordered_map<std::string, bool> in_circuit; // of each terminal, whether it needs to be there
  for (const SolidConductor& conductor : problem.conductors)
    in_circuit[conductor.name.name] = conductor.in_circuit;
  for (const CoilInput& coil : problem.coils)
    in_circuit[coil.name.name] = coil.in_circuit;
  NameSet names;
  for (const auto& terminal : in_circuit)
    names.add(terminal.first);
  NameSet elements;
  NodeSets by_voltages;
  NodeSets by_others;
  for (const CircuitElement& element : problem.circuit) {
    const std::string name = "'" + printable(element.name.name) + "'";
    elements.add(element.name.name);
    const auto terminal = in_circuit.find(element.name.name);
    const bool is_terminal = element.kind == CircuitElement::Kind::terminal;
    if (is_terminal && terminal == in_circuit.end())
      errors.add(element.name.where,
                 name +
                     " has no voltage, current, resistance, inductance or capacitance, and no coil or conductor is "
                     "called so" +
                     (in_circuit.empty() ? "." : "; they are " + joined(names.list()) + "."));
    else if (is_terminal && !terminal->second)
      errors.add(element.name.where, name + " is in the circuit, which determines its current and voltage: leave out "
                                            "the one that is given there.");
    else if (!is_terminal && terminal != in_circuit.end())
      errors.add(element.name.where, name + " is a coil or conductor, which has no other value here; give this element "
                                            "another name.");
    if (element.kind == CircuitElement::Kind::voltage_source && !by_voltages.join(element.nodes))
      errors.add(element.name.where, name + " closes a loop of voltage sources, in which the current is undetermined: "
                                            "add a resistance, or leave the source out.");
    if (element.kind != CircuitElement::Kind::current_source)
      by_others.join(element.nodes);
  }
  for (const CircuitElement& element : problem.circuit)
    if (element.kind == CircuitElement::Kind::current_source && !by_others.are_connected(element.nodes))
      errors.add(element.name.where, "the current of '" + printable(element.name.name) +
                                         "' has no way back from node '" + printable(element.nodes[1]) + "' to '" +
                                         printable(element.nodes[0]) +
                                         "' but through current sources: connect them by another element.");
  std::map<std::string, int> n_elements; // at each node
  for (const CircuitElement& element : problem.circuit)
    for (const std::string& node : element.nodes)
      ++n_elements[node];
  for (const CircuitElement& element : problem.circuit)
    for (const std::string& node : element.nodes)
      if (n_elements[node] == 1)
        errors.add_note(element.name.where, "node '" + printable(node) + "' connects '" + printable(element.name.name) +
                                                "' with nothing, so that no current flows through it.");
  const auto check_given = [&](const GroupName& name, bool needs, const char* what, const char* values) {
    if (needs && !is_listed(elements.list(), name.name))
      errors.add(name.where, std::string("a ") + what + " needs " + values + ", or a place in problem.circuit.");
  };
  for (const SolidConductor& conductor : problem.conductors)
    check_given(conductor.name, conductor.in_circuit, "conductor",
                "either its total current (A) or its voltage (V); eddy currents of a region without a connection need "
                "no conductor");
  for (const CoilInput& coil : problem.coils)
    check_given(coil.name, coil.in_circuit, "coil", "its current (A)");
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

/// Limits the sizes of elements in regions with eddy currents by the skin depth at the highest frequency.
void set_skin_sizes(Case& input, InputErrors& errors) {
  MeshOptions& mesh = input.mesh;
  if (input.problem.physics != Physics::eddy_currents)
    errors.add(mesh.where, "mesh.skin_elements applies to eddy-currents only.");
  else if (mesh.scale == 0.)
    errors.add(mesh.where,
               "mesh.skin_elements needs mesh.units or mesh.scale, as the unit of the file is not known yet.");
  else
    for (const Material& material : input.problem.materials) {
      if (material.conductivity == 0.)
        continue;
      const double highest = *std::max_element(input.problem.frequencies.begin(), input.problem.frequencies.end());
      const double largest = std::max({material.relative_permeability[0], material.relative_permeability[1],
                                       physics::largest_permeability(material.bh_curve)});
      const double depth = skin_depth(highest, largest, material.conductivity);
      const double size = depth / mesh.skin_elements / mesh.scale;
      const auto given = mesh.sizes.emplace(material.region.name, size).first;
      given->second = std::min(given->second, size);
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
  for (const char* key : {"conductors", "circuit", "sweep"})
    if (in.has(key) && !is_eddy)
      in.fail(key, "applies to eddy-currents only.");
  if (!is_harmonic(problem.physics))
    return;
  problem.frequencies = read_frequencies(in);
  problem.phasors = in.choice("phasors", problem.phasors);
  if (!is_eddy)
    return;
  problem.sweep = read_sweep(in.map("sweep"), problem.frequencies);
  MapReader conductors = in.map("conductors");
  for (const std::string& name : conductors.keys())
    problem.conductors.push_back(read_conductor(conductors.map(name), name));
  MapReader circuit = in.map("circuit");
  for (const std::string& name : circuit.keys())
    problem.circuit.push_back(read_element(circuit.map(name), name));
  check_circuit(problem, in.errors());
  check_conductors(problem, in.errors());
}

SurfaceImpedance read_impedance(MapReader in) {
  SurfaceImpedance metal;
  in.require("conductivity", "in S/m");
  metal.conductivity = in.number("conductivity", 1., Range::positive());
  metal.relative_permeability = in.number("relative_permeability", 1., Range::positive());
  in.finish();
  return metal;
}

void check_surface_conductors(const ProblemOptions& problem, InputErrors& errors) {
  NameSet impedances;
  for (const Boundary& boundary : problem.boundaries)
    if (boundary.impedance)
      impedances.add(boundary.group.name);
  std::unordered_map<std::string, std::string> used; // by boundary
  for (const SolidConductor& conductor : problem.conductors)
    for (const GroupName& boundary : conductor.boundaries) {
      const auto added = used.emplace(boundary.name, conductor.name.name);
      if (!impedances.has(boundary.name))
        errors.add_unknown(boundary.where, "boundary with an impedance", boundary.name, impedances.list());
      else if (!added.second)
        errors.add(boundary.where, "boundary '" + printable(boundary.name) + "' belongs to conductor '" +
                                       printable(added.first->second) + "' already.");
    }
}

namespace {

/// Of the quantity `regions`: volume, and means of the components of fields.
std::vector<std::string> names_of_regions(const ProblemOptions& problem, int dimension) {
  const PhysicsTraits& traits = traits_of(problem.physics);
  const bool is_eddy = problem.physics == Physics::eddy_currents;
  std::vector<std::string> phasors; // beginnings of names
  const std::string axes = has_flux_function(problem) ? "rz" : dimension == 2 ? "xy" : "xyz";
  for (const char axis : axes) {
    phasors.push_back(std::string("mean_") + traits.gradient.name + "_" + axis);
    if (!is_eddy)
      phasors.push_back(std::string("mean_") + traits.flux.name + "_" + axis);
  }
  if (!is_eddy)
    phasors.push_back(std::string("mean_") + traits.solution.name);
  std::vector<std::string> names{"volume", std::string("mean_") + traits.gradient.name + "_magnitude"};
  for (const std::string& phasor : phasors)
    for (const char* part : {"_real", "_imaginary"})
      names.push_back(phasor + part);
  return names;
}

} // namespace

NameSet harmonic_names(const ProblemOptions& problem, const OutputOptions& output, int dimension) {
  NameSet names;
  const NameSet forces = force_names(problem, output, dimension);
  const bool is_eddy = problem.physics == Physics::eddy_currents;
  const std::vector<std::string> of_regions =
      lists(output, Quantity::regions) ? names_of_regions(problem, dimension) : std::vector<std::string>();
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
      for (const char* name : {"skin_depth.", "largest_current_density."})
        if (is_eddy)
          names.add(name + material.region.name + end);
      for (const std::string& name : of_regions)
        names.add(name + "." + material.region.name + end);
      if (!material.core_losses.empty())
        names.add("core_losses." + material.region.name + end);
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
    for (const Boundary& boundary : problem.boundaries)
      for (const char* name : {"losses.", "skin_depth."})
        if (boundary.impedance)
          names.add(name + boundary.group.name + end);
    std::vector<std::string> terminals;
    for (const SolidConductor& conductor : problem.conductors)
      terminals.push_back(conductor.name.name);
    for (const CoilInput& coil : problem.coils)
      terminals.push_back(coil.name.name);
    std::vector<std::string> elements = terminals;
    for (const CircuitElement& element : problem.circuit)
      if (element.kind != CircuitElement::Kind::terminal)
        elements.push_back(element.name.name);
    for (const std::string& terminal : elements)
      for (const char* name :
           {"voltage_real.", "voltage_imaginary.", "current_real.", "current_imaginary.", "resistance.", "inductance."})
        names.add(name + terminal + end);
    if (lists(output, Quantity::inductance_matrix))
      add_matrix_names({"resistance.", "inductance."}, terminals, end, names);
  }
  return names;
}

/// Refuses what does not depend on the amplitude, or adds up solutions.
void check_saturation(const Case& input, InputErrors& errors) {
  const std::vector<Material>& materials = input.problem.materials;
  const auto iron = std::find_if(materials.begin(), materials.end(),
                                 [](const Material& material) { return !material.bh_curve.empty(); });
  if (iron == materials.end())
    return;
  const auto refuse = [&](const Location& where, const std::string& what) {
    errors.add(where, what + ", but '" + iron->region.name + "' has a bh_curve (" + iron->region.where.text() +
                          "). Give it a relative_permeability.");
  };
  if (lists(input.output, Quantity::inductance_matrix))
    refuse(input.output.where, "the matrices of resistances and inductances are those of linear materials");
  if (input.output.netlist)
    refuse(input.output.netlist_where, "a netlist has impedances of linear materials");
  for (const Line& line : input.output.lines)
    refuse(line.where, "integrals along lines, output.lines, need linear materials in this version");
}

/// Refuses what changes K and M with the frequency.
void check_sweep(const Case& input, InputErrors& errors) {
  if (!input.problem.sweep.reduced)
    return;
  const auto refuse = [&](const std::string& what, const Location& where) {
    errors.add(input.problem.sweep.where, "a reduced model needs matrices that are the same at all frequencies, but " +
                                              what + " (" + where.text() + "). Leave out the method.");
  };
  for (const Material& material : input.problem.materials) {
    const bool has_lossy_sheets = material.laminations && material.laminations->conductivity != 0.;
    if (material.lag_angle != 0. || has_lossy_sheets || !material.bh_curve.empty())
      refuse("'" + material.region.name + "' has a " +
                 (has_lossy_sheets            ? "conductivity of laminations"
                  : material.bh_curve.empty() ? "lag_angle"
                                              : "bh_curve"),
             material.region.where);
  }
  for (const Boundary& boundary : input.problem.boundaries)
    if (boundary.impedance)
      refuse("'" + boundary.group.name + "' has an impedance", boundary.group.where);
}

void finish_harmonic(Case& input, InputErrors& errors) {
  if (input.mesh.skin_elements > 0.)
    set_skin_sizes(input, errors);
  const ProblemOptions& problem = input.problem;
  if (input.output.netlist && problem.physics != Physics::eddy_currents)
    errors.add(input.output.netlist_where, "a netlist has the impedances of eddy-currents only.");
  else if (input.output.netlist && problem.conductors.empty() && problem.coils.empty())
    errors.add(input.output.netlist_where, "a netlist needs conductors or coils.");
  if (!is_harmonic(input.problem.physics))
    return;
  const auto refuse = [&](const Location& where, const std::string& what) {
    errors.add(where, name_of(input.problem.physics) + " does not support " + what + " in this version.");
  };
  const Location& place = input.problem.materials_where;
  check_saturation(input, errors);
  check_sweep(input, errors);
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
