// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_PROBLEM_BOUND_NODES_HPP
#define TESSERA_DRIVER_PROBLEM_BOUND_NODES_HPP

#include "comm/communicator.hpp"
#include "core/error.hpp"
#include "driver/problem/binding/problem_binding.hpp"
#include "fe/dofs/dof_map.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace tessera::driver::detail {

/// Whether something other than fixed values determines the solution: a flux proportional to a difference, radiation,
/// open space, or antiperiodic boundaries.
inline bool is_held_by_conditions(const ProblemBinding& binding) {
  const std::vector<physics::NaturalData>& natural = binding.medium().natural;
  return std::any_of(natural.begin(), natural.end(),
                     [](const physics::NaturalData& data) { return data.fixes_solution(); }) ||
         std::any_of(binding.periodic.begin(), binding.periodic.end(),
                     [](const fe::PeriodicPair& pair) { return pair.is_antiperiodic; });
}

/// Reports groups whose condition applies to no node, because all their nodes belong to others: an error for floating
/// bodies, which then lack an unknown, and for fixed groups a note, or an error if nothing else fixes the solution.
template <class ExecutionSpace>
void check_bound_nodes(const ExecutionSpace& exec, const fe::DofMap<typename ExecutionSpace::memory_space>& dofs,
                       const ProblemBinding& binding, const comm::Communicator& world,
                       std::vector<std::string>& notes) {
  const std::vector<bool> has_nodes = fe::constraints_with_nodes(exec, dofs, binding.constraints.size());
  const bool has_axis = std::any_of(binding.constraints.begin(), binding.constraints.end(),
                                    [](const fe::Constraint& constraint) { return constraint.is_axis; });
  bool is_fixed = is_held_by_conditions(binding);
  std::vector<std::string> missing;
  for (std::size_t c = 0; c < binding.constraints.size(); ++c) {
    const fe::Constraint& constraint = binding.constraints[c];
    if (world.largest(has_nodes[c] ? 1 : 0) == 1) {
      is_fixed = is_fixed || !constraint.is_tied;
      continue;
    }
    if (constraint.is_axis)
      continue;
    const std::string text = constraint.where + ": The " + (constraint.is_tied ? "floating body '" : "group '") +
                             binding.constraint_names[c] + "' has no node of its own: all its nodes lie on " +
                             (has_axis ? "the axis, where symmetry makes A = 0, or on " : "") +
                             "boundaries that are listed after it";
    TESSERA_REQUIRE(!constraint.is_tied, text << '.');
    missing.push_back(text + ", whose conditions hold there. Its own holds nowhere");
  }
  TESSERA_REQUIRE(missing.empty() || is_fixed, missing.front() << ", and nothing else fixes the solution.");
  for (const std::string& text : missing)
    notes.push_back(text + '.');
}

} // namespace tessera::driver::detail

#endif
