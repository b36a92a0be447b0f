// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/evaluation/quantity_list.hpp"

#include <algorithm>
#include <cmath>

namespace tessera::driver {

bool wants(const io::Case& input, io::Quantity quantity) {
  const auto& asked = input.output.quantities;
  return std::find(asked.begin(), asked.end(), quantity) != asked.end();
}

void add_quantity(Results& results, const std::string& name, double value, const std::string& unit) {
  results.quantities.push_back({name, value, unit});
  if (!std::isfinite(value))
    results.failures.push_back("The quantity " + name + " is " + io::number_text(value) +
                               ": numbers on its way are too large for double precision.");
  else if (std::fpclassify(value) == FP_SUBNORMAL)
    results.notes.push_back("The quantity " + name + " is so small that double precision keeps few of its digits.");
}

} // namespace tessera::driver
