// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "assembly/strategy.hpp"
#include "support/is_near.hpp"
#include "support/run_case.hpp"
#include "support/temporary_folder.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <cmath>

namespace tessera::test {

namespace {

using Catch::Matchers::ContainsSubstring;
using Settings = std::vector<std::string>;

constexpr double solver_tolerance = 1e-9; // exact solutions lie in the space: only the solver's error

Settings with(Settings settings, const Settings& more) {
  settings.insert(settings.end(), more.begin(), more.end());
  return settings;
}

std::string fixed(const std::string& exact, bool solid) {
  const std::string all = "{value: \"" + exact + "\"}";
  return "problem.boundaries={left: " + all + ", right: " + all + ", bottom: " + all + ", top: " + all +
         (solid ? ", back: " + all + ", front: " + all : "") + "}";
}

/// A diffusion problem with the coefficient and the source on a box; `exact` is its boundary value.
Settings problem(const std::string& material, const std::string& source, const std::string& exact, bool solid = false) {
  return {"problem.physics=diffusion",
          "problem.materials={domain: {diffusivity: " + material + "}}",
          "problem.sources={domain: {source: \"" + source + "\"}}",
          fixed(exact, solid),
          "mesh.box={cells: " + std::string(solid ? "[4, 3, 3], upper: [1, 1, 1]}" : "[6, 5], upper: [1, 1]}"),
          "discretization.order=2",
          "output.fields=[]",
          "output.probes=",
          "output.quantities=[energy]",
          "verification.exact=" + exact};
}

driver::RunSummary run_box(const Settings& settings) {
  const TemporaryFolder folder;
  return run_case(TESSERA_SOURCE_DIR "/tests/regression/plates.yaml", folder.file("out"), settings);
}

std::string message_of(const Settings& settings) {
  try {
    run_box(settings);
  } catch (const Error& error) {
    CHECK(error.exit_code() == 1);
    return error.what();
  }
  return "no error";
}

const std::string tensor = "[[2, 0.5], [0.5, 1]]";
const std::string quadratic = "x^2 + 2*x*y - y^2"; // -div(D grad u) = -4

} // namespace

TEST_CASE("Quadratic solutions with a full tensor are exact with elements of order 2", "[regression][device]") {
  CHECK(run_box(problem(tensor, "-4", quadratic)).errors.at("l2") < solver_tolerance);
  CHECK(run_box(problem("[[2, 0.5, 0.3], [0.5, 1, 0.2], [0.3, 0.2, 1.5]]", "-10.2",
                        "x^2 + y^2 + z^2 + x*y + 2*y*z - x*z + 1", true))
            .errors.at("l2") < solver_tolerance);
  // The flux through a boundary is n . D grad u.
  const auto flux =
      run_box(with(problem(tensor, "-4", quadratic),
                   {"problem.boundaries={left: {value: \"" + quadratic + "\"}, bottom: {value: \"" + quadratic +
                        "\"}, top: {value: \"" + quadratic + "\"}, right: {flux: \"2*(2*x + 2*y) + 0.5*(2*x - 2*y)\"}}",
                    "output.quantities=[total_flux]"}));
  CHECK(flux.errors.at("l2") < solver_tolerance);
  // Varying entries: u = x with D_xy = y / 2 has the source -1/2 in elements of order 1.
  for (const char* order : {"1", "2"})
    CHECK(run_box(with(problem("[[2, \"y/2\"], [\"y/2\", 1]]", "-0.5", "1 + x"),
                       {"discretization.order=" + std::string(order)}))
              .errors.at("l2") < solver_tolerance);
}

TEST_CASE("Every strategy assembles full tensors", "[regression][device]") {
  for (const auto& traits : assembly::strategy_table) {
    if (traits.strategy == assembly::Strategy::automatic)
      continue;
    INFO(traits.name);
    CHECK(run_box(with(problem(tensor, "-4", quadratic), {"assembly.strategy=" + std::string(traits.name)}))
              .errors.at("l2") < solver_tolerance);
  }
}

TEST_CASE("Principal values that are turned are those of turned coordinates", "[regression][device]") {
  // u = s^2 / k1 - t^2 / k2 in the principal coordinates s, t needs no source.
  const std::string s = "(x*cos(pi/6) + y*sin(pi/6))";
  const std::string t = "(y*cos(pi/6) - x*sin(pi/6))";
  CHECK(run_box(problem("[4, 0.5], rotation: 30", "0", s + "^2/4 - " + t + "^2/0.5")).errors.at("l2") <
        solver_tolerance);
  // The same in 3D, rotated about z, with the third axis along z; the length of direction vectors does not matter.
  CHECK(run_box(problem("[4, 0.5, 3], axes: [[cos(pi/6), sin(pi/6), 0], [-2*sin(pi/6), 2*cos(pi/6), 0], [0, 0, 5]]",
                        "-6", s + "^2/4 - " + t + "^2/0.5 + z^2", true))
            .errors.at("l2") < solver_tolerance);
  // The opposite rotation must fail.
  CHECK(run_box(problem("[4, 0.5], rotation: -30", "0", s + "^2/4 - " + t + "^2/0.5")).errors.at("l2") > 1e-3);
  // The same with discontinuous Galerkin elements.
  CHECK(run_box(with(problem("[4, 0.5], rotation: 30", "0", s + "^2/4 - " + t + "^2/0.5"),
                     {"discretization.method=dg", "solver.preconditioner=block-jacobi"}))
            .errors.at("l2") < solver_tolerance);
}

TEST_CASE("Energy, flux density and charges of a tensor are those of its field", "[regression][device]") {
  // E = (3, 0) V/m between the plates; the material turns D = eps E sideways, so the sides carry a flux.
  constexpr double eps0 = 8.8541878128e-12;
  const auto values = run_box({"problem.materials={domain: {relative_permittivity: [[3, 1], [1, 2]]}}",
                               "problem.boundaries={left: {potential: 10}, right: {potential: 4}, bottom: "
                               "{surface_charge: 3*8.8541878128e-12}, "
                               "top: {surface_charge: -3*8.8541878128e-12}}",
                               "output.fields=[]", "output.probes=", "output.quantities=[energy, charge, regions]"})
                          .quantities;
  CHECK(is_near(values.at("charge.left"), 3. * 3. * eps0));
  CHECK(is_near(values.at("charge.right"), -3. * 3. * eps0));
  CHECK(is_near(values.at("energy"), 0.5 * 3. * 3. * 3. * eps0 * 2.));
  CHECK(is_near(values.at("largest_flux_density.domain"), eps0 * std::hypot(9., 3.)));
}

TEST_CASE("Tensors that are not positive definite are errors", "[regression]") {
  CHECK_THAT(message_of(problem("[[2, \"3*x\"], [\"3*x\", 1]]", "0", "1 + x")),
             ContainsSubstring("problem.materials.domain") && ContainsSubstring("not positive definite") &&
                 ContainsSubstring("region 'domain' near (0."));
}

} // namespace tessera::test
