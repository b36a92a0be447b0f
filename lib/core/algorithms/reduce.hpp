// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_CORE_ALGORITHMS_REDUCE_HPP
#define TESSERA_CORE_ALGORITHMS_REDUCE_HPP

/// \file
/// Sums in a fixed order: the same bits on every backend, for any number of threads.
///
/// The range is cut into blocks of 256 lanes x 8 items. Lane l of a block adds items l, l + 256, ... in this order; the
/// lanes are added by a binary tree; the block sums are reduced by the same rule until one remains. A GPU runs a block
/// as a team of 256 threads, a host thread runs it as a loop over 256 accumulators, which vectorises. Compiled without
/// contraction, both round identically.

#include "core/assert.hpp"
#include "core/error.hpp"
#include "core/kokkos_ext/bits.hpp"
#include "core/parallel.hpp"

namespace tessera {

/// Kernels that are compiled for a sum on a device. `few`: also sums of more than 4 million items by the kernel that
/// adds the sums of blocks, too, which may take more registers; for sums that are not in a loop, and whose kernel does
/// not exceed 128 registers by that: a multiprocessor then holds one team instead of two. `two_teams`: the kernel
/// of `few` with at most 128 registers, for terms that would take more.
enum class SumKernels { fastest, few, two_teams };

namespace detail {

constexpr int reduce_lanes = 256;
constexpr int reduce_items = 8;
constexpr int reduce_block = reduce_lanes * reduce_items;

/// Default of `finish`: no work on the finished sums.
struct NoFinish {
  KOKKOS_FUNCTION void operator()() const {}
};

/// Sums one block of the items [first_item, end) per iteration on a host thread.
template <int N, class Functor, class Finish> struct HostBlockSum {
  Functor functor;
  Finish finish;
  double* partial; // [n_blocks][N]
  std::int64_t end;
  std::int64_t first_item = 0;

  KOKKOS_FUNCTION void operator()(std::int64_t block) const {
    const Functor body = loaded(functor);
    double lane[N][reduce_lanes];
    for (int s = 0; s < N; ++s)
      for (int l = 0; l < reduce_lanes; ++l)
        lane[s][l] = 0.;
    const std::int64_t begin = first_item + block * reduce_block;
    for (int k = 0; k < reduce_items; ++k) {
      const std::int64_t first = begin + k * reduce_lanes;
      const int count =
          end - first >= reduce_lanes ? reduce_lanes : static_cast<int>(end - first > 0 ? end - first : 0);
      TESSERA_INDEPENDENT_ITERATIONS
      for (int l = 0; l < count; ++l) {
        double term[N];
        body(first + l, term);
        for (int s = 0; s < N; ++s)
          lane[s][l] += term[s];
      }
    }
    for (int s = 0; s < N; ++s) {
      for (int width = reduce_lanes / 2; width > 0; width /= 2)
        for (int l = 0; l < width; ++l)
          lane[s][l] += lane[s][l + width];
      partial[block * N + s] = lane[s][0];
    }
    finish();
  }
};

/// Adds the values of reduce_lanes lanes by a binary tree into the first lane, for each of N sums. Begins with a
/// barrier, so that all threads of the team have written their values.
template <int N, class Team> KOKKOS_FUNCTION void add_lanes(const Team& team, double* lane) {
  const int l = team.team_rank();
  for (int width = reduce_lanes / 2; width > 0; width /= 2) {
    team.team_barrier();
    if (l < width)
      for (int s = 0; s < N; ++s)
        lane[s * reduce_lanes + l] += lane[s * reduce_lanes + l + width];
  }
}

/// Adds the terms of a lane's items in order; read() is called for several items before any is written.
template <int N, class Functor>
KOKKOS_FUNCTION void add_items(const Functor& body, std::int64_t first, std::int64_t n, double (&sum)[N]) {
  const auto add = [&](std::int64_t i, const auto&... item) {
    double term[N];
    body(i, item..., term);
    for (int s = 0; s < N; ++s)
      sum[s] += term[s];
  };
  if constexpr (HasRead<Functor>::value) {
    constexpr int batch = 4;
    for (int k = 0; k < reduce_items && first + k * reduce_lanes < n; k += batch) {
      typename Functor::Item item[batch];
      TESSERA_UNROLL
      for (int j = 0; j < batch; ++j) {
        const std::int64_t i = first + (k + j) * reduce_lanes;
        item[j] = body.read(i < n ? i : n - 1);
      }
      TESSERA_UNROLL
      for (int j = 0; j < batch; ++j)
        if (first + (k + j) * reduce_lanes < n)
          add(first + (k + j) * reduce_lanes, item[j]);
    }
  } else {
    for (int k = 0; k < reduce_items; ++k)
      if (first + k * reduce_lanes < n)
        add(first + k * reduce_lanes);
  }
}

/// Sums one block of the items [first_item, end) by the 256 threads of a team; a template of the team so that a test
/// can run it on a host.
template <int N, class Functor, class Finish, class Team>
KOKKOS_FUNCTION void team_block_sum(const Team& team, std::int64_t block, double* lane, const Functor& functor,
                                    const Finish& finish, double* partial, std::int64_t end,
                                    std::int64_t first_item = 0) {
  const Functor body = loaded(functor);
  const int l = team.team_rank();
  double sum[N];
  for (int s = 0; s < N; ++s)
    sum[s] = 0.;
  add_items<N>(body, first_item + block * reduce_block + l, end, sum);
  for (int s = 0; s < N; ++s)
    lane[s * reduce_lanes + l] = sum[s];
  add_lanes<N>(team, lane);
  if (l == 0) {
    for (int s = 0; s < N; ++s)
      partial[block * N + s] = lane[s * reduce_lanes];
    finish();
  }
}

/// Sums one block per team on a device.
template <int N, class Functor, class Finish, class ExecutionSpace> struct DeviceBlockSum {
  Functor functor;
  Finish finish;
  double* partial;
  std::int64_t end;
  std::int64_t first_item;

  using Team = typename Kokkos::TeamPolicy<ExecutionSpace>::member_type;
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    double* lane = static_cast<double*>(team.team_shmem().get_shmem(sizeof(double) * N * reduce_lanes));
    team_block_sum<N>(team, team.league_rank(), lane, functor, finish, partial, end, first_item);
  }
};

/// Block sums as terms; `Shared` if other teams of the same kernel wrote them.
template <int N, bool Shared = false> struct LoadPartial {
  struct Item {
    double term[N];
  };
  const double* partial;
  KOKKOS_FUNCTION Item read(std::int64_t i) const {
    Item item;
    for (int s = 0; s < N; ++s)
      item.term[s] = Shared ? load_shared(partial + i * N + s) : partial[i * N + s];
    return item;
  }
  KOKKOS_FUNCTION void operator()(std::int64_t, const Item& item, double (&term)[N]) const {
    for (int s = 0; s < N; ++s)
      term[s] = item.term[s];
  }
  KOKKOS_FUNCTION void operator()(std::int64_t i, double (&term)[N]) const { (*this)(i, read(i), term); }
};

/// Sums one block of up to reduce_block blocks by a team. The last team to finish adds the block sums, in the order in
/// which a second kernel would. `n_done` is zero before the first and after the last team; `is_last` is in the team's
/// scratch memory. Null for `n_done`: the sums of the blocks are the result, of any number of blocks.
template <int N, class Functor, class Finish, class Team>
KOKKOS_FUNCTION void team_sum(const Team& team, double* lane, int* is_last, const Functor& functor,
                              const Finish& finish, double* partial, double* result, int* n_done, std::int64_t end,
                              int n_blocks, std::int64_t first_item = 0) {
  team_block_sum<N>(team, team.league_rank(), lane, functor, NoFinish(), partial, end, first_item);
  if (n_done == nullptr) {
    if (team.team_rank() == 0)
      finish();
    return;
  }
  if (team.team_rank() == 0) {
    Kokkos::memory_fence(); // the block's sum must be visible before the count
    *is_last = Kokkos::atomic_fetch_add(n_done, 1) == n_blocks - 1 ? 1 : 0;
    Kokkos::memory_fence();
  }
  team.team_barrier();
  if (*is_last == 0)
    return;
  team_block_sum<N>(team, 0, lane, LoadPartial<N, true>{partial}, finish, result, n_blocks);
  if (team.team_rank() == 0)
    *n_done = 0;
}

/// Computes a whole sum by one kernel, or the sums of blocks.
template <int N, class Functor, class Finish, class ExecutionSpace> struct DeviceSum {
  Functor functor;
  Finish finish;
  double* partial;
  double* result;
  int* n_done; // null for the sums of blocks
  std::int64_t end;
  int n_blocks;
  std::int64_t first_item;

  using Team = typename Kokkos::TeamPolicy<ExecutionSpace>::member_type;
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    double* lane = static_cast<double*>(team.team_shmem().get_shmem(sizeof(double) * N * reduce_lanes));
    int* is_last = static_cast<int*>(team.team_shmem().get_shmem(sizeof(int)));
    team_sum<N>(team, lane, is_last, functor, finish, partial, result, n_done, end, n_blocks, first_item);
  }
};

