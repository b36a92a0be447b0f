// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "io/mesh_file.hpp"

#include "core/error.hpp"
#include "io/atomic_file.hpp"
#include "io/hdf5_file.hpp"
#include "io/vtkhdf.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>

namespace tessera::io {

namespace {

constexpr std::int64_t format_version = 1;

int dimension_of(VtkCell type) {
  switch (type) {
  case VtkCell::vertex:
  case VtkCell::poly_vertex:
    return 0;
  case VtkCell::line:
  case VtkCell::quadratic_edge:
    return 1;
  case VtkCell::triangle:
  case VtkCell::quadratic_triangle:
    return 2;
  case VtkCell::tetrahedron:
  case VtkCell::quadratic_tetrahedron:
    return 3;
  }
  return -1;
}

bool is_quadratic(VtkCell type) { return static_cast<int>(type) > 20; }

/// Reads an array and insists on its length.
template <class T> std::vector<T> read_array(const Hdf5File& file, const std::string& name, std::size_t n) {
  std::vector<T> data = file.read<T>(name);
  TESSERA_REQUIRE(data.size() == n, file.path() << " is not a valid mesh file: " << name << " has " << data.size()
                                                << " entries instead of " << n << ".");
  return data;
}

std::size_t read_count(const Hdf5File& file, const std::string& name) {
  const std::vector<std::int64_t> counts = file.read<std::int64_t>(name);
  TESSERA_REQUIRE(counts.size() == 1, file.path() << " holds a grid of " << counts.size()
                                                  << " pieces or time steps; only one is supported. Merge them first.");
  TESSERA_REQUIRE(counts[0] >= 0, file.path() << " is not a valid mesh file: " << name << " is negative.");
  return static_cast<std::size_t>(counts[0]);
}

/// Throws unless `numbers` holds each of 0..n-1 once, or nothing.
void check_permutation(const std::vector<index_t>& numbers, std::size_t n, const std::string& path) {
  bool good = numbers.empty() || numbers.size() == n;
  std::vector<char> seen(numbers.size(), 0);
  for (const index_t number : numbers)
    if (good) {
      good = number >= 0 && static_cast<std::size_t>(number) < n && !seen[static_cast<std::size_t>(number)];
      if (good)
        seen[static_cast<std::size_t>(number)] = 1;
    }
  TESSERA_REQUIRE(good, path << " is not a valid mesh file: the original numbering is not a permutation.");
}

/// Reads what write_mesh_file wrote.
ImportedMesh read_own(const Hdf5File& file, std::size_t n_points, std::size_t n_cells, double scale) {
  const std::string& path = file.path();
  const std::vector<std::int64_t> version = file.read_integers("/Tessera", "Version");
  TESSERA_REQUIRE(version.size() == 1 && version[0] <= format_version,
                  path << " was written by a newer version of Tessera (mesh format "
                       << (version.empty() ? 0 : version[0]) << "; this one reads up to " << format_version << ").");
  ImportedMesh mesh;
  const std::vector<std::int64_t> dimension = file.read_integers("/Tessera", "Dimension");
  TESSERA_REQUIRE(dimension.size() == 1 && (dimension[0] == 2 || dimension[0] == 3),
                  path << " is not a valid mesh file: its dimension is neither 2 nor 3.");
  mesh.dimension = static_cast<int>(dimension[0]);
  const std::size_t dim = static_cast<std::size_t>(mesh.dimension);
  mesh.elements = read_array<index_t>(file, "/VTKHDF/Connectivity", n_cells * (dim + 1));
  mesh.regions = read_array<group_t>(file, "/VTKHDF/CellData/region", n_cells);
  mesh.facet_groups = file.read<group_t>("/Tessera/FacetGroups");
  mesh.facets = read_array<index_t>(file, "/Tessera/Facets", mesh.facet_groups.size() * dim);
  mesh.region_names = file.read_strings("/Tessera/RegionNames");
  mesh.boundary_names = file.read_strings("/Tessera/BoundaryNames");
  mesh.original_node = file.read<index_t>("/Tessera/OriginalNode");
  mesh.original_element = file.read<index_t>("/Tessera/OriginalElement");
  const std::vector<double> xyz = read_array<double>(file, "/VTKHDF/Points", 3 * n_points);
  mesh.coordinates.resize(n_points * dim); // so that the check knows the number of nodes
  check_numbers(mesh, path);
  check_permutation(mesh.original_node, n_points, path);
  check_permutation(mesh.original_element, n_cells, path);
  set_coordinates(mesh, xyz, scale, path);
  if (scale != 1.)
    mesh.notes.push_back(
        "The mesh file holds metres already, as all that Tessera writes do; its coordinates are multiplied "
        "by mesh.scale all the same.");
  return mesh;
}

/// Number of the group called by a number, in the order in which the numbers appear.
class NumberedGroups {
public:
  explicit NumberedGroups(std::string default_name) : default_name_(std::move(default_name)) {}

