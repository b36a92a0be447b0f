// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/error.hpp"
#include "core/kokkos_ext/spaces.hpp"
#include "support/run_case.hpp"
#include "support/temporary_folder.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <cmath>

using Catch::Matchers::ContainsSubstring;

namespace tessera::test {

namespace {

/// The adaptation rounds of a run, read from its report.
struct Round {
  double elements, unknowns, error;
};
std::vector<Round> rounds_of(const std::string& directory) {
  const io::YamlNode report = io::read_yaml(directory + "/report.yaml");
  const io::YamlNode* list = report.find("adaptation");
  REQUIRE(list != nullptr);
  std::vector<Round> rounds;
  for (const io::YamlNode& round : list->items)
    rounds.push_back({std::stod(round.find("elements")->text), std::stod(round.find("unknowns")->text),
                      std::stod(round.find("estimated_error")->text)});
  return rounds;
}

#if TESSERA_HAVE_GMSH
std::string target(double error) { return "mesh.adapt.target_error=" + std::to_string(error); }
#endif

const std::string plates = TESSERA_SOURCE_DIR "/tests/regression/plates.yaml";

} // namespace

#if TESSERA_HAVE_GMSH
TEST_CASE("The error at a corner falls with the optimal order, and the estimate follows it", "[regression][device]") {
  const TemporaryFolder folder;
  for (const int order : {1, 2}) {
    INFO("order " << order);
    const std::string order_key = "discretization.order=" + std::to_string(order);
    std::vector<double> true_error, unknowns;
    for (const double error : order == 1 ? std::vector<double>{0.02, 0.004} : std::vector<double>{2e-3, 1e-4}) {
      const auto summary = run_case(input_file("l-shape"), folder.file("out"), {order_key, target(error)});
      CHECK(summary.exit_code == 0);
      const std::vector<Round> rounds = rounds_of(folder.file("out"));
      CHECK(rounds.back().error <= error);
      for (std::size_t r = 0; r + 1 < rounds.size(); ++r) {
        CHECK(rounds[r].error > error);
        CHECK(rounds[r + 1].elements > rounds[r].elements);
      }
      const double effectivity = rounds.back().error / summary.errors.at("h1");
      CHECK(effectivity > 0.8);
      CHECK(effectivity < 1.3);
      true_error.push_back(summary.errors.at("h1"));
      unknowns.push_back(rounds.back().unknowns);
    }
    const double slope = std::log(true_error[1] / true_error[0]) / std::log(unknowns[1] / unknowns[0]);
    CHECK(std::fabs(slope + 0.5 * order) < 0.03 * order);
  }
}

namespace {
/// The slope of the energy error over the number of unknowns for the re-entrant corner, between two meshes of
/// `elements`.
double slope_of(const std::vector<std::string>& settings, const std::vector<int>& elements, double& effectivity) {
  const TemporaryFolder folder;
  std::vector<double> error, unknowns;
  for (const int most : elements) {
    std::vector<std::string> all{"mesh.adapt.target_error=", "mesh.adapt.max_elements=" + std::to_string(most),
                                 "mesh.adapt.max_rounds=40"};
    all.insert(all.end(), settings.begin(), settings.end());
    const auto summary = run_case(input_file("l-shape"), folder.file("out"), all);
    CHECK(summary.exit_code == 0);
    const Round last = rounds_of(folder.file("out")).back();
    error.push_back(summary.errors.at("h1"));
    unknowns.push_back(last.unknowns);
    effectivity = last.error / error.back();
  }
  return std::log(error.back() / error.front()) / std::log(unknowns.back() / unknowns.front());
}
} // namespace

TEST_CASE("Meshes by residuals are as good as those by recovery at a corner, uniform ones are not",
          "[regression][device]") {
  double effectivity = 0.;
  for (const int order : {1, 2}) {
    INFO("order " << order);
    const std::string order_key = "discretization.order=" + std::to_string(order);
    const std::vector<int> elements{1500 / order, 40000 / order};
    const double tolerance = order == 1 ? 0.03 : 0.06;
    for (const char* estimator : {"recovery", "residual"}) {
      INFO(estimator);
      const double slope =
          slope_of({order_key, std::string("mesh.adapt.estimator=") + estimator}, elements, effectivity);
      CHECK(std::fabs(slope + 0.5 * order) < tolerance);
      CHECK(effectivity > 0.8);
      CHECK(effectivity < 1.3);
    }
    // With all elements refined, the corner limits the slope to -1/3.
    const double uniform =
        slope_of({order_key, "mesh.adapt.estimator=residual", "mesh.adapt.share=1"}, elements, effectivity);
    CHECK(std::fabs(uniform + 0.5 * order) > tolerance);
    CHECK(std::fabs(uniform + 1. / 3.) < 0.05);
  }
}

TEST_CASE("Meshes that are refined by error estimates follow curved boundaries", "[regression][device]") {
  const TemporaryFolder folder;
  const auto summary =
      run_case(input_file("coax"), folder.file("out"),
               {"mesh.parameters={n_around: 16, n_radial: 4}", target(0.02), "discretization.order=1",
                "verification.quantities={capacitance: {value: 2*pi*8.8541878128e-12*2.25/log(1.475/0.45)}}"});
  REQUIRE(summary.exit_code == 0);
  const double estimated = rounds_of(folder.file("out")).back().error;
  INFO("error " << summary.errors.at("capacitance") << ", estimated error of the field " << estimated);
  // The relative error of the capacitance is the square of that of the field; with 16 straight sides around the
  // conductors, it would be five times as large.
  CHECK(summary.errors.at("capacitance") < 1.3 * estimated * estimated);
}

TEST_CASE("Refinement goes on where a curved boundary would turn elements inside out", "[regression]") {
  const TemporaryFolder folder;
  folder.write("octant.geo", R"(SetFactory("OpenCASCADE");
Sphere(1) = {0, 0, 0, 1, 0, Pi/2, Pi/2}; Sphere(2) = {0, 0, 0, 0.3, 0, Pi/2, Pi/2};
BooleanDifference(3) = { Volume{1}; Delete; }{ Volume{2}; Delete; };
Physical Volume("shell") = {3};
out() = Boundary{ Volume{3}; };
in() = Surface In BoundingBox{-0.01, -0.01, -0.01, 0.31, 0.31, 0.31};
x() = Surface In BoundingBox{-0.01, -0.01, -0.01, 0.01, 1.01, 1.01};
y() = Surface In BoundingBox{-0.01, -0.01, -0.01, 1.01, 0.01, 1.01};
z() = Surface In BoundingBox{-0.01, -0.01, -0.01, 1.01, 1.01, 0.01};
out() -= {in(), x(), y(), z()};
Physical Surface("inner") = {in()}; Physical Surface("outer") = {out()};
Mesh.MeshSizeMax = 0.25;
)");
  const std::string octant = folder.write("octant.yaml", R"(tessera: 1
mesh: {geometry: octant.geo, dimension: 3, adapt: {target_error: 0.03}}
problem:
  physics: heat
  materials: {shell: {thermal_conductivity: 1}}
  boundaries: {inner: {temperature: 1}, outer: {temperature: 0}}
discretization: {order: 2}
output: {quantities: [heat_flow]}
)");
  const auto summary = run_case(octant, folder.file("out"));
  CHECK(summary.exit_code == 0);
  const std::vector<Round> rounds = rounds_of(folder.file("out"));
  CHECK(rounds.back().error <= 0.03);
  const io::YamlNode report = io::read_yaml(folder.file("out") + "/report.yaml");
  std::string notes;
  for (const io::YamlNode& note : report.find("notes")->items)
    notes += note.text + '\n';
  CHECK_THAT(notes, ContainsSubstring("edges there stay straight"));
  const double exact = 0.5 * 3.14159265358979 / (1. / 0.3 - 1.); // k Omega/(1/a - 1/b) of an eighth of the sphere
  CHECK(std::fabs(summary.quantities.at("heat_flow.inner") - exact) < 0.02 * exact);
}

TEST_CASE("Adaptive runs have the same bits on every backend when they are asked for", "[regression][device]") {
  const TemporaryFolder folder;
  std::string expected;
  for (const std::string& backend : backend_names()) {
    const auto summary =
        run_case(input_file("l-shape"), folder.file("out"),
                 {"execution.backend=" + backend, "execution.reproducible=true", "mesh.adapt.target_error=0.03"});
    CHECK(summary.exit_code == 0);
    expected = expected.empty() ? summary.checksums.at("solution") : expected;
    CHECK(summary.checksums.at("solution") == expected);
  }
}
#endif

namespace {

/// A smooth peak in the middle of a box: the ratio of estimated to true error.
double effectivity_of_peak(const TemporaryFolder& folder, const std::vector<std::string>& settings) {
  const std::string peak = "exp(-20*(x^2 + y^2))";
  const std::string value = "{value: \"" + peak + "\"}";
  const std::string file = folder.write(
      "peak.yaml", "tessera: 1\nmesh: {box: {cells: [16, 16], lower: [-1, -1], upper: [1, 1]}, adapt: {target_error: "
                   "1.0e-3, max_rounds: 1}}\nproblem:\n  physics: diffusion\n  materials: {domain: {diffusivity: "
                   "1}}\n  sources: {domain: {source: \"(80 - 1600*(x^2 + y^2))*" +
                       peak + "\"}}\n  boundaries: {left: " + value + ", right: " + value + ", top: " + value +
                       ", bottom: " + value +
                       "}\noutput: {fields: [], quantities: [energy]}\nverification: {exact: \"" + peak +
                       "\", gradient: [\"-40*x*" + peak + "\", \"-40*y*" + peak + "\"]}\n");
  const auto summary = run_case(file, folder.file("out"), settings);
  CHECK(summary.exit_code == 0);
  return rounds_of(folder.file("out")).back().error / summary.errors.at("h1");
}

} // namespace

// Nodal averages would find 0.79, 0.62 and 0.51 of the error of order 2: less with each refinement.
TEST_CASE("Estimates hold at a smooth peak, on uniform and on refined meshes", "[regression][device]") {
  const TemporaryFolder folder;
  for (const char* estimator : {"recovery", "residual"})
    for (const char* order : {"1", "2"}) {
      const std::vector<std::string> keys{std::string("mesh.adapt.estimator=") + estimator,
                                          std::string("discretization.order=") + order};
      const auto check = [&](std::vector<std::string> more) {
        INFO(estimator << ", order " << order << ", " << more.front());
        more.insert(more.end(), keys.begin(), keys.end());
        const double effectivity = effectivity_of_peak(folder, more);
        CHECK(effectivity > 0.75);
        CHECK(effectivity < 1.3);
      };
      for (const char* cells : {"[16, 16]", "[32, 32]", "[64, 64]"})
        check({std::string("mesh.box.cells=") + cells});
      check({"mesh.box.cells=[8, 8]", "mesh.adapt.max_rounds=6"});
    }
}

// The exact energy is half the conductance, sqrt(k). Without special treatment of the corner, the estimates would be 10
// % for errors of 21 % and 36 %.
TEST_CASE("Errors where materials meet in a chequered way are not passed over", "[regression][device]") {
  const TemporaryFolder folder;
  const std::string file = folder.write("board.yaml", R"(tessera: 1
mesh: {box: {cells: [8, 8], lower: [-1, -1], upper: [1, 1]}, adapt: {target_error: 0.1, max_rounds: 12}}
problem:
  physics: diffusion
  materials: {domain: {diffusivity: 1}}
  boundaries: {left: {value: 0}, right: {value: 1}}
output: {fields: [], quantities: [energy]}
)");
  for (const char* estimator : {"recovery", "residual"})
    for (const char* order : {"1", "2"})
      for (const int contrast : {3, 10, 100, 10000}) {
        INFO(estimator << ", order " << order << ", contrast " << contrast);
        const auto summary =
            run_case(file, folder.file("out"),
                     {std::string("mesh.adapt.estimator=") + estimator, std::string("discretization.order=") + order,
                      "problem.materials.domain.diffusivity=x*y > 0 ? " + std::to_string(contrast) + " : 1"});
        // Both relative to the norm of the solution, whose square is twice the energy.
        const double relative = rounds_of(folder.file("out")).back().error;
        const double claimed = relative / std::sqrt(1. - relative * relative);
        const double error = std::sqrt(1. - 0.5 * std::sqrt(contrast) / summary.quantities.at("energy"));
        INFO("claimed " << claimed << ", error " << error);
        CHECK(error < 1.35 * claimed);
        const io::YamlNode report = io::read_yaml(folder.file("out") + "/report.yaml");
        const io::YamlNode* notes = report.find("notes");
        bool is_noted = false;
        for (std::size_t i = 0; notes != nullptr && i < notes->items.size(); ++i)
          is_noted = is_noted ||
                     notes->items[i].text.find("at (0, 0) m materials meet in a chequered way") != std::string::npos;
        CHECK(is_noted == (contrast >= 10));
      }
}

TEST_CASE("Refinement ends where the input says", "[regression]") {
  const TemporaryFolder folder;
  // The potential changes within a small segment of the side.
  const std::vector<std::string> layer{"problem.boundaries.left.potential=tanh(20*(y - 0.5))",
                                       "output.quantities=[energy]", "output.fields=[]"};
  const auto run = [&](std::vector<std::string> settings) {
    settings.insert(settings.end(), layer.begin(), layer.end());
    const auto summary = run_case(plates, folder.file("out"), settings);
    CHECK(summary.exit_code == 0);
    return rounds_of(folder.file("out"));
  };
  const std::vector<Round> by_elements = run({"mesh.adapt={max_elements: 2000}"});
  CHECK(by_elements.back().elements <= 2000.);
  CHECK(by_elements.back().elements > 500.);
  CHECK(run({"mesh.adapt={target_error: 1e-6, max_rounds: 3}"}).size() == 3);
  CHECK(run({"mesh.adapt={target_error: 0.9}"}).size() == 1);
  const auto in_space = run({"mesh.adapt={max_elements: 20000}", "mesh.box={cells: [4, 4, 4]}", "output.probes="});
  CHECK(in_space.back().elements > 4000.);
  CHECK(in_space.back().error < 0.8 * in_space.front().error);
  // Every element: a share of 1 is uniform.
  const auto uniform = run({"mesh.adapt={max_elements: 300, share: 1}"});
  CHECK(uniform.back().elements == 4. * uniform.front().elements);
}

TEST_CASE("The report compares what set-up costs in each round", "[regression][device]") {
  const TemporaryFolder folder;
  const auto summary = run_case(plates, folder.file("out"),
                                {"mesh.adapt={target_error: 1e-6, max_rounds: 3, compare_setup: true}",
                                 "output.quantities=[energy]", "problem.boundaries.left.potential=tanh(20*(y - 0.5))"});
  CHECK(summary.exit_code == 0);
  const io::YamlNode report = io::read_yaml(folder.file("out") + "/report.yaml");
  const io::YamlNode* rounds = report.find("adaptation");
  REQUIRE(rounds != nullptr);
  CHECK(rounds->items.size() == 3);
  for (const io::YamlNode& round : rounds->items) {
    const io::YamlNode* setup = round.find("setup");
    REQUIRE(setup != nullptr);
    CHECK(setup->keys == std::vector<std::string>{"colored", "a-coo", "row-gather"});
    const auto number = [&](const char* strategy, const char* key) {
      return std::stod(setup->find(strategy)->find(key)->text);
    };
    for (const std::string& strategy : setup->keys)
      for (const char* key : {"symbolic", "numeric", "peak_bytes"}) {
        INFO(strategy << ' ' << key);
        CHECK(number(strategy.c_str(), key) > 0.);
      }
    CHECK(number("a-coo", "peak_bytes") > number("row-gather", "peak_bytes")); // the triplet lists
    for (const std::string& phase : round.find("seconds")->keys)               // only the times of the run itself
      CHECK(phase.find("compare") == std::string::npos);
  }
}

TEST_CASE("Commands on one mesh refuse refinement by error estimates", "[regression]") {
  const TemporaryFolder folder;
  const io::Case input = read_case(plates, folder.file("out"), {"mesh.adapt={target_error: 0.1}"});
  CHECK_THROWS_WITH(driver::compare(input, {}), ContainsSubstring("mesh.adapt: 'compare' works on one mesh"));
  CHECK_THROWS_WITH(driver::make_mesh_file(input, folder.file("mesh.vtkhdf")),
                    ContainsSubstring("mesh.adapt: 'mesh' works on one mesh"));
  driver::BenchOptions bench;
  bench.what = "assembly";
  bench.backend = backend_names().front();
  bench.inputs = {input};
  CHECK_THROWS_WITH(driver::bench(bench), ContainsSubstring("mesh.adapt: 'bench' works on one mesh"));
}

#if TESSERA_HAVE_GMSH
TEST_CASE("Elements of any degree converge exponentially at a corner, divided ones algebraically",
          "[regression][device]") {
  const TemporaryFolder folder;
  const std::string file = TESSERA_SOURCE_DIR "/inputs/l-shape/l-shape-hp.yaml";
  constexpr double norm = 1.356; // of the gradient, by quadrature
  const auto run = [&](const std::vector<std::string>& settings, double& error) {
    const auto summary = run_case(file, folder.file("out"), settings);
    CHECK(summary.exit_code == 0);
    error = summary.errors.at("dg");
    const Round last = rounds_of(folder.file("out")).back();
    const double effectivity = last.error * norm / error;
    CHECK(effectivity > 0.75);
    CHECK(effectivity < 1.3);
    return last.unknowns;
  };
  std::vector<double> errors(3), roots;
  for (std::size_t k = 0; k < errors.size(); ++k)
    roots.push_back(std::cbrt(run({target(std::vector<double>{0.04, 0.006, 0.0009}[k])}, errors[k])));
  const double first = std::log(errors[0] / errors[1]) / (roots[1] - roots[0]);
  const double second = std::log(errors[1] / errors[2]) / (roots[2] - roots[1]);
  CHECK(first > 0.4);
  CHECK(second > 0.4);
  CHECK(second > 0.9 * first); // of a power of the number of unknowns it would be 0.6 of that
  double error = 0.;
  const double of_divided = run({target(0.0009), "mesh.adapt.max_order="}, error);
  CHECK(of_divided > 4. * std::pow(roots.back(), 3));
}
#endif

TEST_CASE("The error of discontinuous elements that hold the solution is estimated as zero", "[regression][device]") {
  // u = x^2 + x y, with every term of the equation and both conditions.
  const auto run = [](int order, const std::string& adapt) {
    const TemporaryFolder folder;
    const std::string text =
        "tessera: 1\nmesh: {box: {cells: [5, 4]}, agglomerate: {elements: 7}, adapt: " + adapt +
        "}\nproblem:\n  physics: advection-diffusion-reaction\n"
        "  materials: {domain: {diffusivity: [[2 + x, 0.5], [0.5, 1]], velocity: [1, y], reaction: 2}}\n"
        "  sources: {domain: {source: \"2*x^2 + 3*x*y - 2*x - 5\"}}\n"
        "  boundaries:\n    left: {value: 0}\n    bottom: {value: \"x^2\"}\n    top: {value: \"x^2 + x\"}\n"
        "    right: {flux: \"6.5 + 3*y\"}\n"
        "discretization: {method: dg, order: " +
        std::to_string(order) +
        "}\nsolver: {relative_tolerance: 1.0e-14}\noutput: {fields: []}\n"
        "verification: {exact: \"x^2 + x*y\"}\n";
    driver::RunOptions options;
    options.quiet = true;
    const auto summary = driver::run(
        io::read_case_text(text, "case.yaml", {{"output.directory", folder.file("out"), "--output"}}), options);
    CHECK(summary.exit_code == 0);
    return std::make_pair(rounds_of(folder.file("out")), summary.errors.at("l2"));
  };
  const auto [exact, no_error] = run(2, "{target_error: 1.0e-8, max_rounds: 1}");
  CHECK(no_error < 1e-10); // of the solver
  CHECK(exact.back().error < 1e-8);
  const auto [linear, some_error] = run(1, "{target_error: 1.0e-8, max_rounds: 1}");
  CHECK(linear.back().error > 0.05);
  // Raised degrees hold it as well; the first round raises those of half of the error.
  const auto [raised, raised_error] = run(1, "{target_error: 1.0e-8, max_order: 2, share: 1}");
  CHECK(raised.size() == 2);
  CHECK(raised.back().elements == raised.front().elements);
  CHECK(raised_error < 1e-10);
}

} // namespace tessera::test
