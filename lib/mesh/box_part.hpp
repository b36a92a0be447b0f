// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_MESH_BOX_PART_HPP
#define TESSERA_MESH_BOX_PART_HPP

/// \file
/// Makes the part of a box that one of several processes has, without the whole.

#include "mesh/coarser_meshes.hpp"
#include "mesh/mesh_part.hpp"

#include <array>

namespace tessera::mesh {

/// The part of process `rank` of `n_parts` of the box of make_box(); parts have about the same number of nodes. Time
/// and memory are those of the part. `n_layers`: the part has all elements at nodes that are so many cells or fewer
/// away from own ones, too, and the facets accordingly. `whole`: groups of the box are its sides. `coarser`: what the
/// part knows of coarser boxes (n_coarser_boxes()); all children of the coarser elements at own nodes are in it where
/// it has a layer around. `given_cuts`: first position of each process on the curve, and the end, in place of those
/// that give all about the same number of nodes. A part without nodes is an error of kind input, and so are more nodes
/// than an index counts.
template <int Dim, class ExecutionSpace>
MeshPart<Dim, typename ExecutionSpace::memory_space>
make_box_part(const ExecutionSpace& exec, const std::array<index_t, Dim>& cells, const std::array<double, Dim>& lower,
              const std::array<double, Dim>& upper, int rank, int n_parts, int n_layers = 0,
              const WholeGroups& whole = {}, CoarserMeshes coarser = CoarserMeshes::none,
              const std::vector<std::uint64_t>& given_cuts = {});

} // namespace tessera::mesh

#endif
