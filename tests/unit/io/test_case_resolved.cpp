// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/error.hpp"
#include "core/kokkos_ext/backends.hpp"
#include "io/input/case_reader.hpp"
#include "io/input/resolved.hpp"
#include "io/output/report.hpp"

#include <catch2/catch_test_macros.hpp>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>
#include <string>

using namespace tessera::io;
namespace fs = std::filesystem;

namespace {

/// A folder that is removed at the end of the test.
struct Folder {
  fs::path path = fs::temp_directory_path() / ("tessera-io-" + std::to_string(::getpid()));
  Folder() { fs::create_directories(path); }
  ~Folder() { fs::remove_all(path); }
  std::string file(const std::string& name) const { return (path / name).string(); }
};

} // namespace

TEST_CASE("the resolved input reads back as the same case", "[io][host]") {
  const Folder folder;
  std::ofstream(folder.file("plates.geo")) << "// empty";
  const std::string inputs[] = {R"yaml(tessera: 1
title: "A: \"title\" # with signs"
mesh: {geometry: plates.geo, dimension: 2, parameters: {gap: 0.79375e-3, w: 1/3}, sizes: {air: 1.0e-3, plate: 1/7}, refine_at: [{point: [0, 1/3], size: 1.0e-4}, {point: [1, 2], size: 1, radius: 0.5}], size_factor: 0.5, levels: 2, gap_elements: 5, refine: 1}
problem:
  physics: electrostatics
  depth: 0.0508
  materials: {air: {relative_permittivity: 1.0}, glass: {relative_permittivity: [5, "4 + x"]}}
  sources: {air: {charge_density: "x < 0 ? 1e-6 : 0"}}
  boundaries:
    high: {potential: 48}
    low: {potential: 0}
    "odd name, with: signs": {surface_charge: 1e-9*y}
    far: {robin: {coefficient: 1e-10, reference: 0}}
    body: {floating: {charge: 1e-12}}
output:
  fields: [potential, electric_field, flux_density, material]
  quantities: [energy, charge, capacitance]
  conductors: [high, low]
  probes: {axis: {from: [0, -1e-3], to: [0, 1e-3], points: 201}, spots: {points: [[0, 0], [1, 0.1]]}}
verification: {exact: "sin(pi*x)*sin(pi*y)", gradient: ["pi*cos(pi*x)*sin(pi*y)", "pi*sin(pi*x)*cos(pi*y)"],
  quantities: {capacitance: {value: 1.2345678901234567e-11, tolerance: 1e-3}},
  probes: {axis: {Ex: {exact: "1 + y", tolerance: 0.1}, potential: {exact: 2}}}}
)yaml",
                                R"yaml(tessera: 1
mesh: {box: {cells: [2, 3, 4], lower: [0.1, 0, 0], upper: [1, 2, 0.3]}, ordering: none}
problem:
  physics: diffusion
  materials: {domain: {diffusivity: 2}}
  boundaries: {left: {value: z}, right: {equivalue: {total_flux: 0.1}}}
discretization: {order: 2}
assembly: {strategy: ebe-stored, coloring: ofcm}
solver: {initial_guess: x*y, absolute_tolerance: 1e-30}
execution: {backend: )yaml" + tessera::backend_names().front() +
                                    R"yaml(, threads: 3, reproducible: true}
)yaml",
                                R"yaml(tessera: 1
mesh: {box: {cells: [4, 4]}}
problem:
  physics: diffusion
  materials: {domain: {diffusivity: 2}}
  boundaries: {left: {value: 1}, right: {equivalue: {total_flux: 0.1}}}
solver:
  preconditioner: multigrid
  multigrid: {type: geometric, cycle: W, precision: double, replicated_size: 5000}
)yaml",
                                R"yaml(tessera: 1
mesh: {box: {cells: [4, 4]}}
problem:
  physics: diffusion
  materials: {domain: {diffusivity: 2}}
  boundaries: {left: {value: 1}}
solver: {preconditioner: auto, multigrid: {cycle: W}}
)yaml"}; // multigrid options of the input are preserved
  for (const std::string& text : inputs) {
    const Case first = read_case_text(text, folder.file("a.yaml"));
    const std::string resolved = resolved_text(first);
    INFO(resolved);
    const Case second = read_case_text(resolved, folder.file("b.yaml"));
    CHECK(resolved_text(second) == resolved);
    CHECK(second.title == first.title);
    CHECK(second.mesh.parameters == first.mesh.parameters);
    CHECK(second.mesh.box.lower == first.mesh.box.lower);
    CHECK(second.problem.boundaries.back().total == first.problem.boundaries.back().total);
    CHECK(second.output.directory == first.output.directory);
    CHECK(second.execution.backend == first.execution.backend);
    CHECK(second.solver.preconditioner == first.solver.preconditioner);
    CHECK(second.solver.multigrid_given == first.solver.multigrid_given);
    CHECK(second.solver.multigrid.type == first.solver.multigrid.type);
    CHECK(second.solver.multigrid.cycle == first.solver.multigrid.cycle);
    CHECK(second.solver.multigrid.precision == first.solver.multigrid.precision);
    CHECK(second.solver.multigrid.replicated_size == first.solver.multigrid.replicated_size);
  }
}

TEST_CASE("reports are YAML with all digits", "[io][host]") {
  ReportNode report;
  report["backend"] = "openmp";
  report["nodes"] = std::int64_t(3000000000);
  report["third"] = 1. / 3.;
  report["tenth"] = 0.1;
  report["bad"] = std::numeric_limits<double>::quiet_NaN();
  report["converged"] = true;
  report["number_like"] = "1e5";
  report["word"] = "no";
  report["text"] = "a: b # c \"d\"\n";
  report["nothing"].set_map();
  ReportNode& phase = report["phases"].append().flow();
  phase["name"] = "mesh";
  phase["seconds"] = 0.25;
  ReportNode& block = report["colors"].append();
  block["largest"] = 7;
  block["smallest"] = 5;
  report["history"] = std::vector<double>(100, 1. / 3.);
  report["history"].comment("relative residual");
  const std::string text = to_yaml(report);
  INFO(text);

  const YamlNode tree = parse_yaml(text, "report.yaml");
  CHECK(tree.find("nodes")->text == "3000000000");
  CHECK(std::stod(tree.find("third")->text) == 1. / 3.);
  CHECK(tree.find("tenth")->text == "0.1");
  CHECK(tree.find("bad")->text == ".nan");
  CHECK(tree.find("text")->text == "a: b # c \"d\"\n");
  CHECK(text.find("number_like: \"1e5\"") != std::string::npos);
  CHECK(text.find("word: \"no\"") != std::string::npos);
  CHECK(text.find("nothing: {}") != std::string::npos);
  CHECK(text.find("- {name: mesh, seconds: 0.25}") != std::string::npos);
  CHECK(text.find("# relative residual\nhistory: [") != std::string::npos);
  CHECK(tree.find("phases")->items[0].find("name")->text == "mesh");
  CHECK(tree.find("colors")->items[0].find("smallest")->text == "5");
  CHECK(tree.find("history")->items.size() == 100);
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    CHECK(line.size() <= 121);
}
