// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "io/hdf5_file.hpp"
#include "io/output/probes_file.hpp"
#include "support/is_near.hpp"
#include "support/run_case.hpp"
#include "support/temporary_folder.hpp"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace tessera::test {

namespace {

using Settings = std::vector<std::string>;

[[maybe_unused]] constexpr double eps0 = 8.8541878128e-12;
constexpr double mu0 = 1.25663706212e-6;

/// Conductivities that grow along the current; the current density is the same everywhere.
struct Flow {
  std::string name;
  Settings settings;
  std::string component; ///< of the current density
  double density;        ///< A/m^2
};

const std::vector<Flow>& flows() {
  // Between 0 and 1 V along x and z, around and along an axis; tensors rotated relative to the current.
  static const double exact = -3. / (1. - std::exp(-3.));
  static const std::vector<Flow> all = {
      {"plane", {}, "Jx", exact},
      {"tensor",
       {"problem.materials.domain.conductivity=[[\"exp(3*x)\", \"0.3*exp(3*x)\"], [\"0.3*exp(3*x)\", \"2*exp(3*x)\"]]",
        "problem.boundaries.top={current_density: \"0.3*3/(1 - exp(-3))\"}",
        "problem.boundaries.bottom={current_density: \"-0.3*3/(1 - exp(-3))\"}"},
       "Jx",
       exact},
      {"axis",
       {"problem.symmetry=axisymmetric", "problem.materials.domain.conductivity=exp(3*y)",
        "problem.boundaries={bottom: {potential: 0}, top: {potential: 1}}"},
       "Jy",
       exact},
      {"space",
       {"problem.materials.domain.conductivity=exp(3*z)", "problem.boundaries={back: {potential: 0}, front: "
                                                          "{potential: 1}}"},
       "Jz",
       exact},
  };
  return all;
}

/// Runs a flow on n cells in each direction and computes the relative error of its current density at a point.
driver::RunSummary run_flow(const TemporaryFolder& folder, const Flow& flow, int n, int order, bool recovered) {
  const bool is_solid = flow.name == "space";
  const std::string cells = std::to_string(n);
  const std::string z = is_solid ? ", 0.62" : "";
  const std::string on = recovered ? "true" : "false";
  Settings settings = {"mesh.box.cells=[" + cells + ", " + cells + (is_solid ? ", " + cells : "") + "]",
                       "discretization.order=" + std::to_string(order),
                       "output.probes={p: {points: [[0.53, 0.52" + z + "], [0.31, 0.87" + z + "], [0.72, 0.11" + z +
                           "]], recovered: " + on + "}}",
                       "output.lines={cut: {points: [[0.1, 0.599" + z + "], [0.9, 0.699" + z + "]]}}",
                       "output.recovered=" + on,
                       "verification={probes: {p: {" + flow.component + ": {exact: \"" + std::to_string(flow.density) +
                           "\"}}}}"};
  settings.insert(settings.end(), flow.settings.begin(), flow.settings.end());
  return run_case(folder.write("case.yaml", R"yaml(tessera: 1
mesh: {box: {cells: [4, 4]}}
problem:
  physics: current-flow
  materials: {domain: {conductivity: "exp(3*x)"}}
  boundaries: {left: {potential: 0}, right: {potential: 1}}
solver: {relative_tolerance: 1.0e-12}
output: {fields: [potential, current_density], quantities: [regions]}
)yaml"),
                  folder.file("out"), settings);
}

/// Largest relative errors of the current density of a run: at points, along a line, in the region, and in the file.
struct FlowErrors {
  double at_points, of_line, of_region, in_file;
};

FlowErrors errors_of(const Flow& flow, int n, int order, bool recovered) {
  const TemporaryFolder folder;
  const driver::RunSummary summary = run_flow(folder, flow, n, order, recovered);
  CHECK(summary.exit_code == 0);
  const double exact = std::fabs(flow.density);
  const bool is_tensor = flow.name == "tensor"; // J has another component, 0.3 times that of x
  const double length = is_tensor ? exact * std::hypot(1., 0.3) : exact;
  const auto error = [&](const std::string& name) { return std::fabs(summary.quantities.at(name) / length - 1.); };
  FlowErrors errors{};
  errors.at_points = summary.errors.at("p." + flow.component);
  errors.of_line = std::max({error("average_current_density.cut"), error("largest_current_density.cut"),
                             error("smallest_current_density.cut")});
  errors.of_region = std::max(error("mean_current_density.domain"), error("largest_current_density.domain"));
  const auto file = io::Hdf5File::open(folder.file("out") + "/fields.vtkhdf");
  const auto values =
      file.read<double>(std::string("/VTKHDF/") + (recovered ? "Point" : "Cell") + "Data/current_density");
  const std::size_t component = flow.component == "Jx" ? 0 : flow.component == "Jy" ? 1 : 2;
  for (std::size_t i = component; i < values.size(); i += 3)
    errors.in_file = std::max(errors.in_file, std::fabs(values[i] / flow.density - 1.));
  return errors;
}

} // namespace

