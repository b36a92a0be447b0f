// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_FE_GHOST_NUMBERS_HPP
#define TESSERA_FE_GHOST_NUMBERS_HPP

/// \file
/// Numbers of unknowns among those of all processes, where each process has its part of the mesh alone.

#include "comm/communicator.hpp"
#include "fe/dof_part.hpp"

#include <cstdint>
#include <vector>

namespace tessera::fe {

/// The vertices of a process's part of a mesh: their numbers in the whole, and the process that owns each. The own
/// ones, [first_own, first_own + n_own), follow each other; those of lower processes come before them.
template <class MemorySpace> struct PartVertices {
  Array<const index_t*, MemorySpace> numbers;
  Array<const int*, MemorySpace> owner;
  index_t first_own = 0;
  index_t n_own = 0;
  /// Whether the part has all elements at it; empty: own ones alone are such.
  Array<const std::uint8_t*, MemorySpace> is_surrounded;
  bool is_last = false; ///< of all processes: it owns the tied unknowns, and has all elements at their nodes
};

/// Range of the own unknowns among those of a process's part of the mesh: of its own vertices, and with order 2 of the
/// edges whose lower vertex is an own one, as Numbering::edges_after_vertices has them, where the smallest of
/// identified nodes counts, all of which every part has; of the last process the tied unknowns, too.
struct OwnUnknowns {
  index_t first = 0;
  index_t end = 0;
};
template <class ExecutionSpace>
OwnUnknowns find_own_unknowns(const ExecutionSpace& exec, const DofMap<typename ExecutionSpace::memory_space>& dofs,
                              const ElementTable<typename ExecutionSpace::memory_space>& table, int dimension,
                              const PartVertices<typename ExecutionSpace::memory_space>& vertices);

/// Number of own nodes with fixed values: own vertices, and with order 2 the edges whose lower vertex is an own one.
template <class ExecutionSpace>
std::int64_t count_own_fixed(const ExecutionSpace& exec, const DofMap<typename ExecutionSpace::memory_space>& dofs,
                             const ElementTable<typename ExecutionSpace::memory_space>& table, int dimension,
                             const PartVertices<typename ExecutionSpace::memory_space>& vertices);

/// Numbers among all of `unknowns` outside of the own range, which are numbers in `dofs`, ascending; so is the result,
/// with -1 for those of no element at a surrounded vertex, of which the part need not know whether they are fixed.
/// `offsets`: first unknown of each process, and the number of all. Collective: asks the owners.
template <class ExecutionSpace>
std::vector<std::int64_t> number_ghosts(const ExecutionSpace& exec, const comm::Communicator& world,
                                        const DofMap<typename ExecutionSpace::memory_space>& dofs,
                                        const ElementTable<typename ExecutionSpace::memory_space>& table, int dimension,
                                        const PartVertices<typename ExecutionSpace::memory_space>& vertices,
                                        const OwnUnknowns& own, const std::vector<std::int64_t>& offsets,
                                        const std::vector<std::int64_t>& unknowns);

/// The unknowns of a process's part of a mesh.
struct PartUnknowns {
  OwnUnknowns own;
  std::vector<std::int64_t> others; ///< numbers among all of those below and behind the own ones, as number_ghosts()

  std::size_t n_below() const { return static_cast<std::size_t>(own.first); }
  /// Number in the part of one of the others.
  index_t unknown(std::size_t other) const {
    return static_cast<index_t>(other) + (other < n_below() ? 0 : own.end - own.first);
  }
  /// Its place among the others.
  std::size_t place(std::int64_t unknown) const {
    return static_cast<std::size_t>(unknown < own.first ? unknown : unknown - (own.end - own.first));
  }
};
/// number_ghosts() for all others of the part. Collective.
template <class ExecutionSpace>
PartUnknowns number_others(const ExecutionSpace& exec, const comm::Communicator& world,
                           const DofMap<typename ExecutionSpace::memory_space>& dofs,
                           const ElementTable<typename ExecutionSpace::memory_space>& table, int dimension,
                           const PartVertices<typename ExecutionSpace::memory_space>& vertices, const OwnUnknowns& own,
                           const std::vector<std::int64_t>& offsets);

} // namespace tessera::fe

#endif
