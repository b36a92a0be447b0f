// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/kokkos_ext/vendor_scan.hpp"

#if defined(KOKKOS_ENABLE_CUDA)

#include "core/kokkos_ext/vendor_sort.hpp"

#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>
#include <thrust/iterator/transform_iterator.h>

namespace tessera::detail {

namespace {

using Bytes = Array<char*, CudaSpace>;

/// Runs a function of cub twice: to learn the size of its scratch memory, and with it.
template <class Call> Bytes with_scratch(const CudaSpace& exec, const char* what, const Call& call) {
  std::size_t bytes = 0;
  require_cuda(call(nullptr, bytes), what);
  const Bytes scratch = make_array<Bytes>(exec, "core::vendor_scratch", bytes > 0 ? bytes : 1);
  require_cuda(call(static_cast<void*>(scratch.data()), bytes), what);
  return scratch;
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

template <class T> bool scan(const CudaSpace& exec, T* counts, std::int64_t n, std::int64_t& total) {
  const auto sum = make_filled<Array<std::int64_t*, CudaSpace>>(exec, "core::scan_total", 1, 0);
  Bytes reduce_scratch;
  Bytes scan_scratch;
  if (n > 0) {
    const auto wide = thrust::make_transform_iterator(static_cast<const T*>(counts), Widen{});
    reduce_scratch = with_scratch(exec, "A sum", [&](void* memory, std::size_t& bytes) {
      return cub::DeviceReduce::Reduce(memory, bytes, wide, sum.data(), n, Sum64{}, std::int64_t(0),
                                       exec.cuda_stream());
    });
    scan_scratch = with_scratch(exec, "A prefix sum", [&](void* memory, std::size_t& bytes) {
      return cub::DeviceScan::ExclusiveSum(memory, bytes, counts, counts, n, exec.cuda_stream());
    });
  }
  for_each("tessera::core::set_total", exec, 1, SetLast<T>{counts, sum.data(), n});
  total = read_entry(exec, sum, 0);
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
