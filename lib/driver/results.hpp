// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_RESULTS_HPP
#define TESSERA_DRIVER_RESULTS_HPP

/// \file
/// Results of a run for its report and summary; host data, without Kokkos.

#include "assembly/coloring_summary.hpp"
#include "comm/communicator.hpp"
#include "core/error.hpp"
#include "core/kokkos_ext/runtime.hpp"
#include "io/output/convergence_file.hpp"
#include "solvers/multigrid/level_summary.hpp"
#include "solvers/results.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tessera::driver {

/// Counts and names of a problem, for reports.
struct ProblemSummary {
  int dimension = 0;
  int largest_local_steps = 1; ///< of an element within a time step
  int smallest_order = 1;      ///< degree of an element
  int largest_order = 1;
  std::int64_t n_nodes = 0; ///< of the mesh
  std::int64_t n_elements = 0;
  std::int64_t n_facets = 0;
  std::int64_t n_unknowns = 0;
  std::int64_t n_fixed = 0;
  std::vector<std::string> region_names;
  std::vector<std::string> boundary_names;
};

/// Outcome of the solver.
struct SolverOutcome {
  solvers::PcgResult linear;                      ///< nonlinear problems: of the last linear system
  std::optional<solvers::NewtonResult> nonlinear; ///< for problems with B-H curves or radiation
  std::vector<solvers::LevelSummary> levels;      ///< of preconditioner multigrid, finest first
  std::vector<io::ResidualHistory> histories;     ///< of Newton's method and its linear systems, or of the single
                                                  ///< system
  /// Why Jacobi replaced multigrid chosen by `auto` or, with dg, block Jacobi replaced multigrid; else empty.
  std::string fallback;

  bool converged() const {
    return nonlinear ? nonlinear->converged() : linear.status == solvers::SolverStatus::converged;
  }
  /// Iterations in all linear systems.
  int iterations() const { return nonlinear ? static_cast<int>(nonlinear->linear_iterations) : linear.iterations; }
  const std::string& message() const { return nonlinear ? nonlinear->message : linear.message; }
};

/// Host data on assembly and solver.
struct SolveReport {
  assembly::ColoringSummary coloring;
  std::int64_t n_matrix_entries = 0;   ///< 0 without an assembled matrix
  std::size_t assembly_peak_bytes = 0; ///< above that of the problem
  SolverOutcome solver;
  double nonlinear_seconds = 0.; ///< total of Newton's method
  double assembly_share = 0.;    ///< fraction of assembly in it
  /// Checksums of a reproducible run: "matrix", "right_hand_side" and "solution" (nodal values; with dg all
  /// coefficients of the last time step) as hexadecimal numbers.
  std::map<std::string, std::string> checksums;
};

/// A named number of the results with its unit.
struct QuantityValue {
  std::string name;
  double value = 0.;
  std::string unit;
  std::vector<double> at = {}; ///< m, location; empty: none
  std::string from = {};       ///< for fluxes through interfaces: region that a positive flux leaves
  std::string towards = {};    ///< region that it enters
};

/// Quantities of several objects of one kind, as a table with a row for each.
struct QuantityTable {
  std::string name;   ///< name of its file, without the extension: "regions"
  std::string member; ///< header of their names: "region"
  std::vector<std::string> members;
  std::vector<std::string> columns;        ///< with their units
  std::vector<std::vector<double>> values; ///< [member][column]; NaN: none
};

/// A matrix over conductors or coils, in two forms.
struct QuantityMatrix {
  std::string name;                        ///< "capacitance_matrix"
  std::string form;                        ///< of `values`: "maxwell"
  std::string unit;                        ///< "F/m"
  std::string second_name;                 ///< "mutual_capacitance"
  std::string second_form;                 ///< "mutual"
  std::string second_unit;                 ///< "F/m"
  std::string of;                          ///< kind of the members: "conductors"
  std::vector<std::string> members;        ///< rows and columns
  std::vector<std::string> ground;         ///< groups held at zero
  std::vector<std::vector<double>> values; ///< as computed, column by column
  std::vector<std::vector<double>> second;
  double asymmetry = 0.; ///< largest entry of |M - M^T| over that of |M|
  int iterations = 0;    ///< of all solves
  int together = 1;      ///< maximum number of right-hand sides solved together
  double seconds = 0.;   ///< of all solves
};

/// A time step.
struct StepSummary {
  double from = 0.; ///< s
  double to = 0.;   ///< s
  int iterations = 0;
  double relative_residual = 0.;
  bool assembled = true; ///< false: the matrix of the previous step was used
};

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

/// Distribution of a run over several processes.
struct ProcessSummary {
  int number = 1;
  std::string transport;     ///< name of the transport, as in comm/transport.hpp
  double smallest_part = 0.; ///< number of owned unknowns
  double largest_part = 0.;
  double largest_halo = 0.;        ///< values that a process receives for a product
  std::vector<ProcessTimes> times; ///< of the merged phases
};

/// All results of a run, for report and console.
struct Results {
  std::string device;
  ProcessSummary processes;
  ProblemSummary problem;
  SolveReport solve; ///< solver: that of the last time step
  std::vector<StepSummary> steps;
  std::vector<AdaptiveRound> rounds; ///< with mesh.adapt
  std::vector<io::ResidualHistory> histories;
  std::vector<QuantityValue> quantities;
  std::vector<QuantityMatrix> matrices;
  std::vector<QuantityTable> tables;
  std::map<std::string, double> errors;
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
