// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_SESSION_HPP
#define TESSERA_DRIVER_SESSION_HPP

#include "core/kokkos_ext/runtime.hpp"
#include "driver/context.hpp"
#include "driver/plan/threads.hpp"
#include "io/imported_mesh.hpp"

#include <optional>
#include <string>
#include <vector>

namespace tessera::driver {

/// Number of the GPU for this process, where a run has several; -1 where it has one, or where there is no GPU. More
/// processes on a machine than it has GPUs are an error of kind input if a backend of them is asked for.
int device_of_process(const comm::Communicator& world, const std::vector<std::string>& backends);

/// A note where the input sets a number of threads that none of the backends takes.
std::vector<std::string> idle_threads_notes(const io::Case& input, const std::vector<std::string>& backends);

/// Kokkos for one run, unless it runs already. Errors of the device or of the threads come before the mesh is read,
/// wherever the number of threads does not depend on the size of the mesh.
class KokkosSession {
public:
  /// Starts Kokkos, except where one of the backends is openmp and the number of threads is left to the problem's size.
  /// What there is to say about threads joins the notes. `home`: where Kokkos is kept beyond this object.
  KokkosSession(const io::Case& input, const std::vector<std::string>& backends, Context& context,
                std::optional<Runtime>* home = nullptr);

  /// Starts it now if it does not run yet; to be called before any work on a backend.
  void start(const io::ImportedMesh& imported);

  /// Threads of the backend openmp; count 0 where there is none, or where Kokkos ran already.
  const ThreadChoice& threads() const { return threads_; }

private:
  void launch(const ThreadChoice& threads);

  Context& context_;
  int device_ = -1; ///< of this process, where there are several
  HostThreads host_;
  ThreadChoice threads_;
  std::optional<Runtime> own_runtime_;
  std::optional<Runtime>& runtime_;
};

} // namespace tessera::driver

#endif
