// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_IMPORT_GAPS_HPP
#define TESSERA_IMPORT_GAPS_HPP

#include "io/geometry/gap_sizes.hpp"
#include "io/import_request.hpp"

#include <string>
#include <vector>

namespace tessera::importer {

/// Sizes that gaps between curves (2D) or surfaces (3D) of Gmsh's model ask for (request.gap_elements), each across a
/// face or volume that is meshed, where the elements by the sizes that are set already are too coarse. A model of
/// discrete entities has none. Entities whose elements do not follow sizes, such as transfinite ones, are left out.
/// Changes nothing in the model. Adds a note where a gap keeps larger elements than asked for. `script`: the geometry
/// is a .geo file, which can have transfinite entities.
io::GapSizes find_gap_sizes(const io::ImportRequest& request, bool script, std::vector<std::string>& notes);

} // namespace tessera::importer

#endif
