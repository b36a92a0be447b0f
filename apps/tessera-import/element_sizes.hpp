// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_IMPORT_ELEMENT_SIZES_HPP
#define TESSERA_IMPORT_ELEMENT_SIZES_HPP

#include "io/geometry/import_request.hpp"
#include "io/mesh_files/imported_mesh.hpp"

#include <functional>
#include <string>
#include <vector>

namespace tessera::importer {

/// Limits the sizes of elements before Gmsh meshes its model: in groups and on their boundaries (request.sizes; given
/// by names and wildcards of the geometry's groups, or by the name of one of request.groups), around points
/// (request.refine_at), and in gaps (gaps.hpp), except on periodic boundaries and their ends. `scale`: metres per unit;
/// `make_mesh` makes a mesh of the model without these limits and removes it again; it is called if a group is given by
/// points. Appends notes on gaps. Returns whether there are small places with smaller elements: points or gaps.
bool set_largest_sizes(const io::ImportRequest& request, double scale,
                       const std::function<io::ImportedMesh()>& make_mesh, std::vector<std::string>& notes);

} // namespace tessera::importer

#endif
