// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "solvers/newton.hpp"
#include "support/run_case.hpp"
#include "support/temporary_folder.hpp"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>
#include <sstream>

namespace tessera::test {

namespace {

/// The input files of all cases, sorted.
std::set<std::string> all_inputs() {
  std::set<std::string> files;
  for (const auto& folder : std::filesystem::directory_iterator(TESSERA_SOURCE_DIR "/inputs"))
    if (folder.is_directory())
      for (const auto& entry : std::filesystem::directory_iterator(folder))
        if (entry.path().extension() == ".yaml")
          files.insert(entry.path().string());
  return files;
}

#if TESSERA_HAVE_GMSH
double relative_difference(double a, double b) { return std::fabs(a - b) / std::max(std::fabs(a), std::fabs(b)); }

// Tolerance for energy, charges and voltage of a solution whose relative residual is 1e-10 or less.
constexpr double identity_tolerance = 1e-8;
#endif

} // namespace

TEST_CASE("Every case under inputs/ runs and meets what it states", "[regression][device]") {
  const TemporaryFolder folder;
  const std::set<std::string> files = all_inputs();
  REQUIRE(files.size() >= 10);
  for (const std::string& file : files) {
    INFO(file);
    std::filesystem::remove_all(folder.file("out"));
    const io::Sweep sweep = io::read_sweep(file, {{"output.directory", folder.file("out"), "--output"}});
    const io::Case& input = sweep.points.front().input;
    if (!TESSERA_HAVE_GMSH && input.mesh.source == io::MeshSource::geometry) {
      WARN("without Gmsh, not run: " << file);
      continue;
    }
    driver::RunOptions options;
    options.quiet = true;
    if (sweep.requested()) {
      CHECK(driver::run_sweep(sweep, options) == 0); // points that miss their expected values are failures
      continue;
    }
    const driver::RunSummary summary = driver::run(input, options);
    CHECK(summary.exit_code == 0);
    CHECK(summary.iterations > 0);
    if (summary.nonlinear_history.empty())
      CHECK(summary.residual <= // the true residual, which the solver's recurrence and rounding of the solution leave
            std::max(2. * input.solver.relative_tolerance, solvers::rounding_factor * summary.rounding));
    else
      CHECK(summary.residual <= input.solver.nonlinear.relative_tolerance);
    for (const io::ExpectedQuantity& expected : input.verification.quantities) {
      INFO(expected.name << ": error " << summary.errors.at(expected.name));
      CHECK(summary.errors.at(expected.name) <= expected.tolerance);
    }
    for (const io::ExpectedProbe& expected : input.verification.probes) {
      const std::string name = expected.probe + "." + expected.column;
      INFO(name << ": error " << summary.errors.at(name));
      CHECK(summary.errors.at(name) <= expected.tolerance);
    }
    for (const char* name : {"report.yaml", "resolved.yaml"})
      CHECK(std::filesystem::exists(folder.file("out") + "/" + name));
    CHECK(std::filesystem::exists(folder.file("out") + "/fields.vtkhdf") == !input.output.fields.empty());
    for (const io::Probe& probe : input.output.probes)
      CHECK(std::filesystem::exists(folder.file("out") + "/" + probe.name + ".csv"));
  }
}

TEST_CASE("The resolved input gives the same run again", "[regression][device]") {
  const TemporaryFolder folder;
  const auto first = run_case(input_file("mms-2d"), folder.file("first"));
  const auto second = run_case(folder.file("first") + "/resolved.yaml", folder.file("second"));
  CHECK(first.errors == second.errors);
  CHECK(first.iterations == second.iterations);
}

#if TESSERA_HAVE_GMSH

TEST_CASE("Energy of the capacitor is half of charge times voltage", "[regression][device]") {
  const TemporaryFolder folder;
  for (const char* name : {"capacitor", "capacitor-p2"}) {
    const auto summary = run_case(input_file(name), folder.file("out"));
    const double high = summary.quantities.at("charge.high");
    const double low = summary.quantities.at("charge.low");
    const double energy_difference = relative_difference(summary.quantities.at("energy"), 0.5 * high * 48.);
    INFO(name << ": energy differs by " << energy_difference << ", the sum of charges is " << (high + low) / high
              << " of one");
    CHECK(energy_difference <= identity_tolerance);
    CHECK(std::fabs(high + low) <= identity_tolerance * std::fabs(high));
    CHECK(relative_difference(summary.quantities.at("capacitance"), high / 48.) <= 1e-15);
    SUCCEED("see above");
  }
}

TEST_CASE("EBE-J-PCG takes the iterations of PCG with Jacobi and gives its solution", "[regression][device]") {
  const TemporaryFolder folder;
  for (const char* name : {"capacitor", "floating-conductor"}) {
    const auto nodal = run_case(input_file(name), folder.file("nodal"), {"assembly.strategy=ebe-stored"});
    const auto elements =
        run_case(input_file(name), folder.file("elements"), {"assembly.strategy=auto", "solver.method=ebe-j-pcg"});
    INFO(name << ": " << nodal.iterations << " and " << elements.iterations << " iterations");
    CHECK(elements.exit_code == 0);
    CHECK(std::abs(nodal.iterations - elements.iterations) <= 2);
    CHECK(relative_difference(nodal.quantities.at("capacitance"), elements.quantities.at("capacitance")) <= 1e-9);
    SUCCEED("see above");
  }
}

TEST_CASE("Linear elements refined twice and quadratic ones agree in the capacitance", "[regression][device]") {
  const TemporaryFolder folder;
  const double linear =
      run_case(input_file("capacitor"), folder.file("linear"), {"mesh.refine=2"}).quantities.at("capacitance");
  const double quadratic = run_case(input_file("capacitor-p2"), folder.file("quadratic")).quantities.at("capacitance");
  INFO("linear " << linear << " F, quadratic " << quadratic << " F");
  CHECK(relative_difference(linear, quadratic) <= 2e-3);
  SUCCEED("see above");
}

TEST_CASE("Coaxial cable and spheres have the exact capacitance within 0.1 %", "[regression][device]") {
  const TemporaryFolder folder;
  const std::vector<std::pair<std::string, std::string>> runs = {{"coax", "1"},
                                                                 {"coax", "2"},
                                                                 {"coax-axisymmetric", "1"},
                                                                 {"coax-axisymmetric", "2"},
                                                                 {"floating-conductor", "1"},
                                                                 {"sphere-3d", "2"}};
  for (const auto& [name, order] : runs) {
    // Linear elements miss the tolerance of coax-axisymmetric, which is set for quadratic ones.
    const auto summary = run_case(input_file(name), folder.file("out"), {"discretization.order=" + order});
    INFO(name << ", order " << order << ": error " << summary.errors.at("capacitance"));
    CHECK(summary.errors.at("capacitance") <= 1e-3);
    SUCCEED("see above");
  }
}

TEST_CASE("A floating conductor takes half of the voltage, and more with charge on it", "[regression][device]") {
  const TemporaryFolder folder;
  const auto neutral = run_case(input_file("floating-conductor"), folder.file("neutral"));
  CHECK(std::fabs(neutral.quantities.at("potential.tube") - 5.) <= 5e-6);
  CHECK(std::fabs(neutral.quantities.at("charge.tube")) <=
        identity_tolerance * std::fabs(neutral.quantities.at("charge.inner")));
  const auto charged = run_case(input_file("floating-conductor"), folder.file("charged"),
                                {"problem.boundaries.tube.floating.charge=1e-10"});
  const double rise = 1e-10 * std::log(2.) / (4. * 3.14159265358979324 * 8.8541878128e-12);
  CHECK(relative_difference(charged.quantities.at("potential.tube") - neutral.quantities.at("potential.tube"), rise) <=
        1e-3);
  CHECK(relative_difference(charged.quantities.at("charge.tube"), 1e-10) <= 1e-6);
  const double sum = charged.quantities.at("charge.tube") + charged.quantities.at("charge.inner") +
                     charged.quantities.at("charge.outer");
  CHECK(std::fabs(sum) <= identity_tolerance * std::fabs(charged.quantities.at("charge.inner")));
}

#endif

} // namespace tessera::test
