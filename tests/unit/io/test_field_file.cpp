// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/error.hpp"
#include "io/output/field_file.hpp"
#include "io/output/probes_file.hpp"
#include "temporary_folder.hpp"

#include <catch2/catch_test_macros.hpp>

#include <cmath>
#include <fstream>
#include <sstream>

namespace {

using namespace tessera;
using tessera::io::FieldFile;
using tessera::io::FieldGrid;
using tessera::io::Hdf5File;
using tessera::test::TemporaryFolder;

} // namespace

TEST_CASE("fields are written in the user's numbering", "[io]") {
  const TemporaryFolder folder;
  const std::string path = folder.file("fields.vtkhdf");
  // The unit square: the original vertices 0..3 run around it; here they are numbered 2, 0, 3, 1.
  const std::vector<double> coordinates{0., 1., 0., 0., 1., 1., 1., 0.};
  const std::vector<index_t> original_node{3, 0, 2, 1};
  const std::vector<index_t> elements{1, 3, 2, 2, 0, 1};
  const std::vector<index_t> original_element{1, 0};
  FieldGrid grid;
  grid.n_vertices = grid.n_nodes = 4;
  grid.n_elements = 2;
  grid.coordinates = coordinates.data();
  grid.element_nodes = elements.data();
  grid.original_node = original_node.data();
  grid.original_element = original_element.data();
  {
    FieldFile file(path, grid);
    const std::vector<double> u{3., 0., 2., 1.}, e{3., 30., 0., 0., 2., 20., 1., 10.}, c{1., 0.};
    const std::vector<group_t> material{7, 6};
    file.write_point_data(io::node_numbers, original_node.data());
    file.write_point_data("u", u.data());
    file.write_point_data("e", e.data(), 2);
    file.write_cell_data("c", c.data());
    file.write_cell_data("material", material.data());
    CHECK_FALSE(std::filesystem::exists(path));
    file.close();
  }
  const Hdf5File file = Hdf5File::open(path);
  CHECK(file.read<double>("/VTKHDF/Points") == std::vector<double>{0., 0., 0., 1., 0., 0., 1., 1., 0., 0., 1., 0.});
  CHECK(file.read<std::int64_t>("/VTKHDF/Connectivity") == std::vector<std::int64_t>{2, 3, 0, 0, 1, 2});
  CHECK(file.read<std::int64_t>("/VTKHDF/Offsets") == std::vector<std::int64_t>{0, 3, 6});
  CHECK(file.read<std::uint8_t>("/VTKHDF/Types") == std::vector<std::uint8_t>{5, 5});
  CHECK(file.read<double>("/VTKHDF/PointData/u") == std::vector<double>{0., 1., 2., 3.});
  CHECK(file.read<double>("/VTKHDF/PointData/e") ==
        std::vector<double>{0., 0., 0., 1., 10., 0., 2., 20., 0., 3., 30., 0.});
  CHECK(file.read<index_t>("/VTKHDF/PointData/node") == std::vector<index_t>{0, 1, 2, 3});
  CHECK(file.extents("/VTKHDF/PointData/e") == std::vector<std::size_t>{4, 3});
  CHECK(file.read<double>("/VTKHDF/CellData/c") == std::vector<double>{0., 1.});
  CHECK(file.read<group_t>("/VTKHDF/CellData/material") == std::vector<group_t>{6, 7});
  CHECK(file.read_text("/VTKHDF", "Type") == "UnstructuredGrid");
  CHECK(file.read_integers("/VTKHDF", "Version", 2) == std::vector<std::int64_t>{1, 0});
  CHECK(folder.n_files() == 1);
}

TEST_CASE("quadratic cells have their mid-edge nodes after the vertices", "[io]") {
  const TemporaryFolder folder;
  const std::string path = folder.file("fields.vtkhdf");
  const std::vector<double> coordinates{1., 0., 0., 1., 0., 0., .5, .5, 0., .5, .5, 0.};
  const std::vector<index_t> nodes{2, 0, 1, 5, 3, 4};
  const std::vector<index_t> original_node{1, 2, 0};
  FieldGrid grid;
  grid.order = 2;
  grid.n_vertices = 3;
  grid.n_nodes = 6;
  grid.n_elements = 1;
  grid.coordinates = coordinates.data();
  grid.element_nodes = nodes.data();
  grid.original_node = original_node.data();
  FieldFile writer(path, grid);
  const std::vector<double> u{1., 2., 0., 3., 4., 5.};
  writer.write_point_data("u", u.data());
  writer.close();
  const Hdf5File file = Hdf5File::open(path);
  CHECK(file.read<std::uint8_t>("/VTKHDF/Types") == std::vector<std::uint8_t>{22});
  CHECK(file.read<std::int64_t>("/VTKHDF/Connectivity") == std::vector<std::int64_t>{0, 1, 2, 5, 3, 4});
  CHECK(file.read<double>("/VTKHDF/PointData/u") == std::vector<double>{0., 1., 2., 3., 4., 5.});
  CHECK(file.read<double>("/VTKHDF/Points") ==
        std::vector<double>{0., 0., 0., 1., 0., 0., 0., 1., 0., .5, .5, 0., 0., .5, 0., .5, 0., 0.});
}

