// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_SESSION_HPP
#define TESSERA_DRIVER_SESSION_HPP

#include "core/kokkos_ext/runtime.hpp"
#include "driver/context.hpp"
#include "driver/plan/threads.hpp"
#include "io/mesh_files/imported_mesh.hpp"

#include <optional>
#include <string>
#include <vector>

namespace tessera::driver {

/// Index of the GPU for this process if a run has several processes; -1 for a single process, or without a GPU. Throws
/// an error of kind input if a GPU backend is requested and there are more processes on a machine than GPUs.
int device_of_process(const comm::Communicator& world, const std::vector<std::string>& backends);

/// Kokkos for one run, unless it is running already. Errors of the device or of the threads are reported before the
/// mesh is read if the number of threads does not depend on the size of the mesh.
class KokkosSession {
public:
  /// Starts Kokkos, unless one of the backends is openmp and the number of threads depends on the problem's size. Notes
  /// about threads are added to the context. `home`: owner of Kokkos if it must outlive this object.
  KokkosSession(const io::Case& input, const std::vector<std::string>& backends, Context& context,
                std::optional<Runtime>* home = nullptr);

  /// Starts Kokkos now unless it is running; call before any work on a backend.
  void start(const io::ImportedMesh& imported);

  /// Threads of the backend openmp; count 0 if it is not used, or if Kokkos was running already.
  const ThreadChoice& threads() const { return threads_; }

private:
  void launch(const ThreadChoice& threads);

  Context& context_;
  int device_ = -1; ///< of this process, if there are several
  HostThreads host_;
  ThreadChoice threads_;
  std::optional<Runtime> own_runtime_;
  std::optional<Runtime>& runtime_;
};

} // namespace tessera::driver

#endif
