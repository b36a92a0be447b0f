// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/error.hpp"
#include "imported_measures.hpp"
#include "io/geometry/import_process.hpp"
#include "io/input/case_reader.hpp"
#include "io/input/named_groups.hpp"
#include "io/input/resolved.hpp"
#include "temporary_folder.hpp"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <limits>

namespace {

using namespace tessera;
using namespace tessera::test;
using tessera::io::ImportedMesh;
using tessera::io::ImportRequest;
using tessera::io::NamedGroup;

using Catch::Approx;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::MessageMatches;
using Names = std::vector<std::string>;

constexpr double none = std::numeric_limits<double>::quiet_NaN();

/// Three squares in a row, w_1, w_2 and air, of two triangles each, in millimetres; boundaries below each one, "left",
/// and "floor", which repeats the facets below the first two.
ImportedMesh three_squares() {
  ImportedMesh mesh;
  mesh.dimension = 2;
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 2; ++j)
      mesh.coordinates.insert(mesh.coordinates.end(), {1e-3 * i, 1e-3 * j});
  for (index_t i = 0; i < 3; ++i) {
    const index_t a = 2 * i, b = a + 2, c = a + 3, d = a + 1;
    mesh.elements.insert(mesh.elements.end(), {a, b, c, a, c, d});
    mesh.regions.insert(mesh.regions.end(), 2, static_cast<group_t>(i));
    mesh.facets.insert(mesh.facets.end(), {a, b});
    mesh.facet_groups.push_back(static_cast<group_t>(i));
  }
  mesh.facets.insert(mesh.facets.end(), {0, 1, 2, 0, 2, 4});
  mesh.facet_groups.insert(mesh.facet_groups.end(), {3, 4, 4});
  mesh.region_names = {"w_1", "w_2", "air"};
  mesh.boundary_names = {"below_1", "below_2", "below_3", "left", "floor"};
  return mesh;
}

NamedGroup named(const std::string& name, const Names& members) {
  NamedGroup group;
  group.name = name;
  group.members = members;
  return group;
}

NamedGroup at(const std::string& name, const std::array<double, 3>& point) {
  NamedGroup group;
  group.name = name;
  group.inside = {point};
  return group;
}

NamedGroup near(const std::string& name, const std::array<double, 3>& point) {
  NamedGroup group;
  group.name = name;
  group.near = {point};
  return group;
}

ImportedMesh with(const std::vector<NamedGroup>& groups) {
  ImportedMesh mesh = three_squares();
  io::join_groups(mesh, groups, 1e-3, "a.msh");
  return mesh;
}

