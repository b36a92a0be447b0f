// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "io/pictures/result_file.hpp"

#include "core/available_memory.hpp"
#include "core/constants.hpp"
#include "core/error.hpp"
#include "io/mesh_files/vtkhdf.hpp"
#include "io/output/field_file.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <unordered_map>

namespace tessera::io::pictures {

namespace {

/// Ends of the names of a phasor's parts.
constexpr const char* real_part = "_real";
constexpr const char* imaginary_part = "_imaginary";

/// Division of a cell into linear parts, by its local nodes.
struct Division {
  std::size_t nodes_per_cell;
  int dimension;
  std::vector<std::vector<int>> parts;
};

const Division& division_of(int type) {
  static const Division triangle{3, 2, {{0, 1, 2}}};
  static const Division tetrahedron{4, 3, {{0, 1, 2, 3}}};
  static const Division quadratic_triangle{6, 2, {{0, 3, 5}, {3, 1, 4}, {5, 4, 2}, {3, 4, 5}}};
  // Four corner tetrahedra, and the octahedron between them split about the diagonal 4-9.
  static const Division quadratic_tetrahedron{
      10,
      3,
      {{0, 4, 6, 7}, {4, 1, 5, 8}, {6, 5, 2, 9}, {7, 8, 9, 3}, {4, 9, 5, 6}, {4, 9, 6, 7}, {4, 9, 7, 8}, {4, 9, 8, 5}}};
  switch (static_cast<VtkCell>(type)) {
  case VtkCell::triangle:
    return triangle;
  case VtkCell::tetrahedron:
    return tetrahedron;
  case VtkCell::quadratic_triangle:
    return quadratic_triangle;
  case VtkCell::quadratic_tetrahedron:
    return quadratic_tetrahedron;
  default:
    ::tessera::detail::throw_error(ErrorKind::input, "cells of VTK's type " + std::to_string(type) +
                                                         " have no pictures; triangles and tetrahedra have.");
  }
}

/// For each point the first one at its position, to 1e-9 of the extent. Points on two sides of a rounding limit are not
/// merged.
std::vector<std::int32_t> merged(const std::vector<double>& points) {
  const std::size_t n = points.size() / 3;
  std::array<double, 3> low, high;
  low.fill(std::numeric_limits<double>::infinity());
  high.fill(-low[0]);
  for (std::size_t i = 0; i < points.size(); ++i) {
    low[i % 3] = std::min(low[i % 3], points[i]);
    high[i % 3] = std::max(high[i % 3], points[i]);
  }
  const double extent = std::max({high[0] - low[0], high[1] - low[1], high[2] - low[2], 1e-300});
  std::unordered_map<std::uint64_t, std::int32_t> first;
  first.reserve(n);
  std::vector<std::int32_t> result(n);
  for (std::size_t i = 0; i < n; ++i) {
    std::uint64_t key = 0;
    for (std::size_t d = 0; d < 3; ++d) // 21 bits would be too coarse: a hash of all
      key = (key ^ static_cast<std::uint64_t>(std::llround((points[3 * i + d] - low[d]) / extent * 1e9 + 0.25))) *
            0x9e3779b97f4a7c15u;
    result[i] = first.emplace(key, static_cast<std::int32_t>(i)).first->second;
  }
  return result;
}

/// For each point the first one of its node.
std::vector<std::int32_t> merged_by_number(const std::vector<std::int64_t>& nodes) {
  std::unordered_map<std::int64_t, std::int32_t> first;
  first.reserve(nodes.size());
  std::vector<std::int32_t> result(nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i)
    result[i] = first.emplace(nodes[i], static_cast<std::int32_t>(i)).first->second;
  return result;
}

/// Renumbers the points of a file of several pieces, whose cells use piece-local numbers, consecutively.
void number_in_file(const Hdf5File& file, std::size_t n_points, std::size_t nodes_per_cell,
                    std::vector<std::int32_t>& nodes) {
  const auto points = file.read<std::int64_t>("/VTKHDF/NumberOfPoints");
  const auto cells = file.read<std::int64_t>("/VTKHDF/NumberOfCells");
  std::int64_t first_point = 0;
  std::size_t next = 0;
  for (std::size_t piece = 0; piece < points.size(); ++piece) {
    const auto rest = static_cast<std::int64_t>((nodes.size() - next) / nodes_per_cell);
    TESSERA_REQUIRE(cells.size() == points.size() && points[piece] >= 0 && cells[piece] >= 0 && cells[piece] <= rest &&
                        points[piece] <= static_cast<std::int64_t>(n_points) - first_point,
                    file.path() << " is not valid: its pieces have other points and cells than the file.");
    for (const std::size_t end = next + static_cast<std::size_t>(cells[piece]) * nodes_per_cell; next < end; ++next) {
      TESSERA_REQUIRE(nodes[next] >= 0 && nodes[next] < points[piece],
                      file.path() << " is not valid: a cell has the point " << nodes[next] << " of " << points[piece]
                                  << '.');
      nodes[next] += static_cast<std::int32_t>(first_point);
    }
    first_point += points[piece];
  }
  TESSERA_REQUIRE(next == nodes.size(), file.path() << " is not valid: its pieces have fewer cells than the file.");
}

/// Twice the area or six times the volume.
double measure(const SimplexGrid& grid, std::size_t simplex) {
  const std::size_t k = grid.n_corners();
  std::array<std::array<double, 3>, 3> edges{};
  for (std::size_t c = 1; c < k; ++c)
    for (std::size_t d = 0; d < 3; ++d)
      edges[c - 1][d] = grid.points[3 * static_cast<std::size_t>(grid.corners[k * simplex + c]) + d] -
                        grid.points[3 * static_cast<std::size_t>(grid.corners[k * simplex]) + d];
  const auto& [u, v, w] = edges;
  const std::array<double, 3> cross{u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]};
  if (k == 3)
    return std::abs(cross[2]);
  return std::abs(cross[0] * w[0] + cross[1] * w[1] + cross[2] * w[2]);
}

double amount(const double* row, int components, std::optional<int> component) {
  if (components == 1)
    return row[0];
  if (component)
    return row[*component];
  return std::sqrt(row[0] * row[0] + row[1] * row[1] + row[2] * row[2]);
}

/// Converts a number of a cell, which a file of another program may store in any type.
template <class T> T whole(double number, const std::string& path, const char* what) {
  const auto limit = static_cast<double>(std::numeric_limits<T>::max());
  TESSERA_REQUIRE(number >= 0. && number <= limit && number == std::floor(number),
                  path << " is not valid: a cell has the " << what << ' ' << number << ", which is no number from 0 to "
                       << limit << '.');
  return static_cast<T>(number);
}

} // namespace

