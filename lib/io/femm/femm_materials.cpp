// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/constants.hpp"
#include "io/femm/femm_model.hpp"
#include "io/input/input_text.hpp"
#include "physics/expressions/bh_table.hpp"

#include <cctype>
#include <cmath>
#include <cstdlib>
#include <map>
#include <utility>

namespace tessera::io {

namespace {

using detail::at;

constexpr int first_wire = 3; // LamType: windings of wires from here on

/// "x", or "(x/0.001)" in units of the file.
std::string coordinate(const FemmModel& model, const std::string& in_metres) {
  return "(" + in_metres + "/" + femm_number(model.file.metres_per_unit()) + ")";
}

/// An arithmetic expression of FEMM's script language in the variables x, y, r, z, theta (degrees) and R, in lengths of
/// the file, as one of a case; empty if it has anything else.
std::string direction_angle(const FemmModel& model, const std::string& text) {
  const std::map<std::string, std::string> variables = {
      {"x", coordinate(model, "x")}, {"y", coordinate(model, "y")},     {"r", coordinate(model, "x")},
      {"z", coordinate(model, "y")}, {"theta", "(atan2(y, x)*180/pi)"}, {"R", coordinate(model, "hypot(x, y)")}};
  std::string expression;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i;
    while (end < text.size() && std::isalpha(static_cast<unsigned char>(text[end])) != 0)
      ++end;
    if (end > i) {
      const bool is_exponent = i > 0 && std::isdigit(static_cast<unsigned char>(text[i - 1])) != 0;
      const auto variable = variables.find(text.substr(i, end - i));
      if (variable == variables.end() || is_exponent)
        return "";
      expression += variable->second;
      i = end;
    } else {
      if (std::string("0123456789.+-*/^() \t").find(text[i]) == std::string::npos)
        return "";
      expression += text[i++];
    }
  }
  return expression;
}

/// "value", or a list of one per direction; in the mapped outer region of axisymmetric problems divided by FEMM's
/// factor: the coefficient at the distance rho from the centre of the region is that of the medium times Ri Ro / rho^2.
std::string coefficient(FemmModel& model, const FemmRegion& region, double x, double y) {
  const FemmFile& file = model.file;
  const FemmLabel& label = model.label_of(region);
  std::string factor;
  if (label.is_external && file.is_axisymmetric()) {
    const double product = model.metres(file.number("extri", 0.)) * model.metres(file.number("extro", 0.));
    if (!(product > 0.))
      model.refuse(label.line, "the label is in an external region, but [extRi] and [extRo] are not both positive.");
    factor =
        "*" + femm_number(product) + "/(x^2 + (y - " + femm_number(model.metres(file.number("extzo", 0.))) + ")^2)";
  }
  const auto entry = [&](double value) {
    return factor.empty() ? femm_number(value) : "\"" + femm_number(value) + factor + "\"";
  };
  return x == y ? entry(x) : "[" + entry(x) + ", " + entry(y) + "]";
}

/// The B-H curve [[H, B], ...]; sheets in the plane of the flux with insulation between them are one material with
/// B = fill B(H) + (1 - fill) mu0 H.
std::string bh_curve(const FemmProperty& material, double fill) {
  std::string text = "[";
  for (std::size_t i = 0; i < material.table.size(); ++i) {
    const double h = material.table[i][1];
    text += (i == 0       ? "["
             : i % 4 == 0 ? ",\n        ["
                          : ", [") +
            femm_number(h) + ", " +
            femm_number(fill * material.table[i][0] + (1. - fill) * physics::vacuum_permeability * h) + "]";
  }
  return text + "]";
}

std::string magnet(FemmModel& model, const FemmRegion& region) {
  const FemmLabel& label = model.label_of(region);
  const FemmProperty& material = model.material_of(region);
  std::string text = ", coercivity: " + femm_number(material.get("h_c")) + ", direction: [";
  std::string angle = femm_number(label.direction);
  if (!label.direction_expression.empty()) {
    angle = direction_angle(model, label.direction_expression);
    if (angle.empty())
      model.refuse(label.line,
                   "the direction '" + printable(label.direction_expression) +
                       "' of the magnetisation is not an arithmetic expression of x, y, r, z, theta and R.");
  }
  for (const char* function : {"cos", "sin"})
    text += (*function == 'c' ? "\"" : ", \"") + std::string(function) + "(pi/180*(" + angle + "))\"";
  return text + "]";
}

/// FEMM takes the current of wires and of several turns as uniform.
bool is_wound(const FemmModel& model, const FemmRegion& region) {
  return std::abs(model.label_of(region).turns) > 1 || model.material_of(region).get("lamtype") >= first_wire;
}

/// Sheets in the plane with losses, by their eddy currents or by a lag of B.
bool is_lossy_stack(const FemmProperty& material) {
  return material.get("lamtype") == 0. && material.get("d_lam") != 0. &&
         (material.get("sigma") != 0. || material.get("phi_hx") != 0.);
}

/// The region has eddy currents.
bool conducts(const FemmModel& model, const FemmRegion& region) {
  const FemmProperty& material = model.material_of(region);
  return model.frequency() > 0. && !is_wound(model, region) && material.get("sigma") != 0. && !is_lossy_stack(material);
}

/// Refuses what a frequency changes in materials and is not supported.
void check_harmonic(FemmModel& model, const FemmProperty& material) {
  const std::string said = "the material '" + printable(material.name) + "' ";
  const double type = material.get("lamtype"), sigma = 1e6 * material.get("sigma");
  if (!material.table.empty() && type < first_wire &&
      (material.get("phi_hx") != 0. || (is_lossy_stack(material) && material.get("sigma") != 0.)))
    model.refuse(material.line, said + "has a B-H curve with a hysteresis angle or with eddy currents in sheets, which "
                                       "is not supported at a frequency.");
  if (material.get("phi_hx") != material.get("phi_hy"))
    model.refuse(material.line, said + "has hysteresis angles that differ by direction, which is not supported.");
  if (type >= 1. && type < first_wire)
    model.refuse(material.line, said + "is laminated on edge: eddy currents in such sheets are not supported.");
  if (type < first_wire || sigma == 0.)
    return;
  const double strands = type == first_wire + 1 ? std::sqrt(material.get("nstrands", 1.)) : 1.;
  const double skin_depth = 1. / std::sqrt(pi * model.frequency() * physics::vacuum_permeability * sigma);
  if (1e-3 * material.get("wired") * strands > 0.5 * skin_depth)
    model.refuse(material.line, said + "has wires thicker than half the skin depth: skin and proximity effect within "
                                       "wires are not supported.");
}

std::string magnetic_material(FemmModel& model, const FemmRegion& region) {
  const FemmProperty& material = model.material_of(region);
  const bool is_harmonic = model.frequency() > 0.;
  const double type = material.get("lamtype"), h_c = material.get("h_c");
  const bool has_fill = type == 0. && (!is_harmonic || material.get("d_lam") != 0.);
  const bool is_lossy = is_harmonic && is_lossy_stack(material);
  const double fill = has_fill && !is_lossy ? material.get("lamfill", 1.) : 1.;
  const double mu_x = material.get("mu_x", 1.), mu_y = material.get("mu_y", 1.);
  const std::string said = "the material '" + printable(material.name) + "' ";
  const bool is_wire = type >= first_wire; // FEMM takes the permeability of vacuum
  if (is_harmonic)
    check_harmonic(model, material);
  const bool is_on_edge = type >= 1. && !is_wire && material.get("lamfill", 1.) != 1.;
  if (is_on_edge && !material.table.empty())
    model.refuse(material.line, said + "is laminated on edge with a fill factor and has a B-H curve, which is not "
                                       "supported.");
  const bool differs = material.table.empty() && mu_x != mu_y && type == 0.;
  if (differs && h_c != 0.)
    model.refuse(material.line, said + "is a magnet with permeabilities that differ by direction, which is not "
                                       "supported.");
  if (model.label_of(region).is_external && model.file.is_axisymmetric())
    model.refuse(model.label_of(region).line,
                 "the label is in an external region: a permeability that varies in space is not supported. End the "
                 "mesh at a circle with a mixed condition, or give the outer ring a 'shell' in the case.");
  if (!material.table.empty() && h_c != 0.)
    model.refuse(material.line, said + "is a magnet with a B-H curve; only constant recoil permeabilities are "
                                       "supported.");
  std::string text;
  if (!material.table.empty() && !is_wire)
    text = "bh_curve: " + bh_curve(material, fill) + (is_harmonic ? ", effective_curve: sinusoidal-h" : "");
  else if (differs)
    text = "relative_permeability: [" + femm_number(mu_x * fill + (1. - fill)) + ", " +
           femm_number(mu_y * fill + (1. - fill)) + "]";
  else
    text = "relative_permeability: " + femm_number(is_wire ? 1. : (type == 2. ? mu_y : mu_x) * fill + (1. - fill));
  if (is_harmonic && material.get("phi_hx") != 0. && !is_wire)
    text += ", lag_angle: " + femm_number(material.get("phi_hx"));
  if (is_on_edge && !is_harmonic)
    text += ", laminations: {stacking_factor: " + femm_number(material.get("lamfill")) +
            ", parallel_to: " + (model.file.is_axisymmetric() ? (type == 1. ? "r" : "z") : (type == 1. ? "x" : "y")) +
            "}";
  if (is_lossy)
    text += ", laminations: {thickness: " + femm_number(1e-3 * material.get("d_lam")) +
            ", stacking_factor: " + femm_number(material.get("lamfill", 1.)) +
            ", conductivity: " + femm_number(1e6 * material.get("sigma")) + "}";
  if (conducts(model, region))
    text += ", conductivity: " + femm_number(1e6 * material.get("sigma"));
  return h_c != 0. && !is_harmonic ? text + magnet(model, region) : text;
}

std::string heat_material(FemmModel& model, const FemmRegion& region) {
  const FemmProperty& material = model.material_of(region);
  double x = material.get("kx", 1.), y = material.get("ky", 1.);
  if (!material.table.empty())
    x = y = material.table[0][1];
  for (const std::array<double, 2>& point : material.table)
    if (point[1] != x) {
      model.refuse(material.line, "the thermal conductivity of '" + printable(material.name) +
                                      "' depends on temperature, which is not supported.");
      break;
    }
  return "thermal_conductivity: " + coefficient(model, region, x, y);
}

std::string material_text(FemmModel& model, const FemmRegion& region) {
  const FemmProperty& m = model.material_of(region);
  switch (model.file.kind) {
  case FemmKind::magnetics:
    return magnetic_material(model, region);
  case FemmKind::electrostatics:
    return "relative_permittivity: " + coefficient(model, region, m.get("ex", 1.), m.get("ey", 1.));
  case FemmKind::heat:
    return heat_material(model, region);
  case FemmKind::current_flow:
    return "conductivity: " + coefficient(model, region, m.get("ox"), m.get("oy"));
  }
  return "";
}

std::string source_text(FemmModel& model, const FemmRegion& region) {
  const FemmProperty& m = model.material_of(region);
  if (model.frequency() > 0. && m.get("j_im") != 0.)
    model.refuse(m.line, "the current density of '" + printable(m.name) + "' has a phase, which is not supported.");
  const double value = model.file.kind == FemmKind::magnetics ? 1e6 * m.get("j_re") : m.get("qv");
  const char* const key = model.file.kind == FemmKind::magnetics        ? "current_density"
                          : model.file.kind == FemmKind::electrostatics ? "charge_density"
                                                                        : "heat_source";
  return value == 0. ? "" : "    " + region.name + ": {" + key + ": " + femm_number(value) + "}\n";
}

/// The coils and solid conductors of one circuit. Regions of a coil have the same number of turns.
class CircuitWriter {
public:
  CircuitWriter(FemmModel& model, int circuit)
      : model_(model), circuit_(model.file.circuits[at(circuit)]), is_parallel_(circuit_.get("circuittype") == 0.),
        is_harmonic_(model.frequency() > 0.) {
    for (const FemmRegion& region : model.regions)
      if (model.label_of(region).circuit == circuit)
        add(region);
    check();
  }

