// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_SOLUTION_NEWTON_TIMES_HPP
#define TESSERA_DRIVER_SOLUTION_NEWTON_TIMES_HPP

#include "core/timer.hpp"
#include "driver/solve_report.hpp"

namespace tessera::driver {

/// Adds the seconds of the phases from `first` on, and sets the fraction of assembly in them.
inline void set_times_of_newton(const PhaseLog& log, std::size_t first, SolveReport& report) {
  double assembly_seconds = 0.;
  for (std::size_t i = first; i < log.phases().size(); ++i) {
    const Phase& phase = log.phases()[i];
    report.nonlinear_seconds += phase.seconds;
    assembly_seconds += phase.name == "assembly: numeric" ? phase.seconds : 0.;
  }
  report.assembly_share = assembly_seconds / report.nonlinear_seconds;
}

} // namespace tessera::driver

#endif
