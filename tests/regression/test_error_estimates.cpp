// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/error.hpp"
#include "io/input/yaml_reader.hpp"
#include "io/output/probes_file.hpp"
#include "io/output/sweep_table.hpp"
#include "physics/expressions/expression.hpp"
#include "support/run_case.hpp"
#include "support/temporary_folder.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

using Catch::Matchers::ContainsSubstring;

namespace tessera::test {

namespace {

/// A slab of a varying material, whose field no mesh represents exactly.
const char* const layers = R"(tessera: 1
mesh: {box: {cells: [8, 8]}}
problem:
  physics: electrostatics
  materials: {domain: {relative_permittivity: "1 + x + x*y"}}
  boundaries: {left: {potential: 1}, right: {potential: 0}}
output: {fields: [], quantities: [energy, charge, capacitance, regions], errors: true}
)";

driver::RunSummary run_text(const TemporaryFolder& folder, const std::string& text,
                            const std::vector<std::string>& settings = {}) {
  return run_case(folder.write("case.yaml", text), folder.file("out"), settings);
}

double estimated(const driver::RunSummary& summary, const std::string& name) {
  const auto found = summary.quantities.find("estimated_error." + name);
  return found == summary.quantities.end() ? -1. : found->second;
}

/// The temperature in the last row of a probe's table.
double end_of_probe(const driver::RunSummary& summary, const std::string& probe) {
  std::ifstream file(summary.directory + "/" + probe + ".csv");
  std::string head, line, last;
  std::getline(file, head);
  while (std::getline(file, line))
    last = line;
  std::istringstream names(head), values(last);
  std::string name, value;
  while (std::getline(names, name, ',') && std::getline(values, value, ','))
    if (name.rfind("temperature", 0) == 0)
      return std::stod(value);
  return std::nan("");
}

std::string notes_of(const driver::RunSummary& summary) {
  const io::YamlNode report = io::read_yaml(summary.directory + "/report.yaml");
  std::string all;
  if (const io::YamlNode* notes = report.find("notes"))
    for (const io::YamlNode& note : notes->items)
      all += note.text + '\n';
  return all;
}

} // namespace

TEST_CASE("The stated error of a quantity is above the true one, and below ten times it", "[regression][device]") {
  const TemporaryFolder folder;
  const std::vector<std::string> fine = {"mesh.box.cells=[128, 128]", "discretization.order=2", "output.errors=false"};
  const auto exact = run_text(folder, layers, fine);
  REQUIRE(exact.exit_code == 0);
  CHECK(exact.quantities.count("estimated_error.energy") == 0);
  for (const std::string order : {"1", "2"}) {
    INFO("order " << order);
    const auto run = run_text(folder, layers, {"discretization.order=" + order});
    REQUIRE(run.exit_code == 0);
    for (const std::string name : {"energy", "charge.left", "capacitance", "mean_electric_field.domain"}) {
      INFO(name);
      const double error = std::fabs(run.quantities.at(name) - exact.quantities.at(name));
      CHECK(error <= estimated(run, name));
      CHECK(error >= 0.1 * estimated(run, name));
    }
    const io::YamlNode report = io::read_yaml(run.directory + "/report.yaml");
    const io::YamlNode& energy = *report.find("quantities")->find("energy");
    CHECK(std::stod(energy.find("estimated_error")->text) == estimated(run, "energy"));
    CHECK(std::fabs(std::stod(energy.find("refined")->text) - exact.quantities.at("energy")) <
          0.5 * std::fabs(run.quantities.at("energy") - exact.quantities.at("energy")));
    CHECK(report.find("error_estimates") != nullptr);
    // A quantity that every mesh represents exactly keeps the solver's tolerance.
    CHECK(estimated(run, "volume.domain") > 0.);
    CHECK(estimated(run, "volume.domain") < 1e-8);
  }
}

