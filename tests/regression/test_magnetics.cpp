// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "io/input/yaml_reader.hpp"
#include "support/run_case.hpp"
#include "support/temporary_folder.hpp"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cmath>
#include <fstream>

namespace tessera::test {

namespace {

constexpr double mu0 = 1.25663706212e-6;

double relative_error(double value, double exact) { return std::fabs(value - exact) / std::fabs(exact); }

} // namespace

TEST_CASE("Curves by direction are the tensor of straight curves and turn with their angle", "[regression][device]") {
  const TemporaryFolder folder;
  const std::string sheet = input_file("oriented-sheet");
  const auto energy = [&](std::vector<std::string> settings) {
    settings.push_back("verification=");
    const auto summary = run_case(sheet, folder.file("out"), settings);
    CHECK(summary.exit_code == 0);
    // Without magnets and currents both are the integral of H . B.
    CHECK(relative_error(summary.quantities.at("energy") + summary.quantities.at("coenergy"), 0.01 * 40. * 1.6) <
          (settings.size() == 1 ? 1e-9 : 1e300));
    return summary.quantities.at("energy");
  };
  energy({});
  const std::string material = "problem.materials.domain=";
  const std::string uneven = "problem.boundaries.top.vector_potential=1.6*(cos(pi/6)*y - sin(pi/6)*x) + 5*x*(0.1 - x)";
  const double tensor = energy({material + "{relative_permeability: [1500, 500]}", uneven});
  const double straight =
      energy({material + "{bh_curve: {x: [[0, 0], [1e4, 18.8495559318]], y: [[0, 0], [1e4, 6.2831853106]]}}", uneven});
  CHECK(relative_error(straight, tensor) < 1e-7);
  const std::string x = "[[0, 0], [10, 0.9], [40, 1.6], [800, 1.88], [30000, 2.05]]";
  const std::string y = "[[0, 0], [40, 0.2], [300, 1.1], [8000, 1.5], [60000, 1.95]]";
  const double turned = energy({material + "{bh_curve: {x: " + x + ", y: " + y + ", angle: 20}}", uneven});
  const double other = energy({material + "{bh_curve: {x: " + y + ", y: " + x + ", angle: -70}}", uneven});
  const double straight_on = energy({material + "{bh_curve: {x: " + x + ", y: " + y + "}}", uneven});
  CHECK(relative_error(other, turned) < 1e-8);
  CHECK(relative_error(straight_on, turned) > 1e-3);
  const double alike = energy({material + "{bh_curve: {x: " + y + ", y: " + y + ", angle: 20}}", uneven});
  const double isotropic = energy({material + "{bh_curve: " + y + "}", uneven});
  CHECK(relative_error(alike, isotropic) < 1e-8);
}

TEST_CASE("A bar of a steel of the library has the flux density that its source gives", "[regression][device]") {
  // H given on the right, no field at top and bottom: H along y everywhere, and A = -B x, which elements of order 1
  // represent exactly. For 1 m^2 and a depth of 1 m, energy and coenergy add up to H B.
  const TemporaryFolder folder;
  std::ofstream(folder.file("bar.yaml")) << R"(tessera: 1
mesh: {box: {cells: [4, 4]}}
problem:
  physics: magnetostatics
  materials: {domain: {name: team-13-steel}}
  boundaries: {left: {vector_potential: 0}, right: {tangential_field: 342}}
output: {fields: [], quantities: [energy, coenergy]}
)";
  constexpr double of_newton = 1e-6;      // Newton's tolerance, and points in saturation, whose H is given with one
                                          // decimal
  constexpr double between_points = 2e-4; // difference between cubics and a parabola
  struct Point {
    const char* material;
    double h; ///< A/m
    double b; ///< T
    double tolerance;
  };
  const Point points[] = {
      {"team-13-steel", 54., 0.0125, of_newton},
      {"team-13-steel", 342., 1., of_newton},
      {"team-13-steel", 9423., 1.8, of_newton},
      {"team-13-steel", 22e3, mu0 * 22e3 - 2.381e-10 * 22e3 * 22e3 + 2.327e-5 * 22e3 + 1.590, between_points},
      {"team-13-steel", 4e5, mu0 * 4e5 + 2.16, of_newton},
      {"team-13-steel", 1e6, mu0 * 1e6 + 2.16, of_newton}, // beyond the last point, 3 T
      {"team-20-steel", 555., 1., of_newton},
      {"team-20-steel", 26300., 2., of_newton}};
  for (const Point& point : points) {
    INFO(point.material << " at " << point.h << " A/m");
    const auto summary = run_case(folder.file("bar.yaml"), folder.file("out"),
                                  {std::string("problem.materials.domain.name=") + point.material,
                                   "problem.boundaries.right.tangential_field=" + std::to_string(point.h)});
    REQUIRE(summary.exit_code == 0);
    const double b = (summary.quantities.at("energy") + summary.quantities.at("coenergy")) / point.h;
    INFO("B = " << b << " T, expected " << point.b);
    CHECK(relative_error(b, point.b) < point.tolerance);
  }
}

