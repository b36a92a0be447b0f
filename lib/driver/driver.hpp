// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_DRIVER_HPP
#define TESSERA_DRIVER_DRIVER_HPP

/// \file
/// The interface for the program and the tests: run a case, compare, benchmark. If Kokkos is not running, `run`,
/// `compare` and `make_mesh_file` start it with the number of threads that suits the case, and finalise it at their
/// end. Kokkos can be started only once per process: callers of several functions must first create a Runtime, which
/// determines the number of threads.

#include "comm/communicator.hpp"
#include "io/input/case.hpp"
#include "io/input/sweep.hpp"
#include "io/output/report.hpp"

#include <iosfwd>
#include <map>
#include <string>
#include <vector>

namespace tessera::io {
class BenchFiles;
class Console;
struct RunArrays;
} // namespace tessera::io

namespace tessera::driver {

/// Options of run() in addition to the case.
struct RunOptions {
  bool quiet = false; ///< no console output
  /// Processes that share the run, all of which call run() with the same case; null: this process only.
  const comm::Communicator* world = nullptr;
  bool writes = true;              ///< makes the output directory; run() only
  io::RunArrays* arrays = nullptr; ///< receives fields, probes and time steps on rank 0, with or without the directory
  io::Console* console = nullptr;  ///< instead of standard output; warnings are then only in RunSummary::message
};

/// How a run ended.
struct RunSummary {
  int exit_code = 0; ///< 0 converged, 2 not converged, 128 + number of a signal that ended it between time steps
  std::string directory;
  std::string message;                          ///< reason for an exit code other than 0
  std::map<std::string, double> quantities;     ///< "energy", "capacitance", "charge.<group>", ...
  std::map<std::string, std::string> units;     ///< of the quantities
  std::map<std::string, double> errors;         ///< "l2", "h1", "capacitance", ...: relative if an exact value is known
  std::map<std::string, std::string> checksums; ///< of reproducible runs, see Results
  int iterations = 0;
  double residual = 0.;                  ///< relative
  double rounding = 0.;                  ///< effect of the rounding of the solution on it, if the solver computed that
  std::vector<double> nonlinear_history; ///< relative residuals of Newton's method; empty for linear problems
  io::ReportNode report; ///< what report.yaml says (docs/report.md); empty for points of sweeps and on other ranks
};

/// The runs that `compare` makes of a case, and its output.
struct CompareOptions {
  std::vector<std::string> backends;   ///< empty: all of this build
  std::vector<std::string> strategies; ///< empty or {"all"}: every one
  bool full = false;                   ///< print times, memory and differences of every run
  bool quiet = false;
};

/// Options of `compare_results`.
struct CompareResultsOptions {
  /// Relative differences up to this count as agreement: by default a thousand times those that the solver's default
  /// tolerance leaves between two backends.
  double tolerance = 1e-6;
  bool full = false; ///< print all quantities and changed keys
  bool quiet = false;
};

/// What `bench` measures, and how often.
struct BenchOptions {
  std::string what; ///< assembly, operator, estimate, coloring, methods, solve, dg, scaling
  std::string backend;
  std::vector<std::string> strategies; ///< empty or {"all"}: every one
  std::vector<std::string> cases;      ///< names of benchmark meshes; empty, with `inputs` empty, too: the default list
  std::vector<io::Case> inputs;        ///< further problems, each from a case
  int repetitions = 5;
  bool reproducible = false;    ///< only deterministic strategies and colourings, as with execution.reproducible
  bool iterations_only = false; ///< solve: one iteration, by default only with Jacobi, no solutions
  /// Processes that share the work of each case, as in RunOptions: only for dg and scaling.
  const comm::Communicator* world = nullptr;
  int copies = 1;                           ///< scaling: factor on the length of boxes
  std::string figures_file;                 ///< scaling: file for the times, instead of a table
  std::vector<std::string> preconditioners; ///< solve: empty: jacobi and multigrid
  /// coloring: those to measure; assembly and methods: coloured strategies by each of them. Empty: all for coloring,
  /// else the one of the case.
  std::vector<std::string> colorings;
  io::BenchFiles* files = nullptr; ///< receives the tables
};

/// Refuses what this number of processes cannot do, as far as the input shows: before they are started.
void check_processes(const io::Case& input, int n_processes);

/// Runs a case and writes its output directory.
RunSummary run(const io::Case& input, const RunOptions& options);

/// Runs every point of a sweep and writes their table (docs/input-reference.md, sweep); points completed in the table
/// of an earlier run are reused. A point that fails is reported and does not end the others. Returns the exit code,
/// that of the first failure.
int run_sweep(const io::Sweep& sweep, const RunOptions& options);

/// Runs a case on several backends and strategies and compares the results; returns the exit code.
int compare(const io::Case& input, const CompareOptions& options);

/// Compares the output directories of two completed runs, or of two sweeps: quantities, and fields if the meshes are
/// the same. Prints the differences; returns the exit code, 2 if they exceed the tolerance.
int compare_results(const std::string& first, const std::string& second, const CompareResultsOptions& options);

/// Measures and prints tables; returns the exit code. Throws for options that do not apply to the benchmark.
int bench(const BenchOptions& options);

/// Makes the case's mesh and writes it as VTKHDF.
void make_mesh_file(const io::Case& input, const std::string& path);

/// Prints regions and boundaries of the case's mesh, before mesh.refine: names, sizes, locations, neighbours.
void list_mesh(const io::Case& input);

/// Versions, backends, devices and options of this build.
void print_info(std::ostream& out);

} // namespace tessera::driver

#endif
