// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_IO_PICTURES_FIELD_PICTURE_HPP
#define TESSERA_IO_PICTURES_FIELD_PICTURE_HPP

#include "io/pictures/colour_range.hpp"
#include "io/pictures/figure.hpp"
#include "io/pictures/plane_mesh.hpp"
#include "io/pictures/run_results.hpp"

#include <array>
#include <optional>
#include <string>

namespace tessera::io::pictures {

/// What a picture of a field shows.
struct FieldPicture {
  std::string field;            ///< its name in the file of fields; "mesh": regions and the edges of elements
  std::optional<int> component; ///< 0, 1, 2: of a vector; else its length
  int n_lines = 15;             ///< about so many lines of equal value of the solution; 0: none
  bool with_mesh = false;       ///< edges of elements
  ColourScale scale = ColourScale::automatic;
  std::optional<std::array<double, 2>> range;  ///< of the colours, in the field's unit
  std::optional<std::array<double, 4>> window; ///< m: the part from the lower left to the upper right that is shown
  std::optional<Section> section;              ///< three dimensions: where the body is cut
  std::vector<std::string> other_pictures;     ///< what else there is, told where there is no such field
  bool is_cut_open = false;                    ///< three dimensions: the half behind the section, seen in space
};

/// The name of the picture of regions and edges.
constexpr const char* mesh_picture = "mesh";

/// The file of fields of a run. Throws (kind input) where it is that of another run.
ResultFile open_fields(const RunResults& results);

/// The field that says most: the flux density of magnetostatics, the solution of other physics, if the file has it.
std::string main_field(const RunResults& results, const ResultFile& file);

/// Draws a field with its colours, lines, outlines, axes and scale; the bytes of the picture's file.
std::string draw_field(const RunResults& results, const ResultFile& file, const FieldPicture& wanted,
                       const PictureSize& size);

} // namespace tessera::io::pictures

#endif
