// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_CORE_KOKKOS_EXT_LAUNCH_HPP
#define TESSERA_CORE_KOKKOS_EXT_LAUNCH_HPP

/// \file
/// Launches of loops and teams that do not wait for earlier kernels, whatever the size of their functors. By default
/// Kokkos copies a functor of 512 bytes or more to a buffer in the constant memory of a CUDA device, and first waits on
/// the host for the previous kernel that used the buffer. A kernel argument travels with the launch instead.
///
/// Loops on CUDA devices use a kernel of ours, whose argument is not copied to each thread's local memory where its
/// address is taken, unlike Kokkos'. On an H200 Kokkos 4.5's own loop makes products of matrices up to 8 %, multigrid
/// iterations up to 4 % and full multigrid up to 15 % slower (docs/porting.md). Ours needs compute capability 7.0.

#include "core/kokkos_ext/spaces.hpp"
#if defined(TESSERA_CUDA_FORMS) && defined(__CUDACC__)
#include "core/kokkos_ext/device/kernel_times.hpp"
#include "core/kokkos_ext/device/vendor_status.hpp"

#include <Kokkos_Core.hpp>
#endif

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace tessera {

namespace detail {

/// Largest functor, in bytes, that a kernel of any vendor takes as its argument, with room for a policy.
constexpr std::size_t largest_argument = 3584;

#if defined(TESSERA_CUDA_FORMS) && defined(__CUDACC__)

/// Calls the functor for the item of this thread.
template <class Tag, class Index, class Functor> __device__ void run_item(const Functor& functor, Index n) {
  using Number = std::make_unsigned_t<Index>;
  const Number i = static_cast<Number>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= static_cast<Number>(n))
    return;
  if constexpr (std::is_void_v<Tag>)
    functor(static_cast<Index>(i));
  else
    functor(Tag(), static_cast<Index>(i));
}

// A grid-constant argument is not copied where its address is taken.
template <class Tag, class Bounds, class Index, class Functor>
__global__ void run_items(const __grid_constant__ Functor functor, Index n) {
  run_item<Tag>(functor, n);
}
template <class Tag, class Bounds, class Index, class Functor>
__global__ __launch_bounds__(Bounds::maxTperB,
                             Bounds::minBperSM) void run_bounded_items(const __grid_constant__ Functor functor,
                                                                       Index n) {
  run_item<Tag>(functor, n);
}

/// Registers of a kernel, and the share of a multiprocessor's threads that blocks of `block` of its threads fill.
template <class Kernel> void note_resources(Kernel* kernel, int block) {
  cudaFuncAttributes attributes;
  int n_blocks = 0;
  int device = 0;
  int most_threads = 1;
  require_success(cudaFuncGetAttributes(&attributes, kernel), "kernel attributes");
  require_success(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n_blocks, kernel, block, 0), "occupancy");
  require_success(cudaGetDevice(&device), "device");
  require_success(cudaDeviceGetAttribute(&most_threads, cudaDevAttrMaxThreadsPerMultiProcessor, device), "occupancy");
  note_kernel_resources(attributes.numRegs, static_cast<double>(n_blocks) * block / most_threads);
}

template <class Tag, class Bounds, class Index, class Functor>
void launch_items(const char* label, const CudaSpace& exec, Index n, const Functor& functor) {
  constexpr auto* kernel = [] {
    if constexpr (Bounds::maxTperB > 0)
      return &run_bounded_items<Tag, Bounds, Index, Functor>;
    else
      return &run_items<Tag, Bounds, Index, Functor>;
  }();
  constexpr int block = 128;
  static_assert(Bounds::maxTperB == 0 || Bounds::maxTperB >= block, "A loop's blocks have more threads.");
  const bool is_watched = listens_to_kernels();
  std::uint64_t id = 0;
  if (is_watched)
    Kokkos::Tools::beginParallelFor(label, Kokkos::Tools::Experimental::device_id(exec), &id);
  const auto n_blocks = static_cast<unsigned>((static_cast<std::int64_t>(n) + block - 1) / block);
  kernel<<<n_blocks, block, 0, exec.cuda_stream()>>>(functor, n);
  require_success(cudaGetLastError(), label);
  if (is_watched) {
    Kokkos::Tools::endParallelFor(id);
    note_resources(kernel, block);
  }
}

#endif

/// A host loop; each thread calls the function for its share of the items.
struct HostLoop {
  const void* functor;
  void (*call)(const void* functor, std::int64_t begin, std::int64_t end);
  std::int64_t n;
};

/// Runs the loop on host spaces; complete on return. Compiled once: Kokkos' launch of a loop takes longer to compile
/// than most loops.
template <class ExecutionSpace> void run_host_loop(const char* label, const ExecutionSpace& exec, const HostLoop& loop);

} // namespace detail

/// The policy for a kernel with this functor.
template <class Functor, class Policy> auto without_waiting(const Policy& policy) {
  if constexpr (sizeof(Functor) <= detail::largest_argument)
    return Kokkos::Experimental::require(policy, Kokkos::Experimental::WorkItemProperty::HintLightWeight);
  else
    return policy;
}

/// Calls `functor(i)`, or `functor(Tag(), i)`, for i in [0, n) with n > 0. `Bounds` as for Kokkos' policies. Atomics in
/// functors are limited to types of at most 8 bytes.
template <class Tag = void, class Bounds = Kokkos::LaunchBounds<>, class Index, class ExecutionSpace, class Functor>
void launch_loop(const char* label, const ExecutionSpace& exec, Index n, const Functor& functor) {
#if defined(TESSERA_CUDA_FORMS) && defined(__CUDACC__)
  if constexpr (std::is_same_v<ExecutionSpace, CudaSpace> && sizeof(Functor) <= detail::largest_argument)
    return detail::launch_items<Tag, Bounds>(label, exec, n, functor);
  else
#endif
      if constexpr (is_host_space<ExecutionSpace>) {
    const auto call = [](const void* called, std::int64_t begin, std::int64_t end) {
      const Functor& body = *static_cast<const Functor*>(called);
      const Index last = static_cast<Index>(end);
      for (Index i = static_cast<Index>(begin); i < last; ++i)
        if constexpr (std::is_void_v<Tag>)
          body(i);
        else
          body(Tag(), i);
    };
    detail::run_host_loop(label, exec, {&functor, call, n});
  } else {
    using IndexType = Kokkos::IndexType<Index>;
    using Policy = std::conditional_t<std::is_void_v<Tag>, Kokkos::RangePolicy<ExecutionSpace, IndexType, Bounds>,
                                      Kokkos::RangePolicy<ExecutionSpace, Tag, IndexType, Bounds>>;
    Kokkos::parallel_for(label, without_waiting<Functor>(Policy(exec, 0, n)), functor);
  }
}

/// Kokkos::parallel_for over teams.
template <class Policy, class Functor>
void launch_teams(const char* label, const Policy& policy, const Functor& functor) {
  Kokkos::parallel_for(label, without_waiting<Functor>(policy), functor);
}

} // namespace tessera

#endif
