// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_STUDY_SIMULATION_HPP
#define TESSERA_DRIVER_STUDY_SIMULATION_HPP

/// \file
/// One case on one execution space, from the mesh to the results.

#include "assembly/assembler.hpp"
#include "core/timer.hpp"
#include "driver/problem/problem_binding.hpp"
#include "io/console.hpp"
#include "io/imported_mesh.hpp"
#include "io/output_directory.hpp"
#include "physics/derived.hpp"
#include "solvers/newton.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tessera::driver {

/// A named number of the results with its unit.
struct Quantity {
  std::string name;
  double value = 0.;
  std::string unit;
};

/// What a simulation leaves for the report and the files; host data only.
struct Results {
  int dimension = 0;
  std::int64_t n_nodes = 0;
  std::int64_t n_elements = 0;
  std::int64_t n_facets = 0;
  std::int64_t n_unknowns = 0;
  std::int64_t n_fixed = 0;
  std::int64_t n_matrix_entries = 0; ///< 0 without an assembled matrix
  std::vector<std::string> region_names;
  std::vector<std::string> boundary_names;
  std::string device;
  assembly::Strategy strategy = assembly::Strategy::row_gather;
  std::string strategy_reason; ///< why `auto` took it
  double estimated_bytes = 0.; ///< peak of the run, before it began
  assembly::ColoringSummary coloring;
  solvers::PcgResult solver;                      ///< nonlinear problems: of the last linear system
  std::optional<solvers::NewtonResult> nonlinear; ///< of problems with B-H curves
  double nonlinear_seconds = 0.;                  ///< all of Newton's method
  double assembly_share = 0.;                     ///< share of assembly in it

  bool converged() const {
    return nonlinear ? nonlinear->status == solvers::NewtonStatus::converged
                     : solver.status == solvers::PcgStatus::converged;
  }
  const std::string& solver_message() const { return nonlinear ? nonlinear->message : solver.message; }
  std::vector<Quantity> quantities;
  std::map<std::string, double> errors;
  /// Of a reproducible run: "matrix", "right_hand_side" and "solution" (nodal values) as hexadecimal numbers.
  std::map<std::string, std::string> checksums;
  bool expectations_met = true;
  /// Sentences on what cannot be used although the solver has converged: numbers that are not finite, quantities that
  /// could not be computed. The run ends as a numerical failure.
  std::vector<std::string> failures;
  ErrorKind failure_kind = ErrorKind::numerical; ///< of the exit code
  std::size_t assembly_peak_bytes = 0;           ///< above what the mesh and the dof map hold
  std::vector<std::string> notes;
};

/// What the phases of a run share.
struct Context {
  const io::Case& input;
  io::Console& console;
  PhaseLog& log;
  Results& results;
};

/// The mesh of a case in the memory of an execution space: read or made, checked, refined, ordered.
template <class ExecutionSpace, int Dim>
mesh::Mesh<Dim, typename ExecutionSpace::memory_space> prepare_mesh(const ExecutionSpace& exec,
                                                                    const io::ImportedMesh& imported, Context& context);

/// Runs the case and writes fields and probes into `output`, before quantities and
/// verification are computed: what goes wrong with these is told by `Results::failures`, not thrown, so that a report
/// can still be written. Instantiated for every space, dimension and order (simulation.cpp.in).
template <class ExecutionSpace, int Dim, int Order>
void simulate(const ExecutionSpace& exec, const io::ImportedMesh& imported, const io::OutputDirectory& output,
              Context& context);

} // namespace tessera::driver

#endif
