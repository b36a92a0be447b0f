// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/error.hpp"
#include "core/kokkos_ext/backends.hpp"
#include "driver/bench/scaling.hpp"
#include "driver/plan/plan.hpp"
#include "driver/solution/adaptive_solve.hpp"
#include "driver/study/dry_run.hpp"
#include "support/run_case.hpp"
#include "support/temporary_folder.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

using namespace tessera;
using Catch::Matchers::ContainsSubstring;

namespace {

const std::string plates = TESSERA_SOURCE_DIR "/tests/regression/plates.yaml";

io::Case read(const std::vector<std::string>& settings) { return test::read_case(plates, "out", settings); }

driver::ProblemSize size_of(const io::Case& input, bool on_gpu = false) {
  io::ImportedMesh imported;
  imported.dimension = input.mesh.dimension;
  return driver::problem_size(input, imported, on_gpu);
}

driver::Plan planned(const io::Case& input, double free, bool on_gpu = false) {
  return driver::make_plan(input, size_of(input, on_gpu), free);
}

} // namespace

TEST_CASE("A later round of refinement may take what the first one found free", "[driver]") {
  // Of 100 bytes the last meshes hold 40, and so does the rest of the process: the next mesh is part of the estimate.
  CHECK(driver::free_for_next_round(100., 60., 40.) == 100.);
  CHECK(driver::free_for_next_round(100., 10., 40.) == 50.); // other programs use the rest
  CHECK(driver::free_for_next_round(100., 90., 40.) == 100.);
  CHECK(driver::free_for_next_round(-1., -1., 40.) == -1.); // unknown
}

TEST_CASE("Dry runs and bench scaling know materials by wildcards, as runs do", "[driver]") {
  const std::string setting = "problem.materials={\"dom*\": {relative_permittivity: 3}}";
  const std::string wrong = "problem.materials={\"air*\": {relative_permittivity: 3}}";
  const std::string text = driver::dry_run_text(read({setting}));
  // as in the input
  CHECK_THAT(text, ContainsSubstring("dom*: ") && ContainsSubstring("# Elements: 70"));
  CHECK_THROWS_WITH(driver::dry_run_text(read({wrong})), ContainsSubstring("'air*' fits no region of the mesh"));
  const test::TemporaryFolder folder;
  driver::BenchOptions options;
  options.what = "scaling";
  options.backend = backend_names().back();
  options.repetitions = 1;
  options.figures_file = folder.file("figures");
  options.inputs = {read({setting})};
  CHECK(driver::bench(options) == 0);
  CHECK(driver::read_figures(options.figures_file).size() == 1);
  options.inputs = {read({wrong})};
  CHECK_THROWS_WITH(driver::bench(options), ContainsSubstring("'air*' fits no region of the mesh"));
}

TEST_CASE("Reproducible runs with auto take row-gather on every backend and machine", "[driver]") {
  for (const char* cells : {"mesh.box.cells=[10, 10]", "mesh.box.cells=[2000, 2000]"})
    for (const char* iterations : {"solver.max_iterations=1", "solver.max_iterations=20000"})
      for (const bool on_gpu : {false, true})
        for (const double free : {-1., 100e9}) {
          CAPTURE(cells, iterations, on_gpu, free);
          const io::Case input = read({cells, iterations, "execution.reproducible=true"});
          CHECK(planned(input, free, on_gpu).strategy == io::Strategy::row_gather);
        }
  // Otherwise a matrix does not pay off for one iteration.
  CHECK(planned(read({"mesh.box.cells=[2000, 2000]", "solver.max_iterations=1"}), -1.).strategy !=
        io::Strategy::row_gather);
}

