// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "graph/partition/metis.hpp"
#include "io/geometry/import_request.hpp"
#include "io/input/input_text.hpp"
#include "io/input/sections/sections.hpp"
#include "io/mesh_files/mesh_file.hpp"
#include "io/mesh_files/partition_file.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <filesystem>

namespace tessera::io::detail {

namespace {

/// Whether rounding would make cells degenerate: the nodes of an edge must differ.
bool too_small(double lower, double upper, int n_cells) {
  return (upper - lower) / n_cells < 1e-14 * std::max(std::fabs(lower), std::fabs(upper));
}

/// Reports boxes whose elements have measures outside the range of double numbers.
void check_lengths(MapReader& in, const MeshOptions& mesh) {
  constexpr double smallest = 1e-90; // m; its cube, and the squares of gradients, are in the range of double numbers
  constexpr double largest = 1e90;
  for (std::size_t k = 0; k < mesh.box.cells.size(); ++k) {
    const double size = mesh.scale * (mesh.box.upper[k] - mesh.box.lower[k]) / std::max(mesh.box.cells[k], 1);
    const double farthest = mesh.scale * std::max(std::fabs(mesh.box.lower[k]), std::fabs(mesh.box.upper[k]));
    if (mesh.box.cells[k] > 0 && ((size > 0. && size < smallest) || farthest > largest)) {
      in.fail("box", "lengths in metres, after mesh.scale, must lie between " + number_text(smallest) + " and " +
                         number_text(largest) + ": double precision cannot represent the volumes of others.");
      return;
    }
  }
}

void read_box(MapReader in, MeshOptions& mesh) {
  in.require("cells", "number of cells per direction");
  const std::vector<double> cells = in.numbers("cells", 2, 3);
  const std::size_t dimension = cells.size();
  for (std::size_t k = 0; k < dimension; ++k) {
    if (std::isnan(cells[k]))
      continue; // already reported
    if (!(cells[k] >= 1. && cells[k] <= 1e9) || cells[k] != std::floor(cells[k]))
      in.fail("cells", "each direction needs a whole number of cells from 1 to 1000000000, but one is " +
                           number_text(cells[k]) + ".");
    else
      mesh.box.cells[k] = static_cast<int>(cells[k]);
  }
  const std::vector<double> lower = in.numbers("lower", 2, 3);
  const std::vector<double> upper = in.numbers("upper", 2, 3);
  const auto copy = [&](const char* key, const std::vector<double>& from, std::array<double, 3>& to) {
    if (from.empty())
      return;
    if (dimension != 0 && from.size() != dimension)
      in.fail(key, "expected " + std::to_string(dimension) + " numbers, as many as in cells.");
    std::copy(from.begin(), from.end(), to.begin());
  };
  copy("lower", lower, mesh.box.lower);
  copy("upper", upper, mesh.box.upper);
  for (std::size_t k = 0; k < dimension; ++k) {
    const std::string key = in.has("upper") ? "upper" : "lower";
    const double extent = mesh.box.upper[k] - mesh.box.lower[k];
    if (std::isnan(extent))
      continue; // already reported
    if (!(extent > 0.))
      in.fail(key, "each entry of upper must exceed that of lower.");
    else if (std::isinf(extent))
      in.fail(key, "the extent of the box is no finite number.");
    else if (too_small(mesh.box.lower[k], mesh.box.upper[k], mesh.box.cells[k]))
      in.fail(key, "the cells are smaller than the rounding of their coordinates.");
    else
      continue;
    break;
  }
  if (dimension != 0) {
    if (mesh.dimension != 0 && mesh.dimension != static_cast<int>(dimension))
      in.fail("cells", "the box has " + std::to_string(dimension) + " directions, but mesh.dimension is " +
                           std::to_string(mesh.dimension) + ".");
    mesh.dimension = static_cast<int>(dimension);
  }
  in.finish();
}

Adaptation read_adaptation(MapReader in) {
  Adaptation adapt;
  if (!in.exists())
    return adapt;
  adapt.where = in.where();
  if (!in.has("target_error") && !in.has("max_elements"))
    in.fail("at least one of target_error and max_elements is needed.");
  adapt.target_error = in.number("target_error", 0., {0., true, 0.9, ""});
  adapt.max_elements = in.integer("max_elements", 0, 1, 2000000000);
  adapt.max_rounds = in.integer("max_rounds", adapt.max_rounds, 1, 1000);
  adapt.share = in.number("share", adapt.share, {0., true, 1., ""});
  adapt.max_order = in.integer("max_order", adapt.max_order, 1, largest_dg_order(2));
  adapt.estimator = in.choice("estimator", adapt.estimator);
  adapt.compare_setup = in.boolean("compare_setup", adapt.compare_setup);
  in.finish();
  return adapt;
}

/// Whether a file of this name specifies its unit of length.
bool states_unit(const std::string& path) {
  const std::string ending = lower_case(std::filesystem::path(path).extension().string());
  return ending == ".dxf" || ending == ".step" || ending == ".stp";
}

/// Reads the metres per unit of the mesh: a number, or a unit by name; 0 if the file specifies the unit.
double read_scale(MapReader& in, const std::string& path) {
  const std::vector<std::pair<std::string, double>> units{
      {"m", 1.}, {"cm", 1e-2}, {"mm", 1e-3}, {"um", 1e-6}, {"inch", 0.0254}};
  const double scale = in.number("scale", states_unit(path) ? 0. : 1., Range::positive());
  if (!in.has("units"))
    return scale;
  const std::string name = in.text("units", "m");
  if (in.has("scale"))
    in.fail("units", "cannot be combined with scale: both are the metres per unit of the mesh.");
  std::vector<std::string> names;
  for (const auto& [unit, metres] : units) {
    if (unit == name)
      return metres;
    names.push_back(unit);
  }
  in.errors().add_unknown(in.location("units"), "unit", name, names);
  return scale;
}

constexpr std::array<const char*, 5> geometry_endings{".geo", ".dxf", ".step", ".stp", ".brep"};
constexpr std::array<const char*, 4> mesh_endings{".msh", ".vtkhdf", ".hdf", ".h5"};

/// Advice for a file under the wrong key or of another format.
std::string advice_on(const std::string& key, const std::string& ending) {
  const auto has = [&ending](const auto& endings) {
    return std::find(endings.begin(), endings.end(), ending) != endings.end();
  };
  if (key == "geometry" && has(mesh_endings))
    return " It is a mesh, which stands under mesh.file.";
  if (key == "file" && has(geometry_endings))
    return " It is a geometry, which stands under mesh.geometry.";
  return key == "file" ? " Gmsh or meshio convert other meshes to .msh." : "";
}

/// The path of a file of the input, which must exist.
std::string existing_path(MapReader& in, const std::string& key, const std::string& folder, const std::string& text) {
  namespace fs = std::filesystem;
  fs::path path(text);
  // Paths on the command line are relative to the current folder.
  if (path.is_relative() && in.location(key).line > 0)
    path = fs::path(folder) / path;
  std::error_code error;
  const std::string shown = "'" + printable(text, 300) + "'";
  if (!fs::exists(path, error))
    in.fail(key, "the file " + shown + " does not exist (looked for " + printable(path.string(), 300) + ").");
  else if (fs::is_directory(path, error))
    in.fail(key, shown + " is a folder.");
  else if (!fs::is_regular_file(path, error))
    in.fail(key, shown + " is no regular file.");
  return path.string();
}

/// Reads the path of a mesh or geometry, which must exist and have one of the extensions.
std::string read_path(MapReader& in, const std::string& key, const std::string& folder,
                      const std::vector<std::string>& endings) {
  const std::string text = in.text(key, "");
  if (text.empty())
    return "";
  const std::string ending = lower_case(std::filesystem::path(text).extension().string());
  if (std::find(endings.begin(), endings.end(), ending) != endings.end())
    return existing_path(in, key, folder, text);
  in.fail(key, "the file '" + printable(text, 300) + "' has none of the known endings " + joined(endings) + "." +
                   advice_on(key, ending));
  return text;
}

/// Reads what gives the elements of dg: cell data of the mesh file, or a partition file.
void read_partition(MapReader& in, const std::string& folder, const MeshOptions& mesh, AgglomerationInput& joined) {
  joined.from = in.text("from", "");
  joined.is_partition_file = is_partition_file_name(joined.from);
  if (joined.is_partition_file)
    joined.from = existing_path(in, "from", folder, joined.from);
  else if (in.has("from") && (mesh.source != MeshSource::file || !is_mesh_file_name(mesh.path)))
    in.fail("from", "'" + printable(joined.from) +
                        "' is no partition file, whose name ends in .part (or .epart, .part.8), and cell data is read "
                        "from VTKHDF files only (.vtkhdf, .hdf, .h5).");
}

AgglomerationInput read_agglomeration(MapReader in, const std::string& folder, const MeshOptions& mesh) {
  AgglomerationInput joined;
  if (!in.exists())
    return joined;
  if (in.has("elements") + in.has("mean_size") + in.has("from") != 1)
    in.fail("exactly one of elements, mean_size and from is needed.");
  joined.elements = in.integer("elements", 0, 1, 2000000000);
  joined.mean_size = in.number("mean_size", 0., Range::positive());
  read_partition(in, folder, mesh, joined);
  joined.method = in.choice("method", joined.method);
  if (in.has("method") && in.has("from"))
    in.fail("method", "does not go with from, which gives the elements.");
  if (joined.method == AgglomerationMethod::metis && *graph::metis_version() == '\0')
    in.fail("method", "this build has no METIS. Use device, or install METIS (Debian: libmetis-dev) and build again.");
  in.finish();
  return joined;
}

/// s. On damaged models Gmsh may never end; others take minutes at most.
constexpr double cad_time_limit = 600.;

void read_levels(MapReader& in, MeshOptions& mesh) {
  constexpr int most = 6;
  const YamlNode* node = in.find("levels");
  if (node == nullptr || node->text == "auto")
    return;
  if (!node->text.empty() && std::isalpha(static_cast<unsigned char>(node->text.front())) != 0)
    in.fail("levels",
            "expected auto or a whole number from 0 to " + std::to_string(most) + ", found '" + node->text + "'.");
  else
    mesh.levels = in.integer("levels", 0, 0, most);
}

} // namespace

void read_mesh(MapReader in, const std::string& folder, MeshOptions& mesh) {
  const std::vector<std::string> sources = spellings<MeshSource>();
  std::vector<std::string> given;
  for (const std::string& source : sources)
    if (in.has(source))
      given.push_back(source);
  if (given.size() != 1) {
    if (in.exists())
      in.fail("exactly one of " + joined(sources) + " is needed, found " + joined(given) + ".");
  } else {
    mesh.source = parse_name<MeshSource>(given[0], "mesh");
    mesh.where = in.location(given[0]);
  }
  if (in.has("dimension"))
    mesh.dimension = in.integer("dimension", 0, 2, 3);

  const bool is_geometry = given.size() == 1 && mesh.source == MeshSource::geometry;
  if (is_geometry) {
    mesh.path = read_path(in, "geometry", folder, {geometry_endings.begin(), geometry_endings.end()});
    const bool is_drawing = lower_case(std::filesystem::path(mesh.path).extension().string()) == ".dxf";
    if (is_drawing && mesh.dimension == 3)
      in.fail("dimension", "is 3, but a drawing (DXF) is plane.");
    if (is_drawing)
      mesh.dimension = 2;
    else
      in.require("dimension", "2 or 3; a geometry can be meshed in either");
  } else if (given.size() == 1 && mesh.source == MeshSource::file) {
    mesh.path = read_path(in, "file", folder, {mesh_endings.begin(), mesh_endings.end()});
  } else if (given.size() == 1) {
    read_box(in.map("box"), mesh);
  }

  MapReader parameters = in.map("parameters");
  for (const std::string& name : parameters.keys())
    mesh.parameters[name] = parameters.number(name, 0.);
  MapReader sizes = in.map("sizes");
  for (const std::string& name : sizes.keys())
    mesh.sizes[name] = sizes.number(name, 1., Range::positive());
  read_local_sizes(in, mesh.dimension, mesh.refine_at);
  read_groups(in.map("groups"), mesh.dimension, mesh.groups);
  mesh.size_factor = in.number("size_factor", mesh.size_factor, Range::positive());
  read_levels(in, mesh);
  mesh.gap_elements = in.integer("gap_elements", mesh.gap_elements, 0, 100);
  mesh.skin_elements = in.number("skin_elements", mesh.skin_elements, Range::positive());
  mesh.join = in.number("join", mesh.join, Range::non_negative());
  mesh.curved = in.boolean("curved", mesh.curved);
  mesh.allow_commands = in.boolean("allow_commands", mesh.allow_commands);
  mesh.time_limit =
      in.number("time_limit", is_cad_model(mesh.path) ? cad_time_limit : mesh.time_limit, Range::positive());
  mesh.memory_limit = in.number("memory_limit", mesh.memory_limit, Range::positive());
  if (!is_geometry && given.size() == 1)
    for (const char* key : {"parameters", "sizes", "refine_at", "size_factor", "levels", "gap_elements",
                            "skin_elements", "join", "allow_commands"})
      if (in.has(key))
        in.fail(key, "applies to mesh.geometry only; this mesh comes from mesh." + given[0] + ".");
  if (in.has("join") && is_geometry && lower_case(std::filesystem::path(mesh.path).extension().string()) != ".dxf")
    in.fail("join", "applies to drawings (.dxf); other geometries have points that curves share.");
  if (given.size() == 1 && mesh.source == MeshSource::box)
    for (const char* key : {"curved", "time_limit", "memory_limit"})
      if (in.has(key))
        in.fail(key, "applies to the readers of mesh.geometry and mesh.file; this mesh comes from mesh.box.");
  mesh.refine = in.integer("refine", mesh.refine, 0, 12);
  mesh.scale = read_scale(in, mesh.path);
  if (given.size() == 1 && mesh.source == MeshSource::box) {
    check_lengths(in, mesh);
    for (const NamedGroup& group : mesh.groups)
      if (group.outside)
        in.fail("groups", "'" + printable(group.name) + "': the outside of a box is its sides, [left, right, ...].");
  }
  mesh.ordering = in.choice("ordering", mesh.ordering);
  mesh.agglomerate = read_agglomeration(in.map("agglomerate"), folder, mesh);
  mesh.agglomerate_where = in.location("agglomerate");
  mesh.adapt = read_adaptation(in.map("adapt"));
  in.finish();
}

} // namespace tessera::io::detail
