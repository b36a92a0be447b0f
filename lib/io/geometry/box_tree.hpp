// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_IO_GEOMETRY_BOX_TREE_HPP
#define TESSERA_IO_GEOMETRY_BOX_TREE_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

namespace tessera::io {

/// Axis-aligned box.
struct Box3 {
  std::array<double, 3> lower{std::numeric_limits<double>::max(), std::numeric_limits<double>::max(),
                              std::numeric_limits<double>::max()};
  std::array<double, 3> upper{std::numeric_limits<double>::lowest(), std::numeric_limits<double>::lowest(),
                              std::numeric_limits<double>::lowest()};

  void add(const std::array<double, 3>& point) {
    for (std::size_t d = 0; d < 3; ++d) {
      lower[d] = std::min(lower[d], point[d]);
      upper[d] = std::max(upper[d], point[d]);
    }
  }
};

/// Binary tree of boxes around items, on the host.
class BoxTree {
public:
  struct Node {
    Box3 box;
    std::size_t first = 0, end = 0; ///< its items: order()[first .. end)
    std::size_t child = 0;          ///< the first of its two children; 0: a leaf
  };

  BoxTree() = default;
  explicit BoxTree(const std::vector<Box3>& boxes) {
    for (std::size_t i = 0; i < boxes.size(); ++i)
      order_.push_back(i);
    if (!boxes.empty())
      nodes_.push_back({{}, 0, boxes.size(), 0});
    for (std::size_t n = 0; n < nodes_.size(); ++n)
      divide(boxes, n);
  }

  const std::vector<Node>& nodes() const { return nodes_; }
  const std::vector<std::size_t>& order() const { return order_; }

  /// Finds the smallest value of the items: bound(node) is a lower bound for the node's items, and visit(item) returns
  /// the item's value. Visits nodes with smaller bounds first, and skips nodes whose bound is not below the smallest
  /// value so far, initially `most`; returns the smallest value. A bound may be infinite.
  template <class Bound, class Visit> double least(double most, const Bound& bound, const Visit& visit) const {
    struct Open {
      std::size_t node;
      double bound;
    };
    std::array<Open, 128> open; // two per level of a balanced tree
    std::size_t n_open = 0;
    if (!nodes_.empty())
      open[n_open++] = {0, bound(0)};
    while (n_open > 0) {
      const Open next = open[--n_open];
      if (!(next.bound < most))
        continue;
      const Node& node = nodes_[next.node];
      if (node.child == 0) {
        for (std::size_t i = node.first; i < node.end; ++i)
          most = std::min(most, static_cast<double>(visit(order_[i])));
        continue;
      }
      Open one{node.child, bound(node.child)}, other{node.child + 1, bound(node.child + 1)};
      if (one.bound < other.bound)
        std::swap(one, other);
      open[n_open++] = one;
      open[n_open++] = other;
    }
    return most;
  }

private:
  void divide(const std::vector<Box3>& boxes, std::size_t n) {
    constexpr std::size_t leaf_size = 4;
    Node node = nodes_[n];
    for (std::size_t i = node.first; i < node.end; ++i) {
      node.box.add(boxes[order_[i]].lower);
      node.box.add(boxes[order_[i]].upper);
    }
    if (node.end - node.first > leaf_size) {
      std::size_t axis = 0;
      for (std::size_t d = 1; d < 3; ++d)
        if (node.box.upper[d] - node.box.lower[d] > node.box.upper[axis] - node.box.lower[axis])
          axis = d;
      const std::size_t middle = (node.first + node.end) / 2;
      const auto at = [&](std::size_t i) { return order_.begin() + static_cast<std::ptrdiff_t>(i); };
      std::nth_element(at(node.first), at(middle), at(node.end), [&](std::size_t a, std::size_t b) {
        const double x = boxes[a].lower[axis] + boxes[a].upper[axis], y = boxes[b].lower[axis] + boxes[b].upper[axis];
        return x != y ? x < y : a < b;
      });
      node.child = nodes_.size();
      nodes_.push_back({{}, node.first, middle, 0});
      nodes_.push_back({{}, middle, node.end, 0});
    }
    nodes_[n] = node;
  }

  std::vector<Node> nodes_;
  std::vector<std::size_t> order_;
};

} // namespace tessera::io

#endif
