// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/error.hpp"
#include "imported_measures.hpp"
#include "io/geometry/geo_parameters.hpp"
#include "io/geometry/import_process.hpp"
#include "io/mesh_files/tag_ranks.hpp"
#include "temporary_folder.hpp"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <limits>
#include <map>

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
using Catch::Matchers::MessageMatches;
using Names = std::vector<std::string>;

ImportedMesh import_file(const std::string& path, int dimension = 2) {
  ImportRequest options;
  options.path = path;
  options.dimension = dimension;
  return run_import(options);
}

[[maybe_unused]] constexpr const char* rectangle_geo = R"(
// DefineConstant[ hidden = 1 ];
DefineConstant[ width = 2, height = {1, Min 0.1, Max 10, Name "Parameters/Height"} ];
DefineConstant[ size = {0.5, Name "Parameters/Mesh, size"}, title = "text" ];
Point(1) = {0, 0, 0, size}; Point(2) = {width, 0, 0, size};
Point(3) = {width, height, 0, size}; Point(4) = {0, height, 0, size};
Line(1) = {1, 2}; Line(2) = {2, 3}; Line(3) = {3, 4}; Line(4) = {4, 1};
Curve Loop(1) = {-4, -3, -2, -1};
Plane Surface(1) = {1};
Physical Surface("air") = {1};
Physical Curve("bottom") = {1};
)";

} // namespace

TEST_CASE("parameters of a geometry are found in its text", "[io]") {
  const TemporaryFolder folder;
  folder.write("part.geo", "DefineConstant[ from_include = {3} ];\n");
  const std::string path =
      folder.write("a.geo", std::string("Include \"part.geo\";\n/* DefineConstant[no=1]; */") + rectangle_geo);
  const std::vector<io::GeoParameter> parameters = io::find_geo_parameters(path);
  Names variables, labels;
  for (const io::GeoParameter& parameter : parameters) {
    variables.push_back(parameter.variable);
    labels.push_back(parameter.label);
  }
  CHECK(variables == Names{"from_include", "width", "height", "size", "title"});
  CHECK(labels == Names{"", "", "Parameters/Height", "Parameters/Mesh, size", ""});
  CHECK_FALSE(parameters.back().is_number);
  CHECK(io::resolve_geo_parameters(path, {{"width", 3.}, {"Parameters/Height", 4.}}) ==
        std::map<std::string, double>{{"width", 3.}, {"height", 4.}});
  CHECK_THROWS_WITH(io::resolve_geo_parameters(path, {{"hidden", 1.}}),
                    ContainsSubstring("no parameter \"hidden\"") &&
                        ContainsSubstring("from_include, width, height, size, title"));
  CHECK_THROWS_WITH(io::resolve_geo_parameters(path, {{"title", 1.}}), ContainsSubstring("is a text"));
  const std::string empty = folder.write("empty.geo", "DefineConstant[");
  CHECK_THROWS_WITH(io::resolve_geo_parameters(empty, {{"gap", 1.}}), ContainsSubstring("defines no parameters"));
}

TEST_CASE("tags are ranked alike in dense and sparse numberings", "[io]") {
  const std::size_t factor = GENERATE(std::size_t(1), std::size_t(1000000007));
  const std::vector<std::size_t> tags{9 * factor, 2 * factor, 5 * factor, 7 * factor};
  const io::detail::TagRanks ranks(tags);
  CHECK(ranks.rank(2 * factor) == 0);
  CHECK(ranks.rank(5 * factor) == 1);
  CHECK(ranks.rank(7 * factor) == 2);
  CHECK(ranks.rank(9 * factor) == 3);
  CHECK(ranks.rank(3 * factor) == -1);
  CHECK(ranks.rank(100 * factor) == -1);
  CHECK(io::detail::sorted_positions(tags) == std::vector<index_t>{1, 2, 3, 0});
}

#if TESSERA_HAVE_GMSH

TEST_CASE("msh files of both formats give the same mesh", "[io]") {
  const ImportedMesh reference = import_file(data_file("square-4.msh"));
  const std::string name =
      GENERATE("square-2.msh", "square-2-binary.msh", "square-4.msh", "square-4-binary.msh", "square-order-2.msh");
  CAPTURE(name);
  const ImportedMesh mesh = import_file(data_file(name), GENERATE(0, 2));
  CHECK(mesh.dimension == 2);
  CHECK(mesh.region_names == Names{"left half", "7"});
  CHECK(mesh.boundary_names == Names{"left", "right", "4"});
  const std::vector<double> areas = region_measures(mesh);
  CHECK(areas[0] == Approx(1.));
  CHECK(areas[1] == Approx(1.));
  for (const std::string& boundary : mesh.boundary_names)
    CHECK(boundary_length(mesh, boundary) == Approx(1.));
  CHECK(mesh.n_nodes() == reference.n_nodes());
  REQUIRE(mesh.n_elements() == reference.n_elements());
  if (name != "square-order-2.msh") { // the same mesh up to rounding in ASCII
    CHECK(mesh.elements == reference.elements);
    CHECK(mesh.facets == reference.facets);
    CHECK(mesh.facet_groups == reference.facet_groups);
  }
  CHECK(has_note(mesh, "none of its edges is curved") == (name == "square-order-2.msh"));
  CHECK(mesh.n_curved() == 0);
}

