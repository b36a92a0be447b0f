// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "linalg/distributed/shared_sums.hpp"

#include "core/transfer/upload.hpp"

#include <algorithm>

namespace tessera::linalg {

template <class ExecutionSpace>
SharedSums<ExecutionSpace> make_shared_sums(const ExecutionSpace& exec, int rank,
                                            const std::vector<std::int64_t>& offsets) {
  constexpr std::int64_t block = SharedRange::block;
  SharedSums<ExecutionSpace> sums;
  sums.rank = rank;
  sums.n = offsets.back();
  std::int64_t position = 0;
  std::vector<index_t> position_of_block(static_cast<std::size_t>(sums.n_blocks()), -1);
  for (std::size_t r = 0; r + 1 < offsets.size(); ++r) {
    SharedRange range{offsets[r], offsets[r + 1], (offsets[r] + block - 1) / block, offsets[r + 1] / block, position};
    if (range.end == sums.n) // the last block may be short
      range.end_block = sums.n_blocks();
    range.end_block = std::max(range.first_block, range.end_block);
    for (std::int64_t b = range.first_block; b < range.end_block; ++b)
      position_of_block[static_cast<std::size_t>(b)] = static_cast<index_t>(position + b - range.first_block);
    position += range.n_values();
    sums.ranges.push_back(range);
  }
  std::vector<std::int64_t> shared;
  for (std::size_t b = 0; b < position_of_block.size(); ++b)
    if (position_of_block[b] < 0) {
      position_of_block[b] = -1 - static_cast<index_t>(shared.size());
      shared.push_back(static_cast<std::int64_t>(b));
    }
  sums.all = uploaded(exec, "linalg::shared_ranges", sums.ranges);
  sums.shared = uploaded(exec, "linalg::shared_blocks", shared);
  sums.position_of_block = uploaded(exec, "linalg::places_of_blocks", position_of_block);
  const auto allocated = [&](const char* label, std::int64_t n) {
    return make_array<Array<double*, ExecutionSpace>>(exec, label, n * sums.max_sums);
  };
  sums.values = allocated("linalg::values_of_processes", position);
  sums.sums_of_shared = allocated("linalg::sums_of_shared_blocks", static_cast<std::int64_t>(shared.size()));
  sums.partial = allocated("linalg::sums_of_blocks", 2 * sums.n_blocks() + 2);
  return sums;
}

#define TESSERA_INSTANTIATE(Space)                                                                                     \
  template SharedSums<Space> make_shared_sums(const Space&, int, const std::vector<std::int64_t>&);
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE

} // namespace tessera::linalg
