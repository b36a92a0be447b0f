// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "io/mesh_files/mesh_file.hpp"

#include "core/algorithms/mix_bits.hpp"
#include "core/error.hpp"
#include "io/atomic_file.hpp"
#include "io/hdf5_file.hpp"
#include "io/input/case.hpp"
#include "io/mesh_files/cell_shapes.hpp"
#include "io/mesh_files/cells_file.hpp"
#include "io/mesh_files/mesh_requests.hpp"
#include "io/mesh_files/polygon_triangles.hpp"
#include "io/mesh_files/vtk_cells.hpp"
#include "io/mesh_files/vtkhdf.hpp"
#include "io/output/field_file.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

namespace tessera::io {

namespace {

constexpr std::int64_t mesh_format_version = 3; // 1: without a checksum; 2: without curved facets

/// Reads a count with one entry; a grid of several pieces or time steps has more entries.
std::size_t read_count(const Hdf5File& file, const std::string& name) {
  const std::vector<std::size_t> extents = file.extents(name);
  const bool is_one = std::all_of(extents.begin(), extents.end(), [](std::size_t extent) { return extent == 1; });
  TESSERA_REQUIRE(is_one, file.path() << " holds a grid of " << (extents.empty() ? 0 : extents[0])
                                      << " pieces or time steps; only one is supported. Merge them first.");
  const std::int64_t count = file.read<std::int64_t>(name)[0];
  TESSERA_REQUIRE(count >= 0, file.path() << " is not valid: " << name << " is negative.");
  return static_cast<std::size_t>(count);
}

/// Checksum of a mesh's arrays, their lengths and its names.
class MeshChecksum {
public:
  static std::uint64_t of(const ImportedMesh& mesh, std::int64_t version) {
    MeshChecksum sum;
    sum.add_word(static_cast<std::uint64_t>(mesh.dimension));
    sum.add(mesh.coordinates);
    sum.add(mesh.elements);
    sum.add(mesh.regions);
    sum.add(mesh.facets);
    sum.add(mesh.facet_groups);
    sum.add(mesh.original_node);
    sum.add(mesh.original_element);
    sum.add_names(mesh.region_names);
    sum.add_names(mesh.boundary_names);
    if (version > 2) {
      sum.add_word(static_cast<std::uint64_t>(mesh.curved_degree));
      sum.add(mesh.curved_facets);
      sum.add(mesh.curved_points);
    }
    return sum.value_;
  }

private:
  void add_word(std::uint64_t word) { value_ = mix_bits(value_ ^ word) + 1; }

  void add_bytes(const void* data, std::size_t n_bytes) {
    add_word(n_bytes);
    for (std::size_t at = 0; at < n_bytes; at += sizeof(std::uint64_t)) {
      std::uint64_t word = 0;
      std::memcpy(&word, static_cast<const char*>(data) + at, std::min(sizeof(word), n_bytes - at));
      add_word(word);
    }
  }

  template <class Numbers> void add(const Numbers& numbers) {
    add_bytes(numbers.data(), numbers.size() * sizeof(*numbers.data()));
  }

  void add_names(const std::vector<std::string>& names) {
    add_word(names.size());
    for (const std::string& name : names)
      add(name);
  }

