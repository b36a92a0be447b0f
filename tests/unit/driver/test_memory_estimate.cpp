// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/error.hpp"
#include "core/kokkos_ext/device/free_memory.hpp"
#include "core/memory.hpp"
#include "core/parallel.hpp"
#include "driver/plan/memory_estimate.hpp"
#include "driver/plan/plan.hpp"
#include "io/input/yaml_reader.hpp"
#include "io/mesh_files/mesh_file.hpp"
#include "support/backends.hpp"
#include "support/layered_mesh.hpp"
#include "support/run_case.hpp"
#include "support/spaces.hpp"
#include "support/temporary_folder.hpp"

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

using namespace tessera;
using driver::MeshCounts;

namespace {

const std::string plates = TESSERA_SOURCE_DIR "/tests/regression/plates.yaml";

/// Largest peak of the phases of a run, without `held`, which was allocated before the run, and its estimate. Kokkos'
/// scratch memory only grows: scratch memory of earlier runs of this process is still allocated.
std::pair<double, double> measured_and_estimated(const std::string& directory, double held) {
  const io::YamlNode report = io::read_yaml(directory + "/report.yaml");
  double peak = 0.;
  for (const io::YamlNode& phase : report.find("phases")->items)
    peak = std::max(peak, std::stod(phase.find("peak_bytes")->text));
  return {peak - held, std::stod(report.find("memory")->find("estimated_peak_bytes")->text)};
}

/// On devices, Kokkos allocates scratch memory for reductions and scans; on hosts for teams, which only the kernels of
/// devices use.
double kokkos_scratch(const std::string& backend) {
#if defined(TESSERA_DEVICE_FORMS)
  constexpr double of_teams = 262144.;
#else
  constexpr double of_teams = 0.;
#endif
  return backend == "cuda" || backend == "hip" ? 1048576. : of_teams;
}

/// The largest ratio of an estimate to the measured peak: the table of strategies has one row for all backends, fixed
/// nodes count as unknowns, and some arrays of a phase are freed before others are allocated.
constexpr double largest_ratio = 1.35;

} // namespace

TEST_CASE("Counts of boxes and of refined meshes are exact", "[driver]") {
  const int cells[3] = {5, 3, 2};
  const MeshCounts plane = MeshCounts::box(2, cells);
  CHECK(plane.nodes == 24);
  CHECK(plane.elements == 30);
  CHECK(plane.facets == 16);
  CHECK(plane.edges() == 53); // 5 * 4 + 3 * 6 + 15 diagonals
  const int fine_cells[3] = {10, 6, 4};
  for (const int dimension : {2, 3}) {
    const MeshCounts refined = MeshCounts::box(dimension, cells).refined();
    const MeshCounts fine = MeshCounts::box(dimension, fine_cells);
    CHECK(refined.nodes == fine.nodes);
    CHECK(refined.elements == fine.elements);
    CHECK(refined.facets == fine.facets);
    CHECK(refined.edges() == fine.edges());
  }
  const int one[3] = {1, 1, 1};
  CHECK(MeshCounts::box(3, one).edges() == 19);
  CHECK(MeshCounts::box(3, one).faces() == 18);
}

TEST_CASE("The estimate of every strategy holds what the ledger measures", "[driver][device]") {
  const test::TemporaryFolder folder;
  const std::vector<std::vector<std::string>> meshes = {
      {"mesh.box={cells: [120, 120]}", "discretization.order=1"},
      {"mesh.box={cells: [60, 60]}", "mesh.refine=1", "discretization.order=2"},
      {"mesh.box={cells: [22, 22, 22]}", "discretization.order=1"},
      {"mesh.box={cells: [6, 6, 6]}", "mesh.refine=1", "discretization.order=2"},
      {"mesh.box={cells: [15, 15]}", "mesh.refine=3", "mesh.ordering=none"},
      {"mesh.box={cells: [80, 80, 1]}", "discretization.order=1"}}; // more nodes per element
  for (const std::string& backend : test::backends_of_spaces())
    for (const auto& mesh : meshes)
      for (const auto& strategy : io::enum_names<io::Strategy>()) {
        if (strategy.value == io::Strategy::automatic || strategy.value == io::Strategy::reference)
          continue;
        std::vector<std::string> settings = mesh;
        settings.insert(settings.end(), {"execution.backend=" + backend,
                                         std::string("assembly.strategy=") + strategy.name, "output.fields=[]",
                                         "output.probes=", "solver.preconditioner=jacobi", "solver.max_iterations=3"});
        const double held = MemoryLedger::current_bytes();
        test::run_case(plates, folder.file("out"), settings);
        const auto [measured, estimated] = measured_and_estimated(folder.file("out"), held);
        INFO(backend << ", " << mesh[0] << ' ' << mesh.back() << ", " << strategy.name << ": " << measured / estimated
                     << " of the estimated " << estimated << " bytes");
        CHECK(measured <= estimated + kokkos_scratch(backend));
        CHECK(estimated <= largest_ratio * measured);
      }
}

