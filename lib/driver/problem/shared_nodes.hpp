// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_PROBLEM_SHARED_NODES_HPP
#define TESSERA_DRIVER_PROBLEM_SHARED_NODES_HPP

#include "comm/communicator.hpp"
#include "core/types.hpp"

#include <array>
#include <map>
#include <vector>

namespace tessera::driver {

/// Two boundaries of fixed values that differ at a common node: flows through both are unbounded. Natural conditions
/// equivalent to fixed values are numbered after the constraints.
struct ValueJump {
  int first = 0; ///< the smaller number
  int second = 0;
  std::array<double, 3> at{}; ///< m
};

/// A node at which boundaries with equal fixed values meet.
struct SharedNode {
  std::array<double, 3> at{};   ///< m
  std::vector<int> constraints; ///< ascending; the last one is the node's constraint
};

void add_constraint(int constraint, SharedNode& node);

/// By node index.
using SharedNodes = std::map<index_t, SharedNode>;

/// Adds a pair unless it is known already.
void add_jump(const ValueJump& jump, std::vector<ValueJump>& jumps);

/// Adds the pairs of other processes: all processes then have the same, in the order of ranks. Collective.
void complete_jumps(const comm::Communicator& world, std::vector<ValueJump>& jumps);

/// Adds the other processes' data on this process's nodes, whose facets may be in other processes. `fixed`: its nodes
/// with a fixed value, at `places`, m, which all processes compute identically.
void complete_shared_nodes(const comm::Communicator& world, const std::vector<index_t>& fixed,
                           const std::vector<std::array<double, 3>>& places, SharedNodes& nodes);

/// Corrections to the sums over nodes, each of which has one constraint, so that constraints share the inflow at a
/// class of nodes. Each gets the flow through its facets, and an equal part of the remaining inflow.
/// `flows`: [n_classes][constraint]; `of_class`: the constraints of each class; `all`: total inflow of each class.
std::vector<double> shared_flows(std::size_t n_constraints, const std::vector<std::vector<int>>& of_class,
                                 const std::vector<std::map<int, double>>& flows, const std::vector<double>& all);

} // namespace tessera::driver

#endif