TEST_CASE("Entries of matrices have estimated errors", "[regression]") {
  const TemporaryFolder folder;
  const auto run = run_text(folder, layers, {"output.quantities=[capacitance_matrix]"});
  REQUIRE(run.exit_code == 0);
  const io::YamlNode report = io::read_yaml(run.directory + "/report.yaml");
  const io::YamlNode& estimates = *report.find("capacitance_matrix")->find("estimates");
  const io::YamlNode& maxwell = *estimates.find("maxwell");
  REQUIRE(maxwell.find("error")->items.size() == 2);
  CHECK(std::stod(maxwell.find("error")->items[0].items[1].text) > 0.);
  CHECK(estimated(run, "capacitance_matrix.left.right") > 0.);
}

TEST_CASE("Errors are estimated with dg, Newton's method, eddy currents and adaptive meshes", "[regression]") {
  const TemporaryFolder folder;
  const auto dg = run_text(folder, layers, {"discretization={method: dg, order: 1}", "output.quantities=[energy]"});
  CHECK(estimated(dg, "energy") > 0.);
  const auto adaptive = run_text(folder, layers, {"mesh.adapt.target_error=0.05"});
  CHECK(estimated(adaptive, "energy") > 0.);
  const auto newton =
      run_case(TESSERA_SOURCE_DIR "/tests/regression/conduction.yaml", folder.file("newton"), {"output.errors=true"});
  CHECK(estimated(newton, "heat_flow.left") > 0.);
  const auto eddy = run_text(folder, R"(tessera: 1
mesh: {box: {cells: [8, 8], upper: [0.01, 0.01]}}
problem:
  physics: eddy-currents
  frequency: 1000
  materials: {domain: {relative_permeability: 1, conductivity: 5.8e7}}
  conductors: {bar: {regions: [domain], current: 1}}
  boundaries: {right: {vector_potential: 0}}
output: {fields: [], quantities: [losses], errors: true}
)");
  CHECK(eddy.exit_code == 0);
  CHECK(estimated(eddy, "losses") > 0.);
  CHECK(estimated(eddy, "resistance.bar") > 0.);
}

TEST_CASE("A run whose finer mesh does not fit or takes long has a note in place of estimates", "[regression]") {
  const TemporaryFolder folder;
  // 20 and 80 thousand unknowns.
  const std::vector<std::string> settings = {"mesh.box.cells=[140, 140]", "execution.memory_limit=0.012"};
  const auto full = run_text(folder, layers, settings);
  CHECK(full.exit_code == 0);
  CHECK(estimated(full, "energy") == -1.);
  CHECK_THAT(notes_of(full), ContainsSubstring("the errors of the quantities were not estimated") &&
                                 ContainsSubstring("execution.memory_limit"));
  const auto large = run_text(folder, layers, {"mesh.box.cells=[200, 200]", "output.errors=auto"});
  CHECK(large.exit_code == 0);
  CHECK(estimated(large, "energy") == -1.);
  CHECK_THAT(notes_of(large), ContainsSubstring("output.errors: true estimates them nevertheless"));
}

TEST_CASE("A solution that has not converged has no estimated errors", "[regression]") {
  const TemporaryFolder folder;
  const auto run = run_text(folder, layers, {"solver={max_iterations: 2, preconditioner: jacobi}"});
  CHECK(run.exit_code == 2);
  CHECK(estimated(run, "energy") == -1.);
}

TEST_CASE("Stated errors at the end of a transient run cover those in space and time", "[regression][device]") {
  const TemporaryFolder folder;
  const std::string text = R"(tessera: 1
mesh: {box: {cells: [12, 4]}}
problem:
  physics: heat
  materials: {domain: {thermal_conductivity: "1 + x*y", density: 1, specific_heat: 1}}
  boundaries: {left: {temperature: 1}, right: {convection: {coefficient: 2, ambient: 0}}}
  time: {to: 0.2, steps: 8}
  initial: 0
output: {fields: [], quantities: [heat_flow, heat_storage], errors: true,
  probes: {middle: {from: [0.2, 0.5], to: [0.8, 0.5], points: 7}}}
)";
  const auto exact =
      run_text(folder, text, {"mesh.box.cells=[96, 32]", "problem.time.steps=256", "output.errors=false"});
  const double middle = end_of_probe(exact, "middle");
  for (const std::string time :
       {"{to: 0.2, steps: 8}", "{to: 0.2, steps: 8, method: implicit-euler}", "{to: 0.2, tolerance: 1e-3}"}) {
    INFO(time);
    const auto run = run_text(folder, text, {"problem.time=" + time});
    REQUIRE(run.exit_code == 0);
    for (const std::string name : {"heat_flow.left", "heat_flow.right"}) {
      INFO(name);
      const double error = std::fabs(run.quantities.at(name) - exact.quantities.at(name));
      CHECK(error <= estimated(run, name));
      CHECK(estimated(run, name) < 0.1 * std::fabs(exact.quantities.at(name)));
    }
    const io::YamlNode report = io::read_yaml(run.directory + "/report.yaml");
    const io::YamlNode& column = *report.find("probe_errors")->find("middle")->find("temperature [K]");
    const double stated = std::stod(column.find("largest_estimated_error")->text);
    CHECK(std::fabs(end_of_probe(run, "middle") - middle) <= stated);
    CHECK(stated < 0.1 * std::stod(column.find("largest")->text));
  }
}

