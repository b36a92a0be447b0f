// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/kokkos_ext/backends.hpp"
#include "core/memory.hpp"
#include "core/types.hpp"
#include "io/input/yaml_reader.hpp"
#include "support/run_case.hpp"
#include "support/temporary_folder.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iomanip>
#include <sstream>

namespace tessera::test {

namespace {

using Catch::Matchers::ContainsSubstring;
using Settings = std::vector<std::string>;

constexpr double eps0 = 8.8541878128e-12;
constexpr double rounding = 1e-9; // mainly the solver's tolerance

std::string plates() { return TESSERA_SOURCE_DIR "/tests/regression/plates.yaml"; }

Settings with(Settings settings, const Settings& more) {
  settings.insert(settings.end(), more.begin(), more.end());
  return settings;
}

/// Two opposite plates of one square metre, 2 m apart, with relative permittivity 3.
const Settings matrix_of_plates = {"output.quantities=[capacitance_matrix]", "output.fields=[]", "output.probes="};

void check_plates(const driver::RunSummary& summary, double exact) {
  REQUIRE(summary.exit_code == 0);
  const auto& values = summary.quantities;
  CHECK(std::fabs(values.at("capacitance_matrix.left.left") - exact) <= rounding * exact);
  CHECK(std::fabs(values.at("capacitance_matrix.right.right") - exact) <= rounding * exact);
  CHECK(std::fabs(values.at("capacitance_matrix.left.right") + exact) <= rounding * exact);
  CHECK(std::fabs(values.at("capacitance_matrix.right.left") + exact) <= rounding * exact);
  CHECK(std::fabs(values.at("mutual_capacitance.right.left") - exact) <= rounding * exact);
  CHECK(std::fabs(values.at("mutual_capacitance.left.left")) <= rounding * exact); // no ground
}

std::string text_of(const std::string& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

std::string message_of(const Settings& settings) {
  const TemporaryFolder folder;
  try {
    run_case(plates(), folder.file("out"), settings);
  } catch (const Error& error) {
    CHECK(error.exit_code() == 1);
    return error.what();
  }
  return "no error";
}

/// A host backend: openmp if the build has it.
std::string with_threads() {
  const std::vector<std::string> names = backend_names();
  return std::find(names.begin(), names.end(), "openmp") != names.end() ? "openmp" : names.front();
}

} // namespace

TEST_CASE("The capacitance matrix belongs to geometry and materials, whatever the run's potentials and charges are",
          "[regression][device]") {
  const TemporaryFolder folder;
  const double exact = 3. * eps0 / 2.;
  check_plates(run_case(plates(), folder.file("out"), matrix_of_plates), exact);
  check_plates(run_case(plates(), folder.file("out"),
                        with(matrix_of_plates, {"problem.sources={domain: {charge_density: 1e-9}}",
                                                "problem.boundaries.top={surface_charge: 1e-9}"})),
               exact);
  for (const char* strategy : {"atomic", "colored", "a-coo", "ebe-recomputed", "ebe-stored"})
    check_plates(
        run_case(plates(), folder.file("out"), with(matrix_of_plates, {std::string("assembly.strategy=") + strategy})),
        exact);
  check_plates(run_case(plates(), folder.file("out"),
                        with(matrix_of_plates, {"problem.boundaries.right={floating: {charge: 1e-11}}"})),
               exact);
  check_plates(run_case(plates(), folder.file("out"),
                        with(matrix_of_plates, {"mesh.box={cells: [5, 3, 2], lower: [0, 0, 0], upper: [2, 1, 1]}",
                                                "solver.preconditioner=multigrid"})),
               exact);
  // An absolute tolerance applies to the run's given potentials.
  check_plates(run_case(plates(), folder.file("out"),
                        with(matrix_of_plates, {"problem.boundaries.left.potential=1e6", "solver.relative_tolerance=0",
                                                "solver.absolute_tolerance=1e-11"})),
               exact);
}

TEST_CASE("The quantities of the run do not change with a matrix next to them", "[regression][device]") {
  const TemporaryFolder folder;
  const Settings settings = {"output.quantities=[energy, charge, capacitance]", "execution.reproducible=true",
                             "problem.boundaries.right={floating: {charge: 1e-11}}"};
  const auto without = run_case(plates(), folder.file("out"), settings);
  const auto joint = run_case(plates(), folder.file("out"),
                              with(settings, {"output.quantities=[energy, charge, capacitance, capacitance_matrix]"}));
  for (const auto& quantity : without.quantities) {
    INFO(quantity.first);
    CHECK(joint.quantities.at(quantity.first) == quantity.second);
  }
  const auto again = run_case(plates(), folder.file("out"),
                              with(settings, {"output.quantities=[energy, charge, capacitance, capacitance_matrix]",
                                              "execution.backend=" + backend_names().front()}));
  CHECK(again.quantities == joint.quantities); // the same bits
}

TEST_CASE("Right-hand sides that are solved together have the bits of those one by one, and fewer are where memory is "
          "short",
          "[regression]") {
  const TemporaryFolder folder;
  const char* preconditioner = GENERATE("jacobi", "multigrid", "none");
  const Settings settings =
      with(matrix_of_plates, {"mesh.box={cells: [96, 40], lower: [0, 0], upper: [2, 1]}",
                              std::string("solver.preconditioner=") + preconditioner, "assembly.strategy=row-gather",
                              "execution.backend=" + with_threads()}); // devices solve small systems by one kernel each
  // Peaks include all memory of the process. Other tests leave some allocated: Kokkos, for example, keeps the scratch
  // memory of teams.
  const Kokkos::View<double*, Kokkos::HostSpace> held("test::held", 1 << 22);
  const auto run_with = [&](const Settings& more, std::string* together, std::string* estimate) {
    const auto before = static_cast<double>(MemoryLedger::current_bytes());
    REQUIRE(before >= 8. * static_cast<double>(held.extent(0)));
    const auto summary = run_case(plates(), folder.file("out"), with(settings, more));
    REQUIRE(summary.exit_code == 0);
    const io::YamlNode report = io::read_yaml(folder.file("out") + "/report.yaml");
    *together = report.find("capacitance_matrix")->find("solved_together")->text;
    *estimate = report.find("memory")->find("estimated_peak_bytes")->text;
    double peak = 0.;
    for (const io::YamlNode& phase : report.find("phases")->items)
      peak = std::max(peak, std::stod(phase.find("peak_bytes")->text) - before);
    INFO(preconditioner << ", " << *together << " together: " << peak << " of " << *estimate << " bytes");
    // An upper bound: fixed nodes count as unknowns, and multigrid may be in double precision.
    CHECK(peak <= std::stod(*estimate));
    CHECK(std::stod(*estimate) <= (std::string(preconditioner) == "multigrid" ? 2. : 1.35) * peak);
    return summary.quantities;
  };
  std::string together;
  std::string estimate;
  const auto all = run_with({}, &together, &estimate);
  const std::string bytes = estimate;
  CHECK(together == "4");
  std::ostringstream limit; // just below the estimate, in GiB
  limit << "execution.memory_limit=" << std::setprecision(17) << 0.99 * std::stod(bytes) / (1024. * 1024. * 1024.);
  const auto one_by_one = run_with({limit.str()}, &together, &estimate);
  CHECK(together == "1");
  CHECK(std::stod(estimate) < std::stod(bytes));
  CHECK(one_by_one == all);
}

TEST_CASE("A ground is held at zero and left out; the reference of a robin condition counts as zero, too",
          "[regression]") {
  const TemporaryFolder folder;
  const double exact = 3. * eps0 / 2.;
  const auto grounded = run_case(plates(), folder.file("out"), with(matrix_of_plates, {"output.ground=right"}));
  CHECK(grounded.quantities.count("capacitance_matrix.left.right") == 0);
  CHECK(std::fabs(grounded.quantities.at("mutual_capacitance.left.left") - exact) <= rounding * exact);
  const auto to_reference = [&](const char* reference) {
    return run_case(
               plates(), folder.file("out"),
               with(matrix_of_plates, {std::string("problem.boundaries.top={robin: {coefficient: 1e-11, reference: ") +
                                       reference + "}}"}))
        .quantities;
  };
  const auto zero = to_reference("0");
  const auto five = to_reference("5");
  CHECK(zero.at("mutual_capacitance.left.left") > 0.1 * exact);
  for (const auto& quantity : zero)
    CHECK(std::fabs(five.at(quantity.first) - quantity.second) <= rounding * exact);
  const auto named = run_case(plates(), folder.file("out"), with(matrix_of_plates, {"output.conductors=[left]"}));
  CHECK(named.quantities == grounded.quantities);
  const io::YamlNode report = io::read_yaml(folder.file("out") + "/report.yaml");
  const io::YamlNode* matrix = report.find("capacitance_matrix");
  REQUIRE(matrix != nullptr);
  CHECK(matrix->find("unit")->text == "F/m");
  CHECK(matrix->find("ground")->items.at(0).text == "right");
  CHECK(matrix->find("maxwell")->items.size() == 1);
  const auto deep = run_case(plates(), folder.file("out"), with(matrix_of_plates, {"problem.depth=0.5"}));
  CHECK(std::fabs(deep.quantities.at("capacitance_matrix.left.left") - 0.5 * exact) <= rounding * exact);
  const std::string table = text_of(folder.file("out") + "/capacitance_matrix.csv");
  CHECK(table.substr(0, table.find('\n')) == "form,conductors,left,right");
  CHECK_THAT(table, ContainsSubstring("\nmaxwell [F],right,") && ContainsSubstring("\nmutual [F],left,"));
}

TEST_CASE(
    "Loads that are distinguished from few are those of one by one, and where rows answer to two conductors each is "
    "made by itself",
    "[regression]") {
#if TESSERA_HAVE_GMSH
  const TemporaryFolder folder;
  const std::string file = TESSERA_SOURCE_DIR "/inputs/twenty-wires/twenty-wires.yaml";
  const char* size = GENERATE("1.0e-3", "4.0e-3"); // nodes between two wires see both
  const Settings settings = {std::string("mesh.parameters.size=") + size,
                             "discretization.order=1",
                             "verification=",
                             "output.fields=[]",
                             "execution.backend=" + backend_names().front(),
                             "assembly.strategy=row-gather",
                             "problem.sources={air: {charge_density: 1e-6}}"};
  const auto together = run_case(file, folder.file("out"), settings);
  const io::YamlNode report = io::read_yaml(folder.file("out") + "/report.yaml");
  CHECK(report.find("capacitance_matrix")->find("solved_together")->text == "8");
  const double bytes = std::stod(report.find("memory")->find("estimated_peak_bytes")->text);
  std::ostringstream limit;
  limit << "execution.memory_limit=" << std::setprecision(17) << bytes / (2. * 1024. * 1024. * 1024.);
  const auto one_by_one = run_case(file, folder.file("out"), with(settings, {limit.str()}));
  const io::YamlNode other = io::read_yaml(folder.file("out") + "/report.yaml");
  CHECK(other.find("capacitance_matrix")->find("solved_together")->text == "1");
  CHECK(one_by_one.quantities.size() == 800);
  CHECK(one_by_one.quantities == together.quantities);
#else
  SKIP("without Gmsh");
#endif
}

TEST_CASE("Conductances between terminals and between boundaries of one temperature are those of a bar",
          "[regression][device]") {
  const TemporaryFolder folder;
  const double exact = 3. / 2.;
  const auto check = [&](const std::string& problem, const std::string& name, const std::string& mutual,
                         const std::string& unit) {
    INFO(name);
    const auto summary = run_case(plates(), folder.file("out"),
                                  {"problem=" + problem, "output={fields: [], quantities: [" + name + "]}"});
    REQUIRE(summary.exit_code == 0);
    const auto& values = summary.quantities;
    CHECK(std::fabs(values.at(name + ".left.left") - exact) <= rounding * exact);
    CHECK(std::fabs(values.at(name + ".left.right") + exact) <= rounding * exact);
    CHECK(std::fabs(values.at(mutual + ".right.left") - exact) <= rounding * exact);
    CHECK(std::fabs(values.at(mutual + ".right.right")) <= rounding * exact);
    const io::YamlNode report = io::read_yaml(folder.file("out") + "/report.yaml");
    REQUIRE(report.find(name) != nullptr);
    CHECK(report.find(name)->find("unit")->text == unit);
    CHECK(report.find(name)->find("nodal")->items.size() == 2);
    CHECK_THAT(text_of(folder.file("out") + "/" + name + ".csv"), ContainsSubstring("\nnodal [" + unit + "],left,"));
  };
  check("{physics: current-flow, materials: {domain: {conductivity: 3}}, boundaries: {left: {potential: 7}, right: "
        "{terminal: {current: 1}}}}",
        "conductance_matrix", "mutual_conductance", "S/m");
  check("{physics: heat, depth: 2, materials: {domain: {thermal_conductivity: 1.5}}, boundaries: {left: "
        "{temperature: 300}, right: {temperature: 280}}}",
        "thermal_conductance_matrix", "mutual_thermal_conductance", "W/K");
  // Radiation is nonlinear.
  CHECK_THAT(message_of({"problem={physics: heat, materials: {domain: {thermal_conductivity: 3}}, boundaries: {left: "
                         "{temperature: 300}, right: {temperature: 280}, top: {radiation: {emissivity: 0.9, ambient: "
                         "300}}}}",
                         "output={quantities: [thermal_conductance_matrix]}"}),
             ContainsSubstring("the thermal conductance matrix is that of linear problems, but 'top' radiates"));
  CHECK_THAT(message_of({"problem={physics: current-flow, materials: {domain: {conductivity: 3}}, boundaries: {left: "
                         "{potential: 7}, right: {terminal: {current: 1}}, top: {potential: 0}}}",
                         "output={quantities: [conductance_matrix]}"}),
             ContainsSubstring("between them there is no conductance"));
}

TEST_CASE("A solve for the matrix that does not converge makes the run fail", "[regression]") {
  const TemporaryFolder folder;
  const auto summary = run_case(plates(), folder.file("out"),
                                with(matrix_of_plates, {"solver.max_iterations=2", "solver.initial_guess=10 - 3*x"}));
  CHECK(summary.exit_code == 2);
  CHECK_THAT(text_of(folder.file("out") + "/report.yaml"), ContainsSubstring("capacitance_matrix, 'left': PCG"));
}

TEST_CASE("Conductors that touch are refused with their places", "[regression]") {
  const Settings top = with(matrix_of_plates, {"problem.boundaries.top={potential: 0}"});
  CHECK_THAT(message_of(top), ContainsSubstring("plates.yaml:") &&
                                  ContainsSubstring("problem.boundaries.left: the conductors 'left' and 'top' (") &&
                                  ContainsSubstring("touch"));
  CHECK_THAT(message_of(with(top, {"output.conductors=[left, right]"})), ContainsSubstring("'left' and 'top'"));
  CHECK_THAT(message_of(with(matrix_of_plates, {"problem.boundaries.domain={floating: {charge: 0}}"})),
             ContainsSubstring("touch"));
  // Two groups of the ground may touch.
  CHECK(message_of({"output.quantities=[capacitance_matrix]", "output.conductors=[left]",
                    "problem.boundaries={left: {potential: 1}, right: {potential: 0}}"}) == "no error");
  // The same for an imported mesh, where the message contains the point.
  const TemporaryFolder folder;
  const std::string mesh = folder.file("mesh.vtkhdf");
  driver::make_mesh_file(read_case(plates(), folder.file("out")), mesh);
  const Settings read = with(top, {"mesh.box=", "mesh.file=" + mesh});
  CHECK_THAT(message_of(read), ContainsSubstring("touch at (0, 1) m"));
  check_plates(run_case(plates(), folder.file("out"), with(matrix_of_plates, {"mesh.box=", "mesh.file=" + mesh})),
               3. * eps0 / 2.);
}

TEST_CASE("Inductances do not depend on the currents of the run, magnets or current densities",
          "[regression][device]") {
#if TESSERA_HAVE_GMSH
  const TemporaryFolder folder;
  const std::string file = TESSERA_SOURCE_DIR "/inputs/three-wires/three-wires-inductance.yaml";
  const Settings coarse = {"mesh.parameters.size=2e-3", "execution.reproducible=true", "verification="};
  const auto one = run_case(file, folder.file("out"), coarse);
  const auto other = run_case(
      file, folder.file("out"),
      with(coarse, {"problem.coils.phase_1.current=0", "problem.coils.phase_2.current=-7",
                    "problem.materials.air={relative_permeability: 1, remanence: 1.2, direction: [1, 0]}",
                    "problem.sources={air: {current_density: 1e4}}", "problem.boundaries.shield.vector_potential=x"}));
  REQUIRE(one.exit_code == 0);
  REQUIRE(other.exit_code == 0);
  int n_entries = 0;
  for (const auto& quantity : one.quantities)
    if (quantity.first.find("inductance_matrix.") == 0 || quantity.first.find("coupling.") == 0) {
      INFO(quantity.first);
      CHECK(std::fabs(other.quantities.at(quantity.first) - quantity.second) <= 1e-7 * quantity.second);
      ++n_entries;
    }
  CHECK(n_entries == 18);
#else
  SKIP("without Gmsh");
#endif
}

} // namespace tessera::test
