// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_IMPORT_GAPS_HPP
#define TESSERA_IMPORT_GAPS_HPP

#include "io/geometry/gap_sizes.hpp"
#include "io/geometry/import_request.hpp"

#include <string>
#include <vector>

namespace tessera::importer {

/// Element sizes required by gaps between curves (2D) or surfaces (3D) of Gmsh's model (request.gap_elements). Each gap
/// lies across a meshed face or volume where the sizes that are already set give too coarse elements. A model of
/// discrete entities has no gaps. Entities whose elements do not follow sizes, such as transfinite ones, are skipped.
/// Does not change the model. Appends a note if elements in a gap stay larger than requested. `script`: the geometry is
/// a .geo file, which can have transfinite entities.
io::GapSizes find_gap_sizes(const io::ImportRequest& request, bool script, std::vector<std::string>& notes);

} // namespace tessera::importer

#endif
