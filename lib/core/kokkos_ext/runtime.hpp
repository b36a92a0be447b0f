// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_CORE_KOKKOS_EXT_RUNTIME_HPP
#define TESSERA_CORE_KOKKOS_EXT_RUNTIME_HPP

/// \file
/// Initialises and finalises Kokkos.

#include "core/error.hpp"

#include <exception>

namespace tessera {

/// Process-wide settings, for a program that owns its process: freed memory, on the host and in the device driver's
/// pool, is kept for later arrays, and the ledger counts the memory that Kokkos allocates (core/memory.hpp; without it
/// reports have no memory peaks). The library never does this by itself: a program calls this once. It takes effect at
/// once if Kokkos runs, else when a Runtime starts it.
void own_process();

/// Initialises Kokkos and finalises it at the end of the object's lifetime. Kokkos' environment variables
/// (KOKKOS_NUM_THREADS, KOKKOS_DEVICE_ID, tools) apply if no argument is given. Throws an error of kind resource if
/// Kokkos or its threads cannot be started.
class Runtime {
public:
  /// `n_threads` of the host backend; 0: from the environment, else one per processor. `device`: number of the GPU;
  /// negative: from the environment, else the first.
  explicit Runtime(int n_threads = 0, int device = -1);
  ~Runtime();
  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;
};

/// Number of GPUs visible to this process; 0 in a build without GPU support. May be called before Kokkos starts.
int device_count();

/// Kind of an exception: exceptions of Kokkos and of the vendors' runtimes (out of memory, device failure) are
/// classified by their message text.
ErrorKind kind_of(const std::exception& error);

/// Text to print for an exception: the message of an Error, "out of memory.", or the text of a failing device
/// unchanged; any other exception is a fault of the program and is reported as an internal error. Tracebacks of
/// libraries are removed.
std::string message_of(const std::exception& error);

} // namespace tessera

#endif
