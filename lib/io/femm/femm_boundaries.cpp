// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/constants.hpp"
#include "io/femm/femm_model.hpp"
#include "io/input/input_text.hpp"
#include "physics/expressions/bh_table.hpp"

#include <algorithm>
#include <cmath>

namespace tessera::io {

namespace {

using detail::at;

constexpr double stefan_boltzmann = 5.670374419184429e-8; // W/(m^2 K^4)
constexpr int highest_order = 10;

std::string pair_text(const std::string& a, double x, const std::string& b, double y) {
  return "{" + a + ": " + femm_number(x) + ", " + b + ": " + femm_number(y) + "}";
}

/// Conditions of one boundary, as the value of its entry.
class Condition {
public:
  Condition(FemmModel& model, const FemmBoundary& boundary)
      : model_(model), boundary_(boundary),
        property_((boundary.is_conductor ? model.file.circuits : model.file.boundaries)[at(boundary.property)]) {}

  /// Empty for the natural condition.
  std::string text() {
    if (boundary_.is_conductor)
      return conductor();
    switch (model_.file.kind) {
    case FemmKind::magnetics:
      return magnetic();
    case FemmKind::electrostatics:
      return type() == 0   ? entry("potential", get("vs"))
             : type() == 1 ? mixed("robin", "coefficient", "reference", "surface_charge", get("c0"), get("c1"))
             : type() == 2 ? flux("surface_charge", get("qs"))
                           : unknown();
    case FemmKind::heat:
      return heat();
    case FemmKind::current_flow:
      return type() == 0   ? entry("potential", get("vsr"))
             : type() == 1 ? mixed("contact", "conductance", "potential", "current_density", get("c0r"), get("c1r"))
             : type() == 2 ? flux("current_density", get("qsr"))
                           : unknown();
    }
    return "";
  }

private:
  double get(const char* key) const { return property_.get(key); }
  int type() const { return static_cast<int>(get("bdrytype")); }
  void refuse(const std::string& reason) const {
    model_.refuse(property_.line, "the boundary property '" + printable(property_.name) + "' " + reason);
  }
  static std::string entry(const char* key, double value) { return std::string(key) + ": " + femm_number(value); }
  std::string flux(const char* key, double value) const { return value == 0. ? "" : entry(key, value); }
  std::string unknown() const {
    if (type() != model_.periodic_type() && type() != model_.periodic_type() + 1) // refused before
      refuse("has the unknown type " + std::to_string(type()) + ".");
    return "";
  }
  void need_outside() const {
    if (boundary_.is_inside)
      refuse("is a condition on the surroundings, but lies between two regions.");
  }

  std::string conductor() const {
    const FemmKind kind = model_.file.kind;
    const bool is_heat = kind == FemmKind::heat;
    if (get("conductortype") == 1.)
      return entry(is_heat ? "temperature" : "potential", get(is_heat                            ? "tc"
                                                              : kind == FemmKind::electrostatics ? "vc"
                                                                                                 : "vcr"));
    return (is_heat                            ? "isothermal: {power: "
            : kind == FemmKind::electrostatics ? "floating: {charge: "
                                               : "terminal: {current: ") +
           femm_number(get(kind == FemmKind::current_flow ? "qcr" : "qc")) + "}";
  }

  /// D du/dn + c0 u + c1 = 0.
  std::string mixed(const char* key, const char* factor, const char* reference, const char* flux_key, double c0,
                    double c1) const {
    if (c0 == 0.)
      return flux(flux_key, -c1);
    need_outside();
    return std::string(key) + ": " + pair_text(factor, c0, reference, -c1 / c0);
  }

  std::string heat() const {
    const double h = get("h"), outflow = get("qs");
    switch (type()) {
    case 0:
      return entry("temperature", get("tset"));
    case 1:
      return flux("heat_flux", -outflow);
    case 2:
      return mixed("convection", "coefficient", "ambient", "heat_flux", h, outflow - h * get("tinf"));
    case 3:
      return radiation(h, outflow);
    default:
      return unknown();
    }
  }

