// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "support/run_case.hpp"
#include "support/temporary_folder.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <cmath>
#include <fstream>
#include <iterator>

namespace tessera::test {

namespace {

using Catch::Matchers::ContainsSubstring;

/// u = sin(pi x) sinh(pi y) / sinh(pi): the inflow through the top is 2 coth(pi), the outflow through the bottom 2 /
/// sinh(pi).
constexpr const char* plate = R"(tessera: 1
mesh: {box: {cells: [16, 16]}}
problem:
  physics: heat
  materials: {domain: {thermal_conductivity: 1}}
  boundaries: {left: {temperature: 0}, right: {temperature: 0}, bottom: {temperature: 0}, top: {temperature: sin(pi*x)}}
output: {quantities: [heat_flow], surfaces: {top: {}}}
)";

/// -laplace u = 1 in a cube: a sixth of the source leaves through each side.
constexpr const char* cube = R"(tessera: 1
mesh: {box: {cells: [6, 6, 6]}}
problem:
  physics: diffusion
  materials: {domain: {diffusivity: 1}}
  sources: {domain: {source: 1}}
  boundaries: {left: {value: 0}, right: {value: 0}, bottom: {value: 0}, top: {value: 0}, back: {value: 0}, front: {value: 0}}
output: {quantities: [total_flux]}
)";

std::string report_of(const TemporaryFolder& folder) {
  std::ifstream in(folder.file("out") + "/report.yaml");
  return std::string(std::istreambuf_iterator<char>(in), {});
}

} // namespace

TEST_CASE("Boundaries of fixed values that meet share what flows in at their common nodes", "[regression][device]") {
  const TemporaryFolder folder;
  const std::string file = folder.write("plate.yaml", plate);
  const double pi = std::acos(-1.);
  const double top = 2. / std::tanh(pi), bottom = -2. / std::sinh(pi);
  for (const char* order : {"1", "2"}) {
    INFO("order " << order);
    // If the flow at two corners were assigned completely to the boundary listed last, the flow through the top would
    // lose a tenth (order 1).
    const double tolerance = order[0] == '1' ? 1.1e-2 : 1e-4;
    const auto flows = run_case(file, folder.file("out"), {std::string("discretization.order=") + order}).quantities;
    CHECK(std::fabs(flows.at("heat_flow.top") / top - 1.) < 0.2 * tolerance);
    CHECK(std::fabs(flows.at("heat_flow.bottom") / bottom - 1.) < tolerance);
    CHECK(std::fabs(flows.at("heat_flow.left") / (-0.5 * (top + bottom)) - 1.) < tolerance);
    CHECK(std::fabs(flows.at("heat_flow.left") - flows.at("heat_flow.right")) < 1e-9);
    CHECK(std::fabs(flows.at("heat_flow.left") + flows.at("heat_flow.right") + flows.at("heat_flow.top") +
                    flows.at("heat_flow.bottom")) < 1e-9); // the solver's tolerance
    CHECK(flows.at("flux.top") == flows.at("heat_flow.top"));
    CHECK(report_of(folder).find("where they meet") == std::string::npos);
  }
}

TEST_CASE("Sides of a cube that meet at its edges have equal flows", "[regression][device]") {
  const TemporaryFolder folder;
  const std::string file = folder.write("cube.yaml", cube);
  for (const char* order : {"discretization.order=1", "discretization.order=2"})
    for (const char* name : {"left", "right", "bottom", "top", "back", "front"}) {
      INFO(order << ", " << name);
      const auto flows = run_case(file, folder.file("out"), {order}).quantities;
      CHECK(std::fabs(flows.at(std::string("total_flux.") + name) + 1. / 6.) < 1e-9);
    }
}

TEST_CASE("A note reports boundaries whose values differ where they meet", "[regression]") {
  const TemporaryFolder folder;
  const std::string file = folder.write("plate.yaml", plate);
  run_case(file, folder.file("out"), {"problem.boundaries.top={temperature: 100}"});
  CHECK_THAT(report_of(folder),
             ContainsSubstring("'left' and 'top' have a different temperature where they meet, at (0, 1) m.") &&
                 ContainsSubstring("heat_flow.left, heat_flow.top") && ContainsSubstring("'right' and 'top'") &&
                 !ContainsSubstring("'left' and 'bottom'"));
}