template <SumKernels Kernels, int N, class ExecutionSpace, class Functor, class Finish>
void launch_sum(const char* label, const ExecutionSpace& exec, std::int64_t n_blocks,
                const DeviceSum<N, Functor, Finish, ExecutionSpace>& sum) {
  using Bounds = Kokkos::LaunchBounds<Kernels == SumKernels::two_teams ? reduce_lanes : 0,
                                      Kernels == SumKernels::two_teams ? 2 : 0>;
  launch_teams(label,
               Kokkos::TeamPolicy<ExecutionSpace, Bounds>(exec, static_cast<int>(n_blocks), reduce_lanes)
                   .set_scratch_size(0, Kokkos::PerTeam(sizeof(double) * N * reduce_lanes + 64)),
               sum);
}

inline std::int64_t n_reduce_blocks(std::int64_t n) { return n > 0 ? (n + reduce_block - 1) / reduce_block : 1; }

/// Sums the blocks of the items [first_item, first_item + n).
template <int N, SumKernels Kernels = SumKernels::fastest, class ExecutionSpace, class Functor, class Finish>
void sum_blocks(const char* label, const ExecutionSpace& exec, std::int64_t n, const Functor& functor,
                const Finish& finish, double* partial, std::int64_t first_item = 0) {
  const std::int64_t n_blocks = n_reduce_blocks(n);
  const std::int64_t end = first_item + n;
  if constexpr (is_host_space<ExecutionSpace>) {
    for_each<std::int64_t>(label, exec, n_blocks,
                           HostBlockSum<N, Functor, Finish>{functor, finish, partial, end, first_item});
  } else if constexpr (Kernels != SumKernels::fastest) {
    launch_sum<Kernels>(label, exec, n_blocks,
                        DeviceSum<N, Functor, Finish, ExecutionSpace>{functor, finish, partial, partial, nullptr, end,
                                                                      static_cast<int>(n_blocks), first_item});
  } else {
    launch_teams(label,
                 Kokkos::TeamPolicy<ExecutionSpace>(exec, static_cast<int>(n_blocks), reduce_lanes)
                     .set_scratch_size(0, Kokkos::PerTeam(sizeof(double) * N * reduce_lanes)),
                 DeviceBlockSum<N, Functor, Finish, ExecutionSpace>{functor, finish, partial, end, first_item});
  }
}

