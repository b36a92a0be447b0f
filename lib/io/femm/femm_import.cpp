// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "io/femm/femm_import.hpp"

#include "core/constants.hpp"
#include "core/error.hpp"
#include "io/femm/femm_model.hpp"
#include "io/input/input_text.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <sstream>

namespace tessera::io {

namespace {

using detail::at;

const char* kind_name(FemmKind kind) {
  const char* const names[] = {"magnetics", "electrostatics", "heat flow", "current flow"};
  return names[static_cast<std::size_t>(kind)];
}

/// Writes the points and curves of the mesh, its faces and their groups in Gmsh's language.
class GeometryText {
public:
  explicit GeometryText(const FemmModel& model) : model_(model), graph_(model.graph) {}

  std::string text() {
    out_ << "// Geometry of " << std::filesystem::path(model_.file.path).filename().string()
         << " (FEMM), written by tessera import. The last number of a point is the size of elements there.\n";
    write_points();
    write_curves();
    for (const FemmPair& pair : model_.pairs)
      write_pair(pair);
    for (std::size_t f = 0; f < graph_.faces.size(); ++f)
      if (model_.graph.is_meshed(model_.file, static_cast<int>(f)))
        write_face(f);
    for (const FemmRegion& region : model_.regions)
      write_group("Surface", region.name, region.faces);
    for (const FemmBoundary& boundary : model_.boundaries)
      write_group("Curve", boundary.name, boundary.curves);
    return out_.str();
  }

private:
  bool is_used(const PlaneCurve& curve) const {
    return graph_.is_meshed(model_.file, curve.faces[0]) || graph_.is_meshed(model_.file, curve.faces[1]);
  }

  /// Largest element that the file gives for a curve; infinite if none.
  double size_of(const PlaneCurve& curve) const {
    const double size = model_.file.curves[at(curve.origin)].size;
    if (size <= 0.)
      return HUGE_VAL;
    return curve.angle == 0. ? size : 2. * curve.radius * std::sin(std::min(size, 90.) / 360. * pi);
  }

  void write_points() {
    std::map<int, double> sizes;
    for (const PlaneCurve& curve : graph_.curves)
      if (is_used(curve))
        for (const int end : {curve.from, curve.to}) {
          const auto size = sizes.emplace(end, HUGE_VAL).first;
          size->second = std::min(size->second, size_of(curve));
        }
    for (const auto& [p, size] : sizes) {
      const PlanePoint& point = graph_.points[at(p)];
      out_ << "Point(" << p + 1 << ") = {" << femm_number(point[0]) << ", " << femm_number(point[1]) << ", 0"
           << (std::isfinite(size) ? ", " + femm_number(size) : "") << "};\n";
    }
  }

  void write_curves() {
    std::map<PlanePoint, std::size_t> centres;
    for (std::size_t c = 0; c < graph_.curves.size(); ++c) {
      const PlaneCurve& curve = graph_.curves[c];
      if (!is_used(curve))
        continue;
      if (curve.angle == 0.) {
        out_ << "Line(" << c + 1 << ") = {" << curve.from + 1 << ", " << curve.to + 1 << "};\n";
        continue;
      }
      const auto [centre, is_new] = centres.emplace(curve.centre, graph_.points.size() + centres.size() + 1);
      if (is_new)
        out_ << "Point(" << centre->second << ") = {" << femm_number(curve.centre[0]) << ", "
             << femm_number(curve.centre[1]) << ", 0};\n";
      out_ << "Circle(" << c + 1 << ") = {" << curve.from + 1 << ", " << centre->second << ", " << curve.to + 1
           << "};\n";
    }
  }

  void write_pair(const FemmPair& pair) {
    out_ << "Periodic Curve {" << numbers(model_.boundaries[at(pair.image)].curves) << "} = {"
         << numbers(model_.boundaries[at(pair.boundary)].curves) << "} ";
    if (pair.angle == 0.)
      out_ << "Translate {" << femm_number(pair.shift[0]) << ", " << femm_number(pair.shift[1]) << ", 0};\n";
    else
      out_ << "Rotate {{0, 0, 1}, {" << femm_number(pair.centre[0]) << ", " << femm_number(pair.centre[1]) << ", 0}, "
           << femm_number(pair.angle) << "*Pi/180};\n";
  }

