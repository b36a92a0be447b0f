// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_IO_PICTURES_COLOUR_RANGE_HPP
#define TESSERA_IO_PICTURES_COLOUR_RANGE_HPP

#include "io/pictures/plane_mesh.hpp"

#include <array>
#include <optional>

namespace tessera::io::pictures {

enum class ColourScale {
  automatic, ///< logarithmic if a linear scale would leave nearly all of the picture in its first colour
  linear,
  logarithmic
};

/// Requested options of the colours.
struct ColourWish {
  ColourScale scale = ColourScale::automatic;
  std::optional<std::array<double, 2>> range;  ///< values of the first and last, in the field's unit
  std::optional<std::array<double, 4>> window; ///< the visible part, as in FieldPicture
};

/// Values of the first and last colour.
struct ColourRange {
  double low = 0., high = 1.;
  double largest = 0.;         ///< largest value
  bool exceeds = false;        ///< whether `largest` exceeds `high`
  bool is_logarithmic = false; ///< then low > 0

  /// Position of a value between them, 0 to 1; below 0 or above 1 outside.
  double share_of(double value) const;
};

/// Whether values differ only by a solver's rounding.
bool is_constant(double low, double high);

/// The colour range for the values of a picture. For magnitudes of vectors (`is_length`) the scale is clipped at the
/// 99th percentile over elements: at corners fields grow with every refinement, and the rest would have a single
/// colour. Elements are counted by number and not by area, because meshes are fine where the field matters. Throws an
/// error of kind numerical for values that are not finite, and of kind input for a logarithmic scale of values that are
/// not magnitudes, are all equal, or with a range that begins at 0 or below.
ColourRange colour_range(const PlaneMesh& mesh, const CornerValues& values, bool is_length, const ColourWish& wish);

} // namespace tessera::io::pictures

#endif
