// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_MESH_MESH_SURFACE_HPP
#define TESSERA_DRIVER_MESH_MESH_SURFACE_HPP

/// \file
/// What a mesh's surface has to tell the user.

#include "io/case.hpp"
#include "io/imported_mesh.hpp"
#include "mesh/overlaps.hpp"
#include "mesh/surface.hpp"

#include <optional>
#include <string>

namespace tessera::driver {

/// Throws when nodes hang on facets of coarser elements, and returns a note when parts of the mesh touch without common
/// nodes; "" when there is nothing to tell. Numbers are those of the mesh's file, which `path` names. `surface` is that
/// of `imported`.
template <int Dim>
std::string check_hanging_nodes(const mesh::Surface<Dim>& surface, const io::ImportedMesh& imported,
                                const std::string& path);

/// A note on nodes that lie just beside elements to which nothing joins them, "" where there are none. Where a
/// condition of the case holds, a thin gap is meant.
template <int Dim>
std::string narrow_gaps_note(const mesh::Surface<Dim>& surface, const io::ImportedMesh& imported,
                             const io::Case& input);

/// Throws when elements overlap, with their numbers in the file that `path` names.
template <int Dim>
void check_overlap(const std::optional<mesh::Overlap<Dim>>& overlap, const io::ImportedMesh& imported,
                   const std::string& path);

/// Whether the case asks for an accuracy that straight elements along curved surfaces do not have: order 2, or
/// refinements of the mesh, uniform or by error estimates.
bool needs_curved_elements(const io::Case& input);

/// A note on the surfaces that stand for curved ones, or "".
template <int Dim>
std::string curved_surfaces_note(const mesh::Surface<Dim>& surface, const io::ImportedMesh& imported,
                                 const io::Case& input);

} // namespace tessera::driver

#endif
