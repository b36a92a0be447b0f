// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_CORE_KOKKOS_EXT_LANES_HPP
#define TESSERA_CORE_KOKKOS_EXT_LANES_HPP

/// \file
/// Sums over neighbouring threads of a device.

#include <Kokkos_Core.hpp>

namespace tessera {

/// Sum over `Lanes` (a power of two, at most 32) neighbouring threads of a team, by a binary tree: lane l takes lane l
/// + width, for width = Lanes / 2, ..., 1. The first lane of each group gets it. All threads of the team take part;
/// `scratch` holds a number for each of them, for spaces whose threads cannot read each other's registers.
template <int Lanes, class Team>
KOKKOS_INLINE_FUNCTION double sum_over_lanes(const Team& team, double value, double* scratch) {
#if defined(__CUDA_ARCH__)
  (void)team;
  (void)scratch;
  for (int width = Lanes / 2; width > 0; width /= 2)
    value += __shfl_down_sync(0xffffffffu, value, width, Lanes);
  return value;
#elif defined(__HIP_DEVICE_COMPILE__)
  (void)team;
  (void)scratch;
  for (int width = Lanes / 2; width > 0; width /= 2)
    value += __shfl_down(value, width, Lanes);
  return value;
#else
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
