// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_IO_GEOMETRY_DXF_DRAWING_HPP
#define TESSERA_IO_GEOMETRY_DXF_DRAWING_HPP

/// \file
/// A plane drawing in the drawing exchange format (DXF, ASCII): curves with their layers, and labels.

#include <array>
#include <string>
#include <vector>

namespace tessera::io {

/// A line, an arc of an ellipse, or a spline.
struct DxfCurve {
  enum class Kind { line, ellipse, spline };
  Kind kind = Kind::line;
  std::array<double, 2> from{}; ///< of a line
  std::array<double, 2> to{};
  std::array<double, 2> center{}; ///< of an ellipse; a circle has two equal axes
  std::array<double, 2> axis{};   ///< from the centre to the end of the major axis
  double ratio = 1.;              ///< of the minor to the major axis, at most 1
  double start = 0.;              ///< angle (parameter) from the major axis, counterclockwise
  double sweep = 0.;              ///< > 0; 2 pi: closed
  int degree = 0;                 ///< of a spline: rational B-spline without corners, from its first to its last pole
  std::vector<std::array<double, 2>> poles;
  std::vector<double> weights; ///< of the poles, > 0
  std::vector<double> knots;   ///< number of poles + degree + 1; the first and last knots have multiplicity degree + 1
  std::string layer;
  std::string location; ///< "drawing.dxf:31: ARC on layer 'core'"

  bool is_closed() const;
};

/// A text, an inserted block without curves, or an attribute of one with curves; it names a region.
struct DxfLabel {
  std::string name;
  std::array<double, 2> at{};
  std::string location;
};

struct DxfDrawing {
  std::vector<DxfCurve> curves; ///< at least one; of positive length
  std::vector<DxfLabel> labels;
  double metres_per_unit = 0.;            ///< 0: not specified
  std::string unit;                       ///< "mm", or ""
  std::array<double, 2> lower{}, upper{}; ///< bounding box of the curves' ends, centres and axes; it contains the
                                          ///< curves
  std::vector<std::string> notes;
};

/// Reads the text of a drawing; `file` is used in messages. Hidden entities and those in paper space, dimensions and
/// hatchings are dropped, with a note. Throws a tessera::Error (kind input), with file, line, entity and layer, for
/// anything that is not a plane drawing, has no curve, or has a curve that cannot be read.
DxfDrawing read_dxf_text(const std::string& text, const std::string& file);

DxfDrawing read_dxf(const std::string& path);

} // namespace tessera::io

#endif
