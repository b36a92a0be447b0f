// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_PROBLEM_BODIES_AT_JUMPS_HPP
#define TESSERA_DRIVER_PROBLEM_BODIES_AT_JUMPS_HPP

#include "comm/communicator.hpp"
#include "core/error.hpp"
#include "core/kokkos_ext/runtime.hpp"
#include "core/parallel.hpp"
#include "core/transfer/upload.hpp"
#include "driver/problem/binding/problem_binding.hpp"
#include "fe/dofs/dof_map.hpp"

#include <vector>

namespace tessera::driver::detail {

/// Finds the first constraint with one value, of a floating or whole body, that an element has at two jumps.
template <class Space, class ElementNodes> struct FindBodyAtJump {
  ElementNodes nodes;
  Array<const group_t*, Space> node_constraint;
  Array<const index_t*, Space> has_one_value; // by constraint
  Array<const double*, Space> jumps;
  KOKKOS_FUNCTION void operator()(index_t e, index_t& first) const {
    const int n = static_cast<int>(nodes.extent(1));
    for (int a = 0; a < n; ++a)
      for (int b = 0; b < a; ++b) {
        const group_t constraint = node_constraint(nodes(e, a));
        if (constraint != fe::DofMap<Space>::unconstrained && constraint == node_constraint(nodes(e, b)) &&
            has_one_value(constraint) != 0 && jumps(nodes(e, a)) != jumps(nodes(e, b)) && constraint < first)
          first = constraint;
      }
  }
};

/// Refuses bodies of one value that reach a periodic boundary with a jump and its partner: their values there differ.
template <class ExecutionSpace, class ElementNodes>
void check_bodies_at_jumps(const ExecutionSpace& exec, const ElementNodes& nodes,
                           const fe::DofMap<typename ExecutionSpace::memory_space>& dofs,
                           const Array<double*, ExecutionSpace>& jumps, const ProblemBinding& binding,
                           const comm::Communicator& world) {
  using Space = typename ExecutionSpace::memory_space;
  std::vector<index_t> has_one_value{0}; // never empty
  for (const fe::Constraint& constraint : binding.constraints)
    has_one_value.insert(has_one_value.end() - 1, constraint.is_tied || constraint.is_region ? 1 : 0);
  const auto table = uploaded(exec, "driver::constraints_of_one_value", has_one_value);
  const auto none = static_cast<index_t>(binding.constraints.size());
  index_t first = none;
  Kokkos::parallel_reduce(
      "tessera::driver::find_body_at_jump",
      Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<index_t>>(exec, 0, static_cast<index_t>(nodes.extent(0))),
      FindBodyAtJump<Space, ElementNodes>{nodes, dofs.node_constraint, table, jumps},
      Kokkos::Min<index_t>(first)); // waits: the table may be freed
  first = first < none ? first : none;
  first = -static_cast<index_t>(world.largest(-static_cast<double>(first)));
  if (first == none)
    return;
  const auto c = static_cast<std::size_t>(first);
  throw Error(ErrorKind::input, binding.constraints[c].where + ": '" + binding.constraint_names[c] +
                                    "' has one value, but reaches both sides of a periodic pair with a jump, where "
                                    "values differ. Shift the cell so that the body lies within it.");
}

} // namespace tessera::driver::detail

#endif