  std::string coils(std::set<std::string>& used) const {
    std::string text;
    for (const auto& [turns, regions] : regions_of_turns_)
      text += "    " + femm_name(circuit_.name, used) + ": {regions: {" + regions +
              "}, turns: " + std::to_string(turns) + ", " + current(1) + "}\n";
    return text;
  }

  std::string conductors(std::set<std::string>& used) const {
    std::string text;
    for (const auto& [regions, direction] : conductors_)
      text += "    " + femm_name(circuit_.name, used) + ": {regions: [" + regions + "], " + current(direction) + "}\n";
    return text;
  }

private:
  /// FEMM's currents are amplitudes, as the phasors of a case are.
  std::string current(int direction) const {
    const double re = direction * circuit_.get("totalamps_re"), im = direction * circuit_.get("totalamps_im");
    if (!is_harmonic_ || im == 0.)
      return "current: " + femm_number(re);
    return "current: " + femm_number(std::hypot(re, im)) + ", phase: " + femm_number(std::atan2(im, re) * 180. / pi);
  }

  void add(const FemmRegion& region) {
    const FemmLabel& label = model_.label_of(region);
    const FemmProperty& material = model_.material_of(region);
    if (label.turns == 0 && !is_parallel_)
      model_.refuse(label.line, "the label has a circuit but no turns.");
    if (material.get("j_re") != 0. || (is_harmonic_ && material.get("j_im") != 0.))
      model_.refuse(label.line, "the label has a circuit, and its material a current density; give it one of them.");
    if (!is_harmonic_ && !is_wound(model_, region) && material.get("sigma") != 0. && model_.file.is_axisymmetric())
      model_.refuse(label.line, "the current of a solid ring is not uniform (1/r). With the conductivity 0 of its "
                                "material, or with a wire, it is that of a coil.");
    if (conducts(model_, region)) {
      if (is_parallel_ && !conductors_.empty())
        conductors_[0].first += ", " + region.name;
      else
        conductors_.emplace_back(region.name, label.turns < 0 && !is_parallel_ ? -1 : 1);
      return;
    }
    std::string& regions = regions_of_turns_[is_parallel_ ? 1 : std::abs(label.turns)];
    regions += (regions.empty() ? "" : ", ") + region.name + ": " + (label.turns < 0 && !is_parallel_ ? "-1" : "1");
    ++n_uniform_;
  }

