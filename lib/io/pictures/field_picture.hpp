// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_IO_PICTURES_FIELD_PICTURE_HPP
#define TESSERA_IO_PICTURES_FIELD_PICTURE_HPP

#include "io/pictures/colour_range.hpp"
#include "io/pictures/figure.hpp"
#include "io/pictures/plane_mesh.hpp"
#include "io/pictures/reports/run_results.hpp"

#include <array>
#include <optional>
#include <string>

namespace tessera::io::pictures {

/// Options of a picture of a field.
struct FieldPicture {
  std::string field;            ///< name in the file of fields; "mesh": regions and the edges of elements
  std::optional<int> component; ///< 0, 1, 2: component of a vector; else its magnitude
  std::optional<double> phase;  ///< of a phasor, degrees: the field at an instant; else its magnitude
  int n_lines = 15;             ///< approximate number of contour lines of the solution; 0: none
  bool with_mesh = false;       ///< edges of elements
  ColourScale scale = ColourScale::automatic;
  std::optional<std::array<double, 2>> range;  ///< of the colours, in the field's unit
  std::optional<std::array<double, 4>> window; ///< m: the visible part, from the lower left to the upper right
  std::optional<Section> section;              ///< 3D: where the body is cut
  std::vector<std::string> other_pictures;     ///< other available pictures, listed in the message about an unknown
                                               ///< field
  bool is_cut_open = false;                    ///< 3D: shows the half behind the section
};

/// The name of the picture of regions and edges.
constexpr const char* mesh_picture = "mesh";

/// Opens the file of fields of a run. Throws (kind input) if it belongs to another run.
ResultFile open_fields(const RunResults& results);

/// The most informative field: the flux density in magnetostatics, the solution in other physics, if the file has it.
std::string main_field(const RunResults& results, const ResultFile& file);

/// Draws a field with its colours, contour lines, outlines, axes and scale; returns the bytes of the picture's file.
std::string draw_field(const RunResults& results, const ResultFile& file, const FieldPicture& wanted,
                       const PictureSize& size);

} // namespace tessera::io::pictures

#endif