TEST_CASE("The estimate of multigrid holds what the ledger measures", "[driver][multigrid][device]") {
  const test::TemporaryFolder folder;
  const std::vector<std::vector<std::string>> meshes = {
      {"mesh.box={cells: [120, 120]}", "discretization.order=1"},
      {"mesh.box={cells: [61, 61]}", "mesh.refine=1"},
      {"mesh.box={cells: [60, 60]}", "mesh.refine=1", "discretization.order=2"},
      {"mesh.box={cells: [24, 24, 24]}", "discretization.order=1"},
      {"mesh.box={cells: [11, 11, 11]}", "mesh.refine=1"},
      {"mesh.box={cells: [15, 15, 15]}", "discretization.order=2"}};
  for (const std::string& backend : test::backends_of_spaces())
    for (const auto& mesh : meshes)
      for (const char* strategy : {"ebe-atomic", "ebe-recomputed", "ebe-stored", "row-gather"})
        for (const char* precision : {"single", "double"}) {
          if (std::string(precision) == "double" && std::string(strategy) != "ebe-atomic" &&
              std::string(strategy) != "row-gather")
            continue;
          std::vector<std::string> settings = mesh;
          settings.insert(settings.end(), {"execution.backend=" + backend, std::string("assembly.strategy=") + strategy,
                                           "output.fields=[]", "output.probes=", "solver.preconditioner=multigrid",
                                           std::string("solver.multigrid.precision=") + precision});
          const double held = MemoryLedger::current_bytes();
          const auto run = test::run_case(plates, folder.file("out"), settings);
          CHECK(run.exit_code == 0);
          const auto [measured, estimated] = measured_and_estimated(folder.file("out"), held);
          INFO(backend << ", " << mesh[0] << ' ' << mesh.back() << ", " << strategy << ", " << precision << ": "
                       << measured / estimated << " of the estimated " << estimated << " bytes");
          CHECK(measured <= estimated + kokkos_scratch(backend));
          CHECK(estimated <= (std::string(strategy) == "row-gather" ? 2. : largest_ratio) * measured);
        }
}

TEST_CASE("The estimate of eddy currents holds what the ledger measures", "[driver][multigrid][device]") {
  const test::TemporaryFolder folder;
  for (const std::string& backend : test::backends_of_spaces())
    for (const char* order : {"discretization.order=1", "discretization.order=2"})
      for (const char* conductors :
           {"problem.conductors=", "problem.conductors={domain: {current: 1}}",
            "problem.materials.domain={relative_permeability: 100, lag_angle: 10, conductivity: 1e6}",
            "problem.materials.domain={relative_permeability: 100, laminations: {thickness: 1e-3, conductivity: 1e6, "
            "parallel_to: z}}",
            "problem.boundaries.top={impedance: {conductivity: 1e6}}"}) {
        const double held = MemoryLedger::current_bytes();
        const auto run = test::run_case(
            TESSERA_SOURCE_DIR "/inputs/cylinder-in-axial-field/cylinder-in-axial-field.yaml", folder.file("out"),
            {"mesh.box.cells=[100, 100]", order, conductors, "execution.backend=" + backend, "output.fields=[]",
             "verification=", "solver.relative_tolerance=1e-3"});
        CHECK(run.exit_code == 0);
        const auto [measured, estimated] = measured_and_estimated(folder.file("out"), held);
        INFO(backend << ", " << order << ", " << conductors << ": " << measured / estimated << " of the estimated "
                     << estimated << " bytes");
        CHECK(measured <= estimated + kokkos_scratch(backend));
        CHECK(estimated <= 2. * measured);
      }
}