  group_t operator()(double number, std::vector<std::string>& names, const std::string& path) {
    const auto [at, is_new] = group_of_.emplace(number, static_cast<group_t>(names.size()));
    if (is_new) {
      TESSERA_REQUIRE(names.size() <= std::numeric_limits<group_t>::max(), path << ": more than 65536 regions.");
      TESSERA_REQUIRE(std::isnan(number) || number == std::floor(number),
                      path << ": the cell data \"region\" must be whole numbers, but holds " << number << ".");
      names.push_back(std::isnan(number) ? default_name_ : std::to_string(static_cast<long long>(number)));
    }
    return at->second;
  }

private:
  struct Less { // a missing number (NaN) comes first
    bool operator()(double a, double b) const { return std::isnan(a) ? !std::isnan(b) : a < b; }
  };
  std::string default_name_;
  std::map<double, group_t, Less> group_of_;
};

/// Reads a VTKHDF grid of another program.
ImportedMesh read_foreign(const Hdf5File& file, std::size_t n_points, std::size_t n_cells, double scale) {
  const std::string& path = file.path();
  const std::vector<std::uint8_t> types = read_array<std::uint8_t>(file, "/VTKHDF/Types", n_cells);
  const std::vector<std::int64_t> offsets = read_array<std::int64_t>(file, "/VTKHDF/Offsets", n_cells + 1);
  const std::vector<std::int64_t> nodes = file.read<std::int64_t>("/VTKHDF/Connectivity");
  const std::vector<double> xyz = read_array<double>(file, "/VTKHDF/Points", 3 * n_points);
  std::vector<double> region(n_cells, std::nan(""));
  for (const char* name : {"/VTKHDF/CellData/gmsh:physical", "/VTKHDF/CellData/region"})
    if (file.exists(name))
      region = read_array<double>(file, name, n_cells);

  ImportedMesh mesh;
  for (std::size_t cell = 0; cell < n_cells; ++cell) {
    const int dim = dimension_of(static_cast<VtkCell>(types[cell]));
    TESSERA_REQUIRE(dim >= 0, path << ": cell " << cell << " is of VTK type " << int(types[cell])
                                   << "; only triangles (5, 22) and tetrahedra (10, 24) are supported.");
    mesh.dimension = std::max(mesh.dimension, dim);
  }
  TESSERA_REQUIRE(mesh.dimension >= 2, path << " holds no triangles or tetrahedra.");

  const std::size_t element_width = static_cast<std::size_t>(mesh.dimension) + 1;
  NumberedGroups regions("domain"), boundaries("boundary");
  std::size_t n_lower = 0;
  bool quadratic = false;
  for (std::size_t cell = 0; cell < n_cells; ++cell) {
    const VtkCell type = static_cast<VtkCell>(types[cell]);
    const int codimension = mesh.dimension - dimension_of(type);
    if (codimension > 1) {
      ++n_lower;
      continue;
    }
    const std::size_t width = element_width - static_cast<std::size_t>(codimension);
    const bool inside = offsets[cell] >= 0 && offsets[cell + 1] - offsets[cell] >= static_cast<std::int64_t>(width) &&
                        offsets[cell + 1] <= static_cast<std::int64_t>(nodes.size());
    TESSERA_REQUIRE(inside, path << " is not a valid mesh file: the offsets of cell " << cell << " are wrong.");
    quadratic = quadratic || is_quadratic(type);
    std::vector<index_t>& to = codimension == 0 ? mesh.elements : mesh.facets;
    for (std::size_t k = 0; k < width; ++k) {
      const std::int64_t node = nodes[static_cast<std::size_t>(offsets[cell]) + k];
      TESSERA_REQUIRE(node >= 0 && node < static_cast<std::int64_t>(n_points),
                      path << ": cell " << cell << " refers to node " << node << "; there are " << n_points << ".");
      to.push_back(static_cast<index_t>(node));
    }
    if (codimension == 0)
      mesh.regions.push_back(regions(region[cell], mesh.region_names, path));
    else
      mesh.facet_groups.push_back(boundaries(region[cell], mesh.boundary_names, path));
  }
  set_coordinates(mesh, xyz, scale, path);
  if (n_lower > 0)
    mesh.notes.push_back("Left out " + std::to_string(n_lower) + " points or lines, which bound no element.");
  const std::size_t n_dropped = drop_unused_nodes(mesh);
  if (quadratic)
    mesh.notes.push_back("Quadratic elements are taken with straight edges: " + std::to_string(n_dropped) +
                         " nodes other than vertices were left out.");
  else if (n_dropped > 0)
    mesh.notes.push_back("Left out " + std::to_string(n_dropped) + " nodes that belong to no element.");
  orient_elements(mesh);
  return mesh;
}

} // namespace

template <int Dim> void write_mesh_file(const std::string& path, const mesh::Mesh<Dim, Kokkos::HostSpace>& mesh) {
  AtomicFile target(path);
  Hdf5File file = Hdf5File::create(target.temporary_path());
  const std::size_t n_nodes = mesh.coordinates.extent(0), n_elements = mesh.elements.extent(0);
  const VtkGrid grid = make_vtk_grid(Dim, 1, n_nodes, n_elements);
  write_vtkhdf_frame(file, grid);
  write_vtkhdf_geometry(file, grid, Dim, mesh.coordinates.data(), mesh.elements.data());
  file.write<group_t>("/VTKHDF/CellData/region", {n_elements}, mesh.regions.data());
  file.make_group("/Tessera");
  file.write_attribute("/Tessera", "Version", std::vector<std::int64_t>{format_version});
  file.write_attribute("/Tessera", "Dimension", std::vector<std::int64_t>{Dim});
  file.write_strings("/Tessera/RegionNames", mesh.region_names);
  file.write_strings("/Tessera/BoundaryNames", mesh.boundary_names);
  file.write<index_t>("/Tessera/Facets", {mesh.facets.extent(0), std::size_t(Dim)}, mesh.facets.data());
  file.write<group_t>("/Tessera/FacetGroups", {mesh.facet_groups.extent(0)}, mesh.facet_groups.data());
  file.write<index_t>("/Tessera/OriginalNode", {mesh.original_node.extent(0)}, mesh.original_node.data());
  file.write<index_t>("/Tessera/OriginalElement", {mesh.original_element.extent(0)}, mesh.original_element.data());
  file.close();
  target.commit();
}

ImportedMesh read_mesh_file(const std::string& path, double scale) {
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
  return file.exists("/Tessera") ? read_own(file, n_points, n_cells, scale)
                                 : read_foreign(file, n_points, n_cells, scale);
}

template void write_mesh_file<2>(const std::string&, const mesh::Mesh<2, Kokkos::HostSpace>&);
template void write_mesh_file<3>(const std::string&, const mesh::Mesh<3, Kokkos::HostSpace>&);

} // namespace tessera::io
