// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_MESH_PARTS_CUT_PART_HPP
#define TESSERA_MESH_PARTS_CUT_PART_HPP

/// \file
/// Cuts the part of a process out of a piece of a mesh that contains it.

#include "graph/incidence.hpp"
#include "mesh/parts/mesh_part.hpp"

namespace tessera::mesh {

/// What a part has in addition to the elements at owned nodes, and how its nodes are numbered.
struct CutOptions {
  int rank = 0;
  int n_parts = 1;
  int n_layers = 0;         ///< of elements around those at owned nodes
  WholeGroups whole_groups; ///< groups of the piece
  bool is_by_owner = false; ///< nodes are numbered process by process, each process's along the curve
};

/// Marks the nodes of whole groups by 1.
template <int Dim, class ExecutionSpace>
void mark_whole_groups(const ExecutionSpace& exec, const Mesh<Dim, typename ExecutionSpace::memory_space>& mesh,
                       const WholeGroups& groups, const Array<index_t*, ExecutionSpace>& marks);

/// The part of a process. `piece`: its nodes and elements are in the order of the whole mesh before ordering, and it
/// has all elements at nodes of the part, except at those farthest from the owned ones; `owner`: process of each of its
/// nodes. In the part `original_node` is the index in the piece, which has no original ones; `original_element`
/// likewise, unless the piece has original ones. Counts of the whole mesh, `curve` and `nested` are not set. Throws an
/// error of kind input for a part without nodes.
template <class ExecutionSpace, int Dim>
MeshPart<Dim, typename ExecutionSpace::memory_space>
cut_part(const ExecutionSpace& exec, Mesh<Dim, typename ExecutionSpace::memory_space> piece,
         const Array<int*, ExecutionSpace>& owner, const MortonCurve<Dim>& curve, const CutOptions& options);

/// Parents of the nodes of a part in the next coarser mesh (MeshPart::mesh), from those of all nodes of the piece,
/// whose indices are at most the number of these. `of_part`: node of the piece for each of the part.
template <class ExecutionSpace>
Array<index_t* [2], typename ExecutionSpace::memory_space>
parents_in_part(const ExecutionSpace& exec,
                const Array<const index_t* [2], typename ExecutionSpace::memory_space>& of_piece,
                const Array<const index_t*, typename ExecutionSpace::memory_space>& of_part);

/// Facets of `from` by their indices, with their groups, and curved facets, become those of `to`.
template <class ExecutionSpace, int Dim>
void take_facets(const ExecutionSpace& exec, const Mesh<Dim, typename ExecutionSpace::memory_space>& from,
                 const Array<const index_t*, ExecutionSpace>& facets,
                 const Array<const index_t*, ExecutionSpace>& curved,
                 Mesh<Dim, typename ExecutionSpace::memory_space>& to);

/// The one or two elements with each of some facets, the smaller index first; -1: none. `incidence`: nodes to elements.
template <class ExecutionSpace, int Dim>
Array<index_t* [2], typename ExecutionSpace::memory_space>
elements_of_facets(const ExecutionSpace& exec, const Mesh<Dim, typename ExecutionSpace::memory_space>& mesh,
                   const graph::Incidence<typename ExecutionSpace::memory_space>& incidence,
                   const Array<const index_t* [Dim], ExecutionSpace>& facets);

} // namespace tessera::mesh

#endif
