// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_IO_PICTURES_COLOUR_RANGE_HPP
#define TESSERA_IO_PICTURES_COLOUR_RANGE_HPP

#include "io/pictures/plane_mesh.hpp"

#include <array>
#include <optional>

namespace tessera::io::pictures {

enum class ColourScale {
  automatic, ///< logarithmic where a linear one would leave nearly all of the picture in its first colour
  linear,
  logarithmic
};

/// What the user wants of the colours.
struct ColourWish {
  ColourScale scale = ColourScale::automatic;
  std::optional<std::array<double, 2>> range;  ///< values of the first and last, in the field's unit
  std::optional<std::array<double, 4>> window; ///< the part that is shown, as in FieldPicture
};

/// Values of the first and last colour.
struct ColourRange {
  double low = 0., high = 1.;
  double largest = 0.;         ///< value that occurs
  bool exceeds = false;        ///< whether `largest` is beyond `high`
  bool is_logarithmic = false; ///< then low > 0

  /// Where a value lies between them, from 0 to 1; below 0 and above 1 outside.
  double share_of(double value) const;
};

/// Whether values differ by no more than a solver's rounding.
bool is_constant(double low, double high);

/// The range for the values of a picture. Of lengths of vectors (`is_length`) the last colour is that below which all
/// but a hundredth of the elements lie: at corners fields grow with every refinement, and the rest would be of one
/// colour. By number and not by area, because meshes are fine where the field matters. Throws an error of kind
/// numerical for values that are not finite, of kind input for a logarithmic scale of what is no length, or all the
/// same, or is to begin at 0 or below.
ColourRange colour_range(const PlaneMesh& mesh, const CornerValues& values, bool is_length, const ColourWish& wish);

} // namespace tessera::io::pictures

#endif
