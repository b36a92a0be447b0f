// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_SOLUTION_KEPT_RUN_HPP
#define TESSERA_DRIVER_SOLUTION_KEPT_RUN_HPP

/// \file
/// What the runs of a sweep leave to each other.

#include "comm/transport.hpp"
#include "core/kokkos_ext/runtime.hpp"
#include "driver/driver.hpp"
#include "driver/solution/distribution.hpp"
#include "driver/solve.hpp"
#include "io/imported_mesh.hpp"

#include <memory>
#include <optional>
#include <string>

namespace tessera::driver {

/// What a run takes over from the one before, each with all that comes earlier in the list.
enum class Reuse {
  nothing,
  mesh,    ///< and, where the numbers of nodes are the same, the solution as initial guess
  pattern, ///< with lists or colours and the levels of multigrid, whose values are renewed
  matrix   ///< and the preconditioner: other right-hand sides
};

/// "mesh"
const char* to_string(Reuse reuse);

/// What the input alone allows the second run to take over from the first. A pattern also needs problems of the same
/// structure (have_same_structure()), which their meshes show.
Reuse reusable(const io::Case& first, const io::Case& second);

/// Cases with the same mesh have the same text, and so have those with the same matrix, if they are linear.
std::string mesh_signature(const io::Case& input);
std::string matrix_signature(const io::Case& input);

/// A problem with its solver on one backend.
struct KeptOnBackend {
  virtual ~KeptOnBackend() = default;
};
template <class ExecutionSpace> struct KeptProblem final : KeptOnBackend {
  PreparedMesh<typename ExecutionSpace::memory_space> mesh;
  Plan plan;
  std::unique_ptr<comm::Transport<ExecutionSpace>> transport; ///< of several processes
  std::unique_ptr<Problem<ExecutionSpace>> problem;
  std::optional<Distribution<ExecutionSpace>> distribution; ///< of several processes
  std::unique_ptr<ProblemSolver<ExecutionSpace>> solver;
  linalg::ConstVector<ExecutionSpace> nodal;        ///< the last solution, if it is one
  linalg::ConstVector<ExecutionSpace> nodal_before; ///< the one before that on the same mesh
};

struct KeptRun {
  std::optional<Runtime> runtime; // goes last
  Reuse allowed = Reuse::nothing; ///< for the next run, which is told so
  Reuse taken = Reuse::nothing;   ///< by the last run
  /// How much of its last change the solution is expected to repeat: the initial guess of the next run is the last
  /// solution plus this times its difference to the one before.
  double extrapolation = 0.;
  std::optional<io::ImportedMesh> imported;
  std::unique_ptr<KeptOnBackend> on_backend;

  /// What is kept on a backend; all runs are on the same.
  template <class ExecutionSpace> KeptProblem<ExecutionSpace>& on() {
    if (!on_backend)
      on_backend = std::make_unique<KeptProblem<ExecutionSpace>>();
    return dynamic_cast<KeptProblem<ExecutionSpace>&>(*on_backend);
  }
};

/// driver::run() with what runs of a sweep leave to each other. `writes`: an output directory.
RunSummary run_with(KeptRun& kept, const io::Case& input, const RunOptions& options, bool writes);

} // namespace tessera::driver

#endif
