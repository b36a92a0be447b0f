// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_APPS_TESSERA_COMMANDS_HPP
#define TESSERA_APPS_TESSERA_COMMANDS_HPP

/// \file
/// Subcommands of the program; each returns the exit code.

#include "io/pictures/reports/plot.hpp"

#include <string>
#include <vector>

namespace tessera::app {

/// Arguments common to the commands that read a case; empty or 0 if not given.
struct CaseArguments {
  std::string file;
  std::vector<std::string> set; ///< "solver.method=pcg"
  std::string backend;
  std::string strategy;
  std::string output;
  int threads = 0;
  int processes = 0; ///< number of processes to start
  bool quiet = false;
};

struct BenchArguments {
  std::string what;
  std::string backend;
  std::vector<std::string> strategies;
  std::vector<std::string> cases;
  std::vector<std::string> files; ///< input files
  std::vector<std::string> set;   ///< keys to set in all of them
  std::string refine;             ///< mesh.refine of all of them, "2", or several, "0..5"; empty: as set in the files
  std::string paper;              ///< "a-fem"
  bool is_quick = false;          ///< paper: small meshes
  int repetitions = 0;            ///< 0: 5, or as a paper's file gives
  bool reproducible = false;
  bool iterations_only = false;
  std::vector<std::string> preconditioners;
  std::vector<std::string> colorings;
  std::string output;  ///< directory for tables and charts; empty: none
  std::string command; ///< the whole command line
  int threads = 0;
  int processes = 0;        ///< scaling: maximum number; 0: the number of processors or GPUs of the machine
  std::string figures_file; ///< scaling: as in driver::BenchOptions
  int copies = 1;           ///< scaling: as in driver::BenchOptions
};

/// Arguments of `compare`: runs a case with several backends and strategies, or compares the results of two runs.
struct CompareArguments {
  CaseArguments input;               ///< its file is the first of `subjects`
  std::vector<std::string> subjects; ///< a case, or two output directories
  std::vector<std::string> backends;
  std::vector<std::string> strategies;
  bool full = false;      ///< prints all tables
  double tolerance = -1.; ///< for results; negative: the default
};

/// Runs a case. `argv`: the whole command line, used to start more processes.
int run(const CaseArguments& arguments, bool dry_run, const char* const* argv);
int compare(const CompareArguments& arguments);
int bench(const BenchArguments& arguments);
/// Writes the mesh to `path`; if it is empty, lists the groups of the mesh.
int mesh(const CaseArguments& arguments, const std::string& path, bool lists);
/// Writes a problem file of FEMM as a case and its geometry into a directory.
int import_problem(const std::string& path, const std::string& directory);
/// Draws one picture of an output directory.
int plot(const io::pictures::PlotRequest& request);
/// Writes report.html of output directories.
int report(const std::vector<std::string>& directories);
int info();

} // namespace tessera::app

#endif