TEST_CASE("On few nodes auto takes multigrid where elements are stretched", "[driver]") {
  const auto chosen = [](std::vector<std::string> settings) {
    settings.emplace_back("solver.preconditioner=auto");
    return planned(read(settings), -1.);
  };
  const std::string square = "mesh.box={cells: [60, 60], upper: [1, 1]}";
  const std::string stretched = "mesh.box={cells: [60, 60], upper: [30, 1]}";
  const std::string permittivity = "problem.materials.domain.relative_permittivity=";
  CHECK(chosen({square}).solver.preconditioner == io::Preconditioner::jacobi);
  const driver::Plan plan = chosen({stretched});
  CHECK(plan.solver.preconditioner == io::Preconditioner::multigrid);
  CHECK_THAT(plan.preconditioner_reason,
             ContainsSubstring("from about 2 000 where elements are stretched or coefficients anisotropic"));
  CHECK(chosen({stretched, permittivity + "[900, 1]"}).solver.preconditioner == io::Preconditioner::jacobi);
  CHECK(chosen({square, permittivity + "[900, 1]"}).solver.preconditioner == io::Preconditioner::multigrid);
  CHECK(chosen({square, permittivity + "x < 0.5 ? 1 : 1e6"}).solver.preconditioner == io::Preconditioner::jacobi);
  CHECK(chosen({"mesh.box={cells: [30, 30], upper: [30, 1]}"}).solver.preconditioner == io::Preconditioner::jacobi);
}

TEST_CASE("A memory limit of the input takes the place of what is free", "[driver]") {
  const std::vector<std::string> large = {"mesh.box.cells=[1000, 1000]", "assembly.strategy=row-gather"};
  const auto with = [&](const std::string& limit) {
    std::vector<std::string> settings = large;
    settings.push_back("execution.memory_limit=" + limit);
    return read(settings);
  };
  CHECK_NOTHROW(planned(read(large), 10e9));
  CHECK_THROWS_AS(planned(read(large), 1e6), Error);
  CHECK_THROWS_AS(planned(with("free"), 1e6), Error);
  CHECK_NOTHROW(planned(with("unlimited"), 1e6));
  CHECK_NOTHROW(planned(with("10"), 1e6));
  try {
    planned(with("0.001"), 10e9);
    FAIL("did not throw");
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::resource);
    CHECK_THAT(error.what(), ContainsSubstring("but execution.memory_limit allows 1.0 MiB"));
  }
  CHECK_NOTHROW(driver::require_memory(with("1"), 1e9, 1., "It"));
  CHECK_THROWS_AS(driver::require_memory(with("1"), 1.1e9, 1e12, "It"), Error);
  CHECK_THROWS_AS(driver::require_memory(read(large), 2e9, 1e9, "It"), Error);
  CHECK_NOTHROW(driver::require_memory(read(large), 2e9, -1., "It"));
}

TEST_CASE("A refusal names the key that overrides it", "[driver]") {
  try {
    planned(read({"mesh.box.cells=[1000, 1000]"}), 1e6);
    FAIL("did not throw");
  } catch (const Error& error) {
    CHECK_THAT(error.what(), ContainsSubstring("execution.memory_limit") && ContainsSubstring("unlimited"));
  }
}

TEST_CASE("Meshes with more nodes or elements than have numbers are refused by key", "[driver]") {
  const auto message = [](const std::vector<std::string>& settings) -> std::string {
    try {
      size_of(read(settings));
    } catch (const Error& error) {
      CHECK(error.kind() == ErrorKind::resource);
      return error.what();
    }
    return "";
  };
  CHECK_THAT(message({"mesh.box={cells: [3000000, 3000000, 3000000]}", "output.probes="}),
             ContainsSubstring("mesh.box: "));
  CHECK_THAT(message({"mesh.box={cells: [100000, 100000]}"}), ContainsSubstring("mesh.box: elements: a count of"));
  CHECK_THAT(message({"mesh.refine=12", "mesh.box={cells: [1000, 1000]}"}), ContainsSubstring("mesh.refine: elements"));
  CHECK_THAT(message({"mesh.box={cells: [30000, 30000]}", "discretization.order=2"}),
             ContainsSubstring("nodes of order 2"));
  CHECK(message({"mesh.box={cells: [30000, 30000]}"}).empty());
}