TEST_CASE("Permeabilities by direction and stacks of sheets are those of their direction", "[regression][device]") {
  // A = x or A = y, so that B is 1 T along -y or x: the energy is B^2 / (2 mu) per volume.
  const TemporaryFolder folder;
  std::ofstream(folder.file("box.yaml")) << R"(tessera: 1
mesh: {box: {cells: [3, 3]}}
problem:
  physics: magnetostatics
  materials: {domain: {relative_permeability: [50, 2000]}}
output: {fields: [], quantities: [energy]}
)";
  const auto permeability = [&](bool along_x, const std::string& material) {
    const std::string from = along_x ? "bottom" : "left";
    const std::string to = along_x ? "top" : "right";
    const auto summary =
        run_case(folder.file("box.yaml"), folder.file("out"),
                 {"problem.materials.domain=" + material,
                  "problem.boundaries={" + from + ": {vector_potential: 0}, " + to + ": {vector_potential: 1}}"});
    CHECK(summary.exit_code == 0);
    return 1. / (2. * mu0 * summary.quantities.at("energy"));
  };
  const double across = 1. / (0.9 / 50. + 0.1);
  struct Stack {
    const char* material;
    double along_x, along_y;
  };
  for (const Stack& stack :
       {Stack{"{relative_permeability: [50, 2000]}", 50., 2000.},
        Stack{"{relative_permeability: 50, laminations: {stacking_factor: 0.9}}", 45.1, 45.1},
        Stack{"{relative_permeability: 50, laminations: {stacking_factor: 0.9, parallel_to: x}}", 45.1, across},
        Stack{"{relative_permeability: 50, laminations: {stacking_factor: 0.9, parallel_to: y}}", across, 45.1},
        Stack{"{relative_permeability: [50, 20], laminations: {stacking_factor: 0.9, parallel_to: y}}", across,
              18.1}}) {
    INFO(stack.material);
    CHECK(relative_error(permeability(true, stack.material), stack.along_x) < 1e-9);
    CHECK(relative_error(permeability(false, stack.material), stack.along_y) < 1e-9);
  }
}

TEST_CASE("A magnet with a curve follows it", "[regression][device]") {
  // H given on the right, no field at top and bottom: H along y everywhere, and A = -B x.
  const TemporaryFolder folder;
  std::ofstream(folder.file("bar.yaml")) << R"(tessera: 1
mesh: {box: {cells: [4, 4]}}
problem:
  physics: magnetostatics
  materials: {domain: {relative_permeability: 1}}
  boundaries: {left: {vector_potential: 0}, right: {tangential_field: 0}}
solver: {nonlinear: {relative_tolerance: 1.0e-10}}
output: {fields: [], quantities: [energy, coenergy]}
)";
  struct State {
    double b, energy, coenergy;
  };
  const auto at = [&](const std::string& material, double h) {
    const auto summary = run_case(folder.file("bar.yaml"), folder.file("out"),
                                  {"problem.materials.domain={" + material + "}",
                                   "problem.boundaries.right.tangential_field=" + std::to_string(h)});
    CHECK(summary.exit_code == 0);
    const double energy = summary.quantities.at("energy");
    const double coenergy = summary.quantities.at("coenergy");
    return State{(energy + coenergy) / h, energy, coenergy};
  };
  // A straight curve is the magnet with the recoil permeability 1.05.
  const double mu = 1.05 * mu0;
  const std::string curve = "bh_curve: [[-9e5, 0], [1e6, " + std::to_string(mu * 1.9e6) + "], [1e7, " +
                            std::to_string(mu * 1.09e7) + "]], direction: ";
  for (const double h : {-8e5, -2e5, 3e5}) {
    INFO(h);
    const State line = at(curve + "[0, 1]", h);
    CHECK(relative_error(line.b, mu * (9e5 + h)) < 1e-5); // the texts of the points have six decimals
    CHECK(relative_error(line.energy, 0.5 * mu * h * h) < 1e-5);
    CHECK(relative_error(line.coenergy, mu * (9e5 + h) * h - 0.5 * mu * h * h) < 1e-5);
    const State varying = at(curve + "[0*x, 1 + y]", h);
    CHECK(relative_error(varying.b, line.b) < 1e-8);
    CHECK(relative_error(varying.energy, line.energy) < 1e-6);
  }
  // With a knee: B at the points of the table.
  const std::string knee =
      "bh_curve: [[-8e5, 0], [-7.5e5, 0.4], [-6e5, 0.8], [0, 1.58], [1e6, 2.9]], direction: [0, 1]";
  CHECK(relative_error(at(knee, -7.5e5).b, 0.4) < 1e-7);
  CHECK(relative_error(at(knee, -6e5).b, 0.8) < 1e-7);
  CHECK(relative_error(at(knee, 1e6).b, 2.9) < 1e-7);
  const State nearly_without = at(knee, 10.);
  CHECK(relative_error(nearly_without.b, 1.58) < 1e-4);
  CHECK(std::fabs(nearly_without.energy) < 1e-2); // of 8e5 J/m^3: it counts from the state without a field
}

