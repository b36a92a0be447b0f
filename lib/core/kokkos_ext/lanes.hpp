// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_CORE_KOKKOS_EXT_LANES_HPP
#define TESSERA_CORE_KOKKOS_EXT_LANES_HPP

/// \file
/// Loops in which neighbouring threads share an item without forming a team, which would cost L1 cache. On hosts, and
/// on devices without such threads, an item has one lane.

#include "core/kokkos_ext/launch.hpp"
#include "core/kokkos_ext/spaces.hpp"

namespace tessera {

namespace detail {
/// Refuses, at compile time, several lanes where they would run as one thread.
template <int Width> constexpr void check_lanes() {
#if !defined(TESSERA_CUDA_FORMS) && !defined(TESSERA_HIP_FORMS)
  static_assert(Width == 1, "Threads of this build cannot exchange values: take lanes_in<ExecutionSpace, Lanes>.");
#endif
}
} // namespace detail

/// Value of the thread `distance` lanes ahead in the same group of `Width` threads (a power of two up to 32); undefined
/// for the last ones. All threads of the group must call it, only inside for_each_lane.
template <int Width, class T> KOKKOS_INLINE_FUNCTION T from_lane_after(T value, int distance) {
  detail::check_lanes<Width>();
#if defined(TESSERA_IN_CUDA_KERNEL)
  return __shfl_down_sync(0xffffffffu, value, static_cast<unsigned>(distance), Width);
#elif defined(TESSERA_IN_HIP_KERNEL)
  return __shfl_down(value, static_cast<unsigned>(distance), Width);
#else
  (void)distance;
  return value;
#endif
}

#if defined(TESSERA_IN_CUDA_KERNEL)
namespace detail {
/// The lane mask of this thread's group of `Width` threads within its warp.
template <int Width> __device__ unsigned lane_group() {
  if (Width == 32)
    return 0xffffffffu;
  const unsigned thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  return ((1u << (Width & 31)) - 1u) << (thread & 31u & ~static_cast<unsigned>(Width - 1));
}
} // namespace detail
#endif

/// Sums the parts of `Width` threads by a binary tree; the result is in the first thread. Only inside for_each_lane.
template <int Width, class T> KOKKOS_INLINE_FUNCTION T sum_of_lanes(T part) {
  for (int half = Width / 2; half > 0; half /= 2)
    part += from_lane_after<Width>(part, half);
  return part;
}
/// The same sum, bit for bit, computed by one thread that has all parts, which it overwrites.
template <int Width, class T> KOKKOS_INLINE_FUNCTION T sum_of_parts(T (&part)[Width]) {
  for (int half = Width / 2; half > 0; half /= 2)
    for (int lane = 0; lane < half; ++lane)
      part[lane] += part[lane + half];
  return part[0];
}

/// Value of thread `lane` of the same group of `Width` threads (a power of two up to 32). All threads of the group must
/// call it, other groups need not. Only inside for_each_lane or a ThreadGroup of this width.
template <int Width, class T> KOKKOS_INLINE_FUNCTION T from_lane(T value, int lane) {
  detail::check_lanes<Width>();
  if (Width == 1)
    return value;
#if defined(TESSERA_IN_CUDA_KERNEL)
  return __shfl_sync(detail::lane_group<Width>(), value, lane, Width);
#elif defined(TESSERA_IN_HIP_KERNEL)
  return __shfl(value, lane, Width);
#else
  (void)lane;
  return value;
#endif
}

/// Bit l of the result is the argument of thread l of the same group. Same conditions of use.
template <int Width> KOKKOS_INLINE_FUNCTION unsigned bits_of_lanes(bool value) {
  detail::check_lanes<Width>();
  if (Width == 1)
    return value ? 1u : 0u;
#if defined(TESSERA_IN_CUDA_KERNEL)
  const unsigned group = detail::lane_group<Width>();
  return (__ballot_sync(group, value) & group) >> (__ffs(static_cast<int>(group)) - 1);
#elif defined(TESSERA_IN_HIP_KERNEL)
  const unsigned thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  const unsigned first = thread % static_cast<unsigned>(warpSize) & ~static_cast<unsigned>(Width - 1);
  return static_cast<unsigned>(static_cast<unsigned long long>(__ballot(value)) >> first & ((1ull << Width) - 1ull));
#else
  return value ? 1u : 0u;
#endif
}
/// Whether the argument is true for any thread of the same group. Same conditions of use.
template <int Width> KOKKOS_INLINE_FUNCTION bool any_lane(bool value) {
  if (Width == 1)
    return value;
#if defined(TESSERA_IN_CUDA_KERNEL)
  return __any_sync(detail::lane_group<Width>(), value) != 0;
#else
  return bits_of_lanes<Width>(value) != 0;
#endif
}
/// Number of bits that are set.
KOKKOS_INLINE_FUNCTION int count_bits(unsigned bits) { return Kokkos::Experimental::popcount_builtin(bits); }

/// The largest value of the threads of the same group, in each of them. Same conditions of use.
template <int Width, class T> KOKKOS_INLINE_FUNCTION T largest_of_lanes(T value) {
  detail::check_lanes<Width>();
#if defined(TESSERA_IN_CUDA_KERNEL)
  for (int step = Width / 2; step > 0; step /= 2) {
    const T other = __shfl_xor_sync(detail::lane_group<Width>(), value, step, Width);
    value = other > value ? other : value;
  }
#elif defined(TESSERA_IN_HIP_KERNEL)
  for (int step = Width / 2; step > 0; step /= 2) {
    const T other = __shfl_xor(value, step, Width);
    value = other > value ? other : value;
  }
#endif
  return value;
}

namespace detail {
template <int Lanes, class Functor> struct LaneItems {
  Functor functor;
  std::int64_t n;
  KOKKOS_FUNCTION void operator()(std::int64_t thread) const {
    functor(thread / Lanes, static_cast<int>(thread % Lanes), thread / Lanes < n);
  }
};
template <int Lanes, class Functor> struct LaneItemsInTurn {
  LaneItems<Lanes, Functor> items;
  std::int64_t end;       // of the threads of the corresponding LaneItems
  std::int64_t n_threads; // both are multiples of a warp
  KOKKOS_FUNCTION void operator()(std::int64_t thread) const {
    for (std::int64_t t = thread; t < end; t += n_threads)
      items(t);
  }
};
/// Upper bound, over all vendors, of the number of threads that run in lockstep.
constexpr std::int64_t widest_warp = 64;
} // namespace detail

/// Lanes per item: `Lanes` on devices that have them, one on hosts and in the generic form.
template <class ExecutionSpace, int Lanes> constexpr int lanes_in = has_lanes<ExecutionSpace> ? Lanes : 1;

/// Calls `functor(item, lane, exists)` for items in [0, n) and lanes in [0, Lanes); the lanes of an item are
/// neighbouring threads that may exchange values. To keep lanes together the functor is also called for some items >=
/// n, with `exists` false.
template <int Lanes, class ExecutionSpace, class Functor>
void for_each_lane(const char* label, const ExecutionSpace& exec, std::int64_t n, const Functor& functor) {
  static_assert(Lanes == 1 || has_lanes<ExecutionSpace>, "Threads of this space have no lanes.");
  if (n <= 0)
    return;
  // Kokkos gives consecutive iterations to consecutive threads, and a multiple of a warp to a block.
  const std::int64_t threads = (n * Lanes + detail::widest_warp - 1) / detail::widest_warp * detail::widest_warp;
  launch_loop<void, Kokkos::LaunchBounds<128, 1>>(label, exec, threads, detail::LaneItems<Lanes, Functor>{functor, n});
}

/// Like for_each_lane, for bodies of a few loads: with several lanes per item a GPU would take longer to start the
/// blocks, one per cycle, than to run them. Threads of a large loop process several items, one after the other.
template <int Lanes, class ExecutionSpace, class Functor>
void for_each_short_lane(const char* label, const ExecutionSpace& exec, std::int64_t n, const Functor& functor) {
  if constexpr (Lanes == 1) {
    for_each_lane<Lanes>(label, exec, n, functor);
  } else {
    if (n <= 0)
      return;
    constexpr std::int64_t rounds = 8; // number of full waves of resident threads, which even out
    const std::int64_t most = exec.concurrency() / detail::widest_warp * detail::widest_warp * rounds;
    const std::int64_t end = (n * Lanes + detail::widest_warp - 1) / detail::widest_warp * detail::widest_warp;
    const std::int64_t n_threads = end < most ? end : most;
    launch_loop<void, Kokkos::LaunchBounds<128, 1>>(
        label, exec, n_threads, detail::LaneItemsInTurn<Lanes, Functor>{{functor, n}, end, n_threads});
  }
}

} // namespace tessera

#endif
