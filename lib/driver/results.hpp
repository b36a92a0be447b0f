// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_RESULTS_HPP
#define TESSERA_DRIVER_RESULTS_HPP

/// \file
/// What a run leaves for its report and its summary; host data only.

#include "driver/solve.hpp"

#include <map>
#include <string>
#include <vector>

namespace tessera::driver {

/// A named number of the results with its unit.
struct QuantityValue {
  std::string name;
  double value = 0.;
  std::string unit;
};

struct Results {
  std::string device;
  ProblemSummary problem;
  SolveReport solve;
  std::vector<QuantityValue> quantities;
  std::map<std::string, double> errors;
  bool expectations_met = true;
  /// Sentences on what cannot be used although the solver has converged: numbers that are not finite, quantities that
  /// could not be computed. The run ends as a numerical failure.
  std::vector<std::string> failures;
  ErrorKind failure_kind = ErrorKind::numerical; ///< of the exit code
  std::vector<std::string> notes;
};

} // namespace tessera::driver

#endif
