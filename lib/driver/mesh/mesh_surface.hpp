// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_MESH_MESH_SURFACE_HPP
#define TESSERA_DRIVER_MESH_MESH_SURFACE_HPP

/// \file
/// Checks of a mesh's surface, with messages for the user.

#include "io/input/case.hpp"
#include "io/mesh_files/imported_mesh.hpp"
#include "mesh/checks/overlaps.hpp"
#include "mesh/surface.hpp"

#include <optional>
#include <string>

namespace tessera::driver {

/// Throws if nodes hang on facets of coarser elements, and returns a note if parts of the mesh touch without common
/// nodes, else "". Numbers are those of the mesh's file `path`. `surface` belongs to `imported`.
template <int Dim>
std::string check_hanging_nodes(const mesh::Surface<Dim>& surface, const io::ImportedMesh& imported,
                                const std::string& path);

/// A note on nodes that are very close to elements to which they are not connected, "" if there are none. Where a
/// condition of the case applies, a thin gap is assumed to be intended.
template <int Dim>
std::string narrow_gaps_note(const mesh::Surface<Dim>& surface, const io::ImportedMesh& imported,
                             const io::Case& input);

/// Throws if elements overlap, stating their numbers in the file `path`.
template <int Dim>
void check_overlap(const std::optional<mesh::Overlap<Dim>>& overlap, const io::ImportedMesh& imported,
                   const std::string& path);

/// Whether the case requests an accuracy that straight elements along curved surfaces do not have: order 2, or
/// refinement of the mesh, uniform or adaptive.
bool needs_curved_elements(const io::Case& input);

/// A note on the surfaces that approximate curved ones, or "".
template <int Dim>
std::string curved_surfaces_note(const mesh::Surface<Dim>& surface, const io::ImportedMesh& imported,
                                 const io::Case& input);

} // namespace tessera::driver

#endif
