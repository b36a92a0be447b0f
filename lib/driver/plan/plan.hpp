// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_PLAN_PLAN_HPP
#define TESSERA_DRIVER_PLAN_PLAN_HPP

/// \file
/// Decisions about a run, made when the counts of its mesh are known, before anything large is made.

#include "comm/communicator.hpp"
#include "driver/plan/memory_estimate.hpp"
#include "driver/plan/preconditioner_choice.hpp"
#include "driver/plan/strategy_choice.hpp"
#include "io/input/case.hpp"
#include "io/mesh_files/imported_mesh.hpp"
#include "mesh/refine/coarser_meshes.hpp"

#include <functional>
#include <string>

namespace tessera::driver {

/// Data of a run that are known before its mesh is made.
struct ProblemSize {
  MemoryRequest memory;
  Workload work;
  PreconditionerChoice preconditioner; ///< memory and work are computed with it
};

/// From the input and the imported mesh (of a box only its dimension; the counts follow from the input). Throws an
/// error of kind resource for counts that the program cannot number.
ProblemSize problem_size(const io::Case& input, const io::ImportedMesh& imported, bool on_gpu, int n_processes = 1);
/// For a mesh with such counts, refined uniformly `refine` times.
ProblemSize problem_size(const io::Case& input, const MeshCounts& mesh, int refine, bool is_curved, bool on_gpu,
                         int n_processes = 1);

/// How a problem is solved. Made once, then only read.
struct Plan {
  assembly::Strategy strategy = assembly::Strategy::row_gather;
  std::string reason; ///< of `auto`; empty if the input names the strategy
  graph::ColoringMethod coloring = graph::ColoringMethod::node_claims;
  bool keep_colors = false; ///< for the file of fields
  bool reproducible = false;
  FormKind form = FormKind::closed;
  io::SolverInput solver;              ///< of the input, with `auto` replaced by a preconditioner
  std::string preconditioner_reason;   ///< of `auto`; empty if the input names the preconditioner
  double estimated_bytes = 0.;         ///< peak of the run
  int columns = 1;                     ///< right-hand sides for a matrix of capacitances solved together
  bool takes_coarser_elements = false; ///< multigrid may assemble its second level from coarser elements

  /// The data of coarser meshes that the mesh must store.
  mesh::CoarserMeshes coarser_meshes() const;
  /// Whether Jacobi may replace a preconditioner that cannot be made.
  bool may_fall_back() const {
    return !preconditioner_reason.empty() && solver.preconditioner == io::Preconditioner::multigrid;
  }
};

/// The input's strategy. For `auto`: row-gather in reproducible runs, so that every machine makes the same choice;
/// otherwise the first of preferred_strategies() that the input allows and that fits into `free` bytes (negative:
/// unknown, everything fits), or into execution.memory_limit instead. Throws an error of kind resource if the strategy,
/// or every one, does not fit, stating what each would need and which fit. If preconditioner `auto` chose multigrid and
/// it does not fit, the plan uses Jacobi. Fewer right-hand sides are solved together if more do not fit.
Plan make_plan(const io::Case& input, const ProblemSize& size, double free);

/// The plan with a given strategy, whatever the input's; nothing is checked.
Plan plan_by(const io::Case& input, const ProblemSize& size, assembly::Strategy strategy);

/// Throws if a reproducible run uses a strategy that does not add in a fixed order. Does nothing for other runs.
void check_reproducible(const io::Case& input, assembly::Strategy strategy);
/// The same for a dg strategy.
void check_reproducible(const io::Case& input, assembly::dg::Strategy strategy);
/// The same for the strategy named by the input, of either kind; `auto` always finds one.
void check_reproducible(const io::Case& input);

/// Refuses a strategy, except `auto`, that is incompatible with the input's solver or whose bits a reproducible run may
/// not have.
void check_strategy(const io::Case& input, assembly::Strategy strategy);

/// Refuses what several processes cannot do, and more of them than a box has unknowns for. Needs only the input:
/// reported before processes are started.
void check_processes(const io::Case& input, int n_processes);
/// Refuses more processes than a mesh from a file has unknowns, or dg elements, for.
void check_processes(const io::Case& input, const io::ImportedMesh& imported, int n_processes);
/// Refuses a dg strategy that several processes cannot use.
void check_processes(assembly::dg::Strategy strategy, int n_processes);

/// Refuses a dg case for a command that supports continuous elements only.
void require_cg(const io::Case& input, const std::string& command);

/// Refuses coupled problems, and steps of time with continuous elements, for a command that does not support them.
void require_steady(const io::Case& input, const std::string& command);

/// Refuses a case with adaptive refinement for a command that supports one mesh only.
void require_no_adaptation(const io::Case& input, const std::string& command);

/// The part of `free` bytes of memory (negative: unknown) that each process may take: `on_host` those of a machine
/// share it. The least of all processes, so that all make the same plan. Collective.
double memory_of_each(const comm::Communicator& world, double free, bool on_host);

/// Throws an error of kind resource if `bytes` exceeds `free` (negative: unknown) or, if given, execution.memory_limit.
/// `what` begins its text: "This mesh".
void require_memory(const io::Case& input, double bytes, double free, const std::string& what);

/// "row-gather 1.5 GiB, atomic 1.2 GiB, ...", smallest first: the estimates of the strategies for which `passes` is
/// true; or "none".
std::string needs_text(const ProblemSize& size, const std::function<bool(assembly::Strategy, double bytes)>& passes);

} // namespace tessera::driver

#endif
