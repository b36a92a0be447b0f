// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/evaluation/verification.hpp"

#include "driver/evaluation/matrices.hpp"
#include "driver/problem/input_values.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>

namespace tessera::driver {

namespace {

/// Reports an error relative to an expected value. One that is no number misses any tolerance, and none as well.
void judge(Results& results, const std::string& name, double error, double tolerance, const std::string& expected) {
  results.errors[name] = error;
  if (std::isfinite(error) && (tolerance <= 0. || error <= tolerance))
    return;
  std::ostringstream note;
  if (!std::isfinite(error))
    note << "The error of " << name << " is " << io::number_text(error) << ": the expected " << expected
         << " or the computed one is zero, infinite or no number somewhere.";
  else
    note << name << " differs from the expected " << expected << " by " << error << " of it; the tolerance is "
         << tolerance << '.';
  results.notes.push_back(note.str());
  results.missed.push_back(note.str());
}

void verify_quantities(const std::vector<io::ExpectedQuantity>& expected, Results& results) {
  std::vector<QuantityValue> computed = results.quantities;
  for (const QuantityMatrix& matrix : results.matrices)
    for (const QuantityValue& value : entries_of(matrix))
      computed.push_back(value);
  for (const io::ExpectedQuantity& entry : expected) {
    const auto found = std::find_if(computed.begin(), computed.end(),
                                    [&](const QuantityValue& quantity) { return quantity.name == entry.name; });
    if (found == computed.end()) { // it could not be computed, as failures tell
      results.missed.push_back("The expected " + entry.name + " was not computed.");
      continue;
    }
    const double error = std::fabs(found->value - entry.value) / (entry.value != 0. ? std::fabs(entry.value) : 1.);
    std::ostringstream value;
    value << entry.value;
    judge(results, entry.name, error, entry.tolerance, value.str());
  }
}

/// Largest relative error among the points of a probe; infinite where a point lies outside of the mesh.
double largest_error(const ProbeValues& probe, const io::ExpectedProbe& expected) {
  const auto& positions = probe.positions;
  const physics::Expression exact = to_expression(expected.exact);
  double largest = 0.;
  for (const io::TableColumn& column : probe.columns)
    for (std::size_t i = 0; column.name == expected.column && i < positions.size(); ++i) {
      const double time = probe.times.empty() ? 0. : probe.times[i];
      const double value = exact(positions[i][0], positions[i][1], positions[i][2], time);
      const double error = std::fabs(column.values[i] - value) / std::fabs(value);
      largest = std::isnan(error) ? INFINITY : std::max(largest, error); // a point outside, or the exact value
    }
  return largest;
}

} // namespace

void verify(const io::Case& input, const std::vector<ProbeValues>& probes, const ErrorsOf& errors_of,
            Results& results) {
  const io::VerificationOptions& expected = input.verification;
  if (expected.has_exact) {
    std::vector<physics::Expression> gradient;
    for (const io::Scalar& entry : expected.gradient)
      gradient.push_back(to_expression(entry));
    for (const NormError& norm : errors_of(to_expression(expected.exact), gradient))
      judge(results, norm.name, norm.error / (norm.exact > 0. ? norm.exact : 1.), 0., norm.of);
  }
  verify_quantities(expected.quantities, results);
  for (const io::ExpectedProbe& entry : expected.probes)
    for (std::size_t p = 0; p < probes.size(); ++p)
      if (input.output.probes[p].name == entry.probe)
        judge(results, entry.probe + "." + entry.column, largest_error(probes[p], entry), entry.tolerance, "values");
}

} // namespace tessera::driver
