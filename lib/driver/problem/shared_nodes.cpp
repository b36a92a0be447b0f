// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/problem/shared_nodes.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace tessera::driver {

namespace {

using Bits = std::array<std::int64_t, 3>;

Bits bits_of(const std::array<double, 3>& at) {
  Bits bits{};
  for (std::size_t d = 0; d < 3; ++d) {
    const double x = at[d] + 0.; // -0 becomes 0
    std::memcpy(&bits[d], &x, sizeof(x));
  }
  return bits;
}

} // namespace

void add_constraint(int constraint, SharedNode& node) {
  std::vector<int>& known = node.constraints;
  const auto at = std::lower_bound(known.begin(), known.end(), constraint);
  if (at == known.end() || *at != constraint)
    known.insert(at, constraint);
}

void add_jump(const ValueJump& jump, std::vector<ValueJump>& jumps) {
  const auto is_same = [&](const ValueJump& known) { return known.first == jump.first && known.second == jump.second; };
  if (std::none_of(jumps.begin(), jumps.end(), is_same))
    jumps.push_back(jump);
}

void complete_jumps(const comm::Communicator& world, std::vector<ValueJump>& jumps) {
  const std::vector<ValueJump> all = world.gather_lists(jumps);
  jumps.clear();
  for (const ValueJump& jump : all)
    add_jump(jump, jumps);
}

void complete_shared_nodes(const comm::Communicator& world, const std::vector<index_t>& fixed,
                           const std::vector<std::array<double, 3>>& places, SharedNodes& nodes) {
  struct Sent {
    Bits at;
    std::int64_t constraint;
  };
  std::vector<Sent> owned;
  for (const auto& [node, shared] : nodes)
    for (const int constraint : shared.constraints)
      owned.push_back({bits_of(shared.at), constraint});
  std::map<Bits, std::vector<int>> received; // few, even if boundaries have many nodes
  for (const Sent& sent : world.gather_lists(owned))
    received[sent.at].push_back(static_cast<int>(sent.constraint));
  for (std::size_t i = 0; i < fixed.size() && !received.empty(); ++i) {
    const auto found = received.find(bits_of(places[i]));
    if (found == received.end())
      continue;
    SharedNode& shared = nodes[fixed[i]];
    shared.at = places[i];
    for (const int constraint : found->second)
      add_constraint(constraint, shared);
  }
}

std::vector<double> shared_flows(std::size_t n_constraints, const std::vector<std::vector<int>>& of_class,
                                 const std::vector<std::map<int, double>>& flows, const std::vector<double>& all) {
  std::vector<double> moved(n_constraints, 0.);
  for (std::size_t k = 0; k < of_class.size(); ++k) {
    const auto flow_of = [&](int constraint) {
      const auto at = flows[k].find(constraint);
      return at == flows[k].end() ? 0. : at->second;
    };
    double lacking = all[k];
    for (const int constraint : of_class[k])
      lacking -= flow_of(constraint);
    for (const int constraint : of_class[k]) {
      if (constraint == of_class[k].back())
        continue;
      const double part = flow_of(constraint) + lacking / static_cast<double>(of_class[k].size());
      moved[static_cast<std::size_t>(constraint)] += part;
      moved[static_cast<std::size_t>(of_class[k].back())] -= part;
    }
  }
  return moved;
}

} // namespace tessera::driver
