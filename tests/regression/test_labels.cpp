// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/kokkos_ext/host/one_thread.hpp"
#include "support/kokkos_tools.hpp"
#include "support/run_case.hpp"
#include "support/temporary_folder.hpp"

#include <catch2/catch_test_macros.hpp>

namespace tessera::test {

namespace {

const std::string plates = TESSERA_SOURCE_DIR "/tests/regression/plates.yaml";

std::string joined(const std::set<std::string>& labels) {
  std::string text;
  for (const std::string& label : labels)
    text += label + '\n';
  return text;
}

void run(const TemporaryFolder& folder, const std::string& file, const std::vector<std::string>& settings) {
  std::string text;
  for (const std::string& setting : settings)
    text += setting + ' ';
  INFO(text);
  CHECK(run_case(file, folder.file("out"), settings).exit_code == 0);
}

/// Runs all strategies, colourings and operators on a backend.
void check_labels(const std::string& backend) {
  const TemporaryFolder folder;
  std::vector<std::string> prefixes{"tessera::", "Kokkos::"};
  const LabelWatch watch(prefixes);
  const std::string on = "execution.backend=" + backend;
  for (const auto& strategy : io::enum_names<io::Strategy>()) {
    const std::string by = std::string("assembly.strategy=") + strategy.name;
    run(folder, plates, {on, by});
    run(folder, input_file("mms-2d"), {on, by, "mesh.box.cells=[6, 6]", "discretization.order=2", "mesh.refine=1"});
    run(folder, input_file("mms-3d"), {on, by, "mesh.box.cells=[3, 3, 3]"});
    run(folder, plates,
        {on, by, "problem.boundaries.top={floating: {charge: 1e-12}}", "output.conductors=[left, right]"});
  }
  for (const auto& coloring : io::enum_names<io::Coloring>())
    if (coloring.value != io::Coloring::kokkos_kernels)
      for (const char* reproducible : {"true", "false"})
        run(folder, plates,
            {on, "assembly.strategy=colored", std::string("assembly.coloring=") + coloring.name,
             std::string("execution.reproducible=") + reproducible});
  run(folder, plates, {on, "solver.preconditioner=none", "solver.initial_guess=x"});
  for (const char* order : {"discretization.order=1", "discretization.order=2"}) // matrix-free multigrid
    run(folder, plates,
        {on, order, "mesh.refine=1", "assembly.strategy=ebe-recomputed", "solver.preconditioner=multigrid",
         "problem.boundaries.top={floating: {charge: 1e-12}}", "output.conductors=[left, right]"});
  INFO(joined(watch.bad_labels()));
  CHECK(watch.bad_labels().empty());
  CHECK(watch.n_kernels() > 1000);
  CHECK(watch.n_allocations() > 1000);
  SUCCEED(joined(watch.labels()));
}

} // namespace

TEST_CASE("Every kernel and allocation of whole runs carries the project's prefix or Kokkos' own",
          "[regression][device]") {
  for (const std::string& backend : backend_names())
    if (backend == serial_backend)
      tessera::on_one_thread([&](const OneThreadSpace&) { check_labels(backend); });
    else
      check_labels(backend);
}

// Kokkos Kernels has no prefix in the labels of its allocations ("REVERSE_ADJ"), but has one in its kernels, with one
// exception.
TEST_CASE("Every kernel of runs with Kokkos Kernels carries a prefix", "[regression][device]") {
  const TemporaryFolder folder;
  const LabelWatch watch(
      {"tessera::", "Kokkos::", "KokkosKernels::", "KokkosSparse::", "KokkosGraph::", "sort_crs_graph"});
  for (const std::string& backend : backend_names()) {
    const std::string on = "execution.backend=" + backend;
    run(folder, plates, {on, "assembly.strategy=colored", "assembly.coloring=kokkos-kernels"});
  }
  for (const std::string& label : watch.bad_labels()) {
    INFO(label);
    CHECK(label.substr(0, 7) != "kernel ");
  }
  CHECK(watch.n_kernels() > 100);
}

} // namespace tessera::test
