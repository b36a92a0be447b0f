// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_IO_GEOMETRY_DXF_CURVES_HPP
#define TESSERA_IO_GEOMETRY_DXF_CURVES_HPP

/// \file
/// Curves of drawings: their placement by blocks, and splines in the form that geometry libraries use.

#include "io/geometry/dxf_drawing.hpp"

#include <array>
#include <string>
#include <vector>

namespace tessera::io::detail {

/// An affine map of the plane: x -> shift + columns[0] x + columns[1] y.
struct DxfPlacement {
  std::array<std::array<double, 2>, 2> columns{{{1., 0.}, {0., 1.}}};
  std::array<double, 2> shift{};

  std::array<double, 2> direction(const std::array<double, 2>& v) const;
  std::array<double, 2> point(const std::array<double, 2>& p) const;
  /// The composition: first `other`, then this one.
  DxfPlacement after(const DxfPlacement& other) const;
};

/// The image of a curve under a placement with non-zero determinant. Ellipses stay ellipses.
DxfCurve placed(const DxfCurve& curve, const DxfPlacement& placement);

/// A spline as stored in a drawing: the curve over the knots from number `degree` to the last but `degree`.
struct DxfSpline {
  int degree = 3;
  std::vector<double> knots; ///< number of poles + degree + 1
  std::vector<std::array<double, 2>> poles;
  std::vector<double> weights; ///< empty: all 1
};

/// Why it is not a valid spline: a sentence without a full stop; empty if it is valid.
std::string why_no_spline(const DxfSpline& spline);

/// The spline as curves from their first pole to their last one, split at corners; those of degree 1 are lines. Layer
/// and place are empty.
std::vector<DxfCurve> curves_of(const DxfSpline& spline);

} // namespace tessera::io::detail

#endif
