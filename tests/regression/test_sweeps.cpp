// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/kokkos_ext/spaces.hpp"
#include "io/output/sweep_table.hpp"
#include "support/run_case.hpp"
#include "support/temporary_folder.hpp"

#include <catch2/catch_test_macros.hpp>

#include <chrono>
#include <cmath>
#include <filesystem>
#include <map>

namespace tessera::test {

namespace {

const std::string steps = TESSERA_SOURCE_DIR "/tests/regression/sweep.yaml";
const std::string saturated = TESSERA_SOURCE_DIR "/tests/regression/sweep-of-currents.yaml";

std::vector<io::Override> overrides(const std::vector<std::string>& settings, const std::string& directory) {
  std::vector<io::Override> list;
  for (const std::string& setting : settings)
    list.push_back(io::parse_override(setting, "--set"));
  list.push_back({"output.directory", directory, "--output"});
  return list;
}

io::SweepTable run_sweep(const std::string& file, const std::string& directory,
                         const std::vector<std::string>& settings, int exit_code = 0) {
  driver::RunOptions options;
  options.quiet = true;
  CHECK(driver::run_sweep(io::read_sweep(file, overrides(settings, directory)), options) == exit_code);
  return io::read_sweep_table(directory + "/" + io::sweep_table_name);
}

constexpr double rounding = 1e-18; // in J and C; the quantities are 1e-11 and more

/// Runs every point separately and compares; returns the sum of the iterations. `tolerance`: relative, 0 for identical
/// bits.
int check_against_runs(const std::string& file, const io::SweepTable& table, std::vector<std::string> settings,
                       const std::string& directory, double tolerance) {
  settings.push_back("sweep=");
  int iterations = 0;
  for (const auto& [number, row] : table.rows) {
    INFO("point " << number);
    std::vector<std::string> of_point = settings;
    for (std::size_t k = 0; k < table.keys.size(); ++k)
      of_point.push_back(table.keys[k] + "=" + row.values[k]);
    const driver::RunSummary run = run_case(file, directory, of_point);
    iterations += run.iterations;
    REQUIRE(run.quantities.size() == row.numbers.size());
    for (const auto& [name, text] : row.numbers) {
      INFO(name << " = " << text);
      const double expected = run.quantities.at(name.substr(0, name.find(" [")));
      if (tolerance == 0.)
        CHECK(std::stod(text) == expected);
      else
        CHECK(std::fabs(std::stod(text) - expected) <= tolerance * std::fabs(expected) + rounding);
    }
  }
  return iterations;
}

/// Number of points by what they reused of the previous one.
std::map<std::string, int> taken(const io::SweepTable& table) {
  std::map<std::string, int> counts;
  for (const auto& row : table.rows)
    ++counts[row.second.taken];
  return counts;
}

using Counts = std::map<std::string, int>;

} // namespace

TEST_CASE("A sweep over a periodic jump keeps the matrix", "[regression]") {
  const TemporaryFolder folder;
  const std::string file = folder.write("case.yaml", R"yaml(tessera: 1
mesh: {box: {cells: [8, 8]}}
problem:
  physics: current-flow
  materials: {domain: {conductivity: "1 + 3*step(sin(2*pi*(x - y)))"}}
  boundaries: {right: {periodic: {with: left, jump: 1}}, top: {periodic: bottom}}
solver: {relative_tolerance: 1.0e-12}
output: {fields: [], quantities: [losses]}
sweep: {vary: [{problem.boundaries.right.periodic.jump: [1, 2, -4]}]}
)yaml");
  const io::SweepTable table = run_sweep(file, folder.file("out"), {});
  REQUIRE(table.rows.size() == 3);
  CHECK(taken(table) == Counts{{"nothing", 1}, {"matrix", 2}});
  check_against_runs(file, table, {}, folder.file("one"), 1e-9);
}

TEST_CASE("Points of a sweep have the fluxes of their own material", "[regression]") {
  const TemporaryFolder folder;
  const std::string file = folder.write("case.yaml", R"yaml(tessera: 1
mesh: {box: {cells: [8, 8]}}
problem:
  physics: current-flow
  materials: {domain: {conductivity: "exp(3*x)"}}
  boundaries: {left: {potential: 0}, right: {potential: 1}}
discretization: {order: 2}
output: {fields: [], quantities: [regions]}
sweep: {vary: [{problem.materials.domain.conductivity: ["exp(3*x)", "1 + x"]}]}
)yaml");
  check_against_runs(file, run_sweep(file, folder.file("out"), {}), {}, folder.file("one"), 1e-8);
}

TEST_CASE("A sweep takes over what its keys allow and gives the results of single runs", "[regression][device]") {
  const TemporaryFolder folder;
  for (const std::string& backend : backend_names()) {
    INFO(backend);
    std::vector<std::string> settings{"execution.backend=" + backend};
    const io::SweepTable table = run_sweep(steps, folder.file(backend), settings);
    CHECK(table.rows.size() == 24);
    // For each scale and material, five of six points reuse the matrix of the first.
    CHECK(taken(table) == Counts{{"nothing", 2}, {"pattern", 2}, {"matrix", 20}});
    check_against_runs(steps, table, settings, folder.file("single"), 1e-8); // both solved to 1e-12
  }
}

TEST_CASE("Sweeps of problems in time have the quantities of the last step, and hold probes against what is expected",
          "[regression][device]") {
  const TemporaryFolder folder;
  const std::string file = input_file("dg-parabolic");
  const std::vector<std::string> coarse{"mesh.box.cells=[8, 8]",  "mesh.agglomerate.elements=16",
                                        "discretization.order=2", "problem.time.to=0.5",
                                        "output.every=1",         "output.quantities=[mean]"};
  const auto with = [&](const std::string& verification, bool sweeps) {
    std::vector<std::string> settings = coarse;
    settings.push_back("verification=" + verification);
    if (sweeps)
      settings.emplace_back("sweep={vary: [{problem.time.steps: [2, 3]}]}");
    return settings;
  };
  const io::SweepTable table = run_sweep(file, folder.file("out"), with("", true));
  CHECK(table.rows.size() == 2);
  check_against_runs(file, table, with("", false), folder.file("single"), 1e-6); // both solved to 1e-10 and better
  const std::string exact = "{probes: {centre: {value: {exact: \"sin(pi*x)*sin(pi*y)*(1 - t)\", tolerance: ";
  run_sweep(file, folder.file("loose"), with(exact + "0.5}}}}", true));
  run_sweep(file, folder.file("strict"), with(exact + "1e-12}}}}", true), 2); // unreachable on this mesh
}

TEST_CASE("The bits of a reproducible sweep are those of single runs", "[regression][device]") {
  const TemporaryFolder folder;
  const std::vector<std::string> settings{"execution.reproducible=true"};
  const io::SweepTable table = run_sweep(steps, folder.file("out"), settings);
  check_against_runs(steps, table, settings, folder.file("single"), 0.);
  // Aggregates made for another matrix would change the iterations.
  const std::vector<std::string> algebraic{
      "execution.reproducible=true", "solver.multigrid.type=algebraic",
      "sweep.vary=[{problem.materials.domain.relative_permittivity: [\"1 + 0.001*x\", \"1 + 1000*step(x - 1.6)\"]}]"};
  const io::SweepTable jump = run_sweep(steps, folder.file("jump"), algebraic);
  CHECK(taken(jump) == Counts{{"nothing", 1}, {"pattern", 1}});
  check_against_runs(steps, jump, algebraic, folder.file("single"), 0.);
}

TEST_CASE("A sweep of a nonlinear problem starts from the last solutions", "[regression][device]") {
  const TemporaryFolder folder;
  for (const std::string& backend : backend_names()) {
    INFO(backend);
    // All points far in saturation: a weakly saturated field as the initial value would save the next point no
    // iterations.
    const std::vector<std::string> settings{
        "execution.backend=" + backend, "sweep.vary=[{problem.coils.bar.current: {from: 500, to: 1000, points: 8}}]"};
    const io::SweepTable table = run_sweep(saturated, folder.file(backend), settings);
    CHECK(taken(table) == Counts{{"nothing", 1}, {"pattern", 7}});
    const int of_runs = // residuals of 1e-9, both
        check_against_runs(saturated, table, settings, folder.file("single"), 1e-6);
    int of_sweep = 0;
    for (const auto& row : table.rows)
      of_sweep += std::stoi(row.second.iterations);
    CHECK(of_sweep < 0.8 * of_runs);
  }
}

TEST_CASE("Sweeps of magnetic fields without a coil take over what they may", "[regression][device]") {
  const TemporaryFolder folder;
  const std::vector<std::string> common{"problem.coils=", "output.quantities=[energy, coenergy]"};
  const std::string linear = "problem.materials={domain: {relative_permeability: 100}}";
  const std::string magnet = "problem.materials={domain: {relative_permeability: 1, remanence: 1, direction: [1, 0]}}";
  const std::string density = "problem.sources={domain: {current_density: 1e4}}";
  int n_sweeps = 0;
  const auto check_sweep = [&](const std::vector<std::string>& own, const std::string& vary) {
    INFO(vary);
    std::vector<std::string> settings = common;
    settings.insert(settings.end(), own.begin(), own.end());
    settings.push_back("sweep.vary=[{" + vary + "}]");
    const io::SweepTable table = run_sweep(saturated, folder.file(std::to_string(++n_sweeps)), settings);
    Counts counts = taken(table);
    CHECK(counts["nothing"] == 1);
    CHECK(counts["pattern"] + counts["matrix"] == 2);
    check_against_runs(saturated, table, settings, folder.file("single"), 1e-6);
  };
  check_sweep({density}, "problem.sources.domain.current_density: [1e4, 2e4, -1e4]"); // with a B-H curve
  check_sweep({density, linear}, "problem.sources.domain.current_density: [1e4, 2e4, -1e4]");
  check_sweep({density, linear}, "problem.materials.domain.relative_permeability: [100, 10, 1]");
  check_sweep({density, linear}, "problem.boundaries.left.vector_potential: [0, 1, 2]");
  check_sweep({magnet}, "problem.materials.domain.remanence: [1, 0.5, 2]");
}

TEST_CASE("A sweep of line sources keeps the matrix", "[regression][device]") {
  const TemporaryFolder folder;
  const std::string plates = TESSERA_SOURCE_DIR "/tests/regression/plates.yaml";
  const std::vector<std::string> settings{
      "mesh.box={cells: [5, 4, 3], upper: [2, 1, 1]}", "output.probes=",
      "problem.line_sources={wire: {from: [0.1, 0.2, 0.3], to: [1.9, 0.7, 0.6], charge_per_length: 1e-9}}",
      "sweep.vary=[{problem.line_sources.wire.to: [[1.9, 0.7, 0.6], [0.7, 0.9, 0.1]]}, "
      "{problem.line_sources.wire.charge_per_length: [1e-9, 0]}]"};
  const io::SweepTable table = run_sweep(plates, folder.file("out"), settings);
  CHECK(taken(table) == Counts{{"nothing", 1}, {"matrix", 3}});
  check_against_runs(plates, table, settings, folder.file("single"), 1e-8);
}

TEST_CASE("A sweep of point sources keeps the matrix", "[regression][device]") {
  const TemporaryFolder folder;
  // Positions, strengths, and, with the material, the pattern.
  const std::vector<std::string> sources{
      "problem.point_sources={one: {at: [0.7, 0.4], charge: 1e-9}, two: {at: [2.1, 1.3], charge: -2e-9}}",
      "sweep.vary=[{problem.materials.domain.relative_permittivity: [3, 5]}, {problem.point_sources.one.at: "
      "[[0.7, 0.4], [1.51, 0.77], [2.4, 1.9]], problem.point_sources.two.charge: [-2e-9, 1e-9, 0]}]"};
  for (const std::string& backend : backend_names())
    for (const std::string reproducible : {"false", "true"}) {
      INFO(backend << ", reproducible: " << reproducible);
      std::vector<std::string> settings = sources;
      settings.insert(settings.end(), {"execution.backend=" + backend, "execution.reproducible=" + reproducible});
      const io::SweepTable table = run_sweep(steps, folder.file(backend + reproducible), settings);
      CHECK(table.rows.size() == 6);
      CHECK(taken(table) == Counts{{"nothing", 1}, {"pattern", 1}, {"matrix", 4}});
      check_against_runs(steps, table, settings, folder.file("single"), reproducible == "true" ? 0. : 1e-8);
    }
  // A point source added to a problem without any needs another right-hand side, but no other mesh.
  const std::vector<std::string> first{
      "sweep.vary=[{problem.point_sources: [{}, {one: {at: [0.7, 0.4], charge: 1e-9}}]}]"};
  const io::SweepTable table = run_sweep(steps, folder.file("first"), first);
  CHECK(taken(table) == Counts{{"nothing", 1}, {"mesh", 1}});
  check_against_runs(steps, table, first, folder.file("single"), 1e-8);
  // A point whose source lies outside the mesh fails; the others do not.
  const std::vector<std::string> outside{
      sources[0], "sweep.vary=[{problem.point_sources.one.at: [[0.7, 0.4], [7, 0.4], [1.5, 0.4]]}]"};
  const io::SweepTable holes = run_sweep(steps, folder.file("outside"), outside, 1);
  CHECK(holes.rows.at(2).state.find("lies outside of the mesh") != std::string::npos);
  CHECK(holes.rows.at(1).is_done());
  CHECK(holes.rows.at(3).is_done());
}

TEST_CASE("A sweep continues where an earlier one ended", "[regression]") {
  const TemporaryFolder folder;
  const std::vector<std::string> settings{"execution.reproducible=true"};
  const std::string path = folder.file("out") + "/" + io::sweep_table_name;
  const io::SweepTable whole = run_sweep(steps, folder.file("out"), settings);
  io::SweepTable part = whole;
  for (int point = 1; point <= 24; point += 3)
    part.rows.erase(point);
  part.rows.at(2).numbers.front().second = "7"; // shows whether the row is reused
  part.rows.at(3).state = "failed";             // has to be run again
  part.rows.at(5).input = "of another case";
  io::write_sweep_table(path, part);
  const io::SweepTable again = run_sweep(steps, folder.file("out"), settings);
  REQUIRE(again.rows.size() == 24);
  for (const auto& [number, row] : again.rows) {
    INFO("point " << number);
    CHECK(row.is_done());
    CHECK(row.values == whole.rows.at(number).values);
    CHECK((row.numbers == whole.rows.at(number).numbers) == (number != 2));
  }
}

#if TESSERA_HAVE_GMSH
TEST_CASE("A sweep runs points again after a file that its geometry includes has changed", "[regression]") {
  namespace fs = std::filesystem;
  const TemporaryFolder folder;
  folder.write("strip.geo", "SetFactory(\"OpenCASCADE\"); Include \"size.geo\";\nRectangle(1) = {0, 0, 0, 1, width};\n"
                            "Physical Surface(\"domain\") = {1}; Physical Curve(\"left\") = {4};\n"
                            "Physical Curve(\"right\") = {2};\n");
  const std::string size = folder.write("size.geo", "width = 1;\n");
  const std::vector<std::string> settings{"mesh={geometry: " + folder.file("strip.geo") + ", dimension: 2}",
                                          "problem.boundaries={left: {potential: 1}, right: {potential: 0}}",
                                          "output.probes=", "sweep.vary=[{mesh.scale: [1, 2]}]"};
  const auto energies = [&] {
    std::vector<double> values;
    const io::SweepTable table = run_sweep(steps, folder.file("out"), settings);
    for (const auto& [number, row] : table.rows)
      values.push_back(std::stod(*row.find("energy [J]")));
    return values;
  };
  const std::vector<double> first = energies();
  folder.write("size.geo", "width = 2;\n");
  fs::last_write_time(size, fs::last_write_time(size) + std::chrono::seconds(5));
  const std::vector<double> second = energies();
  REQUIRE(second.size() == 2);
  for (std::size_t i = 0; i < 2; ++i)
    CHECK(std::fabs(second[i] - 2. * first[i]) < 1e-6 * first[i]);
}
#endif

TEST_CASE("A point of a sweep that fails is reported, and the others are run", "[regression]") {
  const TemporaryFolder folder;
  // Two iterations do not converge; a load that is not finite is reported as an error.
  const io::SweepTable table =
      run_sweep(steps, folder.file("out"),
                {"sweep.vary=[{solver.max_iterations: [100, 2, 100]}, {problem.boundaries.left.potential: [1, "
                 "\"1/(x - x)\"]}]",
                 "solver.initial_guess=3"},
                1);
  REQUIRE(table.rows.size() == 6);
  for (const int point : {1, 5})
    CHECK(table.rows.at(point).is_done());
  CHECK(table.rows.at(3).state.find("not converged") != std::string::npos);
  for (const int point : {2, 4, 6}) {
    CHECK(table.rows.at(point).numbers.empty());
    CHECK(table.rows.at(point).state.find("is not finite") != std::string::npos);
  }
  CHECK(table.rows.at(1).numbers == table.rows.at(5).numbers);
}

TEST_CASE("A point that misses an expected value of its own is reported", "[regression]") {
  const TemporaryFolder folder;
  const io::SweepTable table = run_sweep(
      steps, folder.file("out"),
      {"sweep.vary=[{verification.quantities.energy.value: [1, 2]}]", "verification.quantities.energy.tolerance=1e-3"},
      2);
  CHECK(table.rows.at(2).state.find("energy differs from the expected") != std::string::npos);
}

TEST_CASE("Points of a sweep have output directories where they are asked for", "[regression]") {
  const TemporaryFolder folder;
  run_sweep(steps, folder.file("out"), {"sweep.vary=[{mesh.scale: [1, 2]}]", "sweep.keep_outputs=true"});
  for (const char* name : {"/report.yaml", "/sweep.csv", "/point-00001/fields.vtkhdf", "/point-00002/report.yaml"})
    CHECK(std::filesystem::exists(folder.file("out") + name));
}

} // namespace tessera::test