  /// Convection and radiation to surroundings of different temperatures are those to one temperature T with the same
  /// inflow at 0 K: h T + e sigma T^4.
  std::string radiation(double h, double outflow) const {
    need_outside();
    const double emissivity = get("beta"), tinf = get("tinf"), far = property_.get("tinfrad", tinf);
    const auto inflow = [&](double t) { return h * t + emissivity * stefan_boltzmann * std::pow(t, 4); };
    const double wanted = h * tinf + emissivity * stefan_boltzmann * std::pow(far, 4) - outflow;
    double low = 0., high = std::max(tinf, far);
    if (outflow == 0. && (h == 0. || tinf == far || emissivity == 0.)) {
      low = high = emissivity == 0. ? tinf : far;
    } else {
      if (wanted < 0. || (h <= 0. && emissivity <= 0.))
        refuse("draws heat from surroundings below absolute zero.");
      while (high < 1e9 && inflow(high) < wanted)
        high = 2. * high + 1.;
      for (int i = 0; i < 200; ++i)
        (inflow(0.5 * (low + high)) < wanted ? low : high) = 0.5 * (low + high);
    }
    return "radiation: {emissivity: " + femm_number(emissivity) + ", ambient: " + femm_number(high) +
           ", coefficient: " + femm_number(h) + "}";
  }

  std::string magnetic() const {
    switch (type()) {
    case 0:
      return vector_potential();
    case 1:
      if (model_.frequency() > 0.)
        refuse("is a conductor of small skin depth, which is not supported.");
      model_.notes.push_back("The skin depth of '" + printable(property_.name) + "' has no effect at frequency 0.");
      return "";
    case 2:
      return magnetic_mixed();
    case 3:
      refuse("is of the type Strategic Dual Image, which is not supported. Take an asymptotic condition.");
      return "";
    case 6:
    case 7:
      refuse("is an air gap element, which is not supported. Mesh the gap.");
      return "";
    default:
      return unknown();
    }
  }

  /// A0 + A1 x + A2 y, or A0 + A1 r + A2 theta (degrees) with polar coordinates, in lengths of the file.
  std::string vector_potential() const {
    if (model_.frequency() > 0. && get("phi") != 0. && (get("a_0") != 0. || get("a_1") != 0. || get("a_2") != 0.))
      refuse("has a phase (Phi), which is not supported.");
    const double unit = model_.file.metres_per_unit(), cosine = std::cos(get("phi") / 180. * pi);
    const double a0 = get("a_0") * cosine, a1 = get("a_1") * cosine / unit, a2 = get("a_2") * cosine;
    if (a1 == 0. && a2 == 0.)
      return entry("vector_potential", a0);
    const bool is_polar = model_.file.text("coordinates") == "polar";
    return "vector_potential: \"" + femm_number(a0) + " + " + femm_number(a1) +
           (is_polar ? "*hypot(x, y) + " : "*x + ") + femm_number(is_polar ? a2 : a2 / unit) +
           (is_polar ? "*atan2(y, x)*180/pi\"" : "*y\"");
  }

  /// (1/mu) dA/dn + c0 A + c1 = 0: a given tangential field, or the far field of a multipole, for which
  /// c0 = order/(mu0 radius).
  std::string magnetic_mixed() const {
    need_outside();
    if (model_.frequency() > 0. && (get("c0i") != 0. || get("c1i") != 0.))
      refuse("has complex coefficients, which are not supported.");
    if (get("c0") == 0.)
      return flux("tangential_field", get("c1"));
    const PlaneCurve& first = model_.graph.curves[at(boundary_.curves[0])];
    const double order = get("c0") * physics::vacuum_permeability * model_.metres(first.radius),
                 nearest = std::round(order);
    const bool is_circle =
        first.angle != 0. && std::all_of(boundary_.curves.begin(), boundary_.curves.end(), [&](int c) {
          const PlaneCurve& curve = model_.graph.curves[at(c)];
          const double off = std::hypot(curve.centre[0] - first.centre[0], curve.centre[1] - first.centre[1]) +
                             std::fabs(curve.radius - first.radius);
          return curve.angle != 0. && off < 1e-3 * first.radius;
        });
    if (!is_circle || get("c1") != 0. || nearest < 1. || nearest > highest_order ||
        std::fabs(order - nearest) > 0.01 * nearest)
      refuse("is a mixed condition other than c0 = n/(mu0 radius), c1 = 0 on a circle, n = 1, 2, ...: only these far "
             "fields are supported.");
    return "asymptotic: {center: [" + femm_number(model_.metres(first.centre[0])) + ", " +
           femm_number(model_.metres(first.centre[1])) + "], order: " + femm_number(std::max(1., nearest)) + "}";
  }

