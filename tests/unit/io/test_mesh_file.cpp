// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/error.hpp"
#include "io/hdf5_file.hpp"
#include "io/mesh_files/mesh_file.hpp"
#include "io/mesh_files/mesh_requests.hpp"
#include "io/mesh_files/mesh_source.hpp"
#include "io/mesh_files/partition_file.hpp"
#include "io/output/field_file.hpp"
#include "temporary_folder.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <cmath>
#include <fstream>

namespace {

using namespace tessera;
using tessera::io::Hdf5File;
using tessera::io::ImportedMesh;
using tessera::io::read_mesh_file;
using tessera::test::TemporaryFolder;

using Catch::Matchers::ContainsSubstring;
using Names = std::vector<std::string>;

/// Two triangles, or two tetrahedra, with odd coordinates and names.
ImportedMesh small_mesh(int dimension) {
  ImportedMesh mesh;
  mesh.dimension = dimension;
  if (dimension == 2) {
    mesh.coordinates = {0., 0., 1. / 3., 0.1, 0., std::sqrt(2.), 1., 1e-300};
    mesh.elements = {0, 1, 2, 1, 3, 2};
    mesh.facets = {0, 1, 2, 0, 1, 0};
  } else {
    mesh.coordinates = {0., 0., 0., 1., 0., 0., 0., 1. / 3., 0., 0., 0., 1., 1., 1., 1.};
    mesh.elements = {0, 1, 2, 3, 1, 2, 3, 4};
    mesh.facets = {0, 1, 2, 0, 1, 3, 0, 1, 2};
  }
  mesh.regions = {1, 0};
  mesh.facet_groups = {0, 2, 1};
  mesh.region_names = {"air", "Glas, \xc3\xa4u\xc3\x9f"
                              "eres"};
  mesh.boundary_names = {"high", "low", "7"};
  mesh.original_element = {1, 0};
  mesh.original_node = dimension == 2 ? std::vector<index_t>{3, 1, 0, 2} : std::vector<index_t>{3, 1, 4, 0, 2};
  return mesh;
}

void check_equal(const ImportedMesh& a, const ImportedMesh& b) {
  CHECK(a.dimension == b.dimension);
  CHECK(a.coordinates == b.coordinates);
  CHECK(a.elements == b.elements);
  CHECK(a.regions == b.regions);
  CHECK(a.facets == b.facets);
  CHECK(a.facet_groups == b.facet_groups);
  CHECK(a.region_names == b.region_names);
  CHECK(a.boundary_names == b.boundary_names);
  CHECK(a.original_node == b.original_node);
  CHECK(a.original_element == b.original_element);
}

/// A grid as another program writes it: cells of mixed types.
void write_foreign(const std::string& path, const std::vector<std::uint8_t>& types,
                   const std::vector<std::vector<std::int64_t>>& cells, const std::vector<double>& points,
                   const std::vector<double>& region = {}) {
  Hdf5File file = Hdf5File::create(path);
  file.make_group("/VTKHDF");
  file.write_attribute("/VTKHDF", "Version", std::vector<std::int64_t>{2, 0});
  file.write_attribute("/VTKHDF", "Type", "UnstructuredGrid");
  std::vector<std::int64_t> nodes, offsets{0};
  for (const std::vector<std::int64_t>& cell : cells) {
    nodes.insert(nodes.end(), cell.begin(), cell.end());
    offsets.push_back(static_cast<std::int64_t>(nodes.size()));
  }
  const std::int64_t counts[] = {static_cast<std::int64_t>(points.size() / 3), static_cast<std::int64_t>(cells.size())};
  file.write<std::int64_t>("/VTKHDF/NumberOfPoints", {1}, &counts[0]);
  file.write<std::int64_t>("/VTKHDF/NumberOfCells", {1}, &counts[1]);
  file.write<std::uint8_t>("/VTKHDF/Types", {types.size()}, types.data());
  file.write<std::int64_t>("/VTKHDF/Offsets", {offsets.size()}, offsets.data());
  file.write<std::int64_t>("/VTKHDF/Connectivity", {nodes.size()}, nodes.data());
  file.write<double>("/VTKHDF/Points", {points.size() / 3, 3}, points.data());
  file.make_group("/VTKHDF/CellData");
  if (!region.empty())
    file.write<double>("/VTKHDF/CellData/region", {region.size()}, region.data());
}

} // namespace

