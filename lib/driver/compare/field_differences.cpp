// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/compare/field_differences.hpp"

#include "core/error.hpp"
#include "driver/compare/matched_grids.hpp"
#include "io/hdf5_file.hpp"
#include "io/output/field_file.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <sstream>

namespace tessera::driver::detail {

namespace {

using io::Hdf5File;
using Numbers = std::vector<double>;

constexpr std::size_t rows_at_once = std::size_t(1) << 18;
/// Fraction of the mesh's extent: above the rounding of coordinates computed by two backends or compilers, far below
/// the size of an element.
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

/// Throws for a mesh with coordinates that are not finite, which no run writes.
void require_places(const Hdf5File& file, const Numbers& coordinates) {
  TESSERA_REQUIRE(std::all_of(coordinates.begin(), coordinates.end(), [](double x) { return std::isfinite(x); }),
                  file.path() << " is damaged: the coordinates of a node are not finite.");
}

/// Whether cells are grouped to the same elements in both files, whatever the elements' numbers.
bool are_joined_alike(const Hdf5File& a, const Hdf5File& b) {
  bool alike = true;
  std::map<double, double> second_of, first_of; // element numbers, as stored in files
  for_each_block<double>(a, b, std::string("/VTKHDF/CellData/") + io::element_numbers,
                         [&](std::size_t, const Numbers& of_a, const Numbers& of_b) {
                           for (std::size_t i = 0; i < of_a.size() && alike; ++i)
                             alike = std::isfinite(of_a[i]) && std::isfinite(of_b[i]) &&
                                     second_of.emplace(of_a[i], of_b[i]).first->second == of_b[i] &&
                                     first_of.emplace(of_b[i], of_a[i]).first->second == of_a[i];
                           return alike;
                         });
  return alike;
}

/// Why two files have different meshes, or "".
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
    require_places(a, x);
    require_places(b, y);
    for (std::size_t i = 0; i < x.size(); ++i) {
      low[i % 3] = std::min(low[i % 3], x[i]);
      high[i % 3] = std::max(high[i % 3], x[i]);
      farthest = std::max(farthest, std::fabs(x[i] - y[i]));
    }
    return true;
  });
  if (farthest > same_place * std::max({high[0] - low[0], high[1] - low[1], high[2] - low[2]})) {
    std::ostringstream text;
    text << "nodes lie at different positions, up to " << farthest << " m apart";
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

/// A field that both files have, without its differences.
ComparedField common_field(const Hdf5File& a, const std::string& group, const std::string& name) {
  const std::string dataset = group + "/" + name;
  ComparedField field;
  field.name = name;
  field.of_cells = group == "/VTKHDF/CellData";
  if (a.has_attribute(dataset, io::unit_attribute))
    field.unit = a.read_text(dataset, io::unit_attribute);
  return field;
}

/// Finds the largest value and the largest difference of rows.
class RowComparison {
public:
  explicit RowComparison(std::size_t width) : width_(width) {}

  std::size_t width() const { return width_; }

  void add(const double* x, const double* y, std::size_t row) {
    double of_x = 0., of_y = 0., between = 0.;
    for (std::size_t k = 0; k < width_; ++k) {
      of_x = std::hypot(of_x, x[k]);
      of_y = std::hypot(of_y, y[k]);
      between = std::hypot(between, x[k] - y[k]);
    }
    if (!std::isfinite(between))
      between = std::numeric_limits<double>::infinity();
    largest_ = std::max({largest_, of_x, of_y});
    if (between > farthest_) {
      farthest_ = between;
      at_ = row;
    }
  }

  /// `place(row)`: position of the row with the largest difference, if there is any.
  template <class PlaceOf> void finish(ComparedField& field, const PlaceOf& place) const {
    field.largest = largest_;
    if (farthest_ > 0.) {
      field.difference = std::isfinite(farthest_) ? farthest_ / largest_ : farthest_;
      field.place = place(at_);
    }
  }

private:
  std::size_t width_;
  double largest_ = 0., farthest_ = 0.;
  std::size_t at_ = 0;
};

std::size_t width_of(const std::vector<std::size_t>& extents) { return extents.size() > 1 ? extents[1] : 1; }

ComparedField field_difference(const Hdf5File& a, const Hdf5File& b, const std::string& group, const std::string& name,
                               std::size_t n_per_step) {
  const std::string dataset = group + "/" + name;
  ComparedField field = common_field(a, group, name);
  RowComparison rows(width_of(a.extents(dataset)));
  for_each_block<double>(a, b, dataset, [&](std::size_t first, const Numbers& x, const Numbers& y) {
    for (std::size_t i = 0; i < x.size() / rows.width(); ++i)
      rows.add(&x[i * rows.width()], &y[i * rows.width()], first + i);
    return true;
  });
  rows.finish(field, [&](std::size_t row) { return place_of(a, field.of_cells, row % n_per_step); });
  return field;
}

/// Compares grids with different numberings: `row_of` is the row in `a` of each row of a step in `b`.
ComparedField matched_difference(const Hdf5File& a, const Hdf5File& b, const std::string& group,
                                 const std::string& name, const PiecedGrid& grid_of_a,
                                 const std::vector<std::size_t>& row_of) {
  const std::string dataset = group + "/" + name;
  ComparedField field = common_field(a, group, name);
  const std::size_t n_a = field.of_cells ? grid_of_a.n_cells() : grid_of_a.points.size(), n_b = row_of.size();
  RowComparison rows(width_of(a.extents(dataset)));
  for (std::size_t step = 0; step < a.extents(dataset).at(0) / n_a; ++step) {
    const Numbers x = a.read_rows<double>(dataset, step * n_a, n_a);
    const Numbers y = b.read_rows<double>(dataset, step * n_b, n_b);
    for (std::size_t i = 0; i < n_b; ++i)
      if (row_of[i] != MatchedRows::none)
        rows.add(&x[row_of[i] * rows.width()], &y[i * rows.width()], row_of[i]);
  }
  rows.finish(field, [&](std::size_t row) { return field.of_cells ? grid_of_a.centre(row) : grid_of_a.points[row]; });
  return field;
}

/// Fields of a group, except element numbers, which depend on the partition of the run, and node numbers if pieces have
/// separate ones.
std::vector<std::string> names_of(const Hdf5File& file, const std::string& group, bool in_pieces) {
  std::vector<std::string> names = file.members(group);
  const auto leave_out = [&](const char* name) {
    names.erase(std::remove(names.begin(), names.end(), name), names.end());
  };
  leave_out(io::element_numbers);
  if (in_pieces)
    leave_out(io::node_numbers);
  return names;
}

/// Steps and components of a field with `n_rows` rows in each step.
std::vector<std::size_t> shape_of(const Hdf5File& file, const std::string& dataset, std::size_t n_rows) {
  const std::vector<std::size_t> extents = file.extents(dataset);
  return {extents.at(0) / n_rows, extents.at(0) % n_rows, width_of(extents)};
}

} // namespace

