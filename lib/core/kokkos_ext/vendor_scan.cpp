// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/kokkos_ext/vendor_scan.hpp"

#if defined(KOKKOS_ENABLE_CUDA)

#include "core/kokkos_ext/vendor_sort.hpp"
#include "core/sort.hpp"

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

/// starts[k] for every key between that of the entry before and that of entry i of the sorted keys.
struct FindStarts {
  const std::uint16_t* keys;
  index_t* starts;
  index_t n;
  int n_keys;
  KOKKOS_FUNCTION void operator()(index_t i) const {
    const int own = i < n ? keys[i] : n_keys;
    for (int key = i > 0 ? keys[i - 1] + 1 : 0; key <= own; ++key)
      starts[key] = i;
  }
};

struct Identity {
  index_t* order;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { order[i] = static_cast<index_t>(i); }
};

} // namespace

bool vendor_exclusive_scan(const CudaSpace& exec, std::int32_t* counts, std::int64_t n, std::int64_t& total) {
  return scan(exec, counts, n, total);
}
bool vendor_exclusive_scan(const CudaSpace& exec, std::int64_t* counts, std::int64_t n, std::int64_t& total) {
  return scan(exec, counts, n, total);
}

bool vendor_group(const CudaSpace& exec, const std::uint16_t* keys, index_t n, int n_keys, index_t* order,
                  std::vector<index_t>& starts) {
  const auto sorted = make_array<Array<std::uint16_t*, CudaSpace>>(exec, "core::sorted_keys", n);
  const auto identity = make_array<Array<index_t*, CudaSpace>>(exec, "core::identity", n);
  const auto device_starts = make_array<Array<index_t*, CudaSpace>>(exec, "core::group_starts", n_keys + 1);
  stream("tessera::core::identity", exec, n, Identity{identity.data()});
  const Bytes scratch = with_scratch(exec, "Grouping", [&](void* memory, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortPairs(memory, bytes, keys, sorted.data(),
                                           static_cast<const index_t*>(identity.data()), order, n, 0, bits_for(n_keys),
                                           exec.cuda_stream());
  });
  for_each("tessera::core::group_starts", exec, static_cast<std::int64_t>(n) + 1,
           FindStarts{sorted.data(), device_starts.data(), n, n_keys});
  const auto host = to_host(exec, device_starts);
  starts.assign(host.data(), host.data() + n_keys + 1);
  return true;
}

} // namespace tessera::detail

#endif
