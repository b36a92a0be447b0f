// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_APPS_TESSERA_COMMANDS_HPP
#define TESSERA_APPS_TESSERA_COMMANDS_HPP

/// \file
/// Subcommands of the program; each returns the exit code.

#include "io/pictures/plot.hpp"

#include <string>
#include <vector>

namespace tessera::app {

/// Arguments common to the commands that read a case. Empty or 0: not given.
struct CaseArguments {
  std::string file;
  std::vector<std::string> set; ///< "solver.method=pcg"
  std::string backend;
  std::string strategy;
  std::string output;
  int threads = 0;
  int processes = 0; ///< to start
  bool quiet = false;
};

struct BenchArguments {
  std::string what;
  std::string backend;
  std::vector<std::string> strategies;
  std::vector<std::string> cases;
  std::vector<std::string> files; ///< input files
  std::vector<std::string> set;   ///< keys of all of them
  int refine = -1;                ///< mesh.refine of all of them; -1: as they say
  int repetitions = 5;
  bool reproducible = false;
  bool iterations_only = false;
  std::vector<std::string> preconditioners;
  int threads = 0;
  int processes = 0;        ///< scaling: at most; 0: as many as the machine has processors or GPUs
  std::string figures_file; ///< scaling: as in driver::BenchOptions
  int copies = 1;           ///< likewise
};

/// Runs of a case by backends and strategies, or what two runs have left.
struct CompareArguments {
  CaseArguments input;               ///< its file is that of `subjects`
  std::vector<std::string> subjects; ///< a case, or two output directories
  std::vector<std::string> backends;
  std::vector<std::string> strategies;
  bool full = false;      ///< tables
  double tolerance = -1.; ///< of results; negative: the default
};

/// `argv`: the whole command line, for the processes that it asks for.
int run(const CaseArguments& arguments, bool dry_run, const char* const* argv);
int compare(const CompareArguments& arguments);
int bench(const BenchArguments& arguments);
/// Writes the mesh to `path`, or, with an empty one, lists its groups.
int mesh(const CaseArguments& arguments, const std::string& path, bool lists);
/// Makes one picture of an output directory.
int plot(const io::pictures::PlotRequest& request);
/// Makes report.html of output directories.
int report(const std::vector<std::string>& directories);
int info();

} // namespace tessera::app

#endif
