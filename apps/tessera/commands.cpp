// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "commands.hpp"

#include "comm/communicator.hpp"
#include "core/kokkos_ext/host_threads.hpp"
#include "core/kokkos_ext/runtime.hpp"
#include "core/kokkos_ext/spaces.hpp"
#include "driver/driver.hpp"
#include "driver/plan/threads.hpp"
#include "driver/session.hpp"
#include "driver/study/dry_run.hpp"
#include "io/case_reader.hpp"
#include "io/mesh_file.hpp"
#include "io/pictures/canvas.hpp"
#include "io/pictures/html_report.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <iostream>

namespace tessera::app {

namespace {

/// What the command line sets in the input.
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

/// Reads the input with the values of the command line. Before Kokkos starts: wrong input must not wait for a device.
io::Case read_input(const CaseArguments& arguments, bool only_mesh = false) {
  const std::vector<io::Override> overrides = overrides_of(arguments);
  return only_mesh ? io::read_mesh_case(arguments.file, overrides) : io::read_case(arguments.file, overrides);
}

void check_backend(const std::string& name, const std::string& option) {
  const std::vector<std::string> available = backend_names();
  TESSERA_REQUIRE(std::find(available.begin(), available.end(), name) != available.end(),
                  option << ": this build has no backend '" << name << "'; it has " << io::joined(available) << ".");
}

/// Refuses a command that a launcher has started several times: each would do all of the work.
void require_one_process(const char* command) {
  TESSERA_REQUIRE(comm::launched_processes() == 1, command << " is for one process, but a launcher has started "
                                                           << comm::launched_processes() << "; several share a run.");
}

/// Replaces this process by mpirun, which starts the same command `n` times; throws if that cannot be.
[[noreturn]] void start_processes(int n, const char* const* argv) {
  TESSERA_REQUIRE(!comm::mpi_version().empty(), "--processes: this build has no MPI, which "
                                                    << n << " processes need (docs/guide.md, Several GPUs).");
  const std::string number = std::to_string(n);
  std::vector<char*> command;
  for (const char* word : {"mpirun", "-np", number.c_str()})
    command.push_back(const_cast<char*>(word));
  for (int i = 0; argv[i] != nullptr; ++i)
    command.push_back(const_cast<char*>(argv[i]));
  command.push_back(nullptr);
  // Open MPI's: who asks for processes of a number has decided.
  for (const char* variable :
       {"OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "OMPI_MCA_rmaps_base_oversubscribe"})
    ::setenv(variable, "1", 0);
  std::cout.flush();
  ::execvp(command.front(), command.data());
  throw Error(ErrorKind::resource, std::string("--processes: cannot start mpirun: ") + std::strerror(errno) + '.');
}

template <class Strategy> void check_strategies(const std::vector<std::string>& names) {
  for (const std::string& name : names)
    if (name != "all")
      io::parse_name<Strategy>(name, "strategy of --strategies");
}

} // namespace

int run(const CaseArguments& arguments, bool dry_run, const char* const* argv) {
  const io::Sweep sweep = io::read_sweep(arguments.file, overrides_of(arguments));
  const io::Case& input = sweep.points.front().input;
  if (arguments.processes > 1 && comm::launched_processes() == 1 && !dry_run)
    start_processes(arguments.processes, argv);
  TESSERA_REQUIRE(arguments.processes == 0 || dry_run || comm::launched_processes() == arguments.processes,
                  "--processes: " << arguments.processes << " are asked for, but a launcher has started "
                                  << comm::launched_processes() << '.');
  if (dry_run) {
    if (comm::launched_rank() == 0 && sweep.asked())
      std::cout << "# The first of " << sweep.points.size() << " points of a sweep\n";
    if (comm::launched_rank() == 0)
      std::cout << driver::dry_run_text(input);
    return 0;
  }
  if (driver::most_threads(input, {input.execution.backend}) > 1)
    shorten_active_waits();
  const comm::Environment processes; // behind what may restart the program
  driver::RunOptions options;
  options.quiet = arguments.quiet;
  options.world = &processes.world();
  return sweep.asked() ? driver::run_sweep(sweep, options) : driver::run(input, options).exit_code;
}

int compare(const CaseArguments& arguments, const std::vector<std::string>& backends,
            const std::vector<std::string>& strategies, bool full) {
  require_one_process("compare");
  for (const std::string& backend : backends)
    check_backend(backend, "--backends");
  const io::Case input = read_input(arguments);
  if (input.discretization.method == io::Method::dg)
    check_strategies<io::DgStrategy>(strategies);
  else
    check_strategies<io::Strategy>(strategies);
  if (driver::most_threads(input, backends.empty() ? backend_names() : backends) > 1)
    shorten_active_waits();
  driver::CompareOptions options;
  options.backends = backends;
  options.strategies = strategies;
  options.full = full;
  options.quiet = arguments.quiet;
  return driver::compare(input, options);
}

int bench(const BenchArguments& arguments) {
  driver::BenchOptions options;
  options.what = arguments.what;
  options.backend = arguments.backend.empty() ? backend_names().back() : arguments.backend;
  check_backend(options.backend, "--backend");
  if (options.what == "dg")
    check_strategies<io::DgStrategy>(arguments.strategies);
  else
    check_strategies<io::Strategy>(arguments.strategies);
  options.strategies = arguments.strategies;
  options.cases = arguments.cases;
  TESSERA_REQUIRE(!arguments.files.empty() || (arguments.set.empty() && arguments.refine < 0),
                  "bench: --set and --refine change the input of a --case; boxes are named with all that they are.");
  for (const std::string& file : arguments.files) {
    CaseArguments input;
    input.file = file;
    input.set = arguments.set;
    input.backend = options.backend;
    if (arguments.refine >= 0)
      input.set.push_back("mesh.refine=" + std::to_string(arguments.refine));
    options.inputs.push_back(read_input(input));
  }
  options.repetitions = arguments.repetitions;
  options.reproducible = arguments.reproducible;
  options.iterations_only = arguments.iterations_only;
  options.preconditioners = arguments.preconditioners;
  if (options.backend == "openmp" && arguments.threads != 1)
    shorten_active_waits();
  const comm::Environment processes;
  options.world = &processes.world();
  const Runtime runtime(arguments.threads, driver::device_of_process(processes.world(), {options.backend}));
  return driver::bench(options);
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
  if (driver::most_threads(input, {input.execution.backend}) > 1)
    shorten_active_waits();
  driver::make_mesh_file(input, path);
  return 0;
}

int plot(const io::pictures::PlotRequest& request) {
  require_one_process("plot");
  std::cout << io::pictures::make_plot(request) << '\n';
  return 0;
}

int report(const std::vector<std::string>& directories) {
  require_one_process("report");
  io::pictures::require_cairo("report");
  for (const std::string& directory : directories)
    std::cout << io::pictures::write_html_report(io::pictures::read_results(directory)) << '\n';
  return 0;
}

int info() {
  const Runtime runtime;
  driver::print_info(std::cout);
  return 0;
}

} // namespace tessera::app
