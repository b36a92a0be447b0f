// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_CORE_KOKKOS_EXT_LANES_HPP
#define TESSERA_CORE_KOKKOS_EXT_LANES_HPP

/// \file
/// Sums over neighbouring threads of a device.

#include "core/kokkos_ext/spaces.hpp"

namespace tessera {

namespace detail {
template <class ExecutionSpace> struct ReadsOthersRegisters : std::false_type {};
#if defined(KOKKOS_ENABLE_CUDA)
template <> struct ReadsOthersRegisters<CudaSpace> : std::true_type {};
#endif
#if defined(KOKKOS_ENABLE_HIP)
template <> struct ReadsOthersRegisters<HipSpace> : std::true_type {};
#endif
} // namespace detail

/// Scratch memory of a team of `team_size` threads for sum_over_lanes(). Spaces whose threads read each other's
/// registers need none; asking for none leaves all of a multiprocessor's memory to its cache.
template <class ExecutionSpace> std::size_t lanes_scratch_bytes(int team_size) {
  return detail::ReadsOthersRegisters<ExecutionSpace>::value ? 0 : sizeof(double) * team_size;
}

/// Sum over `Lanes` (a power of two, at most 32) neighbouring threads of a team, by a binary tree: lane l takes lane l
/// + width, for width = Lanes / 2, ..., 1. The first lane of each group gets it. All threads of the team take part.
template <int Lanes, class Team> KOKKOS_INLINE_FUNCTION double sum_over_lanes(const Team& team, double value) {
#if defined(__CUDA_ARCH__)
  (void)team;
  for (int width = Lanes / 2; width > 0; width /= 2)
    value += __shfl_down_sync(0xffffffffu, value, width, Lanes);
  return value;
#elif defined(__HIP_DEVICE_COMPILE__)
  (void)team;
  for (int width = Lanes / 2; width > 0; width /= 2)
    value += __shfl_down(value, width, Lanes);
  return value;
#else
  double* scratch = static_cast<double*>(team.team_shmem().get_shmem(sizeof(double) * team.team_size()));
  const int rank = team.team_rank();
  scratch[rank] = value;
  for (int width = Lanes / 2; width > 0; width /= 2) {
    team.team_barrier();
    if (rank % Lanes < width)
      scratch[rank] += scratch[rank + width];
  }
  return scratch[rank];
#endif
}

} // namespace tessera

#endif
