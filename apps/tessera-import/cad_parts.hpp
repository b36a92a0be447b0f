// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_IMPORT_CAD_PARTS_HPP
#define TESSERA_IMPORT_CAD_PARTS_HPP

#include <string>
#include <vector>

namespace tessera::importer {

/// What two parts of a CAD file have in common, in units of the file.
struct Overlap {
  std::string owner;    ///< the part that the common piece belongs to
  std::string other;    ///< the other part
  double measure = 0.;  ///< volume, or area of plane parts
  double largest = 0.;  ///< measure of the largest of several common pieces, whose thickness and place these are:
  double thickness = 0; ///< twice the measure by that of its boundary: exact for a thin film
  double centre[3] = {0., 0., 0.};
};

/// Joins the parts of the model, the entities of dimension `dim` of OpenCASCADE's kernel, where they touch, so that
/// they share their faces. Parts that overlap are cut into pieces: a common piece belongs to the smaller part, and
/// every piece has the name of the part that it belongs to. Returns the overlaps.
std::vector<Overlap> join_parts(int dim);

/// Notes on overlaps, the largest first; `scale`: metres per unit of the file.
std::vector<std::string> overlap_notes(const std::vector<Overlap>& overlaps, int dim, double scale);

} // namespace tessera::importer

#endif
