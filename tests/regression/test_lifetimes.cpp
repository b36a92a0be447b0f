// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "assembly/strategy.hpp"
#include "core/keep_alive.hpp"
#include "core/parallel.hpp"
#include "support/lifetime_watch.hpp"
#include "support/run_case.hpp"
#include "support/spaces.hpp"
#include "support/temporary_folder.hpp"

#include <catch2/catch_test_macros.hpp>

namespace tessera::test {

namespace {

const std::string plates = TESSERA_SOURCE_DIR "/tests/regression/plates.yaml";
const std::string periodic = TESSERA_SOURCE_DIR "/tests/convergence/mms-periodic.yaml";
const std::string magnetic = TESSERA_SOURCE_DIR "/tests/convergence/mms-magnetic-antiperiodic.yaml";
const std::string axisymmetric = TESSERA_SOURCE_DIR "/tests/convergence/mms-axisymmetric.yaml";

std::string joined(const std::set<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines)
    text += line + '\n';
  return text;
}

struct Touch {
  double* data;
  KOKKOS_FUNCTION void operator()(index_t i) const { data[i] = i; }
};

} // namespace

TEST_CASE("Nothing is freed while kernels that may use it are queued", "[regression][device]") {
  if (!LifetimeWatch::works)
    SKIP("this version of Kokkos does not report fences");
  const TemporaryFolder folder;
  const LifetimeWatch watch;
  for (const std::string& backend : backend_names()) {
    const std::string on = "execution.backend=" + backend;
    for (const auto& strategy : io::enum_names<io::Strategy>()) {
      const std::string by = std::string("assembly.strategy=") + strategy.name;
      run_case(plates, folder.file("out"), {on, by, "mesh.refine=1"});
      run_case(plates, folder.file("out"),
               {on, by, "problem.boundaries.top={floating: {charge: 1e-12}}", "output.conductors=[left, right]"});
      run_case(input_file("mms-2d"), folder.file("out"),
               {on, by, "mesh.box.cells=[6, 6]", "discretization.order=2",
                assembly::is_deterministic(strategy.value) ? "execution.reproducible=true" : "mesh.refine=0"});
    }
    run_case(plates, folder.file("out"), {on, "solver.initial_guess=x", "solver.preconditioner=none"});
    run_case(input_file("mms-3d"), folder.file("out"), {on, "mesh.box.cells=[3, 3, 3]"});
    for (const char* order : {"discretization.order=1", "discretization.order=2"}) // multigrid without a matrix
      run_case(plates, folder.file("out"),
               {on, order, "mesh.refine=1", "assembly.strategy=ebe-recomputed", "solver.preconditioner=multigrid",
                "problem.boundaries.top={floating: {charge: 1e-12}}", "output.conductors=[left, right]"});
    run_case(periodic, folder.file("out"), {on, "discretization.order=2"});
    run_case(magnetic, folder.file("out"), {on});
    run_case(axisymmetric, folder.file("out"),
             {on, "output.probes={cut: {from: [0.1, 0.1], to: [0.9, 0.8], points: 30}}"});
  }
  INFO(joined(watch.freed_early()));
  CHECK(watch.freed_early().empty());
  CHECK(watch.n_freed() > 1000);
}

TEST_CASE("An array that is freed behind a kernel is seen", "[regression]") {
  if (!LifetimeWatch::works)
    SKIP("this version of Kokkos does not report fences");
  for (const bool keeps : {false, true}) {
    const LifetimeWatch watch;
    {
      const FirstSpace exec;
      const auto array = make_array<Array<double*, FirstSpace>>(exec, "test::array", 5);
      for_each("tessera::test::touch", exec, 5, Touch{array.data()});
      if (keeps)
        keep_alive(exec, array);
    }
    CHECK(watch.freed_early().size() == (keeps ? 0 : 1));
  }
}

} // namespace tessera::test