#if TESSERA_HAVE_GMSH

namespace {

constexpr double pi = 3.14159265358979324;

const std::string linear_core = "problem.materials.core={relative_permeability: 1000}";

/// Flux linkage of the solenoid of inputs/saturated-core for a flux density in the core.
double solenoid_linkage(double core_flux_density, double current) {
  const double a = 0.01;
  const double b = 0.014;
  const double moment = b * (b * b * b - a * a * a) / 6. - (b * b * b * b - a * a * a * a) / 12. -
                        (b * a * a / 2. - a * a * a / 3.) * (b - a);
  return 100. * (pi * a * a * core_flux_density + 2. * pi * mu0 * 1e4 * current / ((b - a) * (b - a)) * moment);
}

} // namespace

TEST_CASE("The core of an infinite solenoid saturates as its table says", "[regression][device]") {
  const TemporaryFolder folder;
  double last = 1.;
  for (const int refine : {0, 1}) {
    const auto summary =
        run_case(input_file("saturated-core"), folder.file("out"), {"mesh.refine=" + std::to_string(refine)});
    REQUIRE(summary.exit_code == 0);
    const double error = relative_error(summary.quantities.at("flux_linkage.winding"), solenoid_linkage(1.78, 1.));
    INFO("error of the flux linkage " << error);
    CHECK(error < 1e-6);
    CHECK(error < 0.3 * last);
    last = error;
    // int H . B = int J A = flux linkage times current.
    CHECK(relative_error(summary.quantities.at("energy") + summary.quantities.at("coenergy"),
                         summary.quantities.at("flux_linkage.winding")) < 1e-8);
    CHECK(summary.quantities.at("inductance.winding") == summary.quantities.at("flux_linkage.winding"));
  }
}

TEST_CASE("Newton's method converges quadratically with a B-H curve", "[regression][device]") {
  const TemporaryFolder folder;
  for (const char* order : {"1", "2"}) {
    const auto summary = run_case(input_file("saturated-core"), folder.file("out"),
                                  {"problem.coils.winding.current=0.3",
                                   "verification.quantities=", std::string("discretization.order=") + order});
    REQUIRE(summary.exit_code == 0);
    const auto& history = summary.nonlinear_history;
    REQUIRE(history.size() >= 4);
    CHECK(history.size() <= 20);
    // The order of convergence from two steps near the solution, above rounding errors.
    double exponent = 0.;
    for (std::size_t k = 2; k < history.size(); ++k)
      if (history[k] > 1e-10 && history[k - 1] < 0.1 * history[k - 2])
        exponent =
            std::max(exponent, std::log(history[k] / history[k - 1]) / std::log(history[k - 1] / history[k - 2]));
    INFO("exponent " << exponent);
    CHECK(exponent > 1.8);
  }
}

TEST_CASE("The energy of a linear solenoid is half of inductance times current squared", "[regression][device]") {
  const TemporaryFolder folder;
  for (const char* order : {"1", "2"}) {
    const auto summary = run_case(input_file("saturated-core"), folder.file("out"),
                                  {linear_core, "problem.coils.winding.current=2.5", "verification.quantities=",
                                   std::string("discretization.order=") + order, "solver.relative_tolerance=1e-13"});
    REQUIRE(summary.exit_code == 0);
    CHECK(summary.nonlinear_history.empty());
    const double inductance = summary.quantities.at("inductance.winding");
    CHECK(relative_error(inductance, solenoid_linkage(1000. * mu0 * 2.5e4, 2.5) / 2.5) < 2e-5);
    CHECK(relative_error(summary.quantities.at("energy"), 0.5 * inductance * 2.5 * 2.5) < 1e-9);
    CHECK(relative_error(summary.quantities.at("coenergy"), 0.5 * inductance * 2.5 * 2.5) < 1e-9);
  }
}

