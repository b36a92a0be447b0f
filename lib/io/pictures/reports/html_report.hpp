// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_IO_PICTURES_REPORTS_HTML_REPORT_HPP
#define TESSERA_IO_PICTURES_REPORTS_HTML_REPORT_HPP

#include "io/pictures/reports/run_results.hpp"
#include "io/pictures/reports/sweep_results.hpp"

#include <string>

namespace tessera::io::pictures {

constexpr const char* html_report_name = "report.html";

/// A run as a self-contained HTML document: quantities, notes, pictures of fields and mesh, convergence, phases with
/// their times and memory, the resolved input, versions.
std::string html_report(const RunResults& results);

/// The same for a sweep: failures and points not run, its quantities over the first varied number, the table of points
/// (the first ones if there are many), reused set-ups, the input of the first point, versions.
std::string html_report(const SweepResults& results);

/// Writes the document as html_report_name to the directory of the run, completely or not at all; returns the path.
std::string write_html_report(const RunResults& results);
std::string write_html_report(const SweepResults& results);
/// The same for the output directory of a finished run, or of a sweep. Throws (kind input) if it is neither.
std::string write_html_report(const std::string& directory);

} // namespace tessera::io::pictures

#endif
