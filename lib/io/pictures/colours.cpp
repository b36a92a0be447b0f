// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "io/pictures/colours.hpp"

#include "core/constants.hpp"

#include <algorithm>
#include <cmath>

namespace tessera::io::pictures {

namespace {

struct Linear {
  double red, green, blue;
  bool is_displayable() const {
    constexpr double slack = 1e-4;
    for (const double c : {red, green, blue})
      if (c < -slack || c > 1. + slack)
        return false;
    return true;
  }
};

/// From OKLab to linear sRGB.
Linear linear_of(double lightness, double a, double b) {
  const auto cube = [](double x) { return x * x * x; };
  const double l = cube(lightness + 0.3963377774 * a + 0.2158037573 * b);
  const double m = cube(lightness - 0.1055613458 * a - 0.0638541728 * b);
  const double s = cube(lightness - 0.0894841775 * a - 1.2914855480 * b);
  return {4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
          -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
          -0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s};
}

double gamma_of(double linear) {
  const double c = std::clamp(linear, 0., 1.);
  return c <= 0.0031308 ? 12.92 * c : 1.055 * std::pow(c, 1. / 2.4) - 0.055;
}

} // namespace

Colour oklch(double lightness, double chroma, double hue) {
  const double angle = hue * pi / 180.;
  const auto at = [&](double c) { return linear_of(lightness, c * std::cos(angle), c * std::sin(angle)); };
  Linear found = at(chroma);
  if (!found.is_displayable()) {
    double low = 0., high = chroma;
    for (int i = 0; i < 30; ++i) {
      const double middle = 0.5 * (low + high);
      (at(middle).is_displayable() ? low : high) = middle;
    }
    found = at(low);
  }
  return {gamma_of(found.red), gamma_of(found.green), gamma_of(found.blue), 1.};
}

Colour field_colour(double value) {
  const double t = std::clamp(value, 0., 1.);
  // Blue over green to yellow. Chroma stays within sRGB along the way (0.100 at t = 0.4): clipping would show an edge
  // that the values do not have.
  const double s = std::clamp(2. * t - 1., 0., 1.);
  return oklch(0.27 + 0.67 * t, 0.097 + 0.085 * s * s * (3. - 2. * s), 285. - 180. * std::pow(t, 1.15));
}

Colour region_colour(std::size_t number) {
  constexpr double hues[] = {245., 75., 150., 20., 310., 195., 110., 50., 275., 345.};
  constexpr std::size_t n = sizeof(hues) / sizeof(hues[0]);
  const std::size_t turn = number / n;
  return oklch(turn % 2 == 0 ? 0.88 : 0.78, turn % 2 == 0 ? 0.075 : 0.10, hues[number % n]);
}

std::uint32_t pixel_of(const Colour& colour) {
  const auto byte = [](double c) { return static_cast<std::uint32_t>(std::lround(255. * std::clamp(c, 0., 1.))); };
  return 0xff000000u | byte(colour.red) << 16 | byte(colour.green) << 8 | byte(colour.blue);
}

} // namespace tessera::io::pictures