TEST_CASE("of a part of a mesh the own elements are written with their nodes alone", "[io]") {
  const TemporaryFolder folder;
  const std::string path = folder.file("fields.vtkhdf");
  const std::vector<double> coordinates{0., 0., 1., 0., 1., 1., 2., 0., 2., 1.};
  const std::vector<index_t> elements{0, 1, 2, 1, 4, 2, 1, 3, 4}, own{1, 2};
  const std::vector<std::int64_t> numbers{5, 1, 7, std::int64_t(1) << 40, 9};
  FieldGrid grid;
  grid.n_vertices = grid.n_nodes = 5;
  grid.n_elements = 3;
  grid.coordinates = coordinates.data();
  grid.element_nodes = elements.data();
  grid.owned_elements = own.data();
  grid.n_owned_elements = 2;
  grid.node_numbers = numbers.data();
  const std::vector<double> u{0., 1., 2., 3., 4.}, c{7., 8., 9.};
  {
    FieldFile writer(path, grid);
    writer.write_point_data(io::node_numbers, grid.node_numbers);
    writer.write_point_data("u", u.data());
    writer.write_cell_data("c", c.data());
    writer.close();
  }
  const Hdf5File file = Hdf5File::open(path);
  CHECK(file.read<std::int64_t>("/VTKHDF/NumberOfPoints") == std::vector<std::int64_t>{4});
  CHECK(file.read<std::int64_t>("/VTKHDF/NumberOfCells") == std::vector<std::int64_t>{2});
  CHECK(file.read<std::int64_t>("/VTKHDF/Connectivity") == std::vector<std::int64_t>{0, 3, 1, 0, 2, 3});
  CHECK(file.read<double>("/VTKHDF/Points") == std::vector<double>{1., 0., 0., 1., 1., 0., 2., 0., 0., 2., 1., 0.});
  CHECK(file.read<double>("/VTKHDF/PointData/u") == std::vector<double>{1., 2., 3., 4.});
  CHECK(file.read<std::int64_t>("/VTKHDF/PointData/node") == std::vector<std::int64_t>{1, 7, std::int64_t(1) << 40, 9});
  CHECK(file.read<double>("/VTKHDF/CellData/c") == std::vector<double>{8., 9.});

  grid.n_owned_elements = 0; // a process may own none
  FieldFile(folder.file("none.vtkhdf"), grid).close();
  const Hdf5File none = Hdf5File::open(folder.file("none.vtkhdf"));
  CHECK(none.extents("/VTKHDF/Types") == std::vector<std::size_t>{0});
}

TEST_CASE("a grid of several pieces has the offsets of each", "[io]") {
  const TemporaryFolder folder;
  const std::string path = folder.file("pieces.vtkhdf");
  {
    Hdf5File writer = Hdf5File::create(path);
    write_vtkhdf_frame(writer, {io::make_vtk_grid(3, 1, 4, 1), io::make_vtk_grid(3, 1, 5, 2)});
    writer.close();
  }
  const Hdf5File file = Hdf5File::open(path);
  CHECK(file.read<std::int64_t>("/VTKHDF/NumberOfPoints") == std::vector<std::int64_t>{4, 5});
  CHECK(file.read<std::int64_t>("/VTKHDF/NumberOfCells") == std::vector<std::int64_t>{1, 2});
  CHECK(file.read<std::int64_t>("/VTKHDF/NumberOfConnectivityIds") == std::vector<std::int64_t>{4, 8});
  CHECK(file.read<std::int64_t>("/VTKHDF/Offsets") == std::vector<std::int64_t>{0, 4, 0, 4, 8});
  CHECK(file.read<std::uint8_t>("/VTKHDF/Types") == std::vector<std::uint8_t>{10, 10, 10});
}

