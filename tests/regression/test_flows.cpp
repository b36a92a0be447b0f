// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

// Flows of problems whose coefficients or values differ by many orders of magnitude (docs/theory.md, "Rounding of
// flows").

#include "core/config.hpp"
#include "io/input/yaml_reader.hpp"
#include "support/quantities.hpp"

#include <catch2/matchers/catch_matchers.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <cmath>
#include <fstream>
#include <random>
#include <sstream>

namespace tessera::test {

namespace {

using Catch::Matchers::ContainsSubstring;

std::string number(double value) {
  std::ostringstream text;
  text.precision(17);
  text << value;
  return text.str();
}

struct Outcome {
  int exit_code = 0;
  std::map<std::string, double> quantities;
  std::string report;
  std::string message; ///< the error, if the exit code is not 0
};

/// `geometry`: text of a file geometry.geo.
Outcome outcome_of(const std::string& text, const Settings& settings = {}, const std::string& geometry = "") {
  const TemporaryFolder folder;
  std::ofstream(folder.file("geometry.geo")) << geometry;
  std::ofstream(folder.file("case.yaml")) << text;
  Outcome outcome;
  const auto summary = run_case(folder.file("case.yaml"), folder.file("out"), settings);
  outcome.exit_code = summary.exit_code;
  outcome.quantities = summary.quantities;
  outcome.message = summary.message;
  std::ostringstream report;
  report << std::ifstream(folder.file("out") + "/report.yaml").rdbuf();
  outcome.report = report.str();
  return outcome;
}

/// Copper that connects both ends to wet soil: 100 Ohm.
std::string electrodes(const std::string& good = "5.8e7", const std::string& poor = "1e-2",
                       const std::string& boundaries = "left: {potential: 1}, right: {potential: 0}") {
  return R"(
tessera: 1
mesh: {box: {cells: [60, 20], upper: [0.06, 0.02]}}
problem:
  physics: current-flow
  materials: {domain: {conductivity: "abs(x - 0.03) > 0.01 ? )" +
         good + " : " + poor + R"("}}
  boundaries: {)" +
         boundaries + R"(}
output: {fields: [], quantities: [losses, current, resistance]}
)";
}

/// A box of silicon with a source, one side of which is at 300 K.
std::string silicon(double power) {
  return R"(
tessera: 1
mesh: {box: {cells: [100, 50], upper: [0.02, 0.01]}}
problem:
  physics: heat
  depth: 0.01
  materials: {domain: {thermal_conductivity: 150}}
  sources: {domain: {power: )" +
         number(power) + R"(}}
  boundaries: {left: {temperature: 300}}
output: {fields: [], quantities: [heat_flow]}
)";
}

/// Layers along x, of equal thickness.
struct Chain {
  std::vector<double> conductivity;
  double left, right;

