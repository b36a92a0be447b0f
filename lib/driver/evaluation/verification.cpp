// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/evaluation/verification.hpp"

#include "driver/problem/binding/input_values.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <sstream>
#include <unordered_map>

namespace tessera::driver {

namespace {

using Errors = std::map<std::string, double>; ///< by name

/// Reports an error relative to an expected value. NaN exceeds any tolerance, and is noted without one, too.
void check_error(Results& results, Errors& errors, const std::string& name, double error, double tolerance,
                 const std::string& expected) {
  errors[name] = error;
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

/// A missing value is a failure.
void report_missing(const io::Location& where, const std::string& message, Results& results) {
  results.failures.push_back(where.text() + ": " + message);
}

void verify_quantities(const std::vector<io::ExpectedQuantity>& expected, Results& results, Errors& errors) {
  if (expected.empty())
    return;
  std::vector<std::string> names;
  std::unordered_map<std::string, double> computed;
  for (const QuantityValue& quantity : results.findings.numbers({"quantities", ""}))
    if (computed.emplace(quantity.name, quantity.value).second)
      names.push_back(quantity.name);
  for (const io::ExpectedQuantity& entry : expected) {
    const auto found = computed.find(entry.name);
    if (found == computed.end()) {
      report_missing(entry.where,
                     "the run has no quantity '" + entry.name + "' to compare with this. It has: " + io::joined(names) +
                         '.',
                     results);
      continue;
    }
    const double error = std::fabs(found->second - entry.value) / (entry.value != 0. ? std::fabs(entry.value) : 1.);
    std::ostringstream value;
    value << entry.value;
    check_error(results, errors, entry.name, error, entry.tolerance, value.str());
  }
}

/// Largest relative error among the points of a probe; infinite if a point is outside the mesh.
double largest_error(const ProbeValues& probe, const io::TableColumn& column, const io::ExpectedProbe& expected) {
  const auto& positions = probe.positions;
  const physics::Expression exact = to_expression(expected.exact);
  double largest = 0.;
  for (std::size_t i = 0; i < positions.size(); ++i) {
    const double time = probe.times.empty() ? 0. : probe.times[i];
    const double value = exact(positions[i][0], positions[i][1], positions[i][2], time);
    const double error = std::fabs(column.values[i] - value) / std::fabs(value);
    largest = std::isnan(error) ? INFINITY : std::max(largest, error); // a point outside the mesh, or an invalid exact
                                                                       // value
  }
  return largest;
}

void verify_probe(const io::OutputOptions& options, const std::vector<ProbeValues>& probes,
                  const io::ExpectedProbe& expected, Results& results, Errors& errors) {
  for (std::size_t p = 0; p < probes.size(); ++p)
    for (const io::TableColumn& column : probes[p].columns)
      if (options.probes[p].name == expected.probe && column.name == expected.column) {
        check_error(results, errors, expected.probe + "." + expected.column, largest_error(probes[p], column, expected),
                    expected.tolerance, "values");
        return;
      }
  report_missing(expected.where,
                 "the run has no column '" + expected.column + "' of the probe '" + expected.probe +
                     "' to compare with this.",
                 results);
}

} // namespace

void verify(const io::Case& input, const std::vector<ProbeValues>& probes, const ErrorsOf& errors_of,
            Results& results) {
  const io::VerificationOptions& expected = input.verification;
  Errors errors;
  if (expected.has_exact) {
    std::vector<physics::Expression> gradient;
    for (const io::Scalar& entry : expected.gradient)
      gradient.push_back(to_expression(entry));
    for (const NormError& norm : errors_of(to_expression(expected.exact), gradient))
      check_error(results, errors, norm.name, norm.error / (norm.exact > 0. ? norm.exact : 1.), 0., norm.of);
  }
  verify_quantities(expected.quantities, results, errors);
  for (const io::ExpectedProbe& entry : expected.probes)
    verify_probe(input.output, probes, entry, results, errors);
  for (const auto& [name, error] : errors)
    results.findings.add({"errors", name, error, {{name, error}}, "error." + name});
}

} // namespace tessera::driver
