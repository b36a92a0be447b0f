// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_MESH_BOX_CURVE_HPP
#define TESSERA_MESH_BOX_CURVE_HPP

/// \file
/// The Morton curve through the nodes of a structured box, whose positions follow from codes of the places along each
/// axis: cuts of it, and the blocks that a piece of it has.

#include "mesh/box_places.hpp"

#include <array>
#include <vector>

namespace tessera::mesh {

/// What each place along each axis adds to a node's position, ascending.
template <int Dim> using BoxCodes = std::array<std::vector<std::uint64_t>, static_cast<std::size_t>(Dim)>;

/// Cuts the curve: first position of each part, and the end. Nodes before a position are counted cube by cube, as
/// products of counts along the axes.
template <int Dim>
std::vector<std::uint64_t> cut_box_curve(const BoxCodes<Dim>& codes, std::int64_t n_nodes, int n_parts);

/// The blocks of nodes that make up the positions [first, end). They are disjoint, and few: a handful for each bit.
template <int Dim>
std::vector<BoxBlock<Dim>> blocks_on_curve(const BoxCodes<Dim>& codes, std::uint64_t first, std::uint64_t end);

/// All places within a number of others, before and behind them along each axis.
struct Reach {
  index_t below;
  index_t above;
};

/// Slabs one after the other, which list places.
template <int Dim> struct BoxSlabs {
  std::vector<BoxSlab<Dim>> slabs;
  index_t n_places = 0;

  /// Adds, in the order of their numbers, all places that blocks have or reach, as far as they are `within` a block,
  /// and some more: those between along all axes but the last.
  void add(const std::vector<BoxBlock<Dim>>& blocks, Reach reach, const BoxBlock<Dim>& within);
};

} // namespace tessera::mesh

#endif
