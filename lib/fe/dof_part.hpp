// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_FE_DOF_PART_HPP
#define TESSERA_FE_DOF_PART_HPP

/// \file
/// The part of a dof map whose rows one of several processes assembles.

#include "fe/dof_map.hpp"

#include <vector>

namespace tessera::fe {

/// The nodes of all elements, whatever their number per element.
template <class MemorySpace> struct ElementTable {
  Array<const index_t*, MemorySpace> nodes; ///< [n_elements * nodes_per_element]
  int nodes_per_element = 0;

  index_t n_elements() const {
    return static_cast<index_t>(nodes.extent(0) / static_cast<std::size_t>(nodes_per_element));
  }
};

/// The unknowns [first, end) of all, which the process owns, and those that share an element with them, the ghosts.
/// Elements and unknowns keep their order, so that the own unknowns are neighbours in number, and the sums of a row
/// have their terms in their order.
template <class MemorySpace> struct DofPart {
  /// With the part's own numbers of unknowns, and with the nodes of the whole. Nodes away from the part's elements have
  /// no meaning. Shares fixed values.
  DofMap<MemorySpace> dofs;
  Array<index_t*, MemorySpace> elements; ///< those with own unknowns, ascending
  index_t first_own = 0;                 ///< among the part's unknowns
  index_t n_own = 0;
  std::vector<std::int64_t> ghosts; ///< numbers among all, ascending
};

template <class ExecutionSpace>
DofPart<typename ExecutionSpace::memory_space>
make_dof_part(const ExecutionSpace& exec, const DofMap<typename ExecutionSpace::memory_space>& whole,
              const ElementTable<typename ExecutionSpace::memory_space>& table, index_t first, index_t end);

/// Cuts the unknowns, in their order, into parts of about the same number of pairs of an element and one of its
/// unknowns, by which the work of assembly and of products goes. Returns the first unknown of each part and the number
/// of unknowns, [n_parts + 1]. An error of kind input where there are fewer unknowns than parts.
template <class ExecutionSpace>
std::vector<std::int64_t> cut_unknowns(const ExecutionSpace& exec,
                                       const DofMap<typename ExecutionSpace::memory_space>& dofs,
                                       const ElementTable<typename ExecutionSpace::memory_space>& table, int n_parts);

} // namespace tessera::fe

#endif
