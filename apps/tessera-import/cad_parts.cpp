// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "cad_parts.hpp"

#include "core/place_text.hpp"
#include "entity_names.hpp"
#include "io/input/input_text.hpp"

#include <gmsh.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <sstream>
#include <utility>

namespace tessera::importer {

namespace {

struct Part {
  std::string name;  // in the file, or empty
  std::string label; // for messages
  double measure = 0.;
};

double mass(int dim, int tag) {
  double value = 0.;
  gmsh::model::occ::getMass(dim, tag, value);
  return std::fabs(value);
}

/// Adds a piece that two parts have in common to their overlap.
void add_piece(int dim, int piece, Overlap& overlap) {
  const double measure = mass(dim, piece);
  overlap.measure += measure;
  if (measure <= overlap.largest)
    return;
  gmsh::vectorpair sides;
  gmsh::model::getBoundary({{dim, piece}}, sides, false, false, false);
  double boundary = 0.;
  for (const auto& [side_dim, side] : sides)
    boundary += mass(side_dim, side);
  overlap.largest = measure;
  overlap.thickness = boundary > 0. ? 2. * measure / boundary : 0.;
  gmsh::model::occ::getCenterOfMass(dim, piece, overlap.centre[0], overlap.centre[1], overlap.centre[2]);
}

} // namespace

std::vector<Overlap> join_parts(int dim) {
  gmsh::vectorpair all, pieces;
  gmsh::model::occ::getEntities(all, dim);
  std::vector<Part> parts;
  for (const auto& [entity_dim, tag] : all)
    parts.push_back({given_name(dim, tag), entity_label(dim, tag), mass(dim, tag)});
  std::vector<gmsh::vectorpair> pieces_of;
  gmsh::model::occ::fragment(all, {}, pieces, pieces_of);
  gmsh::model::occ::synchronize();

  std::map<int, std::vector<std::size_t>> parts_of; // of each piece
  for (std::size_t part = 0; part < all.size() && part < pieces_of.size(); ++part)
    for (const auto& [piece_dim, piece] : pieces_of[part])
      parts_of[piece].push_back(part);
  std::map<std::pair<std::size_t, std::size_t>, Overlap> overlaps;
  for (const auto& [piece, of] : parts_of) {
    const std::size_t owner = *std::min_element(
        of.begin(), of.end(), [&](std::size_t a, std::size_t b) { return parts[a].measure < parts[b].measure; });
    gmsh::model::setEntityName(dim, piece, parts[owner].name);
    for (const std::size_t other : of)
      if (other != owner) {
        Overlap& overlap = overlaps[{owner, other}];
        overlap.owner = parts[owner].label;
        overlap.other = parts[other].label;
        add_piece(dim, piece, overlap);
      }
  }
  std::vector<Overlap> found;
  for (const auto& [of, overlap] : overlaps)
    found.push_back(overlap);
  std::stable_sort(found.begin(), found.end(),
                   [](const Overlap& a, const Overlap& b) { return a.measure > b.measure; });
  return found;
}

std::vector<std::string> overlap_notes(const std::vector<Overlap>& overlaps, int dim, double scale) {
  constexpr std::size_t most = 10;
  std::vector<std::string> notes;
  for (const Overlap& overlap : overlaps) {
    if (notes.size() == most) {
      notes.push_back(std::to_string(overlaps.size() - most) + " more pairs of parts overlap.");
      break;
    }
    double centre[3];
    std::transform(overlap.centre, overlap.centre + 3, centre, [scale](double x) { return x * scale; });
    std::ostringstream text;
    text.precision(3);
    text << "The parts '" << io::printable(overlap.other) << "' and '" << io::printable(overlap.owner)
         << "' overlap in " << overlap.measure * std::pow(scale, dim) << (dim == 3 ? " m^3" : " m^2") << ", about "
         << overlap.thickness * scale << " m thick, at " << place_text(centre, dim)
         << " m; there the material is that of '" << io::printable(overlap.owner) << "', the smaller part.";
    notes.push_back(text.str());
  }
  return notes;
}

} // namespace tessera::importer
