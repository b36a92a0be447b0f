// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/advice/checks.hpp"
#include "driver/problem/binding/problem_binding.hpp"
#include "io/input/case_reader.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <vector>

using Catch::Matchers::ContainsSubstring;

namespace tessera::test {

namespace {

/// Strips of triangles from x = 0 to 1, stacked: `heights[k]` are the ordinates of their borders, `regions[k]` the
/// region of strip k.
io::ImportedMesh strips(int n_along, const std::vector<double>& heights, const std::vector<group_t>& regions) {
  io::ImportedMesh mesh;
  mesh.dimension = 2;
  for (const double y : heights)
    for (int i = 0; i <= n_along; ++i) {
      mesh.coordinates.push_back(static_cast<double>(i) / n_along);
      mesh.coordinates.push_back(y);
    }
  for (std::size_t k = 0; k < regions.size(); ++k)
    for (int i = 0; i < n_along; ++i) {
      const auto low = static_cast<index_t>(k) * (n_along + 1) + i, high = low + n_along + 1;
      for (const index_t node : {low, low + 1, high + 1, low, high + 1, high})
        mesh.elements.push_back(node);
      mesh.regions.insert(mesh.regions.end(), 2, regions[k]);
    }
  mesh.region_names = {"air", "upper", "lower"};
  mesh.boundary_names = {"ground"};
  for (int i = 0; i < n_along; ++i) {
    mesh.facets.insert(mesh.facets.end(), {i, i + 1});
    mesh.facet_groups.push_back(0);
  }
  return mesh;
}

io::Case input_with(const std::string& boundaries) {
  io::Case input = io::read_case_text("tessera: 1\n"
                                      "mesh: {box: {cells: [1, 1]}}\n"
                                      "problem:\n"
                                      "  physics: electrostatics\n"
                                      "  materials:\n"
                                      "    air: {relative_permittivity: 1}\n"
                                      "    upper: {relative_permittivity: 2}\n"
                                      "    lower: {relative_permittivity: 3}\n"
                                      "  boundaries: " +
                                          boundaries +
                                          "\n"
                                          "output: {quantities: [force], bodies: {upper: {}, lower: {}}}\n",
                                      "case.yaml", {});
  input.mesh.source = io::MeshSource::geometry;
  input.mesh.scale = 1e-3;
  return input;
}

std::vector<std::string> notes_of(const io::Case& input, const io::ImportedMesh& mesh) {
  const driver::ProblemBinding binding = driver::bind_problem(input, mesh);
  driver::Notes notes;
  driver::gap_notes({input, 1, true, &mesh, &binding}, notes);
  return notes;
}

constexpr group_t air = 0, upper = 1, lower = 2;

} // namespace

TEST_CASE("A gap that long elements cross is reported with both sides, width and sizes that would do", "[driver]") {
  io::Case input = input_with("{ground: {potential: 0}}");
  const auto thin = strips(10, {0., 1., 1.01, 2.}, {lower, air, upper});
  const auto notes = notes_of(input, thin);
  REQUIRE(notes.size() == 1); // one note although the gap belongs to both bodies
  CHECK_THAT(notes[0], ContainsSubstring("force on 'upper': the gap between 'upper' and 'lower', 0.01 m wide at (") &&
                           ContainsSubstring("has elements 10 times as long as it is wide") &&
                           ContainsSubstring("(mesh.sizes: {upper: 10, lower: 10}), or let mesh.adapt"));
  CHECK(notes_of(input, strips(40, {0., 1., 1.01, 2.}, {lower, air, upper})).empty());
  CHECK(notes_of(input, strips(10, {0., 1., 1.005, 1.01, 2.}, {lower, air, air, upper})).size() == 1);
  CHECK(notes_of(input, strips(10, {0., 1., 1.003, 1.006, 1.01, 2.}, {lower, air, air, air, upper})).empty());
  CHECK(notes_of(input, strips(10, {0., 1., 1.01, 2.}, {air, air, upper})).empty()); // no gap
  input.mesh.adapt.target_error = 0.01;
  CHECK(notes_of(input, thin).empty());
  input.mesh.adapt = {};
  input.output.quantities.clear();
  CHECK(notes_of(input, thin).empty());
}

TEST_CASE("A gap between a body and a boundary or the outside of the mesh is reported", "[driver]") {
  const auto mesh = strips(10, {0., 0.01, 1., 2.}, {air, upper, air});
  io::Case input = input_with("{ground: {potential: 0}}");
  input.mesh.source = io::MeshSource::file;
  const auto at_boundary = notes_of(input, mesh);
  REQUIRE(at_boundary.size() == 1);
  CHECK_THAT(at_boundary[0], ContainsSubstring("between 'upper' and 'ground', 0.01 m wide") &&
                                 ContainsSubstring("Make a mesh with elements of about 0.01 m on both sides"));
  const auto at_outside = notes_of(input_with("{upper: {potential: 0}}"), mesh);
  REQUIRE(at_outside.size() == 1);
  CHECK_THAT(at_outside[0], ContainsSubstring("between 'upper' and the outside of the mesh, 0.01 m wide") &&
                                ContainsSubstring("(mesh.sizes: {upper: 10})"));
  // The body extends to the sides x = 0 and x = 1; there elements lie next to both: no gaps.
  CHECK(notes_of(input, strips(10, {0., 1., 2.}, {air, upper})).empty());
}

} // namespace tessera::test
