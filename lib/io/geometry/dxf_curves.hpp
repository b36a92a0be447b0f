// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_IO_GEOMETRY_DXF_CURVES_HPP
#define TESSERA_IO_GEOMETRY_DXF_CURVES_HPP

/// \file
/// Curves of drawings: where blocks place them, and splines in the form that geometry libraries take.

#include "io/geometry/dxf_drawing.hpp"

#include <array>
#include <string>
#include <vector>

namespace tessera::io::detail {

/// Maps the plane: x -> shift + columns[0] x + columns[1] y.
struct DxfPlacement {
  std::array<std::array<double, 2>, 2> columns{{{1., 0.}, {0., 1.}}};
  std::array<double, 2> shift{};

  std::array<double, 2> direction(const std::array<double, 2>& v) const;
  std::array<double, 2> point(const std::array<double, 2>& p) const;
  /// This one after the other.
  DxfPlacement after(const DxfPlacement& other) const;
};

/// The curve where a placement, of an area other than 0, puts it. Ellipses stay ellipses.
DxfCurve placed(const DxfCurve& curve, const DxfPlacement& placement);

/// A spline as a drawing holds it: the curve over the knots from number `degree` to the last but `degree`.
struct DxfSpline {
  int degree = 3;
  std::vector<double> knots; ///< as many as poles, and degree + 1
  std::vector<std::array<double, 2>> poles;
  std::vector<double> weights; ///< empty: all 1
};

/// Why it is no spline: a sentence without a full stop; empty if it is one.
std::string why_no_spline(const DxfSpline& spline);

/// The spline as curves that begin at their first pole and end at their last one, parted at corners; those of degree 1
/// are lines. Layer and place are empty.
std::vector<DxfCurve> curves_of(const DxfSpline& spline);

} // namespace tessera::io::detail

#endif
