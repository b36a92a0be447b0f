// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "imported_measures.hpp"
#include "io/hdf5_file.hpp"
#include "io/mesh_files/mesh_file.hpp"
#include "io/mesh_files/polygon_triangles.hpp"
#include "temporary_folder.hpp"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <algorithm>
#include <array>
#include <cmath>

namespace {

using namespace tessera;
using Catch::Approx;
using Catch::Matchers::ContainsSubstring;
using tessera::io::ImportedMesh;
using tessera::io::triangles_of_polygon;
using tessera::test::has_note;
using tessera::test::region_measures;
using tessera::test::TemporaryFolder;
using Points = std::vector<std::array<double, 2>>;

/// Smallest area and sum of the areas of the triangles, which all have the same sign.
std::array<double, 2> areas(const Points& corners, const std::vector<int>& triangles) {
  std::array<double, 2> result{1e300, 0.};
  const auto at = [&](std::size_t k) { return corners[static_cast<std::size_t>(triangles[k])]; };
  for (std::size_t k = 0; k < triangles.size(); k += 3) {
    const double area = 0.5 * ((at(k + 1)[0] - at(k)[0]) * (at(k + 2)[1] - at(k)[1]) -
                               (at(k + 1)[1] - at(k)[1]) * (at(k + 2)[0] - at(k)[0]));
    result[0] = std::min(result[0], area);
    result[1] += area;
  }
  return result;
}

/// A grid of cells of VTK's types.
class Grid {
public:
  explicit Grid(std::vector<double> points) : points_(std::move(points)) {}
  void add(int type, const std::vector<std::int64_t>& nodes) {
    types_.push_back(static_cast<std::uint8_t>(type));
    nodes_.insert(nodes_.end(), nodes.begin(), nodes.end());
    offsets_.push_back(static_cast<std::int64_t>(nodes_.size()));
  }
  ImportedMesh imported() const {
    const TemporaryFolder folder;
    const std::string path = folder.file("grid.vtkhdf");
    {
      io::Hdf5File file = io::Hdf5File::create(path);
      file.make_group("/VTKHDF");
      file.write_attribute("/VTKHDF", "Type", "UnstructuredGrid");
      const auto n_points = static_cast<std::int64_t>(points_.size() / 3);
      const auto n_cells = static_cast<std::int64_t>(types_.size());
      file.write<std::int64_t>("/VTKHDF/NumberOfPoints", {1}, &n_points);
      file.write<std::int64_t>("/VTKHDF/NumberOfCells", {1}, &n_cells);
      file.write<std::uint8_t>("/VTKHDF/Types", {types_.size()}, types_.data());
      file.write<std::int64_t>("/VTKHDF/Offsets", {offsets_.size()}, offsets_.data());
      file.write<std::int64_t>("/VTKHDF/Connectivity", {nodes_.size()}, nodes_.data());
      file.write<double>("/VTKHDF/Points", {points_.size() / 3, 3}, points_.data());
      file.close();
    }
    return io::read_mesh_file(path, 1., true);
  }

private:
  std::vector<double> points_;
  std::vector<std::uint8_t> types_;
  std::vector<std::int64_t> offsets_{0};
  std::vector<std::int64_t> nodes_;
};

} // namespace

TEST_CASE("polygons, convex or not, are split into triangles of their whole area", "[io]") {
  const Points pentagon{{0, 0}, {2, 0}, {3, 1}, {1, 3}, {-1, 1}};
  const Points star{{3, 0}, {1, 0.5}, {0, 3}, {-0.5, 1}, {-3, 0}, {-1, -0.5}, {0, -3}, {0.5, -1}};
  const Points with_hanging_nodes{{0, 0}, {0.5, 0}, {1, 0}, {1, 0.25}, {1, 1}, {0, 1}, {0, 0.5}};
  const Points triangle_with_one{{0, 0}, {1, 0}, {2, 0}, {1, 1}};
  const double exact[] = {7., 9., 1., 1.};
  int i = 0;
  for (Points polygon : {pentagon, star, with_hanging_nodes, triangle_with_one}) {
    CAPTURE(i);
    for (std::size_t first = 0; first < polygon.size(); ++first) {
      std::rotate(polygon.begin(), polygon.begin() + 1, polygon.end());
      const auto triangles = triangles_of_polygon(polygon);
      REQUIRE(triangles);
      CHECK(triangles->size() == 3 * (polygon.size() - 2));
      CHECK(areas(polygon, *triangles)[0] > 0.05); // no triangle of zero area between hanging nodes
      CHECK(areas(polygon, *triangles)[1] == Approx(exact[i]));
    }
    std::reverse(polygon.begin(), polygon.end());
    // the same orientation as the polygon
    CHECK(areas(polygon, triangles_of_polygon(polygon).value())[1] == Approx(-exact[i]));
    ++i;
  }
}

