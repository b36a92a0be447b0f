// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/error.hpp"
#include "io/hdf5_file.hpp"
#include "io/mesh_files/mesh_file.hpp"
#include "temporary_folder.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <hdf5.h>

#include <cmath>
#include <iterator>
#include <limits>

namespace {

using namespace tessera;
using tessera::io::Hdf5File;
using tessera::io::ImportedMesh;
using tessera::io::read_mesh_file;
using tessera::test::TemporaryFolder;

using Catch::Matchers::ContainsSubstring;
using Integers = std::vector<std::int64_t>;

ImportedMesh small_mesh() {
  ImportedMesh mesh;
  mesh.dimension = 2;
  mesh.coordinates = {0., 0., 1. / 3., 0.1, 0., std::sqrt(2.), 1., 1.};
  mesh.elements = {0, 1, 2, 1, 3, 2};
  mesh.facets = {0, 1, 2, 0, 1, 3};
  mesh.regions = {1, 0};
  mesh.facet_groups = {0, 2, 1};
  mesh.region_names = {"air", "glass"};
  mesh.boundary_names = {"high", "low", "7"};
  mesh.original_element = {1, 0};
  mesh.original_node = {3, 1, 0, 2};
  return mesh;
}

bool is_same(const ImportedMesh& a, const ImportedMesh& b) {
  return a.dimension == b.dimension && a.coordinates == b.coordinates && a.elements == b.elements &&
         a.regions == b.regions && a.facets == b.facets && a.facet_groups == b.facet_groups &&
         a.region_names == b.region_names && a.boundary_names == b.boundary_names &&
         a.original_node == b.original_node && a.original_element == b.original_element;
}

/// A separate function, since the front end of nvcc 13.0 does not finish with a Catch2 macro in members of the class
/// below.
void require(bool is_good) { REQUIRE(is_good); }

/// A file opened with HDF5's functions, to write what Hdf5File cannot write.
class RawFile {
public:
  explicit RawFile(const std::string& path) : file_(H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT)) {
    require(file_ >= 0);
  }
  RawFile(const RawFile&) = delete;
  RawFile& operator=(const RawFile&) = delete;
  ~RawFile() { H5Fclose(file_); }

  void remove(const char* dataset) const { require(H5Ldelete(file_, dataset, H5P_DEFAULT) >= 0); }
  void remove_attribute(const char* object, const char* name) const {
    require(H5Adelete_by_name(file_, object, name, H5P_DEFAULT) >= 0);
  }

  /// Replaces a dataset; without data only its extents are written. Compressed: in chunks, filled later.
  void replace(const char* dataset, hid_t type, const std::vector<hsize_t>& extents, const void* data,
               bool compressed = false) const {
    remove(dataset);
    const hid_t space = H5Screate_simple(static_cast<int>(extents.size()), extents.data(), nullptr);
    const hid_t layout = H5Pcreate(H5P_DATASET_CREATE);
    if (compressed) {
      const hsize_t chunk = 1024;
      H5Pset_chunk(layout, 1, &chunk);
      H5Pset_deflate(layout, 9);
    }
    const hid_t set = H5Dcreate2(file_, dataset, type, space, H5P_DEFAULT, layout, H5P_DEFAULT);
    require(set >= 0);
    if (data != nullptr)
      require(H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0);
    H5Dclose(set);
    H5Pclose(layout);
    H5Sclose(space);
  }