TEST_CASE("physical groups of one name are one group, which a note reports", "[io]") {
  const TemporaryFolder folder;
  const std::string name = GENERATE("square-2.msh", "square-2-binary.msh", "square-4.msh", "square-4-binary.msh");
  CAPTURE(name);
  const auto with_names = [&](const std::string& names) {
    std::ifstream stream(data_file(name), std::ios::binary);
    std::string text((std::istreambuf_iterator<char>(stream)), std::istreambuf_iterator<char>());
    const std::string old = "3\n1 2 \"left\"\n1 3 \"right\"\n2 1 \"left half\"\n";
    REQUIRE(text.find(old) != std::string::npos);
    return import_file(folder.write(name, text.replace(text.find(old), old.size(), names)));
  };
  const ImportedMesh mesh = with_names("4\n1 2 \"left\"\n1 3 \"left\"\n2 1 \"left half\"\n2 7 \"left half\"\n");
  CHECK(mesh.region_names == Names{"left half"});
  CHECK(mesh.boundary_names == Names{"left", "4"});
  CHECK(region_measures(mesh)[0] == Approx(2.));
  CHECK(boundary_length(mesh, "left") == Approx(2.));
  CHECK(has_note(mesh, "The physical curves 2 and 3 have the same name, \"left\", and are one group."));
  CHECK(has_note(mesh, "The physical surfaces 1 and 7 have the same name, \"left half\", and are one group."));
  // The first group has no elements, and a group of another dimension has the same name.
  const ImportedMesh other = with_names("4\n1 9 \"right\"\n1 2 \"left\"\n1 3 \"right\"\n2 1 \"right\"\n");
  CHECK(other.region_names == Names{"right", "7"});
  CHECK(other.boundary_names == Names{"left", "right", "4"});
  CHECK(boundary_length(other, "right") == Approx(1.));
  CHECK(has_note(other, "The physical curves 3 and 9 have the same name"));
}

TEST_CASE("a mesh without physical groups gets its entities as groups", "[io]") {
  const ImportedMesh mesh = import_file(data_file("no-groups.msh"));
  CHECK(mesh.region_names == Names{"surface_1", "surface_2"});
  CHECK(mesh.boundary_names.size() == 7);
  CHECK(boundary_length(mesh, "curve_7") == Approx(1.));
  CHECK(has_note(mesh, "No physical surface is defined"));
}

TEST_CASE("a geometry with named surfaces alone has the curves around these as boundaries", "[io]") {
  const TemporaryFolder folder;
  const char* text = R"(
    SetFactory("OpenCASCADE");
    Rectangle(1) = {0, 0, 0, 2, 1}; Rectangle(2) = {2, 0, 0, 1, 1}; Rectangle(3) = {9, 0, 0, 1, 1};
    BooleanFragments{ Surface{1}; Delete; }{ Surface{2}; Delete; }
    Physical Surface("left") = {1}; Physical Surface("right") = {2};
    For i In {1:3}
      Warning("said thrice");
    EndFor
  )";
  ImportRequest options;
  options.path = folder.write("a.geo", text);
  options.dimension = 2;
  io::NamedGroup end;
  end.name = "end";
  end.near = {{3., 0.5, std::numeric_limits<double>::quiet_NaN()}};
  options.groups = {end};
  const ImportedMesh mesh = run_import(options);
  CHECK(mesh.region_names == Names{"left", "right"});
  CHECK(mesh.boundary_names.size() == 7); // two sides of each, one between them, and one end; none of the third
  CHECK(boundary_length(mesh, "end") == Approx(1.));
  CHECK(has_note(mesh, "No physical curve is defined; each curve around a region is a boundary"));
  CHECK(std::count_if(mesh.notes.begin(), mesh.notes.end(),
                      [](const std::string& note) { return note.find("said thrice") != std::string::npos; }) == 1);
}

TEST_CASE("wrong kinds of elements and dimensions are named", "[io]") {
  const TemporaryFolder folder;
  CHECK_THROWS_WITH(
      import_file(folder.write("polygon.msh", "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n5\n1 0 0 0\n2 1 0 0\n"
                                              "3 1.5 1 0\n4 0.5 2 0\n5 -0.5 1 0\n$EndNodes\n$Elements\n1\n"
                                              "1 34 2 1 1 5 1 2 3 4 5\n$EndElements\n")),
      ContainsSubstring("holds no triangles"));
  CHECK_THROWS_WITH(import_file(data_file("square-4.msh"), 3),
                    ContainsSubstring("holds no tetrahedra") && ContainsSubstring("it holds triangles"));
  CHECK_THROWS_WITH(import_file(data_file("none.msh")), ContainsSubstring("there is no such file"));
  ImportRequest options;
  options.path = data_file("square-4.msh");
  options.parameters["gap"] = 1.;
  CHECK_THROWS_WITH(run_import(options), ContainsSubstring("only for .geo"));
}

