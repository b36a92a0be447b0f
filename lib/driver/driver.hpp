// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_DRIVER_HPP
#define TESSERA_DRIVER_DRIVER_HPP

/// \file
/// What the program and the tests call: run a case, compare, benchmark. Kokkos, where it does not run yet, is started
/// by `run`, `compare` and `make_mesh_file` with the number of threads that suits the case, and finalised at their end.
/// Kokkos starts once in a process: who calls them several times starts a Runtime first, which settles the threads.

#include "comm/communicator.hpp"
#include "io/case.hpp"
#include "io/sweep.hpp"

#include <iosfwd>
#include <map>
#include <string>
#include <vector>

namespace tessera::driver {

/// How run() works beside what the case says.
struct RunOptions {
  bool quiet = false; ///< no console output
  /// Processes that share the run, all of which call run() with the same case; null: this one alone.
  const comm::Communicator* world = nullptr;
};

/// How a run ended.
struct RunSummary {
  int exit_code = 0; ///< 0 converged, 2 not converged, 128 + a signal's number if that ended it between time steps
  std::string directory;
  std::string message;                      ///< why the exit code is not 0
  std::map<std::string, double> quantities; ///< "energy", "capacitance", "charge.<group>", ...
  std::map<std::string, std::string> units; ///< of the quantities
  std::map<std::string, double> errors;     ///< "l2", "h1", "capacitance", ...: relative where an exact value is known
  std::map<std::string, std::string> checksums; ///< of reproducible runs, see Results
  int iterations = 0;
  double residual = 0.;                  ///< relative
  std::vector<double> nonlinear_history; ///< relative residuals of Newton's method; empty for linear problems
};

/// Which runs `compare` makes of a case, and what it prints.
struct CompareOptions {
  std::vector<std::string> backends;   ///< empty: all of this build
  std::vector<std::string> strategies; ///< empty or {"all"}: every one
  bool full = false;                   ///< times, memory and differences of every run on the console
  bool quiet = false;
};

/// How `compare_results` judges.
struct CompareResultsOptions {
  /// Relative differences that count as agreement: by default a thousand times those that the solver's default
  /// tolerance leaves between two backends.
  double tolerance = 1e-6;
  bool full = false; ///< all quantities and changed keys on the console
  bool quiet = false;
};

/// What `bench` measures, and how often.
struct BenchOptions {
  std::string what; ///< assembly, operator, estimate, coloring, solve, dg, scaling
  std::string backend;
  std::vector<std::string> strategies; ///< empty or {"all"}: every one
  std::vector<std::string> cases;      ///< names of the bench's meshes; with `inputs` empty, too: its default list
  std::vector<io::Case> inputs;        ///< further problems, each of a case
  int repetitions = 5;
  bool reproducible = false;    ///< only deterministic strategies and colourings, as with execution.reproducible
  bool iterations_only = false; ///< solve: one iteration, by default with Jacobi alone, no solutions
  /// Processes that share the work of each case, as in RunOptions: dg and scaling alone.
  const comm::Communicator* world = nullptr;
  int copies = 1;                           ///< scaling: boxes are so many times as long
  std::string figures_file;                 ///< scaling: where the times go instead of a table
  std::vector<std::string> preconditioners; ///< solve: empty: jacobi and multigrid
};

/// Refuses what so many processes cannot do, as far as the input alone tells: before they are started.
void check_processes(const io::Case& input, int n_processes);

/// Runs a case and writes its output directory.
RunSummary run(const io::Case& input, const RunOptions& options);

/// Runs every point of a sweep and writes their table (docs/input-reference.md, sweep); points that an earlier, ended
/// run left in the table are taken from there. A point that fails is told and does not end the others. Returns the exit
/// code, that of the first failure.
int run_sweep(const io::Sweep& sweep, const RunOptions& options);

/// Runs a case on several backends and strategies and holds the results against each other; returns the exit code.
int compare(const io::Case& input, const CompareOptions& options);

/// Compares the output directories of two runs, or of two sweeps, that have ended: quantities, and fields where the
/// meshes are the same. Prints what differs; returns the exit code, 2 beyond the tolerance.
int compare_results(const std::string& first, const std::string& second, const CompareResultsOptions& options);

/// Measures and prints tables; returns the exit code. Throws on options that fit no benchmark.
int bench(const BenchOptions& options);

/// Makes the case's mesh and writes it as VTKHDF.
void make_mesh_file(const io::Case& input, const std::string& path);

/// Prints regions and boundaries of the case's mesh, as it is before mesh.refine: names, sizes, places, neighbours.
void list_mesh(const io::Case& input);

/// Versions, backends, devices and options of this build.
void print_info(std::ostream& out);

} // namespace tessera::driver

#endif
