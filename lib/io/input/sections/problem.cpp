// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "io/input/input_text.hpp"
#include "io/input/sections/sections.hpp"
#include "io/input/temperature.hpp"
#include "physics/expressions/expression.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <map>

namespace tessera::io::detail {

namespace {

Physics read_physics(MapReader& in, int dimension) {
  const YamlNode* node = in.require("physics", "one of " + joined(physics_names()));
  if (node == nullptr)
    return Physics::electrostatics;
  const Physics physics = in.choice("physics", Physics::electrostatics);
  if (has_vector_potential(physics) && dimension == 3)
    in.fail("physics", name_of(physics) + " needs a mesh of dimension 2 in this version; this one has 3.");
  return physics;
}

/// Reads the data of a region of an advection-diffusion-reaction problem other than its diffusivity.
void read_advection(MapReader& in, int dimension, Material& material) {
  if (const YamlNode* velocity = in.find("velocity"))
    material.velocity = read_directions(in, "velocity", *velocity, dimension, {});
  material.reaction = in.scalar("reaction", {});
}

/// Reads whether a region represents open space.
void read_open_space(MapReader& in, int dimension, const ProblemOptions& problem, Material& material) {
  if (!in.has("shell"))
    return;
  material.shell = read_shell(in.map("shell"), problem.symmetry, dimension);
  if (!material.coefficient.isotropic())
    in.fail("shell", "stands for space of a uniform medium: give " +
                         std::string(traits_of(problem.physics).coefficient) + " as one value.");
}

/// Reads the heat of fusion.
void read_fusion(MapReader& in, Material& material) {
  if (!in.has(latent_heat)) {
    if (in.has(melting))
      in.fail(melting, "applies to materials with a latent_heat, in J/kg, only.");
    return;
  }
  const Scalar heat = in.scalar(latent_heat, {}, Range::positive());
  if (!heat.is_constant)
    in.fail(latent_heat, "must be a number: specific_heat may depend on T.");
  if (in.require(melting, "[solidus, liquidus], the temperatures between which it takes up its latent_heat") == nullptr)
    return;
  const std::vector<double> range = in.numbers(melting, 2, 2);
  if (range.size() != 2)
    return;
  if (range[0] >= range[1]) {
    in.fail(melting, "the liquidus must be above the solidus, but is " + number_text(range[1]) + " after " +
                         number_text(range[0]) +
                         ". A pure substance, which melts at one temperature, takes a narrow range around it: a "
                         "hundredth of the temperature differences of the problem.");
    return;
  }
  material.fusion = Fusion{heat.value, range[0], range[1]};
}

/// Checks that the materials have capacities, and do not change with time.
void check_materials_in_time(const ProblemOptions& problem, InputErrors& errors) {
  const PhysicsTraits& traits = traits_of(problem.physics);
  const std::vector<std::string> factors(traits.capacity.begin(), traits.capacity.end());
  for (const Material& material : problem.materials) {
    const auto is_given = [&](const std::string& factor) {
      return std::find(material.capacity_keys.begin(), material.capacity_keys.end(), factor) !=
             material.capacity_keys.end();
    };
    if (needs_capacity(problem.physics) && !std::all_of(factors.begin(), factors.end(), is_given))
      errors.add(material.region.where, "with problem.time a material needs " + joined(factors) + ".");
    if (material.shell)
      errors.add(material.region.where, "with problem.time there are no shells: space without end stores without end.");
    for (const auto* entries : {&material.coefficient.diagonal, &material.coefficient.off_diagonal, &material.capacity})
      for (const Scalar& entry : *entries)
        if (!entry.is_constant && !mentions_temperature(entry.text) &&
            physics::Expression::parse(entry.text).depends_on(physics::Opcode::t))
          errors.add(material.region.where,
                     "materials that change with t are not supported with continuous elements; sources and boundaries "
                     "may.");
  }
}

/// Checks that materials do not depend on time if some depend on temperature, and that open space depends on neither.
void check_materials_of_temperature(const ProblemOptions& problem, InputErrors& errors) {
  for (const Material& material : problem.materials)
    for (const auto* entries : {&material.coefficient.diagonal, &material.coefficient.off_diagonal, &material.capacity})
      for (const Scalar& entry : *entries) {
        if (entry.is_constant)
          continue;
        if (!mentions_temperature(entry.text)) {
          if (physics::Expression::parse(entry.text).depends_on(physics::Opcode::t))
            errors.add(material.region.where, "where materials depend on the temperature T, none may depend on t.");
        } else if (material.shell) {
          errors.add(material.region.where, "a shell stands for space of a uniform medium, which cannot depend on T.");
        }
      }
}

/// Checks that open space has no sources.
void check_shells(const ProblemOptions& problem, InputErrors& errors) {
  for (const Source& source : problem.sources)
    if (shell_of(problem, source.region.name) != nullptr)
      errors.add(source.region.where, "region '" + printable(source.region.name) +
                                          "' is a shell, which stands for open space without sources.");
}

/// By how much the solution at a periodic boundary exceeds that at its partner.
double read_jump(MapReader& periodic, const std::string& key, const ProblemOptions& problem) {
  const double jump = periodic.number("jump", 0.);
  if (key != "periodic")
    periodic.fail("jump", "belongs to periodic boundaries: opposite values have no constant difference.");
  else if (is_harmonic(problem.physics) || has_vector_potential(problem.physics))
    periodic.fail("jump", "is for electrostatics, current-flow, heat and diffusion.");
  else if (problem.coupling != Coupling::none)
    periodic.fail("jump", "is for a single physics: potential and temperature of electro-thermal problems would both "
                          "jump by it.");
  return jump;
}

/// Reads the partner of a periodic boundary: its name, or a map with the motion and the jump.
PeriodicMap read_periodic(MapReader& in, const std::string& key, const GroupName& group, const ProblemOptions& problem,
                          int dimension, double& jump) {
  PeriodicMap map;
  const YamlNode& node = *in.find(key);
  if (node.kind == YamlNode::Kind::scalar) {
    map.with = {in.text(key, ""), in.location(key)};
  } else {
    MapReader periodic = in.map(key);
    periodic.require("with", "the boundary with the same values");
    map.with = {periodic.text("with", ""), periodic.location("with")};
    const bool has_translation = periodic.has("translation");
    const bool has_rotation = periodic.has("rotation");
    if (has_translation && has_rotation)
      periodic.fail("either a translation or a rotation leads to the other boundary, not both.");
    if (has_translation) {
      map.kind = PeriodicMap::Kind::translation;
      const std::vector<double> vector =
          periodic.numbers("translation", dimension == 3 ? 3 : 2, dimension == 2 ? 2 : 3);
      std::copy(vector.begin(), vector.end(), map.translation.begin());
      if (!vector.empty() && std::all_of(vector.begin(), vector.end(), [](double t) { return t == 0.; }))
        periodic.fail("translation", "must not be zero: it leads to another boundary.");
    }
    if (has_rotation) {
      map.kind = PeriodicMap::Kind::rotation;
      map.degrees = periodic.number("rotation", 0.);
      if (std::fmod(map.degrees, 360.) == 0.)
        periodic.fail("rotation", "must not be a full turn: it leads to another boundary.");
      map.center = read_pair(periodic, "center", {0., 0.});
      if (dimension == 3)
        periodic.fail("rotation", "needs a mesh of dimension 2; in 3D boundaries are identified by translation.");
    } else if (periodic.has("center")) {
      periodic.fail("center", "applies to a rotation only.");
    }
    if (periodic.has("jump"))
      jump = read_jump(periodic, key, problem);
    periodic.finish();
  }
  if (map.with.name == group.name)
    in.fail(key, "a boundary cannot be " + key + " with itself.");
  return map;
}

/// Keys of joints. A contact of current flow with a potential is not one, but a condition of the outside.
std::vector<std::string> joint_keys(Physics physics, const YamlNode* contact) {
  if (physics == Physics::heat ||
      (physics == Physics::current_flow && contact != nullptr && contact->kind == YamlNode::Kind::map &&
       contact->find(traits_of(physics).boundaries.robin_reference) == nullptr))
    return {"contact", "layer"};
  if (physics == Physics::electrostatics || physics == Physics::diffusion || physics == Physics::current_flow ||
      physics == Physics::advection_diffusion_reaction)
    return {"layer"};
  return {};
}

Joint read_joint(MapReader in, const std::string& key, const char* coefficient) {
  Joint joint;
  if (key == "layer") {
    joint.given = Joint::Given::layer;
    in.require("thickness", "of the layer, m");
    in.require(coefficient, "that of the layer; or material, a name of the library");
    joint.thickness = in.number("thickness", 1., Range::positive());
    joint.value = in.number(coefficient, 1., Range::positive());
  } else {
    const bool is_resistance = in.has("resistance");
    if (in.exists() && in.has("conductance") == is_resistance)
      in.fail("needs a conductance per area or a resistance times area, either of them.");
    joint.given = is_resistance ? Joint::Given::resistance : Joint::Given::conductance;
    joint.value = in.number(is_resistance ? "resistance" : "conductance", 1., Range::positive());
  }
  const double conductance = joint.conductance();
  if (joint.value > 0. && joint.thickness > 0. && !(conductance > 0. && std::isfinite(conductance)))
    in.fail("the conductance per area is " + number_text(conductance) + ", which is not a finite positive number.");
  in.finish();
  return joint;
}

/// Reads the enclosure of a radiation condition, whose emissivity has been read.
void read_enclosure(MapReader& radiation, const ProblemOptions& problem, int dimension, Boundary& boundary) {
  const PhysicsTraits::Boundaries& names = traits_of(problem.physics).boundaries;
  boundary.enclosure = {radiation.text("enclosure", ""), radiation.location("enclosure")};
  if (boundary.enclosure.name.empty())
    radiation.fail("enclosure", "is a name that all surfaces of the enclosure share.");
  if (dimension == 3)
    radiation.fail("enclosure", "takes planar and axisymmetric problems.");
  if (radiation.has("emissivity") && !(boundary.emissivity.is_constant && boundary.emissivity.value > 0.))
    radiation.fail("emissivity", "in an enclosure it is a number above 0, at most 1.");
  boundary.has_surroundings = radiation.has(names.robin_reference);
  if (!boundary.has_surroundings) {
    boundary.reference = Scalar::constant(300.); // where Newton's method starts
    if (radiation.has(names.robin_coefficient))
      radiation.fail(names.robin_coefficient,
                     std::string("is that of convection to '") + names.robin_reference + "', which is missing.");
  }
}

Boundary read_boundary(MapReader in, const GroupName& group, const ProblemOptions& problem, int dimension) {
  Boundary boundary;
  boundary.group = group;
  const PhysicsTraits::Boundaries& names = traits_of(problem.physics).boundaries;
  std::vector<std::string> kinds;
  std::vector<std::string> given;
  for (const BoundaryKind kind : boundary_kinds) {
    const std::string name = name_of(kind, problem.physics);
    if (name.empty())
      continue;
    kinds.push_back(name);
    if (in.has(name)) {
      given.push_back(name);
      boundary.kind = kind;
    }
  }
  for (const std::string& key : joint_keys(problem.physics, in.find("contact"))) {
    if (std::find(kinds.begin(), kinds.end(), key) == kinds.end())
      kinds.push_back(key);
    if (!in.has(key))
      continue;
    if (std::find(given.begin(), given.end(), key) == given.end())
      given.push_back(key);
    boundary.kind = BoundaryKind::joint;
  }
  if (problem.coupling == Coupling::losses_heat) // keys of current flow, which reads them, belong to what is known here
    for (const BoundaryKind kind : boundary_kinds) {
      const std::string name = name_of(kind, Physics::current_flow);
      if (!name.empty() && !in.has(name) && std::find(kinds.begin(), kinds.end(), name) == kinds.end())
        kinds.push_back(name);
    }
  if (problem.physics == Physics::eddy_currents) {
    kinds.push_back("impedance");
    if (in.has("impedance")) {
      boundary.impedance = read_impedance(in.map("impedance"));
      given.push_back("impedance");
    }
  }
  if (boundary.impedance) {
    boundary.kind = BoundaryKind::flux;
  } else if (given.size() == 1) {
    switch (boundary.kind) {
    case BoundaryKind::value:
    case BoundaryKind::flux:
      boundary.value = in.scalar(given[0], {});
      if (problem.physics == Physics::electro_quasistatics)
        boundary.phase = in.number("phase", 0.);
      break;
    case BoundaryKind::robin: {
      MapReader robin = in.map(given[0]);
      robin.require(names.robin_coefficient, "a number or an expression");
      robin.require(names.robin_reference, "a number or an expression");
      boundary.coefficient = robin.scalar(names.robin_coefficient, {}, Range::non_negative());
      boundary.reference = robin.scalar(names.robin_reference, {});
      robin.finish();
      break;
    }
    case BoundaryKind::radiation: {
      MapReader radiation = in.map(given[0]);
      radiation.require("emissivity", "a number or an expression from 0 to 1");
      boundary.emissivity = radiation.scalar("emissivity", {}, {0., false, 1.});
      if (radiation.has("enclosure"))
        read_enclosure(radiation, problem, dimension, boundary);
      else
        radiation.require(names.robin_reference, "the temperature of the surroundings, K");
      if (boundary.has_surroundings)
        boundary.reference = radiation.scalar(names.robin_reference, {}, Range::non_negative());
      boundary.coefficient = radiation.scalar(names.robin_coefficient, {}, Range::non_negative());
      radiation.finish();
      break;
    }
    case BoundaryKind::floating: {
      MapReader floating = in.map(given[0]);
      floating.require(names.floating_total, "a number");
      boundary.total = floating.number(names.floating_total, 0.);
      if (problem.physics == Physics::electro_quasistatics)
        boundary.phase = floating.number("phase", 0.);
      floating.finish();
      break;
    }
    case BoundaryKind::asymptotic: {
      MapReader asymptotic = in.map(given[0]);
      const bool is_magnetic = has_vector_potential(problem.physics);
      const bool is_plane = dimension == 2 && problem.symmetry == Symmetry::planar;
      boundary.center = read_center(asymptotic, problem.symmetry, dimension);
      // The far field of a charge vanishes at infinity in 3D, but not in 2D.
      boundary.order =
          asymptotic.integer("order", is_magnetic || is_plane ? 1 : 0, is_magnetic || is_plane ? 1 : 0, 10);
      if (!is_magnetic && dimension == 0 && !asymptotic.has("order"))
        asymptotic.fail(
            "the order must be given where the dimension of the mesh is not: without it the default would be "
            "1 in the plane and 0 otherwise. Give it, or mesh.dimension.");
      if (!is_magnetic) {
        const std::string medium = traits_of(problem.physics).coefficient;
        if (!has_permittivity(problem.physics))
          asymptotic.require(medium, "that of the space outside");
        boundary.coefficient = asymptotic.scalar(medium, Scalar::constant(1.), Range::positive());
        boundary.reference = asymptotic.scalar(names.robin_reference, {});
        if (!boundary.reference.is_constant)
          asymptotic.fail(names.robin_reference, "is the value at infinity, one number.");
        if (problem.physics == Physics::electro_quasistatics && !is_zero(boundary.reference))
          asymptotic.fail(names.robin_reference, "must be 0: potentials are those against infinity.");
      }
      asymptotic.finish();
      break;
    }
    case BoundaryKind::periodic:
    case BoundaryKind::antiperiodic:
      boundary.periodic = read_periodic(in, given[0], group, problem, dimension, boundary.total);
      break;
    case BoundaryKind::joint:
      boundary.joint = read_joint(in.map(given[0]), given[0], traits_of(problem.physics).coefficient);
      break;
    }
  }
  if (given.size() != 1) // using the value would only confuse
    boundary.value = Scalar::constant(std::numeric_limits<double>::quiet_NaN());
  const bool has_unknown = in.finish();
  // an unknown key is reported with the allowed ones
  if (given.size() != 1 && in.exists() && !(given.empty() && has_unknown))
    in.fail("exactly one of " + joined(kinds) + " is needed, found " + joined(given) + ".");
  return boundary;
}

/// The same two boundaries must not be paired twice, from both sides: one of the two maps would be redundant at best.
void check_pairs(const std::vector<Boundary>& boundaries, InputErrors& errors) {
  std::map<std::pair<std::string, std::string>, int> lines; // of the given pairs
  for (const Boundary& boundary : boundaries) {
    if (!is_periodic(boundary))
      continue;
    const std::string& name = boundary.group.name;
    const std::string& partner = boundary.periodic.with.name;
    const auto other = lines.find({partner, name});
    if (other != lines.end() && name != partner)
      errors.add(boundary.group.where, "is paired with '" + printable(partner) + "' already, in line " +
                                           std::to_string(other->second) + "; give each pair once.");
    lines.emplace(std::make_pair(name, partner), boundary.group.where.line);
  }
}

/// Whether the condition determines the additive constant of the solution.
bool fixes_solution(const Boundary& boundary) {
  if (boundary.impedance) // in which A induces currents
    return true;
  switch (boundary.kind) {
  case BoundaryKind::value:
  case BoundaryKind::asymptotic:
  case BoundaryKind::antiperiodic:
    return true;
  case BoundaryKind::robin:
  case BoundaryKind::radiation:
    return !(is_zero(boundary.coefficient) && is_zero(boundary.emissivity));
  case BoundaryKind::flux:
  case BoundaryKind::floating:
  case BoundaryKind::joint:
    return false;
  case BoundaryKind::periodic: // with a jump one node gets the value 0 if nothing else fixes the solution
    return boundary.total != 0.;
  }
  return false;
}

/// Reports steps whose ends rounding moves by more than a thousandth of their size.
void check_step_sizes(MapReader& in, const std::string& key, double size, const TimeOptions& time) {
  const double latest = std::max(std::fabs(time.from), std::fabs(time.to));
  if (size * 1e-3 < latest * std::numeric_limits<double>::epsilon())
    in.fail(key, "a time step of " + number_text(size) + " s is lost in the rounding of times up to " +
                     number_text(latest) + " s. Take longer steps, or count the time from an earlier zero.");
}

/// Reads "max(T) > 1356": an extreme of the solution, > or <, and a number.
void read_stop(MapReader in, Physics physics, StopInput& stop) {
  const std::string symbol = physics == Physics::heat ? "T" : "u";
  const std::string form = "'max(" + symbol + ") > 1356', or with min, or with <";
  stop.where = in.where();
  in.require("when", "the condition: " + form);
  stop.text = in.text("when", "");
  std::string text;
  for (const char c : stop.text)
    if (c != ' ')
      text += c;
  stop.is_given = true;
  stop.of_largest = text.rfind("max(" + symbol + ")", 0) == 0;
  const bool of_smallest = text.rfind("min(" + symbol + ")", 0) == 0;
  const std::string rest = text.size() > 6 ? text.substr(6) : "";
  stop.above = !rest.empty() && rest[0] == '>';
  char* end = nullptr;
  stop.limit = rest.size() > 1 ? std::strtod(rest.c_str() + 1, &end) : 0.;
  const bool is_known = (stop.of_largest || of_smallest) && (stop.above || (!rest.empty() && rest[0] == '<'));
  if (in.has("when") && !stop.text.empty() &&
      (!is_known || end == nullptr || end == rest.c_str() + 1 || *end != '\0' || !std::isfinite(stop.limit)))
    in.fail("when", "'" + printable(stop.text) + "' is no condition; it has the form " + form + ".");
  in.finish();
}

/// Reads how continuous elements take steps of time, other than their sizes.
void read_step_method(MapReader& in, Physics physics, TimeOptions& time) {
  if (in.has("stop"))
    read_stop(in.map("stop"), physics, time.stop);
  time.method = in.choice("method", time.method);
  read_instants(in, "breaks", time.from, time.to, time.breaks);
}

/// Reads the number of equal steps from the size of a step.
void read_step(MapReader& in, TimeOptions& time) {
  const double step = in.number("step", 1., Range::positive());
  const double length = time.to - time.from;
  if (step > length * (1. + 1e-9)) {
    in.fail("step", "a step of " + number_text(step) + " s is longer than the time from " + number_text(time.from) +
                        " to " + number_text(time.to) + " s.");
    time.steps = 1;
    return;
  }
  constexpr double most = 1e6;
  if (length / step > most)
    in.fail("step", "gives more than " + number_text(most) + " steps.");
  time.steps = static_cast<int>(std::ceil(std::min(length / step, most) * (1. - 1e-9)));
}

/// Reads the time steps: their number, their sizes, or, `with_control`, the tolerance that they have to keep.
void read_time(MapReader in, bool with_control, Physics physics, TimeOptions& time) {
  time.where = in.where();
  time.from = in.number("from", 0.);
  if (in.has("sizes")) {
    bool has_others = false;
    for (const char* key : {"to", "steps", "step", "tolerance"}) // marks all keys as known
      has_others = in.has(key) || has_others;
    if (has_others)
      in.fail("sizes", "give the sizes of the steps, or to and steps.");
    const std::vector<double> sizes = in.numbers("sizes", 1, 1000000);
    time.to = time.from;
    for (const double size : sizes) {
      if (!(size > 0.)) {
        in.fail("sizes", "a time step of " + number_text(size) + " s; steps must be positive.");
        break;
      }
      time.to += size;
    }
    if (!sizes.empty() && *std::min_element(sizes.begin(), sizes.end()) > 0.)
      check_step_sizes(in, "sizes", *std::min_element(sizes.begin(), sizes.end()), time);
    time.sizes = sizes;
    time.steps = static_cast<int>(std::max<std::size_t>(sizes.size(), 1));
  } else if (with_control) {
    in.require("to", "the last time, s");
    time.to = in.number("to", time.from + 1.);
    const bool has_order = time.to > time.from;
    if (!has_order) {
      in.fail("to", "must be later than from, " + number_text(time.from) + " s.");
      time.to = time.from + 1.;
    }
    std::vector<std::string> given;
    for (const char* key : {"steps", "step", "tolerance"})
      if (in.has(key))
        given.push_back(key);
    if (given.size() > 1)
      in.fail("give one of steps, step, tolerance and sizes, found " + joined(given) + ".");
    if (in.has("steps"))
      time.steps = in.integer("steps", 1, 1, 1000000);
    else if (in.has("step") && has_order)
      read_step(in, time);
    else
      time.tolerance = in.number("tolerance", default_time_tolerance, {0., true, 0.1});
    if (time.steps > 0 && has_order)
      check_step_sizes(in, in.has("step") ? "step" : "steps", (time.to - time.from) / time.steps, time);
  } else {
    in.require("to", "the last time, s");
    in.require("steps", "the number of time steps, or sizes, a list");
    time.to = in.number("to", time.from + 1.);
    time.steps = in.integer("steps", 1, 1, 1000000);
    if (!(time.to > time.from))
      in.fail("to", "must be later than from, " + number_text(time.from) + " s.");
    else
      check_step_sizes(in, "steps", (time.to - time.from) / time.steps, time);
  }
  if (with_control)
    read_step_method(in, physics, time);
  in.finish();
}

/// Notes a temperature in a problem with radiation that looks like degrees Celsius: colder than any surroundings except
/// in cryogenics, warmer than open space.
void note_cold_temperature(const Scalar& given, InputErrors& errors) {
  constexpr double coldest_space = 10., coldest_place = 150.; // K
  if (given.is_constant && given.value > coldest_space && given.value < coldest_place)
    errors.add_note(given.where, "radiation takes temperatures in kelvins: " + number_text(given.value) + " K are " +
                                     number_text(std::round(100. * (given.value - 273.15)) / 100.) +
                                     " degrees Celsius.");
}

/// Reports temperatures below absolute zero: as an error if something radiates, else as a note, since only differences
/// matter.
void check_temperatures(const ProblemOptions& problem, InputErrors& errors) {
  const auto radiates = [](const Boundary& b) { return b.kind == BoundaryKind::radiation; };
  const bool is_absolute = std::any_of(problem.boundaries.begin(), problem.boundaries.end(), radiates);
  const bool in_kelvin = problem.temperature_unit == TemperatureUnit::kelvin;
  for (const Boundary& boundary : problem.boundaries) {
    const Scalar& given = boundary.kind == BoundaryKind::value ? boundary.value : boundary.reference;
    if (is_absolute &&
        (boundary.kind == BoundaryKind::value || boundary.kind == BoundaryKind::robin || radiates(boundary)))
      note_cold_temperature(given, errors);
    if (boundary.kind == BoundaryKind::asymptotic && given.where.line == 0 && given.where.path.empty())
      errors.add_note(boundary.group.where, std::string("the temperature at infinity is ") +
                                                (in_kelvin ? "0 K" : "0 degC") + ", as no " +
                                                traits_of(problem.physics).boundaries.robin_reference + " is given.");
    if (boundary.kind != BoundaryKind::value && boundary.kind != BoundaryKind::robin &&
        boundary.kind != BoundaryKind::asymptotic)
      continue;
    if (!given.is_constant || !(given.value < (in_kelvin ? 0. : -273.15)))
      continue;
    const std::string text = number_text(given.value) + (in_kelvin ? " K" : " degC") + " is below absolute zero";
    if (is_absolute)
      errors.add(given.where, text + ", and something radiates by the fourth power of temperatures.");
    else
      errors.add_note(given.where, text + (in_kelvin ? ". Temperatures in degrees Celsius need "
                                                       "problem.temperature_unit: celsius."
                                                     : "."));
  }
}

} // namespace

void read_instants(MapReader& in, const std::string& key, double from, double to, std::vector<double>& instants) {
  if (!in.has(key))
    return;
  instants = in.numbers(key, 1, 100000);
  for (std::size_t i = 0; i < instants.size(); ++i)
    if (!(instants[i] > from && instants[i] <= to) || (i > 0 && !(instants[i] > instants[i - 1]))) {
      in.fail(key, number_text(instants[i]) + " s: instants must ascend, and lie between " + number_text(from) +
                       " and " + number_text(to) + " s.");
      break;
    }
}

void read_problem(MapReader in, const std::string& folder, int dimension, ProblemOptions& problem) {
  problem.physics = read_physics(in, dimension);
  problem.symmetry = in.choice("symmetry", problem.symmetry);
  if (problem.symmetry == Symmetry::axisymmetric && dimension == 3)
    in.fail("symmetry", "axisymmetric needs a mesh of dimension 2 (x is the radius, y the axis); this one has 3.");
  problem.symmetry_where = in.location("symmetry");
  problem.depth = in.number("depth", problem.depth, Range::positive());
  if (in.has("depth"))
    problem.depth_where = in.location("depth");
  if (in.has("depth") && (problem.symmetry == Symmetry::axisymmetric || dimension == 3))
    in.fail("depth", "applies to planar problems of dimension 2 only.");
  problem.temperature_unit = in.choice("temperature_unit", problem.temperature_unit);
  if (in.has("temperature_unit") && problem.physics != Physics::heat)
    in.fail("temperature_unit", "applies to heat only.");

  const bool magnetic = has_vector_potential(problem.physics);
  in.require("materials", "by region of the mesh");
  MapReader materials = in.map("materials");
  problem.materials_where = materials.where();
  if (magnetic)
    read_magnetic_materials(materials, folder, problem);
  else
    for (const std::string& region : materials.keys()) {
      MapReader entry = materials.map(region);
      Material material;
      material.region = {region, entry.where()};
      const bool transport = problem.physics == Physics::advection_diffusion_reaction;
      const bool of_temperature = problem.physics == Physics::heat || problem.coupling == Coupling::depends_on_heat;
      material.coefficient =
          read_coefficient(entry, traits_of(problem.physics).coefficient, dimension, transport, of_temperature);
      for (const char* factor : traits_of(problem.physics).capacity)
        if (entry.has(factor)) {
          Range range = Range::positive();
          range.of_temperature = problem.physics == Physics::heat;
          material.capacity.push_back(entry.scalar(factor, {}, range));
          material.capacity_keys.push_back(factor);
        }
      if (problem.physics == Physics::heat)
        read_fusion(entry, material);
      if (problem.coupling == Coupling::losses_heat)
        entry.has(traits_of(Physics::current_flow).coefficient); // known, and read with current flow
      if (transport)
        read_advection(entry, dimension, material);
      else
        read_open_space(entry, dimension, problem, material);
      if (problem.physics == Physics::electro_quasistatics)
        read_losses(entry, material);
      entry.finish();
      check_pattern(material, in.errors());
      problem.materials.push_back(std::move(material));
    }

  if (problem.physics != Physics::electro_quasistatics) {
    read_sources(in.map("sources"), problem);
    read_point_sources(in.map("point_sources"), dimension, problem);
    read_line_sources(in.map("line_sources"), dimension, problem);
  } else {
    for (const char* key : {"sources", "point_sources", "line_sources"})
      if (!in.map(key).keys().empty())
        in.fail(key, "electro-quasistatics has no given charges: they follow from the potentials and currents of "
                     "boundaries.");
  }
  if (!magnetic)
    check_shells(problem, in.errors());
  if (magnetic)
    read_coils(in.map("coils"), problem);
  else if (in.has("coils"))
    in.fail("coils", "applies to magnetostatics and eddy-currents only.");
  read_harmonic(in, problem);

  const bool transport = problem.physics == Physics::advection_diffusion_reaction;
  if (in.has("time") && !transport && !has_capacity(problem.physics))
    in.fail("time", "applies to heat, diffusion and advection-diffusion-reaction only.");
  else if (in.has("time"))
    read_time(in.map("time"), !transport, problem.physics, problem.time);
  if (in.has("initial") && !problem.time.requested())
    in.fail("initial", "applies to problems with a time only.");
  if (problem.time.requested() && problem.physics == Physics::heat)
    in.require("initial", "the temperature at the start, a number or an expression");
  problem.time.initial = in.scalar("initial", {});
  if (problem.time.requested() && !transport)
    check_materials_in_time(problem, in.errors());

  if (depends_on_temperature(problem))
    check_materials_of_temperature(problem, in.errors());

  in.require("boundaries", "by boundary or region of the mesh");
  MapReader boundaries = in.map("boundaries");
  problem.boundaries_where = boundaries.where();
  bool determined = problem.time.requested() ||                               // by the initial values
                    (magnetic && problem.symmetry == Symmetry::axisymmetric); // by A = 0 on the axis
  for (const std::string& group : boundaries.keys()) {
    MapReader entry = boundaries.map(group);
    problem.boundaries.push_back(read_boundary(entry, {group, entry.where()}, problem, dimension));
    determined = determined || fixes_solution(problem.boundaries.back());
    if (problem.boundaries.back().kind == BoundaryKind::radiation &&
        problem.temperature_unit != TemperatureUnit::kelvin)
      in.fail("temperature_unit", "'" + group +
                                      "' radiates, by the fourth power of temperatures above absolute zero: " +
                                      "give all temperatures in kelvins, and leave the key out.");
  }
  check_pairs(problem.boundaries, in.errors());
  check_surface_conductors(problem, in.errors());
  if (problem.physics == Physics::heat)
    check_temperatures(problem, in.errors());
  // With a reaction or an inflow no such condition is needed.
  if (boundaries.exists() && !determined && problem.physics != Physics::advection_diffusion_reaction)
    boundaries.fail("no boundary has a " + name_of(BoundaryKind::value, problem.physics) + ", " +
                    (name_of(BoundaryKind::robin, problem.physics).empty()
                         ? ""
                         : "a " + name_of(BoundaryKind::robin, problem.physics) + ", ") +
                    (name_of(BoundaryKind::radiation, problem.physics).empty() ? "" : "a radiation, ") +
                    (name_of(BoundaryKind::asymptotic, problem.physics).empty() ? "" : "an asymptotic ") +
                    (problem.physics == Physics::eddy_currents ? "condition, an impedance " : "") +
                    "or an antiperiodic condition; without one the solution is undetermined.");
  in.finish();
}

} // namespace tessera::io::detail
