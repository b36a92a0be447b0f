// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "commands.hpp"

#include "comm/communicator.hpp"
#include "comm/launcher.hpp"
#include "core/kokkos_ext/host/host_threads.hpp"
#include "core/kokkos_ext/runtime.hpp"
#include "core/kokkos_ext/spaces.hpp"
#include "core/version.hpp"
#include "driver/bench/papers/paper.hpp"
#include "driver/bench/scaling.hpp"
#include "driver/bench/scaling_runs.hpp"
#include "driver/driver.hpp"
#include "driver/plan/threads.hpp"
#include "driver/session.hpp"
#include "driver/study/dry_run.hpp"
#include "io/atomic_file.hpp"
#include "io/child_process.hpp"
#include "io/femm/femm_import.hpp"
#include "io/input/case_reader.hpp"
#include "io/input/input_text.hpp"
#include "io/mesh_files/mesh_file.hpp"
#include "io/output/output_directory.hpp"
#include "io/pictures/canvas.hpp"
#include "io/pictures/reports/bench_charts.hpp"
#include "io/pictures/reports/html_report.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <optional>

namespace tessera::app {

namespace {

/// Overrides of the input that the command line sets.
std::vector<io::Override> overrides_of(const CaseArguments& arguments) {
  std::vector<io::Override> overrides;
  for (const std::string& text : arguments.set)
    overrides.push_back(io::parse_override(text, "--set"));
  if (!arguments.backend.empty())
    overrides.push_back({"execution.backend", arguments.backend, "--backend"});
  if (!arguments.strategy.empty())
    overrides.push_back({"assembly.strategy", arguments.strategy, "--strategy"});
  if (!arguments.output.empty())
    overrides.push_back({"output.directory", arguments.output, "--output"});
  if (arguments.threads > 0)
    overrides.push_back({"execution.threads", std::to_string(arguments.threads), "--threads"});
  return overrides;
}

/// Adds a note on keys that more than one option sets.
void note_repeated(const std::vector<io::Override>& overrides, io::Case& input) {
  for (auto entry = overrides.begin(); entry != overrides.end(); ++entry)
    if (std::any_of(overrides.begin(), entry, [&](const io::Override& earlier) {
          return earlier.path == entry->path && earlier.origin == entry->origin;
        }))
      input.notes.push_back(entry->origin + " gives '" + io::printable(entry->path) +
                            "' again; the last value is used: " + io::printable(entry->value));
}

/// Reads the input and applies the values of the command line. Called before Kokkos starts, so that wrong input is
/// reported without waiting for a device.
io::Case read_input(const CaseArguments& arguments, bool only_mesh = false) {
  const std::vector<io::Override> overrides = overrides_of(arguments);
  io::Case input = only_mesh ? io::read_mesh_case(arguments.file, overrides) : io::read_case(arguments.file, overrides);
  note_repeated(overrides, input);
  return input;
}

void check_backend(const std::string& name, const std::string& option) {
  const std::vector<std::string> available = backend_names();
  TESSERA_REQUIRE(std::find(available.begin(), available.end(), name) != available.end(),
                  option << ": this build has no backend '" << name << "'; it has " << io::joined(available) << ".");
}

/// Rejects a launcher that starts several processes of a command that is not parallel: each would do all of the work.
void require_one_process(const char* command) {
  TESSERA_REQUIRE(comm::launched_processes() == 1, command << " is for one process, but a launcher has started "
                                                           << comm::launched_processes() << "; several share a run.");
}

/// Starts the same command with `n` processes by mpirun; returns the exit code. `directory`: their output directory. If
/// a launcher kills the processes, as it does after a second signal, their unfinished files in it are removed.
int run_processes(int n, const char* const* argv, const std::string& directory) {
  constexpr int most_per_processor = 64; // many more make a machine unresponsive
  const int processors = processors_of_machine();
  TESSERA_REQUIRE(n <= most_per_processor * processors,
                  "--processes: " << n << " are more than " << most_per_processor << " for each of this machine's "
                                  << processors << " processors. More, on several machines, are started by mpirun.");
  std::vector<std::string> command = comm::launcher_command(n, "--processes");
  for (int i = 0; argv[i] != nullptr; ++i)
    command.emplace_back(argv[i]);
  if (::isatty(STDOUT_FILENO) != 1)
    ::setenv("TERM", "dumb", 1); // mpirun gives them a pseudo-terminal, on which they would report progress
  std::cout.flush();
  const int code = io::detail::run_in_place(command, "--processes: cannot start mpirun: ");
  if (code != 0)
    io::remove_remains(directory);
  return code;
}

void check_strategies(io::Method method, const std::vector<std::string>& names) {
  constexpr const char* what = "strategy of --strategies";
  for (const std::string& name : names)
    if (name != "all" && method == io::Method::dg)
      io::parse_name<io::DgStrategy>(name, what);
    else if (name != "all")
      io::parse_name<io::Strategy>(name, what);
}

} // namespace

int run(const CaseArguments& arguments, bool dry_run, const char* const* argv) {
  const std::vector<io::Override> overrides = overrides_of(arguments);
  io::Sweep sweep = io::read_sweep(arguments.file, overrides);
  note_repeated(overrides, sweep.points.front().input);
  const io::Case& input = sweep.points.front().input;
  if (arguments.processes > 1 && comm::launched_processes() == 1 && !dry_run) {
    if (!sweep.requested()) // a failing point of a sweep is reported and does not end the others
      driver::check_processes(input, arguments.processes);
    return run_processes(arguments.processes, argv, input.output.directory);
  }
  TESSERA_REQUIRE(arguments.processes == 0 || dry_run || comm::launched_processes() == arguments.processes,
                  "--processes: " << arguments.processes << " are asked for, but a launcher has started "
                                  << comm::launched_processes() << '.');
  if (dry_run) {
    if (comm::launched_rank() == 0 && sweep.requested())
      std::cout << "# The first of " << sweep.points.size() << " points of a sweep\n";
    if (comm::launched_rank() == 0)
      std::cout << driver::dry_run_text(input, std::max({1, arguments.processes, comm::launched_processes()}));
    return 0;
  }
  const int threads = driver::most_threads(input, comm::launched_processes());
  const comm::Environment processes(threads);
  driver::RunOptions options;
  options.quiet = arguments.quiet;
  options.world = &processes.world();
  return sweep.requested() ? driver::run_sweep(sweep, options) : driver::run(input, options).exit_code;
}

namespace {

int compare_directories(const CompareArguments& arguments) {
  TESSERA_REQUIRE(arguments.backends.empty() && arguments.strategies.empty() && arguments.input.set.empty() &&
                      arguments.input.output.empty() && arguments.input.threads == 0,
                  "compare: --backends, --strategies, --set, --output and --threads are for the runs of one case; the "
                  "results in two directories are compared as they are.");
  driver::CompareResultsOptions options;
  if (arguments.tolerance >= 0.)
    options.tolerance = arguments.tolerance;
  options.full = arguments.full;
  options.quiet = arguments.input.quiet;
  return driver::compare_results(arguments.subjects[0], arguments.subjects[1], options);
}

} // namespace

int compare(const CompareArguments& arguments) {
  require_one_process("compare");
  if (arguments.subjects.size() == 2)
    return compare_directories(arguments);
  std::error_code ignored;
  TESSERA_REQUIRE(!std::filesystem::is_directory(arguments.subjects[0], ignored),
                  "compare: " << arguments.subjects[0]
                              << " is a directory; give a case (YAML), or the output directories of two runs.");
  TESSERA_REQUIRE(arguments.tolerance < 0.,
                  "compare: --tolerance is for the results in two directories; runs of a case "
                  "are judged by what backends and strategies may differ in.");
  for (const std::string& backend : arguments.backends)
    check_backend(backend, "--backends");
  CaseArguments case_arguments = arguments.input;
  case_arguments.file = arguments.subjects[0];
  const io::Case input = read_input(case_arguments);
  check_strategies(input.discretization.method, arguments.strategies);
  driver::CompareOptions options;
  options.backends = arguments.backends;
  options.strategies = arguments.strategies;
  options.full = arguments.full;
  options.quiet = case_arguments.quiet;
  return driver::compare(input, options);
}

namespace {

/// Starts the processes of `bench scaling`, one number of processes after the other.
int bench_scaling(const BenchArguments& arguments, const driver::BenchOptions& options) {
  constexpr int most_by_itself = 8;
  driver::ScalingRuns runs;
  runs.program = std::filesystem::read_symlink("/proc/self/exe").string();
  runs.on_host = options.backend == "serial" || options.backend == "openmp";
  runs.threads = std::max(1, arguments.threads);
  const int units = runs.on_host ? processors_of_machine() / runs.threads : device_count();
  runs.most = arguments.processes > 0 ? arguments.processes : std::clamp(units, 1, most_by_itself);
  runs.time_limit = 7200.;
  if (runs.most > 1)
    comm::launcher_command(runs.most, "bench scaling"); // fails here rather than after the first measurements
  const auto pass = [&](const std::string& option, const std::string& value) {
    runs.arguments.insert(runs.arguments.end(), {option, value});
  };
  pass("--backend", options.backend);
  pass("--repetitions", std::to_string(options.repetitions));
  if (!arguments.strategies.empty()) {
    std::string list;
    for (const std::string& name : arguments.strategies)
      list += (list.empty() ? "" : ",") + name;
    pass("--strategies", list);
  }
  for (const std::string& text : arguments.set)
    pass("--set", text);
  if (!arguments.refine.empty())
    pass("--refine", arguments.refine);
  if (arguments.reproducible)
    runs.arguments.emplace_back("--reproducible");
  for (const io::Case& input : options.inputs) {
    const bool is_file = std::find(arguments.files.begin(), arguments.files.end(), input.file) != arguments.files.end();
    runs.subjects.push_back({is_file ? "--case" : "--cases", input.file, input.mesh.source == io::MeshSource::box});
  }
  runs.machine = "Tessera " + git_hash() + ", " + options.backend + ", " + std::to_string(units) +
                 (runs.on_host ? " processors for " + std::to_string(runs.threads) + " threads each" : " GPUs") +
                 ", medians of " + std::to_string(options.repetitions) + " runs after a first one";
  runs.files = options.files;
  return driver::run_scaling(runs);
}

int measure(const BenchArguments& arguments, driver::BenchOptions& options) {
  const bool is_scaling = options.what == "scaling";
  if (is_scaling && options.figures_file.empty() && comm::launched_processes() == 1)
    return bench_scaling(arguments, options);
  const int threads = is_scaling ? std::max(1, arguments.threads) : arguments.threads;
  const comm::Environment processes(std::max(1, threads));
  options.world = &processes.world();
  const Runtime runtime(options.backend == serial_backend ? 1 : threads,
                        driver::device_of_process(processes.world(), {options.backend}));
  return driver::bench(options);
}

/// Runs the experiments of a paper.
int bench_paper(const BenchArguments& arguments) {
  TESSERA_REQUIRE(!arguments.paper.empty(), "bench paper: name a paper: a-fem, ebe or dg.");
  TESSERA_REQUIRE(!arguments.output.empty(), "bench paper: name a directory for the tables, --output DIR.");
  TESSERA_REQUIRE(arguments.strategies.empty() && arguments.colorings.empty() && arguments.cases.empty() &&
                      arguments.files.empty() && arguments.set.empty(),
                  "bench paper: --strategies, --colorings, --cases, --case and --set are given by the paper's file.");
  driver::PaperOptions options;
  options.backend = arguments.backend.empty() ? backend_names().back() : arguments.backend;
  check_backend(options.backend, "--backend");
  options.output = arguments.output;
  options.refine = arguments.refine;
  options.is_quick = arguments.is_quick;
  options.repetitions = arguments.repetitions;
  const driver::Paper paper = driver::read_paper(driver::find_paper(arguments.paper), options);
  const io::BenchFiles check(options.output); // before Kokkos starts
  const comm::Environment processes(std::max(1, arguments.threads));
  const Runtime runtime(options.backend == serial_backend ? 1 : arguments.threads,
                        driver::device_of_process(processes.world(), {options.backend}));
  const int code = driver::run_paper(paper, options, processes.world());
  std::cout << '\n' << options.output << "/paper.html\n";
  return code;
}

} // namespace

int bench(const BenchArguments& arguments) {
  if (arguments.what == "paper") {
    require_one_process("bench paper");
    return bench_paper(arguments);
  }
  TESSERA_REQUIRE(arguments.paper.empty() && !arguments.is_quick,
                  "bench " << arguments.what << ": a name and --quick are for bench paper.");
  const bool is_scaling = arguments.what == "scaling";
  TESSERA_REQUIRE(is_scaling || arguments.processes == 0,
                  "bench: --processes is for bench scaling; bench dg is started by mpirun.");
  driver::BenchOptions options;
  options.what = arguments.what;
  options.backend = arguments.backend.empty() ? backend_names().back() : arguments.backend;
  check_backend(options.backend, "--backend");
  if (!is_scaling)
    check_strategies(options.what == "dg" ? io::Method::dg : io::Method::cg, arguments.strategies);
  options.strategies = arguments.strategies;
  if (!is_scaling)
    options.cases = arguments.cases;
  const std::vector<int> refinements = driver::refinements_of(arguments.refine, "--refine");
  TESSERA_REQUIRE(!is_scaling || refinements.size() <= 1, "bench scaling: --refine takes one number.");
  TESSERA_REQUIRE(is_scaling || !arguments.files.empty() || (arguments.set.empty() && refinements.empty()),
                  "bench: --set and --refine change the input of a --case; boxes are named with all that they are.");
  for (const std::string& file : arguments.files) {
    CaseArguments input;
    input.file = file;
    input.set = arguments.set;
    input.backend = options.backend;
    if (refinements.empty())
      options.inputs.push_back(read_input(input));
    for (const int n : refinements) {
      CaseArguments refined = input;
      refined.set.push_back("mesh.refine=" + std::to_string(n));
      options.inputs.push_back(read_input(refined));
    }
  }
  if (is_scaling) {
    std::vector<io::Override> overrides;
    for (const std::string& text : arguments.set)
      overrides.push_back(io::parse_override(text, "--set"));
    if (!arguments.refine.empty())
      overrides.push_back({"mesh.refine", arguments.refine, "--refine"});
    std::vector<std::string> cases = arguments.cases;
    if (cases.empty() && arguments.files.empty())
      cases = {"tri-p1-1000", "tet-p1-64", "dg-tet-p2-16"};
    for (const std::string& name : cases)
      options.inputs.push_back(driver::scaling_case(name, options.backend, overrides));
    for (const io::Case& input : options.inputs)
      check_strategies(input.discretization.method, arguments.strategies);
  }
  if (arguments.repetitions > 0)
    options.repetitions = arguments.repetitions;
  options.reproducible = arguments.reproducible;
  options.iterations_only = arguments.iterations_only;
  options.preconditioners = arguments.preconditioners;
  options.colorings = arguments.colorings;
  for (const std::string& name : arguments.colorings)
    io::parse_name<io::Coloring>(name, "colouring of --colorings");
  std::optional<io::BenchFiles> files;
  if (!arguments.output.empty() && comm::launched_rank() == 0) {
    files.emplace(arguments.output);
    files->description()["command"] = arguments.command;
    options.files = &*files;
  }
  options.copies = arguments.copies;
  options.figures_file = arguments.figures_file;
  const int code = measure(arguments, options);
  if (files && !files->tables().empty()) {
    std::cout << '\n' << arguments.output << '/' << io::bench_description_name << '\n';
    if (*io::pictures::cairo_version() != '\0')
      for (const std::string& path :
           io::pictures::draw_bench_charts(arguments.output, io::pictures::bench_chart_pixels))
        std::cout << path << '\n';
  }
  return code;
}

int mesh(const CaseArguments& arguments, const std::string& path, bool lists) {
  require_one_process("mesh");
  TESSERA_REQUIRE(lists != !path.empty(),
                  "mesh: give either -o FILE, to write the mesh, or --list, to see its groups.");
  if (lists) {
    driver::list_mesh(read_input(arguments, true));
    return 0;
  }
  TESSERA_REQUIRE(io::is_mesh_file_name(path),
                  "-o: '" << path << "' does not end in .vtkhdf, .hdf or .h5: the mesh is written as VTKHDF.");
  const io::Case input = read_input(arguments);
  driver::make_mesh_file(input, path);
  return 0;
}

int import_problem(const std::string& path, const std::string& directory) {
  require_one_process("import");
  const std::string name = std::filesystem::path(path).stem().string();
  const io::FemmImport imported = io::import_femm(path, name);
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  const std::string case_file = (std::filesystem::path(directory) / (name + ".yaml")).string();
  const std::string geometry_file = (std::filesystem::path(directory) / (name + ".geo")).string();
  for (const std::string& file : {case_file, geometry_file})
    TESSERA_REQUIRE(!std::filesystem::exists(file, error),
                    "-o: '" << file << "' exists already. Remove it, or give another directory.");
  for (const auto& [file, text] : {std::pair(geometry_file, imported.geometry), std::pair(case_file, imported.input)}) {
    io::AtomicFile out(file);
    out.stream() << text;
    out.commit();
  }
  for (const std::string& note : imported.notes)
    std::cout << "note: " << note << '\n';
  std::cout << geometry_file << '\n' << case_file << '\n';
  io::read_case(case_file); // what the case does not accept is an error here, not in the run
  return 0;
}

int plot(const io::pictures::PlotRequest& request) {
  require_one_process("plot");
  for (const std::string& path : io::pictures::make_plot(request))
    std::cout << path << '\n';
  return 0;
}

int report(const std::vector<std::string>& directories) {
  require_one_process("report");
  io::pictures::require_cairo("report");
  for (const std::string& directory : directories)
    std::cout << io::pictures::write_html_report(directory) << '\n';
  return 0;
}

int info() {
  const Runtime runtime;
  driver::print_info(std::cout);
  return 0;
}

} // namespace tessera::app
