// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "io/pictures/scale.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace tessera::io::pictures {

namespace {

/// Uses the true minus sign in numbers.
std::string with_minus(std::string text) {
  if (!text.empty() && text[0] == '-')
    text.replace(0, 1, "\u2212");
  return text;
}

std::string raised(int exponent) {
  static const char* const digits[] = {"\u2070", "\u00b9", "\u00b2", "\u00b3", "\u2074",
                                       "\u2075", "\u2076", "\u2077", "\u2078", "\u2079"};
  std::string text = exponent < 0 ? "\u207b" : "";
  for (const char c : std::to_string(std::abs(exponent)))
    text += digits[c - '0'];
  return text;
}

/// "A/m^2" with a superscript 2, "degC" with the degree sign.
std::string with_raised(const std::string& unit) {
  if (unit == "degC")
    return "\u00b0C";
  std::string text;
  for (std::size_t i = 0; i < unit.size(); ++i)
    if (unit[i] == '^' && i + 1 < unit.size() && unit[i + 1] >= '0' && unit[i + 1] <= '9')
      text += raised(unit[++i] - '0');
    else
      text += unit[i];
  return text;
}

bool takes_prefix(const std::string& unit) {
  if (unit.empty() || unit[0] == '1' || unit[0] == 'K' || unit == "degC")
    return false;
  const std::size_t end = unit.find_first_of("/ ");
  return unit.find('^') >= end; // a prefix of "m^2/s" would be raised to the power, too
}

} // namespace

UnitScale unit_scale(const std::string& unit, double largest) {
  if (unit == "1") // as in tables
    return unit_scale("", largest);
  if (!(largest > 0.) || !std::isfinite(largest))
    return {1., with_raised(unit)};
  int thousands = static_cast<int>(std::floor(std::log10(largest) / 3. + 1e-9));
  if ((unit == "K" || unit == "degC") && largest >= 1. && largest < 1e5)
    thousands = 0;
  if (unit.empty() && largest >= 0.1 && largest < 1e5)
    thousands = 0; // 0.5 is clearer than 500 thousandths, and 800 than 0.8 thousands
  if (thousands == 0)
    return {1., with_raised(unit)};
  if (takes_prefix(unit) && thousands >= -5 && thousands <= 4) {
    static const char* const prefixes[] = {"f", "p", "n", "\u00b5", "m", "", "k", "M", "G", "T"};
    return {std::pow(10., -3 * thousands), prefixes[thousands + 5] + with_raised(unit)};
  }
  return {std::pow(10., -3 * thousands), "10" + raised(3 * thousands) + (unit.empty() ? "" : " " + with_raised(unit))};
}

double round_step(double range, int n) {
  const double raw = range / std::max(n, 1);
  if (!(raw > 0.) || !std::isfinite(raw))
    return 1.;
  const double power = std::pow(10., std::floor(std::log10(raw)));
  for (const double m : {1., 2., 5.})
    if (raw <= m * power * 1.0001)
      return m * power;
  return 10. * power;
}

std::vector<double> round_values(double low, double high, int n) {
  std::vector<double> values;
  const double step = round_step(high - low, n);
  const double first = std::ceil(low / step - 1e-9), last = std::floor(high / step + 1e-9);
  if (last - first < 1000.)
    for (double k = first; k <= last; k += 1.)
      values.push_back(k * step);
  return values;
}

std::vector<double> powers_of_ten(double low, double high, int n) {
  std::vector<double> values;
  if (!(low > 0.) || !(high > low))
    return values;
  const int first = static_cast<int>(std::ceil(std::log10(low) - 1e-9));
  const int last = static_cast<int>(std::floor(std::log10(high) + 1e-9));
  const int every = std::max(1, static_cast<int>(std::lround(round_step(last - first, n))));
  for (int e = first; e <= last; ++e)
    if (e % every == 0)
      values.push_back(std::pow(10., e));
  return values;
}

std::string tick_text(double value, double step) {
  const int decimals = std::clamp(static_cast<int>(std::ceil(-std::log10(step) - 1e-9)), 0, 12);
  char text[64];
  std::snprintf(text, sizeof(text), "%.*f", decimals, std::abs(value) < 1e-9 * step ? 0. : value);
  return with_minus(text);
}

std::string power_text(double value) { return "10" + raised(static_cast<int>(std::lround(std::log10(value)))); }

std::string number_with_digits(double value, int digits) {
  char text[64];
  std::snprintf(text, sizeof(text), "%.*g", digits, value);
  std::string result = text;
  const std::size_t e = result.find('e');
  if (e != std::string::npos)
    result = result.substr(0, e) + "\u00b710" + raised(std::atoi(result.c_str() + e + 1));
  return with_minus(result);
}

} // namespace tessera::io::pictures