  static std::string numbers(const std::vector<int>& indices) {
    std::string text;
    for (const int i : indices)
      text += (text.empty() ? "" : ", ") + std::to_string(i + 1);
    return text;
  }

  void write_face(std::size_t f) {
    const PlaneFace& face = graph_.faces[f];
    std::string loops;
    for (const std::vector<int>& loop : face.loops) {
      std::string curves;
      for (const int half : loop)
        curves += (curves.empty() ? "" : ", ") + std::to_string(half % 2 == 0 ? half / 2 + 1 : -(half / 2 + 1));
      out_ << "Curve Loop(" << ++n_loops_ << ") = {" << curves << "};\n";
      loops += (loops.empty() ? "" : ", ") + std::to_string(n_loops_);
    }
    out_ << "Plane Surface(" << f + 1 << ") = {" << loops << "};\n";
    if (!face.inner_curves.empty())
      out_ << "Curve {" << numbers(face.inner_curves) << "} In Surface {" << f + 1 << "};\n";
  }

  void write_group(const char* what, const std::string& name, const std::vector<int>& entities) {
    out_ << "Physical " << what << "(\"" << name << "\") = {" << numbers(entities) << "};\n";
  }

  const FemmModel& model_;
  const PlaneGraph& graph_;
  std::ostringstream out_;
  std::size_t n_loops_ = 0;
};

/// The mesh of a case.
std::string mesh_text(const FemmModel& model, const std::string& name) {
  static const std::map<std::string, const char*> units = {
      {"millimeters", "mm"}, {"centimeters", "cm"}, {"meters", "m"}, {"microns", "um"}, {"micrometers", "um"}};
  const std::string unit = model.file.text("lengthunits");
  const auto known = units.find(unit);
  std::string text = "mesh:\n  geometry: \"" + name + ".geo\"\n  dimension: 2\n";
  text += known != units.end() ? std::string("  units: ") + known->second
          : unit == "mils"     ? "  scale: 2.54e-5"
                               : "  units: inch";
  text += "\n  sizes: # largest elements, in this unit; FEMM's where it gives them\n";
  for (const FemmRegion& region : model.regions)
    text += "    " + region.name + ": " + femm_number(region.size) + "\n";
  return text;
}

std::string problem_text(FemmModel& model) {
  const bool is_harmonic = model.frequency() > 0.;
  const char* const physics[] = {is_harmonic ? "eddy-currents" : "magnetostatics", "electrostatics", "heat",
                                 "current-flow"};
  std::string text = std::string("problem:\n  physics: ") + physics[static_cast<std::size_t>(model.file.kind)] + "\n";
  if (is_harmonic)
    text += "  frequency: " + femm_number(model.frequency()) + "\n";
  text += model.file.is_axisymmetric() ? "  symmetry: axisymmetric\n" : "  depth: " + femm_number(model.depth()) + "\n";
  text += femm_materials(model);
  text += femm_point_sources(model);
  return text + femm_boundaries(model);
}

std::string output_text(const FemmModel& model, bool has_coils) {
  const bool is_harmonic = model.frequency() > 0.;
  const char* const fields[] = {is_harmonic ? "flux_density, current_density" : "vector_potential, flux_density",
                                "potential, electric_field", "temperature, heat_flux", "potential, current_density"};
  const char* const quantities[] = {is_harmonic ? "losses, energy"
                                    : has_coils ? "energy, coenergy, flux_linkage, regions"
                                                : "energy, coenergy, regions",
                                    "energy, charge, regions", "heat_flow, regions", "losses, current, regions"};
  const auto kind = static_cast<std::size_t>(model.file.kind);
  std::string text =
      std::string("output:\n  fields: [") + fields[kind] + "]\n  quantities: [" + quantities[kind] + "]\n";
  std::map<int, std::string> groups;
  for (const FemmRegion& region : model.regions)
    if (const int group = model.label_of(region).group; group != 0)
      groups[group] += (groups[group].empty() ? "" : ", ") + region.name;
  for (const auto& [group, names] : groups)
    text += "  # FEMM's group " + std::to_string(group) + ", for forces: bodies: {group_" + std::to_string(group) +
            ": {groups: [" + names + "]}}\n";
  return text;
}

/// Notes and reasons that follow from the head of the file.
void check_settings(FemmModel& model) {
  const FemmFile& file = model.file;
  const FemmKind kind = file.kind;
  const auto refuse = [&](const std::string& reason) { model.refused.push_back(file.path + ": " + reason); };
  const bool is_harmonic = model.frequency() > 0.;
  if (is_harmonic && kind != FemmKind::magnetics)
    refuse("[Frequency] is " + femm_number(model.frequency()) + " Hz: complex conductivities are not supported.");
  if (!file.text("prevsoln").empty()) {
    if (kind == FemmKind::heat && file.number("dt", 0.) != 0.)
      refuse("[dT] is not 0: transient heat flow is not supported.");
    else if (file.number("prevtype", 0.) == 1. || file.number("prevtype", 0.) == 2.)
      refuse("[PrevSoln]: incremental and frozen permeabilities are not supported.");
    else
      model.notes.emplace_back("[PrevSoln] as a first guess is not used.");
  }
  model.notes.emplace_back("[Precision], [MinAngle] and other settings of FEMM's solver and mesher are not used; the "
                           "mesh is another one.");
  const auto note_any = [&](const char* key, const char* text) {
    if (std::any_of(file.materials.begin(), file.materials.end(),
                    [&](const FemmProperty& m) { return m.get(key) != 0.; }))
      model.notes.emplace_back(text);
  };
  if (kind == FemmKind::heat)
    note_any("kt", "Heat capacities (Kt) have no effect on steady temperatures.");
  if (kind == FemmKind::current_flow)
    note_any("ex", "Permittivities (ex, ey, ltx, lty) have no effect at frequency 0.");
  if (kind == FemmKind::magnetics && is_harmonic)
    note_any("h_c", "Magnets (H_c) have no effect at a frequency.");
  if (kind == FemmKind::magnetics && !is_harmonic) {
    note_any("sigma", "Conductivities (Sigma) have no effect at frequency 0.");
    note_any("d_lam", "The thickness of laminations (d_lam) has no effect at frequency 0.");
  }
  if (kind == FemmKind::magnetics)
    note_any("wired", "Wires (WireD, NStrands): resistances and losses of windings are not computed.");
}

std::string comment_text(const std::string& text) {
  std::string comment;
  for (std::size_t begin = 0; begin <= text.size();) {
    std::size_t end = text.find("\\n", begin); // FEMM's line break
    end = end == std::string::npos ? text.size() : end;
    if (const std::string line = printable(text.substr(begin, end - begin), 200); !line.empty())
      comment += "# " + line + "\n";
    begin = end + 2;
  }
  return comment;
}

} // namespace

FemmImport import_femm(const std::string& path, const std::string& name) {
  FemmModel model = make_femm_model(read_femm(path));
  check_settings(model);
  const std::string problem = problem_text(model);
  std::string reasons;
  for (const std::string& reason : model.refused)
    reasons += (reasons.empty() ? "" : "\n") + reason;
  TESSERA_REQUIRE(reasons.empty(), reasons);
  FemmImport result;
  result.notes = model.notes;
  result.geometry = GeometryText(model).text();
  std::string head = "# " + printable(std::filesystem::path(path).filename().string()) + ", a problem of FEMM (" +
                     kind_name(model.file.kind) + "), written by tessera import.\n" +
                     comment_text(model.file.text("comment"));
  for (const std::string& note : model.notes)
    head += "# Not in this case: " + note + "\n";
  result.input = head + "tessera: 1\ntitle: \"" + name + "\"\n" + mesh_text(model, name) + problem +
                 output_text(model, problem.find("\n  coils:\n") != std::string::npos);
  return result;
}

} // namespace tessera::io