TEST_CASE("a mesh file gives back the mesh exactly", "[io]") {
  const TemporaryFolder folder;
  const std::string path = folder.file("mesh.vtkhdf");
  for (const int dimension : {2, 3}) {
    ImportedMesh mesh = small_mesh(dimension);
    io::write_mesh_file(path, mesh);
    check_equal(read_mesh_file(path), mesh);
    mesh.original_element.clear();
    mesh.original_node.clear();
    mesh.facets.clear();
    mesh.facet_groups.clear();
    mesh.boundary_names.clear();
    io::write_mesh_file(path, mesh);
    check_equal(read_mesh_file(path), mesh);
  }
  CHECK(folder.n_files() == 1); // no temporary file is left
}

TEST_CASE("the scale multiplies a mesh file's coordinates", "[io]") {
  const TemporaryFolder folder;
  const std::string path = folder.file("mesh.vtkhdf");
  const ImportedMesh mesh = small_mesh(3);
  io::write_mesh_file(path, mesh);
  const ImportedMesh scaled = read_mesh_file(path, 0.5);
  REQUIRE(scaled.coordinates.size() == mesh.coordinates.size());
  for (std::size_t i = 0; i < mesh.coordinates.size(); ++i)
    CHECK(scaled.coordinates[i] == 0.5 * mesh.coordinates[i]);
  CHECK(scaled.notes.size() == 1);
}

TEST_CASE("grids of other programs are read as meshes", "[io]") {
  const TemporaryFolder folder;
  const std::string path = folder.file("mesh.vtkhdf");
  const std::vector<double> points{0., 0., 2., 1., 0., 2., 1., 1., 2., 0., 1., 2., 5., 5., 5.};
  write_foreign(path, {3, 5, 5, 1, 3}, {{0, 1}, {0, 1, 2}, {0, 3, 2}, {4}, {2, 3}}, points, {11, 3, 4, 0, 12});
  const ImportedMesh mesh = read_mesh_file(path);
  CHECK(mesh.dimension == 2);
  CHECK(mesh.n_nodes() == 4);
  CHECK(mesh.elements == std::vector<index_t>{0, 1, 2, 0, 2, 3}); // the second one was clockwise
  CHECK(mesh.regions == std::vector<group_t>{0, 1});
  CHECK(mesh.region_names == Names{"3", "4"});
  CHECK(mesh.boundary_names == Names{"11", "12"});
  CHECK(mesh.facets == std::vector<index_t>{0, 1, 2, 3});
  CHECK(mesh.notes.size() == 3);

  write_foreign(path, {5, 5}, {{0, 1, 2}, {0, 2, 3}}, points);
  CHECK(read_mesh_file(path).region_names == Names{"domain"});

  const std::vector<double> ten_points{0., 0., 0., 1., 0., 0., 0., 1., 0., 0., 0., 1., .5, 0., 0.,
                                       .5, .5, 0., 0., .5, 0., 0., 0., .5, .5, 0., .5, 0., .5, .5};
  write_foreign(path, {24}, {{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}}, ten_points);
  const ImportedMesh tetrahedron = read_mesh_file(path);
  CHECK(tetrahedron.dimension == 3);
  CHECK(tetrahedron.n_nodes() == 4);
  CHECK(tetrahedron.elements == std::vector<index_t>{0, 1, 2, 3});
}

TEST_CASE("cells and cell data of a grid give each simplex the number of its element", "[io]") {
  const TemporaryFolder folder;
  const std::string path = folder.file("mesh.vtkhdf");
  const std::vector<double> points{0., 0., 0., 1., 0., 0., 1., 1., 0., 0., 1., 0., 2., 0., 0., 2., 1., 0.};
  write_foreign(path, {3, 9, 5, 5}, {{0, 1}, {0, 1, 2, 3}, {1, 4, 2}, {4, 5, 2}}, points, {7, -3, 12, -3});
  CHECK(read_mesh_file(path).cell_data.empty());
  using Numbers = std::vector<index_t>;
  CHECK(read_mesh_file(path, 1., true, io::cells_as_elements).cell_data == Numbers{0, 0, 1, 2}); // without the line
  CHECK(read_mesh_file(path, 1., true, "region").cell_data == Numbers{-3, -3, 12, -3});
  CHECK_THROWS_WITH(
      read_mesh_file(path, 1., true, "colour"),
      ContainsSubstring("has no cell data 'colour', which mesh.agglomerate.from requests; it has region"));
  write_foreign(path, {5}, {{0, 1, 2}}, points, {0.5});
  CHECK_THROWS_WITH(read_mesh_file(path, 1., true, "region"), ContainsSubstring("but cell 0 has 0.5"));

  ImportedMesh mesh = small_mesh(2);
  io::write_mesh_file(path, mesh);
  CHECK(read_mesh_file(path, 1., true, io::cells_as_elements).cell_data.empty()); // its cells are its elements
  CHECK(read_mesh_file(path, 1., true, "region").cell_data == Numbers{1, 0});
}

