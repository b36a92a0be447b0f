// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "graph/partition/partition.hpp"

#include <algorithm>
#include <numeric>

namespace tessera::graph {

std::vector<index_t> apportion_parts(const std::vector<index_t>& component_sizes, index_t n_parts) {
  std::vector<index_t> shares(component_sizes.size(), 1);
  // Each component gets at least one part. This leaves fewer parts for the others, so more of these may be too small.
  std::vector<std::size_t> large(component_sizes.size());
  std::iota(large.begin(), large.end(), std::size_t(0));
  std::int64_t n_left = n_parts;
  std::int64_t n_members = 0;
  for (std::size_t n_before = large.size() + 1; large.size() < n_before && !large.empty();) {
    n_before = large.size();
    n_members = 0;
    for (const std::size_t c : large)
      n_members += component_sizes[c];
    const auto small = std::stable_partition(large.begin(), large.end(), [&](std::size_t c) {
      return n_left > 0 && n_left * component_sizes[c] >= n_members;
    });
    n_left -= large.end() - small;
    large.erase(small, large.end());
  }
  std::vector<std::pair<std::int64_t, std::size_t>> remainders; // negative, so that sorting puts the largest first
  for (const std::size_t c : large) {
    const std::int64_t product = n_left * component_sizes[c];
    shares[c] = static_cast<index_t>(product / n_members);
    remainders.push_back({-(product % n_members), c});
  }
  std::sort(remainders.begin(), remainders.end());
  std::int64_t n_open = n_left;
  for (const std::size_t c : large)
    n_open -= shares[c];
  for (std::int64_t i = 0; i < n_open && !large.empty(); ++i)
    ++shares[remainders[i].second];
  return shares;
}

} // namespace tessera::graph