  std::uint64_t value_ = 0x5445535345524121ull; // any number but 0
};

/// Throws unless `numbers` contains each of 0..n-1 once, or is empty.
void check_permutation(const std::vector<index_t>& numbers, std::size_t n, const std::string& path) {
  bool good = numbers.empty() || numbers.size() == n;
  std::vector<char> seen(numbers.size(), 0);
  for (const index_t number : numbers)
    if (good) {
      good = number >= 0 && static_cast<std::size_t>(number) < n && !seen[static_cast<std::size_t>(number)];
      if (good)
        seen[static_cast<std::size_t>(number)] = 1;
    }
  TESSERA_REQUIRE(good, path << " is not valid: the original numbering is not a permutation.");
}

/// Throws if two groups of one kind have the same name, or a group has none.
void check_names(const std::vector<std::string>& names, const char* what, const std::string& path) {
  const std::set<std::string> distinct(names.begin(), names.end());
  TESSERA_REQUIRE(distinct.size() == names.size() && distinct.count("") == 0,
                  path << " is not valid: two " << what << " have one name, or one has none.");
}

/// Reads a file written by write_mesh_file().
ImportedMesh read_own(const Hdf5File& file, std::size_t n_points, std::size_t n_cells, double scale) {
  const std::string& path = file.path();
  const std::int64_t version = file.read_integers("/Tessera", "Version", 1)[0];
  TESSERA_REQUIRE(version <= mesh_format_version, path << " was written by a newer version of Tessera (mesh format "
                                                       << version << "; this one reads up to " << mesh_format_version
                                                       << ").");
  TESSERA_REQUIRE(version >= 1, path << " is not valid: its mesh format is " << version << ".");
  ImportedMesh mesh;
  const std::int64_t dimension = file.read_integers("/Tessera", "Dimension", 1)[0];
  TESSERA_REQUIRE(dimension == 2 || dimension == 3, path << " is not valid: its dimension is neither 2 nor 3.");
  mesh.dimension = static_cast<int>(dimension);
  const std::size_t dim = static_cast<std::size_t>(mesh.dimension);
  mesh.elements = file.read<index_t>("/VTKHDF/Connectivity", {n_cells * (dim + 1)});
  mesh.regions = file.read<group_t>("/VTKHDF/CellData/region", {n_cells});
  mesh.facet_groups = file.read<group_t>("/Tessera/FacetGroups");
  mesh.facets = file.read<index_t>("/Tessera/Facets", {mesh.facet_groups.size(), dim});
  mesh.region_names = file.read_strings("/Tessera/RegionNames");
  mesh.boundary_names = file.read_strings("/Tessera/BoundaryNames");
  mesh.original_node = file.read<index_t>("/Tessera/OriginalNode");
  mesh.original_element = file.read<index_t>("/Tessera/OriginalElement");
  if (version > 2) {
    const std::int64_t degree = file.read_integers("/Tessera", "CurvedDegree", 1)[0];
    TESSERA_REQUIRE(degree >= 0 && degree <= max_curved_degree,
                    path << " is not valid: its curved facets are of degree " << degree << ".");
    mesh.curved_degree = static_cast<int>(degree);
    mesh.curved_facets = file.read<index_t>("/Tessera/CurvedFacets");
    mesh.curved_points = file.read<double>("/Tessera/CurvedPoints");
    TESSERA_REQUIRE(mesh.curved_facets.size() % dim == 0, path << " is not valid: a curved facet lacks a node.");
  }
  const std::vector<double> xyz = file.read<double>("/VTKHDF/Points", {n_points, 3});
  mesh.coordinates.resize(n_points * dim); // the number of nodes for the check
  check_numbers(mesh, path);
  check_permutation(mesh.original_node, n_points, path);
  check_permutation(mesh.original_element, n_cells, path);
  check_names(mesh.region_names, "regions", path);
  check_names(mesh.boundary_names, "boundaries", path);
  set_coordinates(mesh, xyz, 1., path);
  if (version == 1) {
    mesh.notes.push_back(path + " has no checksum, as an older version of Tessera wrote it: damage to its numbers "
                                "would not be noticed. `tessera mesh` writes it again with one.");
  } else {
    const std::int64_t stored = file.read_integers("/Tessera", "Checksum", 1)[0];
    TESSERA_REQUIRE(static_cast<std::uint64_t>(stored) == MeshChecksum::of(mesh, version),
                    path << " is damaged, or was changed by another program: its numbers do not have the checksum "
                            "stored in it. Make it again with tessera mesh.");
  }
  if (scale != 1.) {
    for (double& x : mesh.coordinates)
      x *= scale;
    for (double& x : mesh.curved_points)
      x *= scale;
    mesh.notes.push_back(
        "The mesh file is already in metres, like all mesh files of Tessera; its coordinates are multiplied "
        "by mesh.scale nevertheless.");
  }
  return mesh;
}

/// Integers of the cell data of that name, [n_cells].
std::vector<index_t> read_cell_data(const Hdf5File& file, const std::string& name, std::size_t n_cells) {
  const std::string group = "/VTKHDF/CellData";
  const std::vector<std::string> names = file.exists(group) ? file.members(group) : std::vector<std::string>();
  TESSERA_REQUIRE(std::find(names.begin(), names.end(), name) != names.end(),
                  file.path() << " has no cell data '" << name << "', which mesh.agglomerate.from requests; it has "
                              << (names.empty() ? "none" : joined(names)) << ".");
  std::vector<index_t> integers;
  for (const double number : file.read<double>(group + "/" + name, {n_cells})) {
    TESSERA_REQUIRE(number == std::floor(number) && std::fabs(number) <= std::numeric_limits<index_t>::max(),
                    file.path() << ": the cell data '" << name << "' must be whole numbers, at most "
                                << std::numeric_limits<index_t>::max() << ", but cell " << integers.size() << " has "
                                << number << ".");
    integers.push_back(static_cast<index_t>(number));
  }
  return integers;
}

/// Index of a group given by a number in the file, in the order of first occurrence.
class NumberedGroups {
public:
  NumberedGroups(std::string default_name, const Hdf5File& file, const GroupNames& where)
      : default_name_(std::move(default_name)) {
    if (!file.exists(where.numbers))
      return;
    const auto number = file.read<std::int64_t>(where.numbers);
    const std::vector<std::string> name = file.read_strings(where.names);
    TESSERA_REQUIRE(number.size() == name.size(), file.path() << " is not valid: " << where.numbers << " and "
                                                              << where.names << " do not belong together.");
    check_names(name, "groups", file.path());
    for (std::size_t i = 0; i < name.size(); ++i)
      name_of_[static_cast<double>(number[i])] = name[i];
  }