TEST_CASE("The estimate of electro-quasistatics holds what the ledger measures", "[driver][multigrid][device]") {
  const test::TemporaryFolder folder;
  for (const std::string& backend : test::backends_of_spaces())
    for (const char* order : {"discretization.order=1", "discretization.order=2"})
      for (const char* loss_tangent : {"0", "0.01"}) {
        const double held = MemoryLedger::current_bytes();
        const auto run = test::run_case(
            TESSERA_SOURCE_DIR "/inputs/cylinder-in-axial-field/cylinder-in-axial-field.yaml", folder.file("out"),
            {"problem.physics=electro-quasistatics", "problem.boundaries={left: {potential: 0}, right: {potential: 1}}",
             std::string("problem.materials={domain: {relative_permittivity: 2, conductivity: 1e-9, loss_tangent: ") +
                 loss_tangent + "}}",
             "mesh.box.cells=[100, 100]", order, "execution.backend=" + backend, "output.fields=[]",
             "output.quantities=[losses]", "verification=", "solver.relative_tolerance=1e-3"});
        CHECK(run.exit_code == 0);
        const auto [measured, estimated] = measured_and_estimated(folder.file("out"), held);
        INFO(backend << ", " << order << ", " << loss_tangent << ": " << measured / estimated << " of the estimated "
                     << estimated << " bytes");
        CHECK(measured <= estimated + kokkos_scratch(backend));
        CHECK(estimated <= 2. * measured);
      }
}

// Estimates for dg are at most the required memory, so that no case that fits is refused.
TEST_CASE("The estimate of multigrid for dg is a little below what the ledger measures",
          "[driver][multigrid][device]") {
  const test::TemporaryFolder folder;
  for (const std::string& backend : test::backends_of_spaces())
    for (const char* elements : {"mesh.agglomerate.elements=1024", "mesh.agglomerate="})
      for (const char* order : {"discretization.order=1", "discretization.order=3", "discretization.order=6"}) {
        const double held = MemoryLedger::current_bytes();
        const auto run =
            test::run_case(TESSERA_SOURCE_DIR "/inputs/dg-poisson/dg-poisson.yaml", folder.file("out"),
                           {"mesh.box.cells=[40, 40]", elements, order, "execution.backend=" + backend,
                            "output.fields=[]", "solver.preconditioner=multigrid", "solver.relative_tolerance=1e-3"});
        CHECK(run.exit_code == 0);
        const auto [measured, estimated] = measured_and_estimated(folder.file("out"), held);
        INFO(backend << ", " << elements << ", " << order << ": " << measured / estimated << " of the estimated "
                     << estimated << " bytes");
        CHECK(estimated <= measured);
        CHECK(measured <= 1.3 * estimated + kokkos_scratch(backend));
      }
}

// On a device the host copies for the file, which the ledger counts as well, are not part of the estimate.
TEST_CASE("Output is in the estimate of hosts", "[driver]") {
  const test::TemporaryFolder folder;
  for (const char* mesh : {"mesh.box={cells: [120, 120]}", "mesh.box={cells: [22, 22, 22]}"})
    for (const char* order : {"discretization.order=1", "discretization.order=2"}) {
      const double held = MemoryLedger::current_bytes();
      test::run_case(plates, folder.file("out"),
                     {mesh, order, "execution.backend=" + backend_names().front(), "assembly.strategy=ebe-atomic",
                      "output.fields=[potential, electric_field, flux_density, material]",
                      "output.probes=", "solver.max_iterations=3"});
      const auto [measured, estimated] = measured_and_estimated(folder.file("out"), held);
      INFO(mesh << ' ' << order << ": " << measured / estimated << " of the estimated " << estimated << " bytes");
      CHECK(measured <= estimated);
      CHECK(estimated <= largest_ratio * measured);
    }
}

