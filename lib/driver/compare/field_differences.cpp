// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/compare/field_differences.hpp"

#include "io/hdf5_file.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>

namespace tessera::driver::detail {

namespace {

using io::Hdf5File;
using Numbers = std::vector<double>;

constexpr std::size_t rows_at_once = std::size_t(1) << 18;
/// Of the mesh's extent: above the rounding of coordinates that two backends or compilers computed, far below the size
/// of an element.
constexpr double same_place = 1e-9;

/// Calls `work(first_row, rows_of_a, rows_of_b)` block by block, until it returns false.
template <class T, class Work>
void for_each_block(const Hdf5File& a, const Hdf5File& b, const std::string& dataset, const Work& work) {
  const std::size_t n = a.extents(dataset).at(0);
  for (std::size_t first = 0; first < n; first += rows_at_once) {
    const std::size_t n_rows = std::min(rows_at_once, n - first);
    if (!work(first, a.read_rows<T>(dataset, first, n_rows), b.read_rows<T>(dataset, first, n_rows)))
      return;
  }
}

/// Why two files are of different meshes, or "".
std::string mesh_difference(const Hdf5File& a, const Hdf5File& b) {
  for (const bool of_cells : {false, true}) {
    const std::string dataset = of_cells ? "/VTKHDF/Types" : "/VTKHDF/Points";
    const std::size_t n_a = a.extents(dataset).at(0), n_b = b.extents(dataset).at(0);
    if (n_a != n_b)
      return std::to_string(n_a) + (of_cells ? " elements" : " nodes") + " in the first, " + std::to_string(n_b) +
             " in the second";
  }
  const std::string connectivity = "/VTKHDF/Connectivity";
  if (a.extents(connectivity) != b.extents(connectivity))
    return "elements of another order";
  std::array<double, 3> low, high;
  low.fill(std::numeric_limits<double>::infinity());
  high.fill(-low[0]);
  double farthest = 0.;
  for_each_block<double>(a, b, "/VTKHDF/Points", [&](std::size_t, const Numbers& x, const Numbers& y) {
    for (std::size_t i = 0; i < x.size(); ++i) {
      low[i % 3] = std::min(low[i % 3], x[i]);
      high[i % 3] = std::max(high[i % 3], x[i]);
      farthest = std::max(farthest, std::fabs(x[i] - y[i]));
    }
    return true;
  });
  if (farthest > same_place * std::max({high[0] - low[0], high[1] - low[1], high[2] - low[2]})) {
    std::ostringstream text;
    text << "nodes lie at other places, up to " << farthest << " m apart";
    return text.str();
  }
  bool same = true;
  for_each_block<std::int64_t>(
      a, b, connectivity, [&](std::size_t, const std::vector<std::int64_t>& x, const std::vector<std::int64_t>& y) {
        same = x == y;
        return same;
      });
  return same ? "" : "elements have other nodes";
}

std::array<double, 3> place_of(const Hdf5File& file, bool of_cells, std::size_t row) {
  std::vector<std::int64_t> nodes{static_cast<std::int64_t>(row)};
  if (of_cells) {
    const std::size_t n_nodes =
        file.extents("/VTKHDF/Connectivity").at(0) / std::max<std::size_t>(1, file.extents("/VTKHDF/Types").at(0));
    nodes = file.read_rows<std::int64_t>("/VTKHDF/Connectivity", row * n_nodes, n_nodes);
  }
  std::array<double, 3> place{};
  for (const std::int64_t node : nodes) {
    const std::vector<double> point = file.read_rows<double>("/VTKHDF/Points", static_cast<std::size_t>(node), 1);
    for (std::size_t d = 0; d < 3; ++d)
      place[d] += point.at(d) / static_cast<double>(nodes.size());
  }
  return place;
}

ComparedField field_difference(const Hdf5File& a, const Hdf5File& b, const std::string& group, const std::string& name,
                               std::size_t n_per_step) {
  const std::string dataset = group + "/" + name;
  ComparedField field;
  field.name = name;
  field.of_cells = group == "/VTKHDF/CellData";
  if (a.has_attribute(dataset, "Unit"))
    field.unit = a.read_text(dataset, "Unit");
  const std::vector<std::size_t> extents = a.extents(dataset);
  const std::size_t width = extents.size() > 1 ? extents[1] : 1;
  double farthest = 0.;
  std::size_t at = 0;
  for_each_block<double>(a, b, dataset, [&](std::size_t first, const Numbers& x, const Numbers& y) {
    for (std::size_t i = 0; i < x.size() / width; ++i) {
      double of_x = 0., of_y = 0., between = 0.;
      for (std::size_t k = i * width; k < (i + 1) * width; ++k) {
        of_x = std::hypot(of_x, x[k]);
        of_y = std::hypot(of_y, y[k]);
        between = std::hypot(between, x[k] - y[k]);
      }
      if (!std::isfinite(between))
        between = std::numeric_limits<double>::infinity();
      field.largest = std::max({field.largest, of_x, of_y});
      if (between > farthest) {
        farthest = between;
        at = first + i;
      }
    }
    return true;
  });
  if (farthest > 0.) {
    field.difference = std::isfinite(farthest) ? farthest / field.largest : farthest;
    field.place = place_of(a, field.of_cells, at % n_per_step);
  }
  return field;
}

} // namespace

void add_field_differences(const std::string& first, const std::string& second, ResultDifferences& found) {
  const Hdf5File a = Hdf5File::open(first), b = Hdf5File::open(second);
  found.why_no_fields = mesh_difference(a, b);
  if (!found.why_no_fields.empty()) {
    found.why_no_fields = "their meshes differ: " + found.why_no_fields;
    return;
  }
  for (const std::string group : {"/VTKHDF/PointData", "/VTKHDF/CellData"}) {
    const std::vector<std::string> of_a = a.members(group), of_b = b.members(group);
    const std::string what = group == "/VTKHDF/PointData" ? "the field " : "the field of the elements ";
    for (const std::string& name : of_b)
      if (std::find(of_a.begin(), of_a.end(), name) == of_a.end())
        found.only_in_one.push_back(what + name + " is in the second alone");
    for (const std::string& name : of_a)
      if (std::find(of_b.begin(), of_b.end(), name) == of_b.end())
        found.only_in_one.push_back(what + name + " is in the first alone");
      else if (a.extents(group + "/" + name) != b.extents(group + "/" + name))
        found.only_in_one.push_back(what + name + " has more steps or components in one of them");
      else
        found.fields.push_back(field_difference(
            a, b, group, name, a.extents(group == "/VTKHDF/PointData" ? "/VTKHDF/Points" : "/VTKHDF/Types").at(0)));
  }
}

} // namespace tessera::driver::detail