// With the mean coefficient of an element, all of them would be of order 1.
TEST_CASE("Fluxes of materials that vary within regions have the order of the field", "[regression][device]") {
  for (const Flow& flow : flows())
    for (const bool recovered : {false, true})
      for (const int order : {1, 2}) {
        if (order == 1 && !recovered)
          continue; // the gradient itself is of order 1
        const bool is_solid = flow.name == "space";
        const int n = is_solid ? 4 : 8;
        const FlowErrors coarse = errors_of(flow, n, order, recovered);
        const FlowErrors fine = errors_of(flow, 2 * n, order, recovered);
        INFO(flow.name << ", order " << order << (recovered ? ", recovered" : "") << ": points " << coarse.at_points
                       << ", " << fine.at_points << ", line " << coarse.of_line << ", " << fine.of_line << ", region "
                       << coarse.of_region << ", " << fine.of_region << ", file " << coarse.in_file << ", "
                       << fine.in_file);
        // The mean coefficient of an element of size h has an error of at least order h. Positions in the elements
        // differ, so orders can be checked only for the extremes of regions and files.
        const double h = 1. / (2. * n);
        CHECK(fine.at_points < 3. * h * h);
        CHECK(fine.of_line < 3. * h * h);
        if (order == 2) // those of regions use the elementwise fields
          CHECK(fine.of_region < 0.3 * coarse.of_region);
        CHECK(fine.in_file < 0.4 * coarse.in_file);
      }
}

TEST_CASE("Elements take a material that jumps in their faces from their own side", "[regression][device]") {
  const TemporaryFolder folder;
  const std::string layers = folder.write("layers.yaml", R"yaml(tessera: 1
mesh: {box: {cells: [8, 3]}}
problem:
  physics: current-flow
  materials: {domain: {conductivity: 1}}
  boundaries: {left: {potential: 1}, right: {potential: 0}}
discretization: {order: 2}
solver: {relative_tolerance: 1.0e-13}
output:
  fields: []
  quantities: [losses]
  probes: {p: {points: [[0.5, 0.31], [0.5, 0.5], [0.25, 0.5]], recovered: false}}
  lines: {n: {points: [[0.5, 0], [0.5, 1]]}}
)yaml");
  for (const char* conductivity : {"x < 0.5 ? 400 : 1", "x <= 0.5 ? 400 : 1", "x == 0.5 ? 7 : x < 0.5 ? 400 : 1"}) {
    const double exact = 1. / (0.5 / 400. + 0.5);
    const auto summary = run_case(layers, folder.file("out"),
                                  {std::string("problem.materials.domain.conductivity=") + conductivity,
                                   "verification={probes: {p: {Jx: {exact: \"1/(0.5/400 + 0.5)\"}}}}"});
    INFO(conductivity);
    CHECK(summary.errors.at("p.Jx") < 1e-7);
    CHECK(is_near(summary.quantities.at("flux.n"), exact, 1e-7));
  }
}

