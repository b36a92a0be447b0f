// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/error.hpp"
#include "io/output/field_file.hpp"
#include "io/pictures/result_file.hpp"
#include "temporary_folder.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <hdf5.h>

#include <limits>

using namespace tessera;
using tessera::io::Hdf5File;
using tessera::io::pictures::ResultFile;
using tessera::test::TemporaryFolder;

using Catch::Matchers::ContainsSubstring;

namespace {

/// Two triangles, with a number for each.
void write_triangles(const std::string& path, const std::string& name, const std::vector<double>& numbers) {
  Hdf5File out = Hdf5File::create(path);
  write_vtkhdf_frame(out, {io::make_vtk_grid(2, 1, 4, 2)});
  const std::vector<double> points{0., 0., 0., 1., 0., 0., 1., 1., 0., 2., 0., 0.};
  const std::vector<std::int64_t> connectivity{0, 1, 2, 1, 3, 2};
  const std::vector<double> field{1., 2., 3., 4.};
  out.write<double>("/VTKHDF/Points", {4, 3}, points.data());
  out.write<std::int64_t>("/VTKHDF/Connectivity", {6}, connectivity.data());
  out.write<double>("/VTKHDF/PointData/u", {4}, field.data());
  out.write<double>("/VTKHDF/CellData/" + name, {2}, numbers.data());
  out.close();
}

/// Replaces a dataset by one with so many rows, which are not stored.
void enlarge(const std::string& path, const char* dataset, const std::vector<hsize_t>& extents) {
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
  REQUIRE(file >= 0);
  REQUIRE(H5Ldelete(file, dataset, H5P_DEFAULT) >= 0);
  const hid_t space = H5Screate_simple(static_cast<int>(extents.size()), extents.data(), nullptr);
  const hid_t set = H5Dcreate2(file, dataset, H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  REQUIRE(set >= 0);
  H5Dclose(set);
  H5Sclose(space);
  H5Fclose(file);
}

} // namespace

TEST_CASE("numbers of materials and elements that are none are refused", "[io]") {
  const TemporaryFolder folder;
  const std::string path = folder.file("fields.vtkhdf");
  write_triangles(path, "material", {0., 65535.});
  CHECK(ResultFile(path).grid().regions == std::vector<std::uint16_t>{0, 65535});
  const double wrong = GENERATE(-1., 0.5, 65536., 1e300, std::numeric_limits<double>::quiet_NaN());
  write_triangles(path, "material", {0., wrong});
  CHECK_THROWS_WITH(ResultFile(path), ContainsSubstring("fields.vtkhdf is not valid: a cell has the material ") &&
                                          ContainsSubstring("no number from 0 to 65535"));
  write_triangles(path, "element", {3., 2147483647.});
  CHECK(ResultFile(path).grid().elements == std::vector<std::int32_t>{3, 2147483647});
  write_triangles(path, "element", {wrong == 65536. ? 2147483648. : wrong, 0.});
  CHECK_THROWS_WITH(ResultFile(path), ContainsSubstring("a cell has the element "));
}

TEST_CASE("more points than 32 bits count are refused before they are read", "[io]") {
  const TemporaryFolder folder;
  const std::string path = folder.file("fields.vtkhdf");
  write_triangles(path, "material", {0., 0.});
  enlarge(path, "/VTKHDF/Points", {hsize_t(1) << 31, 3});
  CHECK_THROWS_WITH(ResultFile(path), ContainsSubstring("has 2147483648 points and 2 cells; pictures take at most "
                                                        "2147483647."));
}

TEST_CASE("integers beyond the range of their type are refused in some rows, too", "[io]") {
  const TemporaryFolder folder;
  const std::string path = folder.file("numbers.h5");
  {
    Hdf5File out = Hdf5File::create(path);
    const std::vector<std::int64_t> numbers{1, std::int64_t(1) << 40, 3};
    out.write<std::int64_t>("/numbers", {3}, numbers.data());
    out.close();
  }
  const Hdf5File file = Hdf5File::open(path);
  CHECK(file.read_rows<std::int32_t>("/numbers", 2, 1) == std::vector<std::int32_t>{3});
  CHECK_THROWS_AS(file.read_rows<std::int32_t>("/numbers", 0, 2), Error);
  CHECK_THROWS_AS(file.read<std::int32_t>("/numbers"), Error);
}

TEST_CASE("long names of datasets are read whole", "[io]") {
  const TemporaryFolder folder;
  const std::string path = folder.file("names.h5");
  const std::string name(300, 'n');
  {
    Hdf5File out = Hdf5File::create(path);
    const double number = 2.;
    out.make_group("/fields");
    out.write<double>("/fields/" + name, {1}, &number);
    out.write<double>("/fields/short", {1}, &number);
    out.close();
  }
  CHECK(Hdf5File::open(path).members("/fields") == std::vector<std::string>{name, "short"});
}