TEST_CASE("a field file that is not closed leaves nothing behind", "[io]") {
  const TemporaryFolder folder;
  const std::vector<double> coordinates{0., 0., 0., 1., 0., 0., 0., 1., 0., 0., 0., 1.};
  const std::vector<index_t> nodes{0, 1, 2, 3};
  FieldGrid grid;
  grid.dimension = 3;
  grid.n_vertices = grid.n_nodes = 4;
  grid.n_elements = 1;
  grid.coordinates = coordinates.data();
  grid.element_nodes = nodes.data();
  { const FieldFile file(folder.file("fields.vtkhdf"), grid); }
  CHECK(folder.n_files() == 0);
}

TEST_CASE("blocks put together a dataset larger than one block", "[io]") {
  const TemporaryFolder folder;
  const std::string path = folder.file("blocks.h5");
  const std::size_t n = 700001;
  Hdf5File writer = Hdf5File::create(path);
  std::size_t n_blocks = 0;
  writer.write_blocks<double>("/x", {n, 3}, [&n_blocks](std::size_t first, std::size_t n_rows, double* out) {
    ++n_blocks;
    for (std::size_t i = 0; i < 3 * n_rows; ++i)
      out[i] = static_cast<double>(3 * first + i);
  });
  writer.close();
  CHECK(n_blocks > 1);
  const std::vector<double> x = Hdf5File::open(path).read<double>("/x");
  REQUIRE(x.size() == 3 * n);
  std::size_t n_wrong = 0;
  for (std::size_t i = 0; i < x.size(); ++i)
    n_wrong += x[i] != static_cast<double>(i);
  CHECK(n_wrong == 0);
}

TEST_CASE("probes are written with units and all digits", "[io]") {
  const TemporaryFolder folder;
  const std::string path = folder.file("axis.csv");
  io::write_table(path, io::probe_table({{0., 0.1, -1e-3}, {1., 0., 0.}},
                                        {{"potential", "V", {1. / 3., std::nan("")}}, {"Ex", "V/m", {-2., 4.}}}));
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  CHECK(text.str() == "x [m],y [m],z [m],potential [V],Ex [V/m]\n"
                      "0,0.1,-0.001,0.3333333333333333,-2\n"
                      "1,0,0,,4\n");
  CHECK(folder.n_files() == 1);
}

TEST_CASE("fields of several time steps lie one after the other, on one grid", "[io]") {
  const TemporaryFolder folder;
  const std::string path = folder.file("fields.vtkhdf");
  const std::vector<double> coordinates{0., 0., 1., 0., 0., 1.};
  const std::vector<index_t> elements{0, 1, 2};
  FieldGrid grid;
  grid.n_vertices = grid.n_nodes = 3;
  grid.n_elements = 1;
  grid.coordinates = coordinates.data();
  grid.element_nodes = elements.data();
  {
    FieldFile file(path, grid, 3);
    const std::vector<double> first{1., 2., 3.}, second{4., 5., 6.}, c{7.};
    file.write_cell_data("c", c.data());
    file.begin_step(0.5);
    file.write_point_data("u", first.data());
    file.begin_step(2.);
    file.write_point_data("u", second.data());
    file.close(); // without writing the third step
  }
  const Hdf5File file = Hdf5File::open(path);
  CHECK(file.read_integers("/VTKHDF", "Version", 2) == std::vector<std::int64_t>{2, 0});
  CHECK(file.read_integers("/VTKHDF/Steps", "NSteps", 1) == std::vector<std::int64_t>{2});
  CHECK(file.read<double>("/VTKHDF/Steps/Values") == std::vector<double>{0.5, 2.});
  const auto u = file.read<double>("/VTKHDF/PointData/u");
  REQUIRE(u.size() == 9);
  CHECK(std::vector<double>(u.begin(), u.begin() + 6) == std::vector<double>{1., 2., 3., 4., 5., 6.});
  CHECK(file.read<std::int64_t>("/VTKHDF/Steps/PointDataOffsets/u") == std::vector<std::int64_t>{0, 3});
  CHECK(file.read<std::int64_t>("/VTKHDF/Steps/CellDataOffsets/c") == std::vector<std::int64_t>{0, 0});
  CHECK(file.extents("/VTKHDF/CellData/c") == std::vector<std::size_t>{1});
  CHECK(file.extents("/VTKHDF/Steps/CellOffsets") == std::vector<std::size_t>{2, 1});

  FieldFile full(folder.file("full.vtkhdf"), grid, 1);
  full.begin_step(0.);
  CHECK_THROWS_AS(full.begin_step(1.), Error);
}
