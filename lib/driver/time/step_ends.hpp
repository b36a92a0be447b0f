// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_TIME_STEP_ENDS_HPP
#define TESSERA_DRIVER_TIME_STEP_ENDS_HPP

#include "io/input/case.hpp"
#include "physics/expressions/expression.hpp"

#include <vector>

namespace tessera::driver {

/// An instant at which a step of time has to end, s.
struct StepEnd {
  double at = 0.;
  double before = 0.;     ///< last instant with the data of the step that ends there
  bool is_break = false;  ///< whether data may jump or bend there
  bool is_output = false; ///< whether fields are requested there
};

/// The instants at which steps have to end, ascending, from the first after the start to the end of the problem: all
/// ends of steps of given sizes, or breaks and the times of the output. Breaks are those of the input and of the
/// `data`, as far as these are functions of t alone; they divide equal steps into pieces of equal, not longer steps.
std::vector<StepEnd> step_ends(const io::TimeOptions& time, const std::vector<double>& output_times,
                               const std::vector<physics::Expression>& data);

} // namespace tessera::driver

#endif
