// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_COMPARE_RESULT_DIFFERENCES_HPP
#define TESSERA_DRIVER_COMPARE_RESULT_DIFFERENCES_HPP

/// \file
/// Differences between the output directories of two runs, or of two sweeps.

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace tessera::driver {

/// A number in both runs, or in only one.
struct ComparedNumber {
  std::string name; ///< "charge.plate", "point 3: capacitance", "capacitance_matrix.maxwell.wire_1.wire_2"
  std::string unit; ///< "" for none
  std::optional<double> first, second;
  /// Relative to the larger of both; numbers below a thousandth of the largest one of their unit are compared relative
  /// to that: components that are zero up to rounding do not differ. Infinite if one run lacks it.
  double difference = 0.;
};

/// A field in both files. Its differences are magnitudes of vectors.
struct ComparedField {
  std::string name;
  std::string unit;
  bool of_cells = false;         ///< one value per element, otherwise per node
  double largest = 0.;           ///< largest magnitude in either file
  double difference = 0.;        ///< largest difference, relative to `largest`; infinite if one is NaN
  std::array<double, 3> place{}; ///< m, position of the largest difference: the node, or the centre of the element's
                                 ///< nodes
};

struct ResultDifferences {
  std::vector<ComparedNumber> numbers;
  std::vector<ComparedField> fields;
  std::string why_no_fields;             ///< "": they are compared
  std::vector<std::string> only_in_one;  ///< "the field gradient is in the first alone"
  std::vector<std::string> changed_keys; ///< of the input, except title, output, verification: "mesh.refine (0; 1)"
  std::vector<std::string> warnings;     ///< "the first did not converge"

  /// The largest of all differences; infinite if anything exists in one only.
  double worst() const;
  bool any_compared() const { return !numbers.empty() || !fields.empty(); }
};

/// Compares the quantities and matrices of report.yaml and, if the meshes are the same, the fields node by node; for
/// sweeps the numbers of each point. Throws (kind input) for a directory without a completed run, and for a run
/// compared with a sweep.
ResultDifferences result_differences(const std::string& first, const std::string& second);

} // namespace tessera::driver

#endif