/// Reduces the `n_blocks` block sums in `partial` to the sums of the range, by further levels if necessary.
template <int N, class ExecutionSpace, class Finish>
void sum_partials(const ExecutionSpace& exec, std::int64_t n_blocks, double* partial, double* result,
                  const Finish& finish) {
  while (n_blocks > 1) {
    const std::int64_t n_next = n_reduce_blocks(n_blocks);
    const LoadPartial<N> load{partial};
    partial += n_blocks * N;
    if (n_next == 1)
      sum_blocks<N>("tessera::core::ordered_sums", exec, n_blocks, load, finish, result);
    else
      sum_blocks<N>("tessera::core::ordered_sums", exec, n_blocks, load, NoFinish(), partial);
    n_blocks = n_next;
  }
}

constexpr int term_threads = 512;

/// Sums one block by the threads of a team, passing the terms one by one through scratch memory; a template of the team
/// so that a test can run it on a host.
template <class Functor, class Team>
KOKKOS_FUNCTION void team_terms(const Team& team, std::int64_t block, double* terms, double* lane,
                                const Functor& functor, double* partial, std::int64_t n) {
  const int rank = team.team_rank();
  for (int j = rank; j < reduce_block; j += team.team_size()) {
    const std::int64_t i = block * reduce_block + j;
    double term[1] = {0.};
    if (i < n)
      functor(i, term);
    terms[j] = term[0];
  }
  team.team_barrier();
  if (rank < reduce_lanes) {
    double sum = 0.;
    for (int k = 0; k < reduce_items; ++k)
      sum += terms[k * reduce_lanes + rank];
    lane[rank] = sum;
  }
  add_lanes<1>(team, lane);
  if (rank == 0)
    partial[block] = lane[0];
}

template <class Functor, class ExecutionSpace> struct DeviceTerms {
  static constexpr std::size_t scratch_bytes = sizeof(double) * (reduce_block + reduce_lanes);
  Functor functor;
  double* partial;
  std::int64_t n;

  // Three teams per multiprocessor: with four, threads have too few registers for the products of CRS rows.
  using Policy = Kokkos::TeamPolicy<ExecutionSpace, Kokkos::LaunchBounds<term_threads, 3>>;
  using Team = typename Policy::member_type;
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    double* terms = static_cast<double*>(team.team_shmem().get_shmem(sizeof(double) * reduce_block));
    double* lane = static_cast<double*>(team.team_shmem().get_shmem(sizeof(double) * reduce_lanes));
    team_terms(team, team.league_rank(), terms, lane, functor, partial, n);
  }
};

} // namespace detail