TEST_CASE("H of a magnet whose direction varies is that of its remanence at the point", "[regression][device]") {
  for (const char* symmetry : {"planar", "axisymmetric"})
    for (const int order : {1, 2})
      for (const char* recovered : {"false", "true"}) {
        INFO(symmetry << ", order " << order << ", recovered: " << recovered);
        const TemporaryFolder folder;
        const std::string file = folder.write("case.yaml", R"yaml(tessera: 1
mesh: {box: {cells: [8, 8], upper: [0.02, 0.02]}}
problem:
  physics: magnetostatics
  materials: {domain: {relative_permeability: 1.05, remanence: 1.1, direction: ["cos(400*x)", "sin(400*x)"]}}
  boundaries: {left: {vector_potential: 0}}
output: {fields: [], quantities: [energy]}
)yaml");
        Settings settings = {
            std::string("problem.symmetry=") + symmetry, "discretization.order=" + std::to_string(order),
            std::string("output.probes={p: {points: [[0.0053, 0.0052], [0.0151, 0.0121]], recovered: ") + recovered +
                "}}"};
        REQUIRE(run_case(file, folder.file("out"), settings).exit_code == 0);
        const auto rows = io::read_rows(folder.file("out/p.csv"), 100000);
        REQUIRE(rows.size() == 3);
        const std::string across = std::string(symmetry) == "planar" ? "x" : "r";
        const std::string along = std::string(symmetry) == "planar" ? "y" : "z";
        const auto number = [&](std::size_t row, const std::string& name) {
          for (std::size_t c = 0; c < rows[0].size(); ++c)
            if (rows[0][c].rfind(name + " ", 0) == 0)
              return std::stod(rows[row][c]);
          return std::nan("");
        };
        for (std::size_t row = 1; row < rows.size(); ++row) {
          const double x = number(row, "x");
          CHECK(std::fabs(1.05 * mu0 * number(row, "H" + across) - number(row, "B" + across) +
                          1.1 * std::cos(400. * x)) < 1e-6);
          CHECK(std::fabs(1.05 * mu0 * number(row, "H" + along) - number(row, "B" + along) + 1.1 * std::sin(400. * x)) <
                1e-6);
        }
      }
}

#if TESSERA_HAVE_GMSH
// With the mean tensor of an element, D on the axis would have a transverse component ten times its length.
TEST_CASE("D in a shell is that of the shell's tensor at the point", "[regression][device]") {
  const TemporaryFolder folder;
  for (const char* recovered : {"false", "true"}) {
    INFO("recovered: " << recovered);
    REQUIRE(run_case(TESSERA_SOURCE_DIR "/inputs/isolated-sphere/isolated-sphere-shell.yaml", folder.file("out"),
                     {std::string("output.probes={p: {points: [[0, 0.019], [0, 0.0151], [0.0121, 0.0033], [0.011, "
                                  "0.0149]], recovered: ") +
                      recovered + "}}"})
                .exit_code == 0);
    const auto rows = io::read_rows(folder.file("out/p.csv"), 100000);
    REQUIRE(rows.size() == 5);
    REQUIRE(rows[0][6] == "Dx [C/m^2]");
    for (std::size_t row = 1; row < rows.size(); ++row) {
      const auto number = [&](std::size_t c) { return std::stod(rows[row][c]); };
      const double radius = std::hypot(number(0), number(1));
      const double exact = 0.01 * eps0 / (radius * radius);
      const double off =
          std::hypot(number(6) - exact * number(0) / radius, number(7) - exact * number(1) / radius) / exact;
      INFO("radius " << radius << ": " << off);
      // Elementwise fields have the error of a small field, times a coefficient that grows outwards without bound.
      CHECK(off < (std::string(recovered) == "true" ? 0.01 : 0.2));
    }
  }
}
#endif

} // namespace tessera::test
