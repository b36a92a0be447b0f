// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_CORE_PLACE_TEXT_HPP
#define TESSERA_CORE_PLACE_TEXT_HPP

#include <algorithm>
#include <cmath>
#include <sstream>
#include <string>

namespace tessera {

/// Number of significant digits for coordinates up to `farthest`, so that positions in a mesh of this extent are
/// resolved to `digits` digits of the extent wherever the origin is.
inline int digits_of_places(double farthest, double extent, int digits) {
  constexpr int most = 17; // more than a double holds
  const double ratio = extent > 0. && std::isfinite(farthest) ? farthest / extent : 1.;
  return std::min(most, digits + static_cast<int>(std::ceil(std::log10(std::max(1., ratio)) - 1e-3)));
}

/// "(0.1, 0.2)", for messages: with enough digits for meshes far from the origin.
inline std::string place_text(const double* coordinates, int dimension) {
  std::ostringstream text;
  text.precision(10);
  for (int d = 0; d < dimension; ++d)
    text << (d == 0 ? "(" : ", ") << coordinates[d];
  return text.str() + ')';
}

} // namespace tessera

#endif
