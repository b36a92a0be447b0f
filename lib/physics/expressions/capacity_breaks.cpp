// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "physics/expressions/capacity_breaks.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace tessera::physics {

namespace {

bool compares(Opcode op) {
  return op == Opcode::min || op == Opcode::max || op == Opcode::less || op == Opcode::less_equal ||
         op == Opcode::greater || op == Opcode::greater_equal;
}

/// Constants that t alone is compared with: of conditions, and the ends of the intervals of tables. Two of them may be
/// closer to each other than Expression::breaks_in_time() sees.
std::vector<double> compared_with_t(const std::vector<Instruction>& code) {
  std::vector<double> constants;
  const auto is = [&](std::size_t i, Opcode op) { return i < code.size() && code[i].op == op; };
  for (std::size_t i = 0; i + 1 < code.size(); ++i) {
    if (code[i].op != Opcode::constant)
      continue;
    const bool after_t = i >= 1 && is(i - 1, Opcode::t);
    const bool after_clamped_t =
        i >= 3 && is(i - 1, Opcode::max) && is(i - 2, Opcode::constant) && is(i - 3, Opcode::t);
    if (((after_t || after_clamped_t) && compares(code[i + 1].op)) ||
        (is(i + 1, Opcode::t) && i + 2 < code.size() && compares(code[i + 2].op)))
      constants.push_back(code[i].value);
  }
  return constants;
}

double gauss_integral(const Expression& value, double from, double to) {
  double sum = 0.;
  for (int k = 0; k < 4; ++k)
    sum += CapacityRule::weight(k) * value(0., 0., 0., from + CapacityRule::point(k) * (to - from));
  return sum * (to - from);
}

/// Adds the breaks within an interval.
void split_interval(const Expression& value, double from, double to, int depth, std::vector<double>& breaks) {
  constexpr double tolerance = 1e-11;
  constexpr int deepest = 16;
  constexpr double width = 2.; // no narrower peak is looked for
  const int n = std::max(2, static_cast<int>(std::ceil((to - from) / width)));
  double sum = 0.;
  for (int k = 0; k < n; ++k)
    sum += gauss_integral(value, from + (to - from) * k / n, from + (to - from) * (k + 1) / n);
  const double error = std::fabs(gauss_integral(value, from, to) - sum);
  const bool is_undefined = !std::isfinite(error) && to - from < 50.; // for good, as square roots below 0
  if (depth == deepest || error <= tolerance * std::fabs(sum) || is_undefined)
    return;
  const double middle = 0.5 * (from + to);
  split_interval(value, from, middle, depth + 1, breaks);
  breaks.push_back(middle);
  split_interval(value, middle, to, depth + 1, breaks);
}

} // namespace

std::vector<double> capacity_breaks(const Expression& capacity) {
  constexpr double lowest = -300.;
  constexpr double highest = 6000.;
  std::vector<double> ends = compared_with_t(capacity.code());
  const std::vector<double> found = capacity.breaks_in_time(lowest, highest);
  ends.insert(ends.end(), found.begin(), found.end());
  std::sort(ends.begin(), ends.end());
  ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
  std::vector<double> breaks = ends;
  double from = lowest;
  ends.push_back(highest);
  for (const double to : ends)
    if (to > from && from < highest) {
      split_interval(capacity, from, std::min(to, highest), 0, breaks);
      from = to;
    }
  std::sort(breaks.begin(), breaks.end());
  return breaks;
}

} // namespace tessera::physics
