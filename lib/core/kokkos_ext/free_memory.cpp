// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/kokkos_ext/free_memory.hpp"

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
    return cudaMemGetInfo(&available, &total) == cudaSuccess ? static_cast<double>(available) : -1.;
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
