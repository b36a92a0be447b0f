// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "io/input/input_text.hpp"
#include "io/input/sections/sections.hpp"
#include "io/materials/bh_table.hpp"
#include "io/materials/material_patterns.hpp"
#include "physics/expressions/effective_curve.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <unordered_map>
#include <utility>

namespace tessera::io::detail {

namespace {

void read_direction(MapReader& in, Magnet& magnet) {
  if (const YamlNode* direction = in.require("direction", "of the magnetisation, for example [0, 1]"))
    magnet.direction = read_directions(in, "direction", *direction, 2, {});
  if (magnet.direction.size() == 2 && is_zero(magnet.direction[0]) && is_zero(magnet.direction[1]))
    in.fail("direction", "must not be zero.");
  magnet.direction.resize(2);
}

/// `relative_permeability`: of the same material.
Magnet read_magnet(MapReader& in, double relative_permeability) {
  Magnet magnet;
  const bool has_remanence = in.has("remanence");
  if (has_remanence == in.has("coercivity"))
    in.fail("a magnet needs either remanence (T) or coercivity (A/m), found " +
            std::string(has_remanence ? "both." : "none."));
  magnet.remanence = in.number("remanence", 0., Range::positive());
  magnet.coercivity = in.number("coercivity", 0., Range::positive());
  if (std::isinf(magnet.flux_density(relative_permeability)))
    in.fail("coercivity", "times mu0 and relative_permeability is no finite number.");
  constexpr double doubtful_remanence = 10.; // T, several times that of any magnet
  if (magnet.flux_density(relative_permeability) > doubtful_remanence)
    in.errors().add_note(in.location(has_remanence ? "remanence" : "coercivity"),
                         "the remanence is " + number_text(magnet.flux_density(relative_permeability)) +
                             " T, which no magnet reaches; remanence is in T, coercivity in A/m.");
  read_direction(in, magnet);
  return magnet;
}

/// The magnet of a B-H curve, empty if it has errors, that starts at [-coercive_field, 0].
Magnet magnet_of_curve(MapReader& in, double coercive_field, const physics::BhTable& curve) {
  for (const char* key : {"remanence", "coercivity"})
    if (in.has(key))
      in.fail(key, "does not go with a bh_curve: that of a magnet starts at [-H_c, 0], with the coercive field H_c.");
  if (coercive_field == 0. && !curve.empty() && in.has("direction"))
    in.fail("bh_curve", "of a magnet, which the direction says, starts at [-H_c, 0] with the coercive field H_c, goes "
                        "through [0, B_r] and ends at H > 0.");
  Magnet magnet;
  magnet.coercivity = coercive_field;
  read_direction(in, magnet);
  return magnet;
}

/// Magnetostatics has no eddy currents in sheets: their thickness and conductivity are read, so that a material serves
/// both physics, but have no effect.
Laminations read_laminations(MapReader in, Physics physics, Symmetry symmetry) {
  Laminations sheets;
  const bool has_eddy_currents = physics == Physics::eddy_currents;
  if (has_eddy_currents)
    for (const char* key : {"thickness", "conductivity"})
      in.require(key, key == std::string("thickness") ? "of a sheet, in metres" : "of a sheet, in S/m");
  else
    in.require("stacking_factor", "the fraction of the volume that the sheets fill");
  const double thickness = in.number("thickness", 1., Range::positive());
  const double conductivity = in.number("conductivity", 0., Range::non_negative());
  if (has_eddy_currents) {
    sheets.thickness = thickness;
    sheets.conductivity = conductivity;
  }
  sheets.stacking_factor = in.number("stacking_factor", 1., {0., true, 1.});
  const std::array<std::string, 3> choices = symmetry == Symmetry::planar
                                                 ? std::array<std::string, 3>{"plane", "x", "y"}
                                                 : std::array<std::string, 3>{"plane", "r", "z"};
  const std::string parallel = in.text("parallel_to", choices[0]);
  const auto found = std::find(choices.begin(), choices.end(), parallel);
  if (found == choices.end())
    in.fail("parallel_to",
            "must be " + choices[0] + ", " + choices[1] + " or " + choices[2] + ", found " + printable(parallel) + ".");
  else
    sheets.parallel = static_cast<Laminations::Parallel>(found - choices.begin());
  in.finish();
  return sheets;
}

/// Reads `core_losses`: terms k f^alpha B^beta, or the coefficients of those of hysteresis, eddy currents and their
/// excess.
std::vector<LossTerm> read_core_losses(MapReader in) {
  std::vector<LossTerm> terms;
  constexpr std::array<std::pair<const char*, LossTerm>, 3> coefficients{
      {{"hysteresis", {0., 1., 2.}}, {"eddy", {0., 2., 2.}}, {"excess", {0., 1.5, 1.5}}}};
  const bool is_steinmetz = in.has("k") || in.has("alpha") || in.has("beta");
  for (const auto& [key, term] : coefficients) {
    if (!in.has(key))
      continue;
    if (is_steinmetz)
      in.fail(key, "does not go with k, alpha and beta.");
    terms.push_back(term);
    terms.back().k = in.number(key, 0., Range::non_negative());
  }
  if (is_steinmetz) {
    for (const char* key : {"k", "alpha", "beta"})
      in.require(key, "of k f^alpha B^beta in W/m^3, with f in Hz and the amplitude of B in T");
    LossTerm term;
    term.k = in.number("k", 0., Range::non_negative());
    term.alpha = in.number("alpha", 1., Range::positive());
    term.beta = in.number("beta", 2., Range::positive());
    terms = {term};
  }
  if (terms.empty() && in.exists())
    in.fail("needs k, alpha and beta, or some of hysteresis, eddy and excess.");
  in.finish();
  return terms;
}

/// Reads the keys of a region with eddy currents, which need a linear material without a magnet.
void read_conduction(MapReader& in, Material& material) {
  material.lag_angle = in.number("lag_angle", 0., {0., false, 90.});
  if (material.lag_angle == 90.)
    in.fail("lag_angle", "must be below 90 degrees, at which the material would store no energy.");
  if (in.has("lag_angle") && in.has("shell"))
    in.fail("lag_angle", "a shell stands for space outside, which has no losses.");
  if (material.laminations && in.has("conductivity"))
    in.fail("conductivity", "of sheets is given in 'laminations'; the stack carries no current across them.");
  material.conductivity = in.number("conductivity", 0., Range::non_negative());
  if (in.has("bh_curve") && in.has("lag_angle"))
    in.fail("lag_angle", "does not go with a bh_curve in this version; give a relative_permeability.");
  if (in.has("bh_curve") && material.laminations && material.laminations->conductivity != 0.)
    in.fail("laminations", "with a bh_curve are without eddy currents in the sheets in this version: give them the "
                           "conductivity 0, or a relative_permeability.");
  if (in.has("core_losses"))
    material.core_losses = read_core_losses(in.map("core_losses"));
  if (in.has("core_losses") && in.has("shell"))
    in.fail("core_losses", "a shell stands for space outside, which has no losses.");
  for (const char* key : {"remanence", "coercivity", "direction"})
    if (in.has(key))
      in.fail(key,
              "a magnet's field is constant in time, but eddy-currents is for one frequency. Leave out the magnet, "
              "or compute its field by magnetostatics.");
  if (material.conductivity != 0. && in.has("shell"))
    in.fail("conductivity", "a shell stands for space outside, which carries no currents.");
}

/// Reads `relative_permeability`: a number, or one for each direction.
void read_permeability(MapReader& in, Material& material) {
  const char* const key = "relative_permeability";
  const YamlNode* const node = in.find(key);
  if (node != nullptr && node->kind == YamlNode::Kind::sequence) {
    const std::vector<double> both = in.numbers(key, 2, 2);
    if (both.size() == 2)
      material.relative_permeability = {both[0], both[1]};
    for (const double mu : both)
      if (!(mu > 0.) || std::isinf(mu))
        in.fail(key, "must be positive, but is " + number_text(mu) + ".");
  } else {
    material.relative_permeability.fill(in.number(key, 1., Range::positive()));
  }
  constexpr double doubtful = 0.1; // only superconductors have less
  const double least = std::min(material.relative_permeability[0], material.relative_permeability[1]);
  if (least > 0. && least < doubtful)
    in.errors().add_note(
        in.location(key),
        number_text(least) +
            " is less than any material but a superconductor has: it is relative to vacuum, not in H/m.");
}

/// Makes the B-H curve that of a stack of sheets with the given curve, in the plane of the flux: sheets and gaps have
/// the same H.
void fill_curve(MapReader& in, Material& material) {
  if (!material.laminations)
    return;
  if (material.laminations->parallel != Laminations::Parallel::plane)
    in.fail("laminations", "with a bh_curve have to be parallel to the plane. Give a relative_permeability.");
  const double fill = material.laminations->stacking_factor;
  for (physics::BhTable* table : {&material.bh_curve, &material.bh_across})
    for (auto& [h, b] : *table)
      b = fill * b + (1. - fill) * physics::vacuum_permeability * h;
  material.laminations.reset(); // the curve has all of it
}

/// Makes the B-H curve of a material at a frequency that of amplitudes (docs/theory.md, "Iron at a frequency").
void make_effective(MapReader& in, Material& material) {
  const std::string given = in.text("effective_curve", "sinusoidal-h");
  if (given != "sinusoidal-h" && given != "sinusoidal-b" && given != "as-given")
    in.fail("effective_curve", "must be sinusoidal-h, sinusoidal-b or as-given, found " + printable(given) + ".");
  const bool is_valid = physics::check_bh_table(material.bh_curve).text.empty();
  if (is_valid && given != "as-given")
    material.bh_curve = physics::effective_curve(
        material.bh_curve, given == "sinusoidal-b" ? physics::Sinusoid::density : physics::Sinusoid::strength);
}

/// Reads a curve for each of two directions, x and y (r and z), or turned by an angle.
void read_directional_curves(MapReader in, const std::string& folder, Symmetry symmetry, Material& material) {
  const bool is_planar = symmetry == Symmetry::planar;
  const std::array<const char*, 2> keys =
      is_planar ? std::array<const char*, 2>{"x", "y"} : std::array<const char*, 2>{"r", "z"};
  const std::array<std::pair<physics::BhTable*, std::string*>, 2> targets{
      std::pair(&material.bh_curve, &material.bh_file), std::pair(&material.bh_across, &material.bh_across_file)};
  for (std::size_t j = 0; j < 2; ++j) {
    in.require(keys[j], "a curve for each direction");
    const YamlNode* node = in.find(keys[j]);
    if (node == nullptr)
      continue;
    *targets[j].second = bh_path(*node, in.location(keys[j]), folder);
    BhCurve read = read_bh_curve(*node, in.location(keys[j]), folder, in.errors());
    if (read.coercive_field > 0.)
      in.fail(keys[j], "starts at H < 0: curves by direction are of soft magnetic materials, from [0, 0] on.");
    *targets[j].first = std::move(read.table);
  }
  material.bh_angle = in.number("angle", 0., {-360., false, 360.});
  in.finish();
}

/// Whether a B-H curve is given for two directions.
bool has_directions(const YamlNode& curve) {
  const auto has = [&curve](const char* key) { return curve.find(key) != nullptr; };
  return curve.kind == YamlNode::Kind::map && (has("x") || has("y") || has("r") || has("z"));
}

Material read_material(MapReader in, const std::string& region, const std::string& folder,
                       const ProblemOptions& problem) {
  Material material;
  material.region = {region, in.where()};
  if (in.has("laminations"))
    material.laminations = read_laminations(in.map("laminations"), problem.physics, problem.symmetry);
  if (problem.physics == Physics::eddy_currents)
    read_conduction(in, material);
  const YamlNode* curve = in.find("bh_curve");
  const bool has_permeability = in.has("relative_permeability");
  if ((curve != nullptr) == has_permeability && in.exists())
    in.fail("a material needs either relative_permeability or bh_curve, found " +
            std::string(has_permeability ? "both." : "none."));
  read_permeability(in, material);
  double coercive_field = 0.;
  if (curve != nullptr && has_directions(*curve)) {
    if (problem.physics == Physics::eddy_currents)
      in.fail("bh_curve", "by direction is for magnetostatics only.");
    read_directional_curves(in.map("bh_curve"), folder, problem.symmetry, material);
    fill_curve(in, material);
  } else if (curve != nullptr) {
    material.bh_file = bh_path(*curve, in.location("bh_curve"), folder);
    BhCurve read = read_bh_curve(*curve, in.location("bh_curve"), folder, in.errors());
    material.bh_curve = std::move(read.table);
    coercive_field = read.coercive_field;
    fill_curve(in, material);
    if (problem.physics == Physics::eddy_currents)
      make_effective(in, material);
  } else if (in.has("effective_curve") && problem.physics == Physics::eddy_currents) {
    in.fail("effective_curve", "needs a bh_curve.");
  }
  const bool is_magnet = in.has("remanence") || in.has("coercivity") || in.has("direction");
  if (is_magnet && !material.bh_across.empty())
    in.fail("bh_curve", "of a magnet is one for all directions.");
  if (is_magnet && curve != nullptr)
    material.magnet = magnet_of_curve(in, coercive_field, material.bh_curve);
  else if (is_magnet)
    material.magnet = read_magnet(in, material.relative_permeability[0]);
  else if (coercive_field > 0.)
    in.fail("bh_curve", "starts at H < 0: it is that of a magnet, which needs a direction.");
  const bool differs_by_direction = material.relative_permeability[0] != material.relative_permeability[1];
  if (is_magnet && differs_by_direction && in.has("coercivity"))
    in.fail("coercivity", "needs one relative_permeability for both directions; give the remanence.");
  const bool is_shell = in.has("shell");
  for (const auto& [is_other, noun] :
       {std::pair(is_magnet, "a magnet"), std::pair(is_shell, "a shell, space outside,")})
    if (is_other && in.has("laminations"))
      in.fail("laminations", std::string("are of iron: ") + noun + " has none.");
  if (is_shell)
    material.shell = read_shell(in.map("shell"), problem.symmetry, 2);
  if (is_shell && differs_by_direction)
    in.fail("relative_permeability", "of a shell, space outside, is the same in both directions.");
  if (is_shell && (is_magnet || curve != nullptr))
    in.fail("shell", "stands for space outside; its material is linear and no magnet.");
  in.finish();
  return material;
}

CoilInput read_coil(MapReader in, const std::string& name, Physics physics) {
  CoilInput coil;
  coil.name = {name, in.where()};
  in.require("regions", "by region: 1 or -1, the direction of the current");
  MapReader regions = in.map("regions");
  for (const std::string& region : regions.keys()) {
    const double sign = regions.number(region, 1.);
    if (sign != 1. && sign != -1. && !std::isnan(sign))
      regions.fail(region, "expected 1 or -1, the direction of the current, found " + number_text(sign) + ".");
    coil.sides.push_back({{region, regions.location(region)}, sign < 0. ? -1 : 1});
  }
  if (in.has("regions") && coil.sides.empty())
    in.fail("regions", "a coil needs at least one region.");
  in.require("turns", "the number of turns");
  coil.turns = in.number("turns", coil.turns, Range::positive());
  const bool may_be_in_circuit = physics == Physics::eddy_currents;
  coil.in_circuit = may_be_in_circuit && in.exists() && !in.has("current"); // read_harmonic() checks that
  if (!may_be_in_circuit)
    in.require("current", "in amperes, of one turn; 0 is enough for an inductance_matrix");
  coil.current = in.number("current", coil.current);
  if (coil.in_circuit && in.has("phase"))
    in.fail("phase", "needs a current.");
  if (may_be_in_circuit)
    coil.phase = in.number("phase", coil.phase);
  in.finish();
  return coil;
}

} // namespace

Shell read_shell(MapReader in, Symmetry symmetry, int dimension) {
  Shell shell;
  in.require("inner_radius", "in metres");
  in.require("outer_radius", "in metres");
  shell.inner_radius = in.number("inner_radius", 0., Range::positive());
  shell.outer_radius = in.number("outer_radius", 0., Range::positive());
  if (in.has("inner_radius") && in.has("outer_radius") && shell.outer_radius <= shell.inner_radius)
    in.fail("outer_radius", "must exceed inner_radius.");
  shell.center = read_center(in, symmetry, dimension);
  in.finish();
  return shell;
}

std::array<double, 2> read_pair(MapReader& in, const std::string& key, std::array<double, 2> otherwise) {
  const std::vector<double> numbers = in.numbers(key, 2, 2);
  return numbers.size() == 2 ? std::array<double, 2>{numbers[0], numbers[1]} : otherwise;
}

std::array<double, 3> read_center(MapReader& in, Symmetry symmetry, int dimension) {
  std::array<double, 3> center{};
  if (in.has("center")) {
    const std::vector<double> numbers = in.numbers("center", dimension == 3 ? 3 : 2, dimension == 2 ? 2 : 3);
    std::copy(numbers.begin(), numbers.end(), center.begin());
  }
  if (symmetry == Symmetry::axisymmetric && center[0] != 0.)
    in.fail("center", "must lie on the axis, x = 0, of an axisymmetric problem.");
  return center;
}

void check_pattern(const Material& material, InputErrors& errors) {
  if (material.shell && is_pattern(material.region.name))
    errors.add(material.region.where, "a shell is one region; give it by its name, not by a wildcard.");
}

void read_magnetic_materials(MapReader in, const std::string& folder, ProblemOptions& problem) {
  for (const std::string& region : in.keys()) {
    problem.materials.push_back(read_material(in.map(region), region, folder, problem));
    check_pattern(problem.materials.back(), in.errors());
  }
}

void read_coils(MapReader in, ProblemOptions& problem) {
  NameSet regions;
  NameSet shells;
  for (const Material& material : problem.materials) {
    regions.add(material.region.name);
    if (material.shell.has_value())
      shells.add(material.region.name);
  }
  const auto fail = [&](const GroupName& region, const std::string& message) {
    in.errors().add(region.where, "region '" + printable(region.name) + "' " + message);
  };
  NameSet sources;
  for (const Source& source : problem.sources) {
    sources.add(source.region.name);
    if (shells.has(source.region.name))
      fail(source.region, "is a shell, which carries no current.");
  }
  std::unordered_map<std::string, std::string> coil_of; // by region
  for (const std::string& name : in.keys()) {
    CoilInput coil = read_coil(in.map(name), name, problem.physics);
    for (const CoilSide& side : coil.sides) {
      const std::string& region = side.region.name;
      const auto added = coil_of.emplace(region, name);
      if (!added.second)
        fail(side.region, "belongs to coil '" + printable(added.first->second) + "' already.");
      if (sources.has(region))
        fail(side.region, "has a current density under problem.sources already.");
      if (!is_listed(regions.list(), region))
        in.errors().add_unknown(side.region.where, "region", region, regions.list());
      else if (shells.has(region))
        fail(side.region, "is a shell, which carries no current.");
    }
    problem.coils.push_back(std::move(coil));
  }
}

} // namespace tessera::io::detail