TEST_CASE("Recovered fields are in the estimate of hosts", "[driver]") {
  const test::TemporaryFolder folder;
  const auto check = [&](const std::string& file, std::vector<std::string> settings) {
    for (const char* order : {"discretization.order=1", "discretization.order=2"}) {
      std::vector<std::string> all = settings;
      all.insert(all.end(), {order, "execution.backend=" + backend_names().front(), "assembly.strategy=ebe-atomic",
                             "output.recovered=true", "solver.preconditioner=jacobi", "solver.max_iterations=3"});
      const double held = MemoryLedger::current_bytes();
      test::run_case(file, folder.file("out"), all);
      const auto [measured, estimated] = measured_and_estimated(folder.file("out"), held);
      INFO(settings[0] << ' ' << order << ": " << measured / estimated << " of the estimated " << estimated
                       << " bytes");
      CHECK(measured <= estimated);
      CHECK(estimated <= largest_ratio * measured);
    }
  };
  for (const char* mesh : {"mesh.box={cells: [120, 120]}", "mesh.box={cells: [22, 22, 22]}"})
    check(plates, {mesh, "output.fields=[potential, electric_field, flux_density, material]", "output.probes="});
  // A tenth and a seventh of the nodes lie at interfaces, and four times as many after each refinement in 3D.
  const std::string layers = folder.write("layers.yaml", "tessera: 1\nmesh: {file: layers.vtkhdf}\n"
                                                         "problem:\n  physics: electrostatics\n"
                                                         "  materials: {lower: {relative_permittivity: 1}, "
                                                         "upper: {relative_permittivity: 2}}\n"
                                                         "  boundaries: {low: {potential: 1}, high: {potential: 2}}\n");
  io::write_mesh_file(folder.file("layers.vtkhdf"), test::layered_mesh(2, 10, 0, true));
  check(layers, {"mesh.refine=3"});
  io::write_mesh_file(folder.file("layers.vtkhdf"), test::layered_mesh(3, 6, 0, true));
  check(layers, {"mesh.refine=1"});
  io::write_mesh_file(folder.file("layers.vtkhdf"), test::layered_mesh(3, 12, 0, true));
  check(layers, {"mesh.refine=0"});
}

// Rounds have the previous problem and the next mesh at the same time. A last mesh that is discarded because of
// max_elements does not count.
TEST_CASE("The estimate holds what adaptive refinement needs", "[driver]") {
  const test::TemporaryFolder folder;
  for (const char* name : {"mms-2d", "mms-3d"})
    for (const char* order : {"discretization.order=1", "discretization.order=2"})
      for (const char* strategy : {"row-gather", "ebe-atomic"})
        for (const char* estimator : {"recovery", "residual"}) {
          const bool plane = std::string(name) == "mms-2d";
          const std::string adapt = std::string("mesh.adapt={target_error: 1e-5, max_rounds: ") + (plane ? "7" : "3") +
                                    ", estimator: " + estimator + '}';
          const double held = MemoryLedger::current_bytes();
          test::run_case(TESSERA_SOURCE_DIR "/inputs/" + std::string(name) + '/' + name + ".yaml", folder.file("out"),
                         {order, std::string("assembly.strategy=") + strategy, adapt,
                          plane ? "mesh.box.cells=[12, 12]" : "mesh.box.cells=[6, 6, 6]",
                          "solver.preconditioner=jacobi", "solver.relative_tolerance=1e-3",
                          "execution.backend=" + backend_names().front(), "output.fields=[]"});
          const auto [measured, estimated] = measured_and_estimated(folder.file("out"), held);
          INFO(name << ", " << order << ", " << strategy << ", " << estimator << ": " << measured / estimated
                    << " of the estimated " << estimated << " bytes");
          CHECK(measured <= estimated);
          CHECK(estimated <= 2. * measured);
        }
}

