// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_MESH_REFINED_PART_HPP
#define TESSERA_MESH_REFINED_PART_HPP

/// \file
/// Makes the part of a refined mesh that one of several processes has, without the whole.

#include "comm/communicator.hpp"
#include "mesh/coarser_meshes.hpp"
#include "mesh/mesh_part.hpp"

namespace tessera::mesh {

/// The part of this process of `coarse`, refined `n_refinements` times by refine_uniform() and ordered by order_mesh()
/// along the curve through the coarse mesh.
/// Every process has the same coarse mesh. Parts have about the same number of nodes: each process refines some of the
/// coarse elements to count theirs along the curve, then those at its own nodes and their neighbours. Time and memory
/// are those of the part and of the coarse mesh. `n_layers`: as for make_box_part(), in refined elements. `whole`:
/// groups of the mesh. `known`: what the part knows of coarser meshes, also of those that `coarse` knows (but of
/// coarser elements only with refinement); `cuts`: as for make_box_part(). `owner_of_coarse`, if not empty: the process
/// of each coarse node (node_graph(), divide_by_metis()), which owns the nodes that lie closest to it; then these are
/// numbered one process's after the other, each one's along the curve. Collective. A part without nodes is an error of
/// kind input, and so are more nodes than an index counts.
template <class ExecutionSpace, int Dim>
MeshPart<Dim, typename ExecutionSpace::memory_space>
make_refined_part(const ExecutionSpace& exec, const Mesh<Dim, typename ExecutionSpace::memory_space>& coarse,
                  int n_refinements, const comm::Communicator& world, int n_layers = 0,
                  const WholeGroups& whole_groups = {}, CoarserMeshes known = CoarserMeshes::none,
                  const std::vector<std::uint64_t>& cuts = {}, const std::vector<index_t>& owner_of_coarse = {});

} // namespace tessera::mesh

#endif
