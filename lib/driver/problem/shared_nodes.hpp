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

/// Two boundaries of fixed values that differ at a node of both: nothing that flows through either has a bound. Natural
/// conditions that are as good as fixed values follow the constraints in number.
struct ValueJump {
  int first = 0; ///< the smaller number
  int second = 0;
  std::array<double, 3> at{}; ///< m
};

/// A node where boundaries of fixed values meet that agree there.
struct SharedNode {
  std::array<double, 3> at{};   ///< m
  std::vector<int> constraints; ///< ascending; the last one is the node's own
};

void add_constraint(int constraint, SharedNode& node);

/// By number of the node.
using SharedNodes = std::map<index_t, SharedNode>;

/// Adds a pair that is not known yet.
void add_jump(const ValueJump& jump, std::vector<ValueJump>& jumps);

/// Adds the pairs of other processes: all have the same, in the order of ranks. Collective.
void complete_jumps(const comm::Communicator& world, std::vector<ValueJump>& jumps);

/// Adds what other processes know of the nodes of this one, whose facets they may have. `fixed`: its nodes with a fixed
/// value, at `places`, m, which processes compute alike.
void complete_shared_nodes(const comm::Communicator& world, const std::vector<index_t>& fixed,
                           const std::vector<std::array<double, 3>>& places, SharedNodes& nodes);

/// What the sums of nodes, each of its own constraint, are to change by so that constraints share what flows in at a
/// class of nodes. Each gets the flow through its own facets, and an equal part of what these lack of all.
/// `flows`: [n_classes][constraint]; `of_class`: the constraints of each class; `all`: what flows in at each class.
std::vector<double> shared_flows(std::size_t n_constraints, const std::vector<std::vector<int>>& of_class,
                                 const std::vector<std::map<int, double>>& flows, const std::vector<double>& all);

} // namespace tessera::driver

#endif
