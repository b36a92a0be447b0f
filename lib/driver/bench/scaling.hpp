// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_BENCH_SCALING_HPP
#define TESSERA_DRIVER_BENCH_SCALING_HPP

/// \file
/// Times of a case with several processes.

#include "assembly/dg/strategy.hpp"
#include "assembly/strategy.hpp"
#include "driver/context.hpp"
#include "driver/solve_report.hpp"
#include "io/input/yaml_reader.hpp"
#include "io/mesh_files/imported_mesh.hpp"
#include "io/output/bench_table.hpp"

#include <string>
#include <vector>

namespace tessera::driver {

/// A part of the work that all processes perform.
struct ScalingRow {
  std::string what;
  double slowest = 0.;  ///< s, the slowest process, median of the runs
  double mean = 0.;     ///< s, mean over the processes, likewise
  double waiting = 0.;  ///< fraction of the time in which processes wait for others before an exchange
  double messages = 0.; ///< fraction of the time of the exchanges themselves
  std::string note;
};

struct ScalingFigures {
  std::string title;     ///< the case and its counts
  std::string processes; ///< number, parts and transport
  std::vector<ScalingRow> rows;
};

/// "2 processes, messages by mpi, largest part 500 unknowns and 40 ghosts"
std::string text_of(const ProcessSummary& summary);

/// Adds a row with the times of `n_processes` processes to a table with columns for all that a ScalingRow has.
void add_scaling_row(io::BenchTable& table, const std::string& case_name, const ScalingRow& row, int n_processes);

struct ScalingRequest {
  std::vector<assembly::Strategy> strategies;
  std::vector<assembly::dg::Strategy> dg_strategies;
  int repetitions = 5;
};

/// Measures a case with the processes of its context. Collective; all processes get the same figures.
template <class ExecutionSpace>
ScalingFigures measure_scaling(const ExecutionSpace& exec, const std::string& name, const io::ImportedMesh& imported,
                               Context& context, const ScalingRequest& request);

/// A box with a problem to measure: "tri-p1-1000", "tet-p2-64", "dg-tri-p3-100", "tri-p1-500+1"; throws on other names.
io::Case scaling_case(const std::string& name, const std::string& backend, const std::vector<io::Override>& overrides);

/// Makes a box `copies` times as long in its first direction, with correspondingly more cells and agglomerates. Throws
/// if the mesh is not a box.
void lengthen(io::Case& input, int copies);

/// Files by which processes pass their figures to the one that started them.
void write_figures(const std::string& path, const std::vector<ScalingFigures>& figures);
std::vector<ScalingFigures> read_figures(const std::string& path);

} // namespace tessera::driver

#endif
