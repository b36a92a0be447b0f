// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_CORE_KOKKOS_EXT_HOST_THREADS_HPP
#define TESSERA_CORE_KOKKOS_EXT_HOST_THREADS_HPP

/// \file
/// Threads of the host's parallel backend, before Kokkos starts.

#include <string>
#include <vector>

namespace tessera {

/// Most threads that this version of Kokkos has room for; it writes past its tables with more.
int max_host_threads();

/// What the machine and the environment say about threads.
struct HostThreads {
  int limit = 1;                  ///< of Kokkos and of OMP_THREAD_LIMIT
  int processors = 1;             ///< that this process may run on
  int requested = 0;              ///< by the environment, at most `limit`; 0: by nothing
  std::string source;             ///< variable that requests them
  std::vector<std::string> notes; ///< requests that cannot be met

  /// As many as requested, or else one for each processor.
  int standard() const;
};

/// Reads KOKKOS_NUM_THREADS, then OMP_NUM_THREADS ("4", or "4,2" for nested levels, of which the first counts). A build
/// without a parallel host backend has one thread.
HostThreads host_threads();

/// Settles with OpenMP that parallel regions have `count` threads, neither more nor fewer: Kokkos relies on the number
/// without a check. Throws an error of kind input if `count` exceeds the limit, and of kind resource if the system
/// does not make so many threads (number of processes, memory for stacks), where OpenMP would end the program.
void prepare_host_threads(int count);

/// Makes OpenMP's threads wait for each other actively only for some microseconds before they sleep: on a busy machine
/// a thread that waits actively keeps the processor from the one it waits for. GCC's runtime reads this setting when
/// the program is loaded, so the program starts itself once more, with GOMP_SPINCOUNT set; call it before anything has
/// been written or read. Does nothing with another runtime, or where the user has set OMP_WAIT_POLICY or
/// GOMP_SPINCOUNT.
void shorten_active_waits();

} // namespace tessera

#endif
