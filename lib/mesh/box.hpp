// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_MESH_BOX_HPP
#define TESSERA_MESH_BOX_HPP

/// \file
/// Makes structured simplicial meshes of a box.

#include "mesh/mesh.hpp"

#include <array>

namespace tessera::mesh {

/// Name of a box's region.
std::vector<std::string> box_regions();

/// Names of a box's boundaries, in the order of their numbers.
std::vector<std::string> box_boundaries(int dimension);

/// Throws an error of kind input for a box without cells or without extent.
template <int Dim>
void check_box(const std::array<index_t, Dim>& cells, const std::array<double, Dim>& lower,
               const std::array<double, Dim>& upper);

/// Makes the mesh of the box [lower, upper] (metres) with `cells` cells per direction, each cut into 2 triangles or 6
/// Kuhn tetrahedra along the diagonal from its lowest to its highest corner. Nodes and cells are numbered row by row, x
/// fastest. The region is "domain"; boundary groups are left, right (x), bottom, top (y) and in 3D back, front (z), the
/// lower side first.
template <int Dim, class ExecutionSpace>
Mesh<Dim, typename ExecutionSpace::memory_space>
make_box(const ExecutionSpace& exec, const std::array<index_t, Dim>& cells, const std::array<double, Dim>& lower,
         const std::array<double, Dim>& upper);

/// Number of coarser boxes for multigrid: with half as many cells per direction each, as long as these are integers and
/// the coarsest box has an interior node.
template <int Dim> int n_coarser_boxes(std::array<index_t, Dim> cells);

/// Parents of a box's nodes in these coarser boxes (Mesh::node_parents).
template <int Dim, class ExecutionSpace>
std::vector<Array<index_t* [2], typename ExecutionSpace::memory_space>>
box_node_parents(const ExecutionSpace& exec, std::array<index_t, Dim> cells);

} // namespace tessera::mesh

#endif
