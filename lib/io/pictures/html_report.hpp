// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_IO_PICTURES_HTML_REPORT_HPP
#define TESSERA_IO_PICTURES_HTML_REPORT_HPP

#include "io/pictures/run_results.hpp"
#include "io/pictures/sweep_results.hpp"

#include <string>

namespace tessera::io::pictures {

constexpr const char* html_report_name = "report.html";

/// A run as one HTML document that needs nothing else: quantities, notes, pictures of fields and mesh, convergence,
/// phases with their times and memory, the resolved input, versions.
std::string html_report(const RunResults& results);

/// A sweep likewise: what failed or did not run, its quantities over the first number that varies, the table of points
/// (of many the first), what points took over, the input of the first point, versions.
std::string html_report(const SweepResults& results);

/// Writes it as html_report_name to the directory of the run, completely or not at all; the file's path.
std::string write_html_report(const RunResults& results);
std::string write_html_report(const SweepResults& results);
/// The same for the output directory of a run that has ended, or of a sweep. Throws (kind input) where it is neither.
std::string write_html_report(const std::string& directory);

} // namespace tessera::io::pictures

#endif