TEST_CASE("a geometry is meshed with its parameters, size factor and scale", "[io]") {
  const TemporaryFolder folder;
  ImportRequest options;
  options.path = folder.write("rectangle.geo", rectangle_geo);
  options.dimension = 2;
  const ImportedMesh plain = run_import(options);
  CHECK(plain.region_names == Names{"air"});
  CHECK(plain.boundary_names == Names{"bottom"});
  CHECK(region_measures(plain)[0] == Approx(2.)); // the loop is clockwise, the elements are not
  CHECK(boundary_length(plain, "bottom") == Approx(2.));

  options.parameters = {{"width", 3.}, {"Parameters/Height", 4.}};
  options.scale = 1e-3;
  options.size_factor = 0.25;
  const ImportedMesh other = run_import(options);
  CHECK(region_measures(other)[0] == Approx(12e-6));
  CHECK(boundary_length(other, "bottom") == Approx(3e-3));
  CHECK(other.n_elements() > 6 * 6 * plain.n_elements());

  options.parameters = {{"depth", 1.}};
  CHECK_THROWS_WITH(run_import(options),
                    ContainsSubstring("no parameter \"depth\"") && ContainsSubstring("width, height"));
}

TEST_CASE("the factor that a geometry sets for saved meshes scales it", "[io]") {
  const TemporaryFolder folder;
  ImportRequest options;
  options.path = folder.write("a.geo", std::string("Mesh.ScalingFactor = 3;\n") + rectangle_geo);
  options.dimension = 2;
  options.sizes = {{"air", 0.5}}; // in units of the geometry
  const ImportedMesh mesh = run_import(options);
  CHECK(region_measures(mesh)[0] == Approx(18.));
  CHECK(has_note(mesh, "Mesh.ScalingFactor multiplies all lengths by 3"));
  options.scale = 0.1;
  options.groups = {{"box", {}, {{1.9, 0.9, std::numeric_limits<double>::quiet_NaN()}}, {}, false, {}, {}}};
  CHECK(region_measures(run_import(options))[0] == Approx(0.18));
  CHECK(run_import(options).n_elements() == mesh.n_elements());
  folder.write("a.geo", std::string("Mesh.ScalingFactor = 0;\n") + rectangle_geo);
  CHECK_THROWS_WITH(run_import(options), ContainsSubstring("Mesh.ScalingFactor is 0; it must be a positive number"));
}

TEST_CASE("sizes limit the elements of groups, and no others", "[io]") {
  const TemporaryFolder folder;
  ImportRequest options;
  options.path = folder.write("rectangle.geo", rectangle_geo);
  options.dimension = 2;
  const ImportedMesh plain = run_import(options);
  const auto n_at_bottom = [](const ImportedMesh& mesh) { return mesh.n_facets(); };
  options.sizes = {{"bottom", 0.02}};
  const ImportedMesh at_boundary = run_import(options);
  CHECK(n_at_bottom(at_boundary) >= 100); // 2 m of 0.02
  CHECK(n_at_bottom(at_boundary) < 150);
  CHECK(at_boundary.n_elements() > 2 * plain.n_elements());
  options.sizes = {{"air", 0.02}};
  const ImportedMesh in_region = run_import(options);
  CHECK(in_region.n_elements() > 2 * at_boundary.n_elements());
  CHECK(in_region.n_elements() > 2. / (0.5 * 0.02 * 0.02)); // 2 m2 of triangles with such edges
  options.sizes = {{"air", 100.}, {"bottom", 50.}};         // the sizes of the geometry are smaller
  CHECK(run_import(options).n_elements() == plain.n_elements());
  options.sizes = {{"botom", 0.1}};
  CHECK_THROWS_WITH(run_import(options),
                    ContainsSubstring("mesh.sizes: unknown group 'botom'; did you mean 'bottom'?"));
}

TEST_CASE("sizes around points hold there, and grow from there", "[io]") {
  const TemporaryFolder folder;
  ImportRequest options;
  options.path = folder.write("rectangle.geo", rectangle_geo); // 2 by 1, size 0.5
  options.dimension = 2;
  options.refine_at = {{{0.5, 0.5, 7.}, 0.02, 0.2}}; // z is ignored in 2D
  const ImportedMesh mesh = run_import(options);
  const auto longest_edge = [&mesh](double nearest, double farthest) { // of elements that overlap a ring
    double longest = 0.;
    for (std::size_t e = 0; e < mesh.n_elements(); ++e)
      for (std::size_t k = 0; k < 3; ++k) {
        const double* a = &mesh.coordinates[2 * static_cast<std::size_t>(mesh.elements[3 * e + k])];
        const double* b = &mesh.coordinates[2 * static_cast<std::size_t>(mesh.elements[3 * e + (k + 1) % 3])];
        const double away = std::hypot(a[0] - 0.5, a[1] - 0.5);
        if (away >= nearest && away <= farthest)
          longest = std::max(longest, std::hypot(b[0] - a[0], b[1] - a[1]));
      }
    return longest;
  };
  CHECK(longest_edge(0., 0.18) < 1.5 * 0.02); // sizes are targets that triangles meet on average
  CHECK(longest_edge(1.2, 2.) > 5. * 0.02);
  CHECK(mesh.n_elements() > 3.14 * 0.2 * 0.2 / (0.5 * 0.02 * 0.02));
  options.refine_at = {{{2.5, 0.5, 0.}, 0.02, 0.2}};
  CHECK_THROWS_WITH(run_import(options), ContainsSubstring("mesh.refine_at[0]: the point has x = 2.5, but the geometry "
                                                           "reaches from 0 to 2"));
}

