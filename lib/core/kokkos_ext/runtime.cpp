// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/kokkos_ext/runtime.hpp"

#include "core/kokkos_ext/host/host_memory.hpp"
#include "core/kokkos_ext/host/host_threads.hpp"
#include "core/memory.hpp"

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <cstring>
#include <new>

namespace tessera {

namespace {

// Kokkos' warnings concern the binding of threads, which is undesirable on a shared machine.
void initialize(int n_threads, int device) {
  Kokkos::InitializationSettings settings;
  settings.set_disable_warnings(true);
  settings.set_num_threads(n_threads);
  if (device >= 0)
    settings.set_device_id(device);
  Kokkos::initialize(settings);
}

/// Keeps freed device memory in the driver's pool, from which arrays come (device_array.hpp), so that new ones are
/// cheap.
void keep_freed_device_memory() {
#if defined(KOKKOS_ENABLE_CUDA) && CUDART_VERSION >= 11020
  int device = 0;
  cudaMemPool_t pool;
  if (cudaGetDevice(&device) == cudaSuccess && cudaDeviceGetDefaultMemPool(&pool, device) == cudaSuccess) {
    std::uint64_t kept = ~std::uint64_t(0);
    cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &kept);
  }
#endif
}

/// Applies the settings of own_process() while Kokkos runs.
void apply_process_settings() {
  keep_freed_host_memory();
  keep_freed_device_memory();
  MemoryLedger::start();
}

bool process_is_owned = false;

} // namespace

void own_process() {
  process_is_owned = true;
  if (Kokkos::is_initialized())
    apply_process_settings();
}

int device_count() {
#if defined(KOKKOS_ENABLE_CUDA)
  int count = 0;
  return cudaGetDeviceCount(&count) == cudaSuccess ? count : 0;
#elif defined(KOKKOS_ENABLE_HIP)
  int count = 0;
  return hipGetDeviceCount(&count) == hipSuccess ? count : 0;
#elif defined(TESSERA_OTHER_SPACE)
  return Kokkos::num_devices();
#else
  return 0;
#endif
}

Runtime::Runtime(int n_threads, int device) {
  if (n_threads <= 0)
    n_threads = host_threads().standard();
  prepare_host_threads(n_threads);
  try {
    initialize(n_threads, device);
  } catch (const std::exception& error) {
    detail::throw_error(ErrorKind::resource, std::string("Kokkos did not start: ") + error.what());
  }
  if (process_is_owned)
    apply_process_settings();
}

Runtime::~Runtime() { Kokkos::finalize(); }

ErrorKind kind_of(const std::exception& error) {
  if (const auto* own = dynamic_cast<const Error*>(&error))
    return own->kind();
  if (dynamic_cast<const std::bad_alloc*>(&error) != nullptr)
    return ErrorKind::resource;
  for (const char* sign : {"failed to allocate", "out of memory", "cudaError", "hipError", "Insufficient memory"})
    if (std::strstr(error.what(), sign) != nullptr)
      return ErrorKind::resource;
  return ErrorKind::input;
}

std::string message_of(const std::exception& error) {
  if (dynamic_cast<const Error*>(&error) != nullptr)
    return error.what();
  if (dynamic_cast<const std::bad_alloc*>(&error) != nullptr)
    return "out of memory.";
  std::string text = error.what();
  text.erase(std::min(text.find("\nTraceback"), text.size())); // Kokkos appends it
  text.erase(text.find_last_not_of(" \n.") + 1);
  if (kind_of(error) == ErrorKind::resource)
    return text + '.';
  return "internal error, a fault of the program and not of the input: " + text + ". Please report it, with the input.";
}

} // namespace tessera