TEST_CASE("A run that does not fit is refused with what each strategy needs", "[driver]") {
  using Catch::Matchers::ContainsSubstring;
  const io::Case input = test::read_case(
      plates, "out",
      {"mesh.box={cells: [5000, 5000]}", "assembly.strategy=a-coo", "output.fields=[]", "mesh.ordering=none"});
  io::ImportedMesh imported;
  imported.dimension = 2;
  const driver::ProblemSize size = driver::problem_size(input, imported, true);
  CHECK(driver::make_plan(input, size, 140e9).strategy == io::Strategy::a_coo);
  std::string message;
  try {
    driver::make_plan(input, size, 3e9);
  } catch (const Error& error) {
    message = error.what();
    CHECK(error.exit_code() == 3);
  }
  CHECK_THAT(message, ContainsSubstring("by a-coo, but 2.8 GiB are free") && ContainsSubstring("row-gather") &&
                          ContainsSubstring("these fit: ebe-atomic"));
  CHECK(message.find("row-gather", message.find("these fit")) == std::string::npos);

  const io::Case automatic =
      test::read_case(plates, "out", {"mesh.box={cells: [5000, 5000]}", "output.fields=[]", "mesh.ordering=none"});
  CHECK(driver::make_plan(automatic, size, 140e9).strategy == io::Strategy::row_gather);
  CHECK(!assembly::stores_matrix(driver::make_plan(automatic, size, 3e9).strategy));
  CHECK_THROWS_AS(driver::make_plan(automatic, size, 1e9), Error);
  const io::Case fixed_order = test::read_case(
      plates, "out",
      {"mesh.box={cells: [5000, 5000]}", "output.fields=[]", "mesh.ordering=none", "execution.reproducible=true"});
  const driver::ProblemSize of_fixed_order = driver::problem_size(fixed_order, imported, true);
  CHECK(driver::make_plan(fixed_order, of_fixed_order, 140e9).strategy == io::Strategy::row_gather);
  CHECK_THROWS_AS(driver::make_plan(fixed_order, of_fixed_order, 3e9), Error); // not replaced by another order
}

