// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_SOLUTION_KEPT_RUN_HPP
#define TESSERA_DRIVER_SOLUTION_KEPT_RUN_HPP

/// \file
/// Data reused between the runs of a sweep.

#include "comm/transport.hpp"
#include "core/kokkos_ext/runtime.hpp"
#include "driver/driver.hpp"
#include "driver/solution/distribution.hpp"
#include "driver/solve.hpp"
#include "io/mesh_files/imported_mesh.hpp"

#include <memory>
#include <optional>
#include <string>

namespace tessera::driver {

/// What a run reuses of the previous one; each value includes all earlier ones in the list.
enum class Reuse {
  nothing,
  mesh,    ///< and, if the numbers of nodes agree, the solution as initial guess
  pattern, ///< with lists or colours and the levels of multigrid, whose values are recomputed
  matrix   ///< and the preconditioner: only right-hand sides differ
};

/// "mesh"
const char* to_string(Reuse reuse);

/// What the second run may reuse of the first according to the inputs. A pattern also requires problems of the same
/// structure (have_same_structure()), which their meshes show.
Reuse reusable(const io::Case& first, const io::Case& second);

/// Cases with the same mesh have the same text, and so have linear cases with the same matrix.
std::string mesh_signature(const io::Case& input);
std::string matrix_signature(const io::Case& input);

/// A problem with its solver on one backend.
struct KeptOnBackend {
  virtual ~KeptOnBackend() = default;
};
template <class ExecutionSpace> struct KeptProblem final : KeptOnBackend {
  PreparedMesh<typename ExecutionSpace::memory_space> mesh;
  Plan plan;
  std::unique_ptr<comm::Transport<ExecutionSpace>> transport; ///< with several processes
  std::unique_ptr<Problem<ExecutionSpace>> problem;
  std::optional<Distribution<ExecutionSpace>> distribution;
  std::unique_ptr<ProblemSolver<ExecutionSpace>> solver;
  linalg::ConstVector<ExecutionSpace> nodal;        ///< the last solution, if valid
  linalg::ConstVector<ExecutionSpace> nodal_before; ///< the solution before that on the same mesh
};

struct KeptRun {
  std::optional<Runtime> runtime; // destroyed last
  Reuse allowed = Reuse::nothing; ///< for the next run, to which it is passed
  Reuse taken = Reuse::nothing;   ///< by the last run
  /// Predicted ratio of the solution's next change to its last one: the initial guess of the next run is the last
  /// solution plus this ratio times its difference from the one before.
  double extrapolation = 0.;
  std::optional<io::ImportedMesh> imported;
  std::unique_ptr<KeptOnBackend> on_backend;

  /// The kept problem on a backend; all runs use the same.
  template <class ExecutionSpace> KeptProblem<ExecutionSpace>& on() {
    if (!on_backend)
      on_backend = std::make_unique<KeptProblem<ExecutionSpace>>();
    return dynamic_cast<KeptProblem<ExecutionSpace>&>(*on_backend);
  }
};

/// driver::run() with the data reused between runs of a sweep. `writes`: makes an output directory.
RunSummary run_with(KeptRun& kept, const io::Case& input, const RunOptions& options, bool writes);

} // namespace tessera::driver

#endif
