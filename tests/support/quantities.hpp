// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_TESTS_SUPPORT_QUANTITIES_HPP
#define TESSERA_TESTS_SUPPORT_QUANTITIES_HPP

#include "is_near.hpp"
#include "run_case.hpp"
#include "temporary_folder.hpp"

#include <catch2/catch_test_macros.hpp>

#include <map>
#include <string>
#include <vector>

namespace tessera::test {

using Settings = std::vector<std::string>;

/// The quantities of a run in a temporary folder; the run has to converge.
inline std::map<std::string, double> run(const std::string& file, const Settings& settings) {
  const TemporaryFolder folder;
  const auto summary = run_case(file, folder.file("out"), settings);
  CHECK(summary.exit_code == 0);
  return summary.quantities;
}

/// Two layers between circles of radius 1, 2 and 3 m, with permittivity 2 and 4, at 1 V: layers.geo and a case that
/// uses it.
inline constexpr const char* layers_geometry = R"(
SetFactory("OpenCASCADE");
For k In {1:3}
  Circle(k) = {0, 0, 0, k};
  Curve Loop(k) = {k};
EndFor
Plane Surface(1) = {2, 1};
Plane Surface(2) = {3, 2};
Physical Surface("core") = {1};
Physical Surface("jacket") = {2};
Physical Curve("inner") = {1};
Physical Curve("middle") = {2};
Physical Curve("outer") = {3};
Mesh.MeshSizeMax = 0.15;
)";
inline constexpr const char* layers_case = R"(
tessera: 1
mesh: {geometry: layers.geo, dimension: 2}
problem:
  physics: electrostatics
  materials: {core: {relative_permittivity: 2}, jacket: {relative_permittivity: 4}}
  boundaries: {inner: {potential: 1}, outer: {potential: 0}}
output: {fields: [], quantities: [charge]}
)";

} // namespace tessera::test

#endif