  group_t operator()(double number, std::vector<std::string>& names, const std::string& path) {
    const auto [at, is_new] = group_of_.emplace(number, static_cast<group_t>(names.size()));
    if (is_new) {
      TESSERA_REQUIRE(names.size() <= std::numeric_limits<group_t>::max(), path << ": more than 65536 regions.");
      TESSERA_REQUIRE(std::isnan(number) || (number == std::floor(number) && std::fabs(number) <= 9007199254740992.),
                      path << ": the cell data \"region\" must be whole numbers, at most 2^53, but holds " << number
                           << ".");
      const auto named = std::isnan(number) ? name_of_.end() : name_of_.find(number);
      if (named != name_of_.end())
        names.push_back(named->second);
      else
        names.push_back(std::isnan(number) ? default_name_ : std::to_string(static_cast<long long>(number)));
    }
    return at->second;
  }

private:
  struct Less { // a missing number (NaN) comes first
    bool operator()(double a, double b) const { return std::isnan(a) ? !std::isnan(b) : a < b; }
  };
  std::string default_name_;
  std::map<double, std::string> name_of_;
  std::map<double, group_t, Less> group_of_;
};

/// A cell of another program's grid, with the simplices into which it is split.
struct ForeignCell {
  std::size_t number;        ///< index in the file
  const VtkCellType* type;   ///< null: a polygon
  const std::int64_t* nodes; ///< [type->n_nodes()]
  CellSplit split;
};

/// Reads the nodes of a cell from the grid. `xyz`: of all points; `in_plane`: see split_cell().
ForeignCell foreign_cell(std::size_t number, const VtkCellType& type, const std::int64_t* nodes,
                         const std::vector<double>& xyz, bool in_plane) {
  ForeignCell cell{number, &type, nodes, {}};
  if (type.shape() == nullptr) {
    for (int k = 0; k <= type.dim; ++k)
      cell.split.simplices.push_back(k);
    return cell;
  }
  std::vector<std::array<double, 3>> places;
  for (int k = 0; k < type.n_vertices; ++k) {
    const double* const x = &xyz[3 * static_cast<std::size_t>(nodes[k])];
    places.push_back({x[0], x[1], x[2]});
  }
  const std::vector<std::size_t> own(nodes, nodes + type.n_vertices);
  cell.split = split_cell(*type.shape(), own.data(), places.data(), in_plane);
  return cell;
}

/// A polygon with five or more corners in 2D, as triangles.
ForeignCell polygon_cell(std::size_t number, const VtkCellType& type, const std::int64_t* nodes,
                         const std::vector<double>& xyz, const std::string& path) {
  std::vector<std::array<double, 2>> corners;
  for (int k = 0; k < type.n_vertices; ++k) {
    const double* const x = &xyz[3 * static_cast<std::size_t>(nodes[k])];
    corners.push_back({x[0], x[1]});
  }
  const std::optional<std::vector<int>> triangles = triangles_of_polygon(corners);
  TESSERA_REQUIRE(triangles, path << ": cell " << number << " is a polygon of " << type.n_vertices
                                  << " corners that crosses or touches itself, or has no area.");
  return {number, nullptr, nodes, {*triangles, {}}};
}

/// The straight parts of a quadratic cell in 3D; empty for simplices, and in 2D, which do not need it.
StraightParts straight_parts_of(const ForeignCell& cell, const ImportedMesh& mesh) {
  const CellShape* const shape = cell.type->shape();
  if (shape == nullptr || mesh.dimension == 2)
    return {};
  const std::size_t n = shape->n_vertices, n_nodes = cell.type->n_nodes();
  std::vector<std::array<double, 3>> places(n_nodes);
  for (std::size_t k = 0; k < n_nodes; ++k)
    std::copy_n(&mesh.coordinates[3 * static_cast<std::size_t>(cell.nodes[k])], 3, places[k].begin());
  std::vector<double> weights(n_nodes * n, 0.);
  for (std::size_t k = 0; k < n_nodes; ++k) {
    const std::vector<int> around = k < n ? std::vector<int>{static_cast<int>(k)} : cell.type->middles[k - n];
    for (const int vertex : around)
      weights[k * n + static_cast<std::size_t>(vertex)] = 1. / static_cast<double>(around.size());
  }
  return straight_parts(*shape, places, weights, mesh.coordinate_rounding);
}

/// The midpoint of the line between two vertices of a quadratic cell: for an edge its node, for a diagonal of a face or
/// of the cell the node there. Serendipity cells, which have no such node, use the value of their shape functions.
/// Diagonals of straight faces and cells in 3D are straight. In 2D the diagonal of a quadrilateral is bent by the
/// deviation of this value from that with straight sides: straight sides give a straight diagonal, also in a concave
/// quadrilateral.
std::array<double, 3> middle_of(const ForeignCell& cell, const StraightParts& straight, int a, int b,
                                const ImportedMesh& mesh) {
  const auto dim = static_cast<std::size_t>(mesh.dimension);
  std::array<double, 3> place{};
  const auto add = [&](double weight, std::size_t local) {
    for (std::size_t d = 0; d < dim; ++d)
      place[d] += weight * mesh.coordinates[static_cast<std::size_t>(cell.nodes[local]) * dim + d];
  };
  const auto has = [](const std::vector<int>& vertices, int vertex) {
    return std::find(vertices.begin(), vertices.end(), vertex) != vertices.end();
  };
  const std::vector<std::vector<int>>& middles = cell.type->middles;
  const auto first_middle = static_cast<std::size_t>(cell.type->n_vertices);
  const auto node = std::find_if(middles.begin(), middles.end(), [&](const std::vector<int>& around) {
    return has(around, a) && has(around, b); // edges come first, then faces, then the cell
  });
  if (node != middles.end()) {
    if (node->size() == 2) {
      add(1., first_middle + static_cast<std::size_t>(node - middles.begin()));
      return place;
    }
  }
  if (dim == 3 && straight.has_straight_diagonal(*cell.type->shape(), a, b)) {
    for (const int end : {a, b})
      add(0.5, static_cast<std::size_t>(end));
    return place;
  }
  if (node != middles.end()) {
    add(1., first_middle + static_cast<std::size_t>(node - middles.begin()));
  } else {
    std::vector<int> around(static_cast<std::size_t>(cell.type->n_vertices)); // of the cell, or of the face
    std::iota(around.begin(), around.end(), 0);
    for (const std::vector<int>& face : cell.type->shape()->faces)
      if (has(face, a) && has(face, b))
        around = face;
    // The shape functions of the quadrilateral and the hexahedron at their centres.
    const bool is_face = around.size() == 4;
    for (const int vertex : around)
      add(-0.25, static_cast<std::size_t>(vertex));
    for (std::size_t m = 0; m < middles.size(); ++m)
      if (middles[m].size() == 2 && has(around, middles[m][0]) && has(around, middles[m][1]))
        add(is_face ? 0.5 : 0.25, first_middle + m);
  }
  if (dim == 2) {
    for (std::size_t vertex = 0; vertex < 4; ++vertex)
      add(-0.25, vertex);
    for (const int end : {a, b})
      add(0.5, static_cast<std::size_t>(end));
  }
  return place;
}

/// Adds the facets of quadratic cells that are curved, each once.
void add_quadratic_facets(ImportedMesh& mesh, const std::vector<ForeignCell>& cells, const std::string& path) {
  const int dim = mesh.dimension;
  std::set<std::vector<index_t>> seen;
  const auto n_points = static_cast<std::int64_t>(mesh.n_nodes());
  for (const ForeignCell& cell : cells) {
    for (std::size_t k = 0; k < cell.type->n_nodes(); ++k)
      TESSERA_REQUIRE(cell.nodes[k] >= 0 && cell.nodes[k] < n_points, path << ": cell " << cell.number
                                                                           << " refers to node " << cell.nodes[k]
                                                                           << "; there are " << n_points << ".");
    const StraightParts straight = straight_parts_of(cell, mesh);
    const auto vertex = [&](int a) {
      std::array<double, 3> place{};
      std::copy_n(&mesh.coordinates[static_cast<std::size_t>(cell.nodes[a] * dim)], dim, place.begin());
      return place;
    };
    for (std::size_t simplex = 0; simplex < cell.split.simplices.size(); simplex += static_cast<std::size_t>(dim) + 1)
      for (int opposite = 0; opposite <= dim; ++opposite) {
        int v[3] = {0, 0, 0};
        for (int k = 0, at = 0; k <= dim; ++k)
          if (k != opposite)
            v[at++] = cell.split.simplices[simplex + static_cast<std::size_t>(k)];
        std::vector<index_t> facet;
        for (int k = 0; k < dim; ++k)
          facet.push_back(static_cast<index_t>(cell.nodes[v[k]]));
        std::vector<index_t> key = facet;
        std::sort(key.begin(), key.end());
        if (!seen.insert(key).second)
          continue;
        const auto middle = [&](int a, int b) { return middle_of(cell, straight, a, b, mesh); };
        std::vector<std::array<double, 3>> lattice = {vertex(v[0]), middle(v[0], v[1]), vertex(v[1])};
        if (dim == 3)
          lattice.insert(lattice.end(), {middle(v[0], v[2]), middle(v[1], v[2]), vertex(v[2])});
        std::vector<double> points;
        for (const std::array<double, 3>& place : lattice)
          points.insert(points.end(), place.begin(), place.begin() + dim);
        add_curved_facet(mesh, 2, facet, points);
      }
  }
}

/// Merges points at one node of a results file (FieldFile, node_numbers): keeps the first point of each node in `xyz`
/// and writes its new index to `nodes`. Indices of nonexistent points are left unchanged. Returns the number of removed
/// points.
std::size_t merge_points_of_nodes(const Hdf5File& file, std::vector<double>& xyz, std::vector<std::int64_t>& nodes) {
  const std::string numbers = std::string("/VTKHDF/PointData/") + node_numbers;
  if (!file.has_attribute("/VTKHDF", run_id_attribute) ||
      !file.exists(numbers)) // in files of other programs it may mean anything
    return 0;
  const std::size_t n_points = xyz.size() / 3;
  const auto node_of = file.read<std::int64_t>(numbers, {n_points});
  std::vector<std::int64_t> merged = node_of;
  std::sort(merged.begin(), merged.end());
  merged.erase(std::unique(merged.begin(), merged.end()), merged.end());
  const std::size_t n_merged = merged.size();
  const auto place = [&](std::size_t point) {
    return static_cast<std::size_t>(std::lower_bound(merged.begin(), merged.end(), node_of[point]) - merged.begin());
  };
  std::vector<double> points(3 * n_merged);
  std::vector<char> is_placed(n_merged, 0);
  for (std::size_t i = 0; i < n_points; ++i) {
    const std::size_t to = place(i);
    for (std::size_t d = 0; d < 3; ++d) {
      TESSERA_REQUIRE(is_placed[to] == 0 || points[3 * to + d] == xyz[3 * i + d],
                      file.path() << " is not valid: its points of node " << node_of[i] << " are at different places.");
      points[3 * to + d] = xyz[3 * i + d];
    }
    is_placed[to] = 1;
  }
  for (std::int64_t& point : nodes)
    if (point >= 0 && point < static_cast<std::int64_t>(n_points))
      point = static_cast<std::int64_t>(place(static_cast<std::size_t>(point)));
  xyz = std::move(points);
  return n_points - n_merged;
}

/// Reads a VTKHDF grid of another program, or of results.
ImportedMesh read_foreign(const Hdf5File& file, std::size_t n_points, std::size_t n_cells, double scale, bool curved,
                          const std::string& cell_data) {
  const std::string& path = file.path();
  auto types = file.read<std::uint8_t>("/VTKHDF/Types", {n_cells});
  const auto offsets = file.read<std::int64_t>("/VTKHDF/Offsets", {n_cells + 1});
  auto nodes = file.read<std::int64_t>("/VTKHDF/Connectivity");
  auto xyz = file.read<double>("/VTKHDF/Points", {n_points, 3});
  TESSERA_REQUIRE(offsets.front() == 0 && offsets.back() == static_cast<std::int64_t>(nodes.size()),
                  path << " is not valid: /VTKHDF/Offsets goes from " << offsets.front() << " to " << offsets.back()
                       << ", but /VTKHDF/Connectivity has " << nodes.size() << " entries.");
  std::vector<double> region(n_cells, std::nan(""));
  for (const char* name : {"/VTKHDF/CellData/gmsh:physical", "/VTKHDF/CellData/region"})
    if (file.exists(name))
      region = file.read<double>(name, {n_cells});
  const bool counts_cells = cell_data == cells_as_elements;
  std::vector<index_t> data;
  if (!cell_data.empty() && !counts_cells)
    data = read_cell_data(file, cell_data, n_cells);

  ImportedMesh mesh;
  if (const std::size_t n_merged = merge_points_of_nodes(file, xyz, nodes); n_merged > 0) {
    n_points -= n_merged;
    mesh.notes.push_back("The file has a point for each side of a node (output.recovered): " +
                         std::to_string(n_merged) + " points are one node with another again.");
  }
  unify_vtk_cells(types, offsets, nodes);
  for (std::size_t cell = 0; cell < n_cells; ++cell) {
    const VtkCellType* const type = find_vtk_cell(types[cell]);
    TESSERA_REQUIRE(type != nullptr || types[cell] == vtk_polygon,
                    path << ": cell " << cell << " is of VTK type " << int(types[cell]) << " ("
                         << name_of_vtk_type(types[cell]) << "); " << supported_vtk_types << '.');
    mesh.dimension = std::max(mesh.dimension, type != nullptr ? type->dim : 2);
  }
  TESSERA_REQUIRE(mesh.dimension >= 2, path << " holds no triangles or tetrahedra.");

  NumberedGroups regions("domain", file, names_of_regions);
  NumberedGroups boundaries("boundary", file, names_of_boundaries);
  std::size_t n_lower = 0;
  std::size_t n_split = 0;
  std::size_t n_polygons = 0;
  index_t n_taken = 0;
  bool quadratic = false;
  std::vector<ForeignCell> quadratic_cells;
  std::vector<std::array<index_t, 2>> other_diagonals;
  for (std::size_t cell = 0; cell < n_cells; ++cell) {
    const bool is_polygon = types[cell] == vtk_polygon;
    const std::int64_t begin = offsets[cell], end = offsets[cell + 1];
    // Both must be in range before their difference is computed, as that could overflow.
    const bool is_range = begin >= 0 && end >= begin && end <= static_cast<std::int64_t>(nodes.size());
    const VtkCellType polygon{vtk_polygon, 2, is_range ? static_cast<int>(end - begin) : 0, {}};
    const VtkCellType& type = is_polygon ? polygon : *find_vtk_cell(types[cell]);
    const int codimension = mesh.dimension - type.dim;
    if (codimension > 1) {
      ++n_lower;
      continue;
    }
    const bool is_right = is_range && end - begin == static_cast<std::int64_t>(type.n_nodes());
    TESSERA_REQUIRE(is_right, path << " is not valid: the offsets of cell " << cell << " are wrong.");
    quadratic = quadratic || type.is_quadratic();
    const std::int64_t* const own = &nodes[static_cast<std::size_t>(begin)];
    for (int k = 0; k < type.n_vertices; ++k)
      TESSERA_REQUIRE(own[k] >= 0 && own[k] < static_cast<std::int64_t>(n_points),
                      path << ": cell " << cell << " refers to node " << own[k] << "; there are " << n_points << ".");
    TESSERA_REQUIRE(!is_polygon || codimension == 0, path << ": cell " << cell << " is a polygon of " << type.n_vertices
                                                          << " corners in a mesh in space, whose elements have "
                                                             "triangles and quadrilaterals as faces.");
    ForeignCell taken =
        is_polygon ? polygon_cell(cell, type, own, xyz, path) : foreign_cell(cell, type, own, xyz, mesh.dimension == 2);
    std::vector<index_t>& to = codimension == 0 ? mesh.elements : mesh.facets;
    for (const int k : taken.split.simplices)
      to.push_back(static_cast<index_t>(own[k]));
    for (const std::array<int, 2>& diagonal : taken.split.other_diagonals)
      other_diagonals.push_back({static_cast<index_t>(own[diagonal[0]]), static_cast<index_t>(own[diagonal[1]])});
    const std::size_t n_simplices = taken.split.simplices.size() / (static_cast<std::size_t>(type.dim) + 1);
    n_split += codimension == 0 && type.shape() != nullptr ? 1 : 0;
    n_polygons += is_polygon ? 1 : 0;
    if (codimension == 0) {
      mesh.regions.resize(mesh.regions.size() + n_simplices, regions(region[cell], mesh.region_names, path));
      if (!cell_data.empty())
        mesh.cell_data.resize(mesh.regions.size(), counts_cells ? n_taken : data[cell]);
      ++n_taken;
    } else {
      mesh.facet_groups.resize(mesh.facet_groups.size() + n_simplices,
                               boundaries(region[cell], mesh.boundary_names, path));
    }
    if (codimension == 0 && type.is_quadratic())
      quadratic_cells.push_back(std::move(taken));
  }
  checked_index(static_cast<std::int64_t>(mesh.regions.size()), "elements of the mesh file");
  if (n_split > 0)
    mesh.notes.push_back(split_note(n_split, mesh.dimension));
  if (n_polygons > 0)
    mesh.notes.push_back("Split " + (n_polygons == 1 ? "a polygon" : std::to_string(n_polygons) + " polygons") +
                         " into triangles.");
  set_coordinates(mesh, xyz, scale, path);
  check_joints(mesh, std::move(other_diagonals), path);
  if (curved)
    add_quadratic_facets(mesh, quadratic_cells, path);
  if (n_lower > 0)
    mesh.notes.push_back("Left out " + std::to_string(n_lower) + " points or lines, which bound no element.");
  const std::size_t n_dropped = drop_unused_nodes(mesh);
  if (quadratic)
    mesh.notes.push_back(higher_order_note(mesh, curved, n_dropped));
  else if (n_dropped > 0)
    mesh.notes.push_back("Left out " + std::to_string(n_dropped) + " nodes that belong to no element.");
  orient_elements(mesh);
  return mesh;
}

} // namespace

void write_mesh_file(const std::string& path, const ImportedMesh& mesh) {
  AtomicFile target(path);
  Hdf5File file = Hdf5File::create(target.temporary_path(), path);
  const VtkGrid grid = make_vtk_grid(mesh.dimension, 1, mesh.n_nodes(), mesh.n_elements());
  write_vtkhdf_frame(file, {grid});
  write_vtkhdf_geometry(file, grid, mesh.dimension, mesh.coordinates.data(), mesh.elements.data());
  file.write<group_t>("/VTKHDF/CellData/region", {mesh.n_elements()}, mesh.regions.data());
  file.write_attribute("/VTKHDF", "Writer", "Tessera"); // without its group this marks a file that is not from another
                                                        // program
  file.make_group("/Tessera");
  file.write_attribute("/Tessera", "Version", std::vector<std::int64_t>{mesh_format_version});
  file.write_attribute("/Tessera", "Dimension", std::vector<std::int64_t>{mesh.dimension});
  file.write_attribute(
      "/Tessera", "Checksum",
      std::vector<std::int64_t>{static_cast<std::int64_t>(MeshChecksum::of(mesh, mesh_format_version))});
  file.write_strings("/Tessera/RegionNames", mesh.region_names);
  file.write_strings("/Tessera/BoundaryNames", mesh.boundary_names);
  file.write<index_t>("/Tessera/Facets", {mesh.n_facets(), static_cast<std::size_t>(mesh.dimension)},
                      mesh.facets.data());
  file.write_attribute("/Tessera", "CurvedDegree", std::vector<std::int64_t>{mesh.curved_degree});
  file.write<index_t>("/Tessera/CurvedFacets", {mesh.curved_facets.size()}, mesh.curved_facets.data());
  file.write<double>("/Tessera/CurvedPoints", {mesh.curved_points.size()}, mesh.curved_points.data());
  file.write<group_t>("/Tessera/FacetGroups", {mesh.facet_groups.size()}, mesh.facet_groups.data());
  file.write<index_t>("/Tessera/OriginalNode", {mesh.original_node.size()}, mesh.original_node.data());
  file.write<index_t>("/Tessera/OriginalElement", {mesh.original_element.size()}, mesh.original_element.data());
  file.close();
  target.commit();
}

ImportedMesh read_mesh_file(const std::string& path, double scale, bool curved, const std::string& cell_data) {
  TESSERA_REQUIRE(std::ifstream(path).good() && !std::filesystem::is_directory(path),
                  "Cannot read " << path << ": there is no such file, or it may not be read.");
  TESSERA_REQUIRE(scale > 0. && std::isfinite(scale), "The mesh's scale must be a positive number.");
  const Hdf5File file = Hdf5File::open(path);
  TESSERA_REQUIRE(file.has_attribute("/VTKHDF", "Type"),
                  path << " is not a mesh file: it is HDF5, but not in VTK's layout (group /VTKHDF).");
  const std::string type = file.read_text("/VTKHDF", "Type");
  TESSERA_REQUIRE(type == "UnstructuredGrid",
                  path << " holds a VTK data set of type " << type << "; only UnstructuredGrid is supported.");
  const std::size_t n_points = read_count(file, "/VTKHDF/NumberOfPoints");
  const std::size_t n_cells = read_count(file, "/VTKHDF/NumberOfCells");
  checked_index(static_cast<std::int64_t>(n_points), "nodes of the mesh file");
  checked_index(static_cast<std::int64_t>(n_cells), "elements of the mesh file");
  TESSERA_REQUIRE(n_cells > 0, path << " holds no elements.");
  if (!file.has_attribute("/VTKHDF", "Writer") && !file.exists("/Tessera"))
    return read_foreign(file, n_points, n_cells, scale, curved, cell_data);
  ImportedMesh mesh = read_own(file, n_points, n_cells, scale);
  if (!cell_data.empty() && cell_data != cells_as_elements)
    mesh.cell_data = read_cell_data(file, cell_data, n_cells);
  if (!curved) { // only now, as the checksum covers everything
    mesh.curved_degree = 0;
    mesh.curved_facets.clear();
    mesh.curved_points.clear();
  }
  return mesh;
}

bool is_mesh_file_name(const std::string& path) {
  std::string ending = std::filesystem::path(path).extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return ending == ".vtkhdf" || ending == ".hdf" || ending == ".h5";
}

} // namespace tessera::io
