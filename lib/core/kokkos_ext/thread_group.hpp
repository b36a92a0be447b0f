// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_CORE_KOKKOS_EXT_THREAD_GROUP_HPP
#define TESSERA_CORE_KOKKOS_EXT_THREAD_GROUP_HPP

/// \file
/// Groups of neighbouring threads of a team, for items with too little work for a whole warp.

#include "core/kokkos_ext/spaces.hpp"

namespace tessera {

namespace detail {

/// Waits for the threads of a warp in the same group of `width` threads (a power of two) and makes their writes visible
/// to each other. Without has_lanes, a group smaller than its team is one thread.
KOKKOS_INLINE_FUNCTION void sync_group(int rank, int width) {
#if defined(TESSERA_IN_CUDA_KERNEL)
  const unsigned group = width >= 32 ? 0xffffffffu : ((1u << width) - 1u);
  __syncwarp(group << (static_cast<unsigned>(rank) & 31u & ~static_cast<unsigned>(width - 1)));
#elif defined(TESSERA_IN_HIP_KERNEL)
  (void)rank; // the threads of a wave run in lockstep
  (void)width;
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "wavefront");
  __builtin_amdgcn_wave_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "wavefront");
#else
  (void)rank;
  (void)width;
#endif
}

} // namespace detail

/// A team whose threads work in groups, each on a separate item. It has a team's interface restricted to the calling
/// thread's group, so code written for a team works for a group. The width of a group is that of the team, or a power
/// of two up to 32 that divides it (1 without has_lanes).
template <class ExecutionSpace> class ThreadGroup {
public:
  using Team = typename Kokkos::TeamPolicy<ExecutionSpace>::member_type;

  KOKKOS_FUNCTION ThreadGroup(const Team& team, int width)
      : team_(team), width_(width), group_(width == team.team_size() ? 0 : team.team_rank() / width),
        rank_(team.team_rank() - group_ * width) {}

  /// Number of the item.
  KOKKOS_FUNCTION std::int64_t league_rank() const {
    return static_cast<std::int64_t>(team_.league_rank()) * n_groups() + group_;
  }
  KOKKOS_FUNCTION int team_rank() const { return rank_; }
  KOKKOS_FUNCTION int team_size() const { return width_; }
  KOKKOS_FUNCTION int n_groups() const { return width_ == team_.team_size() ? 1 : team_.team_size() / width_; }
  KOKKOS_FUNCTION void team_barrier() const {
    if (width_ == team_.team_size())
      team_.team_barrier();
    else
      detail::sync_group(team_.team_rank(), width_);
  }
  /// Scratch memory of this group: the same number of bytes (a multiple of 8) for each group of the team. Call once per
  /// kernel.
  KOKKOS_FUNCTION void* scratch(int level, std::size_t bytes) const {
    return static_cast<char*>(team_.team_scratch(level).get_shmem(bytes * static_cast<std::size_t>(n_groups()))) +
           bytes * static_cast<std::size_t>(group_);
  }

private:
  const Team& team_;
  int width_;
  int group_;
  int rank_;
};

/// Launch parameters of a kernel whose items are computed by groups.
struct GroupLaunch {
  index_t n_items = 0;
  int width = 1;                ///< threads of a group
  int scratch_level = 0;        ///< 1 if the scratch is too large for level 0
  std::size_t scratch_size = 0; ///< per group
};

} // namespace tessera

#endif
