// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_FE_DOFS_GHOST_NUMBERS_HPP
#define TESSERA_FE_DOFS_GHOST_NUMBERS_HPP

/// \file
/// Global indices of unknowns if each process has only its part of the mesh.

#include "comm/communicator.hpp"
#include "fe/dofs/dof_part.hpp"

#include <cstdint>
#include <vector>

namespace tessera::fe {

/// The vertices of a process's part of a mesh: their global indices, and the process that owns each. The owned ones,
/// [first_owned, first_owned + n_owned), are contiguous; those of lower processes precede them.
template <class MemorySpace> struct PartVertices {
  Array<const index_t*, MemorySpace> numbers;
  Array<const int*, MemorySpace> owner;
  index_t first_owned = 0;
  index_t n_owned = 0;
  /// Whether the part contains all elements at a vertex; empty: true for owned vertices only.
  Array<const std::uint8_t*, MemorySpace> is_surrounded;
  bool is_last = false; ///< last of all processes: it owns the tied unknowns, and has all elements at their nodes
};

/// Range of the owned unknowns among those of a process's part of the mesh: the unknowns of its owned vertices and,
/// with order 2, of the edges whose lower vertex is owned, in the order of Numbering::edges_after_vertices. Of
/// identified nodes, which every part has, the smallest counts. The last process also owns the tied unknowns.
struct OwnedUnknowns {
  index_t first = 0;
  index_t end = 0;
};
template <class ExecutionSpace>
OwnedUnknowns find_owned_unknowns(const ExecutionSpace& exec, const DofMap<typename ExecutionSpace::memory_space>& dofs,
                                  const ElementTable<typename ExecutionSpace::memory_space>& table, int dimension,
                                  const PartVertices<typename ExecutionSpace::memory_space>& vertices);

/// Number of owned nodes with fixed values: owned vertices and, with order 2, the edges whose lower vertex is owned.
template <class ExecutionSpace>
std::int64_t count_owned_fixed(const ExecutionSpace& exec, const DofMap<typename ExecutionSpace::memory_space>& dofs,
                               const ElementTable<typename ExecutionSpace::memory_space>& table, int dimension,
                               const PartVertices<typename ExecutionSpace::memory_space>& vertices);

/// Global indices of `unknowns`, local indices in `dofs`, ascending, outside the owned range; the result is ascending,
/// too, with -1 for unknowns that are in no element at a surrounded vertex, for which the part need not know whether
/// they are fixed. `offsets`: first unknown of each process, and the total. Collective: sends requests to the owners.
template <class ExecutionSpace>
std::vector<std::int64_t> number_ghosts(const ExecutionSpace& exec, const comm::Communicator& world,
                                        const DofMap<typename ExecutionSpace::memory_space>& dofs,
                                        const ElementTable<typename ExecutionSpace::memory_space>& table, int dimension,
                                        const PartVertices<typename ExecutionSpace::memory_space>& vertices,
                                        const OwnedUnknowns& owned, const std::vector<std::int64_t>& offsets,
                                        const std::vector<std::int64_t>& unknowns);

/// The unknowns of a process's part of a mesh.
struct PartUnknowns {
  OwnedUnknowns owned;
  std::vector<std::int64_t> others; ///< global indices of the unknowns before and after the owned ones, as from
                                    ///< number_ghosts()

  std::size_t n_below() const { return static_cast<std::size_t>(owned.first); }
  /// Local index of one of the others.
  index_t unknown(std::size_t other) const {
    return static_cast<index_t>(other) + (other < n_below() ? 0 : owned.end - owned.first);
  }
  /// Index among the others of a local index.
  std::size_t position(std::int64_t unknown) const {
    return static_cast<std::size_t>(unknown < owned.first ? unknown : unknown - (owned.end - owned.first));
  }
};
/// Calls number_ghosts() for all other unknowns of the part. Collective.
template <class ExecutionSpace>
PartUnknowns number_others(const ExecutionSpace& exec, const comm::Communicator& world,
                           const DofMap<typename ExecutionSpace::memory_space>& dofs,
                           const ElementTable<typename ExecutionSpace::memory_space>& table, int dimension,
                           const PartVertices<typename ExecutionSpace::memory_space>& vertices,
                           const OwnedUnknowns& owned, const std::vector<std::int64_t>& offsets);

} // namespace tessera::fe

#endif