namespace {

/// Two bodies with a gap between them, in air from x = -6 to 6 and y = -5 to 5.
const char* const bodies_geo = R"(
DefineConstant[ gap = {0.05, Name "Gap"}, size = {1, Name "Size"} ];
Macro Body
  For k In {0:3}
    Point(first + k) = {(k == 0 || k == 3 ? -1 : 1) * half, k > 1 ? top : bottom, 0, size};
  EndFor
  For k In {0:3}
    Line(first + k) = {first + k, first + (k + 1) % 4};
  EndFor
  Curve Loop(first) = {first:first + 3};
Return
first = 1; half = 6; bottom = -5; top = 5; Call Body;
first = 11; half = 3; bottom = -2; top = 0; Call Body;
first = 21; half = 2; bottom = gap; top = 3; Call Body;
Plane Surface(1) = {1, 11, 21}; Plane Surface(2) = {11}; Plane Surface(3) = {21};
Physical Surface("air") = {1}; Physical Surface("lower") = {2}; Physical Surface("upper") = {3};
Physical Curve("left") = {4}; Physical Curve("right") = {2}; Physical Curve("face") = {21};
)";

std::size_t n_facets_of(const ImportedMesh& mesh, const std::string& name) {
  std::size_t n = 0;
  for (const group_t group : mesh.facet_groups)
    n += mesh.boundary_names[group] == name ? 1 : 0;
  return n;
}

} // namespace

TEST_CASE("levels of a mesh leave its fine elements to refinement", "[io]") {
  const TemporaryFolder folder;
  const auto request_of = [&](const std::string& name, const std::string& more) {
    ImportRequest request;
    request.path = folder.write(name, R"(
DefineConstant[size = {0.05, Name "size"}];
SetFactory("OpenCASCADE");
Disk(1) = {0, 0, 0, 1};
Disk(2) = {0, 0, 0, 0.5};
BooleanDifference(3) = {Surface{1}; Delete;}{Surface{2}; Delete;};
)" + more + R"(
MeshSize{:} = size;
Physical Surface("ring") = {3};
)");
    request.dimension = 2;
    request.curved = false;
    return request;
  };
  ImportRequest request = request_of("ring.geo", "");
  const auto plain = static_cast<double>(run_import(request).n_elements());
  request.levels = 2;
  const ImportedMesh coarse = run_import(request);
  CHECK(coarse.levels == 2);
  CHECK(16. * static_cast<double>(coarse.n_elements()) == Approx(plain).epsilon(0.1));
  CHECK(coarse.n_curved() == 0); // as requested

  // Chosen for many elements, with the shape that refinement follows.
  request.levels = io::automatic_levels;
  const ImportedMesh small = run_import(request);
  CHECK(small.levels == 0);
  CHECK(static_cast<double>(small.n_elements()) == plain);
  CHECK(small.n_curved() == 0);
  request.parameters = {{"size", 4.5e-3}}; // about 270,000 triangles
  const ImportedMesh fine = run_import(request);
  CHECK(fine.levels == 1);
  CHECK(fine.n_elements() < 75000);
  CHECK(fine.n_elements() > 60000);
  CHECK(fine.n_curved() > 0);
  CHECK(std::any_of(fine.notes.begin(), fine.notes.end(), [](const std::string& note) {
    return note.rfind("mesh.levels: about 270 000 elements are made by Gmsh's mesh of elements 2 times as large", 0) ==
           0;
  }));
}

TEST_CASE("levels are not chosen where elements would not be as requested", "[io]") {
  const TemporaryFolder folder;
  ImportRequest request;
  request.dimension = 2;
  request.levels = io::automatic_levels;
  // Hundreds of slots that are smaller than the coarse elements.
  request.path = folder.write("slots.geo", R"(
SetFactory("OpenCASCADE");
Rectangle(1) = {0, 0, 0, 1, 1};
For k In {0:199}
  Rectangle(2 + k) = {0.001 + 0.0045 * k, 0.5, 0, 0.002, 0.002};
EndFor
BooleanDifference(1000) = {Surface{1}; Delete;}{Surface{2:201}; Delete;};
MeshSize{:} = 3.2e-3;
Mesh.Algorithm = 5; // the fastest
Physical Surface("sheet") = {1000};
)");
  CHECK(run_import(request).levels == 0);
}

