// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_COMPARE_COMPARISON_TABLES_HPP
#define TESSERA_DRIVER_COMPARE_COMPARISON_TABLES_HPP

/// \file
/// A comparison on the console and as compare.yaml.

#include "driver/compare/comparison.hpp"
#include "io/console.hpp"
#include "io/report.hpp"

namespace tessera::driver {

/// The quantities of the runs side by side, each with its time, iterations and verdict.
void tell_quantities(io::Console& console, const Comparison& comparison);

/// The run that is furthest from the first one, with the differences and their tolerances.
void tell_worst_pair(io::Console& console, const Comparison& comparison);

/// Time and memory of each phase of every run, and all differences.
void tell_all(io::Console& console, const Comparison& comparison);

/// All of it.
io::ReportNode comparison_report(const io::Case& input, const Comparison& comparison, const ProblemSummary& problem);

} // namespace tessera::driver

#endif