TEST_CASE("Newton's method that does not converge ends with exit code 2", "[regression][device]") {
  const TemporaryFolder folder;
  const auto summary =
      run_case(input_file("saturated-core"), folder.file("out"), {"solver.nonlinear.max_iterations=2"});
  CHECK(summary.exit_code == 2);
  CHECK(summary.nonlinear_history.size() == 3);
}

TEST_CASE("Newton's method reaches the rounding of its residual and says so", "[regression][device]") {
  // Fields of 430 A/m in the winding next to 1.4 T in the core: the load is a difference of terms 10^6 times as large.
  const TemporaryFolder folder;
  const auto run = [&](const std::string& tolerance) {
    return run_case(input_file("saturated-core"), folder.file("out"),
                    {"problem.materials.core=team-13-steel", "problem.coils.winding.current=0.0342", "mesh.refine=1",
                     "verification.quantities=", "solver.nonlinear.relative_tolerance=" + tolerance});
  };
  const auto requested = run("1.0e-9"); // reachable because the linear systems are solved for corrections
  CHECK(requested.exit_code == 0);
  CHECK(requested.nonlinear_history.back() <= 1e-9);
  const auto beyond = run("1.0e-12");
  CHECK(beyond.exit_code == 0);
  CHECK(beyond.nonlinear_history.back() > 1e-12);
  CHECK(beyond.nonlinear_history.size() <= requested.nonlinear_history.size() + 3);
  const io::YamlNode report = io::read_yaml(folder.file("out") + "/report.yaml");
  const io::YamlNode& nonlinear = *report.find("solver")->find("nonlinear");
  CHECK(nonlinear.find("status")->text == "rounding");
  CHECK(nonlinear.find("converged")->text == "true");
  CHECK(std::stod(nonlinear.find("rounding")->text) > 1e-12);
  const auto& notes = report.find("notes")->items;
  CHECK(std::any_of(notes.begin(), notes.end(), [](const io::YamlNode& note) {
    return note.text.find("the residual has reached the rounding of its evaluation") != std::string::npos;
  }));
}

TEST_CASE("All strategies and backends agree on linear and nonlinear magnetostatics", "[regression][device]") {
  const TemporaryFolder folder;
  driver::CompareOptions options;
  options.quiet = true;
  for (const char* order : {"1", "2"}) {
    const std::string order_setting = std::string("discretization.order=") + order;
    CHECK(driver::compare(read_case(input_file("saturated-core"), folder.file("out"), {order_setting}), options) == 0);
    CHECK(driver::compare(read_case(input_file("magnet-sphere"), folder.file("out"), {order_setting}), options) == 0);
  }
}

TEST_CASE("Magnetised bodies in open space have the exact energy", "[regression][device]") {
  const TemporaryFolder folder;
  const std::vector<std::string> plane = {"problem.symmetry=planar", "problem.boundaries.axis.vector_potential=0",
                                          "verification.quantities="};
  const std::vector<std::string> asymptotic = {"problem.materials.far_air={relative_permeability: 1}",
                                               "problem.boundaries.far={asymptotic: {center: [0, 0], order: 1}}"};
  // A ball has H = -M / 3 inside, a cylinder across its axis H = -M / 2; all space together mu0 H^2 = -mu0 M . H there.
  const double ball = 1.2 * 1.2 * (4. / 3. * pi * 1e-6) / (6. * mu0);
  const double half_cylinder = 1.2 * 1.2 * (0.5 * pi * 1e-4) / (4. * mu0);
  for (const bool is_planar : {false, true})
    for (const bool is_asymptotic : {false, true}) {
      std::vector<double> errors;
      for (const char* size : {"1", "0.5"}) {
        std::vector<std::string> settings{std::string("mesh.size_factor=") + size};
        if (is_planar)
          settings.insert(settings.end(), plane.begin(), plane.end());
        if (is_asymptotic)
          settings.insert(settings.end(), asymptotic.begin(), asymptotic.end());
        const auto summary = run_case(input_file("magnet-sphere"), folder.file("out"), settings);
        REQUIRE(summary.exit_code == 0);
        errors.push_back(relative_error(summary.quantities.at("energy"), is_planar ? half_cylinder : ball));
      }
      INFO((is_planar ? "cylinder" : "ball")
           << (is_asymptotic ? ", asymptotic condition" : ", shell") << ": errors " << errors[0] << ", " << errors[1]);
      CHECK(errors[0] < 5e-3);
      CHECK(errors[1] < 0.35 * errors[0]);
    }
}

#endif

} // namespace tessera::test