TEST_CASE("elements are small in gaps between bodies, and nowhere else", "[io]") {
  const TemporaryFolder folder;
  ImportRequest options;
  options.path = folder.write("bodies.geo", bodies_geo);
  options.dimension = 2;
  options.gap_elements = 0;
  const ImportedMesh plain = run_import(options);
  CHECK(n_facets_of(plain, "face") == 4);
  options.gap_elements = 3;
  const ImportedMesh fine = run_import(options);
  CHECK(n_facets_of(fine, "face") >= 4. / (0.05 / 3.));
  CHECK(n_facets_of(fine, "face") < 1.3 * 4. / (0.05 / 3.));
  CHECK(n_facets_of(fine, "left") < n_facets_of(plain, "left") + 3); // the gap is at least 3 away
  options.size_factor = 2.;                                          // factor of all sizes
  const ImportedMesh coarse = run_import(options);
  CHECK(n_facets_of(coarse, "face") < 0.6 * static_cast<double>(n_facets_of(fine, "face")));
  CHECK(n_facets_of(coarse, "face") > 0.4 * static_cast<double>(n_facets_of(fine, "face")));
  options.size_factor = 1.;
  options.parameters = {{"gap", 0.6}}; // elements are already small enough for this gap
  const ImportedMesh wide = run_import(options);
  options.gap_elements = 0;
  const ImportedMesh wide_plain = run_import(options);
  CHECK(wide.coordinates == wide_plain.coordinates);
  CHECK(wide.elements == wide_plain.elements);
}

TEST_CASE("gaps leave transfinite curves and periodic boundaries alone, and have no more elements than a mesh can bear",
          "[io]") {
  const TemporaryFolder folder;
  ImportRequest options;
  options.path = folder.write("bodies.geo", std::string(bodies_geo) + "Transfinite Curve {11:14, 21:24} = 5;\n");
  options.dimension = 2;
  const ImportedMesh rigid = run_import(options);
  options.gap_elements = 0;
  const ImportedMesh plain = run_import(options);
  CHECK(rigid.coordinates == plain.coordinates);
  CHECK(rigid.elements == plain.elements);

  // A gap that extends to both sides, where it is an edge of one element.
  const std::string sector = R"(
Point(1) = {0, 0, 0, 1}; Point(2) = {10, 0, 0, 1}; Point(3) = {10, 5, 0, 1}; Point(4) = {0, 5, 0, 1};
Point(5) = {10, 5.1, 0, 1}; Point(6) = {0, 5.1, 0, 1}; Point(7) = {10, 9, 0, 1}; Point(8) = {0, 9, 0, 1};
Line(1) = {1, 2}; Line(2) = {2, 3}; Line(3) = {4, 3}; Line(4) = {1, 4};
Line(5) = {3, 5}; Line(6) = {6, 5}; Line(7) = {4, 6}; Line(8) = {5, 7}; Line(9) = {8, 7}; Line(10) = {6, 8};
Curve Loop(1) = {1, 2, -3, -4}; Curve Loop(2) = {3, 5, -6, -7}; Curve Loop(3) = {6, 8, -9, -10};
Plane Surface(1) = {1}; Plane Surface(2) = {2}; Plane Surface(3) = {3};
Physical Surface("air") = {1, 2, 3}; Physical Curve("left") = {4, 7, 10}; Physical Curve("right") = {2, 5, 8};
Physical Curve("rim") = {3};
)";
  options.path = folder.write("sector.geo", sector);
  const ImportedMesh sides = run_import(options);
  options.gap_elements = 3;
  options.periodic = {"left", "right"};
  const ImportedMesh periodic = run_import(options);
  CHECK(n_facets_of(periodic, "rim") > 5 * n_facets_of(sides, "rim"));
  CHECK(n_facets_of(periodic, "left") == n_facets_of(sides, "left"));
  CHECK(n_facets_of(periodic, "right") == n_facets_of(sides, "right"));

  options.path = folder.write("bodies.geo", bodies_geo);
  options.periodic.clear();
  options.parameters = {{"gap", 1e-4}};
  const ImportedMesh thin = run_import(options);
  CHECK(thin.n_elements() < 80000); // the target is about 40000; without the limit it would be a million
  REQUIRE_FALSE(thin.notes.empty());
  const bool was_stated = std::any_of(thin.notes.begin(), thin.notes.end(), [](const std::string& note) {
    return note.find("mesh.gap_elements: 3 elements across would be too many in all in the gap between") == 0 &&
           note.find("'face'") != std::string::npos && note.find("(width 0.0001, elements of 0.0") != std::string::npos;
  });
  CHECK(was_stated);
}

