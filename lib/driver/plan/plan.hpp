// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_PLAN_PLAN_HPP
#define TESSERA_DRIVER_PLAN_PLAN_HPP

/// \file
/// What is decided about a run once the counts of its mesh are known, and before anything large is made.

#include "driver/plan/memory_estimate.hpp"
#include "driver/plan/preconditioner_choice.hpp"
#include "driver/plan/strategy_choice.hpp"
#include "io/case.hpp"
#include "io/imported_mesh.hpp"
#include "mesh/coarser_meshes.hpp"

#include <functional>
#include <string>

namespace tessera::driver {

/// What is known of a run before its mesh is made.
struct ProblemSize {
  MemoryRequest memory;
  Workload work;
  PreconditionerChoice preconditioner; ///< memory and work are those with it
};

/// From the input and the imported mesh (of a box: its dimension alone, the counts follow from the input). Counts that
/// the program cannot number are an error of kind resource.
ProblemSize problem_size(const io::Case& input, const io::ImportedMesh& imported, bool on_gpu, int n_processes = 1);
/// On a mesh of such counts, uniformly refined so many times.
ProblemSize problem_size(const io::Case& input, const MeshCounts& mesh, int refine, bool is_curved, bool on_gpu,
                         int n_processes = 1);

/// How a problem is solved. Made once, then only read.
struct Plan {
  assembly::Strategy strategy = assembly::Strategy::row_gather;
  std::string reason; ///< of `auto`; empty when the input names the strategy
  graph::ColoringMethod coloring = graph::ColoringMethod::node_claims;
  bool reproducible = false;
  FormKind form = FormKind::closed;
  io::SolverInput solver;              ///< of the input, but with a preconditioner in place of `auto`
  std::string preconditioner_reason;   ///< of `auto`; empty when the input names the preconditioner
  double estimated_bytes = 0.;         ///< peak of the run
  int columns = 1;                     ///< right-hand sides for a matrix of capacitances that are solved together
  bool takes_coarser_elements = false; ///< multigrid may assemble its second level from them

  /// What the mesh must know of the coarser meshes that it was refined from.
  mesh::CoarserMeshes coarser_meshes() const;
  /// Whether Jacobi takes the place of a preconditioner that cannot be made.
  bool may_fall_back() const {
    return !preconditioner_reason.empty() && solver.preconditioner == io::Preconditioner::multigrid;
  }
};

/// The input's strategy. For `auto`: row-gather in reproducible runs, so that every machine takes the same; otherwise
/// the first of preferred_strategies() that the input allows and that fits into `free` bytes (negative: unknown,
/// everything fits), for which execution.memory_limit may stand in. Throws when the strategy, or every one, does not
/// fit: an error of kind resource that tells what each would need and which fit. Where preconditioner `auto` chose
/// multigrid and it does not fit, the plan is that with Jacobi. Fewer right-hand sides are solved together where more
/// do not fit.
Plan make_plan(const io::Case& input, const ProblemSize& size, double free);

/// The case by a strategy, whatever the input says of it; nothing is checked.
Plan plan_by(const io::Case& input, const ProblemSize& size, assembly::Strategy strategy);

/// Reproducible runs allow only what adds in a fixed order; throws otherwise. Does nothing for other runs.
void check_reproducible(const io::Case& input, assembly::Strategy strategy);
/// The same for a strategy of dg.
void check_reproducible(const io::Case& input, assembly::dg::Strategy strategy);
/// The same for the strategy that the input names, of either kind; `auto` always finds one.
void check_reproducible(const io::Case& input);

/// Refuses a strategy, but `auto`, with which the input's solver does not work or whose bits a reproducible run may not
/// have.
void check_strategy(const io::Case& input, assembly::Strategy strategy);

/// Refuses what several processes cannot do, and more of them than a box has unknowns for. Needs nothing but the input:
/// told before processes are started.
void check_processes(const io::Case& input, int n_processes);
/// Refuses more processes than a mesh that was read has unknowns, or dg elements, for.
void check_processes(const io::Case& input, const io::ImportedMesh& imported, int n_processes);
/// Refuses a strategy of dg that several processes cannot use.
void check_processes(assembly::dg::Strategy strategy, int n_processes);

/// Refuses a case of dg where a command knows continuous elements only.
void require_cg(const io::Case& input, const std::string& command);

/// Refuses a case with refinement by error estimates where a command knows one mesh only.
void require_no_adaptation(const io::Case& input, const std::string& command);

/// Refuses what takes more than `free` bytes (negative: unknown) or, where it is given, execution.memory_limit: an
/// error of kind resource. `what` begins its text: "This mesh".
void require_memory(const io::Case& input, double bytes, double free, const std::string& what);

/// "row-gather 1.5 GiB, atomic 1.2 GiB, ...", least first: the estimates of the strategies that pass; or "none".
std::string needs_text(const ProblemSize& size, const std::function<bool(assembly::Strategy, double bytes)>& passes);

} // namespace tessera::driver

#endif
