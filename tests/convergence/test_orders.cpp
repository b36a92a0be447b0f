// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "support/run_case.hpp"
#include "support/temporary_folder.hpp"

#include <catch2/catch_test_macros.hpp>

#include <cmath>
#include <sstream>

namespace tessera::test {

namespace {

/// Runs a case on a mesh and its three uniform refinements and checks the convergence order of the errors.
void check_orders(const std::string& file, const std::string& cells, int order) {
  // On coarse meshes the leading error term does not dominate yet; each refinement comes closer to the asymptotic
  // range.
  const double allowance[] = {0.15, 0.1, 0.05};
  const TemporaryFolder folder;
  std::vector<double> l2;
  std::vector<double> h1;
  std::ostringstream text;
  for (int refine = 0; refine <= 3; ++refine) {
    const auto summary = run_case(file, folder.file("out"),
                                  {"mesh.box.cells=" + cells, "mesh.refine=" + std::to_string(refine),
                                   "discretization.order=" + std::to_string(order)});
    REQUIRE(summary.exit_code == 0);
    l2.push_back(summary.errors.at("l2"));
    h1.push_back(summary.errors.at("h1"));
  }
  for (int k = 0; k < 3; ++k) {
    const double l2_order = std::log2(l2[k] / l2[k + 1]);
    const double h1_order = std::log2(h1[k] / h1[k + 1]);
    text << "refinement " << k + 1 << ": L2 " << l2_order << ", H1 " << h1_order << "; ";
    INFO(text.str());
    CHECK(l2_order > order + 1 - allowance[k]);
    CHECK(h1_order > order - allowance[k]);
  }
  SUCCEED("observed orders: " << text.str());
}

/// The same for discontinuous Galerkin elements, whose number grows with that of the simplices.
void check_dg_orders(const std::string& file, const std::string& cells, int dimension, int elements, int order,
                     double allowance, double l2_allowance, int refinements = 2) {
  const TemporaryFolder folder;
  std::vector<double> l2;
  std::vector<double> dg;
  for (int refine = 0; refine <= refinements; ++refine) {
    const auto summary = run_case(file, folder.file("out"),
                                  {"mesh.box.cells=" + cells, "mesh.refine=" + std::to_string(refine),
                                   "mesh.agglomerate.elements=" + std::to_string(elements << (dimension * refine)),
                                   "discretization.order=" + std::to_string(order)});
    REQUIRE(summary.exit_code == 0);
    l2.push_back(summary.errors.at("l2"));
    dg.push_back(summary.errors.at("dg"));
  }
  for (int k = 0; k < refinements; ++k) {
    INFO("order " << order << ", refinement " << k + 1);
    CHECK(std::log2(l2[k] / l2[k + 1]) > order + 1 - l2_allowance);
    CHECK(std::log2(dg[k] / dg[k + 1]) > order - allowance);
  }
}

const std::string periodic = TESSERA_SOURCE_DIR "/tests/convergence/mms-periodic.yaml";
const std::string axisymmetric = TESSERA_SOURCE_DIR "/tests/convergence/mms-axisymmetric.yaml";

const std::string magnetic = TESSERA_SOURCE_DIR "/tests/convergence/mms-magnetic.yaml";
const std::string magnetic_periodic = TESSERA_SOURCE_DIR "/tests/convergence/mms-magnetic-antiperiodic.yaml";
const std::string magnetic_axisymmetric = TESSERA_SOURCE_DIR "/tests/convergence/mms-magnetic-axisymmetric.yaml";

} // namespace

TEST_CASE("Vector potentials converge in the plane", "[convergence][device]") {
  check_orders(magnetic, "[16, 16]", 1);
  check_orders(magnetic, "[8, 8]", 2);
}

TEST_CASE("Vector potentials converge in axisymmetric problems", "[convergence][device]") {
  check_orders(magnetic_axisymmetric, "[16, 16]", 1);
  check_orders(magnetic_axisymmetric, "[8, 8]", 2);
}

TEST_CASE("Vector potentials converge with periodic and antiperiodic sides", "[convergence][device]") {
  check_orders(magnetic_periodic, "[16, 16]", 1);
  check_orders(magnetic_periodic, "[8, 8]", 2);
}

TEST_CASE("Linear triangles converge with order 2 in L2 and 1 in H1", "[convergence][device]") {
  check_orders(input_file("mms-2d"), "[16, 16]", 1);
}

TEST_CASE("Quadratic triangles converge with order 3 in L2 and 2 in H1", "[convergence][device]") {
  check_orders(input_file("mms-2d"), "[8, 8]", 2);
}

TEST_CASE("Linear triangles converge in axisymmetric problems", "[convergence][device]") {
  check_orders(axisymmetric, "[16, 16]", 1);
}

TEST_CASE("Quadratic triangles converge in axisymmetric problems", "[convergence][device]") {
  check_orders(axisymmetric, "[8, 8]", 2);
}

TEST_CASE("Triangles converge with periodic and antiperiodic sides", "[convergence][device]") {
  check_orders(periodic, "[16, 16]", 1);
  check_orders(periodic, "[8, 8]", 2);
}

TEST_CASE("Linear tetrahedra converge with order 2 in L2 and 1 in H1", "[convergence][device]") {
  check_orders(input_file("mms-3d"), "[5, 5, 5]", 1);
}

TEST_CASE("Quadratic tetrahedra converge with order 3 in L2 and 2 in H1", "[convergence][device]") {
  check_orders(input_file("mms-3d"), "[3, 3, 3]", 2);
}

TEST_CASE("Polygons converge with order p + 1 in L2 and p in the dG norm", "[convergence][device]") {
  for (int order = 1; order <= 3; ++order)
    check_dg_orders(input_file("dg-poisson"), "[16, 16]", 2, 64, order, 0.25, 0.25);
  for (int order = 4; order <= 5; ++order)
    check_dg_orders(input_file("dg-poisson"), "[4, 4]", 2, 8, order, 0.3, 0.1);
}

TEST_CASE("Polyhedra converge with order p + 1 in L2 and p in the dG norm", "[convergence][device]") {
  // With dominant advection, the L2 error loses up to half an order on general meshes.
  for (int order = 1; order <= 2; ++order)
    check_dg_orders(input_file("dg-3d"), "[4, 4, 4]", 3, 96, order, 0.25, 0.5);
  check_dg_orders(input_file("dg-3d"), "[4, 4, 4]", 3, 96, 3, 0.25, 0.5, 1);
}

TEST_CASE("The errors of smooth solutions fall exponentially with the degree", "[convergence][device]") {
  const TemporaryFolder folder;
  constexpr int highest = 6;
  for (const auto& [norm, least_rate] : {std::pair<const char*, double>("l2", 2.3), {"dg", 2.}}) {
    // Least squares: the slope of the logarithm of the error over p = 1 .. 6.
    double slope = 0.;
    double weight = 0.;
    double last = HUGE_VAL;
    for (int p = 1; p <= highest; ++p) {
      const double error = run_case(input_file("dg-poisson"), folder.file("out"),
                                    {"mesh.box.cells=[8, 8]", "mesh.agglomerate.elements=16",
                                     "discretization.order=" + std::to_string(p)})
                               .errors.at(norm);
      INFO(norm << ", degree " << p << ": " << error);
      CHECK(error < last / 4.);
      last = error;
      const double distance = p - 0.5 * (highest + 1);
      slope += distance * std::log(error);
      weight += distance * distance;
    }
    INFO(norm << ": exp(" << slope / weight << " p)");
    CHECK(-slope / weight > least_rate);
  }
}

#if TESSERA_HAVE_GMSH
namespace {

/// Checks the orders of the errors of the last two refinements of a geometry with curved boundaries, and of its
/// capacitance.
void check_curved_orders(const std::string& file, const std::string& size, int order, int refinements,
                         double allowance) {
  const TemporaryFolder folder;
  std::vector<double> l2, h1, capacitance;
  for (int refine = 0; refine <= refinements; ++refine) {
    const auto summary =
        run_case(file, folder.file("out"),
                 {size, "mesh.refine=" + std::to_string(refine), "discretization.order=" + std::to_string(order),
                  "verification.quantities.capacitance.tolerance=0.1", "solver.relative_tolerance=1e-12"});
    REQUIRE(summary.exit_code == 0);
    l2.push_back(summary.errors.at("l2"));
    h1.push_back(summary.errors.at("h1"));
    capacitance.push_back(summary.errors.at("capacitance"));
  }
  const std::size_t k = static_cast<std::size_t>(refinements);
  INFO(file << ", order " << order << ": L2 " << l2[k] << ", H1 " << h1[k] << ", capacitance " << capacitance[k]);
  CHECK(std::log2(l2[k - 1] / l2[k]) > order + 1 - allowance);
  CHECK(std::log2(h1[k - 1] / h1[k]) > order - allowance);
  CHECK(std::log2(capacitance[k - 1] / capacitance[k]) > 2 * order - 2 * allowance);
}

} // namespace

TEST_CASE("Elements converge in full order along circles and spheres", "[convergence][device]") {
  check_curved_orders(input_file("coax"), "mesh.size_factor=2", 1, 3, 0.1);
  check_curved_orders(input_file("coax"), "mesh.size_factor=2", 2, 2, 0.1);
  // Tetrahedra of a coarse mesh: the observed orders rise towards 2 and 3 with refinement.
  check_curved_orders(input_file("sphere-3d"), "mesh.parameters.relative_size=0.2", 1, 3, 0.3);
  check_curved_orders(input_file("sphere-3d"), "mesh.parameters.relative_size=0.2", 2, 2, 0.3);
}

TEST_CASE("With degrees that grow away from a singularity errors fall by a factor per layer", "[convergence][device]") {
  const TemporaryFolder folder;
  double last = HUGE_VAL;
  for (int rings = 3; rings <= 8; ++rings) {
    const std::string n = std::to_string(rings);
    const auto summary =
        run_case(input_file("dg-hp"), folder.file("out"),
                 {"mesh.parameters.n_rings=" + n, "mesh.agglomerate.elements=" + std::to_string(6 * rings + 3),
                  "discretization.order=max(1, " + n + " + log(hypot(x, y))/log(5))", "verification.probes="});
    INFO(rings << " rings: " << summary.errors.at("dg"));
    CHECK(summary.exit_code == 0);
    CHECK(summary.errors.at("dg") < last / 2.);
    last = summary.errors.at("dg");
  }
}
#endif

} // namespace tessera::test
