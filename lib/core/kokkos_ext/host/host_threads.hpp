// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_CORE_KOKKOS_EXT_HOST_HOST_THREADS_HPP
#define TESSERA_CORE_KOKKOS_EXT_HOST_HOST_THREADS_HPP

/// \file
/// Sets up the threads of the host's parallel backend before Kokkos starts.

#include <string>
#include <vector>

namespace tessera {

/// Maximum number of threads of this version of Kokkos, which writes past its tables if there are more.
int max_host_threads();

/// Threads as limited by the machine and requested by the environment.
struct HostThreads {
  int limit = 1;                  ///< by Kokkos and by OMP_THREAD_LIMIT
  int processors = 1;             ///< processors that this process may use
  int requested = 0;              ///< by the environment, at most `limit`; 0: none requested
  std::string source;             ///< environment variable of the request
  std::vector<std::string> notes; ///< notes on requests that cannot be met

  /// The requested number, else one thread per processor.
  int standard() const;
};

/// Number of processors of this machine, including those that this process may not use.
int processors_of_machine();

/// Reads KOKKOS_NUM_THREADS, then OMP_NUM_THREADS ("4", or "4,2" for nested levels, of which the first is used). A
/// build without a parallel host backend has one thread.
HostThreads host_threads();

/// Makes OpenMP use exactly `count` threads in parallel regions: Kokkos relies on this number without checking it.
/// Throws an error of kind input if `count` exceeds the limit, and of kind resource if the system cannot create that
/// many threads (number of processes, memory for stacks), in which case OpenMP would end the program.
void prepare_host_threads(int count);

} // namespace tessera

#endif
