// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_IO_PICTURES_COLOURS_HPP
#define TESSERA_IO_PICTURES_COLOURS_HPP

#include "io/pictures/canvas.hpp"

namespace tessera::io::pictures {

/// Colour of a value between 0 (dark blue) and 1 (light yellow). Perceived lightness increases uniformly (that of
/// OKLab, B. Ottosson 2020), so that equal differences look equal, also in grey and for colour-blind readers.
Colour field_colour(double value);

/// Pale colours that distinguish neighbouring numbers; they repeat after several numbers.
Colour region_colour(std::size_t number);

/// A colour of `lightness` (0 to 1), `chroma` (0: grey) and `hue` (degrees) in OKLab's polar form. Chroma is reduced if
/// the colour is outside sRGB.
Colour oklch(double lightness, double chroma, double hue);

/// 0xAARRGGBB of an opaque colour.
std::uint32_t pixel_of(const Colour& colour);

constexpr Colour ink{0.10, 0.11, 0.13, 1.};       ///< text and axes
constexpr Colour faint_ink{0.38, 0.40, 0.44, 1.}; ///< explanations

} // namespace tessera::io::pictures

#endif
