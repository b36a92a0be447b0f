// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_IO_MESH_FILES_COARSER_MESHES_HPP
#define TESSERA_IO_MESH_FILES_COARSER_MESHES_HPP

/// \file
/// Possibilities of multigrid that depend on how the mesh is made.

#include "io/input/case.hpp"

namespace tessera::io {

/// Whether the mesh has coarser ones: those of mesh.refine, or of a box with even numbers of cells.
bool has_coarser_meshes(const MeshOptions& mesh);

/// The reason why multigrid needs a matrix of the finest level, as the end of a sentence; empty if it can use products
/// with an operator and a coarser level, on a coarser mesh or of order 1 below order 2.
std::string why_multigrid_needs_matrix(const MeshOptions& mesh, int order, const solvers::MultigridOptions& multigrid);

} // namespace tessera::io

#endif