TEST_CASE("A note reports bodies of unknown value that touch others", "[regression]") {
  const TemporaryFolder folder;
  const std::string file = folder.write("plate.yaml", plate);
  run_case(file, folder.file("out"), {"problem.boundaries.top={isothermal: {power: 1}}"});
  CHECK_THAT(report_of(folder),
             ContainsSubstring("problem.boundaries.top: 'top' has an unknown temperature and touches 'left' (") &&
                 ContainsSubstring("and the heat_flow of 'left' depend on the mesh") &&
                 ContainsSubstring("touches 'right'") && !ContainsSubstring("touches 'bottom'"));
  const std::string at_frequency = folder.write("harmonic.yaml", R"(tessera: 1
mesh: {box: {cells: [3, 3]}}
problem:
  physics: electro-quasistatics
  frequency: 50
  materials: {domain: {relative_permittivity: 4, conductivity: 1.0e-8}}
  boundaries: {left: {potential: 1}, top: {floating: {current: 1.0e-8}}}
output: {fields: []}
)");
  run_case(at_frequency, folder.file("out"), {});
  CHECK_THAT(report_of(folder),
             ContainsSubstring("touches 'left'") && ContainsSubstring("so that this potential depends on the mesh."));
#if TESSERA_HAVE_GMSH
  folder.write("edges.msh", R"($MeshFormat
2.2 0 8
$EndMeshFormat
$PhysicalNames
4
1 1 "low"
1 2 "high"
1 3 "side"
2 4 "domain"
$EndPhysicalNames
$Nodes
4
1 0 0 0
2 1 0 0
3 1 1 0
4 0 1 0
$EndNodes
$Elements
5
1 1 2 1 1 1 2
2 1 2 3 3 2 3
3 1 2 2 2 3 4
4 2 2 4 4 1 2 3
5 2 2 4 4 1 3 4
$EndElements
)");
  const std::string slab = folder.write("slab.yaml", R"(tessera: 1
mesh: {file: edges.msh}
problem:
  physics: current-flow
  materials: {domain: {conductivity: 1}}
  boundaries: {low: {potential: 0}, high: {terminal: {current: 1}}}
output: {fields: []}
)");
  run_case(slab, folder.file("out"), {});
  CHECK_THAT(report_of(folder), !ContainsSubstring("touches"));
  run_case(slab, folder.file("out"), {"problem.boundaries.side={potential: 0}"});
  CHECK_THAT(report_of(folder), ContainsSubstring("'high' has an unknown potential and touches 'side'") &&
                                    ContainsSubstring("at (1, 1) m"));
#endif
}

#if TESSERA_HAVE_GMSH
TEST_CASE("Boundaries do not meet in facets that belong to both", "[regression]") {
  const TemporaryFolder folder;
  // The unit square; its lower side is in two groups, in opposite directions.
  folder.write("twice.msh", R"($MeshFormat
2.2 0 8
$EndMeshFormat
$PhysicalNames
5
1 1 "low"
1 2 "again"
1 3 "side"
1 5 "high"
2 4 "domain"
$EndPhysicalNames
$Nodes
4
1 0 0 0
2 1 0 0
3 1 1 0
4 0 1 0
$EndNodes
$Elements
6
1 1 2 1 1 1 2
2 1 2 2 1 2 1
3 1 2 3 3 2 3
4 1 2 5 5 3 4
5 2 2 4 4 1 2 3
6 2 2 4 4 1 3 4
$EndElements
)");
  const std::string twice = folder.write("twice.yaml", R"(tessera: 1
mesh: {file: twice.msh, refine: 1}
problem:
  physics: current-flow
  materials: {domain: {conductivity: 1}}
  boundaries: {low: {potential: 0}, again: {potential: 1}}
output: {fields: [], quantities: [current]}
)");
  const auto note = ContainsSubstring("have a different potential where they meet");
  run_case(twice, folder.file("out"), {});
  CHECK_THAT(report_of(folder), !note);
  run_case(twice, folder.file("out"), {"problem.boundaries.side={potential: 2}"});
  CHECK_THAT(report_of(folder), !note);
  run_case(twice, folder.file("out"),
           {"problem.boundaries.side={potential: 2}", "problem.boundaries.high={potential: 3}"});
  CHECK_THAT(report_of(folder), ContainsSubstring("'side' and 'high' have a different potential where they meet") &&
                                    !ContainsSubstring("'low' and") && !ContainsSubstring("'again' and"));
}
#endif

TEST_CASE("A note reports what boundaries whose values differ where they meet do to energies", "[regression]") {
  const TemporaryFolder folder;
  const std::string file = folder.write("plate.yaml", plate);
  const auto note =
      ContainsSubstring("where they meet, at (0, 1) m. The field there is unbounded: energies and losses");
  const std::string regions = "output.quantities=[regions]";
  run_case(file, folder.file("out"), {"problem.boundaries.top={temperature: 100}", "output.surfaces=", regions});
  CHECK_THAT(report_of(folder), note);
  run_case(file, folder.file("out"), {"output.surfaces=", regions});
  CHECK_THAT(report_of(folder), !note);
  const std::string magnetic = folder.write("magnetic.yaml", R"(tessera: 1
mesh: {box: {cells: [4, 4]}}
problem:
  physics: magnetostatics
  materials: {domain: {relative_permeability: 1}}
  boundaries: {left: {vector_potential: 0}, top: {vector_potential: 1}}
output: {fields: [], quantities: [energy]}
)");
  run_case(magnetic, folder.file("out"), {});
  CHECK_THAT(report_of(folder), note && ContainsSubstring("'left' and 'top' have a different vector_potential"));
  run_case(magnetic, folder.file("out"), {"problem.boundaries.top.vector_potential=0*x"});
  CHECK_THAT(report_of(folder), !note);
}

} // namespace tessera::test