  FemmModel& model_;
  const FemmBoundary& boundary_;
  const FemmProperty& property_;
};

std::string periodic(const FemmModel& model, const FemmPair& pair) {
  const auto point = [&](const PlanePoint& p) {
    return "[" + femm_number(model.metres(p[0])) + ", " + femm_number(model.metres(p[1])) + "]";
  };
  return std::string(pair.is_anti ? "antiperiodic" : "periodic") + ": {with: " + model.boundaries[at(pair.image)].name +
         (pair.angle == 0. ? ", translation: " + point(pair.shift)
                           : ", rotation: " + femm_number(pair.angle) + ", center: " + point(pair.centre)) +
         "}";
}

} // namespace

std::string femm_boundaries(FemmModel& model) {
  std::string text;
  for (std::size_t b = 0; b < model.boundaries.size(); ++b) {
    const auto of = [&](int FemmPair::*member) {
      return std::find_if(model.pairs.begin(), model.pairs.end(),
                          [&](const FemmPair& pair) { return pair.*member == static_cast<int>(b); });
    };
    if (of(&FemmPair::image) != model.pairs.end())
      continue;
    const auto pair = of(&FemmPair::boundary);
    const std::string condition =
        pair == model.pairs.end() ? Condition(model, model.boundaries[b]).text() : periodic(model, *pair);
    if (!condition.empty())
      text += "    " + model.boundaries[b].name + ": {" + condition + "}\n";
  }
  return text.empty() ? "  boundaries: {}\n" : "  boundaries:\n" + text;
}

std::string femm_point_sources(FemmModel& model) {
  const FemmFile& file = model.file;
  struct Keys {
    const char* strength;
    const char* value;
    const char* key;
  };
  const Keys keys[] = {
      {"i_re", "a_re", "current"}, {"qp", "vp", "charge"}, {"qp", "tp", "power"}, {"qpr", "vpr", "current"}};
  const Keys& k = keys[static_cast<std::size_t>(file.kind)];
  std::string text;
  std::set<std::string> used;
  for (std::size_t p = 0; p < file.points.size(); ++p) {
    const FemmPoint& point = file.points[p];
    const bool is_at_conductor = std::any_of(file.curves.begin(), file.curves.end(), [&](const FemmCurve& c) {
      return (c.from == static_cast<int>(p) || c.to == static_cast<int>(p)) && c.conductor == point.conductor;
    });
    if (point.conductor >= 0 && !is_at_conductor)
      model.refuse(point.line, "a conductor that is a point has no extent; draw a small circle.");
    if (point.property < 0)
      continue;
    const FemmProperty& property = file.point_properties[at(point.property)];
    const double strength = property.get(k.strength);
    if (model.frequency() > 0. && (property.get("i_im") != 0. || property.get("a_im") != 0.))
      model.refuse(point.line,
                   "the point property '" + printable(property.name) + "' has a phase, which is not supported.");
    const bool is_axis = file.is_axisymmetric() && point.x == 0.;
    if (strength == 0. && file.kind == FemmKind::magnetics && is_axis && property.get(k.value) == 0.)
      continue;
    if (strength == 0. || is_axis) {
      model.refuse(point.line, strength == 0. ? "the value at a point depends on the mesh; draw a small circle with a "
                                                "boundary property, or a segment."
                                              : "a source at a point of the axis is not supported.");
      continue;
    }
    // FEMM's strengths are per length, except currents of magnetics.
    const double depth = file.is_axisymmetric() ? 2. * pi * model.metres(point.x) : model.depth();
    text += "    " + femm_name(property.name, used) + ": {at: [" + femm_number(model.metres(point.x)) + ", " +
            femm_number(model.metres(point.y)) + "], " + k.key + ": " +
            femm_number(file.kind == FemmKind::magnetics ? strength : strength * depth) + "}\n";
  }
  return text.empty() ? "" : "  point_sources:\n" + text;
}

} // namespace tessera::io
