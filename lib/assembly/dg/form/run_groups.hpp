// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_ASSEMBLY_DG_FORM_RUN_GROUPS_HPP
#define TESSERA_ASSEMBLY_DG_FORM_RUN_GROUPS_HPP

/// \file
/// Launch of kernels with a group of threads for each item.

#include "core/kokkos_ext/host/concurrency.hpp"
#include "core/kokkos_ext/thread_group.hpp"
#include "core/parallel.hpp"

namespace tessera::assembly::dg {

/// Level-0 scratch memory of a team that is available on all devices whatever their settings.
constexpr std::size_t largest_scratch = 46 * 1024;

/// Threads of a team: on hosts one, or two for the device forms that tests run there.
template <class ExecutionSpace> int threads_of_team(const ExecutionSpace& exec, int width) {
  if (!is_host_space<ExecutionSpace>)
    return width > 32 ? width : 32;
  const bool is_test = !uses_host_forms<typename ExecutionSpace::memory_space>;
  return is_test && concurrency(exec) > 1 ? 2 : 1;
}

namespace detail {

/// A kernel called by reference on a host: one launch is compiled for all kernels, and their arrays are not copied.
template <class ExecutionSpace> struct CalledKernel {
  using Team = typename Kokkos::TeamPolicy<ExecutionSpace>::member_type;
  const void* kernel;
  void (*call)(const void* kernel, const Team& team);
  void operator()(const Team& team) const { call(kernel, team); }
};

/// Waits, like every launch on a host.
template <class ExecutionSpace>
TESSERA_NOINLINE void run_on_host(const char* label, const ExecutionSpace& exec, int n_teams, int threads, int level,
                                  std::size_t scratch_of_team, const CalledKernel<ExecutionSpace>& kernel) {
  Kokkos::parallel_for(label,
                       Kokkos::TeamPolicy<ExecutionSpace>(exec, n_teams, threads)
                           .set_scratch_size(level, Kokkos::PerTeam(scratch_of_team)),
                       kernel);
}

} // namespace detail

/// Launches a group of `width` threads for each of n items: two warps if there is enough work, as more would wait for
/// each other at the ends of short loops; a part of a warp for small items, several of which share a team. Registers
/// are limited so that MinTeams teams of 64 threads fit on a multiprocessor. Scratch memory that does not fit as often
/// (many functions and steps) is allocated in device memory instead. Sets the kernel's launch parameters.
template <int MinTeams, class ExecutionSpace, class Kernel>
void run_groups(const char* label, const ExecutionSpace& exec, index_t n, int width, Kernel& kernel) {
  // Kokkos allocates scratch memory in units of 8, and no more than requested.
  kernel.launch.scratch_size = (kernel.scratch_bytes() + 7) / 8 * 8;
  if (!is_host_space<ExecutionSpace> && !has_lanes<ExecutionSpace> && width < 32)
    width = 32; // the whole team
  while (width < 32 && kernel.launch.scratch_size * static_cast<std::size_t>(32 / width) > largest_scratch)
    width *= 2;
  const int threads = threads_of_team(exec, width);
  kernel.launch.n_items = n;
  kernel.launch.width = !is_host_space<ExecutionSpace> ? width : width < 32 ? 1 : threads;
  const int n_groups = threads / kernel.launch.width;
  const int n_teams = (n - 1) / n_groups + 1;
  const std::size_t of_team = kernel.launch.scratch_size * static_cast<std::size_t>(n_groups);
  bool fits = of_team <= largest_scratch;
  if constexpr (is_host_space<ExecutionSpace>) {
    using Called = detail::CalledKernel<ExecutionSpace>;
    kernel.launch.scratch_level = fits ? 0 : 1;
    const auto call = [](const void* called, const typename Called::Team& team) {
      (*static_cast<const Kernel*>(called))(team);
    };
    detail::run_on_host(label, exec, n_teams, threads, kernel.launch.scratch_level, of_team, Called{&kernel, call});
  } else {
    const auto policy = [&](int level) {
      using Policy = Kokkos::TeamPolicy<ExecutionSpace, Kokkos::LaunchBounds<64, MinTeams>>;
      return without_waiting<Kernel>(Policy(exec, n_teams, threads).set_scratch_size(level, Kokkos::PerTeam(of_team)));
    };
    fits = fits && threads <= policy(0).team_size_max(kernel, Kokkos::ParallelForTag());
    kernel.launch.scratch_level = fits ? 0 : 1;
    Kokkos::parallel_for(label, policy(kernel.launch.scratch_level), kernel);
  }
}

} // namespace tessera::assembly::dg

#endif
