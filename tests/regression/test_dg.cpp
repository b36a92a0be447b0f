// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/error.hpp"
#include "core/kokkos_ext/backends.hpp"
#include "driver/dg/dg_solution.hpp"
#include "graph/partition/metis.hpp"
#include "io/hdf5_file.hpp"
#include "io/input/yaml_reader.hpp"
#include "support/run_case.hpp"
#include "support/temporary_folder.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <sstream>

namespace tessera::test {

using Catch::Matchers::ContainsSubstring;

namespace {

const std::string polyhedra = input_file("dg-3d");
const std::vector<std::string> coarse{"mesh.box.cells=[4, 4, 4]", "mesh.agglomerate.elements=96"};

std::vector<std::string> coarse_with(const std::vector<std::string>& more) {
  std::vector<std::string> settings = coarse;
  settings.insert(settings.end(), more.begin(), more.end());
  return settings;
}

std::string message_of(const TemporaryFolder& folder, const std::string& file,
                       const std::vector<std::string>& settings) {
  try {
    run_case(file, folder.file("out"), settings);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

/// The unit square of n^2 squares as another program writes it, from the last to the first, with the cell data
/// `quadrant`.
void write_squares(const std::string& path, int n) {
  std::vector<double> points, quadrants;
  std::vector<std::int64_t> nodes, offsets{0};
  for (int k = 0; k < (n + 1) * (n + 1); ++k)
    points.insert(points.end(), {double(k % (n + 1)) / n, double(k / (n + 1)) / n, 0.});
  for (int cell = n * n - 1; cell >= 0; --cell) {
    const std::int64_t first = cell % n + (n + 1) * (cell / n);
    nodes.insert(nodes.end(), {first, first + 1, first + n + 2, first + n + 1});
    offsets.push_back(static_cast<std::int64_t>(nodes.size()));
    quadrants.push_back((cell % n < n / 2 ? 0. : 1.) + (cell / n < n / 2 ? 0. : 20.));
  }
  const std::int64_t counts[] = {static_cast<std::int64_t>(points.size() / 3), n * n};
  const std::vector<std::uint8_t> types(quadrants.size(), 9);
  io::Hdf5File file = io::Hdf5File::create(path);
  file.make_group("/VTKHDF");
  file.write_attribute("/VTKHDF", "Version", std::vector<std::int64_t>{2, 0});
  file.write_attribute("/VTKHDF", "Type", "UnstructuredGrid");
  file.write<std::int64_t>("/VTKHDF/NumberOfPoints", {1}, &counts[0]);
  file.write<std::int64_t>("/VTKHDF/NumberOfCells", {1}, &counts[1]);
  file.write<std::uint8_t>("/VTKHDF/Types", {types.size()}, types.data());
  file.write<std::int64_t>("/VTKHDF/Offsets", {offsets.size()}, offsets.data());
  file.write<std::int64_t>("/VTKHDF/Connectivity", {nodes.size()}, nodes.data());
  file.write<double>("/VTKHDF/Points", {points.size() / 3, 3}, points.data());
  file.make_group("/VTKHDF/CellData");
  file.write<double>("/VTKHDF/CellData/quadrant", {quadrants.size()}, quadrants.data());
  file.close();
}

/// The notes of the report.
std::string report_of(const TemporaryFolder& folder, const std::string& directory = "out") {
  std::ifstream file(folder.file(directory) + "/report.yaml");
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

} // namespace

TEST_CASE("Strategies and backends of dg agree, deterministic ones bit for bit", "[regression][device]") {
  const TemporaryFolder folder;
  driver::CompareOptions options;
  options.quiet = true;
  const std::string parabolic = input_file("dg-parabolic");
  const std::vector<std::string> in_time{"mesh.box.cells=[4, 4]", "mesh.agglomerate.elements=8",
                                         "discretization.order=2", "problem.time.steps=3"};
  std::vector<std::string> transient = in_time; // a penalty per time step, so that every strategy has to start at the
                                                // first step
  transient.push_back("problem.materials.domain.diffusivity=1 + 0.5*x*t");
  std::vector<std::string> local = transient;
  local.push_back("discretization.local_steps=x < 0.4 ? 4 : 1");
  const std::vector<std::string> degrees{"mesh.box.cells=[2, 2, 2]", "mesh.agglomerate.elements=12",
                                         "discretization.order=1 + x + y"};
  for (const auto& [file, settings] :
       {std::make_pair(polyhedra, coarse), std::make_pair(polyhedra, degrees), std::make_pair(parabolic, in_time),
        std::make_pair(parabolic, transient), std::make_pair(parabolic, local)}) {
    INFO(file << ", " << settings.back());
    CHECK(driver::compare(read_case(file, folder.file("out"), settings), options) == 0);
    const io::YamlNode report = io::read_yaml(folder.file("out") + "/compare.yaml");
    CHECK(report.find("runs")->items.size() == 4 * backend_names().size());
    std::size_t n_same = 0;
    for (const io::YamlNode& run : report.find("runs")->items) {
      CHECK(run.find("phases")->items.size() == 4);
      const io::YamlNode* same_bits = run.find("same_bits");
      n_same += run.find("strategy")->text != "atomic" && same_bits != nullptr && same_bits->text == "true" ? 1 : 0;
    }
    CHECK(n_same == 3 * (backend_names().size() - 1));
  }
  options.strategies = {"atomic"};
  CHECK_THROWS(
      driver::compare(read_case(polyhedra, folder.file("out"), coarse_with({"execution.reproducible=true"})), options));
}

TEST_CASE("Reproducible runs of dg report checksums of their matrix, load and solution", "[regression][device]") {
  const TemporaryFolder folder;
  const auto checksums = [&](const std::string& backend, const std::string& steps) {
    return run_case(input_file("dg-parabolic"), folder.file("out"),
                    {"mesh.box.cells=[4, 4]", "mesh.agglomerate.elements=8", "discretization.order=1", steps,
                     "execution.reproducible=true", "execution.backend=" + backend})
        .checksums;
  };
  const auto first = checksums(backend_names().front(), "problem.time.steps=2");
  CHECK(first.size() == 3);
  for (const std::string& backend : backend_names())
    CHECK(checksums(backend, "problem.time.steps=2") == first);
  for (const auto& [name, sum] : checksums(backend_names().front(), "problem.time.steps=3"))
    CHECK(sum != first.at(name));
  CHECK(run_case(polyhedra, folder.file("out"), coarse).checksums.empty());
}

TEST_CASE("A matrix in single precision costs the solution digits, not its error", "[regression][device]") {
  const TemporaryFolder folder;
  const auto error_of = [&](const std::string& precision) {
    return run_case(input_file("dg-poisson"), folder.file(precision),
                    {"assembly.precision=" + precision, "output.quantities=[mean]"});
  };
  const auto twice = error_of("double");
  const auto once = error_of("single");
  const double mean = twice.quantities.at("mean");
  CHECK(once.exit_code == 0);
  CHECK(once.quantities.at("mean") != mean);
  // Entries are rounded to 6e-8; the condition number is some thousand, but smooth solutions are hardly affected.
  CHECK(std::fabs(once.quantities.at("mean") - mean) <= 1e-4 * mean);
  CHECK(std::fabs(once.errors.at("l2") - twice.errors.at("l2")) <= 0.01 * twice.errors.at("l2"));
  CHECK_THAT(report_of(folder, "single"), ContainsSubstring("numbers of 7 digits"));
}

TEST_CASE("Solvers and preconditioners of dg find the same solution", "[regression][device]") {
  const TemporaryFolder folder;
  const double error = run_case(polyhedra, folder.file("out"), coarse).errors.at("l2");
  for (const char* method : {"gmres", "bicgstab"})
    for (const char* preconditioner : {"none", "jacobi", "block-jacobi", "block-gauss-seidel"}) {
      INFO(method << ", " << preconditioner);
      const auto summary = run_case(polyhedra, folder.file("out"),
                                    coarse_with({std::string("solver.method=") + method,
                                                 std::string("solver.preconditioner=") + preconditioner}));
      CHECK(summary.exit_code == 0);
      CHECK(std::fabs(summary.errors.at("l2") / error - 1.) < 1e-7);
    }
  const std::vector<std::string> symmetric{"mesh.box.cells=[8, 8]", "mesh.agglomerate.elements=16"};
  const double symmetric_error = run_case(input_file("dg-poisson"), folder.file("out"), symmetric).errors.at("l2");
  std::vector<std::string> sweeps = symmetric;
  sweeps.push_back("solver.preconditioner=block-gauss-seidel");
  CHECK(std::fabs(run_case(input_file("dg-poisson"), folder.file("out"), sweeps).errors.at("l2") / symmetric_error -
                  1.) < 1e-7);
}

// With a quarter of the element size, block Jacobi needs twice as many iterations; multigrid needs as many as before,
// apart from the smaller share of boundary elements. The bounds are about 1.3 times the measured numbers.
TEST_CASE("Iterations of multigrid for dg do not grow with the mesh, those of blocks do", "[regression][device]") {
  const TemporaryFolder folder;
  const auto iterations = [&](const std::string& file, const char* preconditioner, std::vector<std::string> settings,
                              double* error) {
    settings.push_back(std::string("solver.preconditioner=") + preconditioner);
    const auto summary = run_case(file, folder.file("out"), settings);
    CHECK(summary.exit_code == 0);
    *error = summary.errors.at("l2");
    return summary.iterations;
  };
  const auto check_growth = [&](bool joined, int order, int most) {
    INFO((joined ? "polygons" : "triangles") << " of order " << order);
    int count[2][2];
    for (const int fine : {0, 1}) {
      double error[2];
      for (const int multigrid : {0, 1})
        count[multigrid][fine] = iterations(input_file("dg-poisson"), multigrid != 0 ? "multigrid" : "block-jacobi",
                                            {fine != 0 ? "mesh.box.cells=[64, 64]" : "mesh.box.cells=[16, 16]",
                                             !joined     ? "mesh.agglomerate="
                                             : fine != 0 ? "mesh.agglomerate.elements=2048"
                                                         : "mesh.agglomerate.elements=128",
                                             "discretization.order=" + std::to_string(order)},
                                            &error[multigrid]);
      CHECK(std::fabs(error[1] / error[0] - 1.) < 1e-7);
    }
    INFO(count[0][0] << " and " << count[0][1] << ", " << count[1][0] << " and " << count[1][1]);
    CHECK(count[0][1] > 2 * count[0][0]);
    CHECK(count[1][1] < 1.6 * count[1][0]);
    CHECK(count[1][1] < most);
  };
  check_growth(true, 1, 45);
  check_growth(false, 1, 60);
  check_growth(true, 2, 90);
  check_growth(false, 2, 100);
  run_case(input_file("dg-poisson"), folder.file("out"),
           {"mesh.box.cells=[96, 96]", "mesh.agglomerate.elements=512", "solver.preconditioner=block-jacobi"});
  CHECK_THAT(report_of(folder), ContainsSubstring("solver.preconditioner: multigrid takes far fewer"));
}

TEST_CASE("Multigrid for dg takes velocities, time slabs, degrees per element and anisotropy", "[regression][device]") {
  const TemporaryFolder folder;
  const auto check = [&](const std::string& file, std::vector<std::string> settings, const char* blocks, int fewer) {
    settings.push_back("solver.preconditioner=multigrid");
    const auto multigrid = run_case(file, folder.file("out"), settings);
    settings.back() = std::string("solver.preconditioner=") + blocks;
    const auto alone = run_case(file, folder.file("out"), settings);
    INFO(file << ": " << multigrid.iterations << " and " << alone.iterations);
    CHECK(multigrid.exit_code == 0);
    CHECK(alone.exit_code == 0);
    CHECK(fewer * multigrid.iterations < alone.iterations);
    CHECK(std::fabs(multigrid.errors.at("l2") / alone.errors.at("l2") - 1.) < 1e-6);
  };
  const char* poisson = "mesh.box.cells=[32, 32]";
  check(input_file("dg-poisson"), {poisson, "mesh.agglomerate.elements=512", "discretization.order=1 + 3*x"},
        "block-jacobi", 3);
  check(input_file("dg-poisson"),
        {poisson, "mesh.agglomerate.elements=512", "problem.materials.domain.diffusivity=[1, 0.01]"}, "block-jacobi",
        3);
  check(input_file("dg-parabolic"),
        {poisson, "mesh.agglomerate.elements=512", "discretization.order=2", "problem.time.steps=2"},
        "block-gauss-seidel", 3);
  check(input_file("dg-3d"), {"mesh.box.cells=[8, 8, 8]"}, "block-jacobi", 2);
  for (const char* little : {"1e-3", "1e-5"}) // velocity 2, element width 1/34
    check(input_file("dg-advection"), {std::string("problem.materials.domain.diffusivity=") + little},
          "block-gauss-seidel", 1);
}

TEST_CASE("The default solver of dg converges whatever the coefficients' jumps and the degree",
          "[regression][device]") {
  const TemporaryFolder folder;
  const std::vector<std::string> box{
      "mesh.box.cells=[12, 12]", "mesh.agglomerate=",
      "problem.sources=",        "problem.boundaries={left: {value: 0}, right: {value: 1}}",
      "verification=",           "output.fields=[]"};
  for (const auto& [order, most] : {std::make_pair(1, 30), std::make_pair(2, 50), std::make_pair(3, 65),
                                    std::make_pair(4, 75)}) // about half as many as with a bound on all powers
    for (const char* jump : {"1", "1e4", "1e8"}) {
      std::vector<std::string> settings = box;
      settings.push_back("discretization.order=" + std::to_string(order));
      settings.push_back(std::string("problem.materials.domain.diffusivity=x < 0.5 ? 1 : ") + jump);
      const auto summary = run_case(input_file("dg-poisson"), folder.file("out"), settings);
      INFO("order " << order << ", jump " << jump << ": " << summary.iterations);
      CHECK(summary.exit_code == 0);
      CHECK(summary.iterations <= most);
      CHECK_THAT(report_of(folder), ContainsSubstring("preconditioner: multigrid"));
    }
}

TEST_CASE("A sweep in downwind order solves an advection, whichever way it goes", "[regression][device]") {
  const TemporaryFolder folder;
  const auto iterations = [&](const std::vector<std::string>& settings) {
    std::vector<std::string> all{"mesh.box.cells=[12, 12]", "output.fields=[]"};
    all.insert(all.end(), settings.begin(), settings.end());
    const auto summary = run_case(input_file("dg-advection"), folder.file("out"), all);
    CHECK(summary.exit_code == 0);
    return summary.iterations;
  };
  const std::string polygons = "mesh.agglomerate.elements=72";
  CHECK(iterations({"mesh.agglomerate="}) == 1); // without agglomerates, the upwind graph has no cycles
  const std::string rotation = "problem.materials.domain.velocity=[0.5 - y, x - 0.5]";
  const std::string all_sides = "problem.boundaries={left: {value: 0}, right: {value: 1}, bottom: {value: 0}, top: "
                                "{value: 1}}";
  const std::string reaction = "problem.materials.domain.reaction=0.1";
  for (const std::vector<std::string>& settings :
       {std::vector<std::string>{polygons}, std::vector<std::string>{polygons, rotation, all_sides, reaction}}) {
    std::vector<std::string> by_color = settings;
    by_color.push_back("solver.sweep_order=color");
    CHECK(iterations(settings) < 0.7 * iterations(by_color));
  }
}

TEST_CASE("Electrostatics by dg is electrostatics", "[regression][device]") {
  const TemporaryFolder folder;
  const std::string plates = folder.file("plates.yaml");
  std::ofstream(plates)
      << "tessera: 1\n"
         "mesh: {box: {cells: [6, 6]}, agglomerate: {mean_size: 0.3}}\n"
         "problem:\n"
         "  physics: electrostatics\n"
         "  materials: {domain: {relative_permittivity: 3}}\n"
         "  depth: 2\n"
         "  boundaries: {left: {potential: 5}, right: {potential: 1}}\n"
         "discretization: {method: dg, order: 1}\n"
         "output:\n"
         "  fields: [potential, electric_field, material]\n"
         "  quantities: [energy, charge, capacitance, mean]\n"
         "  probes: {middle: {points: [[0.3, 0.4]]}}\n"
         "verification:\n"
         "  exact: \"5 - 4*x\"\n"
         "  probes: {middle: {potential: {exact: 3.8, tolerance: 1e-8}, Ex: {exact: 4, tolerance: 1e-7}}}\n";
  const auto summary = run_case(plates, folder.file("out"), {});
  CHECK(summary.exit_code == 0);
  CHECK(summary.errors.at("l2") < 1e-9);
  const double permittivity = 3. * 8.8541878128e-12;
  const auto is_exact = [&](const std::string& name, double exact) {
    INFO(name << ": " << summary.quantities.at(name) << ", exact " << exact);
    CHECK(std::fabs(summary.quantities.at(name) - exact) <= 1e-9 * std::fabs(exact));
  };
  is_exact("capacitance", 2. * permittivity);
  is_exact("charge.left", 8. * permittivity);
  is_exact("charge.right", -8. * permittivity);
  is_exact("energy", 16. * permittivity);
  is_exact("mean", 3.);
  CHECK(summary.quantities.size() == 5);
  // Boundaries with a surface charge have it, as with cg.
  const auto charged = run_case(plates, folder.file("out"),
                                {"problem.boundaries={left: {surface_charge: 3e-9}, right: {potential: 1}}",
                                 "output.quantities=[charge]", "verification="});
  CHECK(std::fabs(charged.quantities.at("charge.left") - 6e-9) < 1e-17);
  CHECK(std::fabs(charged.quantities.at("charge.right") + 6e-9) < 1e-17);
  CHECK(charged.quantities.size() == 2);
  // A wrong expected value is detected.
  CHECK(run_case(plates, folder.file("out"), {"verification.probes.middle.Ex.exact=-4"}).exit_code == 2);
}

// Half of the gap between x = 0 and 1 has permittivity 4. At points of the faces x = 0, 1/2 and 1, the expressions have
// the value of one side or of neither; the values inside the elements must be used.
TEST_CASE("A material by an expression may jump in faces of dg", "[regression][device]") {
  const TemporaryFolder folder;
  const std::string layers = folder.write("layers.yaml", R"(
tessera: 1
mesh: {box: {cells: [6, 3]}}
problem:
  physics: electrostatics
  materials: {domain: {relative_permittivity: 1}}
  boundaries: {left: {potential: 1}, right: {potential: 0}}
discretization: {method: dg, order: 1}
solver: {relative_tolerance: 1.0e-12}
output: {fields: [], quantities: [energy, capacitance]}
)");
  constexpr double exact = 8.8541878128e-12 / (0.5 / 4. + 0.5);
  for (const char* strategy : {"reference", "atomic", "block-rows"})
    for (const char* permittivity : {"x < 0.5 ? 4 : 1", "x <= 0.5 ? 4 : 1", "x <= 0 || x >= 1 ? 9 : x < 0.5 ? 4 : 1"}) {
      const auto summary = run_case(layers, folder.file("out"),
                                    {std::string("problem.materials.domain.relative_permittivity=") + permittivity,
                                     std::string("assembly.strategy=") + strategy});
      INFO(strategy << ", " << permittivity);
      CHECK(summary.exit_code == 0);
      // Tolerance for rounding and the solver; with values at the faces themselves the error would be 8e-4 and more.
      CHECK(std::fabs(summary.quantities.at("capacitance") / exact - 1.) < 1e-9);
      CHECK(std::fabs(2. * summary.quantities.at("energy") / exact - 1.) < 1e-9);
    }
}

namespace {

/// The pieces of a subdivided simplex have equal size and its orientation.
template <int Dim> void check_subdivision(int n) {
  CAPTURE(Dim, n);
  const driver::SubdividedSimplex<Dim> simplex(n);
  const double n_parts = std::pow(n, Dim);
  CHECK(static_cast<double>(simplex.cells.size()) == n_parts);
  CHECK(static_cast<int>(simplex.points.size()) ==
        (Dim == 2 ? (n + 1) * (n + 2) / 2 : (n + 1) * (n + 2) * (n + 3) / 6));
  for (const auto& cell : simplex.cells) {
    double edge[3][3] = {{1., 0., 0.}, {0., 1., 0.}, {0., 0., 1.}};
    for (int k = 0; k < Dim; ++k)
      for (int d = 0; d < Dim; ++d) // all barycentric coordinates but the first
        edge[k][d] = simplex.points[cell[k + 1]][d + 1] - simplex.points[cell[0]][d + 1];
    double volume = 0.;
    for (int d = 0; d < 3; ++d)
      volume +=
          edge[0][d] * (edge[1][(d + 1) % 3] * edge[2][(d + 2) % 3] - edge[1][(d + 2) % 3] * edge[2][(d + 1) % 3]);
    CHECK(std::fabs(volume * n_parts - 1.) < 1e-12);
  }
}

} // namespace

TEST_CASE("Fields are as fine as asked, and are those of the polynomials", "[regression][device]") {
  for (const int n : {1, 2, 3, 5}) {
    check_subdivision<2>(n);
    check_subdivision<3>(n);
  }
  const TemporaryFolder folder;
  const std::string parabola = folder.file("parabola.yaml");
  std::ofstream(parabola) << "tessera: 1\n"
                             "mesh: {box: {cells: [3, 3]}, agglomerate: {elements: 6}}\n"
                             "problem:\n"
                             "  physics: diffusion\n"
                             "  materials: {domain: {diffusivity: 1}}\n"
                             "  sources: {domain: {source: -2}}\n"
                             "  boundaries: {left: {value: 0}, right: {value: 1}}\n"
                             "discretization: {method: dg, order: 2}\n"
                             "output: {fields: [value, gradient, material], subdivisions: 3}\n";
  REQUIRE(run_case(parabola, folder.file("out"), {}).exit_code == 0);
  const io::Hdf5File file = io::Hdf5File::open(folder.file("out") + "/fields.vtkhdf");
  const auto points = file.read<double>("/VTKHDF/Points");
  const auto values = file.read<double>("/VTKHDF/PointData/value");
  const auto connectivity = file.read<std::int64_t>("/VTKHDF/Connectivity");
  const auto elements = file.read<double>("/VTKHDF/CellData/element");
  REQUIRE(values.size() == 18 * 10);
  REQUIRE(points.size() == 3 * values.size());
  REQUIRE(elements.size() == 18 * 9);
  CHECK(file.extents("/VTKHDF/CellData/material") == std::vector<std::size_t>{18 * 9});
  CHECK(file.read_text("/VTKHDF/CellData/material", "Names") == "domain\n");
  for (std::size_t i = 0; i < values.size(); ++i)
    CHECK(std::fabs(values[i] - points[3 * i] * points[3 * i]) < 1e-8);
  double area = 0.;
  for (std::size_t c = 0; c < connectivity.size(); c += 3) {
    const auto x = [&](std::size_t k, int d) { return points[3 * static_cast<std::size_t>(connectivity[c + k]) + d]; };
    area += 0.5 * ((x(1, 0) - x(0, 0)) * (x(2, 1) - x(0, 1)) - (x(2, 0) - x(0, 0)) * (x(1, 1) - x(0, 1)));
    CHECK(elements[c / 3] == elements[c / 27 * 9]); // the pieces of a triangle are numbered consecutively
  }
  CHECK(std::fabs(area - 1.) < 1e-12);
  CHECK_THAT(message_of(folder, parabola, {"output.subdivisions=32", "execution.memory_limit=0.0003"}),
             ContainsSubstring("output.subdivisions") && ContainsSubstring("execution.memory_limit"));
}

TEST_CASE("A solver that fails on thin elements says so", "[regression]") {
#if TESSERA_HAVE_GMSH
  const TemporaryFolder folder;
  const auto run = [&](const char* order) {
    return run_case(input_file("step-layers"), folder.file("out"),
                    {"discretization.method=dg", std::string("discretization.order=") + order, "output.fields=[]",
                     "output.quantities=[]", "verification="});
  };
  CHECK(run("1").exit_code == 0);
  CHECK_THAT(report_of(folder), !ContainsSubstring("of its bounding box"));
  CHECK(run("2").exit_code == 2);
  CHECK_THAT(report_of(folder), ContainsSubstring("of its bounding box: polynomials of degree 2"));
#else
  SKIP("without Gmsh");
#endif
}

TEST_CASE("Conditions of dg between elements are refused, and interfaces have no flux of the method", "[regression]") {
#if TESSERA_HAVE_GMSH
  const TemporaryFolder folder;
  folder.write("strips.geo", R"(Mesh.CharacteristicLengthMax = 0.4;
Point(1) = {0, 0, 0}; Point(2) = {1, 0, 0}; Point(3) = {3, 0, 0}; Point(4) = {3, 1, 0}; Point(5) = {1, 1, 0}; Point(6) = {0, 1, 0};
Line(1) = {1, 2}; Line(2) = {2, 3}; Line(3) = {3, 4}; Line(4) = {4, 5}; Line(5) = {5, 6}; Line(6) = {6, 1}; Line(7) = {2, 5};
Curve Loop(1) = {1, 7, 5, 6}; Curve Loop(2) = {2, 3, 4, -7};
Plane Surface(1) = {1}; Plane Surface(2) = {2};
Physical Surface("first") = {1}; Physical Surface("second") = {2};
Physical Curve("left") = {6}; Physical Curve("right") = {3}; Physical Curve("middle") = {7}; Physical Curve("below") = {1, 2};
)");
  const std::string strips = folder.write("strips.yaml", R"(tessera: 1
mesh: {geometry: strips.geo, dimension: 2}
problem:
  physics: heat
  materials: {first: {thermal_conductivity: 2}, second: {thermal_conductivity: 4}}
  boundaries: {left: {temperature: 10}, right: {temperature: 0}}
discretization: {method: dg}
output: {fields: [], quantities: [heat_flow]}
)");
  const auto flows = run_case(strips, folder.file("out"), {}).quantities;
  CHECK(std::fabs(flows.at("heat_flow.left") - 10.) < 1e-6); // R = 1/2 + 2/4
  CHECK(flows.count("heat_flow.below") == 1);
  CHECK(flows.count("heat_flow.middle") == 0);
  for (const char* condition : {"temperature", "heat_flux"})
    CHECK_THAT(
        message_of(folder, strips, {std::string("problem.boundaries.middle.") + condition + "=5"}),
        ContainsSubstring("problem.boundaries.middle: with dg, conditions belong on the outside of the mesh, but "
                          "'middle' lies between 'first' and 'second'"));
#else
  SKIP("without Gmsh");
#endif
}

TEST_CASE("A degree per element is that of its region or of an expression", "[regression][device]") {
  const TemporaryFolder folder;
  const std::vector<std::string> small{"mesh.box.cells=[8, 8]", "mesh.agglomerate.elements=16",
                                       // auto would choose differently for expressions
                                       "solver.preconditioner=block-jacobi"};
  const auto run = [&](const std::string& order) {
    std::vector<std::string> settings = small;
    settings.push_back("discretization.order=" + order);
    return run_case(input_file("dg-poisson"), folder.file("out"), settings).errors;
  };
  const auto second = run("2");
  const auto third = run("3");
  CHECK(run("{default: 1, regions: {domain: 2}}") == second);
  CHECK(run("{default: 2, regions: {}}") == second);
  CHECK(run("2.4 + 0.05*x") == second); // rounded
  const auto mixed = run("x < 0.5 ? 2 : 3");
  CHECK_THAT(report_of(folder), Catch::Matchers::ContainsSubstring("order: {smallest: 2, largest: 3}"));
  CHECK(mixed.at("l2") < second.at("l2"));
  CHECK(mixed.at("l2") > third.at("l2"));
  io::Hdf5File file = io::Hdf5File::open(folder.file("out") + "/fields.vtkhdf");
  const auto degrees = file.read<double>("/VTKHDF/CellData/degree");
  const auto elements = file.read<double>("/VTKHDF/CellData/element");
  REQUIRE(degrees.size() == 128);
  std::map<double, double> degree_of;
  for (std::size_t s = 0; s < degrees.size(); ++s)
    CHECK(degree_of.emplace(elements[s], degrees[s]).first->second == degrees[s]);
  for (const double degree : {2., 3.})
    CHECK(std::count_if(degree_of.begin(), degree_of.end(), [&](const auto& e) { return e.second == degree; }) > 4);
}

TEST_CASE("Agglomeration by METIS gives similar accuracy to ours", "[regression][device]") {
  const TemporaryFolder folder;
  const auto run = [&](const char* method) {
    return run_case(input_file("dg-poisson"), folder.file("out"),
                    {"mesh.agglomerate={elements: 600, method: " + std::string(method) + "}"});
  };
  const auto ours = run("device");
  if (*graph::metis_version() == '\0') {
    CHECK_THROWS_AS(run("metis"), Error);
    return;
  }
  const auto metis = run("metis");
  CHECK(metis.exit_code == 0);
  CHECK(metis.errors.at("dg") < 2. * ours.errors.at("dg"));
  CHECK_THAT(report_of(folder), Catch::Matchers::ContainsSubstring("METIS left "));
}

TEST_CASE("Elements are those of a partition file, of cell data or of the cells of a file", "[regression][device]") {
  const TemporaryFolder folder;
  const std::string own = input_file("dg-own-polygons");
  const auto check = [&](const std::string& what, std::size_t n_elements, const std::vector<std::string>& settings,
                         const char* note = "") {
    INFO(what);
    const auto summary = run_case(own, folder.file("out"), settings);
    CHECK(summary.exit_code == 0);
    CHECK(summary.errors.at("l2") < 1e-10); // the solution is a polynomial of the elements' degree
    CHECK(std::fabs(summary.quantities.at("mean") - 1.25) < 1e-10);
    CHECK_THAT(report_of(folder), ContainsSubstring("elements: " + std::to_string(n_elements) + "\n"));
    CHECK_THAT(report_of(folder), ContainsSubstring(note));
  };
  check("14 polygons", 14, {});
  check("refined", 14, {"mesh.refine=1"});
  check("in the order of the mesh", 14, {"mesh.ordering=none", "mesh.refine=1"});
  for (const char* covering : {"p-coverable", "simplices"})
    check(covering, 14, {"discretization.covering=" + std::string(covering)});
  for (const char* strategy : {"block-rows", "triplets", "atomic", "reference"})
    check(strategy, 14, {"assembly.strategy=" + std::string(strategy), "discretization.extra_degree=3"});

  const std::string parts = folder.file("cells.part.7");
  const auto write = [&](const auto& part_of_cell) { // of the 144 cells of two triangles
    std::ofstream file(parts);
    for (int t = 0; t < 288; ++t)
      file << part_of_cell(t / 2 % 12, t / 24) << '\n';
  };
  write([](int x, int y) { return x / 4 + 3 * (y / 4); });
  check("squares", 9, {"mesh.agglomerate.from=" + parts});
  write([](int x, int) { return x % 6 == 5 ? 7 : x / 6; });
  check("columns", 4, {"mesh.agglomerate.from=" + parts}, "1 of the 3 parts are not connected");
  check("empty numbers", 4, {"mesh.agglomerate.from=" + parts}, "5 of the numbers from 0 to 7 have no simplices");
  std::ofstream(parts, std::ios::app) << "3\n";
  CHECK_THAT(message_of(folder, own, {"mesh.agglomerate.from=" + parts}),
             ContainsSubstring("mesh.agglomerate: ") && ContainsSubstring("cells.part.7:289: a line too many"));

  // Squares of a file, from the last to the first, with cell data.
  const std::string mesh = folder.file("mesh.vtkhdf");
  write_squares(mesh, 6);
  const auto from_file = [&](const char* from) {
    return std::vector<std::string>{
        "mesh={file: " + mesh + ", groups: {all: {outside: true}}, agglomerate: {from: " + from + "}}",
        "problem.boundaries={all: {value: 1 + x^2 - 3*x*y + 2*y^2}}", "output.quantities=[mean]"};
  };
  check("cells", 36, from_file("cells"));
  check("cell data", 4, from_file("quadrant"));
  std::ofstream(parts) << "% by column\n";
  for (int cell = 35; cell >= 0; --cell)
    std::ofstream(parts, std::ios::app) << cell % 6 << '\n';
  check("a line for each square", 6, from_file(parts.c_str()));
  CHECK_THAT(message_of(folder, own, from_file("colour")),
             ContainsSubstring("has no cell data 'colour'") && ContainsSubstring("quadrant"));
}

TEST_CASE("Fluxes of dg are conservative", "[regression][device]") {
  const TemporaryFolder folder;
  const std::string file = folder.file("flux.yaml");
  // div of the velocity is zero; inflow, sources and losses must balance, whatever the accuracy.
  std::ofstream(file) << "tessera: 1\n"
                         "mesh: {box: {cells: [7, 6]}, agglomerate: {elements: 13}}\n"
                         "problem:\n"
                         "  physics: advection-diffusion-reaction\n"
                         "  materials: {domain: {diffusivity: [[\"1 + x\", 0.2], [0.2, 0.5]],\n"
                         "                       velocity: [\"2*y\", \"1 + x\"], reaction: 3}}\n"
                         "  sources: {domain: {source: 7}}\n"
                         "  boundaries: {left: {value: \"sin(5*y)\"}, bottom: {value: 2}, top: {flux: 0.25}}\n"
                         "discretization: {order: 1}\n"
                         "solver: {relative_tolerance: 1.0e-14}\n"
                         "output: {quantities: [mean, total_flux]}\n";
  for (const std::string& backend : backend_names()) {
    const auto q = run_case(file, folder.file("out"), {"execution.backend=" + backend}).quantities;
    REQUIRE(q.size() == 5);
    const double in =
        q.at("total_flux.left") + q.at("total_flux.right") + q.at("total_flux.bottom") + q.at("total_flux.top");
    INFO(backend << ": " << in << " flows in, the mean is " << q.at("mean"));
    CHECK(std::fabs(q.at("total_flux.right")) > 0.1);
    CHECK(std::fabs(in + 7. - 3. * q.at("mean")) < 1e-11);
  }
  // Diffusion only: the exact fluxes of a solution in the finite element space.
  const auto summary =
      run_case(input_file("dg-poisson"), folder.file("out"),
               {"mesh.box.cells=[6, 6]", "mesh.agglomerate.elements=9",
                "verification=", "problem.sources={domain: {source: -4}}", "problem.boundaries.left={flux: 0}",
                "problem.boundaries.right.value=1 + y^2", "problem.boundaries.bottom.value=x^2",
                "problem.boundaries.top={flux: 2}", "output.quantities=[total_flux, energy, mean]"});
  const auto& q = summary.quantities; // of x^2 + y^2
  CHECK(std::fabs(q.at("total_flux.left")) < 1e-9);
  CHECK(std::fabs(q.at("total_flux.right") - 2.) < 1e-7);
  CHECK(std::fabs(q.at("total_flux.bottom")) < 1e-7);
  CHECK(std::fabs(q.at("total_flux.top") - 2.) < 1e-9);
  CHECK(std::fabs(q.at("energy") - 4. / 3.) < 1e-8);
  CHECK(std::fabs(q.at("mean") - 2. / 3.) < 1e-8);
}

TEST_CASE("What dg cannot do is reported", "[regression][device]") {
  const TemporaryFolder folder;
  CHECK_THAT(message_of(folder, polyhedra, {"mesh.box.cells=[2, 2, 2]", "mesh.agglomerate.elements=49"}),
             ContainsSubstring("mesh.agglomerate") && ContainsSubstring("48 tetrahedra"));
  CHECK_THAT(message_of(folder, polyhedra, coarse_with({"problem.materials.domain.diffusivity=x - 0.5"})),
             ContainsSubstring("domain") && ContainsSubstring("semidefinite"));
  CHECK_THAT(message_of(folder, polyhedra, coarse_with({"problem.boundaries.domain.value=0"})),
             ContainsSubstring("is a region"));
  CHECK_THAT(message_of(folder, polyhedra, coarse_with({"execution.memory_limit=0.0001"})),
             ContainsSubstring("execution.memory_limit"));
  CHECK_THAT(
      message_of(folder, input_file("dg-poisson"), {"execution.memory_limit=0.0005"}),
      ContainsSubstring("with solver.preconditioner: block-jacobi, which takes far more iterations), needs about"));
  CHECK_THAT(message_of(folder, polyhedra, coarse_with({"discretization.order={regions: {air: 2}}"})),
             ContainsSubstring("a degree is given for 'air', which is no region"));
  CHECK_THAT(message_of(folder, polyhedra, coarse_with({"discretization.order=8*x"})),
             ContainsSubstring("discretization.order: the degree must lie between 0 and 6, but is") &&
                 ContainsSubstring("in the element around ("));
  CHECK_THAT(message_of(folder, polyhedra, coarse_with({"discretization.order=sqrt(x - 2)"})),
             ContainsSubstring("but is nan"));
  run_case(polyhedra, folder.file("out"), coarse_with({"discretization.order=0"}));
  CHECK_THAT(report_of(folder), ContainsSubstring("elements of degree 0"));
  run_case(polyhedra, folder.file("out"), coarse_with({"problem.materials.domain.reaction=-1"}));
  CHECK_THAT(report_of(folder), ContainsSubstring("reaction - div(velocity)/2 is negative"));
  CHECK(run_case(polyhedra, folder.file("out"), coarse_with({"solver.max_iterations=3"})).exit_code == 2);
  CHECK_THAT(message_of(folder, polyhedra, coarse_with({"execution.reproducible=true", "assembly.strategy=atomic"})),
             ContainsSubstring("execution.reproducible") && ContainsSubstring("block-rows"));
  run_case(polyhedra, folder.file("out"), coarse_with({"solver.relative_tolerance=1e-4"}));
  CHECK_THAT(report_of(folder), ContainsSubstring("The solver's residual is"));
  const std::string advection = input_file("dg-advection");
  run_case(advection, folder.file("out"), {"problem.boundaries.left="});
  CHECK_THAT(report_of(folder), ContainsSubstring("there is inflow, but no value is given"));
  run_case(polyhedra, folder.file("out"), coarse_with({"problem.boundaries.left={flux: 0}"}));
  CHECK_THAT(report_of(folder), ContainsSubstring("the velocity points inwards"));
}

} // namespace tessera::test
