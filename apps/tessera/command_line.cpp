// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "command_line.hpp"

#include "commands.hpp"
#include "core/config.hpp"
#include "core/error.hpp"
#include "core/kokkos_ext/host/host_threads.hpp"
#include "core/kokkos_ext/spaces.hpp"
#include "io/input/case.hpp"
#include "io/input/input_text.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>

namespace tessera::app {

namespace {

/// Parsed command line.
struct Arguments {
  CaseArguments input;
  BenchArguments bench;
  bool dry_run = false;
  const char* const* argv = nullptr;
  CompareArguments compare;
  std::string mesh_file;
  std::string import_file;
  std::string import_directory;
  io::pictures::PlotRequest plot;
  std::vector<std::string> directories; ///< output directories of runs
  bool list_groups = false;
};

CLI::Validator not_empty() {
  return {[](std::string& text) { return std::string(text.empty() ? "the text must not be empty" : ""); }, ""};
}

CLI::Validator not_negative() {
  return {[](std::string& text) {
            char* end = nullptr;
            const double value = std::strtod(text.c_str(), &end);
            const bool is_number = !text.empty() && end == text.c_str() + text.size() && std::isfinite(value);
            return is_number && value >= 0. ? std::string()
                                            : "expected a number of 0 or more, found '" + io::printable(text) + "'";
          },
          ""};
}

void add_set_option(CLI::App& command, std::vector<std::string>& set) {
  command
      .add_option("--set", set,
                  "Set a key of the input, for example --set solver.max_iterations=500; an empty value removes the "
                  "key; may be repeated")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
}

void add_case_options(CLI::App& command, CaseArguments& input) {
  add_set_option(command, input.set);
  command.add_option("--threads", input.threads, "Threads of the OpenMP backend")
      ->check(CLI::Range(1, max_host_threads()));
}

void add_case(CLI::App& command, CaseArguments& input) {
  command.add_option("CASE", input.file, "Input file (YAML)")->required();
  add_case_options(command, input);
}

CLI::Option* add_list(CLI::App& command, const std::string& name, std::vector<std::string>& values,
                      const std::string& description) {
  return command.add_option(name, values, description)->delimiter(',')->type_name("A,B")->allow_extra_args(false);
}

std::string strategy_names() { return io::joined(io::spellings<io::Strategy>()); }

/// Adds a subcommand; its action runs after the whole line has been parsed.
CLI::App& add_command(CLI::App& app, const char* name, const char* description, std::function<int()>& chosen,
                      std::function<int()> action) {
  CLI::App& command = *app.add_subcommand(name, description);
  command.callback([&chosen, action] { chosen = action; });
  return command;
}

void add_run(CLI::App& app, Arguments& a, std::function<int()>& chosen) {
  CLI::App& command = add_command(app, "run", "Compute a case and write its output directory", chosen,
                                  [&a] { return run(a.input, a.dry_run, a.argv); });
  add_case(command, a.input);
  command
      .add_option("--backend", a.input.backend, "Backend, replaces execution.backend: " + io::joined(backend_names()))
      ->type_name("NAME")
      ->check(not_empty());
  command
      .add_option("--strategy", a.input.strategy, "Assembly strategy, replaces assembly.strategy: " + strategy_names())
      ->type_name("NAME")
      ->check(not_empty());
  command.add_option("--output", a.input.output, "Output directory, replaces output.directory")->check(not_empty());
  command
      .add_option("--processes,--gpus", a.input.processes,
                  "Start N processes that share the run, with a GPU each on a backend of GPUs (by mpirun)")
      ->type_name("N")
      ->check(CLI::Range(1, 4096));
  command.add_flag("--dry-run", a.dry_run, "Check the input, print it with all defaults and stop");
  command.add_flag("-q,--quiet", a.input.quiet, "Print errors only");
}

void add_compare(CLI::App& app, Arguments& a, std::function<int()>& chosen) {
  CLI::App& command = add_command(
      app, "compare", "Run a case on several backends and strategies, or take two finished runs, and compare", chosen,
      [&a] { return compare(a.compare); });
  command.add_option("CASE", a.compare.subjects, "Input file (YAML), or the output directories of two runs or sweeps")
      ->type_name("CASE | DIR DIR")
      ->required()
      ->expected(1, 2);
  add_case_options(command, a.compare.input);
  add_list(command, "--backends", a.compare.backends,
           "Backends (default: all of this build, " + io::joined(backend_names()) + ")");
  add_list(command, "--strategies", a.compare.strategies,
           "Assembly strategies, or all (the default; without auto): " + strategy_names() +
               "; of dg: " + io::joined(io::spellings<io::DgStrategy>()));
  command.add_option("--output", a.compare.input.output, "Output directory, replaces output.directory")
      ->check(not_empty());
  command
      .add_option("--tolerance", a.compare.tolerance,
                  "Of two directories: the largest relative difference that counts as agreement (default: 1e-6); "
                  "0: the same numbers")
      ->type_name("NUMBER")
      ->check(not_negative());
  command.add_flag("--full", a.compare.full, "Show times, memory and differences of every run; all quantities");
  command.add_flag("-q,--quiet", a.compare.input.quiet, "Print errors only");
}

void add_bench(CLI::App& app, Arguments& a, std::function<int()>& chosen) {
  CLI::App& command =
      add_command(app, "bench", "Measure parts of the program and compare with their models", chosen, [&a] {
        for (int i = 0; a.argv[i] != nullptr; ++i)
          a.bench.command += (i > 0 ? " " : "") + std::string(a.argv[i]);
        return bench(a.bench);
      });
  command
      .add_option("WHAT", a.bench.what, "assembly, operator, estimate, coloring, methods, solve, dg, scaling or paper")
      ->required()
      ->check(CLI::IsMember(
          {"assembly", "operator", "estimate", "coloring", "methods", "solve", "dg", "scaling", "paper"}));
  command.add_option("NAME", a.bench.paper, "paper: a-fem, ebe or dg")->type_name("NAME");
  command.add_flag("--quick", a.bench.is_quick, "paper: small meshes and one repetition, to try the command");
  command
      .add_option("--backend", a.bench.backend,
                  "Backend (default: the last of this build, " + io::joined(backend_names()) + ")")
      ->type_name("NAME");
  add_list(command, "--strategies", a.bench.strategies,
           "Assembly strategies except auto, or all (default: all except reference): " + strategy_names() +
               "; of dg: " + io::joined(io::spellings<io::DgStrategy>()));
  add_list(command, "--cases", a.bench.cases, "Boxes by name, such as tri-p1-1000 (default: a list of five)");
  command
      .add_option("--case", a.bench.files, "Input file (YAML) with the mesh and problem to measure; may be repeated")
      ->type_name("CASE")
      ->allow_extra_args(false);
  add_set_option(command, a.bench.set);
  command
      .add_option("--refine", a.bench.refine,
                  "Uniform refinements of --case, replaces mesh.refine; or several, such as 0..5")
      ->type_name("N|A..B");
  command.add_option("--repetitions", a.bench.repetitions, "Repetitions, of which the median is reported")
      ->check(CLI::Range(1, 1000));
  command.add_flag("--reproducible", a.bench.reproducible,
                   "Only strategies and colourings that give the same bits in every run");
  command.add_flag("--iterations-only", a.bench.iterations_only,
                   "solve: measure an iteration only, no solution; with Jacobi unless others are named; coloring: no "
                   "solution");
  add_list(command, "--colorings", a.bench.colorings,
           "coloring: those to measure (default: all); assembly, methods: coloured strategies by each of these: " +
               io::joined(io::spellings<io::Coloring>()));
  command.add_option("--output", a.bench.output, "Directory for the tables as CSV, and their charts")
      ->type_name("DIR")
      ->check(not_empty());
  add_list(command, "--preconditioners", a.bench.preconditioners, "solve: jacobi, multigrid (default: both)");
  command
      .add_option("--threads", a.bench.threads, "Threads of the OpenMP backend; scaling: of each process (default: 1)")
      ->check(CLI::Range(1, max_host_threads()));
  command
      .add_option("--processes,--gpus", a.bench.processes,
                  "scaling: measure with 1, 2, 4, ... up to N processes (default: processors or GPUs, at most 8)")
      ->type_name("N")
      ->check(CLI::Range(1, 4096));
  command.add_option("--figures", a.bench.figures_file)->group(""); // internal: set by the processes of `bench scaling`
  command.add_option("--copies", a.bench.copies)->group("")->check(CLI::Range(1, 4096));
}

void add_mesh(CLI::App& app, Arguments& a, std::function<int()>& chosen) {
  CLI::App& command = add_command(app, "mesh", "Make the mesh of a case; write it as VTKHDF or list its groups", chosen,
                                  [&a] { return mesh(a.input, a.mesh_file, a.list_groups); });
  add_case(command, a.input);
  command.add_option("-o,--output", a.mesh_file, "File to write (.vtkhdf, .hdf or .h5), for mesh.file");
  command.add_flag("--list", a.list_groups,
                   "List regions and boundaries, surfaces and curves: name, size, position, neighbours; CASE may "
                   "also be a geometry or mesh");
}

void add_import(CLI::App& app, Arguments& a, std::function<int()>& chosen) {
  CLI::App& command = add_command(app, "import", "Write a problem file of FEMM as a case (YAML) and its geometry",
                                  chosen, [&a] { return import_problem(a.import_file, a.import_directory); });
  command
      .add_option("FILE", a.import_file,
                  "Magnetics (.fem), electrostatics (.fee), heat flow (.feh), current flow (.fec)")
      ->required();
  command.add_option("-o,--output", a.import_directory, "Directory for the case and the geometry")
      ->type_name("DIR")
      ->required()
      ->check(not_empty());
}

void add_plot(CLI::App& app, Arguments& a, std::function<int()>& chosen) {
  CLI::App& command =
      add_command(app, "plot", "Draw a field, the mesh, a probe or the convergence of a run, a sweep, or a benchmark",
                  chosen, [&a] { return plot(a.plot); });
  command.add_option("DIR", a.plot.directory, "Output directory of a run, sweep or benchmark")->required();
  command
      .add_option("--show", a.plot.show,
                  "A field of fields.vtkhdf, mesh, convergence, or a probe (default: the flux density of "
                  "magnetostatics, else the solution)")
      ->type_name("WHAT");
  command.add_option("-o,--output", a.plot.path, "File to write: .png, .svg or .pdf (default: DIR/WHAT.png)")
      ->type_name("FILE");
  command
      .add_option("--component", a.plot.component,
                  "Component of a vector instead of its magnitude: x, y, z, r; or a column of a probe")
      ->type_name("NAME");
  command.add_option("--lines", a.plot.n_lines, "About so many lines of equal potential or flux lines; 0: none")
      ->check(CLI::Range(0, 200));
  command
      .add_option(
          "--scale", a.plot.scale,
          "Colours of magnitudes of vectors: linear, logarithmic, or auto (default: logarithmic where linear ones "
          "would be all dark)")
      ->type_name("NAME");
  command.add_option("--range", a.plot.range, "First and last value of the colours, in SI units")
      ->type_name("LOW,HIGH");
  command.add_option("--phase", a.plot.phase, "The field of a frequency at the instant of this phase, in degrees")
      ->type_name("DEGREES");
  command.add_flag("--mesh", a.plot.with_mesh, "Draw the edges of the elements");
  command.add_option("--window", a.plot.window, "The part of the plane that is shown, in m")->type_name("X0,Y0,X1,Y1");
  command.add_option("--section", a.plot.section, "Where a mesh of three dimensions is cut, for example z=0.01 (m)")
      ->type_name("AXIS=POSITION");
  command.add_flag("--cut-open", a.plot.cut_open, "Show the part behind the section (3D)");
  command.add_option("--width", a.plot.pixels, "Width in pixels")
      ->check(CLI::Range(io::pictures::PlotRequest::fewest_pixels, io::pictures::PlotRequest::most_pixels));
}

void add_report(CLI::App& app, Arguments& a, std::function<int()>& chosen) {
  CLI::App& command = add_command(app, "report", "Write report.html into output directories of runs and sweeps", chosen,
                                  [&a] { return report(a.directories); });
  command.add_option("DIR", a.directories, "Output directory of a run or sweep; several may be given")->required();
}

void add_commands(CLI::App& app, Arguments& a, std::function<int()>& chosen) {
  add_run(app, a, chosen);
  add_compare(app, a, chosen);
  add_bench(app, a, chosen);
  add_mesh(app, a, chosen);
  add_import(app, a, chosen);
  add_plot(app, a, chosen);
  add_report(app, a, chosen);
  add_command(app, "info", "Show versions, backends and devices of this build", chosen, [] { return info(); });
}

/// Rejects a first word that is not a command, and suggests a similar one.
void check_command(const CLI::App& app, const std::string& word) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(command->get_name());
  std::error_code ignored;
  const bool is_file = std::filesystem::is_regular_file(word, ignored);
  TESSERA_REQUIRE(std::find(names.begin(), names.end(), word) != names.end(),
                  io::unknown_name_message("command", word, names)
                      << (is_file ? " To run a case: tessera run " + word + "." : ""));
}

/// CLI11's message, extended for unknown arguments by an option similar to the first of them, and rephrased for
/// repeated options.
std::string explain(const CLI::App& app, const CLI::ParseError& error) {
  const std::string message = error.what();
  const std::vector<CLI::App*> commands = app.get_subcommands();
  const auto start = message.find("--");
  const auto most = message.find(": At Most 1 required");
  if (most != std::string::npos)
    return message.substr(0, most) + " is given more than once.";
  if (error.get_exit_code() != static_cast<int>(CLI::ExitCodes::ExtrasError) || commands.empty() ||
      start == std::string::npos)
    return message;
  const std::string text = message.substr(start, message.find_first_of(" =", start) - start);
  std::string near;
  std::vector<std::string> names;
  for (const CLI::Option* option : commands.front()->get_options())
    for (const std::string& name : option->get_lnames()) {
      names.push_back("--" + name);
      if (near.empty() && names.back().compare(0, text.size(), text) == 0)
        near = names.back();
    }
  if (near.empty())
    near = io::nearest_name(text, names);
  return message + (near.empty() ? "" : "; did you mean '" + near + "'?");
}

} // namespace

int parse_and_run(int argc, const char* const* argv) {
  CLI::App app(
      "Tessera computes fields with finite elements.\nThe input is described in docs/input-reference.md of the "
      "sources, which is share/doc/tessera/docs/input-reference.md where Tessera is installed.",
      "tessera");
  app.set_version_flag("--version", TESSERA_VERSION_STRING);
  app.require_subcommand(1);
  app.failure_message([&app](const CLI::App*, const CLI::Error& error) {
    const auto* wrong = dynamic_cast<const CLI::ParseError*>(&error);
    return "tessera: error: " + (wrong != nullptr ? explain(app, *wrong) : error.what()) +
           "\nRun tessera --help or tessera COMMAND --help.\n";
  });
  Arguments arguments;
  arguments.argv = argv;
  std::function<int()> chosen;
  add_commands(app, arguments, chosen);
  if (argc > 1 && argv[1][0] != '-')
    check_command(app, argv[1]);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    // CLI11 prints the help or the error; we do not use its exit codes.
    return app.exit(error) == 0 ? 0 : 1;
  }
  return chosen();
}

} // namespace tessera::app