TEST_CASE("parameters and defaults of one geometry leave the next one alone", "[io]") {
  const TemporaryFolder folder;
  ImportRequest options;
  options.path = folder.write("first.geo", rectangle_geo);
  options.dimension = 2;
  options.parameters = {{"width", 3.}, {"height", 4.}};
  CHECK(region_measures(run_import(options))[0] == Approx(12.));
  std::string other = rectangle_geo; // the same names with another default value
  other.replace(other.find("height = {1,"), 12, "height = {5,");
  CHECK(region_measures(import_file(folder.write("second.geo", other)))[0] == Approx(10.));
  CHECK(region_measures(import_file(folder.file("first.geo")))[0] == Approx(2.));
}

/// Whether all points of curved facets lie on the circle or sphere around the origin.
bool is_round(const ImportedMesh& mesh, double radius, double tolerance) {
  const std::size_t dim = static_cast<std::size_t>(mesh.dimension);
  for (std::size_t i = 0; i < mesh.curved_points.size(); i += dim) {
    const double* x = &mesh.curved_points[i];
    const double distance = std::sqrt(x[0] * x[0] + x[1] * x[1] + (dim == 3 ? x[2] * x[2] : 0.));
    if (!(std::fabs(distance - radius) <= tolerance * radius))
      return false;
  }
  return true;
}

/// Whether the corners of curved facets coincide with their nodes.
bool corners_fit(const ImportedMesh& mesh) {
  const std::size_t dim = static_cast<std::size_t>(mesh.dimension), n_points = mesh.n_curved_points();
  const std::size_t corners[3] = {0, static_cast<std::size_t>(mesh.curved_degree), n_points - 1};
  for (std::size_t f = 0; f < mesh.n_curved(); ++f)
    for (std::size_t k = 0; k < dim; ++k)
      for (std::size_t d = 0; d < dim; ++d) {
        const double x = mesh.coordinates[static_cast<std::size_t>(mesh.curved_facets[f * dim + k]) * dim + d];
        if (!(std::fabs(mesh.curved_points[(f * n_points + corners[k]) * dim + d] - x) < 1e-12))
          return false;
      }
  return true;
}

TEST_CASE("curved boundaries and interfaces of a geometry come with their shape", "[io]") {
  const TemporaryFolder folder;
  // A disc in a square: the interface is not a physical group. The straight sides are not curved.
  const std::string disc = R"(
    s = 0.4; R = 0.5;
    Point(1) = {0, 0, 0, s}; Point(2) = {R, 0, 0, s}; Point(3) = {-R, 0, 0, s};
    Point(4) = {-1, -1, 0, s}; Point(5) = {1, -1, 0, s}; Point(6) = {1, 1, 0, s}; Point(7) = {-1, 1, 0, s};
    Circle(1) = {2, 1, 3}; Circle(2) = {3, 1, 2};
    Line(3) = {4, 5}; Line(4) = {5, 6}; Line(5) = {6, 7}; Line(6) = {7, 4};
    Curve Loop(1) = {1, 2}; Plane Surface(1) = {1};
    Curve Loop(2) = {3, 4, 5, 6}; Plane Surface(2) = {2, 1};
    Physical Surface("disc") = {1}; Physical Surface("air") = {2};
  )";
  ImportRequest options;
  options.path = folder.write("disc.geo", disc);
  options.dimension = 2;
  options.scale = 2.;
  const ImportedMesh mesh = run_import(options);
  CHECK(mesh.boundary_names.size() == 6); // each curve is a boundary
  CHECK(mesh.curved_degree == 4);
  CHECK(mesh.n_curved() >= 7);
  CHECK(is_round(mesh, 1., 1e-12));
  CHECK(corners_fit(mesh));
  options.curved = false;
  const ImportedMesh without = run_import(options);
  CHECK(without.n_curved() == 0);
  CHECK(without.elements == mesh.elements);
  CHECK(without.coordinates == mesh.coordinates);

  const std::string octant = R"(
    s = 0.5;
    Point(1) = {0, 0, 0, s}; Point(2) = {1, 0, 0, s}; Point(3) = {0, 1, 0, s}; Point(4) = {0, 0, 1, s};
    Circle(1) = {2, 1, 3}; Circle(2) = {3, 1, 4}; Circle(3) = {4, 1, 2};
    Line(4) = {1, 2}; Line(5) = {1, 3}; Line(6) = {1, 4};
    Curve Loop(1) = {1, 2, 3}; Surface(1) = {1} In Sphere {1};
    Curve Loop(2) = {4, 1, -5}; Plane Surface(2) = {2};
    Curve Loop(3) = {5, 2, -6}; Plane Surface(3) = {3};
    Curve Loop(4) = {6, 3, -4}; Plane Surface(4) = {4};
    Surface Loop(1) = {1, 2, 3, 4}; Volume(1) = {1};
    Physical Volume("ball") = {1}; Physical Surface("sphere") = {1};
  )";
  options = {};
  options.path = folder.write("octant.geo", octant);
  options.dimension = 3;
  const ImportedMesh ball = run_import(options);
  CHECK(ball.n_curved() > ball.n_facets()); // flat facets with a curved edge, too
  CHECK(corners_fit(ball));
  std::size_t n_on_sphere = 0;
  for (std::size_t f = 0; f < ball.n_curved(); ++f) {
    ImportedMesh one = ball;
    one.curved_points.assign(ball.curved_points.begin() + static_cast<std::ptrdiff_t>(f * 45),
                             ball.curved_points.begin() + static_cast<std::ptrdiff_t>((f + 1) * 45));
    n_on_sphere += is_round(one, 1., 1e-6) ? 1 : 0; // Gmsh's tolerance for points on surfaces
  }
  CHECK(n_on_sphere == ball.n_facets());
}