TEST_CASE("Preconditioner auto is multigrid for large problems with a matrix, and Jacobi for all others", "[driver]") {
  using io::Preconditioner;
  const std::string automatic = "solver.preconditioner=auto";
  const auto plan_of = [&](std::vector<std::string> settings, double free = -1.) {
    settings.push_back(automatic);
    return planned(read(settings), free);
  };
  const driver::Plan small = plan_of({"mesh.box.cells=[98, 99]"}); // 9900 nodes
  CHECK(small.solver.preconditioner == Preconditioner::jacobi);
  CHECK_THAT(small.preconditioner_reason, ContainsSubstring("multigrid pays from"));
  CHECK(!small.may_fall_back());
  CHECK(small.coarser_meshes() == mesh::CoarserMeshes::none);
  const driver::Plan large = plan_of({"mesh.box.cells=[99, 99]"}); // 10 000 nodes
  CHECK(large.solver.preconditioner == Preconditioner::multigrid);
  CHECK(large.may_fall_back());
  CHECK(large.coarser_meshes() == mesh::CoarserMeshes::nodes);
  CHECK(assembly::stores_matrix(large.strategy));
  CHECK(plan_of({"mesh.box.cells=[99, 99]", "solver.multigrid.type=algebraic"}).coarser_meshes() ==
        mesh::CoarserMeshes::none);
  CHECK(plan_of({"mesh.box.cells=[50, 50]", "discretization.order=2"}).solver.preconditioner ==
        Preconditioner::multigrid); // the nodes of the finite element space count

  const std::string cells = "mesh.box.cells=[400, 400]";
  for (const char* strategy : {"ebe-stored", "ebe-recomputed", "ebe-atomic"}) {
    const std::string without = std::string("assembly.strategy=") + strategy;
    CHECK(plan_of({cells, without}).solver.preconditioner == Preconditioner::multigrid);
    CHECK(plan_of({cells, without}).coarser_meshes() == mesh::CoarserMeshes::elements);
    const driver::Plan on_order_1 = plan_of({"mesh.box.cells=[401, 400]", without, "discretization.order=2"});
    CHECK(on_order_1.solver.preconditioner == Preconditioner::multigrid);
    CHECK(on_order_1.coarser_meshes() == mesh::CoarserMeshes::nodes);
    for (const char* key :
         {"mesh.box.cells=[401, 400]", "solver.multigrid.type=algebraic", "mesh.adapt={target_error: 0.1}"}) {
      const driver::Plan plan = plan_of({cells, without, key});
      CHECK(plan.solver.preconditioner == Preconditioner::jacobi);
      CHECK_THAT(plan.preconditioner_reason,
                 ContainsSubstring(strategy) && ContainsSubstring("no matrix, which multigrid needs"));
    }
    // The same with several processes.
    io::ImportedMesh imported;
    imported.dimension = 2;
    for (const char* mesh : {"whole", "parts"})
      for (const char* preconditioner : {"multigrid", "auto"}) {
        const io::Case input = read({cells, without, std::string("execution.mesh=") + mesh,
                                     std::string("solver.preconditioner=") + preconditioner});
        const driver::ProblemSize size = driver::problem_size(input, imported, false, 2);
        CHECK(driver::make_plan(input, size, -1.).solver.preconditioner == Preconditioner::multigrid);
      }
  }
  { // A matrix if it fits, then matrix-free multigrid, then Jacobi.
    const std::vector<std::string> settings = {"mesh.box.cells=[4000, 4000]", "output.fields=[]", "mesh.ordering=none"};
    CHECK(assembly::stores_matrix(plan_of(settings, 20e9).strategy));
    const driver::Plan less = plan_of(settings, 5e9);
    CHECK_FALSE(assembly::stores_matrix(less.strategy));
    CHECK(less.solver.preconditioner == Preconditioner::multigrid);
    CHECK(plan_of(settings, 2.4e9).solver.preconditioner == Preconditioner::jacobi);
  }
  CHECK(plan_of({cells, "assembly.strategy=atomic"}).solver.preconditioner == Preconditioner::multigrid);
  CHECK(plan_of({cells, "solver.method=ebe-j-pcg"}).solver.preconditioner == Preconditioner::jacobi);
  CHECK(plan_of({cells, "execution.reproducible=true"}).solver.preconditioner == Preconditioner::multigrid);

  // In 3D aggregation pays off only for large problems.
  const std::string even = "mesh.box={cells: [40, 40, 40]}";
  const std::string odd = "mesh.box={cells: [41, 41, 41]}";
  const auto in_space = [&](const std::string& box, const std::string& setting) {
    return plan_of({box, "output.probes=", setting}).solver.preconditioner;
  };
  CHECK(in_space("mesh.box={cells: [34, 34, 34]}", "mesh.refine=0") == Preconditioner::jacobi); // 42 875 nodes
  CHECK(in_space(even, "mesh.refine=0") == Preconditioner::multigrid);                          // 68 921
  CHECK(in_space(even, "solver.multigrid.type=algebraic") == Preconditioner::jacobi);
  CHECK(in_space(odd, "mesh.refine=0") == Preconditioner::jacobi);
  CHECK(in_space(odd, "mesh.refine=1") == Preconditioner::multigrid);
  CHECK(in_space("mesh.box={cells: [101, 101, 101]}", "mesh.refine=0") == Preconditioner::multigrid);

  // With a shell both preconditioners need many iterations, in 2D and 3D.
  const std::string shell = "problem.materials={domain: {relative_permittivity: 3, shell: {inner_radius: 1, "
                            "outer_radius: 2, center: [0, 0]}}}";
  const driver::Plan small_shell = plan_of({"mesh.box.cells=[380, 390]", shell}); // 148 971 nodes
  CHECK(small_shell.solver.preconditioner == Preconditioner::jacobi);
  CHECK_THAT(small_shell.preconditioner_reason, ContainsSubstring("where a shell stands for open space"));
  CHECK(plan_of({"mesh.box.cells=[390, 390]", shell}).solver.preconditioner == Preconditioner::multigrid); // 152 881
  const std::string ball = "problem.materials={domain: {relative_permittivity: 3, shell: {inner_radius: 1, "
                           "outer_radius: 2, center: [0, 0, 0]}}}";
  const auto with_ball = [&](const std::string& box) {
    return plan_of({box, ball, "output.probes="}).solver.preconditioner;
  };
  CHECK(with_ball("mesh.box={cells: [51, 51, 53]}") == Preconditioner::jacobi);    // 146 016
  CHECK(with_ball("mesh.box={cells: [53, 53, 53]}") == Preconditioner::multigrid); // 157 464

  // The plan is that of multigrid, as if the input set it.
  const driver::Plan named = planned(read({cells, "solver.preconditioner=multigrid"}), -1.);
  const driver::Plan chosen = plan_of({cells});
  CHECK(chosen.strategy == named.strategy);
  CHECK(chosen.estimated_bytes == named.estimated_bytes);
  CHECK(chosen.reason == named.reason);
  CHECK(named.preconditioner_reason.empty());
  CHECK(!named.may_fall_back());
}