  double current() const { // through 1 m^2, layers of 1 m
    double resistance = 0.;
    for (const double sigma : conductivity)
      resistance += 1. / sigma;
    return (left - right) / resistance;
  }
  std::string coefficient(const std::string& x, double first) const {
    std::string text = number(conductivity.back());
    for (std::size_t i = conductivity.size() - 1; i-- > 0;)
      text = "(" + x + " < " + number(first + static_cast<double>(i + 1)) + " ? " + number(conductivity[i]) + " : " +
             text + ")";
    return text;
  }
};

Chain random_chain(std::mt19937& random) {
  std::uniform_real_distribution<double> unit(0., 1.);
  Chain chain;
  const int n = 1 + static_cast<int>(3. * unit(random));
  for (int i = 0; i < n; ++i)
    chain.conductivity.push_back(std::pow(10., 16. * unit(random) - 8.));
  const double size = std::pow(10., 18. * unit(random) - 9.);
  chain.left = size * (2. * unit(random) - 1.);
  chain.right = unit(random) < 0.5 ? 0. : size * (2. * unit(random) - 1.);
  if (unit(random) < 0.2) // an offset, as with temperatures in kelvin
    chain.right = chain.left * (1. + std::pow(10., -9. * unit(random)));
  return chain;
}

/// The case of a chain: in series, in parallel along x, or between cylinders (then between radii 1 and 1 + n).
std::string case_of(const Chain& chain, int kind, int order) {
  const int n = static_cast<int>(chain.conductivity.size());
  const std::string length = std::to_string(n);
  std::string box = "{cells: [" + std::to_string(6 * n) + ", 3], upper: [" + length + ", 1]}";
  std::string coefficient = chain.coefficient("x", 0.);
  std::string symmetry = "planar";
  if (kind == 1) {
    box = "{cells: [4, " + std::to_string(4 * n) + "], upper: [1, " + length + "]}";
    coefficient = chain.coefficient("y", 0.);
  } else if (kind == 2) {
    box = "{cells: [" + std::to_string(6 * n) + ", 3], lower: [1, 0], upper: [" + std::to_string(n + 1) + ", 1]}";
    coefficient = chain.coefficient("x", 1.);
    symmetry = "axisymmetric";
  }
  return R"(
tessera: 1
mesh: {box: )" +
         box + R"(}
problem:
  physics: current-flow
  symmetry: )" +
         symmetry + R"(
  materials: {domain: {conductivity: ")" +
         coefficient + R"("}}
  boundaries: {left: {potential: )" +
         number(chain.left) + "}, right: {potential: " + number(chain.right) + R"(}}
discretization: {order: )" +
         std::to_string(order) + R"(}
output: {fields: [], quantities: [current, losses]}
)";
}

double exact_current(const Chain& chain, int kind) {
  double conductance = 0., resistance = 0.;
  for (std::size_t i = 0; i < chain.conductivity.size(); ++i) {
    conductance += chain.conductivity[i];
    const double r = static_cast<double>(i + 1);
    resistance += (kind == 2 ? std::log((r + 1.) / r) / (2. * std::acos(-1.)) : 1.) / chain.conductivity[i];
  }
  return (chain.left - chain.right) * (kind == 1 ? conductance : 1. / resistance);
}

/// Checks that flows and losses of the random cases are correct or reported as inaccurate; prints wrong ones.
void check_random_cases(unsigned seed, int n_cases) {
  std::mt19937 random(seed);
  int n_reported = 0;
  for (int i = 0; i < n_cases; ++i) {
    const Chain chain = random_chain(random);
    const int kind = i % 3, order = 1 + i / 3 % 2;
    const std::string text = case_of(chain, kind, order);
    const Outcome found = outcome_of(text);
    const bool is_reported = found.exit_code != 0 || found.report.find("do not add up") != std::string::npos;
    n_reported += is_reported ? 1 : 0;
    if (is_reported)
      continue;
    const double exact = exact_current(chain, kind);
    // The field between cylinders is no polynomial: a coarse mesh causes errors of some per cent, but the flow is
    // conserved.
    const double tolerance = kind == 2 ? 0.02 : 1e-6;
    const double left = found.quantities.at("current.left"), right = found.quantities.at("current.right");
    INFO(text);
    CHECK(std::fabs(left - exact) <= tolerance * std::fabs(exact));
    CHECK(std::fabs(left + right) <= 2e-6 * std::fabs(exact));
    CHECK(std::fabs(found.quantities.at("losses") - exact * (chain.left - chain.right)) <=
          (kind == 2 ? 0.02 : 2e-6) * std::fabs(exact * (chain.left - chain.right)));
  }
  WARN(n_reported << " of " << n_cases << " random cases were reported as uncertain.");
  CHECK(n_reported < n_cases / 4);
}

} // namespace

TEST_CASE("What flows from a good conductor into a poor one is right at its boundary", "[regression][device][flows]") {
  for (const Settings& settings :
       {Settings{}, Settings{"solver.preconditioner=multigrid"}, Settings{"discretization.order=2"},
        Settings{"solver.preconditioner=none"}, Settings{"assembly.strategy=ebe-atomic"}, Settings{"mesh.refine=1"}}) {
    const Outcome found = outcome_of(electrodes(), settings);
    INFO((settings.empty() ? "default" : settings.front()));
    CHECK(found.exit_code == 0);
    CHECK(is_near(found.quantities.at("current.left"), 0.01, 1e-7));
    CHECK(is_near(found.quantities.at("current.right"), -0.01, 1e-7));
    CHECK(is_near(found.quantities.at("resistance"), 100., 1e-7));
    CHECK(is_near(found.quantities.at("losses"), 0.01, 1e-7));
    CHECK_THAT(found.report, !ContainsSubstring("do not add up"));
  }
}

