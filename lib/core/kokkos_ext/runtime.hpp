// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_CORE_KOKKOS_EXT_RUNTIME_HPP
#define TESSERA_CORE_KOKKOS_EXT_RUNTIME_HPP

/// \file
/// Initialises and finalises Kokkos.

#include "core/error.hpp"

#include <exception>

namespace tessera {

/// Settings that hold for all of a process, for a program that owns it: memory that is freed, on the host and in the
/// device driver's pool, is kept for the next arrays, and the ledger counts what Kokkos allocates (core/memory.hpp;
/// without it reports have no peaks of memory). The library does nothing of the kind by itself: a program calls this
/// once, and it takes effect at once where Kokkos runs, or else when a Runtime starts it.
void own_process();

/// Initialises Kokkos; finalises when it goes out of scope. Kokkos' own environment variables (KOKKOS_NUM_THREADS,
/// KOKKOS_DEVICE_ID, tools) apply if no argument is given. Throws an error of kind resource if Kokkos or its threads
/// cannot be started.
class Runtime {
public:
  /// `n_threads` of the host backend; 0: as the environment says, or else one for each processor. `device`: number of
  /// the GPU; negative: as the environment says, or else the first.
  explicit Runtime(int n_threads = 0, int device = -1);
  ~Runtime();
  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;
};

/// Number of GPUs that this process sees; 0 in a build without them. May be called before Kokkos starts.
int device_count();

/// Kind of an exception: exceptions of Kokkos and of the vendors' runtimes (out of memory, device failure) are
/// classified by their message text.
ErrorKind kind_of(const std::exception& error);

/// What is printed of an exception: the sentence of an Error, "out of memory.", and the text of a failing device as it
/// is; of all others, which are faults of the program, that they are an internal error. Without a library's traceback.
std::string message_of(const std::exception& error);

} // namespace tessera

#endif