ResultFile::ResultFile(const std::string& path) : file_(Hdf5File::open(path)) {
  for (const char* object :
       {"/VTKHDF/Points", "/VTKHDF/Connectivity", "/VTKHDF/Types", "/VTKHDF/PointData", "/VTKHDF/CellData"})
    TESSERA_REQUIRE(file_.exists(object), path << " is no file of fields: it has no " << object << ".");
  if (file_.has_attribute("/VTKHDF", run_id_attribute))
    run_id_ = file_.read_text("/VTKHDF", run_id_attribute);
  if (file_.has_attribute("/VTKHDF/Steps", "NSteps")) {
    const std::int64_t n_steps = file_.read_integers("/VTKHDF/Steps", "NSteps", 1)[0];
    TESSERA_REQUIRE(n_steps > 0, path << " has no time step.");
    step_ = static_cast<std::size_t>(n_steps - 1);
    time_ = file_.read_rows<double>("/VTKHDF/Steps/Values", step_, 1)[0];
  }
  n_points_ = file_.extents("/VTKHDF/Points").at(0);
  n_cells_ = file_.extents("/VTKHDF/Types").at(0);
  TESSERA_REQUIRE(n_cells_ > 0, path << " has no cells.");
  constexpr std::size_t most = std::numeric_limits<std::int32_t>::max();
  TESSERA_REQUIRE(n_points_ <= most && n_cells_ <= most, path << " has " << n_points_ << " points and " << n_cells_
                                                              << " cells; pictures take at most " << most << '.');
  constexpr double bytes_per_cell = 200., bytes_per_point = 120.; // including temporary arrays of pictures
  const double needed =
      bytes_per_cell * static_cast<double>(n_cells_) + bytes_per_point * static_cast<double>(n_points_);
  const double available = available_host_memory();
  TESSERA_REQUIRE_KIND(available < 0. || needed < 0.9 * available, ErrorKind::resource,
                       "Pictures of " << path << " need about " << needed / 1e9 << " GB of memory; " << available / 1e9
                                      << " GB are free.");
  const auto types = file_.read<std::uint8_t>("/VTKHDF/Types");
  const Division& division = division_of(types[0]);
  TESSERA_REQUIRE(std::all_of(types.begin(), types.end(), [&](std::uint8_t type) { return type == types[0]; }),
                  path << " has cells of several types.");
  grid_.dimension = division.dimension;
  grid_.points = file_.read<double>("/VTKHDF/Points", {n_points_, 3});
  auto nodes = file_.read<std::int32_t>("/VTKHDF/Connectivity", {n_cells_ * division.nodes_per_cell});
  if (file_.exists("/VTKHDF/NumberOfPoints") && file_.extents("/VTKHDF/NumberOfPoints") != std::vector<std::size_t>{1})
    number_in_file(file_, n_points_, division.nodes_per_cell, nodes);
  for (const std::int32_t node : nodes)
    TESSERA_REQUIRE(node >= 0 && static_cast<std::size_t>(node) < n_points_,
                    path << " is not valid: a cell has the point " << node << " of " << n_points_ << ".");
  const std::size_t n = n_cells_ * division.parts.size();
  stored_corners_.reserve(n * grid_.n_corners());
  cell_of_.reserve(n);
  for (std::size_t cell = 0; cell < n_cells_; ++cell)
    for (const std::vector<int>& part : division.parts) {
      for (const int corner : part)
        stored_corners_.push_back(nodes[cell * division.nodes_per_cell + static_cast<std::size_t>(corner)]);
      cell_of_.push_back(static_cast<std::int32_t>(cell));
    }

  for (const bool of_cells : {false, true})
    for (const std::string& name : file_.members(of_cells ? "/VTKHDF/CellData" : "/VTKHDF/PointData")) {
      if (!of_cells && name == node_numbers)
        continue;
      auto found = std::find_if(fields_.begin(), fields_.end(), [&](const StoredField& f) { return f.name == name; });
      if (found == fields_.end())
        found = fields_.insert(found, StoredField{name, false, false, 1});
      (of_cells ? found->of_cells : found->at_points) = true;
      const std::string dataset = (of_cells ? "/VTKHDF/CellData/" : "/VTKHDF/PointData/") + name;
      if (file_.has_attribute(dataset, unit_attribute))
        found->unit = file_.read_text(dataset, unit_attribute);
      const auto extents = file_.extents(dataset);
      found->components = extents.size() == 2 ? static_cast<int>(std::min(extents[1], most)) : 1;
    }

  for (std::size_t i = 0; i < fields_.size(); ++i) {
    const std::string& name = fields_[i].name;
    const std::string end = real_part;
    if (name.size() <= end.size() || name.compare(name.size() - end.size(), end.size(), end) != 0)
      continue;
    StoredField phasor = fields_[i];
    phasor.name.resize(name.size() - end.size());
    phasor.is_phasor = true;
    const StoredField* other = find(phasor.name + imaginary_part);
    if (other != nullptr && other->components == phasor.components && find(phasor.name) == nullptr)
      fields_.push_back(phasor);
  }

  const auto set_corners = [this](const std::vector<std::int32_t>& first_at_place) {
    grid_.corners.reserve(stored_corners_.size());
    for (const std::int32_t point : stored_corners_)
      grid_.corners.push_back(first_at_place[static_cast<std::size_t>(point)]);
  };
  const std::string nodes_of_points = std::string("/VTKHDF/PointData/") + node_numbers;
  grid_.elements = cell_of_;
  if (const StoredField* element = find(element_numbers);
      element != nullptr && element->of_cells) { // of polytopic meshes
    const std::vector<double> number = rows("/VTKHDF/CellData/element", n_cells_, 1, false);
    for (std::size_t i = 0; i < n; ++i)
      grid_.elements[i] = whole<std::int32_t>(number[static_cast<std::size_t>(cell_of_[i])], path, "element");
    set_corners(merged(grid_.points));        // simplices have separate points
  } else if (file_.exists(nodes_of_points)) { // several points at a node
    set_corners(merged_by_number(file_.read<std::int64_t>(nodes_of_points, {n_points_})));
  } else {
    grid_.corners = stored_corners_;
  }
  if (const StoredField* material = find("material"); material != nullptr && material->of_cells) {
    const std::vector<double> number = rows("/VTKHDF/CellData/material", n_cells_, 1, false);
    for (std::size_t i = 0; i < n; ++i)
      grid_.regions.push_back(whole<std::uint16_t>(number[static_cast<std::size_t>(cell_of_[i])], path, "material"));
  }
}