TEST_CASE("polygons that cross or touch themselves, or have no area, are none", "[io]") {
  CHECK_FALSE(triangles_of_polygon({{0, 0}, {2, 2}, {2, 0}, {0, 1}, {-1, 0.5}}));
  CHECK_FALSE(triangles_of_polygon({{0, 0}, {1, 0}, {2, 0}, {3, 0}, {1.5, 0}}));
  CHECK_FALSE(triangles_of_polygon({{0, 0}, {2, 0}, {2, 2}, {1, 0}, {0, 2}}));         // a corner on a side
  CHECK_FALSE(triangles_of_polygon({{0, 0}, {2, 0}, {2, 2}, {2, 3}, {2, 2}, {0, 2}})); // a side and back
  CHECK_FALSE(triangles_of_polygon({{0, 0}, {2, 0}, {2, 0}, {2, 2}, {0, 2}}));         // a corner twice
  CHECK_FALSE(triangles_of_polygon({{0, 0}, {1, 1}}));
}

TEST_CASE("polygons, pixels and voxels of a mesh file become simplices", "[io]") {
  // A hexagon with a hanging node; its neighbours are a polygon of three corners, one of four, and a pixel.
  Grid plane({0, 0, 0, 1, 0, 0, 2, 0, 0, 2, 1, 0, 1, 1, 0, 0, 1, 0, 3, 0, 0, 3, 1, 0, 1, 2, 0, 0, 2, 0, 4, 0, 0});
  plane.add(7, {0, 1, 2, 3, 4, 5});
  plane.add(8, {2, 6, 3, 7});
  plane.add(7, {5, 4, 8, 9});
  plane.add(7, {6, 10, 7});
  const ImportedMesh mesh = plane.imported();
  CHECK(mesh.n_elements() == 4 + 2 + 2 + 1);
  CHECK(region_measures(mesh).at(0) == Approx(2. + 1. + 1. + 0.5));
  CHECK(has_note(mesh, "Split a polygon into triangles."));
  CHECK(has_note(mesh, "Split 2 quadrilaterals into two triangles each."));
  Grid space({0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0, 0, 0, 1, 1, 0, 1, 0, 1, 1, 1, 1, 1});
  space.add(11, {0, 1, 2, 3, 4, 5, 6, 7});
  CHECK(region_measures(space.imported()).at(0) == Approx(1.));
}

TEST_CASE("cells that cannot be taken are reported with their number and what can", "[io]") {
  Grid crossed({0, 0, 0, 2, 2, 0, 2, 0, 0, 0, 1, 0, -1, 0.5, 0});
  crossed.add(5, {0, 2, 1});
  crossed.add(7, {0, 1, 2, 3, 4});
  CHECK_THROWS_WITH(crossed.imported(),
                    ContainsSubstring("grid.vtkhdf: cell 1 is a polygon of 5 corners that crosses or touches itself"));
  Grid wavy({0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 2, 0, 0});
  wavy.add(10, {0, 1, 2, 3});
  wavy.add(7, {0, 1, 4, 2, 3});
  CHECK_THROWS_WITH(wavy.imported(), ContainsSubstring("cell 1 is a polygon of 5 corners in a mesh in space"));
  Grid lagrange({0, 0, 0, 1, 0, 0, 0, 1, 0});
  lagrange.add(69, {0, 1, 2});
  CHECK_THROWS_WITH(lagrange.imported(),
                    ContainsSubstring("cell 0 is of VTK type 69 (a Lagrange cell); only lines (3, 21), triangles"));
}