TEST_CASE("partition files have a number for each element", "[io]") {
  for (const char* name : {"a.part", "a.part.8", "a.epart", "dir/mesh.EPART.128"})
    CHECK(io::is_partition_file_name(name));
  for (const char* name : {"part", "a.npart.8", "a.parts", "a.part.x", "a.part.", "region", ""})
    CHECK_FALSE(io::is_partition_file_name(name));
  const TemporaryFolder folder;
  const std::string path = folder.file("mesh.part");
  const auto read = [&](const char* text) {
    std::ofstream(path) << text;
    return io::read_partition_file(path, 3);
  };
  CHECK(read("% by hand\n2\n\n 0 \r\n2\n# end\n") == std::vector<index_t>{2, 0, 2});
  CHECK_THROWS_WITH(read("1\n0\n-1\n"),
                    ContainsSubstring("mesh.part:3: expected the number of a part") && ContainsSubstring("found '-1'"));
  CHECK_THROWS_WITH(read("1\n1.5\n1\n"), ContainsSubstring("mesh.part:2: expected"));
  CHECK_THROWS_WITH(read("1 2\n"), ContainsSubstring("mesh.part:1: expected"));
  CHECK_THROWS_WITH(read("99999999999\n"), ContainsSubstring("mesh.part:1: expected"));
  CHECK_THROWS_WITH(read("1\n2\n"), ContainsSubstring("mesh.part has 2 numbers, but the mesh has 3 elements"));
  CHECK_THROWS_WITH(read("1\n2\n0\n\n0\n"), ContainsSubstring("mesh.part:5: a line too many"));
  CHECK_THROWS_WITH(io::read_partition_file(folder.file("none.part"), 3), ContainsSubstring("there is no such file"));
}

TEST_CASE("points for the sides of a node are one node of a mesh again", "[io]") {
  const TemporaryFolder folder;
  const std::string path = folder.file("fields.vtkhdf");
  // Two triangles that share the edge of nodes 1 and 2, with separate points on either side.
  std::vector<double> points{0., 0., 1., 0., 1., 0., 0., 1., 0., 1., 1., 1.};
  const std::vector<index_t> node{0, 1, 1, 2, 2, 3};
  const std::vector<index_t> elements{0, 1, 3, 2, 5, 4};
  io::FieldGrid grid;
  grid.n_vertices = grid.n_nodes = 6;
  grid.n_elements = 2;
  grid.element_nodes = elements.data();
  const auto write = [&](bool has_run) {
    grid.coordinates = points.data();
    io::FieldFile file(path, grid);
    if (has_run)
      file.write_run_id("0123456789abcdef");
    file.write_point_data(io::node_numbers, node.data());
    file.close();
  };
  write(true);
  const ImportedMesh mesh = read_mesh_file(path);
  CHECK(mesh.coordinates == std::vector<double>{0., 0., 1., 0., 0., 1., 1., 1.});
  CHECK(mesh.elements == std::vector<index_t>{0, 1, 2, 1, 3, 2});
  REQUIRE(mesh.notes.size() == 1);
  CHECK_THAT(mesh.notes.front(), ContainsSubstring("2 points are one node with another again"));

  write(false); // written by another program, where a field of this name can mean anything
  CHECK(read_mesh_file(path).n_nodes() == 6);

  points[4] = 1.5;
  write(true);
  CHECK_THROWS_WITH(read_mesh_file(path), ContainsSubstring("its points of node 1 are at different places"));
}

