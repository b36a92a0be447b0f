// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "io/input/input_text.hpp"
#include "io/input/sections/sections.hpp"
#include "io/output/convergence_file.hpp"
#include "io/pictures/canvas.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <initializer_list>

namespace tessera::io::detail {

namespace {

/// Reads a list of names that depend on the physics, each at most once; `locations` receives the places of the result's
/// entries.
template <class Enum>
std::vector<Enum> read_names(MapReader& in, const std::string& key, const std::string& what,
                             std::initializer_list<Enum> values, Physics physics,
                             std::vector<Location>* locations = nullptr) {
  std::vector<std::string> names;
  for (const Enum value : values)
    if (!name_of(value, physics).empty())
      names.push_back(name_of(value, physics));
  std::vector<Enum> result;
  const std::vector<const YamlNode*> items = in.list(key);
  for (std::size_t i = 0; i < items.size(); ++i) {
    const Location where = in.item_location(key, i, *items[i]);
    const std::string text = read_text(*items[i], where, in.errors());
    const auto value = std::find_if(values.begin(), values.end(), [&](Enum v) { return name_of(v, physics) == text; });
    if (text.empty())
      continue;
    if (value == values.end())
      in.errors().add_unknown(where, what, text, names);
    else if (std::find(result.begin(), result.end(), *value) != result.end())
      in.errors().add(where, "'" + text + "' is listed twice.");
    else {
      result.push_back(*value);
      if (locations != nullptr)
        locations->push_back(where);
    }
  }
  return result;
}
/// `is_dg`, `order`: of the elements; they determine the default for recovered fields.
Probe read_probe(MapReader in, const std::string& name, int dimension, bool is_dg, int order) {
  Probe probe;
  probe.name = name;
  probe.where = in.where();
  const bool plain = std::all_of(name.begin(), name.end(),
                                 [](unsigned char c) { return std::isalnum(c) != 0 || c == '_' || c == '-'; });
  if (!plain)
    in.fail("the name becomes a file's: only letters, digits, '_' and '-' are allowed.");
  // File systems allow 255 bytes including the extension and the temporary name's additions.
  if (name.size() > 200)
    in.fail("the name becomes a file's: at most 200 characters are allowed, but it has " + std::to_string(name.size()) +
            ".");
  const std::size_t n_min = dimension == 3 ? 3 : 2;
  const std::size_t n_max = dimension == 2 ? 2 : 3;
  const YamlNode* points = in.require("points", "the number of points between from and to, or a list of points");
  probe.is_line = points == nullptr || points->kind != YamlNode::Kind::sequence;
  if (probe.is_line) {
    in.require("from", "first point of the line");
    in.require("to", "last point of the line");
    const std::vector<double> from = in.numbers("from", n_min, n_max);
    const std::vector<double> to = in.numbers("to", n_min, n_max);
    if (!from.empty() && !to.empty() && from.size() != to.size())
      in.fail("to",
              "has " + std::to_string(to.size()) + " coordinates, but from has " + std::to_string(from.size()) + ".");
    else if (!from.empty() && from == to)
      in.fail("to", "is the same point as from; a single point is written as a list, points: [[..]].");
    probe.from = to_point(from, dimension);
    probe.to = to_point(to, dimension);
    for (std::size_t k = 0; k < probe.from.size(); ++k)
      if (std::isinf(probe.to[k] - probe.from[k]))
        in.fail("to", "the length of the line is no finite number.");
    probe.n_points = in.integer("points", 2, 2, most_points_of_line);
  } else {
    for (const char* key : {"from", "to"})
      if (in.has(key))
        in.fail(key, "does not go with a list of points.");
    if (points->items.empty())
      in.fail("points", "the list is empty.");
    for (std::size_t i = 0; i < points->items.size(); ++i) {
      const Location where = in.item_location("points", i, points->items[i]);
      if (const auto point = read_point(points->items[i], where, dimension, in.errors()))
        probe.list.push_back(*point);
    }
  }
  if (is_dg && in.has("recovered"))
    in.fail("recovered", "applies to discretization.method cg only.");
  probe.recovered = in.boolean("recovered", !is_dg && order == 1);
  in.finish();
  return probe;
}

Body read_body(MapReader in, const std::string& name, int dimension, const Location& where) {
  Body body;
  body.name = name;
  body.where = where;
  const std::vector<const YamlNode*> groups = in.list("groups");
  if (in.has("groups") && groups.empty())
    in.fail("groups", "the list is empty. Name regions or boundaries; without the key, the name of the body is used.");
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const Location place = in.item_location("groups", i, *groups[i]);
    add_group(body.groups, {read_text(*groups[i], place, in.errors()), place}, in.errors());
  }
  if (!in.has("groups"))
    body.groups.push_back({name, where});
  if (in.has("about"))
    body.about = to_point(in.numbers("about", dimension == 3 ? 3 : 2, dimension == 2 ? 2 : 3), dimension);
  in.finish();
  return body;
}
/// Name of the file of the matrix; "" without one.
std::string read_matrix(MapReader& in) {
  if (!in.has("matrix"))
    return "";
  const std::string ending = ".mtx";
  const std::string name = in.text("matrix", "");
  const std::size_t n = name.size() - std::min(name.size(), ending.size());
  const bool is_plain = std::all_of(name.begin(), name.begin() + static_cast<std::ptrdiff_t>(n),
                                    [](unsigned char c) { return std::isalnum(c) != 0 || c == '_' || c == '-'; });
  if (n == 0 || n > 200 || !is_plain || name.substr(n) != ending)
    in.fail("matrix", "expected the name of a Matrix Market file in the output directory: at most 200 letters, digits, "
                      "'_' and '-', and " +
                          ending + ", such as system.mtx.");
  return name;
}
/// Conductors of the capacitance and of its matrix, and the matrix's ground; call after reading the quantities.
void read_conductors(MapReader& in, const ProblemOptions& problem, OutputOptions& output) {
  NameSet allowed;
  NameSet fixed;
  for (const Boundary& boundary : problem.boundaries) {
    if (is_conductor(boundary))
      allowed.add(boundary.group.name);
    if (boundary.kind == BoundaryKind::value)
      fixed.add(boundary.group.name);
  }
  NameSet found;
  const std::vector<const YamlNode*> conductors = in.list("conductors");
  for (std::size_t i = 0; i < conductors.size(); ++i) {
    const Location where = in.item_location("conductors", i, *conductors[i]);
    const std::string name = read_text(*conductors[i], where, in.errors());
    if (!name.empty() && !allowed.has(name))
      in.errors().add_unknown(where, "conductor", name, allowed.list());
    if (found.has(name))
      in.errors().add(where, "'" + name + "' is listed twice.");
    found.add(name);
    output.conductors.push_back({name, where});
  }
  const bool of_matrix = lists(output, Quantity::capacitance_matrix);
  const PhysicsTraits& traits = traits_of(problem);
  const std::string matrix = *traits.matrix.name != '\0' ? traits.matrix.name : "capacitance_matrix";
  const Quantity single = lists(output, Quantity::resistance) ? Quantity::resistance : Quantity::capacitance;
  if (in.has("conductors") && !of_matrix && found.list().size() != 2)
    in.fail("conductors", "expected two different groups, between which the capacitance is.");
  if (in.has("conductors") && !of_matrix && !lists(output, single))
    in.errors().add_note(in.location("conductors"), "has no effect: output.quantities lists neither " +
                                                        name_of(single, problem.physics) + " nor " + matrix + '.');
  if (in.has("conductors") && of_matrix && conductors.empty())
    in.fail("conductors", "the list is empty. Name groups with a potential; without the key all of them count: " +
                              joined(allowed.list()) + ".");
  if (of_matrix && lists(output, single) && in.has("conductors") && found.list().size() != 2)
    in.fail("conductors", "the " + name_of(single, problem.physics) + " is between two conductors, but " +
                              std::to_string(found.list().size()) + " are listed. List " + matrix +
                              " only: it contains that of every pair.");
  if (in.has("ground") && !of_matrix)
    in.fail("ground", "applies to the quantity " + matrix + " only.");
  output.ground = {in.text("ground", ""), in.location("ground")};
  const std::string& ground = output.ground.name;
  if (!ground.empty() && allowed.has(ground) && !fixed.has(ground))
    in.fail("ground", "'" + ground + "' is floating, but the ground is held at 0 " + traits.solution.unit +
                          ". Give it a " + traits.solution.name + ", or choose of: " + joined(fixed.list()) + ".");
  else if (!ground.empty() && !fixed.has(ground))
    in.errors().add_unknown(output.ground.where, "ground", ground, fixed.list());
  else if (found.has(ground))
    in.fail("ground", "'" + ground + "' is one of output.conductors; it cannot be the ground as well.");
}

} // namespace
void read_output(MapReader in, int dimension, const ProblemOptions& problem,
                 const DiscretizationOptions& discretization, OutputOptions& output) {
  output.directory = in.text("directory", output.directory);
  output.where = in.location("directory");
  output.errors = in.choice("errors", output.errors);
  output.report = in.boolean("report", output.report);
  output.netlist_where = in.location("netlist");
  output.netlist = in.boolean("netlist", output.netlist);
  output.matrix_where = in.location("matrix");
  output.matrix = read_matrix(in);
  output.convergence = in.boolean("convergence", output.convergence);
  if (output.report && *pictures::cairo_version() == '\0')
    in.fail("report", "this build has no Cairo, which draws the pictures (tessera info).");
  if (output.report) // needed for its pictures
    output.fields = {Field::solution, Field::gradient, Field::material};
  const bool is_dg = discretization.method == Method::dg;
  output.recovered = in.boolean("recovered", output.recovered);
  if (is_dg && in.has("recovered"))
    in.fail("recovered", "applies to discretization.method cg only.");
  else if (output.recovered)
    output.fields = {Field::solution, Field::gradient, Field::flux, Field::material};
  output.fields_where = in.location("fields");
  if (in.has("fields"))
    output.fields =
        read_names(in, "fields", "field",
                   {Field::solution, Field::gradient, Field::flux, Field::material, Field::colour}, problem.physics);
  // Pictures show materials, and separate fields where these change.
  if (output.report && !output.fields.empty() &&
      std::find(output.fields.begin(), output.fields.end(), Field::material) == output.fields.end())
    output.fields.push_back(Field::material);
  if (output.recovered && !is_dg && std::none_of(output.fields.begin(), output.fields.end(), [](Field field) {
        return field == Field::gradient || field == Field::flux;
      }))
    in.fail("recovered", "there is nothing to recover: output.fields has neither " +
                             name_of(Field::gradient, problem.physics) + " nor " +
                             name_of(Field::flux, problem.physics) + ". Add one, or leave out output.fields.");
  const auto is_vector = [](Field field) { return field == Field::gradient || field == Field::flux; };
  const bool has_vectors = std::any_of(output.fields.begin(), output.fields.end(), is_vector);
  if (problem.time.requested() && !is_dg && !output.recovered && has_vectors) {
    if (in.has("fields"))
      in.fail("fields", name_of(Field::gradient, problem.physics) + " and " + name_of(Field::flux, problem.physics) +
                            " are written at the points of every time step with recovered: true only.");
    output.fields.erase(std::remove_if(output.fields.begin(), output.fields.end(), is_vector), output.fields.end());
  }
  std::vector<Location> locations;
  output.quantities =
      is_dg ? read_names(in, "quantities", "quantity",
                         {Quantity::energy, Quantity::losses, Quantity::charge, Quantity::capacitance,
                          Quantity::resistance, Quantity::mean},
                         problem.physics, &locations)
            : read_names(in, "quantities", "quantity",
                         {Quantity::energy, Quantity::losses, Quantity::coenergy, Quantity::charge,
                          Quantity::capacitance, Quantity::resistance, Quantity::flux_linkage, Quantity::inductance,
                          Quantity::force, Quantity::torque, Quantity::capacitance_matrix, Quantity::inductance_matrix,
                          Quantity::storage, Quantity::regions},
                         problem.physics, &locations);
  read_conductors(in, problem, output);
  if (in.has("bodies") && (is_dg || name_of(Quantity::force, problem.physics).empty()))
    in.fail("bodies", "is for forces, which continuous elements have in electrostatics and magnetic problems.");
  MapReader bodies = in.map("bodies");
  for (const std::string& name : bodies.keys())
    output.bodies.push_back(read_body(bodies.map(name), name, dimension, bodies.location(name)));
  if (!output.bodies.empty() && !lists(output, Quantity::force) && !lists(output, Quantity::torque))
    in.errors().add_note(bodies.where(), "has no effect: output.quantities lists neither force nor torque.");
  check_quantities(problem, output, locations, in.errors());
  if (in.has("every") && !problem.time.requested())
    in.fail("every", "applies to problems with problem.time only.");
  output.every = in.integer("every", output.every, 1, 1000000);
  if (in.has("times") && !problem.time.is_controlled())
    in.fail("times", "applies to problems with problem.time.tolerance only; with given steps use every.");
  else
    read_instants(in, "times", problem.time.from, problem.time.to, output.times);
  if (in.has("subdivisions") && !is_dg)
    in.fail("subdivisions", "applies to discretization.method dg only.");
  output.subdivisions = in.integer("subdivisions", output.subdivisions, 1, 32);
  if (is_dg && std::find(output.fields.begin(), output.fields.end(), Field::flux) != output.fields.end())
    in.fail("fields", "dg does not write '" + name_of(Field::flux, problem.physics) + "'; it writes '" +
                          name_of(Field::solution, problem.physics) + "' and '" +
                          name_of(Field::gradient, problem.physics) + "'.");
  read_integrals(in, dimension, discretization.method, output);
  MapReader probes = in.map("probes");
  for (const std::string& name : probes.keys()) {
    for (const Probe& other : output.probes)
      if (lower_case(name) == lower_case(other.name))
        probes.fail(name, "differs from the probe '" + other.name +
                              "' by upper and lower case only: some file systems would keep one of the two files.");
    for (const std::string& table : table_names(output, problem))
      if (lower_case(name) == table)
        probes.fail(name, "the file " + table + ".csv is that of " +
                              (table == "lines" || table == "surfaces" ? "output." + table
                               : table == "quantities"                 ? "the quantities"
                                                                       : "the quantity") +
                              '.');
    if (output.convergence && lower_case(name) + ".csv" == convergence_file_name)
      probes.fail(name, "the file " + convergence_file_name + " has the residuals (output.convergence).");
    output.probes.push_back(read_probe(probes.map(name), name, dimension, is_dg, discretization.order.number));
  }
  in.finish();
}
} // namespace tessera::io::detail