const StoredField* ResultFile::find(const std::string& name) const {
  const auto found = std::find_if(fields_.begin(), fields_.end(), [&](const StoredField& f) { return f.name == name; });
  return found == fields_.end() ? nullptr : &*found;
}

std::vector<double> ResultFile::rows(const std::string& dataset, std::size_t n, std::size_t width,
                                     bool has_steps) const {
  std::vector<double> values = file_.read_rows<double>(dataset, has_steps ? step_ * n : 0, n);
  TESSERA_REQUIRE(values.size() == n * width, file_.path() << " is not valid: " << dataset << " has " << values.size()
                                                           << " entries instead of " << n * width << ".");
  return values;
}

std::vector<double> ResultFile::values(const StoredField& field, std::optional<int> component,
                                       std::optional<double> phase) const {
  if (!field.is_phasor)
    return stored_values(field, component);
  const StoredField& real = *find(field.name + real_part);
  const StoredField& imaginary = *find(field.name + imaginary_part);
  std::vector<double> result;
  const auto add = [&](std::optional<int> direction, bool squared) {
    const std::vector<double> re = stored_values(real, direction);
    const std::vector<double> im = stored_values(imaginary, direction);
    result.resize(re.size(), 0.);
    const double angle = phase.value_or(0.) * pi / 180.;
    for (std::size_t i = 0; i < re.size(); ++i) {
      const double now = re[i] * std::cos(angle) - im[i] * std::sin(angle);
      result[i] += !phase ? re[i] * re[i] + im[i] * im[i] : squared ? now * now : now;
    }
  };
  const bool is_length = field.components == 3 && !component;
  if (is_length && phase)
    for (int d = 0; d < 3; ++d)
      add(d, true);
  else
    add(component, false);
  if (is_length || !phase)
    for (double& value : result)
      value = std::sqrt(value);
  return result;
}

