// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "io/input/sweep.hpp"

#include "core/error.hpp"
#include "io/input/case_reader.hpp"
#include "io/input/input_text.hpp"
#include "io/input/map_reader.hpp"
#include "io/input/resolved.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace tessera::io {

namespace {

/// Keys that are varied together.
struct Axis {
  std::vector<std::string> keys;
  std::vector<std::vector<YamlNode>> values; ///< [n_keys][n_values]
};

/// Rounded to 12 digits, as people would write it.
double rounded(double value) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.11e", value);
  return std::strtod(text, nullptr);
}

std::string text_of(const YamlNode& node) {
  if (node.kind == YamlNode::Kind::scalar)
    return node.text;
  std::string text;
  for (std::size_t i = 0; i < node.items.size(); ++i)
    text += (i > 0 ? ", " : "") + (node.keys.empty() ? "" : node.keys[i] + ": ") + text_of(node.items[i]);
  return node.kind == YamlNode::Kind::sequence ? '[' + text + ']' : '{' + text + '}';
}

YamlNode number_node(double value, const YamlNode& range) {
  YamlNode node;
  node.kind = YamlNode::Kind::scalar;
  node.text = number_text(value);
  node.file = range.file;
  node.line = range.line;
  return node;
}

/// Reads {from, to, points | step, spacing}.
std::vector<YamlNode> read_range(MapReader in, const YamlNode& node) {
  in.require("from", "the first value");
  in.require("to", "the last value");
  const double from = in.number("from", 0.);
  const double to = in.number("to", 0.);
  int n = in.integer("points", 0, 2, static_cast<int>(max_sweep_points));
  const double step = in.number("step", 0.);
  const std::string spacing = in.text("spacing", "linear");
  if (in.has("points") == in.has("step"))
    in.fail("a range needs exactly one of points and step.");
  if (spacing != "linear" && spacing != "logarithmic")
    in.errors().add_unknown(in.location("spacing"), "spacing", spacing, {"linear", "logarithmic"});
  const bool is_logarithmic = spacing == "logarithmic";
  if (in.has("step")) {
    const double count = (to - from) / step;
    if (is_logarithmic)
      in.fail("step", "a logarithmic range takes points, not a step.");
    else if (!(count > 0.5) || !(std::fabs(count - std::round(count)) < 1e-6 * count) || count >= max_sweep_points)
      in.fail("step", "steps of " + number_text(step) + " do not lead from " + number_text(from) + " to " +
                          number_text(to) + ".");
    else
      n = static_cast<int>(std::lround(count)) + 1;
  }
  if (is_logarithmic && !(from * to > 0.))
    in.fail("from", "a logarithmic range needs ends of one sign, not zero.");
  in.finish();
  std::vector<YamlNode> values;
  for (int i = 0; i < n; ++i) {
    const double s = static_cast<double>(i) / (n - 1);
    const double between = is_logarithmic ? from * std::pow(to / from, s) : from + s * (to - from);
    values.push_back(number_node(i == 0 ? from : i == n - 1 ? to : rounded(between), node));
  }
  return values;
}

/// Reports keys that a point must not set because they apply to all points.
void check_key(const std::string& key, const Location& where, InputErrors& errors) {
  for (const char* fixed : {"tessera", "title", "execution", "sweep", "output.directory"}) {
    const std::string name = fixed;
    if (key.compare(0, name.size(), name) == 0 && (key.size() == name.size() || key[name.size()] == '.'))
      errors.add(where, name + " is the same for all points of a sweep.");
    if (name.compare(0, key.size() + 1, key + '.') == 0)
      errors.add(where, key + " as a whole holds " + name +
                            ", which is the same for all points of a sweep: vary keys "
                            "below it (output.quantities).");
  }
}

Axis read_axis(const YamlNode& node, const std::string& path, NameSet& known, InputErrors& errors) {
  Axis axis;
  MapReader in(&node, path, location_of(node, path), errors);
  if (in.exists() && in.keys().empty())
    in.fail("expected keys with their values: problem.coils.coil.current: [1, 2, 5].");
  for (const std::string& key : in.keys()) {
    const YamlNode& list = *in.find(key);
    check_key(key, in.location(key), errors);
    if (known.has(key))
      in.fail(key, "the sweep varies this key twice.");
    for (const std::string& earlier : known.list())
      if (earlier.rfind(key + '.', 0) == 0)
        in.fail(key, "replaces '" + earlier + "', which the sweep varies before it: list it first.");
    known.add(key);
    axis.keys.push_back(key);
    if (list.kind == YamlNode::Kind::map)
      axis.values.push_back(read_range(in.map(key), list));
    else
      axis.values.push_back(list.kind == YamlNode::Kind::sequence ? list.items : std::vector<YamlNode>());
    const std::size_t n = axis.values.back().size();
    if (n == 0 && list.kind != YamlNode::Kind::map)
      in.fail(key, "expected a list of values, [1, 2, 5], or a range, {from: 1, to: 5, points: 3}.");
    else if (n > 0 && !axis.values.front().empty() && n != axis.values.front().size())
      in.fail(key, "has " + std::to_string(n) + " values, and " + axis.keys.front() + ", which varies with it, has " +
                       std::to_string(axis.values.front().size()) + ".");
    for (const YamlNode& value : axis.values.back())
      if (value.kind == YamlNode::Kind::null)
        errors.add(location_of(value, in.join(key)), "a value is empty.");
  }
  return axis;
}