/// Temporary memory of ordered sums over up to `n` items; allocate once, use for every sum on the same instance.
template <class ExecutionSpace> class ReduceWorkspace {
public:
  ReduceWorkspace() = default;
  ReduceWorkspace(const ExecutionSpace& exec, std::int64_t n, int max_sums)
      : partial_(make_array<Array<double*, ExecutionSpace>>(exec, "core::reduce_partials", size_for(n, max_sums))),
        n_done_(make_filled<Array<int*, ExecutionSpace>>(exec, "core::reduce_done", 1, 0)) {}
  double* data() const { return partial_.data(); }
  int* n_done() const { return n_done_.data(); }
  /// Number of doubles allocated.
  std::int64_t size() const { return static_cast<std::int64_t>(partial_.extent(0)); }
  static std::int64_t size_for(std::int64_t n, int n_sums) {
    std::int64_t total = 0;
    do {
      n = detail::n_reduce_blocks(n);
      total += n * n_sums;
    } while (n > 1);
    return total;
  }

private:
  Array<double*, ExecutionSpace> partial_;
  Array<int*, ExecutionSpace> n_done_; // number of finished teams of the running kernel
};

/// Computes result[s], the sum over i in [0, n) of term[s], where `functor(i, term)` fills `double (&term)[N]`. The
/// functor may also write arrays at i (fused updates), and may have load() and read() as in stream(); it is then called
/// as `functor(i, item, term)`. `result` points to N doubles in the space's memory; the call does not wait. The thread
/// that wrote the result calls `finish()` once, for small work on the sums that does not justify a kernel.
template <int N, SumKernels Kernels = SumKernels::fastest, class ExecutionSpace, class Functor,
          class Finish = detail::NoFinish>
void ordered_sums(const char* label, const ExecutionSpace& exec, std::int64_t n, const Functor& functor,
                  const ReduceWorkspace<ExecutionSpace>& workspace, double* result, const Finish& finish = Finish()) {
  constexpr SumKernels one_kernel = Kernels == SumKernels::fastest ? SumKernels::few : Kernels;
  std::int64_t n_blocks = detail::n_reduce_blocks(n);
  if (n_blocks == 1) { // by a kernel that larger sums need, too
    detail::sum_blocks<N, one_kernel>(label, exec, n, functor, finish, result);
    return;
  }
  TESSERA_ASSERT(workspace.size() >= ReduceWorkspace<ExecutionSpace>::size_for(n, N));
  double* partial = workspace.data();
  if constexpr (!is_host_space<ExecutionSpace>) {
    if (n_blocks <= detail::reduce_block) { // a second kernel would cost more than its work
      detail::launch_sum<one_kernel>(
          label, exec, n_blocks,
          detail::DeviceSum<N, Functor, Finish, ExecutionSpace>{functor, finish, partial, result, workspace.n_done(), n,
                                                                static_cast<int>(n_blocks), 0});
      return;
    }
  }
  detail::sum_blocks<N, Kernels>(label, exec, n, functor, detail::NoFinish(), partial);
  detail::sum_partials<N>(exec, n_blocks, partial, result, finish);
}

/// Like ordered_sums() with one sum, for terms with random memory accesses such as rows of a product: on devices with
/// more threads per block and one item per thread at a time, so that the many loads of an item overlap.
template <class ExecutionSpace, class Functor>
void ordered_sum_of_terms(const char* label, const ExecutionSpace& exec, std::int64_t n, const Functor& functor,
                          const ReduceWorkspace<ExecutionSpace>& workspace, double* result) {
  if constexpr (is_host_space<ExecutionSpace>) {
    ordered_sums<1>(label, exec, n, functor, workspace, result);
  } else {
    using Terms = detail::DeviceTerms<Functor, ExecutionSpace>;
    const std::int64_t n_blocks = detail::n_reduce_blocks(n);
    TESSERA_ASSERT(workspace.size() >= ReduceWorkspace<ExecutionSpace>::size_for(n, 1));
    double* partial = n_blocks == 1 ? result : workspace.data();
    launch_teams(label,
                 typename Terms::Policy(exec, static_cast<int>(n_blocks), detail::term_threads)
                     .set_scratch_size(0, Kokkos::PerTeam(Terms::scratch_bytes)),
                 Terms{functor, partial, n});
    detail::sum_partials<1>(exec, n_blocks, partial, result, detail::NoFinish());
  }
}

/// Returns a sum to the host; allocates its own workspace: for set-up code, not for loops.
template <class ExecutionSpace, class Functor>
double ordered_sum(const char* label, const ExecutionSpace& exec, std::int64_t n, const Functor& functor) {
  ReduceWorkspace<ExecutionSpace> workspace(exec, n, 1);
  auto result = make_array<Array<double*, ExecutionSpace>>(exec, "core::ordered_sum", 1);
  ordered_sums<1, SumKernels::few>(label, exec, n, functor, workspace, result.data());
  return read_entry(exec, result, 0);
}

} // namespace tessera

#endif
