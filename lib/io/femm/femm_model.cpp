// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "io/femm/femm_model.hpp"

#include "core/constants.hpp"
#include "io/input/case.hpp"
#include "io/input/input_text.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <map>

namespace tessera::io {

namespace {

using detail::at;

using Complex = std::complex<double>;

constexpr double smart_share = 0.01;    // of the drawing's diagonal: largest element as in FEMM
constexpr double coarse_share = 0.05;   // without [DoSmartMesh]
constexpr double share_of_face = 0.067; // of the diagonal of a small region
constexpr double same_length = 1e-5;    // of lengths that FEMM takes for equal

/// The circuit of a label if its regions are connected in parallel and carry one current; -1 otherwise.
int parallel_circuit(const FemmFile& file, const FemmLabel& label) {
  const bool is_parallel = file.kind == FemmKind::magnetics && label.circuit >= 0 &&
                           file.circuits[at(label.circuit)].get("circuittype") == 0.;
  return is_parallel ? label.circuit : -1;
}

void make_regions(FemmModel& model) {
  const FemmFile& file = model.file;
  const bool is_smart = file.number("dosmartmesh", 1.) != 0.;
  std::map<std::array<int, 2>, std::size_t> joined; // region by parallel circuit and material
  for (std::size_t f = 0; f < model.graph.faces.size(); ++f) {
    const PlaneFace& face = model.graph.faces[f];
    const FemmLabel& label = file.labels[at(face.label)];
    if (label.is_hole)
      continue;
    const double automatic =
        std::min((is_smart ? smart_share : coarse_share) * model.graph.diagonal, share_of_face * face.diagonal);
    FemmRegion region;
    region.faces = {static_cast<int>(f)};
    region.label = face.label;
    region.size = label.size > 0. ? label.size : automatic;
    const int circuit = parallel_circuit(file, label);
    const auto [same, is_new] = joined.emplace(std::array<int, 2>{circuit, label.material}, model.regions.size());
    if (circuit >= 0 && !is_new) {
      model.regions[same->second].faces.push_back(static_cast<int>(f));
      model.regions[same->second].size = std::min(model.regions[same->second].size, region.size);
      continue;
    }
    region.name =
        femm_name(file.kind == FemmKind::magnetics && label.circuit >= 0 ? file.circuits[at(label.circuit)].name
                                                                         : file.materials[at(label.material)].name,
                  model.names);
    model.regions.push_back(region);
  }
}

/// A curve on the axis of a magnetic problem, where the vector potential is 0 whatever the condition.
bool is_axis(const FemmFile& file, const FemmCurve& curve) {
  return file.kind == FemmKind::magnetics && file.is_axisymmetric() && curve.angle == 0. &&
         file.points[at(curve.from)].x == 0. && file.points[at(curve.to)].x == 0.;
}

void make_boundaries(FemmModel& model) {
  const FemmFile& file = model.file;
  std::map<std::array<int, 2>, std::size_t> known;
  for (std::size_t c = 0; c < model.graph.curves.size(); ++c) {
    const PlaneCurve& curve = model.graph.curves[c];
    const FemmCurve& origin = file.curves[at(curve.origin)];
    const bool left = model.graph.is_meshed(file, curve.faces[0]), right = model.graph.is_meshed(file, curve.faces[1]);
    if ((!left && !right) || (origin.property < 0 && origin.conductor < 0) || is_axis(file, origin))
      continue;
    if (origin.property >= 0 && origin.conductor >= 0)
      model.refuse(origin.line, "the curve has a boundary property and a conductor; give it one of them.");
    const bool is_conductor = origin.conductor >= 0;
    const int property = is_conductor ? origin.conductor : origin.property;
    const auto [same, is_new] =
        known.emplace(std::array<int, 2>{is_conductor ? 1 : 0, property}, model.boundaries.size());
    if (is_new) {
      model.boundaries.emplace_back();
      model.boundaries.back().property = property;
      model.boundaries.back().is_conductor = is_conductor;
      model.boundaries.back().name =
          femm_name((is_conductor ? file.circuits : file.boundaries)[at(property)].name, model.names);
    }
    FemmBoundary& boundary = model.boundaries[same->second];
    boundary.curves.push_back(static_cast<int>(c));
    boundary.is_inside = boundary.is_inside || (left && right);
  }
}

/// The region next to an arc has no sources and ends at concentric circles, as FEMM's map of the outer space does.
bool is_disc(const FemmModel& model, const PlaneCurve& arc) {
  const int f = model.graph.is_meshed(model.file, arc.faces[0]) ? arc.faces[0] : arc.faces[1];
  const PlaneFace& face = model.graph.faces[at(f)];
  const FemmLabel& label = model.file.labels[at(face.label)];
  const FemmProperty& material = model.file.materials[at(label.material)];
  const bool is_empty = label.circuit < 0 && material.table.empty() && material.get("j_re") == 0. &&
                        material.get("h_c") == 0. && material.get("qv") == 0.;
  return is_empty && face.loops.size() == 1 && std::all_of(face.loops[0].begin(), face.loops[0].end(), [&](int half) {
           const PlaneCurve& c = model.graph.curves[at(half / 2)];
           return c.angle == 0. ||
                  std::hypot(c.centre[0] - arc.centre[0], c.centre[1] - arc.centre[1]) < same_length * arc.radius;
         });
}

/// Splits a boundary with a periodic property into the two curves of the file, and finds the motion from the first to
/// the second. As FEMM does: with the domain on the left of both, the begin of one corresponds to the end of the other.
void make_pair(FemmModel& model, std::size_t b, bool is_anti) {
  const FemmBoundary boundary = model.boundaries[b];
  const FemmFile& file = model.file;
  const FemmProperty& property = file.boundaries[at(boundary.property)];
  std::vector<int> parts[2]; // curves of the graph by curve of the file
  for (const int c : boundary.curves) {
    const int origin = model.graph.curves[at(c)].origin;
    const bool is_first = parts[0].empty() || model.graph.curves[at(parts[0][0])].origin == origin;
    parts[is_first ? 0 : 1].push_back(c);
  }
  const auto curve = [&](std::size_t part) -> const PlaneCurve& { return model.graph.curves[at(parts[part][0])]; };
  const bool are_two = !parts[1].empty() && std::all_of(parts[1].begin(), parts[1].end(), [&](int c) {
    return model.graph.curves[at(c)].origin == curve(1).origin;
  });
  if (!are_two || boundary.is_inside) {
    model.refuse(property.line, "the (anti)periodic property '" + printable(property.name) +
                                    "' needs two curves on the outside of the mesh.");
    return;
  }
  const FemmCurve* origins[2] = {&file.curves[at(curve(0).origin)], &file.curves[at(curve(1).origin)]};
  bool is_left[2];
  Complex ends[2][2];
  for (std::size_t p = 0; p < 2; ++p) {
    is_left[p] = model.graph.is_meshed(file, curve(p).faces[0]);
    const PlanePoint &from = model.graph.points[at(origins[p]->from)], &to = model.graph.points[at(origins[p]->to)];
    ends[p][0] = {from[0], from[1]};
    ends[p][1] = {to[0], to[1]};
  }
  const bool are_arcs = origins[0]->angle > 0.;
  if (!are_arcs && is_left[0] == is_left[1])
    std::swap(ends[1][0], ends[1][1]);
  const double a = std::abs(ends[0][1] - ends[0][0]), a_image = std::abs(ends[1][1] - ends[1][0]);
  if (std::abs(a - a_image) > same_length * a || std::abs(origins[0]->angle - origins[1]->angle) > 1e-3) {
    model.refuse(property.line, "the curves of the (anti)periodic property '" + printable(property.name) +
                                    "' differ in length or angle.");
    return;
  }
  if (are_arcs && is_left[0] == is_left[1] && !is_disc(model, curve(0)) && !is_disc(model, curve(1))) {
    model.refuse(property.line, "FEMM joins the arcs of '" + printable(property.name) +
                                    "' by a reflection, which is only possible if one of them bounds an empty disc.");
    return;
  }
  FemmPair pair;
  pair.is_anti = is_anti;
  pair.boundary = static_cast<int>(b);
  pair.image = static_cast<int>(model.boundaries.size());
  const Complex turn = (ends[1][1] - ends[1][0]) / (ends[0][1] - ends[0][0]);
  pair.angle = std::abs(std::arg(turn)) < 1e-7 ? 0. : std::arg(turn) * 180. / pi;
  const Complex shift = ends[1][0] - ends[0][0];
  pair.shift = {shift.real(), shift.imag()};
  if (pair.angle != 0.) {
    const Complex unit = turn / std::abs(turn), centre = (ends[1][0] - unit * ends[0][0]) / (1. - unit);
    pair.centre = {centre.real(), centre.imag()};
  }
  FemmBoundary image = boundary;
  image.name = femm_name(boundary.name, model.names);
  image.curves = parts[1];
  model.boundaries[b].curves = parts[0];
  model.boundaries.push_back(image);
  model.pairs.push_back(pair);
}

void make_pairs(FemmModel& model) {
  const int periodic = model.periodic_type();
  const std::size_t n = model.boundaries.size();
  for (std::size_t b = 0; b < n; ++b) {
    if (model.boundaries[b].is_conductor)
      continue;
    const double type = model.file.boundaries[at(model.boundaries[b].property)].get("bdrytype");
    if (type == periodic || type == periodic + 1)
      make_pair(model, b, type == periodic + 1);
  }
}

} // namespace

double FemmModel::depth() const {
  const double depth = file.number("depth", -1.);
  return depth > 0. ? metres(depth) : 1.; // FEMM's default
}

double FemmModel::frequency() const { return std::fabs(file.number("frequency", 0.)); }

std::string femm_number(double value) {
  char text[40];
  std::snprintf(text, sizeof(text), "%.14g", value);
  return number_text(std::strtod(text, nullptr) + 0.); // 0 instead of -0
}

std::string femm_name(const std::string& text, std::set<std::string>& used) {
  static const std::set<std::string> words = {"true", "false", "null", "yes", "no", "on", "off", "y", "n"};
  std::string name;
  for (const char c : text) {
    const bool is_kept = std::isalnum(static_cast<unsigned char>(c)) != 0 && static_cast<unsigned char>(c) < 128;
    if (is_kept || c == '-' || c == '_')
      name += c;
    else if (!name.empty() && name.back() != '_')
      name += '_';
  }
  while (!name.empty() && name.back() == '_')
    name.pop_back();
  if (name.empty() || std::isalpha(static_cast<unsigned char>(name[0])) == 0 || words.count(lower_case(name)) > 0)
    name = "r_" + name;
  std::string unique = name;
  for (int i = 2; !used.insert(unique).second; ++i)
    unique = name + "_" + std::to_string(i);
  return unique;
}

FemmModel make_femm_model(const FemmFile& file) {
  FemmModel model;
  model.file = file;
  model.graph = make_plane_graph(file);
  make_regions(model);
  make_boundaries(model);
  make_pairs(model);
  return model;
}

} // namespace tessera::io
