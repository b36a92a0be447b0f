// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_BENCH_SCALING_RUNS_HPP
#define TESSERA_DRIVER_BENCH_SCALING_RUNS_HPP

#include "io/output/bench_table.hpp"

#include <string>
#include <vector>

namespace tessera::driver {

/// A case of `bench scaling`: a name of a box, or a file.
struct ScalingSubject {
  std::string option; ///< "--cases" or "--case"
  std::string name;
  bool is_box = true; ///< can grow with the number of processes
};

/// `bench scaling` as started by a user: starts 1, 2, 4, ... processes, which measure, and prints tables.
struct ScalingRuns {
  std::string program;
  std::vector<std::string> arguments; ///< of each process, after "bench scaling"
  std::vector<ScalingSubject> subjects;
  bool on_host = true;             ///< also measures as many threads of one process
  int most = 2;                    ///< maximum number of processes
  int threads = 1;                 ///< of each process
  std::string machine;             ///< text printed at the top
  double time_limit = 0;           ///< s, for the processes of one measurement
  io::BenchFiles* files = nullptr; ///< receives the tables
};

/// Returns the exit code: that of an input error if no measurement succeeded.
int run_scaling(const ScalingRuns& runs);

} // namespace tessera::driver

#endif