TEST_CASE("Insulation between busbars leaks what its conductivity says", "[regression][device][flows]") {
  const Outcome found = outcome_of(electrodes("5.8e7", "1e-10"), {"problem.boundaries.left.potential=1000"});
  CHECK(found.exit_code == 0);
  CHECK(is_near(found.quantities.at("current.left"), 1e-7, 1e-7));
  CHECK(is_near(found.quantities.at("current.right"), -1e-7, 1e-7));
  CHECK(is_near(found.quantities.at("losses"), 1e-4, 1e-7));
}

TEST_CASE("A terminal on a good conductor has the potential that drives its current", "[regression][device][flows]") {
  const Outcome found =
      outcome_of(electrodes("5.8e7", "1e-2", "left: {terminal: {current: 1}}, right: {potential: 0}"));
  CHECK(found.exit_code == 0);
  CHECK(is_near(found.quantities.at("potential.left"), 100., 1e-6));
  CHECK(is_near(found.quantities.at("current.right"), -1., 1e-6));
}

TEST_CASE("Small flows next to a large temperature are those of their sources", "[regression][device][flows]") {
  for (const double power : {1e-3, 1e-6, 1e-9}) {
    const Outcome found = outcome_of(silicon(power));
    CHECK(found.exit_code == 0);
    CHECK(is_near(found.quantities.at("heat_flow.left"), -power, 1e-6));
  }
}

TEST_CASE("Matrices of terminals on good conductors are those of what lies between", "[regression][device][flows]") {
  const Outcome found = outcome_of(electrodes(), {"output.quantities=[conductance_matrix]"});
  CHECK(found.exit_code == 0);
  CHECK(is_near(found.quantities.at("conductance_matrix.left.left"), 0.01, 1e-7));
  CHECK(is_near(found.quantities.at("conductance_matrix.left.right"), -0.01, 1e-7));
}

TEST_CASE("Discontinuous elements report flows that the solver leaves open", "[regression][device][flows]") {
  const Settings dg{"discretization={method: dg, order: 1}", "solver.preconditioner=block-jacobi",
                    "output.quantities=[current]"};
  const Outcome found = outcome_of(electrodes(), dg);
  CHECK(found.exit_code == 2);
  CHECK_THAT(found.report, ContainsSubstring("failures") && ContainsSubstring("do not add up"));
  const Outcome right = outcome_of(electrodes("1", "1e-2"), dg);
  CHECK(right.exit_code == 0);
  CHECK_THAT(right.report, !ContainsSubstring("do not add up"));
}

TEST_CASE("Flows that rounding leaves open are reported as such", "[regression][flows]") {
  const Outcome found =
      outcome_of(electrodes("5.8e7", "1e-5", "left: {potential: 1}, right: {terminal: {current: -1e-5}}"));
  CHECK(found.exit_code == 2);
  CHECK_THAT(found.report, ContainsSubstring("do not add up") && ContainsSubstring("The cause is rounding"));
}

TEST_CASE("A tolerance that no correction is needed for gives no solution", "[regression][flows]") {
  const Outcome found = outcome_of(silicon(1e-3), {"solver.absolute_tolerance=1"});
  CHECK(found.exit_code == 2);
  CHECK_THAT(found.message, ContainsSubstring("The true residual is still"));
}

TEST_CASE("Flows that do not add up are a note or a failure", "[regression][device][flows]") {
  // An iteration that stops too early.
  const auto run_to = [](const std::string& tolerance) {
    return outcome_of(electrodes("150", "150"), {"mesh.box.cells=[100, 50]", "solver.preconditioner=jacobi",
                                                 "solver.relative_tolerance=" + tolerance});
  };
  const Outcome wrong = run_to("1e-3");
  CHECK(wrong.exit_code == 2);
  CHECK_THAT(wrong.report, ContainsSubstring("failures") && ContainsSubstring("do not add up"));
  const Outcome rough = run_to("1e-6");
  CHECK(rough.exit_code == 0);
  CHECK_THAT(rough.report, ContainsSubstring("do not add up"));
  CHECK_THAT(run_to("1e-10").report, !ContainsSubstring("do not add up"));
}