TEST_CASE("Stated errors contain that of the solver", "[regression]") {
  const TemporaryFolder folder; // order 2: the errors of both meshes are below these tolerances
  std::vector<std::string> settings = {"mesh.box.cells=[24, 24]", "discretization.order=2",
                                       "solver.preconditioner=jacobi", "solver.relative_tolerance=1e-12"};
  const auto exact = run_text(folder, layers, settings);
  for (const char* tolerance : {"1e-4", "1e-5"}) {
    settings.back() = std::string("solver.relative_tolerance=") + tolerance;
    const auto run = run_text(folder, layers, settings);
    REQUIRE(run.exit_code == 0);
    double largest = 0.; // of the stated errors without the solver's
    for (const char* name : {"energy", "charge.left", "charge.right", "capacitance"}) {
      const double difference = std::fabs(run.quantities.at(name) - exact.quantities.at(name));
      INFO(tolerance << ", " << name << ": " << difference);
      CHECK(difference <= estimated(run, name));
      largest = std::max(largest, difference / estimated(exact, name));
    }
    CHECK(largest > 1.);
  }
}

TEST_CASE("Probes have stated errors", "[regression]") {
  const TemporaryFolder folder;
  const std::vector<std::string> probe = {"output.quantities=[]",
                                          "output.probes={a: {from: [0.1, 0.5], to: [0.9, 0.5], points: 9}}"};
  const auto run = run_text(folder, layers, probe);
  REQUIRE(run.exit_code == 0);
  const io::YamlNode report = io::read_yaml(run.directory + "/report.yaml");
  const io::YamlNode& columns = *report.find("probe_errors")->find("a");
  REQUIRE(columns.find("potential [V]") != nullptr);
  CHECK(std::stod(columns.find("potential [V]")->find("largest_estimated_error")->text) > 1e-5);
  CHECK(columns.find("material [1]") == nullptr);
}

TEST_CASE("Errors of dg in time are those of half the steps, without fluxes, which are means over a step",
          "[regression]") {
  const TemporaryFolder folder;
  const std::string text = R"(tessera: 1
mesh: {box: {cells: [4, 4]}}
problem:
  physics: advection-diffusion-reaction
  time: {to: 1, steps: 2}
  materials: {domain: {diffusivity: 1}}
  boundaries: {left: {value: 1}}
discretization: {method: dg, order: 1}
output: {fields: [], quantities: [mean, total_flux], errors: true}
)";
  const auto run = run_text(folder, text);
  CHECK(run.exit_code == 0);
  CHECK(estimated(run, "mean") > 0.);
  CHECK(estimated(run, "total_flux.left") < 0.); // none
}

TEST_CASE("Points of a sweep have estimated errors where the input says true", "[regression]") {
  const TemporaryFolder folder;
  driver::RunOptions options;
  options.quiet = true;
  for (const bool on : {true, false}) {
    const std::string text = std::string(layers) + "sweep: {vary: [{mesh.box.cells: [[4, 4], [8, 8]]}]}\n";
    const io::Sweep sweep =
        io::read_sweep(folder.write("sweep.yaml", text), {{"output.directory", folder.file("out"), "--output"},
                                                          {"output.errors", on ? "true" : "auto", "--set"}});
    REQUIRE(driver::run_sweep(sweep, options) == 0);
    const io::SweepTable table = io::read_sweep_table(folder.file("out") + "/" + io::sweep_table_name);
    for (const auto& [number, row] : table.rows)
      CHECK((row.find("estimated_error.energy [J]") != nullptr) == on);
  }
}

