// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_IO_COARSER_MESHES_HPP
#define TESSERA_IO_COARSER_MESHES_HPP

/// \file
/// What multigrid can do follows from how the mesh is made.

#include "io/case.hpp"

namespace tessera::io {

/// Whether the mesh knows coarser ones: those of mesh.refine, or of a box whose numbers of cells can be halved.
bool has_coarser_meshes(const MeshOptions& mesh);

/// Why multigrid needs a matrix of the finest level, as the end of a sentence that says that it does; empty if products
/// with an operator and a coarser level, of a coarser mesh or of order 1 under order 2, do.
std::string why_multigrid_needs_matrix(const MeshOptions& mesh, int order, const solvers::MultigridOptions& multigrid);

} // namespace tessera::io

#endif
