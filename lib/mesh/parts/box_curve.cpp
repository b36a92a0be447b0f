// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "mesh/parts/box_curve.hpp"

#include <algorithm>

namespace tessera::mesh {

namespace {

template <int Dim> constexpr int n_position_bits = Dim* curve_bits<Dim>;
/// First index along each axis, and the one after the last.
template <int Dim> using Ranges = std::array<std::pair<std::size_t, std::size_t>, static_cast<std::size_t>(Dim)>;

/// The ranges of the whole curve.
template <int Dim> Ranges<Dim> whole_ranges(const BoxCodes<Dim>& code) {
  Ranges<Dim> range;
  for (std::size_t d = 0; d < code.size(); ++d)
    range[d] = {0, code[d].size()};
  return range;
}

/// Splits a block of the curve at a bit: returns the first index along the axis of that bit whose code reaches `half`.
template <int Dim>
std::size_t middle_of(const BoxCodes<Dim>& code, const Ranges<Dim>& range, std::uint64_t half, int bit) {
  const auto axis = static_cast<std::size_t>(bit % Dim);
  std::uint64_t axis_mask = 0; // bits of the axis
  for (int b = bit % Dim; b < n_position_bits<Dim>; b += Dim)
    axis_mask |= std::uint64_t(1) << b;
  return static_cast<std::size_t>(std::lower_bound(code[axis].begin() + static_cast<std::ptrdiff_t>(range[axis].first),
                                                   code[axis].begin() + static_cast<std::ptrdiff_t>(range[axis].second),
                                                   half & axis_mask) -
                                  code[axis].begin());
}

/// Adds the blocks that make up the positions [first, end), among those that agree with `position` above `bit`.
template <int Dim>
void add_blocks(const BoxCodes<Dim>& code, const Ranges<Dim>& range, std::uint64_t position, int bit,
                std::uint64_t first, std::uint64_t end, std::vector<BoxBlock<Dim>>& blocks) {
  for (const auto& [begin, after] : range)
    if (begin == after)
      return;
  const std::uint64_t after = position + (std::uint64_t(1) << (bit + 1));
  if (after <= first || position >= end)
    return;
  if (position >= first && after <= end) {
    BoxBlock<Dim> block;
    for (int d = 0; d < Dim; ++d) {
      block.lower[d] = static_cast<index_t>(range[static_cast<std::size_t>(d)].first);
      block.end[d] = static_cast<index_t>(range[static_cast<std::size_t>(d)].second);
    }
    blocks.push_back(block);
    return;
  }
  const std::uint64_t half = position | std::uint64_t(1) << bit;
  const auto axis = static_cast<std::size_t>(bit % Dim);
  const std::size_t middle = middle_of<Dim>(code, range, half, bit);
  Ranges<Dim> lower = range;
  Ranges<Dim> upper = range;
  lower[axis].second = middle;
  upper[axis].first = middle;
  add_blocks<Dim>(code, lower, position, bit - 1, first, end, blocks);
  add_blocks<Dim>(code, upper, half, bit - 1, first, end, blocks);
}

/// The bounding block, along the other axes, of the blocks that contain an index along the last axis.
template <int Dim> BoxBlock<Dim> bounds_at(const std::vector<BoxBlock<Dim>>& blocks, index_t position) {
  BoxBlock<Dim> bounds{};
  bool is_first = true;
  for (const BoxBlock<Dim>& block : blocks) {
    if (position < block.lower[Dim - 1] || position >= block.end[Dim - 1])
      continue;
    for (int d = 0; d < Dim - 1; ++d) {
      bounds.lower[d] = is_first ? block.lower[d] : std::min(bounds.lower[d], block.lower[d]);
      bounds.end[d] = is_first ? block.end[d] : std::max(bounds.end[d], block.end[d]);
    }
    is_first = false;
  }
  return bounds;
}

} // namespace

template <int Dim>
std::vector<std::uint64_t> cut_box_curve(const BoxCodes<Dim>& codes, std::int64_t n_nodes, int n_parts) {
  std::vector<std::uint64_t> cuts{0};
  for (int part = 1; part < n_parts; ++part) {
    const auto wanted = static_cast<std::int64_t>(static_cast<double>(n_nodes) / n_parts * part);
    Ranges<Dim> range = whole_ranges<Dim>(codes); // of indices in the cube
    std::uint64_t position = 0;
    std::int64_t before = 0;
    for (int bit = n_position_bits<Dim> - 1; bit >= 0; --bit) {
      const auto axis = static_cast<std::size_t>(bit % Dim);
      const std::uint64_t half = position | std::uint64_t(1) << bit;
      const std::size_t middle = middle_of<Dim>(codes, range, half, bit);
      std::int64_t n_lower = 1;
      for (std::size_t d = 0; d < Dim; ++d)
        n_lower *= static_cast<std::int64_t>(d == axis ? middle - range[d].first : range[d].second - range[d].first);
      if (before + n_lower <= wanted) {
        before += n_lower;
        position = half;
        range[axis].first = middle;
      } else {
        range[axis].second = middle;
      }
    }
    cuts.push_back(position);
  }
  cuts.push_back(std::uint64_t(1) << n_position_bits<Dim>);
  return cuts;
}

template <int Dim>
std::vector<BoxBlock<Dim>> blocks_on_curve(const BoxCodes<Dim>& codes, std::uint64_t first, std::uint64_t end) {
  std::vector<BoxBlock<Dim>> blocks;
  add_blocks<Dim>(codes, whole_ranges<Dim>(codes), 0, n_position_bits<Dim> - 1, first, end, blocks);
  return blocks;
}

template <int Dim>
void BoxSlabs<Dim>::add(const std::vector<BoxBlock<Dim>>& blocks, Reach reach, const BoxBlock<Dim>& within) {
  std::vector<BoxBlock<Dim>> reached;
  std::vector<index_t> changes; // along the last axis
  for (BoxBlock<Dim> block : blocks) {
    bool is_empty = false;
    for (int d = 0; d < Dim; ++d) {
      block.lower[d] = std::max(block.lower[d] - reach.below, within.lower[d]);
      block.end[d] = std::min(block.end[d] + reach.above, within.end[d]);
      is_empty = is_empty || block.lower[d] >= block.end[d];
    }
    if (is_empty)
      continue;
    reached.push_back(block);
    changes.push_back(block.lower[Dim - 1]);
    changes.push_back(block.end[Dim - 1]);
  }
  std::sort(changes.begin(), changes.end());
  changes.erase(std::unique(changes.begin(), changes.end()), changes.end());
  for (std::size_t k = 1; k < changes.size(); ++k) {
    BoxSlab<Dim> slab{bounds_at<Dim>(reached, changes[k - 1]), n_positions};
    slab.block.lower[Dim - 1] = changes[k - 1];
    slab.block.end[Dim - 1] = changes[k];
    index_t n_more = 1;
    for (int d = 0; d < Dim; ++d)
      n_more *= slab.block.end[d] - slab.block.lower[d];
    if (n_more > 0) // otherwise between blocks
      slabs.push_back(slab);
    n_positions += n_more;
  }
}

#define TESSERA_INSTANTIATE(DIM)                                                                                       \
  template std::vector<std::uint64_t> cut_box_curve<DIM>(const BoxCodes<DIM>&, std::int64_t, int);                     \
  template std::vector<BoxBlock<DIM>> blocks_on_curve<DIM>(const BoxCodes<DIM>&, std::uint64_t, std::uint64_t);        \
  template struct BoxSlabs<DIM>;
TESSERA_INSTANTIATE(2)
TESSERA_INSTANTIATE(3)
#undef TESSERA_INSTANTIATE

} // namespace tessera::mesh
