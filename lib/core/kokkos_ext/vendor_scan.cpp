// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/kokkos_ext/vendor_scan.hpp"

#if defined(KOKKOS_ENABLE_CUDA)

#include "core/kokkos_ext/vendor_status.hpp"
#include "core/parallel.hpp"

#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>
#include <thrust/iterator/transform_iterator.h>

#include <algorithm>

namespace tessera::detail {

namespace {

/// Size of the temporary memory that a function of cub requests when called without any.
template <class Call> std::size_t scratch_bytes(const char* what, const Call& call) {
  std::size_t bytes = 0;
  require_success(call(nullptr, bytes), what);
  return bytes;
}

struct Widen {
  __host__ __device__ std::int64_t operator()(std::int64_t value) const { return value; }
};

struct Sum64 {
  __host__ __device__ std::int64_t operator()(std::int64_t a, std::int64_t b) const { return a + b; }
};

template <class T> struct SetLast {
  T* counts;
  const std::int64_t* total;
  std::int64_t n;
  KOKKOS_FUNCTION void operator()(index_t) const { counts[n] = static_cast<T>(*total); }
};

/// One array for the total and both functions of cub in turn: an allocation costs as much as a kernel.
template <class T> bool scan(const CudaSpace& exec, T* counts, std::int64_t n, std::int64_t& total) {
  const auto wide = thrust::make_transform_iterator(static_cast<const T*>(counts), Widen{});
  std::int64_t* sum = nullptr;
  const auto reduce = [&](void* memory, std::size_t& bytes) {
    return cub::DeviceReduce::Reduce(memory, bytes, wide, sum, n, Sum64{}, std::int64_t(0), exec.cuda_stream());
  };
  const auto sum_up = [&](void* memory, std::size_t& bytes) {
    return cub::DeviceScan::ExclusiveSum(memory, bytes, counts, counts, n, exec.cuda_stream());
  };
  constexpr std::size_t alignment = 256; // what cub may expect
  std::size_t bytes = std::max(scratch_bytes("A sum", reduce), scratch_bytes("A prefix sum", sum_up));
  const auto memory = make_array<Array<char*, CudaSpace>>(exec, "core::vendor_scratch", alignment + bytes);
  sum = reinterpret_cast<std::int64_t*>(memory.data());
  void* const scratch = memory.data() + alignment;
  require_success(reduce(scratch, bytes), "A sum");
  if (n > 0)
    require_success(sum_up(scratch, bytes), "A prefix sum");
  for_each("tessera::core::set_total", exec, 1, SetLast<T>{counts, sum, n});
  total = read_entry(
      exec, Kokkos::View<std::int64_t*, CudaSpace::memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(sum, 1), 0);
  return true;
}

} // namespace

bool vendor_exclusive_scan(const CudaSpace& exec, std::int32_t* counts, std::int64_t n, std::int64_t& total) {
  return scan(exec, counts, n, total);
}
bool vendor_exclusive_scan(const CudaSpace& exec, std::int64_t* counts, std::int64_t n, std::int64_t& total) {
  return scan(exec, counts, n, total);
}

} // namespace tessera::detail

#endif
