// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/kokkos_ext/free_memory.hpp"

#include <cstdint>
#include <fstream>
#include <string>

namespace tessera {

namespace {

/// Linux: the line "MemAvailable: <n> kB" of /proc/meminfo.
template <class ExecutionSpace> struct FreeMemory {
  static double get() {
    std::ifstream file("/proc/meminfo");
    std::string key;
    double kibibytes = 0.;
    while (file >> key >> kibibytes) {
      if (key == "MemAvailable:")
        return 1024. * kibibytes;
      std::getline(file, key);
    }
    return -1.;
  }
};

#if defined(KOKKOS_ENABLE_CUDA)
template <> struct FreeMemory<CudaSpace> {
  static double get() {
    std::size_t available = 0;
    std::size_t total = 0;
    if (cudaMemGetInfo(&available, &total) != cudaSuccess)
      return -1.;
    return static_cast<double>(available) + unused_in_pool();
  }

private:
  /// What the driver's pool keeps of freed memory (see keep_freed_device_memory in runtime.cpp).
  static double unused_in_pool() {
#if CUDART_VERSION >= 11030
    int device = 0;
    cudaMemPool_t pool;
    std::uint64_t reserved = 0;
    std::uint64_t used = 0;
    if (cudaGetDevice(&device) == cudaSuccess && cudaDeviceGetDefaultMemPool(&pool, device) == cudaSuccess &&
        cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReservedMemCurrent, &reserved) == cudaSuccess &&
        cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used) == cudaSuccess && reserved > used)
      return static_cast<double>(reserved - used);
#endif
    return 0.;
  }
};
#endif

#if defined(KOKKOS_ENABLE_HIP)
template <> struct FreeMemory<HipSpace> {
  static double get() {
    std::size_t available = 0;
    std::size_t total = 0;
    return hipMemGetInfo(&available, &total) == hipSuccess ? static_cast<double>(available) : -1.;
  }
};
#endif

} // namespace

template <class ExecutionSpace> double free_memory(const ExecutionSpace& exec) {
  exec.fence(); // what is being freed is free
  return FreeMemory<ExecutionSpace>::get();
}

#define TESSERA_INSTANTIATE(Space) template double free_memory(const Space&);
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE

} // namespace tessera
