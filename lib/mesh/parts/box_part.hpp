// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_MESH_PARTS_BOX_PART_HPP
#define TESSERA_MESH_PARTS_BOX_PART_HPP

/// \file
/// Makes the part of a box mesh that one of several processes has, without the whole mesh.

#include "mesh/parts/mesh_part.hpp"
#include "mesh/refine/coarser_meshes.hpp"

#include <array>

namespace tessera::mesh {

/// The part of process `rank` of `n_parts` of the box of make_box(); parts have about equal numbers of nodes. Time and
/// memory are proportional to the part. `n_layers`: the part also has all elements at nodes within this many cells of
/// owned ones, and the corresponding facets. `whole`: groups are sides of the box. `coarser`: the data of coarser boxes
/// (n_coarser_boxes()) that the part gets; with a layer it contains all children of the coarser elements at owned
/// nodes. `given_cuts`: first position of each process on the curve, and the end, instead of cuts into equal numbers of
/// nodes. Throws an error of kind input for a part without nodes, and for more nodes than index_t can count.
template <int Dim, class ExecutionSpace>
MeshPart<Dim, typename ExecutionSpace::memory_space>
make_box_part(const ExecutionSpace& exec, const std::array<index_t, Dim>& cells, const std::array<double, Dim>& lower,
              const std::array<double, Dim>& upper, int rank, int n_parts, int n_layers = 0,
              const WholeGroups& whole = {}, CoarserMeshes coarser = CoarserMeshes::none,
              const std::vector<std::uint64_t>& given_cuts = {});

} // namespace tessera::mesh

#endif
