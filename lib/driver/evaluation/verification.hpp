// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_EVALUATION_VERIFICATION_HPP
#define TESSERA_DRIVER_EVALUATION_VERIFICATION_HPP

#include "driver/evaluation/paths/probes.hpp"
#include "driver/results.hpp"
#include "physics/expressions/expression.hpp"

namespace tessera::driver {

/// An error of the solution in some norm, and the norm of the exact solution (0: the error is absolute).
struct NormError {
  std::string name; ///< "l2"
  double error = 0.;
  double exact = 0.;
  std::string of; ///< for messages: "solution"
};

/// Errors of the solution; `gradient` is the gradient of `exact`, or empty.
using ErrorsOf = std::function<std::vector<NormError>(const physics::Expression& exact,
                                                      const std::vector<physics::Expression>& gradient)>;

/// Compares solution, quantities and probes with the expectations of the input. Errors are added to the results, with a
/// note for each that exceeds its tolerance, and a failure for an expected quantity or column that the run does not
/// have.
void verify(const io::Case& input, const std::vector<ProbeValues>& probes, const ErrorsOf& errors_of, Results& results);

} // namespace tessera::driver

#endif
