// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_BENCH_PAPERS_PAPER_HPP
#define TESSERA_DRIVER_BENCH_PAPERS_PAPER_HPP

/// \file
/// The experiments of a paper, as data: benchmarks, and the paper's values for them.

#include "driver/driver.hpp"
#include "io/pictures/reports/paper_page.hpp"

#include <functional>
#include <string>
#include <vector>

namespace tessera::driver {

/// One benchmark of a paper.
struct Experiment {
  std::string name;    ///< of its folder of tables: "table-1"
  std::string command; ///< that repeats it alone
  std::string mesh;    ///< file of a PaperMesh; empty: that of the cases
  BenchOptions options;
  std::function<std::vector<io::Case>()> read_inputs; ///< for the options, once its mesh is there
  io::pictures::PaperSection section;                 ///< title, source and published values
};

/// A mesh that several experiments share, made once.
struct PaperMesh {
  std::string file; ///< in the output directory; one that is there already is taken
  io::Case input;
};

struct Paper {
  io::pictures::PaperFacts facts;
  std::string figures; ///< of the paper, over the degree and the arithmetic intensity of all experiments; empty: none
  std::vector<PaperMesh> meshes;
  std::vector<Experiment> experiments;
};

struct PaperOptions {
  std::string backend;
  std::string output;
  std::string refine;    ///< replaces the refinements of all experiments that refine: "0..2"; empty: as in the file
  bool is_quick = false; ///< with the small meshes of `quick`, one repetition
  int repetitions = 0;   ///< 0: as in the file
};

/// The description of a paper: of inputs/papers/NAME/paper.yaml in the current or installed folder, or of a file.
std::string find_paper(const std::string& name);

/// Reads the experiments and their cases. Throws (kind input), with file and line, for unknown keys and wrong values.
Paper read_paper(const std::string& file, const PaperOptions& options);

/// Runs all experiments, each with its tables and charts in a folder of the output directory, and writes paper.html
/// there; returns the exit code. Kokkos must be running.
int run_paper(Paper paper, const PaperOptions& options, const comm::Communicator& world);

/// "2" or "0..5": the numbers of a range of refinements; empty for an empty text. `what` begins messages.
std::vector<int> refinements_of(const std::string& text, const std::string& what);

} // namespace tessera::driver

#endif
