// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_FE_DOFS_DOF_PART_HPP
#define TESSERA_FE_DOFS_DOF_PART_HPP

/// \file
/// The part of a dof map whose rows one process assembles.

#include "fe/dofs/dof_map.hpp"

#include <vector>

namespace tessera::fe {

/// The nodes of all elements, for any number of nodes per element.
template <class MemorySpace> struct ElementTable {
  Array<const index_t*, MemorySpace> nodes; ///< [n_elements * nodes_per_element]
  int nodes_per_element = 0;

  index_t n_elements() const {
    return static_cast<index_t>(nodes.extent(0) / static_cast<std::size_t>(nodes_per_element));
  }
};

/// The unknowns [first, end) that the process owns, and the ghosts, which share an element with them or are coupled to
/// them otherwise. Elements and
/// unknowns keep their order, so that the owned unknowns have consecutive local indices, and the sums of a row have
/// their terms in order.
template <class MemorySpace> struct DofPart {
  /// With local indices of unknowns and global indices of nodes. Nodes away from the part's elements are undefined.
  /// Shares fixed values.
  DofMap<MemorySpace> dofs;
  Array<index_t*, MemorySpace> elements; ///< elements with owned unknowns, ascending
  index_t first_owned = 0;               ///< local index of the first owned unknown
  index_t n_owned = 0;
  index_t first = 0;                ///< global index of the first owned unknown
  std::vector<std::int64_t> ghosts; ///< global indices, ascending
};

/// `coupled`: unknowns that the owned ones need in addition to those of their elements.
template <class ExecutionSpace>
DofPart<typename ExecutionSpace::memory_space>
make_dof_part(const ExecutionSpace& exec, const DofMap<typename ExecutionSpace::memory_space>& whole,
              const ElementTable<typename ExecutionSpace::memory_space>& table, index_t first, index_t end,
              const std::vector<index_t>& coupled = {});

/// Cuts the unknowns, in order, into parts with about equal numbers of pairs of an element and one of its unknowns,
/// which determine the work of assembly and products. Returns the first unknown of each part and the number of
/// unknowns, [n_parts + 1]. Throws an error of kind input if there are fewer unknowns than parts.
template <class ExecutionSpace>
std::vector<std::int64_t> cut_unknowns(const ExecutionSpace& exec,
                                       const DofMap<typename ExecutionSpace::memory_space>& dofs,
                                       const ElementTable<typename ExecutionSpace::memory_space>& table, int n_parts);

} // namespace tessera::fe

#endif
