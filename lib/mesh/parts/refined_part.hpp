// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_MESH_PARTS_REFINED_PART_HPP
#define TESSERA_MESH_PARTS_REFINED_PART_HPP

/// \file
/// Makes the part of a refined mesh that one of several processes has, without the whole mesh.

#include "comm/communicator.hpp"
#include "mesh/parts/mesh_part.hpp"
#include "mesh/refine/coarser_meshes.hpp"

namespace tessera::mesh {

/// This process's part of the mesh `coarse`, refined `n_refinements` times by refine_uniform() and ordered by
/// order_mesh() along the curve through the coarse mesh.
/// Every process has the same coarse mesh. Parts have about equal numbers of nodes: each process refines some of the
/// coarse elements to count their nodes along the curve, then those at its owned nodes and their neighbours. Time and
/// memory are proportional to the part and to the coarse mesh. `n_layers`: as for make_box_part(), in refined elements.
/// `whole`: groups of the mesh. `known`: the data of coarser meshes that the part gets, also of those coarser than
/// `coarse` (of coarser elements only with refinement); `cuts`: as for make_box_part(). `owner_of_coarse`, if not
/// empty: the process of each coarse node (node_graph(), divide_by_metis()), which owns the nodes closest to it; nodes
/// are then numbered process by process, each process's along the curve. Collective. Throws an error of kind input for
/// a part without nodes, and for more nodes than index_t can count.
template <class ExecutionSpace, int Dim>
MeshPart<Dim, typename ExecutionSpace::memory_space>
make_refined_part(const ExecutionSpace& exec, const Mesh<Dim, typename ExecutionSpace::memory_space>& coarse,
                  int n_refinements, const comm::Communicator& world, int n_layers = 0,
                  const WholeGroups& whole_groups = {}, CoarserMeshes known = CoarserMeshes::none,
                  const std::vector<std::uint64_t>& cuts = {}, const std::vector<index_t>& owner_of_coarse = {});

} // namespace tessera::mesh

#endif
