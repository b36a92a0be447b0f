// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "assembly/strategy.hpp"
#include "core/config.hpp"
#include "core/kokkos_ext/backends.hpp"
#include "io/output/probes_file.hpp"
#include "support/quantities.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <cmath>
#include <fstream>
#include <string>

#if TESSERA_HAVE_GMSH // which makes the meshes

namespace tessera::test {

namespace {

using Catch::Matchers::ContainsSubstring;

constexpr double pi = 3.14159265358979323846;

std::string layers() { return TESSERA_SOURCE_DIR "/tests/regression/joints.yaml"; }
std::string inclusion() { return TESSERA_SOURCE_DIR "/tests/regression/inclusion.yaml"; }

std::string message_of(const std::string& file, const Settings& settings) {
  try {
    const TemporaryFolder folder;
    run_case(file, folder.file("out"), settings);
  } catch (const Error& error) {
    CHECK(error.exit_code() == 1);
    return error.what();
  }
  return "no error";
}

const std::string ends = "hot: {temperature: 10}, cold: {temperature: 0}";

std::string joint_is(const std::string& condition) {
  return "problem.boundaries={" + ends + ", joint: " + condition + "}";
}

/// Potential (a r + b / r) cos t around an inclusion of radius 1 and conductivity 10 with the contact resistance r, and
/// c r cos t within it; (2 cos t) at radius 2, where the conductivity is 1.
struct Inclusion {
  double a, b, c;
  explicit Inclusion(double resistance) {
    // flux: 10 c = a - b; jump: a + b - c = 10 c resistance; rim: 2 a + b / 2 = 2
    const double sum = 1. + 10. * resistance; // (a + b) / c
    c = 2. / (sum + 10. + 0.25 * (sum - 10.));
    a = 0.5 * c * (sum + 10.);
    b = 0.5 * c * (sum - 10.);
  }
};

} // namespace

TEST_CASE("A joint that ends at periodic sides is the same there as elsewhere", "[regression][device]") {
  const TemporaryFolder folder;
  folder.write("layers.geo", R"(Point(1) = {0, 0, 0, .2}; Point(2) = {1, 0, 0, .2}; Point(3) = {1, .5, 0, .2};
Point(4) = {1, 1, 0, .2}; Point(5) = {0, 1, 0, .2}; Point(6) = {0, .5, 0, .2};
Line(1) = {1, 2}; Line(2) = {2, 3}; Line(3) = {3, 4}; Line(4) = {4, 5}; Line(5) = {5, 6}; Line(6) = {6, 1};
Line(7) = {3, 6};
Curve Loop(1) = {1, 2, 7, 6}; Plane Surface(1) = {1}; Curve Loop(2) = {3, 4, 5, -7}; Plane Surface(2) = {2};
Periodic Curve {2} = {-6} Translate {1, 0, 0}; Periodic Curve {3} = {-5} Translate {1, 0, 0};
Physical Surface("a") = {1}; Physical Surface("b") = {2}; Physical Curve("joint") = {7};
Physical Curve("bottom") = {1}; Physical Curve("top") = {4};
Physical Curve("right") = {2, 3}; Physical Curve("left") = {5, 6};
)");
  const std::string file = folder.write("layers.yaml", R"(tessera: 1
mesh: {geometry: layers.geo, dimension: 2}
problem:
  physics: heat
  materials: {a: {thermal_conductivity: 1}, b: {thermal_conductivity: 1}}
  boundaries:
    joint: {contact: {resistance: 9}}
    bottom: {temperature: 0}
    top: {temperature: 1}
    left: {periodic: right}
output: {quantities: [heat_flow], surfaces: {right: {}}}
)");
  for (const char* order : {"1", "2"}) {
    const auto summary = run_case(file, folder.file("out"), {"discretization.order=" + std::string(order)});
    CHECK(std::fabs(summary.quantities.at("heat_flow.top") - 0.1) < 1e-9); // 1 K over 1 + 9 K m^2/W
    CHECK(std::fabs(summary.quantities.at("flux.right")) < 1e-9);
  }
  // With a jump along the layers: u = x + step
  const auto jump =
      run_case(file, folder.file("out"),
               {"problem.boundaries.left={periodic: {with: right, jump: -1}}",
                "problem.boundaries.bottom={temperature: x}", "problem.boundaries.top={temperature: x + 1}"});
  CHECK(std::fabs(jump.quantities.at("flux.right") - 1.) < 1e-9);
  CHECK(std::fabs(jump.quantities.at("heat_flow.joint") + 0.1) < 1e-9);
}

TEST_CASE("The mesh file of a case with a joint has it as an interface", "[regression]") {
  const TemporaryFolder folder;
  driver::make_mesh_file(read_case(layers(), folder.file("out")), folder.file("mesh.vtkhdf"));
  const auto values = run(
      layers(), {"mesh.geometry=", "mesh.parameters=", "mesh.dimension=", "mesh.file=" + folder.file("mesh.vtkhdf")});
  CHECK(is_near(values.at("heat_flow.hot"), 10. / (1. / 2. + 1. / 4. + 1. / 5.)));
}

TEST_CASE("Layers in series with a joint conduct as their resistances add up", "[regression][device]") {
  // Linear in each layer: exact by elements of either order, in the plane and in space.
  const double flow = 10. / (1. / 2. + 1. / 4. + 1. / 5.);
  for (const std::string& backend : backend_names())
    for (const char* order : {"1", "2"})
      for (const char* dimension : {"2", "3"}) {
        const auto values =
            run(layers(),
                {"mesh.dimension=" + std::string(dimension), "mesh.parameters={dim: " + std::string(dimension) + "}",
                 "discretization.order=" + std::string(order), "execution.backend=" + backend});
        CHECK(is_near(values.at("heat_flow.hot"), flow));
        CHECK(is_near(values.at("heat_flow.cold"), -flow));
        CHECK(is_near(values.at("heat_flow.joint"), flow)); // from left to lower and upper: not named, three regions
        CHECK(is_near(std::fabs(values.at("temperature_jump.joint")), flow / 4.));
      }
}

TEST_CASE("A resistance, a conductance and a layer of the same value are the same joint", "[regression]") {
  const auto of = [](const std::string& condition) { return run(layers(), {joint_is(condition)}).at("heat_flow.hot"); };
  const double flow = of("{contact: {conductance: 4}}");
  CHECK(of("{contact: {resistance: 0.25}}") == flow);
  CHECK(of("{layer: {thickness: 0.001, thermal_conductivity: 0.004}}") == flow);
  // of the library, whose density is not needed
  CHECK(is_near(run(layers(), {joint_is("{layer: {thickness: 0.05, material: epoxy}}"),
                               "problem.material_library=" TESSERA_SOURCE_DIR "/tests/regression/joints-library.yaml"})
                    .at("heat_flow.hot"),
                flow));
}

TEST_CASE("Three regions may meet at joints", "[regression]") {
  const double flow = 10. / (1. / 2. + 1. / 4. + 1. / 5.);
  for (const char* order : {"1", "2"}) {
    const auto values = run(layers(), {"discretization.order=" + std::string(order),
                                       "problem.boundaries.seam={contact: {conductance: 3}}"});
    CHECK(is_near(values.at("heat_flow.hot"), flow));
    CHECK(std::fabs(values.at("heat_flow.seam")) < 1e-9 * flow);
    // The lower half conducts less, is hotter at the joint, and heats the upper one.
    CHECK(run(layers(), {"problem.boundaries.seam={contact: {conductance: 3}}",
                         "problem.materials.lower={thermal_conductivity: 1}"})
              .at("heat_flow.seam") > 0.);
  }
}

TEST_CASE("Coaxial layers with a joint between them converge to their resistance", "[regression]") {
  const double flow = 10. * 2. * pi / (std::log(2.) / 2. + 1. / (4. * 2.) + std::log(1.5) / 5.);
  for (const int order : {1, 2}) {
    double error[2];
    for (const int level : {0, 1}) {
      const auto values =
          run(layers(), {"problem.symmetry=axisymmetric", "mesh.parameters={start: 1}",
                         "discretization.order=" + std::to_string(order), "mesh.refine=" + std::to_string(level + 1)});
      error[level] = std::fabs(values.at("heat_flow.hot") / flow - 1.);
      CHECK(is_near(values.at("heat_flow.hot"), std::fabs(values.at("heat_flow.joint"))));
    }
    CHECK(error[1] < (order == 1 ? 1e-3 : 1e-6));
    CHECK(error[1] < error[0] / (order == 1 ? 3.5 : 12.)); // 4 and 16 are the orders of convergence
  }
}

TEST_CASE("A closed joint around an inclusion has its flow, its losses and the balance of both", "[regression]") {
  const Inclusion exact(0.5);
  double error[2];
  for (const int level : {0, 1}) {
    const auto values = run(inclusion(), {"discretization.order=2", "mesh.refine=" + std::to_string(level)});
    const double losses = pi * (4. * exact.a - exact.b) * 1.; // of the rim: the integral of u du/dr
    error[level] = std::fabs(values.at("losses") / losses - 1.);
    // 10 c cos t flows per length: the integral of its square over the circle, times the resistance
    CHECK(is_near(values.at("joint_losses.interface"), 0.5 * 100. * exact.c * exact.c * pi, 1e-4));
    CHECK(std::fabs(values.at("current.interface")) < 1e-4);
  }
  CHECK(error[1] < 1e-5);
  CHECK(error[1] < error[0] / 8.);
}

TEST_CASE("Bodies of one potential may be next to a joint", "[regression]") {
  // A ring of conductivity 1 from radius 1 to 2, and the contact at radius 1, in series.
  const double current = 2. * pi / (std::log(2.) + 0.5);
  const auto with = [](const std::string& inner) {
    return run(inclusion(), {"problem.boundaries={rim: {potential: 1}, inner: " + inner +
                                 ", interface: {contact: {resistance: 0.5}}}",
                             "discretization.order=2", "mesh.refine=2"});
  };
  const auto fixed = with("{potential: 3}");
  CHECK(is_near(fixed.at("current.inner"), 2. * current, 1e-6));
  CHECK(is_near(fixed.at("current.rim"), -2. * current, 1e-6));
  CHECK(is_near(fixed.at("current.interface"), 2. * current, 1e-6));
  CHECK(is_near(fixed.at("potential_jump.interface"), current / (2. * pi), 1e-6));
  CHECK(is_near(fixed.at("losses"), 4. * current, 1e-6));
  const auto given = with("{terminal: {current: 2}}");
  CHECK(is_near(given.at("potential.inner"), 1. + 2. / current, 1e-6));
  CHECK(is_near(given.at("losses"), 4. / current, 1e-6));
}

TEST_CASE("A joint may end within the body", "[regression]") {
  const auto losses = [](const std::string& joint, int level) {
    return run(inclusion(), {"problem.boundaries={rim: {potential: x}" + joint + "}", "discretization.order=2",
                             "mesh.refine=" + std::to_string(level)})
        .at("losses");
  };
  const double without = losses("", 1);
  const double whole = losses(", interface: {contact: {resistance: 0.5}}", 1);
  double right[3];
  for (const int level : {0, 1, 2})
    right[level] = losses(", right: {contact: {resistance: 0.5}}", level);
  const double left = losses(", left: {contact: {resistance: 0.5}}", 1);
  CHECK(is_near(left, right[1], 1e-4)); // by symmetry, but for the mesh
  CHECK(right[1] < without);
  CHECK(right[1] > whole);
  CHECK(std::fabs(right[2] - right[1]) < 0.6 * std::fabs(right[1] - right[0]));
  CHECK(is_near(right[2], right[1], 1e-3));
}

TEST_CASE("Discontinuous elements conduct through joints, by every strategy", "[regression][device]") {
  const double flow = 10. / (1. / 2. + 1. / 4. + 1. / 5.);
  const auto check = [&](const Settings& settings) {
    Settings all{"discretization.method=dg", "output.quantities=[heat_flow]"};
    all.insert(all.end(), settings.begin(), settings.end());
    const auto values = run(layers(), all);
    CHECK(is_near(values.at("heat_flow.hot"), flow));
    CHECK(is_near(values.at("heat_flow.cold"), -flow));
    CHECK(is_near(values.at("heat_flow.joint"), flow));
    CHECK(is_near(std::fabs(values.at("temperature_jump.joint")), flow / 4.));
    return values;
  };
  for (const std::string& backend : backend_names())
    for (const char* dimension : {"2", "3"})
      for (const char* agglomerate : {"", "{elements: 40}"})
        check({"mesh.dimension=" + std::string(dimension), "mesh.parameters={dim: " + std::string(dimension) + "}",
               "mesh.agglomerate=" + std::string(agglomerate), "execution.backend=" + backend,
               "discretization.order=2"});
  for (const char* strategy : {"reference", "block-rows", "triplets", "atomic"})
    check({"assembly.strategy=" + std::string(strategy), "problem.boundaries.seam={contact: {conductance: 3}}"});
  for (const char* preconditioner : {"block-jacobi", "block-gauss-seidel", "multigrid"})
    check({"solver.preconditioner=" + std::string(preconditioner), "mesh.refine=2"});
}

TEST_CASE("Discontinuous elements have the flows and losses of continuous ones", "[regression]") {
  const Inclusion exact(0.5);
  double error[2];
  for (const int level : {0, 1}) {
    const auto values =
        run(inclusion(), {"discretization={method: dg, order: 3}", "mesh.refine=" + std::to_string(level)});
    error[level] = std::fabs(values.at("losses") / (pi * (4. * exact.a - exact.b)) - 1.);
    CHECK(std::fabs(values.at("joint_losses.interface") / (0.5 * 100. * exact.c * exact.c * pi) - 1.) < 0.02);
  }
  CHECK(error[1] < 2e-3); // of the polygon that stands for the circle
  CHECK(error[1] < error[0] / 3.5);
  for (const char* conductance : {"1e-3", "1e6"}) {
    const double resistance = 0.7 + 1. / std::stod(conductance);
    CHECK(is_near(run(layers(), {"discretization.method=dg",
                                 joint_is("{contact: {conductance: " + std::string(conductance) + "}}")})
                      .at("heat_flow.hot"),
                  10. / resistance, 1e-6));
  }
}

TEST_CASE("A layer in time converges with discontinuous elements", "[regression]") {
  const auto result = [](int level) {
    const TemporaryFolder folder;
    return run_case(TESSERA_SOURCE_DIR "/inputs/contact-of-bars/membrane-in-time.yaml", folder.file("out"),
                    {"discretization.order=2", "mesh.refine=" + std::to_string(level),
                     "problem.time.steps=" + std::to_string(8 << level), "verification.probes="});
  };
  const auto coarse = result(0);
  const auto fine = result(1);
  CHECK(fine.errors.at("l2") < 2e-4);
  CHECK(fine.errors.at("l2") < coarse.errors.at("l2") / 6.5); // 8 is the order of convergence
  // g times the area
  CHECK(is_near(fine.quantities.at("total_flux.joint"), 0.5 * 0.5 * fine.quantities.at("value_jump.joint")));
}

TEST_CASE("A joint of hardly any resistance changes nothing, one of hardly any conductance insulates", "[regression]") {
  const double without = run(layers(), {"problem.boundaries={" + ends + "}"}).at("heat_flow.hot");
  for (const char* preconditioner : {"jacobi", "multigrid"}) {
    const Settings solver = {"solver.preconditioner=" + std::string(preconditioner)};
    Settings settings = solver;
    settings.push_back(joint_is("{contact: {conductance: 1e+9}}"));
    CHECK(is_near(run(layers(), settings).at("heat_flow.hot"), without, 1e-7));
    settings.back() = joint_is("{contact: {conductance: 1e-3}}");
    CHECK(is_near(run(layers(), settings).at("heat_flow.hot"), 10. / (0.7 + 1e+3), 1e-6));
  }
}

TEST_CASE("All strategies with a matrix take joints, and the backends have the same bits", "[regression]") {
  const auto losses = [](const std::string& strategy, const std::string& backend) {
    return run(inclusion(), {"assembly.strategy=" + strategy, "execution.backend=" + backend, "discretization.order=2"})
        .at("losses");
  };
  const double reference = losses("reference", backend_names().front());
  for (const assembly::StrategyTraits& traits : assembly::strategy_table)
    if (traits.stores_matrix)
      CHECK(is_near(losses(traits.name, backend_names().front()), reference, 1e-10));
  const double first = losses("row-gather", backend_names().front());
  for (const std::string& backend : backend_names())
    CHECK(losses("row-gather", backend) == first);
}

TEST_CASE("Multigrid takes about as many iterations with joints as without", "[regression]") {
  const auto iterations = [](const std::string& boundaries) {
    const TemporaryFolder folder;
    return run_case(inclusion(), folder.file("out"),
                    {"problem.boundaries={rim: {potential: x}" + boundaries + "}", "solver.preconditioner=multigrid",
                     "mesh.refine=2", "solver.relative_tolerance=1e-8"})
        .iterations;
  };
  const int without = iterations("");
  for (const char* conductance : {"1e-3", "1", "30", "1e3", "1e5", "1e8"})
    CHECK(iterations(", interface: {contact: {conductance: " + std::string(conductance) + "}}") <= 2 * without);
}

TEST_CASE("Geometric levels with a joint are noted", "[regression]") {
  const TemporaryFolder folder;
  run_case(layers(), folder.file("out"),
           {"solver.preconditioner=multigrid", "solver.multigrid.type=geometric", "mesh.refine=1"});
  std::ifstream report(folder.file("out") + "/report.yaml");
  const std::string text{std::istreambuf_iterator<char>(report), {}};
  CHECK_THAT(text, ContainsSubstring("auto merges their nodes"));
}

TEST_CASE("The solution on either side of a joint is that of this side", "[regression]") {
  const TemporaryFolder folder;
  // 10 K at the left, flow 10.526 W: at the joint 4.737 K on the left and 2.105 K on the right.
  run_case(layers(), folder.file("out"),
           {"output.probes={line: {from: [0.9, 0.3], to: [1.1, 0.3], points: 3}}",
            "output.lines={across: {points: [[0.5, 0.3], [1.5, 0.3]]}}"});
  const auto rows = io::read_rows(folder.file("out/line.csv"), 10000);
  std::size_t column = 0;
  while (rows.at(0).at(column).rfind("temperature", 0) != 0)
    ++column;
  const double flow = 10. / 0.95;
  CHECK(is_near(std::stod(rows.at(1).at(column)), 10. - 0.45 * flow));
  CHECK(is_near(std::stod(rows.at(3).at(column)), 0.18 * flow));
}

TEST_CASE("Heat in time passes a joint until it is steady", "[regression]") {
  const double flow = 10. / 0.95;
  const auto values =
      run(layers(), {"problem.materials={left: {thermal_conductivity: 2, density: 1, specific_heat: 1}, lower: "
                     "{thermal_conductivity: 5, density: 1, specific_heat: 1}, upper: {thermal_conductivity: 5, "
                     "density: 1, specific_heat: 1}}",
                     "problem.time={from: 0, to: 20, steps: 60}", "problem.initial=0"});
  CHECK(is_near(values.at("heat_flow.hot"), flow, 1e-6));
  CHECK(is_near(std::fabs(values.at("heat_flow.joint")), flow, 1e-6));
}

TEST_CASE("Joints may be next to radiation and conductivities of the temperature", "[regression]") {
  // All of it flows through the joint.
  for (const Settings& more :
       {Settings{
            "problem.boundaries={hot: {temperature: 500}, cold: {radiation: {emissivity: 0.9, ambient: 300}}, joint: "
            "{contact: {conductance: 4}}}"},
        Settings{"problem.materials.left={thermal_conductivity: 2 + 0.1*T}"}}) {
    const auto values = run(layers(), more);
    CHECK(values.at("heat_flow.hot") > 0.);
    CHECK(is_near(values.at("heat_flow.hot"), -values.at("heat_flow.cold"), 1e-7));
    CHECK(is_near(values.at("heat_flow.hot"), std::fabs(values.at("heat_flow.joint")), 1e-7));
  }
}

TEST_CASE("Wrong joints are errors that say what is allowed", "[regression]") {
  const auto message = [](const std::string& condition, const Settings& more = {}) {
    Settings settings{joint_is(condition)};
    settings.insert(settings.end(), more.begin(), more.end());
    return message_of(layers(), settings);
  };
  CHECK_THAT(message("{contact: {conductance: -4}}"), ContainsSubstring("conductance"));
  CHECK_THAT(message("{contact: {conductance: 0}}"), ContainsSubstring("conductance"));
  CHECK_THAT(message("{contact: {conductance: 4, resistance: 1}}"), ContainsSubstring("either of them"));
  CHECK_THAT(message("{contact: {}}"), ContainsSubstring("either of them"));
  CHECK_THAT(message("{layer: {thickness: 0, thermal_conductivity: 1}}"), ContainsSubstring("thickness"));
  CHECK_THAT(message("{layer: {thickness: 1e-3}}"), ContainsSubstring("thermal_conductivity"));
  CHECK_THAT(message("{layer: {thickness: 1e-3, conductivity: 1}}"), ContainsSubstring("conductivity"));
  CHECK_THAT(message("{contact: {conductance: 4}, layer: {thickness: 1, thermal_conductivity: 1}}"),
             ContainsSubstring("exactly one of"));
  CHECK_THAT(message("{contact: {conductance: 4}}", {"assembly.strategy=ebe-atomic"}),
             ContainsSubstring("joints (contact, layer)"));
  CHECK_THAT(message("{convection: {coefficient: 4, ambient: 3}}", {"discretization.method=dg"}),
             ContainsSubstring("dg has no condition 'convection'. Available: temperature, heat_flux, and joints."));
  CHECK_THAT(message("{contact: {conductance: 4}}", {"discretization.method=dg", "execution.mesh=parts"}),
             ContainsSubstring("is not supported with execution.mesh: parts"));
  CHECK_THAT(message("{contact: {conductance: 4}}",
                     {"discretization.method=dg", "problem.boundaries.left={contact: {conductance: 4}}"}),
             ContainsSubstring("'left' is a region"));
  CHECK_THAT(message("{contact: {conductance: 4}}", {"mesh.adapt={target_error: 0.01}"}),
             ContainsSubstring("two sides would no longer match"));
  const auto of_boundaries = [](const std::string& boundaries) {
    return message_of(layers(), {"problem.boundaries={" + boundaries + "}"});
  };
  CHECK_THAT(of_boundaries("hot: {temperature: 10}, cold: {contact: {conductance: 4}}"),
             ContainsSubstring("'cold' bounds the mesh") && ContainsSubstring("convection with the key 'ambient'"));
  CHECK_THAT(of_boundaries(ends + ", left: {contact: {conductance: 4}}"), ContainsSubstring("'left' is a region"));
  CHECK_THAT(of_boundaries(ends + ", joint: {convection: {coefficient: 4, ambient: 3}}"),
             ContainsSubstring("between 'left' and ") && ContainsSubstring("contact: {resistance: ...}"));
}

} // namespace tessera::test

#endif