TEST_CASE("elements of higher order in a mesh file report the shape of their facets", "[io]") {
  const TemporaryFolder folder;
  // A quarter of a disc as one triangle of order 2, and its straight neighbour.
  const std::string quarter = R"($MeshFormat
2.2 0 8
$EndMeshFormat
$PhysicalNames
1
2 1 "all"
$EndPhysicalNames
$Nodes
9
1 0 0 0
2 1 0 0
3 0 1 0
4 0.5 0 0
5 0.7071067811865476 0.7071067811865476 0
6 0 0.5 0
7 -1 0 0
8 -0.5 0 0
9 -0.5 0.5 0
$EndNodes
$Elements
2
1 9 2 1 1 1 2 3 4 5 6
2 9 2 1 1 1 3 7 6 9 8
$EndElements
)";
  const ImportedMesh mesh = import_file(folder.write("quarter.msh", quarter));
  CHECK(mesh.n_nodes() == 4);
  CHECK(mesh.curved_degree == 2);
  REQUIRE(mesh.n_curved() == 1);
  CHECK(is_round(mesh, 1., 1e-12));
  CHECK(corners_fit(mesh));
  CHECK(has_note(mesh, "1 of its facets are curved"));
}

TEST_CASE("second-order elements of a geometry lose their midside nodes", "[io]") {
  const TemporaryFolder folder;
  const ImportedMesh linear = import_file(folder.write("a.geo", rectangle_geo));
  const ImportedMesh quadratic =
      import_file(folder.write("b.geo", rectangle_geo + std::string("Mesh.ElementOrder = 2;\n")));
  CHECK(linear.elements == quadratic.elements);
  CHECK(linear.facets == quadratic.facets);
  CHECK(linear.n_nodes() == quadratic.n_nodes());
  CHECK(has_note(quadratic, "none of its edges is curved"));
}

