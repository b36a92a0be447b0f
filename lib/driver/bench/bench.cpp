// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/kokkos_ext/device/free_memory.hpp"
#include "core/memory.hpp"
#include "core/version.hpp"
#include "driver/bench/bench_case.hpp"
#include "driver/bench/bench_dg.hpp"
#include "driver/bench/bench_frequencies.hpp"
#include "driver/bench/scaling.hpp"
#include "driver/driver.hpp"
#include "driver/mesh/import.hpp"
#include "driver/plan/plan.hpp"
#include "driver/visit.hpp"
#include "linalg/copy_bandwidth.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <regex>

namespace tessera::driver {

namespace {

io::BenchTable table_of(const std::string& name, const ScalingFigures& figures, int n_processes) {
  io::BenchTable table{"scaling", "processes", figures.title, figures.processes};
  table.columns = {{"processes", "1"},
                   {"slowest", "s", "slowest ms", 1e3, 3},
                   {"mean", "s", "mean", 1e3, 3},
                   {"waiting", "1", "waiting", 1e2, 0, " %"},
                   {"messages", "1", "messages", 1e2, 0, " %"}};
  for (const ScalingRow& row : figures.rows)
    add_scaling_row(table, name, row, n_processes);
  return table;
}

/// The tables of one problem. Those of the EBE paper are for cases: boxes may be too large to be solved.
template <class ExecutionSpace>
std::vector<TimeTable> run_tables(const ExecutionSpace& exec, const std::string& what,
                                  const BenchProblem<ExecutionSpace>& problem, BenchRequest request, bool is_case) {
  if (what == "assembly")
    return {bench_assembly(exec, problem, request)};
  if (what == "methods")
    return {bench_methods(exec, problem, request)};
  if (what == "coloring" && is_case && !request.iterations_only) {
    request.strategies = {assembly::Strategy::ebe_stored, assembly::Strategy::row_gather, assembly::Strategy::a_coo};
    request.compares_colorings = true;
    return {bench_coloring(exec, problem, request), bench_methods(exec, problem, request)};
  }
  if (what == "coloring")
    return {bench_coloring(exec, problem, request)};
  // The product with an assembled matrix does not depend on the strategy.
  std::vector<assembly::Strategy> kept;
  bool has_matrix = false;
  for (const assembly::Strategy strategy : request.strategies) {
    const bool stores = assembly::stores_matrix(strategy);
    if (!stores || !has_matrix)
      kept.push_back(strategy);
    has_matrix = has_matrix || stores;
  }
  request.strategies = kept;
  if (what == "estimate")
    return {bench_estimate(exec, problem, request)};
  return {what == "operator" ? bench_operator(exec, problem, request) : bench_solve(exec, problem, request)};
}

/// The parameters of a box that determine its memory.
MemoryRequest memory_of(const BenchMesh& mesh) {
  MemoryRequest memory;
  const int cells[3] = {mesh.cells, mesh.cells, mesh.cells};
  memory.mesh = MeshCounts::box(mesh.dimension, cells, mesh.name);
  memory.refine = mesh.refine;
  memory.ordered = mesh.ordered || mesh.shuffled; // two meshes exist at the same time in both cases
  memory.order = mesh.order;
  return memory;
}

/// The request for one problem, whose mesh must fit into `free` bytes: strategies that do not fit get a row that says
/// so.
BenchRequest with_memory(BenchRequest request, const std::string& what, MemoryRequest memory, const io::Case& input,
                         double free) {
  memory.writes_fields = false;
  if (what == "assembly") { // which does not solve
    memory.preconditioner = io::Preconditioner::jacobi;
    memory.solves_for_matrix = false;
    memory.columns = 1;
  }
  memory.coloring = request.coloring;
  memory.deterministic_coloring = request.reproducible;
  require_memory(input, estimate_problem_memory(memory), free, "bench: the mesh");
  if (what != "coloring") { // at least one strategy must fit
    double least = INFINITY;
    for (const assembly::Strategy strategy : request.strategies)
      least = std::min(least, estimate_memory(memory, strategy));
    require_memory(input, least, free, "bench: the strategy that needs least");
  }
  request.require_fit = [memory, &input, free](assembly::Strategy strategy) {
    require_memory(input, estimate_memory(memory, strategy), free, "it");
  };
  return request;
}

/// The strategies of a table to measure: the requested ones, by default all except `reference`; never `auto`.
template <class Table> auto strategies_in(const Table& table, const BenchOptions& options) {
  using Strategy = std::decay_t<decltype(table[0].strategy)>;
  const auto& names = options.strategies;
  const auto is_named = [&](const char* name) { return std::find(names.begin(), names.end(), name) != names.end(); };
  std::vector<Strategy> strategies;
  for (const auto& traits : table)
    if (traits.strategy != Strategy::automatic && (traits.is_deterministic || !options.reproducible) &&
        (is_named(traits.name) || is_named("all") || (names.empty() && traits.strategy != Strategy::reference)))
      strategies.push_back(traits.strategy);
  return strategies;
}

std::vector<assembly::Strategy> strategies_of(const BenchOptions& options) {
  const auto& names = options.strategies;
  TESSERA_REQUIRE(std::find(names.begin(), names.end(), io::name_of(assembly::Strategy::automatic)) == names.end(),
                  "bench --strategies: 'auto' is not itself a strategy; the benchmark measures what it "
                  "chooses from. Name strategies, or all.");
  const auto strategies = strategies_in(assembly::strategy_table, options);
  TESSERA_REQUIRE(!strategies.empty(), "bench: --reproducible excludes all of the requested strategies: they add in an "
                                       "order that changes from run to run.");
  return strategies;
}

std::vector<io::DgStrategy> dg_strategies_of(const BenchOptions& options) {
  const auto strategies = strategies_in(assembly::dg::strategy_table, options);
  TESSERA_REQUIRE(!strategies.empty(), "bench dg: no strategy is left; name one but auto, or all.");
  return strategies;
}

/// The colourings to measure, by default all.
std::vector<graph::ColoringMethod> colorings_of(const BenchOptions& options) {
  std::vector<graph::ColoringMethod> colorings;
  for (const std::string& name : options.colorings)
    colorings.push_back(io::parse_name<io::Coloring>(name, "colouring of --colorings"));
  if (colorings.empty())
    for (const auto& entry : io::enum_names<io::Coloring>())
      colorings.push_back(entry.value);
  return colorings;
}

/// Names of the cases: "plates", and if it occurs several times "plates+2" with its refinements.
std::vector<std::string> names_of(const std::vector<io::Case>& inputs) {
  std::vector<std::string> stems;
  for (const io::Case& input : inputs)
    stems.push_back(std::filesystem::path(input.file).stem().string());
  std::vector<std::string> names = stems;
  for (std::size_t i = 0; i < inputs.size(); ++i)
    if (std::count(stems.begin(), stems.end(), stems[i]) > 1)
      names[i] += '+' + std::to_string(inputs[i].mesh.refine);
  return names;
}

/// Writes hardware and versions above the tables of files.
template <class ExecutionSpace>
void describe(io::BenchFiles* files, const BenchOptions& options, const ExecutionSpace& exec) {
  if (files == nullptr)
    return;
  io::ReportNode& description = files->description();
  description["commit"] = git_hash();
  description["kokkos"] = kokkos_version();
  description["backend"] = options.backend;
  description["device"] = device_name(exec);
  description["repetitions"] = options.repetitions;
}

/// The preconditioners to measure, by default all that apply to any matrix.
std::vector<io::Preconditioner> preconditioners_of(const BenchOptions& options) {
  using io::Preconditioner;
  std::vector<Preconditioner> result;
  for (const Preconditioner kind : {Preconditioner::jacobi, Preconditioner::multigrid}) {
    const auto& names = options.preconditioners;
    const bool is_default = !options.iterations_only || kind == Preconditioner::jacobi;
    if (names.empty() ? is_default : std::find(names.begin(), names.end(), io::name_of(kind)) != names.end())
      result.push_back(kind);
  }
  TESSERA_REQUIRE(options.preconditioners.empty() || result.size() == options.preconditioners.size(),
                  "bench --preconditioners: these are jacobi and multigrid, each once.");
  return result;
}

void require_real(const io::Case& input) {
  TESSERA_REQUIRE(!io::is_harmonic(input.problem.physics), input.file << ": problem.physics: 'bench' does not support "
                                                                      << io::name_of(input.problem.physics)
                                                                      << " in this version.");
}

/// Makes the checks of a run for each of the strategies.
void check_scaling(const io::Case& input, const ScalingRequest& request, int n_processes) {
  require_no_adaptation(input, "bench");
  require_steady(input, "bench");
  require_real(input);
  check_processes(input, n_processes);
  if (input.discretization.method == io::Method::dg) {
    for (const assembly::dg::Strategy strategy : request.dg_strategies) {
      check_processes(strategy, n_processes);
      check_reproducible(input, strategy);
    }
    return;
  }
  for (const assembly::Strategy strategy : request.strategies)
    check_strategy(input, strategy);
}

/// Imports the mesh of a case and calls `work(imported, context)`, without output on the console.
template <class Work> void on_mesh(io::Case& input, const comm::Communicator& world, const Work& work) {
  io::Console quiet(true);
  PhaseLog log;
  std::vector<std::string> notes;
  Context context{input, quiet, log, notes, world};
  const io::ImportedMesh imported = import_mesh(input, context);
  take_levels(input, imported);
  spread_materials(input, imported);
  work(imported, context);
}

/// Measures the cases with the processes of the bench; prints a table, or writes it for the process that started them.
int scale(const BenchOptions& options, const comm::Communicator& world) {
  ScalingRequest request;
  request.repetitions = options.repetitions;
  BenchOptions named = options;
  const auto strategies = [&](const char* standard) {
    named.strategies = options.strategies;
    if (named.strategies.empty())
      named.strategies = {standard};
    return named;
  };
  io::Console console(!world.is_root());
  std::vector<ScalingFigures> figures;
  visit_backend(options.backend, [&](const auto& exec) {
    describe(options.files, options, exec);
    console.line("Tessera " + git_hash() + ", Kokkos " + kokkos_version() + ", " + options.backend + ": " +
                 device_name(exec) + ". Medians of " + std::to_string(options.repetitions) +
                 " runs after a first one.");
    for (io::Case input : options.inputs) {
      if (options.copies > 1)
        lengthen(input, options.copies);
      if (input.discretization.method == io::Method::dg)
        request.dg_strategies = dg_strategies_of(strategies("block-rows"));
      else
        request.strategies = strategies_of(strategies("row-gather"));
      check_scaling(input, request, world.size());
      const std::string name = std::filesystem::path(input.file).stem().string();
      on_mesh(input, world, [&](const io::ImportedMesh& imported, Context& context) {
        figures.push_back(measure_scaling(exec, name, imported, context, request));
      });
      const io::BenchTable table = table_of(name, figures.back(), world.size());
      print_bench_table(console, table);
      if (options.files != nullptr)
        options.files->add(table);
    }
  });
  if (!options.figures_file.empty() && world.is_root())
    write_figures(options.figures_file, figures);
  return 0;
}

void check_case(const io::Case& input, const BenchOptions& options) {
  require_no_adaptation(input, "bench");
  require_steady(input, "bench");
  if (options.what != "solve") {
    require_real(input);
    return;
  }
  const auto& kinds = options.preconditioners;
  const bool has_multigrid =
      kinds.empty() || (kinds.size() == 1 && kinds[0] == io::name_of(io::Preconditioner::multigrid));
  TESSERA_REQUIRE(!io::is_harmonic(input.problem.physics) || (options.strategies.empty() && has_multigrid),
                  input.file << ": problem.physics: bench solve measures " << io::name_of(input.problem.physics)
                             << " by the case's strategy, --set assembly.strategy=NAME, and multigrid: without "
                                "--strategies and other --preconditioners.");
}

/// Reserves memory as a run does and describes the machine, on the console and in files; returns its copy bandwidth.
template <class ExecutionSpace>
double begin(const ExecutionSpace& exec, const BenchOptions& options, double free, io::Console& console) {
  reserve_memory(exec, 0.5 * free); // a run reserves its estimate
  const double copy_bandwidth = linalg::copy_bandwidth(exec, std::min(options.repetitions, 9));
  describe(options.files, options, exec);
  if (options.files != nullptr)
    options.files->description()["copy_bandwidth"] = copy_bandwidth;
  console.line("Tessera " + git_hash() + ", Kokkos " + kokkos_version() + ", " + options.backend + ": " +
               device_name(exec));
  console.line("Copy bandwidth of this run (bytes read and written): " + io::format_fixed(copy_bandwidth * 1e-9, 1) +
               " GB/s. " + "Medians of " + std::to_string(options.repetitions) + " runs after a first one.");
  return copy_bandwidth;
}

void take(const std::vector<TimeTable>& tables, const BenchOptions& options, io::Console& console) {
  for (const TimeTable& table : tables) {
    print_bench_table(console, table);
    if (options.files != nullptr)
      options.files->add(table);
  }
}

/// Calls `work(name, imported, context)` for every case of the options.
template <class Work>
void for_each_case(const BenchOptions& options, const comm::Communicator& world, const Work& work) {
  const std::vector<std::string> names = names_of(options.inputs);
  for (std::size_t i = 0; i < options.inputs.size(); ++i) {
    io::Case input = options.inputs[i];
    on_mesh(input, world,
            [&](const io::ImportedMesh& imported, Context& context) { work(names[i], imported, context); });
  }
}

void measure_dg(const BenchOptions& options, const comm::Communicator& world) {
  TESSERA_REQUIRE(!options.inputs.empty() && options.cases.empty(),
                  "bench dg: name a case, --case CASE; it has no predefined boxes.");
  for (const io::Case& input : options.inputs) {
    check_case(input, options);
    TESSERA_REQUIRE(input.discretization.method == io::Method::dg,
                    input.file << ": bench dg needs discretization.method: dg.");
  }
  const std::vector<io::DgStrategy> strategies = dg_strategies_of(options);
  io::Console console(!world.is_root());
  visit_backend(options.backend, [&](const auto& exec) {
    const double copy_bandwidth = begin(exec, options, free_memory(exec), console);
    for_each_case(options, world, [&](const std::string& name, const io::ImportedMesh& imported, Context& context) {
      take({bench_dg(exec, name, imported, context, strategies, options.repetitions, copy_bandwidth)}, options,
           console);
    });
  });
}

/// All benchmarks of continuous elements but that of scaling.
void measure_cg(const BenchOptions& options) {
  for (const io::Case& input : options.inputs) {
    require_cg(input, "bench");
    check_case(input, options);
  }
  BenchRequest request;
  request.repetitions = options.repetitions;
  request.reproducible = options.reproducible;
  request.iterations_only = options.iterations_only;
  request.preconditioners = preconditioners_of(options);
  if (options.what == "estimate") // in addition to the product with a matrix, of any strategy
    request.strategies = {assembly::Strategy::row_gather};
  else
    request.strategies = strategies_of(options);
  request.colorings = colorings_of(options);
  request.compares_colorings = !options.colorings.empty();
  std::vector<std::string> cases = options.cases;
  if (cases.empty() && options.inputs.empty())
    cases = {"tri-p1-1000", "tri-p1-2000", "tet-p1-64", "tri-p2-1000", "tet-p2-64"};
  std::vector<BenchMesh> meshes;
  for (const std::string& name : cases)
    meshes.push_back(parse_bench_mesh(name));
  const bool with_parents =
      options.what == "solve" &&
      std::count(request.preconditioners.begin(), request.preconditioners.end(), io::Preconditioner::multigrid) > 0;
  for (BenchMesh& mesh : meshes)
    mesh.with_parents = with_parents;

  io::Console console;
  visit_backend(options.backend, [&](const auto& exec) {
    using ExecutionSpace = std::decay_t<decltype(exec)>;
    constexpr bool on_host = is_host_space<ExecutionSpace>;
    // Determined once: memory that one problem frees stays with the process for the next one.
    const double free = free_memory(exec);
    const io::Case no_case;
    std::vector<BenchRequest> by_mesh;
    for (const BenchMesh& mesh : meshes)
      by_mesh.push_back(with_memory(request, options.what, memory_of(mesh), no_case, free));
    const double copy_bandwidth = begin(exec, options, free, console);
    request.copy_bandwidth = copy_bandwidth;
    // Makes a problem by `make`, and measures its memory and its tables.
    const auto measure_problem = [&](const auto& make, BenchRequest of_problem, bool is_case) {
      exec.fence();
      const std::size_t before = MemoryLedger::current_bytes();
      BenchProblem<ExecutionSpace> problem = make();
      exec.fence();
      problem.bytes = MemoryLedger::current_bytes() - before;
      of_problem.copy_bandwidth = copy_bandwidth;
      take(run_tables(exec, options.what, problem, of_problem, is_case), options, console);
    };
    for (std::size_t i = 0; i < meshes.size(); ++i)
      measure_problem([&] { return make_box_problem(exec, meshes[i]); }, by_mesh[i], false);
    for_each_case(options, comm::alone(),
                  [&](const std::string& name, const io::ImportedMesh& imported, Context& context) {
                    const io::Case& input = context.input;
                    if (io::is_harmonic(input.problem.physics)) {
                      take({bench_frequencies(exec, name, imported, context, request, free)}, options, console);
                      return;
                    }
                    const ProblemBinding binding = bind_problem(input, imported);
                    const ProblemSize size = problem_size(input, imported, !on_host);
                    BenchRequest by_case = request;
                    by_case.coloring = input.assembly.coloring;
                    by_case.relative_tolerance = input.solver.relative_tolerance;
                    by_case.max_iterations = input.solver.max_iterations;
                    by_case = with_memory(by_case, options.what, size.memory, input, free);
                    const auto levels = with_parents ? mesh::CoarserMeshes::elements : mesh::CoarserMeshes::none;
                    const auto make = [&] {
                      return bench_problem(name, std::shared_ptr<Problem<ExecutionSpace>>(make_problem(
                                                     exec, imported, binding, size.memory.form.kind, levels, context)));
                    };
                    measure_problem(make, by_case, true);
                  });
  });
}

} // namespace

BenchMesh parse_bench_mesh(const std::string& name) {
  static const std::regex form("(tri|tet)-p([12])-([0-9]{1,5})(\\+[0-9])?(-shuffled)?(-ordered)?");
  std::smatch match;
  TESSERA_REQUIRE(std::regex_match(name, match, form),
                  "bench: '" << name << "' is no mesh of the benchmark. Its form is tri|tet-p1|p2-CELLS[+REFINEMENTS]"
                             << "[-shuffled][-ordered], for example tri-p1-1000 or tet-p2-64.");
  BenchMesh mesh;
  mesh.name = name;
  mesh.dimension = match[1] == "tri" ? 2 : 3;
  mesh.order = std::stoi(match[2]);
  mesh.cells = std::stoi(match[3]);
  mesh.refine = match[4].matched ? std::stoi(match[4].str().substr(1)) : 0;
  mesh.shuffled = match[5].matched;
  mesh.ordered = match[6].matched;
  TESSERA_REQUIRE(mesh.cells > 0, "bench: '" << name << "' has no cells.");
  return mesh;
}

int bench(const BenchOptions& options) {
  const comm::Communicator& world = options.world != nullptr ? *options.world : comm::alone();
  if (options.what == "scaling")
    return scale(options, world);
  if (options.what == "dg") {
    measure_dg(options, world);
    return 0;
  }
  TESSERA_REQUIRE(world.size() == 1,
                  "bench " << options.what << " is for one process; bench dg and bench scaling run with several.");
  measure_cg(options);
  return 0;
}

} // namespace tessera::driver