TEST_CASE("curved facets survive a mesh file, in metres", "[io]") {
  const TemporaryFolder folder;
  const std::string path = folder.file("mesh.vtkhdf");
  for (const int dimension : {2, 3}) {
    ImportedMesh mesh = small_mesh(dimension);
    const std::size_t n_points = dimension == 2 ? 3 : 6;
    std::vector<double> points(n_points * static_cast<std::size_t>(dimension));
    for (std::size_t i = 0; i < points.size(); ++i)
      points[i] = std::sqrt(1. + static_cast<double>(i));
    io::add_curved_facet(mesh, 2, dimension == 2 ? std::vector<index_t>{2, 0} : std::vector<index_t>{2, 0, 1}, points);
    REQUIRE(mesh.n_curved() == 1);
    io::write_mesh_file(path, mesh);
    ImportedMesh read = read_mesh_file(path);
    check_equal(read, mesh);
    CHECK(read.curved_degree == 2);
    CHECK(read.curved_facets == mesh.curved_facets);
    CHECK(read.curved_points == mesh.curved_points);
    const ImportedMesh larger = read_mesh_file(path, 2.);
    CHECK(larger.curved_points.at(1) == 2. * mesh.curved_points[1]);
    const ImportedMesh straight = read_mesh_file(path, 1., false);
    CHECK((straight.curved_degree == 0 && straight.n_curved() == 0 && straight.curved_points.empty()));
    CHECK(straight.elements == mesh.elements);
    mesh.curved_facets[0] = 99;
    io::write_mesh_file(path, mesh);
    CHECK_THROWS_WITH(read_mesh_file(path), ContainsSubstring("curved facet refers to a node outside"));
    mesh.curved_facets[0] = 2;
    mesh.curved_points.pop_back();
    io::write_mesh_file(path, mesh);
    CHECK_THROWS_WITH(read_mesh_file(path), ContainsSubstring("do not fit their number"));
  }
}

TEST_CASE("the shape of quadratic cells of other programs is kept", "[io]") {
  const TemporaryFolder folder;
  const std::string path = folder.file("mesh.vtkhdf");
  std::vector<double> points{0., 0., 0., 1., 0., 0., 0., 1., 0., 0.5, 0., 0., 0.6, 0.7, 0., 0., 0.5, 0.};
  write_foreign(path, {22}, {{0, 1, 2, 3, 4, 5}}, points);
  const ImportedMesh triangle = read_mesh_file(path);
  CHECK(triangle.curved_degree == 2);
  CHECK(triangle.curved_facets == std::vector<index_t>{1, 2});
  CHECK(triangle.curved_points == std::vector<double>{1., 0., 0.6, 0.7, 0., 1.});
  CHECK(triangle.notes.size() == 1);
  const ImportedMesh straight = read_mesh_file(path, 1., false);
  CHECK(straight.n_curved() == 0);
  REQUIRE(straight.notes.size() == 1);
  CHECK_THAT(straight.notes[0], ContainsSubstring("its shape between vertices is not used here"));

  // Vertices, then the midpoints of (0,1) (1,2) (2,0) (0,3) (1,3) (2,3); that of (1,2) is moved: two facets are curved.
  points = {0.,  0.,  0., 1., 0.,  0., 0., 1., 0.,  0.,  0., 1.,  0.5, 0.,  0.,
            0.7, 0.7, 0., 0., 0.5, 0., 0., 0., 0.5, 0.5, 0., 0.5, 0.,  0.5, 0.5};
  write_foreign(path, {24}, {{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}}, points);
  const ImportedMesh tetrahedron = read_mesh_file(path);
  CHECK(tetrahedron.curved_facets == std::vector<index_t>{1, 2, 3, 0, 1, 2});
  CHECK(std::vector<double>(tetrahedron.curved_points.begin() + 3, tetrahedron.curved_points.begin() + 6) ==
        std::vector<double>{0.7, 0.7, 0.});
}

