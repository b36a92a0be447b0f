// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/kokkos_ext/device/vendor_scan.hpp"

#if defined(TESSERA_CUDA_FORMS)

#include "core/kokkos_ext/device/vendor_queued_scan.hpp"
#include "core/kokkos_ext/device/vendor_status.hpp"
#include "core/parallel.hpp"

#include <cub/block/block_scan.cuh>
#include <cub/device/device_scan.cuh>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <cstddef>
#include <iterator>

namespace tessera::detail {

namespace {

/// The counts in 64 bits, followed by a zero, at whose position the scan writes the total.
template <class T> struct WideCount {
  const T* counts;
  std::int64_t n;
  __host__ __device__ std::int64_t operator()(std::int64_t i) const {
    return i < n ? static_cast<std::int64_t>(counts[i]) : 0;
  }
};

/// Output of the scan: offsets of the array's type, and the total in 64 bits as well.
template <class T> class Offsets {
public:
  using iterator_category = std::random_access_iterator_tag;
  using difference_type = std::int64_t;
  using value_type = std::int64_t;
  using pointer = void;

  class reference {
  public:
    __host__ __device__ reference(const Offsets& offsets, std::int64_t i) : offsets_(offsets), i_(i) {}
    __host__ __device__ const reference& operator=(std::int64_t sum) const {
      offsets_.offsets_[i_] = static_cast<T>(sum);
      if (i_ == offsets_.n_)
        *offsets_.total_ = sum;
      return *this;
    }

  private:
    const Offsets& offsets_;
    std::int64_t i_;
  };

  __host__ __device__ Offsets(T* offsets, std::int64_t n, std::int64_t* total, std::int64_t i = 0)
      : offsets_(offsets), n_(n), total_(total), i_(i) {}
  __host__ __device__ Offsets operator+(std::int64_t step) const { return {offsets_, n_, total_, i_ + step}; }
  __host__ __device__ Offsets& operator+=(std::int64_t step) {
    i_ += step;
    return *this;
  }
  __host__ __device__ reference operator[](std::int64_t step) const { return {*this, i_ + step}; }
  __host__ __device__ reference operator*() const { return {*this, i_}; }

private:
  T* offsets_;
  std::int64_t n_;
  std::int64_t* total_;
  std::int64_t i_;
};

struct Sum64 {
  __host__ __device__ std::int64_t operator()(std::int64_t a, std::int64_t b) const { return a + b; }
};

constexpr int block_threads = 1024;
constexpr int block_items = 8; // per thread
/// Number of counts that one block scans in one kernel: the device-wide scan needs two kernels and temporary memory.
constexpr std::int64_t most_of_a_block = block_threads * block_items - 1;

template <class T>
__global__ __launch_bounds__(block_threads) void scan_in_block(WideCount<T> counts, Offsets<T> offsets) {
  using Scan = cub::BlockScan<std::int64_t, block_threads>;
  __shared__ typename Scan::TempStorage storage;
  const auto first = static_cast<std::int64_t>(threadIdx.x) * block_items;
  std::int64_t items[block_items];
  for (int k = 0; k < block_items; ++k)
    items[k] = counts(first + k);
  Scan(storage).ExclusiveSum(items, items);
  for (int k = 0; k < block_items; ++k)
    if (first + k <= counts.n)
      offsets[first + k] = items[k];
}

/// Queues a scan that writes its total to `sum`. `scratch` is enlarged to the size that a device-wide scan needs.
template <class T>
void queue_scan(const CudaSpace& exec, T* counts, std::int64_t n, std::int64_t* sum, Array<char*, CudaSpace>& scratch) {
  const WideCount<T> wide{counts, n};
  if (n <= most_of_a_block) {
    scan_in_block<<<1, block_threads, 0, exec.cuda_stream()>>>(wide, Offsets<T>(counts, n, sum));
    require_success(cudaGetLastError(), "A prefix sum");
    return;
  }
  std::size_t bytes = 0;
  const auto sum_up = [&](void* memory) {
    require_success(cub::DeviceScan::ExclusiveScan(
                        memory, bytes,
                        thrust::make_transform_iterator(thrust::counting_iterator<std::int64_t>(0), wide),
                        Offsets<T>(counts, n, sum), Sum64{}, std::int64_t(0), n + 1, exec.cuda_stream()),
                    "A prefix sum");
  };
  sum_up(nullptr); // query of the memory size
  if (scratch.extent(0) < bytes || scratch.extent(0) == 0)
    scratch = make_array<Array<char*, CudaSpace>>(exec, "core::vendor_scratch", bytes > 0 ? bytes : 1);
  sum_up(scratch.data());
}

template <class T> bool scan(const CudaSpace& exec, T* counts, std::int64_t n, std::int64_t& total) {
  const auto sum = make_array<Array<std::int64_t*, CudaSpace>>(exec, "core::scan_total", 1);
  Array<char*, CudaSpace> scratch;
  queue_scan(exec, counts, n, sum.data(), scratch);
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
bool queue_vendor_scan(const CudaSpace& exec, std::int32_t* counts, std::int64_t n, std::int64_t* total,
                       Array<char*, CudaSpace>& scratch) {
  queue_scan(exec, counts, n, total, scratch);
  return true;
}
bool queue_vendor_scan(const CudaSpace& exec, std::int64_t* counts, std::int64_t n, std::int64_t* total,
                       Array<char*, CudaSpace>& scratch) {
  queue_scan(exec, counts, n, total, scratch);
  return true;
}

} // namespace tessera::detail

#endif