  /// Writes an attribute that is a list of fixed-length strings.
  void write_texts(const char* object, const char* name, const char* characters, std::size_t width, hsize_t n) const {
    const hid_t type = text_type(width, H5T_STR_NULLPAD);
    const hid_t space = H5Screate_simple(1, &n, nullptr);
    const hid_t attribute = H5Acreate_by_name(file_, object, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    require(H5Awrite(attribute, type, characters) >= 0);
    H5Aclose(attribute);
    H5Sclose(space);
    H5Tclose(type);
  }

  void set_version(std::int64_t version) const {
    remove_attribute("/Tessera", "Version");
    const hid_t space = H5Screate(H5S_SCALAR);
    const hid_t attribute =
        H5Acreate_by_name(file_, "/Tessera", "Version", H5T_STD_I64LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    require(H5Awrite(attribute, H5T_NATIVE_INT64, &version) >= 0);
    H5Aclose(attribute);
    H5Sclose(space);
  }

  /// Cell data "region" of one cell.
  void add_cell_data(double region) const {
    const hid_t group = H5Gcreate2(file_, "/VTKHDF/CellData", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    const hsize_t one = 1;
    const hid_t space = H5Screate_simple(1, &one, nullptr);
    const hid_t set = H5Dcreate2(group, "region", H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    require(H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, &region) >= 0);
    H5Dclose(set);
    H5Sclose(space);
    H5Gclose(group);
  }

  static hid_t text_type(std::size_t width, H5T_str_t padding) {
    const hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, width);
    H5Tset_strpad(type, padding);
    return type;
  }

private:
  hid_t file_;
};

/// One triangle as other programs write it.
void write_triangle(const std::string& path, const Integers& offsets = {0, 3}) {
  Hdf5File file = Hdf5File::create(path);
  file.make_group("/VTKHDF");
  file.write_attribute("/VTKHDF", "Type", "UnstructuredGrid");
  const std::int64_t three = 3, one = 1;
  file.write<std::int64_t>("/VTKHDF/NumberOfPoints", {1}, &three);
  file.write<std::int64_t>("/VTKHDF/NumberOfCells", {1}, &one);
  const std::uint8_t type = 5;
  file.write<std::uint8_t>("/VTKHDF/Types", {1}, &type);
  file.write<std::int64_t>("/VTKHDF/Offsets", {2}, offsets.data());
  const std::int64_t nodes[] = {0, 1, 2};
  file.write<std::int64_t>("/VTKHDF/Connectivity", {3}, nodes);
  const double points[] = {0., 0., 0., 1., 0., 0., 0., 1., 0.};
  file.write<double>("/VTKHDF/Points", {3, 3}, points);
}

std::string contents(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

} // namespace

TEST_CASE("a type of the data set that is a list of texts, or none, is reported", "[io]") {
  const TemporaryFolder folder;
  const std::string path = folder.file("mesh.vtkhdf");
  write_triangle(path);
  CHECK(read_mesh_file(path).n_elements() == 1);
  {
    const RawFile raw(path);
    raw.remove_attribute("/VTKHDF", "Type");
    raw.write_texts("/VTKHDF", "Type", "UnstructuredGridUnstructuredGridUnstructuredGrid", 16, 3);
  }
  CHECK_THROWS_WITH(read_mesh_file(path),
                    ContainsSubstring("attribute Type of /VTKHDF holds 3 texts; expected is one text"));
  {
    const RawFile raw(path);
    raw.remove_attribute("/VTKHDF", "Type");
    raw.write_texts("/VTKHDF", "Type", "UnstructuredGrid", 16, 1); // a list of one string is accepted like a string
  }
  CHECK(read_mesh_file(path).n_elements() == 1);
}

TEST_CASE("offsets whose difference overflows are reported", "[io]") {
  const TemporaryFolder folder;
  const std::string path = folder.file("mesh.vtkhdf");
  constexpr std::int64_t lowest = std::numeric_limits<std::int64_t>::min();
  for (const Integers& offsets : {Integers{std::int64_t(1) << 40, lowest}, {lowest, 3}, {0, lowest}, {1, 3}, {0, 2}}) {
    write_triangle(path, offsets);
    CHECK_THROWS_WITH(read_mesh_file(path), ContainsSubstring("is not valid: /VTKHDF/Offsets goes from"));
  }
  Hdf5File file = Hdf5File::create(path); // two triangles: the first and last offsets are right, the middle one is not
  file.make_group("/VTKHDF");
  file.write_attribute("/VTKHDF", "Type", "UnstructuredGrid");
  const std::int64_t four = 4, two = 2;
  file.write<std::int64_t>("/VTKHDF/NumberOfPoints", {1}, &four);
  file.write<std::int64_t>("/VTKHDF/NumberOfCells", {1}, &two);
  const std::uint8_t types[] = {5, 5};
  file.write<std::uint8_t>("/VTKHDF/Types", {2}, types);
  const std::int64_t offsets[] = {0, lowest, 6}, nodes[] = {0, 1, 2, 0, 2, 3};
  file.write<std::int64_t>("/VTKHDF/Offsets", {3}, offsets);
  file.write<std::int64_t>("/VTKHDF/Connectivity", {6}, nodes);
  const double points[] = {0., 0., 0., 1., 0., 0., 1., 1., 0., 0., 1., 0.};
  file.write<double>("/VTKHDF/Points", {4, 3}, points);
  file.close();
  CHECK_THROWS_WITH(read_mesh_file(path), ContainsSubstring("offsets of cell 0 are wrong"));
}

TEST_CASE("a file that announces more than it holds is refused before memory is taken", "[io]") {
  const TemporaryFolder folder;
  const std::string path = folder.file("mesh.vtkhdf");
  const hsize_t many = hsize_t(1) << 33;
  for (const bool compressed : {false, true})
    for (const char* name : {"/VTKHDF/Connectivity", "/VTKHDF/Points", "/VTKHDF/Types", "/VTKHDF/Offsets"}) {
      write_triangle(path);
      RawFile(path).replace(name, H5T_STD_I64LE, {many}, nullptr, compressed);
      CHECK_THROWS_WITH(read_mesh_file(path), ContainsSubstring(name) && ContainsSubstring("8589934592 entries"));
    }
  for (const char* name : {"/Tessera/FacetGroups", "/Tessera/OriginalNode", "/Tessera/RegionNames"}) {
    io::write_mesh_file(path, small_mesh());
    const hid_t texts = RawFile::text_type(8, H5T_STR_NULLPAD);
    RawFile(path).replace(name, std::string(name) == "/Tessera/RegionNames" ? texts : H5T_STD_I32LE, {many}, nullptr,
                          true);
    H5Tclose(texts);
    CHECK_THROWS_WITH(read_mesh_file(path),
                      ContainsSubstring("announces 8589934592 entries, but the file holds fewer"));
  }
  io::write_mesh_file(path, small_mesh());
  // the product of the extents overflows
  RawFile(path).replace("/Tessera/OriginalNode", H5T_STD_I32LE, {many, many, many}, nullptr);
  CHECK_THROWS_WITH(read_mesh_file(path), ContainsSubstring("announces 8589934592 x 8589934592 x 8589934592 entries"));
}

TEST_CASE("what is compressed is read as it was written", "[io]") {
  const TemporaryFolder folder;
  const std::string path = folder.file("mesh.vtkhdf");
  const std::vector<std::int32_t> zeros(4000000, 0);
  Hdf5File::create(path).write<std::int32_t>("/zeros", {1}, zeros.data());
  RawFile(path).replace("/zeros", H5T_STD_I32LE, {zeros.size()}, zeros.data(), true);
  CHECK(std::filesystem::file_size(path) < 400000);
  CHECK(Hdf5File::open(path).read<std::int32_t>("/zeros") == zeros);
}

TEST_CASE("numbers of another kind or beyond their range are reported", "[io]") {
  const TemporaryFolder folder;
  const std::string path = folder.file("mesh.vtkhdf");
  const double halves[] = {0.5, 1., 2., 1., 3., 2.};
  io::write_mesh_file(path, small_mesh());
  RawFile(path).replace("/VTKHDF/Connectivity", H5T_IEEE_F64LE, {6}, halves);
  CHECK_THROWS_WITH(read_mesh_file(path),
                    ContainsSubstring("Connectivity holds floating-point numbers; expected are whole numbers"));
  io::write_mesh_file(path, small_mesh());
  const hid_t texts = RawFile::text_type(1, H5T_STR_NULLPAD);
  RawFile(path).replace("/VTKHDF/Points", texts, {4, 3}, "abcdefghijkl");
  H5Tclose(texts);
  CHECK_THROWS_WITH(read_mesh_file(path), ContainsSubstring("Points holds texts; expected are floating-point numbers"));
  io::write_mesh_file(path, small_mesh());
  const std::int64_t regions[] = {-1, 0}; // HDF5 converts -1 to 0 by default
  RawFile(path).replace("/VTKHDF/CellData/region", H5T_STD_I64LE, {2}, regions);
  CHECK_THROWS_WITH(read_mesh_file(path), ContainsSubstring("CellData/region"));
  io::write_mesh_file(path, small_mesh());
  const double points[] = {0., 1., 2., 3., 4., 5., 6., 7., 8., 9., 10., 11.};
  RawFile(path).replace("/VTKHDF/Points", H5T_IEEE_F64LE, {3, 4}, points);
  CHECK_THROWS_WITH(read_mesh_file(path), ContainsSubstring("3 x 4 entries instead of 4 x 3"));
  write_triangle(path);
  const double region = 1e300; // an integer, but not a valid number
  RawFile(path).add_cell_data(region);
  CHECK_THROWS_WITH(read_mesh_file(path), ContainsSubstring("whole numbers, at most 2^53"));
}

TEST_CASE("names are read as texts of fixed length, too", "[io]") {
  const TemporaryFolder folder;
  const std::string path = folder.file("mesh.vtkhdf");
  const ImportedMesh mesh = small_mesh();
  for (const auto& [padding, names] : {std::pair{H5T_STR_NULLPAD, "air\0\0glass"}, {H5T_STR_SPACEPAD, "air  glass"}}) {
    io::write_mesh_file(path, mesh);
    const hid_t texts = RawFile::text_type(5, padding);
    RawFile(path).replace("/Tessera/RegionNames", texts, {2}, names);
    H5Tclose(texts);
    CHECK(read_mesh_file(path).region_names == mesh.region_names);
  }
  io::write_mesh_file(path, mesh);
  const std::int32_t number = 3;
  RawFile(path).replace("/Tessera/RegionNames", H5T_STD_I32LE, {1}, &number);
  CHECK_THROWS_WITH(read_mesh_file(path), ContainsSubstring("RegionNames holds whole numbers; expected are texts"));
  ImportedMesh twins = mesh;
  twins.region_names = {"air", "air"};
  io::write_mesh_file(path, twins);
  CHECK_THROWS_WITH(read_mesh_file(path), ContainsSubstring("two regions have one name"));
}

TEST_CASE("a changed number does not have the checksum, and a file of an old version has none", "[io]") {
  const TemporaryFolder folder;
  const std::string path = folder.file("mesh.vtkhdf");
  ImportedMesh mesh = small_mesh();
  io::write_mesh_file(path, mesh);
  double points[] = {0., 0., 0., 1. / 3., 0.1, 0., 0., std::sqrt(2.), 0., 1., 1. + 1e-15, 0.};
  RawFile(path).replace("/VTKHDF/Points", H5T_IEEE_F64LE, {4, 3}, points);
  CHECK_THROWS_WITH(read_mesh_file(path), ContainsSubstring("is damaged") && ContainsSubstring("checksum"));
  RawFile(path).remove_attribute("/Tessera", "Checksum");
  CHECK_THROWS_WITH(read_mesh_file(path), ContainsSubstring("attribute Checksum"));
  RawFile(path).set_version(1);
  const ImportedMesh old = read_mesh_file(path);
  CHECK(old.coordinates[7] == 1. + 1e-15);
  REQUIRE(old.notes.size() == 1);
  CHECK_THAT(old.notes[0], ContainsSubstring("has no checksum"));
  for (const std::int64_t version : {0, 3}) {
    RawFile(path).set_version(version);
    CHECK_THROWS_AS(read_mesh_file(path), Error);
  }
}

TEST_CASE("whatever bit of a mesh file is flipped, the mesh is the same or refused", "[io]") {
  const TemporaryFolder folder;
  const std::string path = folder.file("mesh.vtkhdf");
  const ImportedMesh mesh = small_mesh();
  io::write_mesh_file(path, mesh);
  const std::string good = contents(path);
  std::size_t n_refused = 0;
  for (std::size_t at = 0; at < good.size(); at += 3) { // every byte takes seconds
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ (1 << (at * 5 % 8)));
    std::ofstream(path, std::ios::binary) << bad;
    try {
      const ImportedMesh read = read_mesh_file(path);
      INFO("byte " << at);
      REQUIRE(is_same(read, mesh));
    } catch (const Error&) {
      ++n_refused;
    }
  }
  CHECK(n_refused > 200);
}