/// Reads the keys of the sweep itself; `points` is left empty.
std::vector<Axis> read_axes(const YamlNode& node, const std::string& file, Sweep& sweep) {
  InputErrors errors;
  Location top;
  top.file = file;
  MapReader in(&node, "sweep", top, errors);
  in.require("vary", "a list of the keys to vary: [{problem.coils.coil.current: [1, 2, 5]}]");
  sweep.keeps_outputs = in.boolean("keep_outputs", false);
  std::vector<Axis> axes;
  NameSet known;
  const std::vector<const YamlNode*> list = in.list("vary");
  if (in.has("vary") && list.empty())
    in.fail("vary", "the list of keys to vary is empty.");
  for (std::size_t i = 0; i < list.size(); ++i)
    axes.push_back(read_axis(*list[i], "sweep.vary", known, errors));
  in.finish();
  errors.throw_if_any();
  double n_points = 1.;
  for (const Axis& axis : axes) {
    n_points *= static_cast<double>(axis.values.front().size());
    sweep.keys.insert(sweep.keys.end(), axis.keys.begin(), axis.keys.end());
  }
  TESSERA_REQUIRE(n_points <= static_cast<double>(max_sweep_points),
                  location_of(node, "sweep").text()
                      << ": " << number_text(n_points) << " points; a sweep has at most " << max_sweep_points << '.');
  return axes;
}

Sweep read_sweep_tree(YamlNode root, const std::string& file, const std::vector<Override>& overrides) {
  apply_overrides(root, file, overrides);
  Sweep sweep;
  const YamlNode* found = root.find("sweep");
  if (found == nullptr) {
    sweep.points.push_back({{}, read_case_tree(std::move(root), file)});
    return sweep;
  }
  const YamlNode node = sweep.definition = *found;
  const std::vector<Axis> axes = read_axes(node, file, sweep);
  apply_override(root, {"sweep", "", "sweep"});

  // If the input contains all varied keys, it is a valid case by itself, with values that no point uses.
  const auto is_given = [&root](const std::string& key) {
    const YamlNode* value = value_at(root, key);
    return value != nullptr && value->kind != YamlNode::Kind::null;
  };
  if (std::all_of(sweep.keys.begin(), sweep.keys.end(), is_given))
    try {
      read_case_tree(root, file);
    } catch (const Error& error) {
      throw Error(error.kind(), location_of(node, "sweep").text() + ": the case without its sweep:\n" + error.what());
    }

  std::vector<std::size_t> index(axes.size(), 0);
  for (bool is_next = true; is_next;) {
    SweepPoint point;
    YamlNode tree = root;
    for (std::size_t a = 0; a < axes.size(); ++a)
      for (std::size_t k = 0; k < axes[a].keys.size(); ++k) {
        const YamlNode& value = axes[a].values[k][index[a]];
        set_value(tree, axes[a].keys[k], value, location_of(value, "sweep.vary").text());
        point.values.push_back(text_of(value));
      }
    sweep.points.push_back(std::move(point));
    try {
      sweep.points.back().input = read_case_tree(std::move(tree), file);
    } catch (const Error& error) {
      throw Error(error.kind(), location_of(node, "sweep").text() + ": " + point_text(sweep, sweep.points.size() - 1) +
                                    ":\n" + error.what());
    }
    is_next = false;
    for (std::size_t a = axes.size(); a-- > 0 && !is_next;) {
      is_next = ++index[a] < axes[a].values.front().size();
      if (!is_next)
        index[a] = 0;
    }
  }
  return sweep;
}

/// Writes scalars of a range or a list on one line.
void write_tree(const YamlNode& node, ReportNode& out) {
  char* end = nullptr;
  switch (node.kind) {
  case YamlNode::Kind::null:
    break;
  case YamlNode::Kind::scalar: {
    Scalar scalar;
    scalar.text = node.text;
    scalar.value = std::strtod(node.text.c_str(), &end);
    scalar.is_constant = !node.text.empty() && *end == '\0';
    out = scalar;
    break;
  }
  case YamlNode::Kind::sequence:
    for (const YamlNode& item : node.items)
      write_tree(item, out.append());
    break;
  case YamlNode::Kind::map:
    out.set_map();
    for (std::size_t i = 0; i < node.items.size(); ++i)
      write_tree(node.items[i], out[node.keys[i]]);
    break;
  }
  if (std::all_of(node.items.begin(), node.items.end(),
                  [](const YamlNode& item) { return item.kind == YamlNode::Kind::scalar; }))
    out.flow();
}

} // namespace

ReportNode resolved_tree(const Sweep& sweep, const std::string& directory) {
  ReportNode out = resolved_tree(sweep.points.front().input, directory);
  write_tree(sweep.definition, out["sweep"]);
  return out;
}

Sweep read_sweep(const std::string& file, const std::vector<Override>& overrides) {
  return read_sweep_tree(read_yaml(file), file, overrides);
}

Sweep read_sweep_text(const std::string& text, const std::string& file, const std::vector<Override>& overrides) {
  return read_sweep_tree(parse_yaml(text, file), file, overrides);
}

std::string point_text(const Sweep& sweep, std::size_t point) {
  constexpr std::size_t max_length = 200;
  std::string values;
  for (std::size_t k = 0; k < sweep.keys.size(); ++k)
    values += (k > 0 ? ", " : "") + sweep.keys[k] + " = " + sweep.points[point].values[k];
  return "point " + std::to_string(point + 1) + " (" + printable(values, max_length) + ")";
}

} // namespace tessera::io
