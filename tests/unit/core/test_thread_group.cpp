// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/kokkos_ext/thread_group.hpp"
#include "core/parallel.hpp"
#include "support/spaces.hpp"

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>

#include <vector>

namespace {

using namespace tessera;

/// Each thread of an item's group writes its number; each then reads the value of the next thread, repeatedly.
template <class ExecutionSpace> struct PassNumbers {
  using Group = ThreadGroup<ExecutionSpace>;
  GroupLaunch launch;
  Array<int*, ExecutionSpace> sums;  // per item
  Array<int*, ExecutionSpace> sizes; // per item

  KOKKOS_FUNCTION void operator()(const typename Group::Team& team) const {
    const Group group(team, launch.width);
    if (group.league_rank() >= launch.n_items)
      return;
    const auto item = static_cast<index_t>(group.league_rank());
    auto* numbers = static_cast<double*>(group.scratch(launch.scratch_level, launch.scratch_size));
    const int rank = group.team_rank();
    const int size = group.team_size();
    numbers[rank] = rank + 1;
    for (int round = 0; round < item % 5; ++round) { // groups of a team differ in their number of barriers
      group.team_barrier();
      const double next = numbers[(rank + 1) % size];
      group.team_barrier();
      numbers[rank] = next;
    }
    group.team_barrier();
    if (rank != 0)
      return;
    double sum = 0.;
    for (int k = 0; k < size; ++k)
      sum += numbers[k] == 1 + (k + item % 5) % size ? numbers[k] : -1000.;
    sums(item) = static_cast<int>(sum);
    sizes(item) = size;
  }
};

template <class ExecutionSpace> void require_groups(const ExecutionSpace& exec, int threads, int width, index_t n) {
  using Numbers = Array<int*, ExecutionSpace>;
  CAPTURE(threads, width, n);
  PassNumbers<ExecutionSpace> kernel{
      {}, make_filled<Numbers>(exec, "test", n, 0), make_filled<Numbers>(exec, "test", n, 0)};
  const int n_groups = threads / width;
  kernel.launch.n_items = n;
  kernel.launch.width = width;
  kernel.launch.scratch_size = sizeof(double) * static_cast<std::size_t>(width);
  Kokkos::parallel_for(
      "test",
      Kokkos::TeamPolicy<ExecutionSpace>(exec, (n + n_groups - 1) / n_groups, threads)
          .set_scratch_size(0, Kokkos::PerTeam(kernel.launch.scratch_size * static_cast<std::size_t>(n_groups))),
      kernel);
  const auto sums = to_host(exec, kernel.sums);
  const auto sizes = to_host(exec, kernel.sizes);
  for (index_t item = 0; item < n; ++item) {
    REQUIRE(sizes(item) == width);
    REQUIRE(sums(item) == width * (width + 1) / 2);
  }
}

} // namespace

TEMPLATE_LIST_TEST_CASE("Groups of a team's threads work on items of their own and wait for themselves alone",
                        "[core][device]", test::ExecutionSpaces) {
  const TestType exec;
  const std::vector<int> teams = is_host_space<TestType> ? std::vector<int>{1} : std::vector<int>{32, 64};
  for (const index_t n : {1, 7, 100})
    for (const int threads : teams)
      for (int width = threads; width >= 1; width /= 2)
        require_groups(exec, threads, width, n);
  if (is_host_space<TestType> && exec.concurrency() > 1)
    for (const int width : {2, 1})
      require_groups(exec, 2, width, 101);
}