// Forms with coefficients at quadrature points, facets, signs of nodes or an iterate need more memory.
TEST_CASE("The estimate holds what the ledger measures for every form", "[driver]") {
  const test::TemporaryFolder folder;
  const std::string magnetic_head = R"(tessera: 1
mesh: {box: {cells: [80, 80], lower: [1, 0], upper: [2, 1]}}
problem:
  physics: magnetostatics
  materials: {domain: )";
  const std::string curve = "{bh_curve: [[0, 0], [100, 0.5], [1000, 1.2], [10000, 1.8]]}";
  const std::string linear = "{relative_permeability: 2}";
  const std::string magnetic_tail = R"(}
  sources: {domain: {current_density: 1e3}}
  boundaries: {left: {vector_potential: 0}, right: )";
  const auto magnetic = [&](const std::string& material, const std::string& right) {
    return magnetic_head + material + magnetic_tail + right + "}\n";
  };
  const std::string electric_head = R"(tessera: 1
mesh: {box: {cells: [80, 80]}}
problem:
  physics: diffusion
  materials: {domain: {diffusivity: )";
  const auto diffusive = [&](const std::string& coefficient, const std::string& source_text,
                             const std::string& boundaries) {
    return electric_head + coefficient + "}}\n  sources: {domain: {source: " + source_text + "}}\n  boundaries: {" +
           boundaries + "}\n";
  };
  const std::string fixed = "left: {value: 0}";
  const std::vector<std::string> cases = {
      diffusive("1", "1", fixed),
      diffusive("\"1 + x\"", "\"y\"", fixed),
      diffusive("1", "1", fixed + ", right: {flux: 1}"),
      diffusive("1", "1", fixed + ", right: {robin: {coefficient: 1, reference: 0}}"),
      diffusive("1", "1", fixed + ", bottom: {antiperiodic: {with: top}}"),
      diffusive("1", "1", fixed + ", bottom: {periodic: {with: top}}"),
      magnetic(linear, "{vector_potential: 1e-3}"),
      magnetic(linear, "{tangential_field: 10}"),
      magnetic(curve, "{tangential_field: 10}"),
  };
  for (const std::string& text : cases)
    for (const std::string order : {"1", "2"})
      for (const std::string strategy : {"row-gather", "ebe-atomic"}) {
        io::Case input = io::read_case_text(text, "case.yaml",
                                            {{"discretization.order", order, "test"},
                                             {"assembly.strategy", strategy, "test"},
                                             {"execution.backend", backend_names().front(), "test"},
                                             {"solver.preconditioner", "jacobi", "test"},
                                             {"solver.max_iterations", "3", "test"},
                                             {"output.directory", folder.file("out"), "test"},
                                             {"output.fields", "[]", "test"}});
        input.solver.nonlinear.max_iterations = 2;
        driver::RunOptions quiet;
        quiet.quiet = true;
        const double held = MemoryLedger::current_bytes();
        driver::run(input, quiet);
        const auto [measured, estimated] = measured_and_estimated(folder.file("out"), held);
        INFO(text << "order " << order << ", " << strategy << ": " << measured / estimated << " of the estimated "
                  << estimated << " bytes");
        CHECK(measured <= estimated + kokkos_scratch(backend_names().front()));
        CHECK(estimated <= largest_ratio * measured);
      }
}

TEST_CASE("Counts of meshes beyond 64 bits are refused", "[driver]") {
  const int cells[3] = {3000000, 3000000, 3000000};
  CHECK_THROWS_AS(MeshCounts::box(3, cells), Error);
  const int many[3] = {2000000, 1000000, 500000};
  const MeshCounts box = MeshCounts::box(3, many);
  CHECK(box.elements == std::int64_t(6000000000000) * 1000000);
  CHECK_THROWS_AS(box.refined(), Error);
  driver::MemoryRequest request;
  request.mesh = {3, 10, 10, 10};
  request.refine = 40;
  CHECK_THROWS_AS(request.final_mesh(), Error);
  request.mesh = {2, std::int64_t(1) << 61, std::int64_t(1) << 62, 8};
  request.refine = 0;
  CHECK_THROWS_AS(request.n_matrix_entries(), Error);
}

TEST_CASE("Counts beyond 32 bits leave strategies without matrix", "[driver]") {
  driver::MemoryRequest request;
  const int cells[2] = {22400, 22400};
  request.mesh = MeshCounts::box(2, cells);
  CHECK(driver::fits_offsets(request, io::Strategy::ebe_atomic));
  CHECK(driver::fits_offsets(request, io::Strategy::row_gather) == (sizeof(offset_t) == 8));
}

TEST_CASE("Parts hold no numbers of the elements where the whole has too many", "[driver]") {
  driver::MemoryRequest request;
  const int cells[2] = {1000, 1000};
  request.mesh = MeshCounts::box(2, cells);
  request.processes = 4;
  request.is_part = true;
  request.preconditioner = io::Preconditioner::multigrid; // its set-up is the peak
  request.n_elements_of_all = (std::int64_t(1) << 31) - 1;
  const double with_numbers = driver::estimate_memory(request, io::Strategy::ebe_atomic);
  ++request.n_elements_of_all;
  const double without = driver::estimate_memory(request, io::Strategy::ebe_atomic);
  const double numbers = 4. * static_cast<double>(request.mesh.elements);
  CHECK(with_numbers - without >= numbers);
  CHECK(with_numbers - without < 1.02 * numbers); // including the reserve for what the estimate omits
}

TEMPLATE_LIST_TEST_CASE("Free memory falls by what is taken", "[driver]", test::ExecutionSpaces) {
  const TestType exec;
  const double before = free_memory(exec);
  REQUIRE(before > 0.);
  if (is_host_space<TestType>)
    return; // other programs on the machine allocate and free memory
  constexpr std::int64_t n = 64 << 20;
  double taken = 0.;
  for (int attempt = 0; attempt < 20 && !(taken > 0.5 * 8. * n); ++attempt) { // other programs allocate and free, too
    const double free = free_memory(exec);
    const auto array = make_filled<Array<double*, TestType>>(exec, "test", n, 1.);
    exec.fence();
    taken = free - free_memory(exec);
  }
  INFO(taken);
  CHECK(taken > 0.5 * 8. * n);
}

TEMPLATE_LIST_TEST_CASE("Reserved memory is still free", "[driver]", test::ExecutionSpaces) {
  const TestType exec;
  reserve_memory(exec, 0.);
  reserve_memory(exec, 1e30); // more than available: nothing happens
  const auto less = [&] {     // bytes free after reserving and an array
    const double before = free_memory(exec);
    reserve_memory(exec, 256e6);
    const auto array = make_filled<Array<double*, TestType>>(exec, "test", 1000, 1.);
    CHECK(read_entry(exec, array, 999) == 1.);
    return before - free_memory(exec);
  };
  double taken = less();
  if (is_host_space<TestType>)
    return;
  for (int attempt = 0; attempt < 20 && taken > 128e6; ++attempt) // other programs on the device allocate and free, too
    taken = less();
  CHECK(taken < 128e6);
}
