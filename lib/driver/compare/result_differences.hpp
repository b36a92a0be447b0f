// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_COMPARE_RESULT_DIFFERENCES_HPP
#define TESSERA_DRIVER_COMPARE_RESULT_DIFFERENCES_HPP

/// \file
/// What the output directories of two runs, or of two sweeps, differ in.

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace tessera::driver {

/// A number of both runs, or of one alone.
struct ComparedNumber {
  std::string name; ///< "charge.plate", "point 3: capacitance", "capacitance_matrix.maxwell.wire_1.wire_2"
  std::string unit; ///< "" for none
  std::optional<double> first, second;
  /// Relative to the larger one of both, but of numbers below a thousandth of the largest of their unit to that:
  /// components that are zero but for rounding do not differ. Infinite where one run lacks it.
  double difference = 0.;
};

/// A field that both files have. Its differences are lengths of vectors.
struct ComparedField {
  std::string name;
  std::string unit;
  bool of_cells = false;         ///< a value for each element, otherwise for each node
  double largest = 0.;           ///< length in either file
  double difference = 0.;        ///< largest difference, relative to `largest`; infinite where one is no number
  std::array<double, 3> place{}; ///< m, of the largest difference: the node, or the centre of the element's nodes
};

struct ResultDifferences {
  std::vector<ComparedNumber> numbers;
  std::vector<ComparedField> fields;
  std::string why_no_fields;             ///< "": they are compared
  std::vector<std::string> only_in_one;  ///< "the field gradient is in the first alone"
  std::vector<std::string> changed_keys; ///< of the input, but title, output, verification: "mesh.refine (0; 1)"
  std::vector<std::string> warnings;     ///< "the first did not converge"

  /// The largest difference of all; infinite where anything is in one alone.
  double worst() const;
  bool any_compared() const { return !numbers.empty() || !fields.empty(); }
};

/// Compares the quantities and matrices of report.yaml, and, of the same mesh, the fields node by node; of sweeps the
/// numbers of each point. Throws (kind input) for a directory that is that of no ended run, and for a run beside a
/// sweep.
ResultDifferences result_differences(const std::string& first, const std::string& second);

} // namespace tessera::driver

#endif
