// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/kokkos_ext/spaces.hpp"
#include "io/hdf5_file.hpp"
#include "io/mesh_files/mesh_file.hpp"
#include "support/layered_mesh.hpp"
#include "support/run_case.hpp"
#include "support/temporary_folder.hpp"

#include <catch2/catch_test_macros.hpp>

#include <cmath>
#include <set>

namespace tessera::test {

namespace {

using Settings = std::vector<std::string>;

constexpr double eps0 = 8.8541878128e-12;
[[maybe_unused]] constexpr double mu0 = 1.25663706212e-6;

/// A file of fields.
class Fields {
public:
  explicit Fields(const std::string& directory)
      : file_(io::Hdf5File::open(directory + "/fields.vtkhdf")), points(file_.read<double>("/VTKHDF/Points")),
        connectivity(file_.read<std::int64_t>("/VTKHDF/Connectivity")),
        material(file_.read<std::uint16_t>("/VTKHDF/CellData/material")) {}

  std::vector<double> at_points(const std::string& name) const {
    return file_.read<double>("/VTKHDF/PointData/" + name);
  }
  std::vector<std::int64_t> nodes() const { return file_.read<std::int64_t>("/VTKHDF/PointData/node"); }
  std::vector<double> of_cells(const std::string& name) const { return file_.read<double>("/VTKHDF/CellData/" + name); }
  bool has(const std::string& name) const { return file_.exists("/VTKHDF/" + name); }
  std::size_t n_points() const { return points.size() / 3; }
  std::size_t n_cells() const { return material.size(); }
  /// Point at local node k of a cell.
  std::size_t point(std::size_t cell, std::size_t k) const {
    return static_cast<std::size_t>(connectivity[cell * nodes_per_cell() + k]);
  }
  std::size_t nodes_per_cell() const { return connectivity.size() / n_cells(); }

private:
  io::Hdf5File file_;

public:
  std::vector<double> points;
  std::vector<std::int64_t> connectivity;
  std::vector<std::uint16_t> material;
};

struct Model {
  std::string physics, coefficient, boundary; // keys of the input
  std::string solution, gradient, flux;       // names of fields
  double gradient_sign;                       // of the field over grad u
  double unit;                                // unit of the coefficient
};

const std::vector<Model>& models() {
  static const std::vector<Model> all = {
      {"electrostatics", "relative_permittivity", "potential", "potential", "electric_field", "flux_density", -1.,
       eps0},
      {"current-flow", "conductivity", "potential", "potential", "electric_field", "current_density", -1., 1.},
      {"heat", "thermal_conductivity", "temperature", "temperature", "temperature_gradient", "heat_flux", 1., 1.},
      {"diffusion", "diffusivity", "value", "value", "gradient", "flux", 1., 1.},
  };
  return all;
}

/// Coefficients 2 and 5, and 7 between the ends: slopes of 10 and 4.
std::string case_text(const Model& model, const std::string& symmetry) {
  return "tessera: 1\nmesh: {file: layers.vtkhdf}\nproblem:\n  physics: " + model.physics +
         "\n  symmetry: " + symmetry + "\n  materials: {lower: {" + model.coefficient + ": 2}, upper: {" +
         model.coefficient + ": 5}}\n  boundaries: {low: {" + model.boundary + ": 0}, high: {" + model.boundary +
         ": 7}}\nsolver: {relative_tolerance: 1.0e-12}\n";
}

/// Runs a case on a layered mesh.
Fields run_layers(const TemporaryFolder& folder, const io::ImportedMesh& mesh, const std::string& text,
                  const Settings& settings, const std::string& name) {
  io::write_mesh_file(folder.file("layers.vtkhdf"), mesh);
  REQUIRE(run_case(folder.write("case.yaml", text), folder.file(name), settings).exit_code == 0);
  return Fields(folder.file(name));
}

/// Largest difference between a vector field at the points of cells and the exact value of their material, relative to
/// `scale`.
double largest_difference(const Fields& fields, const std::string& name, const std::array<double, 3> (&exact)[2],
                          double scale) {
  const std::vector<double> values = fields.at_points(name);
  REQUIRE(values.size() == 3 * fields.n_points());
  double largest = 0.;
  for (std::size_t cell = 0; cell < fields.n_cells(); ++cell)
    for (std::size_t k = 0; k < fields.nodes_per_cell(); ++k)
      for (std::size_t d = 0; d < 3; ++d)
        largest = std::max(largest, std::fabs(values[3 * fields.point(cell, k) + d] - exact[fields.material[cell]][d]));
  return largest / scale;
}

/// Each point of `sides` is a node of the other grid, where it occurs once; cells and their regions are the same.
void check_same_grid(const Fields& sides, const Fields& nodes, const std::string& solution) {
  const std::vector<std::int64_t> number = sides.nodes();
  REQUIRE(number.size() == sides.n_points());
  CHECK(std::is_sorted(number.begin(), number.end()));
  CHECK(std::set<std::int64_t>(number.begin(), number.end()).size() == nodes.n_points());
  const std::vector<double> u = sides.at_points(solution), plain = nodes.at_points(solution);
  std::size_t n_wrong = 0;
  for (std::size_t i = 0; i < sides.n_points(); ++i) {
    const auto node = static_cast<std::size_t>(number[i]);
    REQUIRE(node < nodes.n_points());
    n_wrong += u[i] == plain[node] ? 0 : 1;
    for (std::size_t d = 0; d < 3; ++d)
      n_wrong += sides.points[3 * i + d] == nodes.points[3 * node + d] ? 0 : 1;
  }
  REQUIRE(sides.connectivity.size() == nodes.connectivity.size());
  for (std::size_t i = 0; i < sides.connectivity.size(); ++i)
    n_wrong += number[static_cast<std::size_t>(sides.connectivity[i])] == nodes.connectivity[i] ? 0 : 1;
  CHECK(n_wrong == 0);
  CHECK(sides.material == nodes.material);
}

/// Number of pairs of a node and a region of its adjacent cells.
std::size_t n_pairs(const Fields& fields) {
  std::set<std::pair<std::size_t, int>> pairs;
  for (std::size_t cell = 0; cell < fields.n_cells(); ++cell)
    for (std::size_t k = 0; k < fields.nodes_per_cell(); ++k)
      pairs.emplace(fields.point(cell, k), fields.material[cell]);
  return pairs.size();
}

// The solution has the solver's tolerance, 1e-12, which gradients amplify in elements of 1/8 of the box.
constexpr double tolerance = 1e-9;

} // namespace

TEST_CASE("Recovered fields are exact at both sides of an interface, in all physics",
          "[regression][recovered][device]") {
  struct Symmetry {
    const char* name;
    int dimension;
    int along; // direction of the field
    index_t n;
  };
  for (const Model& model : models())
    for (const Symmetry& symmetry :
         {Symmetry{"planar", 2, 0, 8}, Symmetry{"axisymmetric", 2, 1, 8}, Symmetry{"planar", 3, 2, 4}})
      for (const int order : {1, 2}) {
        INFO(model.physics << ", " << symmetry.name << ' ' << symmetry.dimension << "D, order " << order);
        const TemporaryFolder folder;
        const std::string setting = "discretization.order=" + std::to_string(order);
        const std::string text = case_text(model, symmetry.name);
        const io::ImportedMesh mesh = layered_mesh(symmetry.dimension, symmetry.n, symmetry.along, true);
        const std::string same_bits = "execution.reproducible=true"; // of the solutions
        const Fields sides = run_layers(folder, mesh, text, {setting, same_bits, "output.recovered=true"}, "sides");
        const Fields nodes = run_layers(
            folder, mesh, text, {setting, same_bits, "output.fields=[" + model.solution + ", material]"}, "nodes");
        check_same_grid(sides, nodes, model.solution);
        const std::size_t n_at_interface = n_pairs(nodes) - nodes.n_points();
        CHECK(n_at_interface == static_cast<std::size_t>(std::pow(symmetry.n * order + 1, symmetry.dimension - 1)));
        CHECK(sides.n_points() == nodes.n_points() + n_at_interface);
        std::array<double, 3> gradient[2] = {}, flux[2] = {};
        const auto axis = static_cast<std::size_t>(symmetry.along);
        gradient[0][axis] = model.gradient_sign * 10.;
        gradient[1][axis] = model.gradient_sign * 4.;
        flux[0][axis] = flux[1][axis] = -20. * model.unit;
        CHECK(largest_difference(sides, model.gradient, gradient, 10.) < tolerance);
        CHECK(largest_difference(sides, model.flux, flux, 20. * model.unit) < tolerance);
        CHECK_FALSE(sides.has("CellData/" + model.gradient)); // one field, not two
      }
}

TEST_CASE("Recovered magnetic fields have the jumps of B and not those of H", "[regression][recovered][device]") {
  const std::string text = R"(tessera: 1
mesh: {file: layers.vtkhdf}
problem:
  physics: magnetostatics
  materials: {lower: {relative_permeability: 2}, upper: {relative_permeability: 5}}
  boundaries: {low: {vector_potential: 0}, high: {vector_potential: 7}}
solver: {relative_tolerance: 1.0e-12}
output: {recovered: true}
)";
  for (const int order : {1, 2}) {
    const TemporaryFolder folder;
    const Fields sides = run_layers(folder, layered_mesh(2, 8, 0, true), text,
                                    {"discretization.order=" + std::to_string(order), "mesh.refine=1"}, "out");
    const std::array<double, 3> B[2] = {{0., -4., 0.}, {0., -10., 0.}};
    const std::array<double, 3> H[2] = {{0., -2. / mu0, 0.}, {0., -2. / mu0, 0.}};
    CHECK(largest_difference(sides, "flux_density", B, 10.) < tolerance);
    CHECK(largest_difference(sides, "magnetic_field", H, 2. / mu0) < tolerance);
    const std::size_t n = 16 * static_cast<std::size_t>(order) + 1; // nodes in each direction
    CHECK(sides.n_points() == n * n + n);
  }
}

