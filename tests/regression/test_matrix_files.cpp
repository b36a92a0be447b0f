// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/driver.hpp"
#include "io/hdf5_file.hpp"
#include "io/input/case_reader.hpp"
#include "io/output/report.hpp"
#include "support/matrix_file.hpp"
#include "support/temporary_folder.hpp"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cmath>
#include <complex>
#include <set>

namespace tessera::test {

namespace {

driver::RunSummary run_text(const std::string& text, const std::string& directory) {
  driver::RunOptions options;
  options.quiet = true;
  return driver::run(io::read_case_text(text, "case.yaml", {{"output.directory", directory, "--output"}}), options);
}

/// Laplace's equation between two sides of the unit square.
std::string between_sides(int cells, const std::string& discretization, const std::string& rest) {
  const std::string n = std::to_string(cells);
  return "tessera: 1\nmesh: {box: {cells: [" + n + ", " + n +
         "]}}\nproblem:\n  physics: diffusion\n  materials: {domain: {diffusivity: 1}}\n"
         "  boundaries: {left: {value: 0}, right: {value: 3}}\ndiscretization: " +
         discretization + "\n" + rest + "\n";
}

/// Largest difference of the entries of two matrices, divided by the largest entry of the second.
double difference(const MatrixFile& a, const MatrixFile& b) {
  REQUIRE(a.n_rows == b.n_rows);
  double worst = 0., largest = 0.;
  for (const auto& [at, value] : b.entries) {
    const auto found = a.entries.find(at);
    worst = std::max(worst, std::abs((found == a.entries.end() ? 0. : found->second) - value));
    largest = std::max(largest, std::abs(value));
  }
  for (const auto& [at, value] : a.entries)
    if (b.entries.count(at) == 0)
      worst = std::max(worst, std::abs(value));
  return worst / largest;
}

constexpr double rounding = 1e-13; // of sums in different orders

} // namespace

TEST_CASE("The file of a matrix has the entries of the free nodes", "[regression]") {
  const TemporaryFolder folder;
  REQUIRE(
      run_text(between_sides(2, "{method: cg, order: 1}", "output: {matrix: A.mtx, fields: []}"), folder.file("out"))
          .exit_code == 0);
  const MatrixFile matrix = read_matrix_file(folder.file("out/A.mtx"));
  const MatrixFile rhs = read_matrix_file(folder.file("out/A_rhs.mtx"));
  CHECK(matrix.format == "coordinate real symmetric");
  REQUIRE(matrix.n_rows == 3);
  REQUIRE(rhs.n_rows == 3);
  // Of right triangles with legs h: 4 at inner nodes, -1 along inner edges, half of these at the boundary.
  std::size_t n_inner = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    const bool is_inner = matrix.entries.at({i, i}) > 3.;
    n_inner += is_inner ? 1 : 0;
    CHECK(std::abs(matrix.entries.at({i, i}) - (is_inner ? 4. : 2.)) < rounding);
    CHECK(std::abs(rhs.entries.at({i, 0}) - (is_inner ? 3. : 1.5)) < rounding);
    double sum = 0.;
    for (std::size_t j = 0; j < 3; ++j)
      sum += matrix.entries.count({i, j}) > 0 && i != j ? matrix.entries.at({i, j}) : 0.;
    CHECK(std::abs(sum - (is_inner ? -2. : -1.)) < rounding);
  }
  CHECK(n_inner == 1);
}