TEST_CASE("bad mesh files are refused with a reason", "[io]") {
  const TemporaryFolder folder;
  const std::string path = folder.file("mesh.vtkhdf");
  CHECK_THROWS_WITH(read_mesh_file(path), ContainsSubstring("there is no such file"));
  folder.write("mesh.vtkhdf", "no HDF5 at all");
  CHECK_THROWS_WITH(read_mesh_file(path), ContainsSubstring("mesh.vtkhdf (HDF5: "));

  io::write_mesh_file(path, small_mesh(2));
  std::filesystem::resize_file(path, std::filesystem::file_size(path) / 2);
  CHECK_THROWS_WITH(read_mesh_file(path), ContainsSubstring("truncated"));

  Hdf5File::create(path).close();
  CHECK_THROWS_WITH(read_mesh_file(path), ContainsSubstring("not in VTK's layout"));

  const std::vector<double> points{0., 0., 0., 1., 0., 0., 1., 1., 0., 0., 1., 0.};
  write_foreign(path, {42}, {{0, 1, 2, 3}}, points);
  CHECK_THROWS_WITH(read_mesh_file(path), ContainsSubstring("VTK type 42 (a polyhedron)") &&
                                              ContainsSubstring("quadrilaterals (8, 9, 23, 28)"));
  write_foreign(path, {9}, {{0, 1, 2, 4}}, points);
  CHECK_THROWS_WITH(read_mesh_file(path), ContainsSubstring("refers to node 4"));
  write_foreign(path, {9}, {{0, 1, 2}}, points);
  CHECK_THROWS_WITH(read_mesh_file(path), ContainsSubstring("the offsets of cell 0 are wrong"));
  write_foreign(path, {23}, {{0, 1, 2, 3, 0, 1, 2, 9}}, points);
  CHECK_THROWS_WITH(read_mesh_file(path), ContainsSubstring("refers to node 9"));
  write_foreign(path, {5}, {{0, 1, 4}}, points);
  CHECK_THROWS_WITH(read_mesh_file(path), ContainsSubstring("refers to node 4"));
  write_foreign(path, {5}, {{0, 1}}, points);
  CHECK_THROWS_WITH(read_mesh_file(path), ContainsSubstring("offsets of cell 0"));
  write_foreign(path, {3}, {{0, 1}}, points);
  CHECK_THROWS_WITH(read_mesh_file(path), ContainsSubstring("no triangles or tetrahedra"));
  write_foreign(path, {5}, {{0, 1, 2}}, {0., 0., 0., 1., 0., 0., 1., std::nan(""), 0.});
  CHECK_THROWS_WITH(read_mesh_file(path), ContainsSubstring("coordinate"));
  write_foreign(path, {5}, {{0, 1, 2}}, {0., 0., 0., 1., 0., 0., 1., 1., 1.});
  CHECK_THROWS_WITH(read_mesh_file(path), ContainsSubstring("plane of constant z"));
  write_foreign(path, {5}, {{0, 1, 2}}, points, {0.5});
  CHECK_THROWS_WITH(read_mesh_file(path), ContainsSubstring("whole numbers"));

  ImportedMesh mesh = small_mesh(2);
  mesh.original_node = {0, 1, 1, 2};
  io::write_mesh_file(path, mesh);
  CHECK_THROWS_WITH(read_mesh_file(path), ContainsSubstring("not a permutation"));
  mesh = small_mesh(2);
  mesh.regions = {0, 5};
  io::write_mesh_file(path, mesh);
  CHECK_THROWS_WITH(read_mesh_file(path), ContainsSubstring("region that has no name"));
}

TEST_CASE("an unwritable place is named", "[io]") {
  const TemporaryFolder folder;
  CHECK_THROWS_WITH(io::write_mesh_file(folder.file("missing/mesh.vtkhdf"), small_mesh(2)),
                    ContainsSubstring("missing"));
  try {
    Hdf5File::create(folder.file("missing/mesh.vtkhdf"));
    FAIL("no error");
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::resource);
    CHECK_THAT(error.what(), ContainsSubstring("mesh.vtkhdf"));
  }
}

TEST_CASE("the input's mesh section names its place when the mesh fails", "[io]") {
  io::MeshOptions options;
  options.source = io::MeshSource::file;
  options.path = "nowhere.vtkhdf";
  options.where = {"case.yaml", 4, "mesh.file"};
  CHECK_THROWS_WITH(io::read_mesh(options), ContainsSubstring("case.yaml:4") && ContainsSubstring("nowhere.vtkhdf"));
  const TemporaryFolder folder;
  options.path = folder.file("mesh.vtkhdf");
  io::write_mesh_file(options.path, small_mesh(3));
  CHECK(io::read_mesh(options).dimension == 3);
  options.dimension = 2;
  CHECK_THROWS_WITH(io::read_mesh(options), ContainsSubstring("3-dimensional"));
}