  void check() const {
    const std::string said = "ircuit '" + printable(circuit_.name) + "' ";
    if (is_parallel_ && (n_uniform_ > 1 || (n_uniform_ > 0 && !conductors_.empty())))
      model_.refuse(circuit_.line,
                    "the c" + said + "connects different materials in parallel, which is not supported.");
    if (regions_of_turns_.size() + conductors_.size() > 1)
      model_.notes.push_back("The c" + said +
                             "is several coils or conductors in series; its flux linkage or voltage is "
                             "their sum.");
    if (regions_of_turns_.empty() && conductors_.empty())
      model_.notes.push_back("The c" + said + "has no region.");
  }

  FemmModel& model_;
  const FemmProperty& circuit_;
  bool is_parallel_, is_harmonic_;
  std::map<int, std::string> regions_of_turns_;         ///< of coils
  std::vector<std::pair<std::string, int>> conductors_; ///< regions, and 1 or -1
  int n_uniform_ = 0;                                   ///< regions of coils
};

} // namespace

std::string femm_materials(FemmModel& model) {
  std::string text = "  materials:\n", sources, coils, conductors;
  for (const FemmRegion& region : model.regions) {
    text += "    " + region.name + ": {" + material_text(model, region) + "} # " +
            printable(model.material_of(region).name) + "\n";
    sources += source_text(model, region);
  }
  std::set<std::string> used;
  for (std::size_t c = 0; model.file.kind == FemmKind::magnetics && c < model.file.circuits.size(); ++c) {
    const CircuitWriter circuit(model, static_cast<int>(c));
    coils += circuit.coils(used);
    conductors += circuit.conductors(used);
  }
  return text + (sources.empty() ? "" : "  sources:\n" + sources) + (coils.empty() ? "" : "  coils:\n" + coils) +
         (conductors.empty() ? "" : "  conductors:\n" + conductors);
}

} // namespace tessera::io