std::string message_of(const std::vector<NamedGroup>& groups) {
  try {
    with(groups);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

constexpr const char* square_case = R"(
tessera: 1
mesh: {box: {cells: [2, 2]}, groups: GROUPS}
problem:
  physics: electrostatics
  materials: {domain: {relative_permittivity: 1}}
  boundaries: {left: {potential: 1}, right: {potential: 0}}
)";

io::Case case_with(const std::string& groups) {
  std::string text = square_case;
  text.replace(text.find("GROUPS"), 6, groups);
  return io::read_case_text(text, "case.yaml");
}

std::string case_message(const std::string& groups) {
  try {
    case_with(groups);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

} // namespace

TEST_CASE("wildcards fit what they should", "[io]") {
  CHECK(io::fits("w_*", "w_1"));
  CHECK(io::fits("w_*", "w_"));
  CHECK_FALSE(io::fits("w_*", "x_1"));
  CHECK(io::fits("*coil*", "left coil 7"));
  CHECK(io::fits("*a*b*c", "aabbcc"));
  CHECK_FALSE(io::fits("*a*b*c", "aacc"));
  CHECK(io::fits("w_?", "w_1"));
  CHECK_FALSE(io::fits("w_?", "w_12"));
  CHECK(io::fits("w_?", "w_\xc3\xa4")); // a two-byte character
  CHECK(io::fits("", ""));
  CHECK(io::fits("*", ""));
  CHECK_FALSE(io::fits("?", ""));
  CHECK(io::fits("plain", "plain"));
}

TEST_CASE("groups of a case join regions and boundaries by names, wildcards and points", "[io]") {
  const ImportedMesh winding = with({named("winding", {"w_*"})});
  CHECK(winding.region_names == Names{"winding", "air"});
  CHECK(winding.regions == std::vector<group_t>{0, 0, 0, 0, 1, 1});
  CHECK(winding.boundary_names.size() == 5);
  CHECK(has_note(winding, "mesh.groups: 'winding' is regions w_1, w_2."));

  const ImportedMesh ground = with({named("ground", {"below_?", "floor"})});
  CHECK(ground.boundary_names == Names{"ground", "left"});
  CHECK(ground.n_facets() == 4); // those of "floor" are already included
  CHECK(boundary_length(ground, "ground") == Approx(3e-3));

  const ImportedMesh placed = with({at("coil", {1.5, 0.5, none}), near("wall", {0., 0.5, none})});
  CHECK(placed.region_names == Names{"w_1", "coil", "air"});
  CHECK(placed.boundary_names == Names{"below_1", "below_2", "below_3", "wall", "floor"});
  CHECK(has_note(placed, "'coil' is region w_2."));

  NamedGroup mixed = at("coil", {0.5, 0.1, none});
  mixed.members = {"w_2"};
  CHECK(with({mixed}).region_names == Names{"coil", "air"});
  CHECK(with({named("w_1", {"w_2"}), named("w_2", {"w_1"})}).region_names == Names{"w_2", "w_1", "air"});
}

TEST_CASE("a group at the outside has the facets of one element, of all regions or of some", "[io]") {
  const auto outside = [](const Names& regions, const Names& except = {}) {
    NamedGroup group = named("rim", {});
    group.outside = true;
    group.outside_of = regions;
    group.except = except;
    return group;
  };
  const ImportedMesh all = with({outside({})});
  CHECK(all.boundary_names == Names{"below_1", "below_2", "below_3", "left", "floor", "rim"});
  CHECK(boundary_length(all, "rim") == Approx(8e-3));
  CHECK(boundary_length(all, "below_2") == Approx(1e-3)); // its facet is in both
  CHECK(has_note(all, "mesh.groups: 'rim' has 8 facets at the outside of the mesh."));
  // By the names of the case, whatever the order of the groups.
  const ImportedMesh winding = with(
      {outside({"winding"}, {"ground", "left"}), named("winding", {"w_*"}), named("ground", {"below_?", "floor"})});
  CHECK(boundary_length(winding, "rim") == Approx(3e-3)); // the interface to air counts
  CHECK(has_note(winding, "'rim' has 3 facets at the outside of winding, without those of ground, left."));
  CHECK(boundary_length(with({outside({"w_?"})}), "rim") == Approx(6e-3));
  CHECK_THAT(message_of({outside({"wind"})}), ContainsSubstring("'rim': unknown region 'wind'"));
  CHECK_THAT(message_of({outside({}, {"top"})}), ContainsSubstring("'rim': unknown boundary 'top'"));
  CHECK_THAT(message_of({outside({}), named("x", {"left"}), outside({})}),
             ContainsSubstring("the mesh has a boundary of this name already"));
  ImportedMesh triangle;
  triangle.dimension = 2;
  triangle.coordinates = {0., 0., 1., 0., 0., 1.};
  triangle.elements = {0, 1, 2};
  triangle.regions = {0};
  triangle.facets = {1, 0, 2, 1, 0, 2};
  triangle.facet_groups = {0, 0, 0};
  triangle.region_names = {"a"};
  triangle.boundary_names = {"around"};
  CHECK_THROWS_WITH(io::join_groups(triangle, {outside({}, {"around"})}, 1., "a.msh"),
                    ContainsSubstring("all facets of the outside are in the boundaries under except"));
}

TEST_CASE("groups that fit nothing, or too much, are reported", "[io]") {
  CHECK_THAT(message_of({named("coil", {"w_3"})}),
             ContainsSubstring("a.msh: mesh.groups: 'coil': unknown region or boundary 'w_3'; did you mean 'w_1'?"));
  CHECK_THAT(message_of({named("coil", {"x*"})}), ContainsSubstring("unknown region or boundary 'x*'"));
  CHECK_THAT(message_of({at("coil", {1.5, 1.5, none})}),
             ContainsSubstring("the point (1.5, 1.5) lies outside of the mesh, which reaches from (0, 0) to (3, 1)"));
  CHECK_THAT(message_of({at("coil", {2., 0.5, none})}),
             ContainsSubstring("the point (2, 0.5) lies between the regions 'w_2' and 'air'"));
  CHECK_THAT(message_of({near("wall", {0., 0., none})}),
             ContainsSubstring("is as near to the boundary 'below_1' as to"));
  CHECK_THAT(message_of({near("wall", {2.5, 0.5, none})}),
             ContainsSubstring("is on no boundary of the mesh") && ContainsSubstring("'below_3', is 0.5 away"));
  CHECK_THAT(message_of({named("a", {"w_1"}), named("b", {"w_*"})}),
             ContainsSubstring("the region 'w_1' is in 'a' and in 'b'; it can be in one"));
  CHECK_THAT(message_of({named("air", {"w_*"})}), ContainsSubstring("the mesh has a region 'air' already"));
  CHECK(message_of({named("air", {"w_*", "air"})}).empty());
}

TEST_CASE("groups are read from a case and written as they are", "[io]") {
  const io::Case input =
      case_with("{a: \"w_*\", b: [c, d], e: {at: [0.5, 0.25]}, f: {near: [[0, 1], [1, 0]], names: left}}");
  REQUIRE(input.mesh.groups.size() == 4);
  CHECK(input.mesh.groups[0].members == Names{"w_*"});
  CHECK(input.mesh.groups[1].members == Names{"c", "d"});
  CHECK(input.mesh.groups[2].inside[0][1] == 0.25);
  CHECK(input.mesh.groups[3].near.size() == 2);
  const std::string resolved = io::resolved_text(input);
  CHECK(io::resolved_text(io::read_case_text(resolved, "case.yaml")) == resolved);
  CHECK_THAT(case_message("{a: {}}"),
             ContainsSubstring("mesh.groups.a: at least one of names, at and near, or outside, is needed"));
  CHECK_THAT(case_message("{a: {at: [1, 2, 3]}}"),
             ContainsSubstring("mesh.groups.a.at: expected a point, a list of 2"));
  CHECK_THAT(case_message("{a: {at: [[1, 2], 3]}}"), ContainsSubstring("mesh.groups.a.at[1]: expected a point"));
  CHECK_THAT(case_message("{a: []}"), ContainsSubstring("mesh.groups.a: the list is empty"));
  CHECK_THAT(case_message("{a: {on: [1, 2]}}"), ContainsSubstring("unknown key 'on'"));
}

TEST_CASE("groups at the outside are read from a case and written as they are", "[io]") {
  const TemporaryFolder folder;
  folder.write("a.msh", "");
  const auto text_with = [](const std::string& groups) {
    std::string text = square_case;
    text.replace(text.find("box: {cells: [2, 2]}, groups: GROUPS"), 36, "file: a.msh, groups: " + groups);
    return text;
  };
  const auto read = [&](const std::string& text) { return io::read_case_text(text, folder.file("case.yaml")); };
  const io::Case input = read(text_with("{a: {outside: true, except: [b, \"c*\"]}, d: {outside: coil}}"));
  REQUIRE(input.mesh.groups.size() == 2);
  CHECK((input.mesh.groups[0].outside && input.mesh.groups[0].outside_of.empty()));
  CHECK(input.mesh.groups[0].except == Names{"b", "c*"});
  CHECK((input.mesh.groups[1].outside && input.mesh.groups[1].outside_of == Names{"coil"}));
  const std::string resolved = io::resolved_text(input);
  CHECK(io::resolved_text(read(resolved)) == resolved);
  const auto message = [&](const std::string& groups) {
    try {
      read(text_with(groups));
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  CHECK_THAT(message("{a: {outside: true, near: [0, 1]}}"),
             ContainsSubstring("mesh.groups.a.near: does not go with outside"));
  CHECK_THAT(message("{a: {outside: false}}"),
             ContainsSubstring("mesh.groups.a.outside: is true, or names of regions"));
  CHECK_THAT(message("{a: {names: b, except: c}}"), ContainsSubstring("mesh.groups.a.except: goes with outside"));
  CHECK_THAT(case_message("{a: {outside: true}}"), ContainsSubstring("'a': the outside of a box is its sides"));
}

#if TESSERA_HAVE_GMSH

TEST_CASE("regions that share surfaces leave them to the smaller one, which a note reports", "[io]") {
  const TemporaryFolder folder;
  const auto with_groups = [&](const std::string& groups) {
    const std::string two = R"(SetFactory("OpenCASCADE");
Rectangle(1) = {0, 0, 0, 1, 1}; Rectangle(2) = {1, 0, 0, 2, 1}; Coherence; Mesh.MeshSizeMax = 0.5;
)";
    ImportRequest request;
    request.path = folder.write("two.geo", two + groups + "\n");
    request.dimension = 2;
    return io::run_import(request);
  };
  const std::string note = "The physical groups 'piezo' and 'everything' share 1 surface; an element has one region, "
                           "here the smaller group, 'piezo'.";
  for (const char* groups : {"Physical Surface(\"everything\") = {1, 2}; Physical Surface(\"piezo\") = {2};",
                             "Physical Surface(\"piezo\") = {2}; Physical Surface(\"everything\") = {1, 2};"}) {
    const ImportedMesh mesh = with_groups(groups);
    REQUIRE(mesh.region_names.size() == 2);
    const std::size_t piezo = mesh.region_names[0] == "piezo" ? 0 : 1;
    CHECK(region_measures(mesh)[piezo] == Approx(2.));
    CHECK(region_measures(mesh)[1 - piezo] == Approx(1.));
    CHECK(has_note(mesh, note));
  }
  // A group whose surfaces all belong to smaller ones is no region.
  CHECK(with_groups("Physical Surface(\"all\") = {1, 2}; Physical Surface(\"a\") = {1}; Physical Surface(\"b\") = {2};")
            .region_names == Names{"a", "b"});
  CHECK_THROWS_MATCHES(with_groups("Physical Surface(\"a\") = {1}; Physical Surface(\"b\") = {1};"), Error,
                       MessageMatches(ContainsSubstring("surface 1 lies in the physical groups \"a\" and \"b\"") &&
                                      ContainsSubstring("neither is smaller")));
}

TEST_CASE("groups and sizes of a geometry go by names and points, also without physical groups", "[io]") {
  const TemporaryFolder folder;
  ImportRequest request;
  request.path = folder.write("a.geo", "SetFactory(\"OpenCASCADE\");\nRectangle(1) = {0, 0, 0, 4, 2};\n"
                                       "Disk(2) = {1, 1, 0, 0.5};\nDisk(3) = {3, 1, 0, 0.5};\nCoherence;\n");
  request.dimension = 2;
  const ImportedMesh plain = io::run_import(request);
  NamedGroup coil = at("coil", {1., 1., none});
  coil.inside.push_back({3., 1., none});
  request.groups = {coil, at("air", {2., 0.1, none}), near("rim", {0.502, 1., none}), near("floor", {2., 0., none})};
  const ImportedMesh mesh = io::run_import(request);
  Names regions = mesh.region_names;
  std::sort(regions.begin(), regions.end());
  CHECK(regions == Names{"air", "coil"});
  CHECK(boundary_length(mesh, "floor") == Approx(4.));
  CHECK(boundary_length(mesh, "rim") == Approx(3.14159).epsilon(0.1));
  CHECK(mesh.n_elements() == plain.n_elements());
  const auto n_in = [](const ImportedMesh& of, const std::string& name) {
    const auto number = std::find(of.region_names.begin(), of.region_names.end(), name) - of.region_names.begin();
    return std::count(of.regions.begin(), of.regions.end(), static_cast<group_t>(number));
  };
  request.sizes = {{"coil", 0.05}};
  const ImportedMesh fine = io::run_import(request);
  // area of both divided by that of such triangles
  CHECK(n_in(fine, "coil") > 2. * 3.14159 * 0.25 / (0.5 * 0.05 * 0.05));
  request.sizes = {{"coil", 10.}};
  CHECK(io::run_import(request).n_elements() == plain.n_elements()); // the first mesh has no effect
  for (const char* pattern : {"co?l", "coi*"}) {                     // also for groups of the case
    request.sizes = {{pattern, 0.05}};
    CHECK(n_in(io::run_import(request), "coil") == n_in(fine, "coil"));
  }
  request.sizes = {{"cable*", 0.1}};
  CHECK_THROWS_WITH(io::run_import(request),
                    ContainsSubstring("mesh.sizes: unknown group 'cable*'") && ContainsSubstring("coil"));
  request.sizes = {{"coill", 0.1}};
  CHECK_THROWS_WITH(io::run_import(request), ContainsSubstring("mesh.sizes: unknown group 'coill'"));
  request.sizes = {{"surface_*", 0.1}};
  CHECK(io::run_import(request).n_elements() > 2 * plain.n_elements());
}

#endif

TEST_CASE("Nodes at the axis but for rounding are on it, where a problem is axisymmetric", "[io][host]") {
  ImportedMesh mesh = three_squares();
  mesh.coordinates[0] = -2e-13;
  mesh.coordinates[2] = 2e-13;
  mesh.coordinates[5] = 3e-13; // a y
  mesh.curved_points = {-1e-13, 1e-13, 1e-5, 0.};
  tessera::io::snap_to_axis(mesh);
  CHECK(mesh.coordinates[0] == 0.);
  CHECK(mesh.coordinates[2] == 0.);
  CHECK(mesh.coordinates[4] == 1e-3);
  CHECK(mesh.coordinates[5] == 3e-13);
  CHECK(mesh.curved_points == std::vector<double>{0., 1e-13, 1e-5, 0.});
}
