// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "support/run_case.hpp"
#include "support/temporary_folder.hpp"

#include <catch2/catch_test_macros.hpp>

#include <cmath>

#if TESSERA_HAVE_GMSH

namespace tessera::test {

TEST_CASE("The field on the solenoid's axis is that of its turns for every colouring", "[regression][device]") {
  const TemporaryFolder folder;
  const std::string file = input_file("solenoid");
  const double quadratic = run_case(file, folder.file("out")).errors.at("axis.Bz");
  CHECK(quadratic <= 2e-3);
  double first = 0.;
  for (const char* coloring : {"ccm", "fcm", "ofcm", "kokkos-kernels", "node-claims"}) {
    const auto summary =
        run_case(file, folder.file("out"),
                 {"discretization.order=1", "solver.method=ebe-j-pcg", std::string("assembly.coloring=") + coloring,
                  "verification.probes.axis.Bz.tolerance=0.06"});
    const double error = summary.errors.at("axis.Bz");
    INFO(coloring << ": error " << error << ", quadratic elements " << quadratic);
    CHECK(error <= 0.06);
    CHECK(error > 4. * quadratic); // constant field in each element
    first = first == 0. ? error : first;
    CHECK(std::fabs(error - first) <= 1e-6); // rounding and the solver's tolerance
    SUCCEED("see above");
  }
}

TEST_CASE("The transformer's flux is that of its magnetic circuit, and saturates", "[regression][device]") {
  const TemporaryFolder folder;
  const std::string file = input_file("transformer");
  const double current = 834.9;
  const double ampere_turns = 754 * current;
  const double limb_section = 1.10 * 0.95;
  const auto linear = run_case(file, folder.file("out")).quantities;
  // The open winding lies close around the limb. Field lines are between 6.6 m (around a window) and 8.8 m (through the
  // middle of yokes and return limb) long.
  const double limb_field = linear.at("flux_linkage.low") / 52 / limb_section;
  const double per_meter = 1.25663706212e-6 * 1000 * ampere_turns;
  INFO("limb " << limb_field << " T");
  CHECK(limb_field > per_meter / 8.8);
  CHECK(limb_field < per_meter / 6.6);
  CHECK(std::fabs(linear.at("flux_linkage.high") / linear.at("flux_linkage.low") * 52 / 754 - 1.) <= 5e-3);
  CHECK(std::fabs(linear.at("energy") / (0.5 * linear.at("flux_linkage.high") * current) - 1.) <= 1e-7);

  const std::string curve = file.substr(0, file.rfind('/')) + "/transformer-saturated.yaml";
  const auto saturated = run_case(curve, folder.file("out")).quantities;
  const double saturated_field = saturated.at("flux_linkage.low") / 52 / limb_section;
  INFO("saturated limb " << saturated_field << " T");
  // Saturation polarisation 2.03 T, plus mu0 H with H between that of the whole circuit and that of the winding alone.
  CHECK(saturated_field > 2.03 + 1.25663706212e-6 * ampere_turns / 8.8);
  CHECK(saturated_field < 2.03 + 1.25663706212e-6 * ampere_turns / 2.0);
  CHECK(std::fabs((saturated.at("energy") + saturated.at("coenergy")) / (saturated.at("flux_linkage.high") * current) -
                  1.) <= 1e-6);
  SUCCEED("see above");
}

} // namespace tessera::test

#endif