TEST_CASE("A plate without thickness has two sides in one region", "[regression][recovered][device]") {
  for (const int dimension : {2, 3})
    for (const int order : {1, 2}) {
      INFO(dimension << "D, order " << order);
      const TemporaryFolder folder;
      const Fields sides = run_layers(folder, layered_mesh(dimension, 4, 0, false), R"(tessera: 1
mesh: {file: layers.vtkhdf}
problem:
  physics: electrostatics
  materials: {lower: {relative_permittivity: 1}}
  boundaries: {low: {potential: 0}, middle: {potential: 1}, high: {potential: 3}}
solver: {relative_tolerance: 1.0e-12}
output: {fields: [electric_field, material], recovered: true}
)",
                                      {"discretization.order=" + std::to_string(order)}, "out");
      const double n = 4 * order + 1; // nodes in each direction
      CHECK(sides.n_points() == static_cast<std::size_t>(std::pow(n, dimension) + std::pow(n, dimension - 1)));
      CHECK_FALSE(sides.has("PointData/potential")); // not requested
      const std::vector<double> E = sides.at_points("electric_field");
      double largest = 0.;
      for (std::size_t cell = 0; cell < sides.n_cells(); ++cell) {
        double x = 0.; // of the centroid
        for (int k = 0; k <= dimension; ++k)
          x += sides.points[3 * sides.point(cell, static_cast<std::size_t>(k))] / (dimension + 1);
        for (std::size_t k = 0; k < sides.nodes_per_cell(); ++k)
          for (std::size_t d = 0; d < 3; ++d)
            largest = std::max(largest, std::fabs(E[3 * sides.point(cell, k) + d] - (d > 0 ? 0. : x < .5 ? -2. : -4.)));
      }
      CHECK(largest < 4. * tolerance);
    }
}

