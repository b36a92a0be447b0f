// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_IO_PICTURES_SCALE_HPP
#define TESSERA_IO_PICTURES_SCALE_HPP

/// \file
/// Numbers in pictures: units with prefixes, round values.

#include <string>
#include <vector>

namespace tessera::io::pictures {

/// How numbers of a quantity are written: times `factor`, in `unit`.
struct UnitScale {
  double factor = 1.;
  std::string unit; ///< "kV/m", "10³"; empty: none
};

/// The scale on which numbers up to `largest` have one to three digits before the point: by an SI prefix if the unit
/// takes one (not K), else by a power of ten. `unit` is spelled as in the tables of results: "A/m^2".
UnitScale unit_scale(const std::string& unit, double largest);

/// 1, 2 or 5 times a power of ten: the step for about `n` steps over `range`.
double round_step(double range, int n);

/// Multiples of round_step() from `low` to `high`, both included.
std::vector<double> round_values(double low, double high, int n);

/// The powers of ten from `low` to `high`, at most about `n` of them.
std::vector<double> powers_of_ten(double low, double high, int n);

/// A value with as many decimals as a spacing of `step` needs; with a true minus sign.
std::string tick_text(double value, double step);

/// "10⁻³".
std::string power_text(double value);

/// With `digits` significant digits: "3.445e-08" becomes "3.445·10⁻⁸".
std::string number_with_digits(double value, int digits);

} // namespace tessera::io::pictures

#endif
