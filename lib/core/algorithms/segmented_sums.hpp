// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_CORE_ALGORITHMS_SEGMENTED_SUMS_HPP
#define TESSERA_CORE_ALGORITHMS_SEGMENTED_SUMS_HPP

/// \file
/// Many ordered sums at once, each over its own range of items, with as many kernels as the longest sum needs instead
/// of one or more per sum.

#include "core/algorithms/reduce.hpp"

#include <vector>

namespace tessera {

/// Range of items of one sum, and its position in the result.
struct Segment {
  std::int64_t begin;
  std::int64_t end;
  std::int64_t position;
};

namespace detail {

/// Up to reduce_block consecutive items of a segment.
struct SumBlock {
  std::int64_t begin;
  std::int64_t position; // of the result; ~place: among the partial sums
  index_t segment;
  int n;
};

/// Numbers the items of a block from 0.
template <class Functor> struct ItemsOfBlock {
  Functor functor;
  std::int64_t begin;
  index_t segment;
  KOKKOS_FUNCTION void operator()(std::int64_t i, double (&term)[1]) const { functor(segment, begin + i, term); }
};

/// Sums one block per host thread, or per team of a device.
template <class ExecutionSpace, class Functor> struct SumSegmentBlocks {
  using Team = typename Kokkos::TeamPolicy<ExecutionSpace>::member_type;
  Functor functor;
  Array<const SumBlock*, ExecutionSpace> blocks;
  double* partial;
  double* result;

  KOKKOS_FUNCTION double* target(const SumBlock& block) const {
    return block.position < 0 ? partial + ~block.position : result + block.position;
  }
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const SumBlock block = blocks(i);
    const HostBlockSum<1, ItemsOfBlock<Functor>, NoFinish> sum{
        {functor, block.begin, block.segment}, {}, target(block), block.n};
    sum(0);
  }
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    double* lane = static_cast<double*>(team.team_shmem().get_shmem(sizeof(double) * reduce_lanes));
    const SumBlock block = blocks(team.league_rank());
    team_block_sum<1>(team, 0, lane, ItemsOfBlock<Functor>{functor, block.begin, block.segment}, NoFinish(),
                      target(block), block.n);
  }
};

} // namespace detail

/// Computes sums over given segments: result[segment.place] is the sum of the terms of its items, with the same bits as
/// ordered_sums() over these items. Set up once, use on the same instance any number of times.
template <class ExecutionSpace> class SegmentedSums {
public:
  SegmentedSums() = default;

  SegmentedSums(const ExecutionSpace& exec, const std::vector<Segment>& segments);

  /// `functor(segment, i, term)` sets term[0] of item i; `result` points to memory of the space. Does not wait.
  template <class Functor>
  void sum(const char* label, const ExecutionSpace& exec, const Functor& functor, double* result) const {
    if constexpr (!is_host_space<ExecutionSpace>)
      if (single_.end > single_.begin) // one kernel instead of two
        return ordered_sums<1, SumKernels::few>(label, exec, single_.end - single_.begin,
                                                detail::ItemsOfBlock<Functor>{functor, single_.begin, 0}, workspace_,
                                                result + single_.position);
    if (levels_.empty())
      return;
    sum_blocks(label, exec, functor, 0, result);
    sum_partials(exec, result);
  }

private:
  /// Sums the partial sums, level by level.
  void sum_partials(const ExecutionSpace& exec, double* result) const;

  template <class Functor>
  void sum_blocks(const char* label, const ExecutionSpace& exec, const Functor& functor, std::size_t level,
                  double* result) const {
    const auto& blocks = levels_[level];
    const auto n_blocks = static_cast<std::int64_t>(blocks.extent(0));
    const detail::SumSegmentBlocks<ExecutionSpace, Functor> sums{functor, blocks, partial_.data(), result};
    if constexpr (is_host_space<ExecutionSpace>)
      for_each<std::int64_t>(label, exec, n_blocks, sums);
    else
      launch_teams(label,
                   Kokkos::TeamPolicy<ExecutionSpace>(exec, static_cast<int>(n_blocks), detail::reduce_lanes)
                       .set_scratch_size(0, Kokkos::PerTeam(sizeof(double) * detail::reduce_lanes)),
                   sums);
  }

  std::vector<Array<detail::SumBlock*, ExecutionSpace>> levels_;
  Array<double*, ExecutionSpace> partial_;
  Segment single_{0, 0, 0}; // the only segment, if there is just one
  ReduceWorkspace<ExecutionSpace> workspace_;
};

} // namespace tessera

#endif