// u = log(1 + x) / log 2 has a constant flux. A coefficient constant per element would be wrong by up to 1/3 of the
// element size, 0.016.
TEST_CASE("The flux at a node is that of the coefficient there", "[regression][recovered][device]") {
  const TemporaryFolder folder;
  REQUIRE(run_case(folder.write("case.yaml", R"(tessera: 1
mesh: {box: {cells: [20, 20]}}
problem:
  physics: diffusion
  materials: {domain: {diffusivity: "1 + x"}}
  boundaries: {left: {value: 0}, right: {value: 1}}
output: {recovered: true}
)"),
                   folder.file("out"))
              .exit_code == 0);
  const Fields fields(folder.file("out"));
  const std::vector<double> flux = fields.at_points("flux");
  double largest = 0.;
  for (std::size_t i = 0; i < fields.n_points(); ++i) {
    const double x = fields.points[3 * i], y = fields.points[3 * i + 1];
    if (std::min({x, y, 1. - x, 1. - y}) > 0.01)
      largest = std::max(largest, std::fabs(flux[3 * i] * std::log(2.) + 1.));
  }
  CHECK(largest > 0.);
  CHECK(largest < 0.003);
}

#if TESSERA_HAVE_GMSH
TEST_CASE("Recovered fields in a shell are those of the space that it stands for", "[regression][recovered][device]") {
  for (const int order : {1, 2}) {
    INFO("order " << order);
    const TemporaryFolder folder;
    const std::string setting = "discretization.order=" + std::to_string(order);
    REQUIRE(run_case(input_file("magnet-sphere"), folder.file("sides"), {setting, "output.recovered=true"}).exit_code ==
            0);
    REQUIRE(run_case(input_file("magnet-sphere"), folder.file("cells"), {setting}).exit_code == 0);
    const Fields sides(folder.file("sides")), cells(folder.file("cells"));
    const std::vector<double> B = sides.at_points("flux_density"), of_cells = cells.of_cells("flux_density");
    REQUIRE(sides.material == cells.material);
    double largest = 0., worst = 0., in_ball = 0.;
    for (std::size_t cell = 0; cell < sides.n_cells(); ++cell)
      for (std::size_t d = 0; d < 2; ++d) {
        double mean = 0.; // at the vertices
        for (std::size_t k = 0; k < 3; ++k)
          mean += B[3 * sides.point(cell, k) + d] / 3.;
        if (sides.material[cell] == 2) {
          largest = std::max(largest, std::fabs(of_cells[3 * cell + d]));
          worst = std::max(worst, std::fabs(mean - of_cells[3 * cell + d]));
        } else if (sides.material[cell] == 0) {
          in_ball = std::max(in_ball, std::fabs(mean - (d == 1 ? 0.8 : 0.)));
        }
      }
    CHECK(largest > 0.);
    CHECK(worst < 0.1 * largest);
    CHECK(in_ball < 0.02 * 0.8);
  }
}
#endif

// Run with one, two and three threads (CMakeLists.txt).
TEST_CASE("Recovered fields have the same bits on every backend", "[regression][recovered][determinism]") {
  const TemporaryFolder folder;
  for (const char* order : {"discretization.order=1", "discretization.order=2"}) {
    const auto fields = [&](const std::string& backend) {
      REQUIRE(run_case(input_file("mms-2d"), folder.file(backend),
                       {order, "output.recovered=true", "output.fields=[value, gradient, flux, material]",
                        "execution.reproducible=true", "execution.backend=" + backend})
                  .exit_code == 0);
      const Fields file(folder.file(backend));
      std::vector<double> values = file.points;
      for (const char* name : {"value", "gradient", "flux", "node"}) {
        const auto part = file.at_points(name);
        values.insert(values.end(), part.begin(), part.end());
      }
      return values;
    };
    const std::vector<double> first = fields(backend_names().front());
    for (const std::string& backend : backend_names())
      CHECK(fields(backend) == first);
  }
}

} // namespace tessera::test