TEST_CASE("Every strategy with a matrix writes that of reference", "[regression]") {
  const TemporaryFolder folder;
  const auto files_of = [&](const std::string& discretization, const std::string& strategy, const std::string& problem,
                            bool is_symmetric) {
    INFO(discretization << ' ' << strategy);
    std::string text =
        between_sides(5, discretization, "assembly: {strategy: " + strategy + "}\noutput: {matrix: A.mtx}");
    text.insert(text.find("  materials"), problem);
    REQUIRE(run_text(text, folder.file(strategy)).exit_code == 0);
    MatrixFile matrix = read_matrix_file(folder.file(strategy + "/A.mtx"));
    CHECK(matrix.format == (is_symmetric ? "coordinate real symmetric" : "coordinate real general"));
    return std::make_pair(matrix, read_matrix_file(folder.file(strategy + "/A_rhs.mtx")));
  };
  const auto compare = [&](const std::string& discretization, const std::vector<std::string>& strategies,
                           const std::string& problem = "", bool is_symmetric = true) {
    const auto [matrix, rhs] = files_of(discretization, "reference", problem, is_symmetric);
    for (const std::string& strategy : strategies) {
      const auto [other, other_rhs] = files_of(discretization, strategy, problem, is_symmetric);
      INFO(discretization << ' ' << strategy);
      CHECK(difference(other, matrix) < rounding);
      CHECK(difference(other_rhs, rhs) < rounding);
    }
  };
  const std::string source = "  sources: {domain: {source: \"x + 2*y\"}}\n";
  compare("{method: cg, order: 2}", {"auto", "atomic", "a-coo", "a-coo-compact", "sorted-coo", "colored", "row-gather"},
          source);
  compare("{method: dg, order: 2}", {"auto", "triplets", "atomic", "block-rows"}, source);
  compare("{method: dg, order: \"1 + 2*x\"}", {"triplets", "atomic", "block-rows"}, source);
}

TEST_CASE("The matrix of advection is written as general", "[regression]") {
  const TemporaryFolder folder;
  const std::string text = "tessera: 1\nmesh: {box: {cells: [4, 4]}}\nproblem:\n"
                           "  physics: advection-diffusion-reaction\n"
                           "  materials: {domain: {diffusivity: 0.1, velocity: [1, 0.5]}}\n"
                           "  boundaries: {left: {value: 1}, right: {value: 0}, top: {value: 0}, bottom: {value: 0}}\n"
                           "discretization: {method: dg, order: 1}\noutput: {matrix: A.mtx, fields: []}\nassembly: ";
  MatrixFile matrices[2];
  for (const bool by_reference : {false, true}) {
    const std::string out = folder.file(by_reference ? "reference" : "rows");
    REQUIRE(run_text(text + (by_reference ? "{strategy: reference}\n" : "{}\n"), out).exit_code == 0);
    matrices[by_reference ? 1 : 0] = read_matrix_file(out + "/A.mtx");
  }
  CHECK(matrices[0].format == "coordinate real general");
  CHECK(difference(matrices[0], matrices[1]) < rounding);
  double asymmetry = 0.;
  for (const auto& [at, value] : matrices[0].entries)
    asymmetry = std::max(asymmetry, std::abs(value - matrices[0].entries.at({at.second, at.first})));
  CHECK(asymmetry > 0.01);
}

