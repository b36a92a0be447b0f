// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "io/output/probes_file.hpp"
#include "support/run_case.hpp"
#include "support/temporary_folder.hpp"

#include <catch2/catch_test_macros.hpp>

#include <cmath>
#include <cstdlib>
#include <fstream>

namespace tessera::test {

#if TESSERA_HAVE_GMSH
namespace {

constexpr double pi = 3.14159265358979323846;
constexpr double mu0 = 1.25663706212e-6;

/// A quarter of a ball or cylinder of radius a, of the air around it and of a shell from R1 to R2. The shell represents
/// all space outside R1: its point at radius R represents the point at X = R1 (R2 - R1) / (R2 - R).
constexpr double a = 10e-3;
constexpr double R1 = 20e-3;
constexpr double remanence = 1.2; // T, along y
constexpr double X = 40e-3;       // represented by R = 25 mm

constexpr const char* magnet_geometry = R"(
Point(1) = {0, 0, 0, 1e-3};
For k In {0:2}
  r = (k + 1) * 10e-3;
  Point(10 * k + 10) = {r, 0, 0, 1e-3};
  Point(10 * k + 11) = {0, r, 0, 1e-3};
  Circle(10 * k + 10) = {10 * k + 10, 1, 10 * k + 11};
EndFor
Line(1) = {1, 10};
Line(2) = {10, 20};
Line(3) = {20, 30};
Line(4) = {1, 11};
Line(5) = {11, 21};
Line(6) = {21, 31};
Curve Loop(1) = {1, 10, -4};
Curve Loop(2) = {2, 20, -5, -10};
Curve Loop(3) = {3, 30, -6, -20};
Plane Surface(1) = {1};
Plane Surface(2) = {2};
Plane Surface(3) = {3};
Physical Surface("magnet") = {1};
Physical Surface("air") = {2};
Physical Surface("far_air") = {3};
Physical Curve("near_plane") = {1, 2};
Physical Curve("far_plane") = {3};
Physical Curve("axis") = {4:6};
Physical Curve("far") = {30};
)";

constexpr const char* magnet_case = R"(
tessera: 1
mesh: {geometry: magnet.geo, dimension: 2}
problem:
  physics: magnetostatics
  materials:
    magnet: {relative_permeability: 1, remanence: 1.2, direction: [0, 1]}
    air: {relative_permeability: 1}
    far_air: {relative_permeability: 1, shell: {inner_radius: 20.0e-3, outer_radius: 30.0e-3}}
  boundaries: {axis: {vector_potential: 0}, far: {vector_potential: 0}}
solver: {relative_tolerance: 1.0e-11}
output:
  fields: []
  lines:
    all: {points: [[0, 0], [0, 30.0e-3]]}              # from the centre to infinity
    outer: {points: [[0, 20.0e-3], [0, 30.0e-3]]}
    arc: {points: [[25.0e-3, 0], [17.7e-3, 17.7e-3], [0, 25.0e-3]]}
    disc: {points: [[25.0e-3, 0], [0, 0]]}
  surfaces: {near_plane: {}, far_plane: {}, plane: {groups: [near_plane, far_plane]}}
  probes: {equator: {points: [[25.0e-3, 0]]}}
)";

/// Exact values; outside, H = -grad phi.
struct Dipole {
  double inside; ///< magnetomotive force from the centre to the surface
  double phi;    ///< on the axis at a distance of 1 m, A
  int power;     ///< phi decays like distance^-power
  double flux;   ///< through the disc or strip up to a distance of 1 m
};

double relative(double value, double exact, double of) { return std::fabs(value - exact) / std::fabs(of); }

} // namespace

TEST_CASE("Integrals in a magnetic shell are those along the ways in space that lines of the ring stand for",
          "[regression][device]") {
  const TemporaryFolder folder;
  std::ofstream(folder.file("magnet.geo")) << magnet_geometry;
  std::ofstream(folder.file("magnet.yaml")) << magnet_case;
  const double M = remanence / mu0;
  // A uniformly magnetised ball: H = -M / 3 inside, phi = M a^3 cos(theta) / (3 X^2) outside, flux 2 pi r A. A
  // cylinder, one metre long: H = -M / 2, phi = M a^2 cos(theta) / (2 X), half of the strip.
  const Dipole ball{-M * a / 3., M * a * a * a / 3., 2, 2. * pi * remanence * a * a * a / 3.};
  const Dipole cylinder{-M * a / 2., M * a * a / 2., 1, remanence * a * a / 2.};
  for (const bool is_ball : {true, false})
    for (const char* order : {"1", "2"}) {
      INFO((is_ball ? "ball" : "cylinder") << " of order " << order);
      const auto summary = run_case(folder.file("magnet.yaml"), folder.file("out"),
                                    {std::string("problem.symmetry=") + (is_ball ? "axisymmetric" : "planar"),
                                     "mesh.refine=1", "discretization.order=" + std::string(order)});
      REQUIRE(summary.exit_code == 0);
      const auto& values = summary.quantities;
      const Dipole& exact = is_ball ? ball : cylinder;
      const auto phi = [&](double x) { return exact.phi / std::pow(x, exact.power); };
      // Twenty layers of elements in the shell; measured errors are slightly more than half of this, and decrease by
      // more than a factor of two with each refinement.
      const double tolerance = order[0] == '1' ? 2e-2 : 2e-3;
      CHECK(relative(values.at("magnetomotive_force.all"), 0., exact.inside) < tolerance);
      CHECK(relative(values.at("magnetomotive_force.outer"), phi(R1), phi(R1)) < tolerance);
      CHECK(relative(values.at("magnetomotive_force.arc"), -phi(X), phi(X)) < tolerance);
      // Fluxes in the direction of y, computed from A only; that of a dipole decays like 1 / X in 3D and in 2D.
      CHECK(relative(values.at("flux.disc"), exact.flux / X, exact.flux / X) < tolerance);
      CHECK(relative(values.at("flux.near_plane"), exact.flux / R1, exact.flux / R1) < tolerance);
      CHECK(relative(values.at("flux.far_plane"), -exact.flux / R1, exact.flux / R1) < tolerance);
      CHECK(std::fabs(values.at("flux.plane")) < 1e-9 * exact.flux / R1); // A is 0 at both ends
      if (!is_ball)
        continue;
      const auto rows = io::read_rows(folder.file("out/equator.csv"), 10000);
      for (std::size_t c = 0; c < rows.at(0).size(); ++c)
        if (rows[0][c] == "flux_function [Wb]")
          CHECK(relative(std::strtod(rows.at(1).at(c).c_str(), nullptr), exact.flux / (2. * pi * X),
                         exact.flux / (2. * pi * X)) < tolerance);
    }
}
#endif

} // namespace tessera::test