namespace {

/// Two equal plates apart; `cells`: along the second one.
Outcome two_plates(const std::string& cells, const std::string& second, const std::string& tolerance) {
  return outcome_of(R"(
tessera: 1
mesh: {geometry: geometry.geo, dimension: 2}
problem:
  physics: current-flow
  materials: {one: {conductivity: 1 + x}, other: {conductivity: 1 + x}}
  boundaries: {left: {potential: 1}, right: {potential: 0}, other_left: {potential: )" +
                        second + R"(}, other_right: {potential: 0}}
solver: {preconditioner: jacobi, relative_tolerance: )" +
                        tolerance + R"(}
output: {fields: [], quantities: [current]}
)",
                    {},
                    R"(
SetFactory("OpenCASCADE");
Rectangle(1) = {0, 0, 0, 1, 0.5};
Rectangle(2) = {0, 1, 0, 1, 0.5};
Transfinite Curve {1, 3} = 41; Transfinite Curve {2, 4} = 21;
Transfinite Curve {5, 7} = )" +
                        cells + R"( + 1; Transfinite Curve {6, 8} = 21;
Transfinite Surface {1, 2};
Physical Surface("one") = 1; Physical Surface("other") = 2;
Physical Curve("left") = 4; Physical Curve("right") = 2;
Physical Curve("other_left") = 8; Physical Curve("other_right") = 6;
)");
}

} // namespace

TEST_CASE("Flows add up in each body of a mesh", "[regression][device][flows]") {
#if !TESSERA_HAVE_GMSH
  SKIP("without Gmsh");
#endif
  // Errors of equal plates with opposite currents cancel in the sum over both.
  const Outcome wrong = two_plates("40", "-1", "1e-3");
  CHECK(std::fabs(wrong.quantities.at("current.left") + wrong.quantities.at("current.other_left")) < 1e-12);
  CHECK(wrong.exit_code == 2);
  CHECK_THAT(wrong.report, ContainsSubstring("In the connected part of the mesh with 'one', what flows in"));
  const Outcome rough = two_plates("40", "-1", "1e-5");
  CHECK(rough.exit_code == 0);
  CHECK_THAT(rough.report, ContainsSubstring("do not add up"));
  const Outcome right = two_plates("40", "-1", "1e-10");
  CHECK(right.exit_code == 0);
  CHECK_THAT(right.report, !ContainsSubstring("do not add up"));
  CHECK(is_near(right.quantities.at("current.left"), 0.5 / std::log(2.), 1e-3));

  // The iteration ends before it has seen a current that is small next to the other.
  const Outcome small = two_plates("200", "1e-7", "1e-6");
  CHECK(small.exit_code == 2);
  CHECK_THAT(small.report, ContainsSubstring("In the connected part of the mesh with 'other', what flows in"));
}

TEST_CASE("Flows of temperature-dependent materials add up in each body, with convection",
          "[regression][device][flows]") {
#if !TESSERA_HAVE_GMSH
  SKIP("without Gmsh");
#endif
  const Outcome bodies = outcome_of(R"(
tessera: 1
mesh: {geometry: geometry.geo, dimension: 2}
problem:
  physics: heat
  materials: {'*': {thermal_conductivity: '10*(1 + 0.001*T)'}}
  boundaries: {hot: {temperature: 400}, cold: {convection: {coefficient: 5, ambient: 300}}}
output: {fields: [], quantities: [heat_flow]}
)",
                                    {},
                                    R"(
SetFactory("OpenCASCADE");
Rectangle(1) = {0, 0, 0, 1, 1};
Rectangle(2) = {2, 0, 0, 1, 1};
Mesh.MeshSizeMax = 0.25;
Physical Surface("one") = 1; Physical Surface("other") = 2;
Physical Curve("hot") = {4, 8}; Physical Curve("cold") = {2, 6};
)");
  CHECK(bodies.exit_code == 0);
  CHECK_THAT(bodies.report, !ContainsSubstring("do not add up"));
  // By Kirchhoff's transform 10 (T + T^2 / 2000) falls by 5 (T - 300) from 400 to T, the value at the cold side.
  const double cold = (-15. + std::sqrt(225. + 0.02 * (4800. + 1500.))) / 0.01;
  CHECK(is_near(bodies.quantities.at("heat_flow.hot"), 2. * 5. * (cold - 300.), 1e-8));
}