TEST_CASE("The complex matrix of a frequency has the solution of the run", "[regression]") {
  using Complex = std::complex<double>;
  const TemporaryFolder folder;
  const std::string text = R"yaml(tessera: 1
mesh: {box: {cells: [6, 5], upper: [0.03, 0.02]}}
problem:
  physics: eddy-currents
  frequency: [50, 400]
  materials: {domain: {relative_permeability: 1, conductivity: 3e7}}
  boundaries: {left: {vector_potential: 0}, right: {tangential_field: 1000}}
discretization: {order: 1}
solver: {relative_tolerance: 1e-12}
output: {matrix: A.mtx, fields: [vector_potential]}
)yaml";
  REQUIRE(run_text(text, folder.file("out")).exit_code == 0);
  const MatrixFile matrix = read_matrix_file(folder.file("out/A.mtx"));
  const MatrixFile rhs = read_matrix_file(folder.file("out/A_rhs.mtx"));
  CHECK(matrix.format == "coordinate complex symmetric");
  CHECK(rhs.format == "array complex general");
  CHECK(matrix.comments.find("omega = 314.159") != std::string::npos);
  const std::size_t n = 36; // of 7 x 6 nodes, without those at the left
  REQUIRE(matrix.n_rows == n);
  REQUIRE(rhs.n_rows == n);

  std::vector<std::vector<Complex>> a(n, std::vector<Complex>(n + 1));
  for (const auto& [at, value] : matrix.entries)
    a[at.first][at.second] = {value, matrix.imaginary.at(at)};
  for (std::size_t i = 0; i < n; ++i)
    a[i][n] = {rhs.entries.at({i, 0}), rhs.imaginary.at({i, 0})};
  for (std::size_t k = 0; k < n; ++k) // Gauss-Jordan; the real parts of pivots are positive
    for (std::size_t i = 0; i < n; ++i) {
      const Complex factor = i == k ? 0. : a[i][k] / a[k][k];
      for (std::size_t j = k; j <= n && i != k; ++j)
        a[i][j] -= factor * a[k][j];
    }
  const auto file = io::Hdf5File::open(folder.file("out/fields.vtkhdf"));
  for (const bool is_real : {true, false}) {
    std::vector<double> nodal =
        file.read<double>(std::string("/VTKHDF/PointData/vector_potential_") + (is_real ? "real" : "imaginary"));
    std::vector<double> solution(nodal.size() - n, 0.);
    for (std::size_t i = 0; i < n; ++i) {
      const Complex value = a[i][n] / a[i][i];
      solution.push_back(is_real ? value.real() : value.imag());
    }
    std::sort(nodal.begin(), nodal.end());
    std::sort(solution.begin(), solution.end());
    const double largest = std::max(std::abs(nodal.front()), std::abs(nodal.back()));
    for (std::size_t i = 0; i < nodal.size(); ++i)
      CHECK(std::abs(nodal[i] - solution[i]) < 1e-9 * largest); // residual of 1e-12 times the condition
  }
}

TEST_CASE("Fields have the colours by which a strategy assembles", "[regression]") {
  const TemporaryFolder folder;
  int n = 0;
  for (const std::string strategy : {"colored", "ebe-stored", "ebe-recomputed"})
    for (const std::string coloring : {"ofcm", "node-claims"})
      for (const std::string discretization : {"{order: 1}", "{order: 2}"}) {
        INFO(strategy << ' ' << coloring << ' ' << discretization);
        const std::string out = folder.file(std::to_string(n++));
        const driver::RunSummary run =
            run_text(between_sides(9, discretization,
                                   "assembly: {strategy: " + strategy + ", coloring: " + coloring +
                                       "}\noutput: {fields: [colour]}"),
                     out);
        REQUIRE(run.exit_code == 0);
        const auto file = io::Hdf5File::open(out + "/fields.vtkhdf");
        const auto colors = file.read<double>("/VTKHDF/CellData/colour");
        const auto nodes = file.read<std::int64_t>("/VTKHDF/Connectivity");
        const auto offsets = file.read<std::int64_t>("/VTKHDF/Offsets");
        REQUIRE(colors.size() == 162);
        std::map<std::int64_t, std::set<double>> at_node;
        std::map<double, std::size_t> sizes;
        for (std::size_t e = 0; e < colors.size(); ++e) {
          ++sizes[colors[e]];
          for (auto k = offsets[e]; k < offsets[e + 1]; ++k)
            CHECK(at_node[nodes[static_cast<std::size_t>(k)]].insert(colors[e]).second);
        }
        const io::ReportNode* coloring_of_run = run.report.find("coloring");
        REQUIRE(coloring_of_run != nullptr);
        const auto in_report = [&](const std::string& key) {
          return std::stoul(io::to_yaml(*coloring_of_run->find(key)));
        };
        CHECK(in_report("colors") == sizes.size());
        std::size_t largest = 0;
        for (const auto& entry : sizes)
          largest = std::max(largest, entry.second);
        CHECK(in_report("largest_class") == largest);
        CHECK(sizes.begin()->first == 0.);
        CHECK(sizes.rbegin()->first == static_cast<double>(sizes.size()) - 1.);
      }
}

} // namespace tessera::test
