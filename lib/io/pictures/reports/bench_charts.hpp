// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_IO_PICTURES_REPORTS_BENCH_CHARTS_HPP
#define TESSERA_IO_PICTURES_REPORTS_BENCH_CHARTS_HPP

/// \file
/// Charts of the tables of the benchmark.

#include "io/output/bench_table.hpp"
#include "io/pictures/chart.hpp"

#include <string>
#include <vector>

namespace tessera::io::pictures {

constexpr int bench_chart_pixels = 1440; ///< width of the charts that a benchmark draws

struct BenchChart {
  std::string name; ///< "assembly-numeric-time": that of its file
  Chart chart;
};

/// Charts of a table over its column `over`: for each part of the work time, memory, rate, and shares of the copy
/// bandwidth and of the peak, as far as they are known for at least two sizes, with a curve for each problem and
/// method. `caption`: text below the titles.
std::vector<BenchChart> bench_charts(const BenchTable& table, const std::string& caption);

/// Results of the benchmark in a directory.
struct BenchResults {
  std::string directory;
  std::string caption;            ///< backend, device and commit
  std::vector<BenchTable> tables; ///< in the order of bench.yaml

  std::vector<BenchChart> charts() const;
};

/// Whether a directory has the results of a benchmark, and not of a run.
bool is_bench(const std::string& directory);

/// Throws (kind input) if bench.yaml or a table is damaged.
BenchResults read_bench_results(const std::string& directory);

/// Draws all charts of the directory as NAME.png; returns the paths.
std::vector<std::string> draw_bench_charts(const std::string& directory, int pixels);

} // namespace tessera::io::pictures

#endif