#if TESSERA_HAVE_GMSH
TEST_CASE("The stated error of the force across a gap without elements of its size covers the true one",
          "[regression]") {
  const TemporaryFolder folder;
  const auto run = run_case(input_file("disc-over-plate"), folder.file("out"),
                            {"mesh.gap_elements=0", "output.fields=[]", "output.errors=true", "verification="});
  REQUIRE(run.exit_code == 0);
  const double exact = 21.143; // N
  for (const std::string name : {"force.magnet.axial", "force.plate.axial"}) {
    INFO(name);
    const double error = std::fabs(std::fabs(run.quantities.at(name)) - exact);
    CHECK(error > 0.2 * exact); // the mesh is as bad as the case wants it
    CHECK(error <= estimated(run, name));
    CHECK(error >= 0.1 * estimated(run, name));
  }
}

TEST_CASE("Estimating errors does not change the quantities", "[regression]") {
  const TemporaryFolder folder; // straight elements, whose finer mesh follows the curves
  for (const std::string name : {"coax", "round-wire"}) {
    const std::vector<std::string> off = {"output.fields=[]", "output.errors=false"};
    const std::vector<std::string> on = {"output.fields=[]", "output.errors=true"};
    const auto without = run_case(input_file(name), folder.file("off"), off);
    const auto with = run_case(input_file(name), folder.file("on"), on);
    for (const auto& [quantity, value] : without.quantities)
      CHECK(with.quantities.at(quantity) == value);
    CHECK(with.quantities.size() == 2 * without.quantities.size());
  }
}
#endif

namespace {

/// A quantity whose exact value is known.
struct Row {
  std::string of; ///< case and quantity
  double value;
  double exact;
  double stated; ///< negative: none
};

/// The largest errors at the points of probes, at the end of runs in time.
void add_probe_rows(const std::string& name, const driver::RunSummary& run,
                    const std::vector<io::ExpectedProbe>& expectations, std::vector<Row>& rows) {
  const io::YamlNode report = io::read_yaml(run.directory + "/report.yaml");
  const io::YamlNode* stated = report.find("probe_errors");
  for (const io::ExpectedProbe& expected : expectations) {
    const io::YamlNode* columns = stated == nullptr ? nullptr : stated->find(expected.probe);
    const auto table = io::read_rows(run.directory + "/" + expected.probe + ".csv", std::size_t(1) << 24);
    const auto column_of = [&](const std::string& column) {
      const auto found = std::find_if(table.front().begin(), table.front().end(), [&](const std::string& head) {
        return head.substr(0, head.find(' ')) == column;
      });
      return static_cast<std::size_t>(found - table.front().begin());
    };
    const auto number = [&](const std::vector<std::string>& row, const std::string& column) {
      const std::size_t k = column_of(column);
      return k < row.size() && !row[k].empty() ? std::stod(row[k]) : 0.;
    };
    const std::size_t k = column_of(expected.column);
    if (columns == nullptr || k == table.front().size() || columns->find(table.front()[k]) == nullptr)
      continue;
    double error = 0.;
    double largest = 0.;
    for (std::size_t i = 1; i < table.size(); ++i) {
      if (number(table[i], "t") != number(table.back(), "t") || table[i][k].empty())
        continue;
      const std::vector<std::string>& row = table[i];
      const double exact = expected.exact.is_constant
                               ? expected.exact.value
                               : physics::Expression::parse(expected.exact.text)(number(row, "x"), number(row, "y"),
                                                                                 number(row, "z"), number(row, "t"));
      error = std::max(error, std::fabs(std::stod(table[i][k]) - exact));
      largest = std::max(largest, std::fabs(exact));
    }
    const double limit = std::stod(columns->find(table.front()[k])->find("largest_estimated_error")->text);
    rows.push_back({name + " probe " + expected.probe + '.' + expected.column, largest + error, largest, limit});
  }
}

std::vector<Row> rows_of(const std::string& file, const TemporaryFolder& folder, std::vector<std::string> settings) {
  settings.insert(settings.end(), {"output.fields=[]", "output.report=false", "output.errors=auto"});
  io::Case input = read_case(file, folder.file("out"), settings);
  const std::vector<io::ExpectedQuantity> expectations = input.verification.quantities;
  const std::vector<io::ExpectedProbe> probes = input.verification.probes;
  if (expectations.empty() && probes.empty())
    return {};
  input.verification = {};
  driver::RunOptions options;
  options.quiet = true;
  const driver::RunSummary run = driver::run(input, options);
  std::vector<Row> rows;
  for (const io::ExpectedQuantity& expected : expectations)
    if (const auto found = run.quantities.find(expected.name); found != run.quantities.end())
      rows.push_back({std::filesystem::path(file).stem().string() + ' ' + expected.name, found->second, expected.value,
                      estimated(run, expected.name)});
  add_probe_rows(std::filesystem::path(file).stem().string(), run, probes, rows);
  return rows;
}

} // namespace

