// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/kokkos_ext/runtime.hpp"

#include "core/kokkos_ext/host_memory.hpp"
#include "core/memory.hpp"

#include <Kokkos_Core.hpp>

#include <cstring>
#include <new>

namespace tessera {

namespace {

// Kokkos' warnings concern the binding of threads, which a shared machine is better without.
void initialize(int n_threads) {
#if KOKKOS_VERSION < 30700
  Kokkos::InitArguments arguments;
  arguments.disable_warnings = true;
  if (n_threads > 0)
    arguments.num_threads = n_threads;
  Kokkos::initialize(arguments);
#else
  Kokkos::InitializationSettings settings;
  settings.set_disable_warnings(true);
  if (n_threads > 0)
    settings.set_num_threads(n_threads);
  Kokkos::initialize(settings);
#endif
}

} // namespace

Runtime::Runtime(int n_threads) {
  try {
    initialize(n_threads);
  } catch (const std::exception& error) {
    detail::throw_error(ErrorKind::resource, std::string("Kokkos did not start: ") + error.what());
  }
  keep_freed_host_memory();
  MemoryLedger::start();
}

Runtime::~Runtime() { Kokkos::finalize(); }

ErrorKind kind_of(const std::exception& error) {
  if (dynamic_cast<const std::bad_alloc*>(&error) != nullptr)
    return ErrorKind::resource;
  for (const char* sign : {"failed to allocate", "out of memory", "cudaError", "hipError", "Insufficient memory"})
    if (std::strstr(error.what(), sign) != nullptr)
      return ErrorKind::resource;
  return ErrorKind::input;
}

} // namespace tessera
