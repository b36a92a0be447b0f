// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_IMPORT_MESH_LEVELS_HPP
#define TESSERA_IMPORT_MESH_LEVELS_HPP

#include "io/geometry/import_request.hpp"

#include <string>
#include <vector>

namespace tessera::importer {

/// Meshes Gmsh's model with elements 2^levels times as large as its sizes say, so that as many uniform refinements lead
/// to these sizes. Returns the levels: those of the request, or those that it chooses, with a note. It chooses some for
/// plane meshes of many elements only, on whose curves the number of edges falls as their sizes grow (it does not at
/// small details), and not where the geometry is a script with size fields or transfinite, extruded or recombined
/// meshes, or `has_small_places`: smaller sizes around points or in gaps.
int generate_levels(const io::ImportRequest& request, bool has_small_places, std::vector<std::string>& notes);

} // namespace tessera::importer

#endif