std::vector<double> ResultFile::stored_values(const StoredField& field, std::optional<int> component) const {
  const std::size_t k = grid_.n_corners();
  const std::size_t width = static_cast<std::size_t>(field.components);
  TESSERA_REQUIRE(width == 1 || width == 3, file_.path() << ": the field " << field.name << " has " << width
                                                         << " components; pictures take 1 or 3.");
  std::vector<double> result(stored_corners_.size());
  // Vectors at the nodes of continuous elements are averages over all elements there, also across interfaces, unless
  // they are recovered; then there are no cell data.
  if (field.at_points && (width == 1 || !field.of_cells || grid_.regions.empty())) {
    const std::vector<double> data = rows("/VTKHDF/PointData/" + field.name, n_points_, width, true);
    for (std::size_t i = 0; i < result.size(); ++i)
      result[i] = amount(&data[static_cast<std::size_t>(stored_corners_[i]) * width], field.components, component);
    return result;
  }
  const std::vector<double> data = rows("/VTKHDF/CellData/" + field.name, n_cells_, width, false);
  if (width == 1 || grid_.regions.empty()) {
    for (std::size_t i = 0; i < result.size(); ++i)
      result[i] = amount(&data[static_cast<std::size_t>(cell_of_[i / k]) * width], field.components, component);
    return result;
  }
  // Sums for each point and region: most points have one region; the others share a table.
  constexpr std::int32_t none = -1;
  std::vector<std::int32_t> slot_of(n_points_, none); // of a point's first region
  std::unordered_map<std::uint64_t, std::int32_t> further;
  std::vector<std::uint16_t> region_of;
  std::vector<std::array<double, 4>> sums; // vector and weight
  const auto slot = [&](std::int32_t point, std::uint16_t region) {
    std::int32_t& first = slot_of[static_cast<std::size_t>(point)];
    const auto make = [&] {
      region_of.push_back(region);
      sums.push_back({});
      return static_cast<std::int32_t>(sums.size()) - 1;
    };
    if (first == none)
      first = make();
    if (region_of[static_cast<std::size_t>(first)] == region)
      return static_cast<std::size_t>(first);
    const std::uint64_t key = static_cast<std::uint64_t>(point) << 16 | region;
    const auto found = further.find(key);
    if (found != further.end())
      return static_cast<std::size_t>(found->second);
    return static_cast<std::size_t>(further[key] = make());
  };
  // Simplices of polytopic elements share no points; those of several pieces of a mesh do.
  const std::vector<std::int32_t>& points = find(element_numbers) != nullptr ? stored_corners_ : grid_.corners;
  std::vector<std::uint32_t> slots(result.size());
  for (std::size_t i = 0; i < result.size(); ++i) {
    const std::size_t simplex = i / k;
    const std::size_t s = slot(points[i], grid_.regions[simplex]);
    slots[i] = static_cast<std::uint32_t>(s);
    const double weight = measure(grid_, simplex);
    const double* row = &data[static_cast<std::size_t>(cell_of_[simplex]) * 3];
    for (std::size_t d = 0; d < 3; ++d)
      sums[s][d] += weight * row[d];
    sums[s][3] += weight;
  }
  for (std::size_t i = 0; i < result.size(); ++i) {
    const std::array<double, 4>& sum = sums[slots[i]];
    const std::array<double, 3> mean{sum[0] / sum[3], sum[1] / sum[3], sum[2] / sum[3]};
    result[i] = amount(mean.data(), 3, component);
  }
  return result;
}

} // namespace tessera::io::pictures
