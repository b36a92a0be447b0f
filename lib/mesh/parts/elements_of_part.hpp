// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_MESH_PARTS_ELEMENTS_OF_PART_HPP
#define TESSERA_MESH_PARTS_ELEMENTS_OF_PART_HPP

/// \file
/// Contiguous owned elements of processes, for unknowns that belong to elements.

#include "comm/communicator.hpp"
#include "mesh/parts/element_numbers.hpp"
#include "mesh/parts/mesh_part.hpp"

#include <functional>
#include <vector>

namespace tessera::mesh {

/// Orders elements by their lowest nodes; elements with the same lowest node keep their order. In an ordered mesh the
/// owned elements of each process, those whose lowest nodes are owned, are then contiguous, for any number of
/// processes. Nodes and facets are unchanged.
template <class ExecutionSpace, int Dim>
Mesh<Dim, typename ExecutionSpace::memory_space>
sort_by_lowest_nodes(const ExecutionSpace& exec, const Mesh<Dim, typename ExecutionSpace::memory_space>& mesh);

/// Sorts the elements of a part likewise. Returns the first owned one; `part.owned_elements` are those from there on.
template <class ExecutionSpace, int Dim>
index_t sort_by_lowest_nodes(const ExecutionSpace& exec, MeshPart<Dim, typename ExecutionSpace::memory_space>& part);

/// Data that the owner of an element sends to another process.
struct OwnerAnswer {
  int owner;
  index_t value;
};

/// Requests data of `elements`, none of them owned, from their owners; the part must be sorted as above. `first_owned`:
/// first owned element of this process; `answered`: data to send for each owned one, [n_owned]. Elements are identified
/// by the global indices of their nodes. Collective.
template <class ExecutionSpace, int Dim>
std::vector<OwnerAnswer> request_owners(const ExecutionSpace& exec, const comm::Communicator& world,
                                        const MeshPart<Dim, typename ExecutionSpace::memory_space>& part,
                                        index_t first_owned, const Array<const index_t*, ExecutionSpace>& answered,
                                        const std::vector<index_t>& elements);

/// Polytopes of a part: the owned ones, agglomerated from owned simplices, and those of other processes of which the
/// part has simplices.
template <class ExecutionSpace> struct PolytopesOfPart {
  ElementNumbers<ExecutionSpace> numbers; ///< ordered by owner, then as numbered by the owner
  index_t first_owned = 0;
  index_t n_owned = 0;
  std::vector<OwnerAnswer> others; ///< owner, and index among the owner's polytopes, of the polytopes before and after
                                   ///< the owned ones

  /// Index of polytope e in `others`.
  std::size_t place_of(index_t e) const { return static_cast<std::size_t>(e < first_owned ? e : e - n_owned); }
};

/// The polytopes of a part that is sorted as above: `owned_element_of` are those of owned simplices, [n_owned],
/// numbered from 0 to `n_owned_elements`; `first_owned`: first owned simplex. Collective: owners send the polytopes of
/// other simplices.
template <class ExecutionSpace, int Dim>
PolytopesOfPart<ExecutionSpace>
polytopes_of_part(const ExecutionSpace& exec, const comm::Communicator& world,
                  const MeshPart<Dim, typename ExecutionSpace::memory_space>& part, index_t first_owned,
                  const Array<const index_t*, ExecutionSpace>& owned_element_of, index_t n_owned_elements);

/// Returns the concatenated rows of owned polytopes, given by their indices among the owned ones.
using OwnedRows = std::function<std::vector<double>(const std::vector<index_t>&)>;

/// Requests rows of `width` numbers for polytopes from their owners; `owned_rows` returns those that others request.
/// Collective.
std::vector<double> request_rows(const comm::Communicator& world, const std::vector<OwnerAnswer>& polytopes,
                                 std::size_t width, const OwnedRows& owned_rows);

} // namespace tessera::mesh

#endif