TEST_CASE("Flows add up where what leaves one side enters the other with the opposite sign",
          "[regression][device][flows]") {
  const auto run_to = [](const std::string& tolerance) {
    return outcome_of(R"(
tessera: 1
mesh: {box: {cells: [60, 60]}}
problem:
  physics: diffusion
  materials: {domain: {diffusivity: "1 + 100*(sin(9*pi*x)*sin(17*y))^2"}}
  sources: {domain: {source: sin(pi*x)}}
  boundaries: {left: {antiperiodic: {with: right}}, bottom: {value: 0}, top: {robin: {coefficient: 1, reference: 0}}}
solver: {preconditioner: jacobi, relative_tolerance: )" +
                      tolerance + R"(}
output: {fields: [], quantities: [total_flux]}
)");
  };
  CHECK_THAT(run_to("1e-3").report, ContainsSubstring("do not add up"));
  const Outcome right = run_to("1e-10");
  CHECK(right.exit_code == 0);
  CHECK_THAT(right.report, !ContainsSubstring("do not add up"));
}

TEST_CASE("The report has the rounding of each flow", "[regression][flows]") {
  const Outcome found = outcome_of(electrodes("1", "1"));
  const std::size_t at = found.report.find("rounding: ", found.report.find("current.left"));
  REQUIRE(at != std::string::npos);
  const double rounding = std::stod(found.report.substr(at + 10));
  CHECK(rounding > 1e-16); // 2^-52 of 20 rows of elements, whose matrices have entries of 1 S, at 1 V
  CHECK(rounding < 1e-13);
}

TEST_CASE("Radiation next to weak and strong convection is solved", "[regression][device][flows]") {
  const std::string text = R"(
tessera: 1
mesh: {box: {cells: [10, 2]}}
problem:
  physics: heat
  materials: {domain: {thermal_conductivity: 2}}
  sources: {domain: {heat_source: 3000}}
  boundaries: {left: {convection: {coefficient: 1e6, ambient: 300}}, right: {radiation: {emissivity: 0.8, ambient: 290}}}
output: {fields: [], quantities: [heat_flow]}
)";
  // T'' = -1500 with T(0) = 300 + q / h: T(1) by bisection.
  const auto radiated = [](double h) {
    double low = 300., high = 3000.;
    for (int i = 0; i < 200; ++i) {
      const double hot = 0.5 * (low + high);
      const double out = 0.8 * 5.670374419184429e-8 * (std::pow(hot, 4) - std::pow(290., 4));
      const double into_left = 3000. - out;
      const double slope = -out / 2.; // at x = 1
      const double at_left = hot - (slope + 0.5 * 1500.);
      (at_left > 300. + into_left / h ? high : low) = hot;
    }
    return 0.8 * 5.670374419184429e-8 * (std::pow(low, 4) - std::pow(290., 4));
  };
  for (const char* h : {"1e-3", "1e3", "1e5"}) {
    INFO(h);
    const Outcome found = outcome_of(
        text, {"problem.boundaries.left.convection.coefficient=" + std::string(h), "discretization.order=2"});
    CHECK(found.exit_code == 0);
    CHECK(is_near(found.quantities.at("heat_flow.right"), -radiated(std::stod(h)), 1e-6));
    CHECK(is_near(found.quantities.at("heat_flow.left") + found.quantities.at("heat_flow.right"), -3000., 1e-6));
  }
}

TEST_CASE("Flows of random layers are right or reported", "[regression][flows]") { check_random_cases(1, 60); }

TEST_CASE("Flows of 2000 random layers are right or reported", "[.random-flows]") { check_random_cases(2, 2000); }

} // namespace tessera::test