TEST_CASE("Preconditioner auto is Jacobi where multigrid does not fit the memory", "[driver]") {
  const std::vector<std::string> large = {"mesh.box.cells=[400, 400]", "assembly.strategy=row-gather"};
  const auto with = [&](const char* preconditioner) {
    std::vector<std::string> settings = large;
    settings.push_back(std::string("solver.preconditioner=") + preconditioner);
    return read(settings);
  };
  const double multigrid = planned(with("multigrid"), -1.).estimated_bytes;
  const double jacobi = planned(with("jacobi"), -1.).estimated_bytes;
  REQUIRE(jacobi < multigrid);
  const double between = 0.5 * (jacobi + multigrid);
  CHECK(planned(with("auto"), multigrid).solver.preconditioner == io::Preconditioner::multigrid);
  const driver::Plan plan = planned(with("auto"), between);
  CHECK(plan.solver.preconditioner == io::Preconditioner::jacobi);
  CHECK(plan.estimated_bytes == jacobi);
  CHECK_THAT(plan.preconditioner_reason, ContainsSubstring("does not fit"));
  CHECK_THROWS_AS(planned(with("multigrid"), between), Error);
  CHECK_THROWS_AS(planned(with("auto"), 0.5 * jacobi), Error);

  // As a stand-alone solver, multigrid needs no less memory for its levels.
  std::vector<std::string> alone = large;
  alone.push_back("solver.method=multigrid");
  CHECK(planned(read(alone), -1.).estimated_bytes == multigrid);
  CHECK_THROWS_AS(planned(read(alone), between), Error);
}
