// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/error.hpp"
#include "core/kokkos_ext/backends.hpp"
#include "io/hdf5_file.hpp"
#include "support/run_case.hpp"
#include "support/temporary_folder.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <cmath>
#include <fstream>
#include <sstream>

namespace tessera::test {

namespace {

using Catch::Matchers::ContainsSubstring;

const std::string parabolic = input_file("dg-parabolic");

std::vector<std::string> coarse_with(const std::vector<std::string>& more) {
  std::vector<std::string> settings{"mesh.box.cells=[8, 8]", "mesh.agglomerate.elements=16", "discretization.order=2"};
  settings.insert(settings.end(), more.begin(), more.end());
  return settings;
}

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

int count(const std::string& text, const std::string& part) {
  int n = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++n;
  return n;
}

} // namespace

TEST_CASE("The errors in time are those of the method", "[regression][device]") {
  const TemporaryFolder folder;
  const auto summary = run_case(parabolic, folder.file("out"), coarse_with({}));
  REQUIRE(summary.exit_code == 0);
  CHECK(summary.errors.at("l2") < 0.03);
  CHECK(summary.errors.at("l2_at_end") < 0.01);
}

TEST_CASE("Short time slabs take block Gauss-Seidel and long ones multigrid", "[regression]") {
  const TemporaryFolder folder;
  for (const auto& [to, name] : {std::pair("0.01", "block-gauss-seidel"), std::pair("400", "multigrid")}) {
    const auto summary = run_case(parabolic, folder.file("out"),
                                  {"mesh.agglomerate.elements=600", "discretization.order=2",
                                   "verification=", "problem.time={from: 0, to: " + std::string(to) + ", steps: 2}"});
    INFO(to);
    CHECK(summary.exit_code == 0);
    CHECK_THAT(text_of(folder.file("out") + "/report.yaml"), ContainsSubstring("preconditioner: " + std::string(name)));
  }
}

TEST_CASE("Each time step is written and reported, and equal ones share their matrix", "[regression][device]") {
  const TemporaryFolder folder;
  REQUIRE(run_case(parabolic, folder.file("out"), coarse_with({"problem.time.steps=5"})).exit_code == 0);
  const std::string report = text_of(folder.file("out") + "/report.yaml");
  CHECK(count(report, "assembled: true") == 1);
  CHECK(count(report, "assembled: false") == 4);
  CHECK(count(report, "name: solver: bicgstab") + count(report, "name: \"solver: bicgstab\"") == 1); // merged
  const io::Hdf5File file = io::Hdf5File::open(folder.file("out") + "/fields.vtkhdf");
  const auto times = file.read<double>("/VTKHDF/Steps/Values"); // every second, and the last one
  REQUIRE(times.size() == 3);
  CHECK(std::fabs(times[0] - 0.4) < 1e-15);
  CHECK(times[2] == 1.);
  const std::size_t n_points = 3 * 128;
  CHECK(file.extents("/VTKHDF/PointData/value") == std::vector<std::size_t>{3 * n_points});
  CHECK(file.read<std::int64_t>("/VTKHDF/Steps/PointDataOffsets/value") ==
        std::vector<std::int64_t>{0, static_cast<std::int64_t>(n_points), 2 * static_cast<std::int64_t>(n_points)});
  const auto values = file.read<double>("/VTKHDF/PointData/value");
  double largest[3] = {0., 0., 0.};
  for (std::size_t i = 0; i < values.size(); ++i)
    largest[i / n_points] = std::max(largest[i / n_points], values[i]);
  CHECK(std::fabs(largest[0] - 0.6) < 0.05); // 1 - t in the middle
  CHECK(std::fabs(largest[1] - 0.2) < 0.05);
  CHECK(largest[2] < 0.05);
  const std::string table = text_of(folder.file("out") + "/centre.csv");
  CHECK(count(table, "\n") == 1 + 3 * 2);
  CHECK_THAT(table, ContainsSubstring("t [s],x [m]") && ContainsSubstring("\n0.4,0.5,0.5,"));

  CHECK_THAT(report, !ContainsSubstring("assembly_peak_bytes: 0\n"));

  // Steps of different sizes, and time-dependent coefficients.
  REQUIRE(run_case(parabolic, folder.file("out"), coarse_with({"problem.time={sizes: [0.25, 0.25, 0.5]}"})).exit_code ==
          0);
  CHECK(count(text_of(folder.file("out") + "/report.yaml"), "assembled: true") == 2);
  REQUIRE(run_case(parabolic, folder.file("out"),
                   coarse_with({"problem.time.steps=3", "problem.materials.domain.reaction=1 + 0*x + t"}))
              .exit_code == 0);
  CHECK(count(text_of(folder.file("out") + "/report.yaml"), "assembled: true") == 3);
}

TEST_CASE("Quantities of a problem in time are those of each step written", "[regression][device]") {
  const TemporaryFolder folder;
  const auto summary =
      run_case(parabolic, folder.file("out"),
               coarse_with({"problem.time.steps=5", "output.every=2", "output.quantities=[mean, total_flux]"}));
  REQUIRE(summary.exit_code == 0);
  std::ifstream file(folder.file("out") + "/quantities.csv");
  std::string line;
  std::getline(file, line);
  CHECK(line == "t [s],mean [1],total_flux.left [1],total_flux.right [1],total_flux.bottom [1],total_flux.top [1]");
  const double mean_at_start = 0.405; // of sin(pi x) sin(pi y)
  for (const double time : {0.4, 0.8, 1.}) {
    std::getline(file, line);
    std::istringstream row(line);
    double t = 0.;
    double mean = 0.;
    char comma = 0;
    row >> t >> comma >> mean;
    CHECK(std::fabs(t - time) < 1e-14);
    CHECK(std::fabs(mean - mean_at_start * (1. - time)) < 0.02); // at the end of the step, on a coarse mesh
    if (time == 1.)
      CHECK(mean == summary.quantities.at("mean"));
  }
  CHECK_FALSE(std::getline(file, line));
}

TEST_CASE("More polynomials or shorter steps leave smaller errors in time", "[regression][device]") {
  const TemporaryFolder folder;
  // u = (1 + t^3) / 2 without diffusion: only the time discretization causes errors.
  const auto error = [&](const std::string& polynomials, int steps) {
    const auto summary = run_case(
        parabolic, folder.file("out"),
        {"mesh.box.cells=[2, 2]", "mesh.agglomerate.elements=4", "discretization.order=1",
         "discretization.time_polynomials=" + polynomials, "problem.time.steps=" + std::to_string(steps),
         "problem.initial=0.5", "problem.materials.domain={diffusivity: 0}", "problem.sources.domain.source=1.5*t^2",
         "verification.exact=(1 + t^3)/2", "verification.gradient=[0, 0]", "output.probes={}"});
    REQUIRE(summary.exit_code == 0);
    return summary.errors;
  };
  const auto coarse = error("pq", 4);
  const auto fine = error("pq", 8);
  CHECK(std::log2(coarse.at("l2") / fine.at("l2")) > 1.9);
  CHECK(coarse.at("l2_at_end") < 1e-9); // the integral of the source, which the quadrature rules compute exactly
  CHECK(error("p", 4).at("l2") < 0.02);
}

TEST_CASE("Elements take steps of their own by number, region or expression", "[regression][device]") {
  const TemporaryFolder folder;
  const std::string out = folder.file("out");
  const auto run = [&](const std::string& steps) {
    const auto summary = run_case(input_file("dg-local-steps"), out,
                                  {"mesh.box.cells=[12, 12]", "mesh.agglomerate.elements=48", "problem.time.steps=4",
                                   "solver.relative_tolerance=1e-10", "discretization.local_steps=" + steps});
    REQUIRE(summary.exit_code == 0);
    return summary.errors.at("l2");
  };
  const double one = run("1");
  CHECK_THAT(text_of(out + "/report.yaml"), !ContainsSubstring("largest_local_steps"));
  const double four = run("4");
  CHECK_THAT(text_of(out + "/report.yaml"), ContainsSubstring("largest_local_steps: 4"));
  CHECK(four < 0.5 * one);
  CHECK(run("{default: 1, regions: {domain: 4}}") == four);
  CHECK(run("\"x < 2 ? 3 : 1\"") == four); // raised to a power of two
  const double corner = run("\"hypot(x, y) < 0.5 ? 4 : 1\"");
  // Only the corner needs small steps. On triangles, too, local steps there leave 0.86 of the error of small steps
  // everywhere, so `four` is no lower bound, but the error with more steps is.
  CHECK(std::abs(corner - four) < 0.05 * (one - four));
  CHECK(corner > run("8"));
  CHECK_THROWS_WITH(run("\"1 + 99*x\""), ContainsSubstring("the number of steps must lie between 1 and 64, but is") &&
                                             ContainsSubstring("in the element around ("));
  CHECK_THROWS_WITH(run("{regions: {elsewhere: 4}}"), ContainsSubstring("elsewhere"));
}

TEST_CASE("A time step that does not converge ends the run, with what was written before", "[regression][device]") {
  const TemporaryFolder folder;
  const auto summary = run_case(parabolic, folder.file("out"),
                                coarse_with({"solver.max_iterations=2", "solver.preconditioner=block-jacobi"}));
  CHECK(summary.exit_code == 2);
  const std::string report = text_of(folder.file("out") + "/report.yaml");
  CHECK(count(report, "assembled:") == 1);
  const io::Hdf5File file = io::Hdf5File::open(folder.file("out") + "/fields.vtkhdf");
  CHECK(file.read<double>("/VTKHDF/Steps/Values") == std::vector<double>{0.125});
}

} // namespace tessera::test
