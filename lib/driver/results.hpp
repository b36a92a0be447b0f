// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_RESULTS_HPP
#define TESSERA_DRIVER_RESULTS_HPP

/// \file
/// Results of a run for its report and summary; host data, without Kokkos.

#include "comm/communicator.hpp"
#include "core/error.hpp"
#include "core/kokkos_ext/runtime.hpp"
#include "driver/solve_report.hpp"
#include "io/output/findings.hpp"

#include <optional>
#include <string>
#include <vector>

namespace tessera::driver {

using io::QuantityValue;

/// Cost of a matrix, or of its replacement, on a new mesh.
struct SetupCost {
  std::string strategy;
  double symbolic = 0.;       ///< s: pattern, lists or colours
  double numeric = 0.;        ///< s: values
  std::size_t peak_bytes = 0; ///< above that of the problem
};

/// A solution of a run with adaptive refinement.
struct AdaptiveRound {
  std::int64_t n_elements = 0;
  std::int64_t n_unknowns = 0;
  double estimated_error = 0.;           ///< relative, in the energy norm
  int iterations = 0;                    ///< of linear solvers
  std::map<std::string, double> seconds; ///< of the phases of this round
  std::vector<SetupCost> setups;         ///< with mesh.adapt.compare_setup
};

/// A phase in several processes.
struct ProcessTimes {
  double slowest = 0.; ///< s, of the slowest process
  double mean = 0.;    ///< s, mean over the processes with the phase
  double largest_peak_bytes = 0.;
};

/// A step of time.
struct TimeStep {
  int number = 1;
  int n_steps = 1;  ///< of all; 0: not known before the last one
  double from = 0.; ///< s
  double to = 0.;   ///< s
  bool is_last = true;
  bool is_output = false; ///< with output.times: whether fields are requested at its end
};

/// A column of a probe's table, at the last time.
struct ProbeColumn {
  std::string probe;
  std::string name; ///< with its unit: "potential [V]"
  std::vector<double> values;
};

/// All results of a run, for report and console.
struct Results {
  ProcessSummary processes;
  std::vector<ProcessTimes> process_times; ///< of the merged phases, with several processes
  double estimated_bytes = 0.;             ///< peak of memory
  ProblemSummary problem;
  SolveReport solve;                 ///< solver: that of the last time step
  TimeStep step;                     ///< the last one; a steady problem is one step
  int iterations = 0;                ///< in all linear systems of all time steps
  std::vector<AdaptiveRound> rounds; ///< with mesh.adapt
  std::vector<io::ResidualHistory> histories;
  std::vector<ProbeColumn> probes;
  io::Findings findings; ///< quantities, matrices, errors, time steps; those of the above are added for the report
  std::vector<std::string> missed; ///< sentences on expected quantities that were missed; these are also among the
                                   ///< notes
  /// Sentences on results that cannot be used although the solver has converged: numbers that are not finite,
  /// quantities that could not be computed. The run ends as a numerical failure.
  std::vector<std::string> failures;
  ErrorKind failure_kind = ErrorKind::numerical; ///< of the exit code
  int ended_by_signal = 0; ///< number of the signal after which no further time step was begun; 0: none
  std::vector<std::string> notes;
};

/// Does work, collective on `world`, whose errors must not prevent the report from being written: they are added to the
/// failures. With several processes one may fail alone, while the others wait for it in the middle of the work or
/// continue without it: such an error ends the run.
template <class Work> void keep_failure(const comm::Communicator& world, Results& results, const Work& work) {
  std::optional<Error> failure;
  try {
    work();
  } catch (const comm::UnsharedError&) {
    throw;
  } catch (const std::exception& error) {
    failure.emplace(kind_of(error), message_of(error));
  }
  world.require_shared(failure);
  if (failure) {
    results.failures.push_back(failure->what());
    results.failure_kind = failure->kind();
  }
}

} // namespace tessera::driver

#endif
