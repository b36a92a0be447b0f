// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_IO_MESH_FILES_TAG_RANKS_HPP
#define TESSERA_IO_MESH_FILES_TAG_RANKS_HPP

/// \file
/// Maps the arbitrary tags of nodes and elements in mesh files to consecutive indices.

#include "core/error.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

namespace tessera::io::detail {

/// Looks up tags in an array if they fill their range reasonably well, otherwise in a sorted list.
inline bool is_dense(const std::vector<std::size_t>& tags, std::size_t max_tag) {
  return max_tag <= 8 * tags.size() + 1000000;
}

inline std::size_t max_of(const std::vector<std::size_t>& tags) {
  return tags.empty() ? 0 : *std::max_element(tags.begin(), tags.end());
}

/// Rank of each tag among all tags: 0 for the smallest. Tags are unique.
class TagRanks {
public:
  explicit TagRanks(const std::vector<std::size_t>& tags) {
    checked_index(static_cast<std::int64_t>(tags.size()), "nodes of the mesh file");
    const std::size_t max_tag = max_of(tags);
    if (is_dense(tags, max_tag)) {
      rank_.assign(max_tag + 1, -1);
      for (const std::size_t tag : tags)
        rank_[tag] = 0;
      index_t n = 0;
      for (index_t& rank : rank_)
        if (rank == 0)
          rank = n++;
    } else {
      sorted_ = tags;
      std::sort(sorted_.begin(), sorted_.end());
    }
  }

  /// -1 if there is no such tag.
  index_t rank(std::size_t tag) const {
    if (sorted_.empty())
      return tag < rank_.size() ? rank_[tag] : -1;
    const auto at = std::lower_bound(sorted_.begin(), sorted_.end(), tag);
    return at != sorted_.end() && *at == tag ? static_cast<index_t>(at - sorted_.begin()) : -1;
  }

private:
  std::vector<index_t> rank_;
  std::vector<std::size_t> sorted_;
};

/// Positions of the tags in ascending order; equal tags keep their order.
inline std::vector<index_t> sorted_positions(const std::vector<std::size_t>& tags) {
  std::vector<index_t> positions(
      static_cast<std::size_t>(checked_index(static_cast<std::int64_t>(tags.size()), "elements of the mesh file")));
  std::iota(positions.begin(), positions.end(), 0);
  if (!std::is_sorted(tags.begin(), tags.end()))
    std::stable_sort(positions.begin(), positions.end(), [&tags](index_t a, index_t b) {
      return tags[static_cast<std::size_t>(a)] < tags[static_cast<std::size_t>(b)];
    });
  return positions;
}

} // namespace tessera::io::detail

#endif
