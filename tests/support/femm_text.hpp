// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_TESTS_SUPPORT_FEMM_TEXT_HPP
#define TESSERA_TESTS_SUPPORT_FEMM_TEXT_HPP

/// \file
/// Texts of FEMM's problem files.

#include <string>
#include <utility>
#include <vector>

namespace tessera::test {

using FemmValues = std::vector<std::pair<std::string, std::string>>;

/// A file with a square of side 4 about the origin, in millimetres; its sides are points 0 to 3 and segments from the
/// lower one, counterclockwise.
struct FemmText {
  bool is_magnetics = true;
  std::string head = "[Format] = 4.0\n[LengthUnits] = millimeters\n[ProblemType] = planar\n[Depth] = 10\n";
  std::string point_properties, boundaries, materials, circuits;
  int n_point_properties = 0, n_boundaries = 0, n_materials = 0, n_circuits = 0;
  std::vector<std::string> points = {"-2 -2 0 0", "2 -2 0 0", "2 2 0 0", "-2 2 0 0"};
  std::vector<std::string> segments = {"0 1 -1 0 0 0", "1 2 -1 0 0 0", "2 3 -1 0 0 0", "3 0 -1 0 0 0"};
  std::vector<std::string> arcs, holes, labels;

  static std::string property(const std::string& what, const std::string& name, const FemmValues& values) {
    std::string text = "  <Begin" + what + ">\n    <" + what + "Name> = \"" + name + "\"\n";
    for (const auto& [key, value] : values)
      text += "    <" + key + "> = " + value + "\n";
    return text + "  <End" + what + ">\n";
  }
  void point_property(const std::string& name, const FemmValues& values) {
    point_properties += property("Point", name, values);
    ++n_point_properties;
  }
  void boundary(const std::string& name, const FemmValues& values) {
    boundaries += property("Bdry", name, values);
    ++n_boundaries;
  }
  void material(const std::string& name, const FemmValues& values) {
    materials += property("Block", name, values);
    ++n_materials;
  }
  void circuit(const std::string& name, const FemmValues& values) {
    circuits += property(is_magnetics ? "Circuit" : "Conductor", name, values);
    ++n_circuits;
  }

  static std::string rows(const std::string& key, const std::vector<std::string>& rows) {
    std::string text = "[" + key + "] = " + std::to_string(rows.size()) + "\n";
    for (const std::string& row : rows)
      text += row + "\n";
    return text;
  }
  std::string text() const {
    const auto section = [](const std::string& key, int n, const std::string& properties) {
      return "[" + key + "] = " + std::to_string(n) + "\n" + properties;
    };
    return head + section("PointProps", n_point_properties, point_properties) +
           section("BdryProps", n_boundaries, boundaries) + section("BlockProps", n_materials, materials) +
           section(is_magnetics ? "CircuitProps" : "ConductorProps", n_circuits, circuits) + rows("NumPoints", points) +
           rows("NumSegments", segments) + rows("NumArcSegments", arcs) + rows("NumHoles", holes) +
           rows("NumBlockLabels", labels);
  }
};

/// A square of air with a wire of radius 1 in it; A = 0 on the square.
inline FemmText wire_in_air() {
  FemmText text;
  text.boundary("A=0", {{"BdryType", "0"}});
  text.material("Air", {{"Mu_x", "1"}, {"Mu_y", "1"}});
  text.material("Copper", {{"Mu_x", "1"}, {"Mu_y", "1"}, {"Sigma", "58"}});
  text.circuit("wire", {{"TotalAmps_re", "2"}, {"CircuitType", "1"}});
  for (std::string& segment : text.segments)
    segment.replace(segment.find("-1 0"), 4, "-1 1");
  text.points.insert(text.points.end(), {"-1 0 0 0", "1 0 0 0"});
  text.arcs = {"4 5 180 5 0 0 0", "5 4 180 5 0 0 0"};
  text.labels = {"0 1.5 1 -1 0 0 0 1 0", "0 0 2 0.25 1 0 3 1 0"};
  return text;
}

} // namespace tessera::test

#endif
