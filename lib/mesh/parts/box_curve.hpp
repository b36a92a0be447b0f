// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_MESH_PARTS_BOX_CURVE_HPP
#define TESSERA_MESH_PARTS_BOX_CURVE_HPP

/// \file
/// The Morton curve through the nodes of a structured box, whose positions are sums of codes of the indices along each
/// axis: cuts of the curve, and the blocks of nodes in a piece of it.

#include "mesh/parts/grid_indices.hpp"

#include <array>
#include <vector>

namespace tessera::mesh {

/// Contribution of each index along each axis to a node's position on the curve, ascending.
template <int Dim> using BoxCodes = std::array<std::vector<std::uint64_t>, static_cast<std::size_t>(Dim)>;

/// Cuts the curve into parts of about equal numbers of nodes: first position of each part, and the end. Nodes before a
/// position are counted cube by cube, as products of counts along the axes.
template <int Dim>
std::vector<std::uint64_t> cut_box_curve(const BoxCodes<Dim>& codes, std::int64_t n_nodes, int n_parts);

/// The disjoint blocks of nodes that make up the positions [first, end): a few for each bit.
template <int Dim>
std::vector<BoxBlock<Dim>> blocks_on_curve(const BoxCodes<Dim>& codes, std::uint64_t first, std::uint64_t end);

/// Number of further indices before and after a range along each axis.
struct Reach {
  index_t below;
  index_t above;
};

/// A list of places as consecutive slabs.
template <int Dim> struct BoxSlabs {
  std::vector<BoxSlab<Dim>> slabs;
  index_t n_positions = 0;

  /// Adds all places in blocks or within reach of them, in the order of their numbers, if they are `within` a block,
  /// and some others: those in between along all axes but the last.
  void add(const std::vector<BoxBlock<Dim>>& blocks, Reach reach, const BoxBlock<Dim>& within);
};

} // namespace tessera::mesh

#endif
