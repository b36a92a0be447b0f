// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_COMPARE_COMPARISON_TABLES_HPP
#define TESSERA_DRIVER_COMPARE_COMPARISON_TABLES_HPP

/// \file
/// Output of a comparison on the console and as compare.yaml.

#include "driver/compare/comparison.hpp"
#include "io/output/console.hpp"
#include "io/output/report.hpp"

namespace tessera::driver {

/// Prints the quantities of the runs, each with time, iterations and verdict.
void print_quantities(io::Console& console, const Comparison& comparison);

/// Prints the run with the largest difference from the first one, with the differences and their tolerances.
void print_worst_pair(io::Console& console, const Comparison& comparison);

/// Prints time and memory of each phase of every run, and all differences.
void print_all_runs(io::Console& console, const Comparison& comparison);

/// The complete comparison.
io::ReportNode comparison_report(const io::Case& input, const Comparison& comparison, const ProblemSummary& problem);

} // namespace tessera::driver

#endif
