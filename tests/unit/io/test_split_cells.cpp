// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "imported_measures.hpp"
#include "io/import_process.hpp"
#include "temporary_folder.hpp"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <iomanip>
#include <map>
#include <set>
#include <sstream>
#include <utility>

#if TESSERA_HAVE_GMSH

namespace {

using namespace tessera;
using tessera::io::ImportedMesh;
using tessera::io::ImportRequest;
using tessera::io::run_import;
using tessera::test::boundary_length;
using tessera::test::data_file;
using tessera::test::has_note;
using tessera::test::region_measures;
using tessera::test::TemporaryFolder;

using Catch::Approx;
using Catch::Matchers::ContainsSubstring;

/// An element of a .msh file: Gmsh's type, physical group, and nodes from 1.
struct FileElement {
  int type;
  int group;
  std::vector<int> nodes;
};

constexpr int triangle = 2, quadrilateral = 3, tetrahedron = 4, hexahedron = 5, prism = 6, pyramid = 7;

/// Imports a mesh of the groups "bottom" (2), "top" (3) and "body" (1). `reversed`: its nodes have the opposite order.
ImportedMesh import_elements(const std::vector<std::array<double, 3>>& points, const std::vector<FileElement>& elements,
                             bool reversed, int dimension = 3) {
  const int n = static_cast<int>(points.size());
  const auto tag = [reversed, n](int node) { return reversed ? n + 1 - node : node; };
  std::ostringstream text;
  text << std::setprecision(17)
       << "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n3\n2 2 \"bottom\"\n2 3 \"top\"\n"
       << dimension << " 1 \"body\"\n"
       << "$EndPhysicalNames\n$Nodes\n"
       << n << "\n";
  for (int k = 0; k < n; ++k) {
    const auto& x = points[static_cast<std::size_t>(k)];
    text << tag(k + 1) << " " << x[0] << " " << x[1] << " " << x[2] << "\n";
  }
  text << "$EndNodes\n$Elements\n" << elements.size() << "\n";
  for (std::size_t e = 0; e < elements.size(); ++e) {
    text << e + 1 << " " << elements[e].type << " 2 " << elements[e].group << " " << elements[e].group;
    for (const int node : elements[e].nodes)
      text << " " << tag(node);
    text << "\n";
  }
  text << "$EndElements\n";
  const TemporaryFolder folder;
  ImportRequest options;
  options.path = folder.write("cells.msh", text.str());
  options.dimension = dimension;
  return run_import(options);
}

/// How many elements have each facet.
std::map<std::set<index_t>, int> elements_of_facets(const ImportedMesh& mesh) {
  std::map<std::set<index_t>, int> counts;
  for (std::size_t e = 0; e < mesh.n_elements(); ++e)
    for (std::size_t left_out = 0; left_out < 4; ++left_out) {
      std::set<index_t> facet;
      for (std::size_t k = 0; k < 4; ++k)
        if (k != left_out)
          facet.insert(mesh.elements[4 * e + k]);
      ++counts[facet];
    }
  return counts;
}

/// The facets of a boundary of a mesh in space by the places of their nodes in the plane of x and y, in millionths.
std::set<std::set<std::array<long, 2>>> facets_from_above(const ImportedMesh& mesh, const std::string& boundary) {
  std::set<std::set<std::array<long, 2>>> facets;
  for (std::size_t f = 0; f < mesh.n_facets(); ++f) {
    if (mesh.boundary_names[mesh.facet_groups[f]] != boundary)
      continue;
    std::set<std::array<long, 2>> facet;
    for (std::size_t k = 0; k < 3; ++k) {
      const double* x = &mesh.coordinates[3 * static_cast<std::size_t>(mesh.facets[3 * f + k])];
      facet.insert({std::lround(1e6 * x[0]), std::lround(1e6 * x[1])});
    }
    facets.insert(facet);
  }
  return facets;
}

const std::vector<std::array<double, 3>> cube_points{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                                     {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};

} // namespace

TEST_CASE("quadrilaterals are split into triangles, with a note", "[io]") {
  ImportRequest options;
  options.path = data_file("quads.msh");
  options.dimension = 2;
  const ImportedMesh mesh = run_import(options);
  CHECK(mesh.n_elements() == 16);
  CHECK(has_note(mesh, "Split 8 quadrilaterals into triangles."));
  CHECK(std::count(mesh.regions.begin(), mesh.regions.end(), group_t(0)) == 8);
  for (const double area : region_measures(mesh))
    CHECK(area == Approx(1.));
  CHECK(boundary_length(mesh, "left") == Approx(1.));
}

TEST_CASE("hexahedra, prisms and pyramids are split into tetrahedra that fit together, with a note", "[io]") {
  const bool reversed = GENERATE(false, true);
  std::vector<std::array<double, 3>> points = cube_points; // with a pyramid upon it and a prism beside it
  points.insert(points.end(), {{0.5, 0.5, 2}, {2, 0.5, 0}, {2, 0.5, 1}});
  const ImportedMesh mesh = import_elements(points,
                                            {{quadrilateral, 2, {1, 2, 3, 4}},
                                             {triangle, 2, {2, 10, 3}},
                                             {hexahedron, 1, {1, 2, 3, 4, 5, 6, 7, 8}},
                                             {pyramid, 1, {5, 6, 7, 8, 9}},
                                             {prism, 1, {2, 10, 3, 6, 11, 7}}},
                                            reversed);
  CHECK(has_note(mesh, "Split 3 hexahedra, prisms and pyramids into tetrahedra."));
  CHECK(mesh.n_elements() == 6 + 2 + 3);
  CHECK(mesh.n_facets() == 3);
  CHECK(region_measures(mesh).at(0) == Approx(1. + 1. / 3. + 0.5));
  const auto facets = elements_of_facets(mesh);
  const auto n_outside =
      std::count_if(facets.begin(), facets.end(), [](const auto& facet) { return facet.second == 1; });
  CHECK(n_outside == 8 + 4 + 6); // four sides of the cube, the pyramid's, and the prism's
  for (std::size_t f = 0; f < mesh.n_facets(); ++f)
    CHECK(facets.count({mesh.facets[3 * f], mesh.facets[3 * f + 1], mesh.facets[3 * f + 2]}) == 1);
}

// Elements of order 2 and refined ones have nodes on the diagonals.
TEST_CASE("sides of a mesh of hexahedra that are each other's translation are split along the same diagonals", "[io]") {
  const bool reversed = GENERATE(false, true);
  // Two frusta side by side, whose tops have the opposite order of nodes.
  const std::vector<std::array<double, 3>> points{{0, 0, 0},   {2, 0, 0},   {1.5, 1, 0}, {0.1, 1, 0},
                                                  {4, 0, 0},   {3.2, 1, 0}, {3.2, 1, 1}, {4, 0, 1},
                                                  {0.1, 1, 1}, {1.5, 1, 1}, {2, 0, 1},   {0, 0, 1}};
  const ImportedMesh mesh = import_elements(points,
                                            {{quadrilateral, 2, {1, 2, 3, 4}},
                                             {quadrilateral, 2, {2, 5, 6, 3}},
                                             {quadrilateral, 3, {12, 11, 10, 9}},
                                             {quadrilateral, 3, {11, 8, 7, 10}},
                                             {hexahedron, 1, {1, 2, 3, 4, 12, 11, 10, 9}},
                                             {hexahedron, 1, {2, 5, 6, 3, 11, 8, 7, 10}}},
                                            reversed);
  CHECK(facets_from_above(mesh, "bottom").size() == 4);
  CHECK(facets_from_above(mesh, "bottom") == facets_from_above(mesh, "top"));
}

TEST_CASE("faces of hexahedra against triangles along the other diagonal are refused", "[io]") {
  const bool reversed = GENERATE(false, true);
  std::vector<std::array<double, 3>> points = cube_points;
  points.push_back({2, 0.5, 0.5});
  const auto with_tetrahedra = [&](std::vector<int> one, std::vector<int> other) {
    return import_elements(points,
                           {{hexahedron, 1, {1, 2, 3, 4, 5, 6, 7, 8}},
                            {tetrahedron, 1, std::move(one)},
                            {tetrahedron, 1, std::move(other)},
                            {quadrilateral, 2, {1, 2, 3, 4}}},
                           reversed);
  };
  const ImportedMesh joined = with_tetrahedra({2, 3, 7, 9}, {2, 7, 6, 9});
  CHECK(has_note(joined, "Split a hexahedron, prism or pyramid into tetrahedra."));
  const auto facets = elements_of_facets(joined);
  CHECK(std::count_if(facets.begin(), facets.end(), [](const auto& facet) { return facet.second == 1; }) == 10 + 4);
  CHECK_THROWS_WITH(with_tetrahedra({2, 3, 6, 9}, {3, 7, 6, 9}),
                    ContainsSubstring("1 face of a hexahedron, prism or pyramid lies against two triangles of others, "
                                      "along the other diagonal than it is split (near (1, 0.5, 0.5))") &&
                        ContainsSubstring("the mesh is not joined"));
}

TEST_CASE("curved sides of hexahedra come with their shape", "[io]") {
  const TemporaryFolder folder;
  ImportRequest options;
  options.path = folder.write("pipe.geo", R"(
    Point(1) = {0, 0, 0}; Point(2) = {1, 0, 0}; Point(3) = {2, 0, 0}; Point(4) = {0, 2, 0}; Point(5) = {0, 1, 0};
    Line(1) = {2, 3}; Circle(2) = {3, 1, 4}; Line(3) = {4, 5}; Circle(4) = {5, 1, 2};
    Curve Loop(1) = {1, 2, 3, 4}; Plane Surface(1) = {1};
    Transfinite Curve{1, 3} = 3; Transfinite Curve{2, 4} = 4; Transfinite Surface{1}; Recombine Surface{1};
    part[] = Extrude{0, 0, 1}{ Surface{1}; Layers{2}; Recombine; };
    Physical Volume("pipe") = {part[1]}; Physical Surface("inside") = {part[5]};
  )");
  options.dimension = 3;
  const ImportedMesh mesh = run_import(options);
  CHECK(mesh.n_elements() == 6 * 12);
  const std::size_t n_points = mesh.n_curved_points();
  std::size_t n_inside = 0;
  for (std::size_t f = 0; f < mesh.n_curved(); ++f) {
    double farthest = 0.;
    for (std::size_t k = 0; k < n_points; ++k) {
      const double* x = &mesh.curved_points[3 * (f * n_points + k)];
      farthest = std::max(farthest, std::fabs(std::hypot(x[0], x[1]) - 1.));
    }
    n_inside += farthest < 1e-5 ? 1 : 0; // polynomials of degree 4 over 30 degrees
  }
  CHECK(n_inside == 12); // two triangles of each of the six faces
  const auto facets = elements_of_facets(mesh);
  for (std::size_t f = 0; f < mesh.n_curved(); ++f)
    CHECK(facets.count({mesh.curved_facets[3 * f], mesh.curved_facets[3 * f + 1], mesh.curved_facets[3 * f + 2]}) == 1);
}

TEST_CASE("a quadrilateral in the plane is split along the diagonal with the better triangles, whichever way it runs",
          "[io]") {
  const bool reversed = GENERATE(false, true);
  const bool runs_clockwise = GENERATE(false, true);
  // An arrowhead, of which one diagonal lies outside, and a long rhombus.
  const std::vector<std::array<double, 3>> points{{0, 0, 0}, {1, 0, 0},  {0.25, 0.25, 0}, {0, 1, 0},
                                                  {5, 0, 0}, {8, -1, 0}, {11, 0, 0},      {8, 1, 0}};
  std::vector<FileElement> elements{{quadrilateral, 1, {1, 2, 3, 4}}, {quadrilateral, 1, {5, 6, 7, 8}}};
  if (runs_clockwise)
    for (FileElement& element : elements)
      std::swap(element.nodes[1], element.nodes[3]);
  const ImportedMesh mesh = import_elements(points, elements, reversed, 2);
  CHECK(has_note(mesh, "Split 2 quadrilaterals into triangles."));
  CHECK(region_measures(mesh).at(0) == Approx(0.25 + 6.)); // and each triangle has a positive area
  std::size_t n_with_short_diagonal = 0;
  for (std::size_t e = 0; e < mesh.n_elements(); ++e) {
    int n_at_ends = 0;
    for (std::size_t k = 0; k < 3; ++k)
      n_at_ends += mesh.coordinates[2 * static_cast<std::size_t>(mesh.elements[3 * e + k])] == 8. ? 1 : 0;
    n_with_short_diagonal += n_at_ends == 2 ? 1 : 0;
  }
  CHECK(n_with_short_diagonal == 2);
}

/// A point of a pipe of the radii 1 and 2 and height 1, at shares of its quarter circle, thickness and height.
std::array<double, 3> in_pipe(double thickness, double turn, double height) {
  const double radius = 1. + thickness, angle = 1.5 * turn;
  return {radius * std::cos(angle), radius * std::sin(angle), height};
}

TEST_CASE("curved elements of order 2 keep the shape of their sides", "[io]") {
  const bool reversed = GENERATE(false, true);
  constexpr int quadrilateral_8 = 16, hexahedron_20 = 17;
  const double corners[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
  const int dimension = GENERATE(2, 3);
  const std::vector<std::array<std::size_t, 2>> edges = // in Gmsh's order
      dimension == 2 ? std::vector<std::array<std::size_t, 2>>{{0, 1}, {1, 2}, {2, 3}, {3, 0}}
                     : std::vector<std::array<std::size_t, 2>>{{0, 1}, {0, 3}, {0, 4}, {1, 2}, {1, 5}, {2, 3},
                                                               {2, 6}, {3, 7}, {4, 5}, {4, 7}, {5, 6}, {6, 7}};
  std::vector<std::array<double, 3>> points;
  for (std::size_t k = 0; k < (dimension == 2 ? 4U : 8U); ++k)
    points.push_back(in_pipe(corners[k][0], corners[k][1], corners[k][2]));
  for (const auto& [a, b] : edges)
    points.push_back(in_pipe(0.5 * (corners[a][0] + corners[b][0]), 0.5 * (corners[a][1] + corners[b][1]),
                             0.5 * (corners[a][2] + corners[b][2])));
  FileElement element{dimension == 2 ? quadrilateral_8 : hexahedron_20, 1, {}};
  for (std::size_t k = 0; k < points.size(); ++k)
    element.nodes.push_back(static_cast<int>(k) + 1);
  const ImportedMesh mesh = import_elements(points, {element}, reversed, dimension);
  const std::size_t dim = static_cast<std::size_t>(dimension);
  CHECK(mesh.n_elements() == (dim == 2 ? 2 : 6));
  CHECK(mesh.n_nodes() == (dim == 2 ? 4 : 8));
  CHECK(mesh.n_curved() == (dim == 2 ? 2 : 8)); // in space those of the flat ends have curved edges
  std::size_t n_inside = 0;                     // lattice points on the arcs of the inner side
  for (std::size_t point = 0; point < mesh.n_curved() * mesh.n_curved_points(); ++point) {
    const double* x = &mesh.curved_points[dim * point];
    n_inside += std::fabs(std::hypot(x[0], x[1]) - 1.) < 1e-12 ? 1 : 0;
  }
  CHECK(n_inside == (dim == 2 ? 3 : 2 * 6 + 2 * (3 + 1))); // of the inner side; of an edge and a corner at either end
}

#endif // TESSERA_HAVE_GMSH
