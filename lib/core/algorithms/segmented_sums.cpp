// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause
#include "core/algorithms/segmented_sums.hpp"

#include "core/transfer/upload.hpp"

#include <algorithm>

namespace tessera {

namespace detail {
struct PartialTerms {
  const double* partial;
  KOKKOS_FUNCTION void operator()(index_t, std::int64_t i, double (&term)[1]) const { term[0] = partial[i]; }
};
} // namespace detail

template <class ExecutionSpace>
SegmentedSums<ExecutionSpace>::SegmentedSums(const ExecutionSpace& exec, const std::vector<Segment>& segments) {
  struct Open { // a sum that is not finished: its items or its partial sums
    std::int64_t begin, n, position;
    index_t segment;
  };
  std::vector<Open> open;
  for (const Segment& segment : segments)
    open.push_back({segment.begin, segment.end - segment.begin, segment.position, static_cast<index_t>(open.size())});
  if (segments.size() == 1)
    single_ = segments.front();
  std::int64_t n_partials = 0;
  while (!open.empty()) {
    std::vector<detail::SumBlock> blocks;
    std::vector<Open> longer;
    for (const Open& sum : open) {
      const std::int64_t n_blocks = detail::n_reduce_blocks(sum.n);
      if (n_blocks > 1)
        longer.push_back({n_partials, n_blocks, sum.position, sum.segment});
      for (std::int64_t b = 0; b < n_blocks; ++b) {
        const std::int64_t first = b * detail::reduce_block;
        const std::int64_t position = n_blocks > 1 ? ~n_partials++ : sum.position;
        blocks.push_back({sum.begin + first, position, sum.segment,
                          static_cast<int>(std::min<std::int64_t>(sum.n - first, detail::reduce_block))});
      }
    }
    levels_.push_back(uploaded(exec, "core::sum_blocks", blocks));
    open = std::move(longer);
  }
  partial_ = make_array<Array<double*, ExecutionSpace>>(exec, "core::segment_partials", n_partials);
  if (single_.end > single_.begin)
    workspace_ = ReduceWorkspace<ExecutionSpace>(exec, single_.end - single_.begin, 1);
}

template <class ExecutionSpace>
void SegmentedSums<ExecutionSpace>::sum_partials(const ExecutionSpace& exec, double* result) const {
  for (std::size_t level = 1; level < levels_.size(); ++level)
    sum_blocks("tessera::core::segmented_sums", exec, detail::PartialTerms{partial_.data()}, level, result);
}

#define TESSERA_INSTANTIATE(Space) template class SegmentedSums<Space>;
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE

} // namespace tessera