void add_field_differences(const std::string& first, const std::string& second, ResultDifferences& found) {
  const Hdf5File a = Hdf5File::open(first), b = Hdf5File::open(second);
  const bool in_pieces = count_pieces(a) > 1 || count_pieces(b) > 1;
  std::optional<PiecedGrid> grid_of_a, grid_of_b;
  MatchedRows matched;
  if (in_pieces) {
    grid_of_a.emplace(a);
    grid_of_b.emplace(b);
    require_places(a, a.read<double>("/VTKHDF/Points"));
    require_places(b, b.read<double>("/VTKHDF/Points"));
    matched = match_rows(*grid_of_a, *grid_of_b, same_place);
  }
  found.why_no_fields = in_pieces ? matched.why_not : mesh_difference(a, b);
  if (!found.why_no_fields.empty()) {
    found.why_no_fields = "their meshes differ: " + found.why_no_fields;
    return;
  }
  const std::string numbers = std::string("/VTKHDF/CellData/") + io::element_numbers;
  if (!in_pieces && a.exists(numbers) && b.exists(numbers) && a.extents(numbers) == b.extents(numbers) &&
      !are_joined_alike(a, b))
    found.only_in_one.push_back("cells are joined to other elements in each");
  for (const std::string group : {"/VTKHDF/PointData", "/VTKHDF/CellData"}) {
    const bool of_points = group == "/VTKHDF/PointData";
    const std::vector<std::string> of_a = names_of(a, group, in_pieces), of_b = names_of(b, group, in_pieces);
    const std::size_t n_a = a.extents(of_points ? "/VTKHDF/Points" : "/VTKHDF/Types").at(0);
    const std::size_t n_b = b.extents(of_points ? "/VTKHDF/Points" : "/VTKHDF/Types").at(0);
    const std::string what = of_points ? "the field " : "the field of the elements ";
    for (const std::string& name : of_b)
      if (std::find(of_a.begin(), of_a.end(), name) == of_a.end())
        found.only_in_one.push_back(what + name + " is only in the second");
    for (const std::string& name : of_a)
      if (std::find(of_b.begin(), of_b.end(), name) == of_b.end())
        found.only_in_one.push_back(what + name + " is only in the first");
      else if (shape_of(a, group + "/" + name, n_a) != shape_of(b, group + "/" + name, n_b))
        found.only_in_one.push_back(what + name + " has more steps or components in one of them");
      else if (in_pieces)
        found.fields.push_back(
            matched_difference(a, b, group, name, *grid_of_a, of_points ? matched.points : matched.cells));
      else
        found.fields.push_back(field_difference(a, b, group, name, n_a));
  }
}

} // namespace tessera::driver::detail
