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
/// Says at compile time where several lanes would run as one.
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
/// The own group of `Width` threads among those of a warp.
template <int Width> __device__ unsigned lane_group() {
  if (Width == 32)
    return 0xffffffffu;
  const unsigned thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  return ((1u << (Width & 31)) - 1u) << (thread & 31u & ~static_cast<unsigned>(Width - 1));
}
} // namespace detail
#endif

/// The sum of the parts of `Width` threads by a binary tree, in the first one; only inside for_each_lane.
template <int Width, class T> KOKKOS_INLINE_FUNCTION T sum_of_lanes(T part) {
  for (int half = Width / 2; half > 0; half /= 2)
    part += from_lane_after<Width>(part, half);
  return part;
}
/// The same bits by one thread that has all parts, which it overwrites.
template <int Width, class T> KOKKOS_INLINE_FUNCTION T sum_of_parts(T (&part)[Width]) {
  for (int half = Width / 2; half > 0; half /= 2)
    for (int lane = 0; lane < half; ++lane)
      part[lane] += part[lane + half];
  return part[0];
}

/// Value of thread `lane` of the same group of `Width` threads (a power of two up to 32). All threads of the group must
/// call it, other groups need not; inside for_each_lane, or a ThreadGroup of as many.
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

/// A bit for each thread of the same group, the first one's lowest: whether its argument is true. Likewise.
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
/// Whether the argument is true for any thread of the same group, likewise.
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

/// The largest value of the threads of the same group, in each of them; likewise.
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
  std::int64_t end;       // of the threads that LaneItems would have
  std::int64_t n_threads; // both are multiples of a warp
  KOKKOS_FUNCTION void operator()(std::int64_t thread) const {
    for (std::int64_t t = thread; t < end; t += n_threads)
      items(t);
  }
};
/// Threads that run in step, on any vendor's devices, are at most so many.
constexpr std::int64_t widest_warp = 64;
} // namespace detail

/// The lanes of an item where devices have `Lanes` of them: one on hosts, and in the generic form.
template <class ExecutionSpace, int Lanes> constexpr int lanes_in = has_lanes<ExecutionSpace> ? Lanes : 1;

/// `functor(item, lane, exists)` for items in [0, n) and lanes in [0, Lanes); the lanes of an item are neighbouring
/// threads that may exchange values. To keep them together it is also called for some items from n on, which do not
/// exist.
template <int Lanes, class ExecutionSpace, class Functor>
void for_each_lane(const char* label, const ExecutionSpace& exec, std::int64_t n, const Functor& functor) {
  static_assert(Lanes == 1 || has_lanes<ExecutionSpace>, "Threads of this space have no lanes.");
  if (n <= 0)
    return;
  // Kokkos gives consecutive iterations to consecutive threads, and a multiple of a warp to a block.
  const std::int64_t threads = (n * Lanes + detail::widest_warp - 1) / detail::widest_warp * detail::widest_warp;
  launch_loop<void, Kokkos::LaunchBounds<128, 1>>(label, exec, threads, detail::LaneItems<Lanes, Functor>{functor, n});
}

/// As for_each_lane, for bodies of a few loads: with several lanes an item a GPU would take longer to start their
/// blocks, of which it starts one in a cycle, than to run them. Of many items a thread has several, one after the
/// other.
template <int Lanes, class ExecutionSpace, class Functor>
void for_each_short_lane(const char* label, const ExecutionSpace& exec, std::int64_t n, const Functor& functor) {
  if constexpr (Lanes == 1) {
    for_each_lane<Lanes>(label, exec, n, functor);
  } else {
    if (n <= 0)
      return;
    constexpr std::int64_t rounds = 8; // of all threads that the device has at a time, which even out
    const std::int64_t most = exec.concurrency() / detail::widest_warp * detail::widest_warp * rounds;
    const std::int64_t end = (n * Lanes + detail::widest_warp - 1) / detail::widest_warp * detail::widest_warp;
    const std::int64_t n_threads = end < most ? end : most;
    launch_loop<void, Kokkos::LaunchBounds<128, 1>>(
        label, exec, n_threads, detail::LaneItemsInTurn<Lanes, Functor>{{functor, n}, end, n_threads});
  }
}

} // namespace tessera

#endif
