// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "io/input/sections/sections.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tessera::io::detail {

namespace {

/// Whether two points have the same coordinates.
bool is_same(const std::array<double, 3>& a, const std::array<double, 3>& b) {
  return a[0] == b[0] && a[1] == b[1] && (a[2] == b[2] || (std::isnan(a[2]) && std::isnan(b[2])));
}

Line read_line(MapReader in, const std::string& name, int dimension) {
  Line line;
  line.name = name;
  line.where = in.where();
  in.require("points", "the line's corners, a list of at least two points");
  const std::vector<const YamlNode*> points = in.list("points");
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Location where = in.item_location("points", i, *points[i]);
    const auto point = read_point(*points[i], where, dimension, in.errors());
    if (!point)
      continue;
    if (!line.points.empty() && is_same(line.points.back(), *point))
      in.errors().add(where, "is the same point as the one before.");
    line.points.push_back(*point);
  }
  if (in.has("points") && points.size() < 2)
    in.fail("points", "expected at least two points; the line is straight between them.");
  line.n_samples = in.integer("samples", line.n_samples, 10, most_points_of_line);
  in.finish();
  return line;
}

SurfaceInput read_surface(MapReader in, const std::string& name, int dimension) {
  SurfaceInput surface;
  surface.name = name;
  surface.where = in.where();
  const std::vector<const YamlNode*> groups = in.list("groups");
  const YamlNode* given = in.find("groups");
  if (given != nullptr && given->kind == YamlNode::Kind::sequence && groups.empty())
    in.fail("groups",
            "the list is empty. Name boundaries or interfaces; without the key, the name of the surface is used.");
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const Location where = in.item_location("groups", i, *groups[i]);
    add_group(surface.groups, {read_text(*groups[i], where, in.errors()), where}, in.errors());
  }
  if (!in.has("groups"))
    surface.groups.push_back({name, surface.where});
  surface.from = {in.text("from", ""), in.location("from")};
  if (const YamlNode* point = in.find("away_from"))
    surface.away_from = read_point(*point, in.location("away_from"), dimension, in.errors());
  if (in.has("from") && in.has("away_from"))
    in.fail("away_from", "does not go with from: both say which way the flux counts.");
  in.finish();
  return surface;
}

} // namespace

std::array<double, 3> to_point(const std::vector<double>& coordinates, int dimension) {
  std::array<double, 3> point{0., 0., dimension == 0 ? std::numeric_limits<double>::quiet_NaN() : 0.};
  std::copy(coordinates.begin(), coordinates.end(), point.begin());
  return point;
}

std::optional<std::array<double, 3>> read_point(const YamlNode& node, const Location& where, int dimension,
                                                InputErrors& errors) {
  const std::size_t n_min = dimension == 3 ? 3 : 2;
  const std::size_t n_max = dimension == 2 ? 2 : 3;
  if (node.kind != YamlNode::Kind::sequence || node.items.size() < n_min || node.items.size() > n_max) {
    errors.add(where, "expected a point, a list of " + std::to_string(n_min) +
                          (n_min == n_max ? "" : " or " + std::to_string(n_max)) + " numbers.");
    return std::nullopt;
  }
  std::vector<double> coordinates;
  for (const YamlNode& item : node.items)
    coordinates.push_back(read_scalar(item, where, errors, true).value);
  return to_point(coordinates, dimension);
}

void add_group(std::vector<GroupName>& groups, const GroupName& group, InputErrors& errors) {
  if (std::any_of(groups.begin(), groups.end(), [&](const GroupName& other) { return other.name == group.name; }) &&
      !group.name.empty()) // already reported
    errors.add(group.where, "'" + group.name + "' is listed twice.");
  groups.push_back(group);
}

void read_integrals(MapReader& in, int dimension, Method method, OutputOptions& output) {
  MapReader lines = in.map("lines");
  MapReader surfaces = in.map("surfaces");
  if (method == Method::dg)
    for (const char* key : {"lines", "surfaces"})
      if (in.has(key))
        in.fail(key, "is for continuous elements (discretization.method: cg). dg has the fluxes of its method through "
                     "all boundaries: list the total flux under output.quantities.");
  for (const std::string& name : lines.keys())
    output.lines.push_back(read_line(lines.map(name), name, dimension));
  for (const std::string& name : surfaces.keys()) {
    if (std::any_of(output.lines.begin(), output.lines.end(), [&](const Line& line) { return line.name == name; }))
      surfaces.fail(name, "is the name of a line, too: flux." + name + " would be ambiguous.");
    output.surfaces.push_back(read_surface(surfaces.map(name), name, dimension));
  }
}

} // namespace tessera::io::detail
