// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_IO_PICTURES_CHART_HPP
#define TESSERA_IO_PICTURES_CHART_HPP

#include "io/pictures/figure.hpp"
#include "io/pictures/run_results.hpp"
#include "io/sweep_table.hpp"

#include <string>
#include <vector>

namespace tessera::io::pictures {

/// Values over another quantity.
struct Curve {
  std::string name;
  std::vector<double> x, y;
};

struct Chart {
  std::string title, caption;
  std::string x_name, y_name; ///< without units
  std::string x_unit, y_unit;
  bool is_logarithmic = false; ///< the values
  std::vector<Curve> curves;   ///< at least one, of at least one point each
};

/// Draws lines with axes, and a legend for several; the bytes of the picture's file.
std::string draw_chart(const Chart& chart, const PictureSize& size);

/// The residuals that convergence.csv has over the iterations: of each kind of solve the last. False: there are none.
bool convergence_chart(const RunResults& results, Chart& chart);

/// The columns of a probe's table with values over the distance from its first point, or over time at one point; all of
/// one unit, that of the column `wanted` ("Ex"; empty: the first). Throws (kind input) for tables that no probe wrote.
Chart probe_chart(const RunResults& results, const std::string& probe, const std::string& wanted);

/// A quantity of a sweep (empty: the first) over the first number that it varies, a curve for each combination of the
/// other values. Sets `wanted` to the quantity's name; unknown ones are an error for the user, which `title` begins.
Chart sweep_chart(const SweepTable& table, const std::string& title, std::string& wanted);

} // namespace tessera::io::pictures

#endif