TEST_CASE("elements and facets outside of the physical groups are left out with a note", "[io]") {
  const TemporaryFolder folder;
  const std::string two = R"(
    SetFactory("Built-in"); s = 0.5;
    Point(1) = {0, 0, 0, s}; Point(2) = {1, 0, 0, s}; Point(3) = {1, 1, 0, s}; Point(4) = {0, 1, 0, s};
    Point(5) = {2, 0, 0, s}; Point(6) = {2, 1, 0, s};
    Line(1) = {1, 2}; Line(2) = {2, 3}; Line(3) = {3, 4}; Line(4) = {4, 1};
    Line(5) = {2, 5}; Line(6) = {5, 6}; Line(7) = {6, 3};
    Curve Loop(1) = {1, 2, 3, 4}; Plane Surface(1) = {1};
    Curve Loop(2) = {5, 6, 7, -2}; Plane Surface(2) = {2};
    Physical Curve("left") = {4}; Physical Curve("right") = {6};
  )";
  const ImportedMesh mesh = import_file(folder.write("a.geo", two + "Physical Surface(\"one\") = {1};\n"));
  CHECK(region_measures(mesh)[0] == Approx(1.));
  CHECK(mesh.boundary_names == Names{"left"});
  CHECK(has_note(mesh, "lie in no physical group"));
  CHECK(has_note(mesh, "group \"right\" which touch no element"));
  CHECK_THROWS_WITH(
      import_file(folder.write("b.geo", two + R"(Physical Surface("one") = {2}; Physical Surface("two") = {2};
    )")),
      ContainsSubstring("\"one\" and \"two\""));
  // A facet in two groups occurs twice.
  const ImportedMesh twice =
      import_file(folder.write("c.geo", two + R"(Physical Surface("one") = {1, 2}; Physical Curve("outer") = {4, 6};
    )"));
  CHECK(boundary_length(twice, "outer") == Approx(2.));
  CHECK(boundary_length(twice, "left") == Approx(1.));
  CHECK(boundary_length(twice, "right") == Approx(1.));
}

TEST_CASE("volumes, surfaces and curves are listed where that is asked, in groups or not", "[io]") {
  const TemporaryFolder folder;
  ImportRequest options;
  options.path = folder.file("rectangle.geo");
  options.dimension = 2;
  options.scale = 0.1;
  std::ofstream(options.path) << rectangle_geo;
  CHECK(run_import(options).entities.empty());
  options.entities = true;
  const ImportedMesh mesh = run_import(options);
  REQUIRE(mesh.entities.size() == 5); // a surface of 2 x 1, then its curves
  const io::MeshEntity& surface = mesh.entities[0];
  CHECK(surface.dimension == 2);
  CHECK(surface.number == 1);
  CHECK(surface.name.empty());
  CHECK(surface.groups == Names{"air"});
  CHECK(surface.n_elements == static_cast<std::int64_t>(mesh.n_elements()));
  CHECK(surface.measure == Approx(0.02));
  CHECK(surface.neighbours.empty());
  const io::MeshEntity& right = mesh.entities[2];
  CHECK(right.dimension == 1);
  CHECK(right.number == 2);
  CHECK(right.groups.empty()); // only the first curve is in a group
  CHECK(mesh.entities[1].groups == Names{"bottom"});
  CHECK(right.measure == Approx(0.1));
  CHECK(right.lowest[0] == Approx(0.2));
  CHECK(right.highest[1] == Approx(0.1));
  CHECK(right.neighbours == std::vector<int>{1});

  // Two solids of a STEP file that share a face.
  ImportRequest solids;
  solids.path = TESSERA_SOURCE_DIR "/inputs/step-layers/layers.step";
  solids.dimension = 3;
  solids.scale = 0.;
  solids.entities = true;
  const ImportedMesh layers = run_import(solids);
  std::size_t n_volumes = 0, n_shared = 0, n_curves = 0;
  double volume = 0.;
  for (const io::MeshEntity& entity : layers.entities) {
    n_volumes += entity.dimension == 3 ? 1 : 0;
    n_curves += entity.dimension == 1 ? 1 : 0;
    n_shared += entity.dimension == 2 && entity.neighbours.size() == 2 ? 1 : 0;
    volume += entity.dimension == 3 ? entity.measure : 0.;
    if (entity.dimension == 3)
      CHECK(!entity.neighbours.empty());
    if (entity.dimension == 1)
      CHECK(entity.neighbours.size() >= 2); // surfaces
  }
  CHECK(n_volumes >= 2);
  CHECK(n_shared >= 1);
  CHECK(n_curves >= 12);
  double total = 0.;
  for (const double measure : region_measures(layers))
    total += measure;
  CHECK(volume == Approx(total));
}

TEST_CASE("broken geometries give Gmsh's own words", "[io]") {
  const TemporaryFolder folder;
  CHECK_THROWS_WITH(import_file(folder.write("a.geo", "Point(1) = {0, 0, 0}; nonsense here;\n")),
                    ContainsSubstring("Gmsh cannot read") && ContainsSubstring("a.geo") && ContainsSubstring("line 1"));
  CHECK_THROWS_WITH(import_file(folder.write("b.geo", "Point(1) = {0, 0, 0}; Line(1) = {1, 2};\n")),
                    ContainsSubstring("Gmsh cannot read") && ContainsSubstring("2"));
  CHECK_THROWS_AS(import_file(folder.write("c.geo", "")), Error);
  for (const char* last : {"x = 1; y = 2;", "x = 1; y = 2", "For i In {0:1} x = i; EndFor"})
    CHECK_THROWS_WITH(import_file(folder.write("cut.geo", rectangle_geo + std::string(last))),
                      ContainsSubstring("cut.geo has no line break at its end"));
  folder.write("part.geo", "x = 1; y = 2;");
  CHECK_THROWS_WITH(import_file(folder.write("whole.geo", rectangle_geo + std::string("Include \"part.geo\";\n"))),
                    ContainsSubstring("part.geo has no line break at its end"));
  for (const char* last : {"x = 1;", "x = 1; // the last", "  ", "// x = 1; y = 2;"}) // no statement is lost
    CHECK(import_file(folder.write("kept.geo", rectangle_geo + std::string(last))).n_elements() > 0);
  CHECK_THROWS_AS(import_file(folder.write("d.msh", "this is no mesh\n")), Error);
  CHECK_THROWS_AS(import_file(folder.write("e.step", "this is no STEP file\n"), 3), Error);
  std::ifstream whole(data_file("square-4.msh"));
  const std::string text((std::istreambuf_iterator<char>(whole)), std::istreambuf_iterator<char>());
  CHECK_THROWS_AS(import_file(folder.write("f.msh", text.substr(0, text.size() / 2))), Error);
  // A failed import leaves Gmsh usable.
  CHECK(import_file(data_file("square-4.msh")).n_elements() > 0);
}

TEST_CASE("a two-dimensional mesh must be planar", "[io]") {
  const TemporaryFolder folder;
  const std::string tilted = R"(
    Point(1) = {0, 0, 0, 1}; Point(2) = {1, 0, 0, 1}; Point(3) = {1, 1, 1, 1};
    Line(1) = {1, 2}; Line(2) = {2, 3}; Line(3) = {3, 1}; Curve Loop(1) = {1, 2, 3}; Plane Surface(1) = {1};
  )";
  CHECK_THROWS_WITH(import_file(folder.write("a.geo", tilted)),
                    ContainsSubstring("plane of constant z") && ContainsSubstring("from 0 to 1"));
}

#else

TEST_CASE("a build without Gmsh says how to get a mesh", "[io]") {
  CHECK_THROWS_WITH(import_file(data_file("square-4.msh")), ContainsSubstring("tessera mesh"));
}

#endif
