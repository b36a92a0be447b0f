// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_MESH_ELEMENTS_OF_PART_HPP
#define TESSERA_MESH_ELEMENTS_OF_PART_HPP

/// \file
/// Own elements of processes that follow each other, for unknowns that belong to elements.

#include "comm/communicator.hpp"
#include "mesh/element_numbers.hpp"
#include "mesh/mesh_part.hpp"

#include <functional>
#include <vector>

namespace tessera::mesh {

/// Elements in the order of their lowest nodes; those of one node keep their order. In an ordered mesh the own elements
/// of processes, those whose first nodes are own ones, follow each other then, whatever the number of processes. Nodes
/// and facets stay.
template <class ExecutionSpace, int Dim>
Mesh<Dim, typename ExecutionSpace::memory_space>
sort_by_lowest_nodes(const ExecutionSpace& exec, const Mesh<Dim, typename ExecutionSpace::memory_space>& mesh);

/// Sorts the elements of a part likewise. Returns the first own one; `part.own_elements` are those from there on.
template <class ExecutionSpace, int Dim>
index_t sort_by_lowest_nodes(const ExecutionSpace& exec, MeshPart<Dim, typename ExecutionSpace::memory_space>& part);

/// What the owner of an element of another process tells of it.
struct ToldByOwner {
  int owner;
  index_t value;
};

/// Asks the owners of `elements`, none of them own, of a part that is sorted as above. `first_own`: the first own
/// element of this process; `told`: what it tells of each own one, [n_own]. Elements are known by the numbers of their
/// nodes. Collective.
template <class ExecutionSpace, int Dim>
std::vector<ToldByOwner> ask_owners(const ExecutionSpace& exec, const comm::Communicator& world,
                                    const MeshPart<Dim, typename ExecutionSpace::memory_space>& part, index_t first_own,
                                    const Array<const index_t*, ExecutionSpace>& told,
                                    const std::vector<index_t>& elements);

/// Polytopes of a part: the own ones, joined of own simplices, and those of others that the part has simplices of.
template <class ExecutionSpace> struct PolytopesOfPart {
  ElementNumbers<ExecutionSpace> numbers; ///< by owner, then as the owner numbers its own ones
  index_t first_own = 0;
  index_t n_own = 0;
  std::vector<ToldByOwner> others; ///< owner, and number among its own ones, of those below and behind the own ones

  /// Place of polytope e among the others.
  std::size_t place_of(index_t e) const { return static_cast<std::size_t>(e < first_own ? e : e - n_own); }
};

/// The polytopes of a part that is sorted as above: `own_element_of` are those of own simplices, [n_own], numbered from
/// 0 to `n_own_elements`; `first_own`: the first own simplex. Collective: owners tell those of other simplices.
template <class ExecutionSpace, int Dim>
PolytopesOfPart<ExecutionSpace>
polytopes_of_part(const ExecutionSpace& exec, const comm::Communicator& world,
                  const MeshPart<Dim, typename ExecutionSpace::memory_space>& part, index_t first_own,
                  const Array<const index_t*, ExecutionSpace>& own_element_of, index_t n_own_elements);

/// The rows of own polytopes, which are given by their numbers among the own ones, one row after the other.
using OwnRows = std::function<std::vector<double>(const std::vector<index_t>&)>;

/// Rows of `width` numbers that the owners have of polytopes; `own_rows` gives those that others ask for. Collective.
std::vector<double> ask_rows(const comm::Communicator& world, const std::vector<ToldByOwner>& polytopes,
                             std::size_t width, const OwnRows& own_rows);

} // namespace tessera::mesh

#endif
