// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "io/input/sections/sections.hpp"

#include <algorithm>
#include <limits>

namespace tessera::io::detail {

namespace {

using Points = std::vector<std::array<double, 3>>;

/// Reads a point, or a list of points.
Points read_points(MapReader& in, const std::string& key, int dimension) {
  Points points;
  const YamlNode* node = in.find(key);
  if (node == nullptr)
    return points;
  const bool is_list =
      node->kind == YamlNode::Kind::sequence && !node->items.empty() && node->items[0].kind == YamlNode::Kind::sequence;
  const std::size_t n_least = dimension == 0 ? 2 : static_cast<std::size_t>(dimension);
  const std::size_t n_most = dimension == 0 ? 3 : n_least;
  const auto read = [&](const YamlNode& item, const std::string& path) {
    if (item.kind != YamlNode::Kind::sequence || item.items.size() < n_least || item.items.size() > n_most) {
      in.errors().add(location_of(item, path), "expected a point, a list of " + std::to_string(n_least) +
                                                   (n_most > n_least ? " or 3" : "") +
                                                   " numbers, or a list of such points.");
      return;
    }
    std::array<double, 3> point{0., 0., std::numeric_limits<double>::quiet_NaN()};
    for (std::size_t d = 0; d < item.items.size(); ++d)
      point[d] = read_scalar(item.items[d], location_of(item.items[d], path), in.errors(), true).value;
    points.push_back(point);
  };
  if (!is_list)
    read(*node, in.join(key));
  for (std::size_t i = 0; is_list && i < node->items.size(); ++i)
    read(node->items[i], in.join(key) + "[" + std::to_string(i) + "]");
  return points;
}

/// Reads a name or a list of names.
std::vector<std::string> read_names(const YamlNode& node, const std::string& path, InputErrors& errors) {
  std::vector<std::string> names;
  const auto read = [&](const YamlNode& item, const std::string& at) {
    const std::string name = read_text(item, location_of(item, at), errors);
    if (!name.empty())
      names.push_back(name);
  };
  if (node.kind != YamlNode::Kind::sequence)
    read(node, path);
  else if (node.items.empty())
    errors.add(location_of(node, path), "the list is empty.");
  else
    for (std::size_t i = 0; i < node.items.size(); ++i)
      read(node.items[i], path + "[" + std::to_string(i) + "]");
  return names;
}

/// Reads `outside: true`, or the names of regions, and `except`.
void read_outside(MapReader& map, NamedGroup& group) {
  const YamlNode* outside = map.find("outside");
  const YamlNode* except = map.find("except");
  if (except != nullptr && outside == nullptr)
    map.fail("except", "goes with outside: boundaries that are left out of it.");
  if (except != nullptr)
    group.except = read_names(*except, map.join("except"), map.errors());
  if (outside == nullptr)
    return;
  group.outside = true;
  if (outside->kind == YamlNode::Kind::scalar && outside->text == "false")
    map.fail("outside", "is true, or names of regions.");
  if (outside->kind != YamlNode::Kind::scalar || outside->text != "true")
    group.outside_of = read_names(*outside, map.join("outside"), map.errors());
  for (const char* key : {"names", "at", "near"})
    if (map.has(key))
      map.fail(key, "does not go with outside, which makes a new boundary of facets of the mesh.");
}

} // namespace

void read_groups(MapReader in, int dimension, std::vector<NamedGroup>& groups) {
  for (const std::string& name : in.keys()) {
    NamedGroup group;
    group.name = name;
    const YamlNode* node = in.find(name);
    if (node->kind != YamlNode::Kind::map) {
      group.members = read_names(*node, in.join(name), in.errors());
    } else {
      MapReader map = in.map(name);
      if (const YamlNode* names = map.find("names"))
        group.members = read_names(*names, map.join("names"), in.errors());
      group.inside = read_points(map, "at", dimension);
      group.near = read_points(map, "near", dimension);
      read_outside(map, group);
      if (!map.has("names") && !map.has("at") && !map.has("near") && !map.has("outside"))
        map.fail("at least one of names, at and near, or outside, is needed.");
      map.finish();
    }
    groups.push_back(group);
  }
}

void read_local_sizes(MapReader& in, int dimension, std::vector<LocalSize>& sizes) {
  const std::vector<const YamlNode*> items = in.list("refine_at");
  const std::size_t n = dimension == 2 ? 2 : 3;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const Location where = in.item_location("refine_at", i, *items[i]);
    MapReader item(items[i], where.path, where, in.errors());
    item.require("point", "where elements are small");
    item.require("size", "the largest size of elements there");
    LocalSize local;
    const std::vector<double> point = item.numbers("point", n, n);
    std::copy(point.begin(), point.end(), local.point.begin());
    local.size = item.number("size", local.size, Range::positive());
    local.radius = item.number("radius", local.radius, Range::non_negative());
    item.finish();
    sizes.push_back(local);
  }
}

} // namespace tessera::io::detail
