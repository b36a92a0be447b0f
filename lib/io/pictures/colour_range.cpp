// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "io/pictures/colour_range.hpp"

#include "core/error.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

namespace tessera::io::pictures {

namespace {

double mean_of(const std::array<double, 3>& corners) { return (corners[0] + corners[1] + corners[2]) / 3.; }

/// The 99th percentile of the values over triangles, by number.
double end_of_most(const CornerValues& values, double low, double high) {
  constexpr double share = 0.99;
  constexpr std::size_t n_bins = 4096;
  std::vector<double> bins(n_bins, 0.);
  for (const std::array<double, 3>& corners : values) {
    const double bin = (mean_of(corners) - low) / (high - low) * n_bins;
    bins[std::min(n_bins - 1, static_cast<std::size_t>(bin))] += 1.;
  }
  const double all = static_cast<double>(values.size());
  double below = 0.;
  std::size_t bin = 0;
  while (bin + 1 < n_bins && below + bins[bin] < share * all)
    below += bins[bin++];
  return low + (high - low) * static_cast<double>(bin + 1) / n_bins;
}

/// Values and areas of the visible triangles, sorted by value.
std::vector<std::pair<double, double>> shown_areas(const PlaneMesh& mesh, const CornerValues& values,
                                                   const std::optional<std::array<double, 4>>& window) {
  std::vector<std::pair<double, double>> areas;
  for (std::size_t t = 0; t < values.size(); ++t) {
    Place centre;
    for (const std::int32_t corner : mesh.triangles[t]) {
      centre.x += mesh.points[static_cast<std::size_t>(corner)].x / 3.;
      centre.y += mesh.points[static_cast<std::size_t>(corner)].y / 3.;
    }
    if (!window ||
        (centre.x > (*window)[0] && centre.y > (*window)[1] && centre.x < (*window)[2] && centre.y < (*window)[3]))
      areas.emplace_back(mean_of(values[t]), area_of(mesh, mesh.triangles[t]));
  }
  std::sort(areas.begin(), areas.end());
  return areas;
}

/// Value below which a given fraction of the area lies.
double value_above(const std::vector<std::pair<double, double>>& areas, double share) {
  double all = 0.;
  for (const auto& [value, area] : areas)
    all += area;
  double below = 0.;
  std::size_t i = 0;
  while (i + 1 < areas.size() && below + areas[i].second < share * all)
    below += areas[i++].second;
  return areas.empty() ? 0. : areas[i].first;
}

} // namespace

double ColourRange::share_of(double value) const {
  if (is_logarithmic)
    return value > 0. ? std::log(value / low) / std::log(high / low) : 0.;
  return (value - low) / (high - low);
}

bool is_constant(double low, double high) { return !(high - low > 1e-9 * std::max(std::abs(low), std::abs(high))); }

ColourRange colour_range(const PlaneMesh& mesh, const CornerValues& values, bool is_length, const ColourWish& wish) {
  // If at least `dark_area` of the area has less than `dark_values` of the linear scale's colours, a linear scale shows
  // nothing there. A logarithmic scale begins at the value below which `darker_area` of the area lies, but not below
  // `most` times its end.
  constexpr double dark_values = 0.02, dark_area = 0.95, darker_area = 0.05, most = 1e-6;
  ColourRange range{std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
  for (const std::array<double, 3>& corners : values)
    for (const double value : corners) {
      TESSERA_REQUIRE_KIND(std::isfinite(value), ErrorKind::numerical, "The field has values that are not finite.");
      range.low = std::min(range.low, value);
      range.high = std::max(range.high, value);
    }
  range.largest = range.high;
  if (is_length && range.high > range.low) {
    const double end = end_of_most(values, range.low, range.high);
    if (end < 0.7 * range.high)
      range.high = end;
    const auto areas = shown_areas(mesh, values, wish.window);
    range.is_logarithmic = wish.scale == ColourScale::logarithmic ||
                           (wish.scale == ColourScale::automatic && !wish.range && !areas.empty() &&
                            value_above(areas, dark_area) < dark_values * range.high);
    if (range.is_logarithmic)
      range.low = std::clamp(value_above(areas, darker_area), most * range.high, 0.1 * range.high);
    else if (range.low < 0.3 * range.high)
      range.low = 0.;
  } else {
    TESSERA_REQUIRE(wish.scale != ColourScale::logarithmic,
                    "--scale: logarithmic colours are for lengths of vectors that are not all the same; this field "
                    "takes linear ones.");
  }
  if (is_constant(range.low, range.high)) {
    const double half = range.high != 0. ? 0.5 * std::abs(range.high) : 0.5;
    range.low -= half;
    range.high += half;
  }
  if (wish.range) {
    range.low = (*wish.range)[0];
    range.high = (*wish.range)[1];
    TESSERA_REQUIRE(!range.is_logarithmic || range.low > 0.,
                    "--range: logarithmic colours begin above 0, not at " << range.low << '.');
  }
  range.exceeds = range.largest > range.high;
  return range;
}

} // namespace tessera::io::pictures
