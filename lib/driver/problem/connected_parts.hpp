// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_PROBLEM_CONNECTED_PARTS_HPP
#define TESSERA_DRIVER_PROBLEM_CONNECTED_PARTS_HPP

/// \file
/// Connected parts of a mesh: elements between which there are unknowns. Bodies that do not touch, or meet only in
/// boundaries of given value, are parts of their own, whose flows and sources add up to zero each. Bodies that a
/// floating body or periodic sides join are one part.

#include "core/algorithms/grouped_items.hpp"
#include "fe/dofs/dof_map.hpp"
#include "fe/dofs/dof_part.hpp"

namespace tessera::driver {

/// Further parts are counted as one with the last.
constexpr index_t most_connected_parts = 256;

template <class ExecutionSpace> struct ConnectedParts {
  using Space = typename ExecutionSpace::memory_space;
  index_t n = 1;
  /// If there are several: [n_elements] and [n_unknowns], the part of each, by their smallest unknowns; -1: none,
  /// because all of an element's values are given, or carried by a good conductor.
  Array<index_t*, ExecutionSpace> of_element, of_unknown;
  GroupedItems<Space> elements; ///< by part

  /// The elements of a part, ascending.
  Array<index_t*, ExecutionSpace> elements_of(const ExecutionSpace& exec, index_t part) const;
};

/// `node_boundary`: the boundaries that nodes belong to, 0 .. n_boundaries - 1, including those that good conductors
/// carry to them (CarriedValues); larger numbers: none.
template <class ExecutionSpace>
ConnectedParts<ExecutionSpace>
find_connected_parts(const ExecutionSpace& exec,
                     const fe::ElementTable<typename ExecutionSpace::memory_space>& elements,
                     const fe::DofMap<typename ExecutionSpace::memory_space>& dofs,
                     const Array<const group_t*, ExecutionSpace>& node_boundary, int n_boundaries);

} // namespace tessera::driver

#endif
