// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_MESH_POINT_TREE_HPP
#define TESSERA_MESH_POINT_TREE_HPP

/// \file
/// Search tree over given points: finds the points in a box in logarithmic time.
///
/// The points are sorted along a Morton curve; eight consecutive points form a leaf, eight leaves the node above them,
/// and so on. A node has the bounding box of its points. Being a tree of boxes over sorted points (after T. Karras,
/// Maximizing parallelism in the construction of BVHs, octrees, and k-d trees, 2012, but complete, with eight branches,
/// and traversed without a stack), it suits points that lie on a line or in clusters, and meshes of any grading, for
/// which a uniform grid would have most points in few cells.

#include "mesh/morton_curve.hpp"

#include <array>
#include <vector>

namespace tessera::mesh {

template <int Dim, class MemorySpace> struct PointTree {
  static constexpr int n_branches = 8;
  static constexpr int max_levels = 11; // 8^11 points are more than index_t can count

  /// Bounds of a node's points.
  struct Box {
    double low[Dim];
    double high[Dim];
  };
  /// A node during a traversal.
  struct Node {
    int level;
    index_t number;
  };

  Array<double* [Dim], MemorySpace> points; ///< along the curve
  Array<index_t*, MemorySpace> numbers;     ///< original indices of the points
  Array<Box*, MemorySpace> boxes;           ///< leaves first, then level by level; the last one is the root
  index_t level_begin[max_levels];          ///< in `boxes`
  index_t level_size[max_levels] = {};
  int n_levels = 0;

  /// Start of a traversal: before the root.
  KOKKOS_FUNCTION Node begin() const { return {n_levels, -1}; }

  /// Moves `node` to the next leaf whose box intersects [low, high]; returns false if there is none. The points of a
  /// leaf are first_point(node) to end_point(node) - 1.
  KOKKOS_FUNCTION bool next_leaf(Node& node, const double (&low)[Dim], const double (&high)[Dim]) const {
    if (n_levels == 0)
      return false;
    if (node.number < 0)
      node = {n_levels - 1, 0};
    else
      skip(node);
    while (node.level < n_levels) {
      if (!meets(boxes(level_begin[node.level] + node.number), low, high))
        skip(node);
      else if (node.level > 0)
        node = {node.level - 1, node.number * n_branches};
      else
        return true;
    }
    return false;
  }
  KOKKOS_FUNCTION index_t first_point(const Node& leaf) const { return leaf.number * n_branches; }
  KOKKOS_FUNCTION index_t end_point(const Node& leaf) const {
    const auto n = static_cast<index_t>(numbers.extent(0));
    return n - first_point(leaf) < n_branches ? n : first_point(leaf) + n_branches;
  }

private:
  /// The next node that is not below this one; above the root at the end.
  KOKKOS_FUNCTION void skip(Node& node) const {
    ++node.number;
    while (node.level < n_levels && (node.number % n_branches == 0 || node.number >= level_size[node.level])) {
      node.number = (node.number - 1) / n_branches + 1;
      ++node.level;
    }
  }
  KOKKOS_FUNCTION static bool meets(const Box& box, const double (&low)[Dim], const double (&high)[Dim]) {
    bool meets = true;
    for (int d = 0; d < Dim; ++d)
      meets = meets && box.low[d] <= high[d] && box.high[d] >= low[d];
    return meets;
  }
};

/// Tree over points given on the host, of which the first Dim coordinates are used; points with NaN coordinates are in
/// no box. The tree does not depend on the execution space.
template <class ExecutionSpace, int Dim>
PointTree<Dim, typename ExecutionSpace::memory_space> make_point_tree(const ExecutionSpace& exec,
                                                                      const std::vector<std::array<double, 3>>& points);

} // namespace tessera::mesh

#endif
