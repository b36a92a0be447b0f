// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_SOLVE_REPORT_HPP
#define TESSERA_DRIVER_SOLVE_REPORT_HPP

/// \file
/// Facts about a problem, its distribution and its solution; host data, without Kokkos.

#include "assembly/coloring_summary.hpp"
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
  std::string elements = "elements"; ///< what they are called: "triangles"
  int largest_local_steps = 1;       ///< of an element within a time step
  int smallest_order = 1;            ///< degree of an element
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
  std::string preconditioner; ///< the one that was used: where the chosen one failed, that which replaced it
  std::string replaced;       ///< sentence on what it replaced; else empty
  std::string fallback;       ///< why it replaced that; else empty

  bool converged() const {
    return nonlinear ? nonlinear->converged() : linear.status == solvers::SolverStatus::converged;
  }
  /// Iterations in all linear systems.
  int iterations() const { return nonlinear ? static_cast<int>(nonlinear->linear_iterations) : linear.iterations; }
  const std::string& message() const { return nonlinear ? nonlinear->message : linear.message; }
};

/// Host data on assembly and solver.
struct SolveReport {
  std::string strategy;
  std::string strategy_reason;       ///< of `auto`; empty if the input names the strategy
  std::string preconditioner_reason; ///< the same for the preconditioner, or why another one replaced it
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

/// Distribution of a run over several processes.
struct ProcessSummary {
  int number = 1;
  std::string transport;     ///< name of the transport, as in comm/transport.hpp
  double smallest_part = 0.; ///< number of owned unknowns
  double largest_part = 0.;
  double largest_halo = 0.; ///< values that a process receives for a product
};

} // namespace tessera::driver

#endif
