// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_IO_PICTURES_CHART_HPP
#define TESSERA_IO_PICTURES_CHART_HPP

#include "io/output/sweep_table.hpp"
#include "io/pictures/figure.hpp"
#include "io/pictures/reports/run_results.hpp"

#include <string>
#include <vector>

namespace tessera::io::pictures {

/// Values as a function of another quantity.
struct Curve {
  std::string name;
  std::vector<double> x, y;
};

struct Chart {
  std::string title, caption;
  std::string x_name, y_name; ///< without units
  std::string x_unit, y_unit;
  bool is_logarithmic = false;   ///< the values
  bool is_logarithmic_x = false; ///< the other quantity
  bool has_points = false;       ///< marks every point
  std::vector<Curve> curves;     ///< at least one, of at least one point each
};

/// Draws curves with axes, and a legend for several curves; returns the bytes of the picture's file.
std::string draw_chart(const Chart& chart, const PictureSize& size);

/// Chart of the residuals in convergence.csv over the iterations: the last solve of each kind. Returns false if there
/// are none.
bool convergence_chart(const RunResults& results, Chart& chart);

/// The columns of a probe's table with values over the distance from its first point, or over time for a single point;
/// only columns with the unit of the column `wanted` ("Ex"; empty: the first). Throws (kind input) for tables that were
/// not written by a probe.
Chart probe_chart(const RunResults& results, const std::string& probe, const std::string& wanted);

/// A quantity of a sweep (empty: the first) over the first varied numeric key, with a curve for each combination of the
/// other values. Sets `wanted` to the quantity's name; unknown names are an error for the user, which `title` begins.
Chart sweep_chart(const SweepTable& table, const std::string& title, std::string& wanted);

} // namespace tessera::io::pictures

#endif