TEST_CASE("The stated errors of probes, in time, too, are above the true ones, and below ten times them",
          "[regression]") {
  const TemporaryFolder folder;
  const std::vector<std::pair<std::string, std::vector<std::string>>> cases = {
      {"heat-convection", {"discretization.order=1"}},
      {"heat-convection", {"discretization.order=2"}},
      {"dg-parabolic",
       {"discretization.order=2", "mesh.box.cells=[12, 12]", "mesh.agglomerate={elements: 72}",
        "problem.time={to: 0.5, steps: 4}",
        "verification={probes: {centre: {value: {exact: sin(pi*x)*sin(pi*y)*(1 - t), tolerance: 0.1}}}}"}},
      {"radiating-in-time", {"problem.time.tolerance=1e-5"}}};
  for (const auto& [name, settings] : cases) {
    INFO(name << ", " << settings.front());
    int n_probes = 0;
    for (const Row& row : rows_of(input_file(name), folder, settings)) {
      INFO(row.of);
      n_probes += row.of.find(" probe ") != std::string::npos ? 1 : 0;
      const double error = std::fabs(row.value - row.exact);
      CHECK(error <= row.stated);
      CHECK(error >= 0.1 * row.stated);
    }
    CHECK(n_probes == 1);
  }
}

TEST_CASE("Stated errors of all cases with exact values", "[.error-estimates]") {
  const TemporaryFolder folder;
  std::set<std::string> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(TESSERA_SOURCE_DIR "/inputs"))
    if (entry.path().extension() == ".yaml")
      files.insert(entry.path().string());
  const std::vector<std::vector<std::string>> variants = {{}, {"discretization.order=1"}, {"discretization.order=2"}};
  int n = 0, n_above = 0, n_tight = 0;
  for (const std::string& file : files)
    for (const std::vector<std::string>& settings : variants) {
      const std::string variant = settings.empty() ? "" : settings.front();
      std::vector<Row> rows;
      try {
        if (!io::read_sweep(file, {{"output.directory", folder.file("out"), "--output"}}).requested())
          rows = rows_of(file, folder, settings);
      } catch (const std::exception&) { // the setting does not suit the case
      }
      for (const Row& row : rows) {
        const double error = std::fabs(row.value - row.exact);
        n += row.stated >= 0. ? 1 : 0;
        n_above += row.stated >= error ? 1 : 0;
        n_tight += row.stated >= error && error >= 0.1 * row.stated ? 1 : 0;
        std::printf("%-60s %-24s %12.5g  true %8.2g  stated %8.2g  %s\n", row.of.c_str(), variant.c_str(), row.value,
                    error / std::fabs(row.exact), row.stated / std::fabs(row.exact),
                    row.stated < 0.            ? "none"
                    : row.stated < error       ? "BELOW"
                    : 0.1 * row.stated > error ? "wide"
                                               : "");
        std::fflush(stdout);
      }
    }
  std::printf("%d quantities, stated error above the true one: %d, and below ten times it: %d\n", n, n_above, n_tight);
  CHECK(n_above >= 0.95 * n);
  CHECK(n_tight >= 0.5 * n);
}

} // namespace tessera::test
