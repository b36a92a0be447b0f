// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/kokkos_ext/device/free_memory.hpp"

#include "core/available_memory.hpp"
#include "core/kokkos_ext/device/device_array.hpp"

#include <cstdint>

namespace tessera {

namespace {

/// Free memory of hosts. Kokkos does not know the free memory of devices.
template <class ExecutionSpace> struct FreeMemory {
  static void reserve(double) {}
  static double get() { return is_host_space<ExecutionSpace> ? available_host_memory() : -1.; }
};

#if defined(TESSERA_CUDA_FORMS)
template <> struct FreeMemory<CudaSpace> {
  static double get() {
    std::size_t available = 0;
    std::size_t total = 0;
    if (cudaMemGetInfo(&available, &total) != cudaSuccess)
      return -1.;
    const PoolUse pool = pool_use();
    return static_cast<double>(available) + static_cast<double>(pool.reserved - pool.used);
  }

  static void reserve(double bytes) {
#if CUDART_VERSION >= 11030
    // Other allocators would not see the memory kept in the pool.
    const std::uint64_t used = pool_use().used;
    constexpr std::size_t sample = 1 << 20;
    const auto get_used_with_array = [&] {
      const auto array =
          allocate_array<Array<char*, CudaSpace>>(CudaSpace(), "tessera::core::sample", Kokkos::LayoutRight(sample));
      return pool_use().used;
    };
    const bool serves_arrays = get_used_with_array() >= used + sample;
    void* piece = nullptr;
    if (serves_arrays && bytes > 0. && bytes <= get() &&
        cudaMallocAsync(&piece, static_cast<std::size_t>(bytes), nullptr) == cudaSuccess)
      cudaFreeAsync(piece, nullptr);
    cudaGetLastError(); // a refusal is not an error
    cudaStreamSynchronize(nullptr);
#else
    (void)bytes;
#endif
  }

private:
  /// The driver's memory pool, which keeps freed memory (see keep_freed_device_memory in runtime.cpp).
  struct PoolUse {
    std::uint64_t reserved = 0;
    std::uint64_t used = 0;
  };
  static PoolUse pool_use() {
    PoolUse use;
#if CUDART_VERSION >= 11030
    int device = 0;
    cudaMemPool_t pool;
    if (cudaGetDevice(&device) != cudaSuccess || cudaDeviceGetDefaultMemPool(&pool, device) != cudaSuccess ||
        cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReservedMemCurrent, &use.reserved) != cudaSuccess ||
        cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &use.used) != cudaSuccess ||
        use.reserved < use.used)
      return {};
#endif
    return use;
  }
};
#endif

#if defined(TESSERA_HIP_FORMS)
template <> struct FreeMemory<HipSpace> {
  static void reserve(double) {}
  static double get() {
    std::size_t available = 0;
    std::size_t total = 0;
    return hipMemGetInfo(&available, &total) == hipSuccess ? static_cast<double>(available) : -1.;
  }
};
#endif

} // namespace

template <class ExecutionSpace> double free_memory(const ExecutionSpace& exec) {
  exec.fence(); // completes pending frees
  return FreeMemory<ExecutionSpace>::get();
}

template <class ExecutionSpace> void reserve_memory(const ExecutionSpace& exec, double bytes) {
  exec.fence();
  FreeMemory<ExecutionSpace>::reserve(bytes);
}

#define TESSERA_INSTANTIATE(Space)                                                                                     \
  template double free_memory(const Space&);                                                                           \
  template void reserve_memory(const Space&, double);
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE

} // namespace tessera
