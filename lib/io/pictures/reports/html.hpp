// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_IO_PICTURES_REPORTS_HTML_HPP
#define TESSERA_IO_PICTURES_REPORTS_HTML_HPP

/// \file
/// Common parts of the HTML documents of runs and sweeps. The documents are self-contained.

#include "io/input/yaml_reader.hpp"

#include <iosfwd>
#include <string>
#include <vector>

namespace tessera::io::pictures {

/// Text with the special characters of HTML escaped.
std::string escaped(const std::string& text);

/// Writes the document up to the title and the line below it; both are texts.
void begin_document(const std::string& title, const std::string& line, std::ostream& out);
/// Ends the document with the input, below a heading.
void end_document(const std::string& heading, const std::string& input, std::ostream& out);

/// Writes a paragraph that states whether the results can be used.
void write_verdict(bool is_good, const std::string& text, std::ostream& out);
/// Writes a remark in grey.
void write_remark(const std::string& text, std::ostream& out);
/// Writes texts below a heading; nothing if there are none. `is_bad`: failures.
void write_list(const std::vector<std::string>& texts, const std::string& heading, bool is_bad, std::ostream& out);

/// An SVG drawing as a separate image, so that its names cannot clash with those of others.
std::string figure(const std::string& svg, const std::string& alternative);

/// Cell of a number, right-aligned. `whole`: shown on hover; empty: nothing.
std::string number_cell(const std::string& text, const std::string& whole = "");
/// The same with seven digits in a readable unit, and a cell with that unit.
std::string quantity_cells(double value, const std::string& unit, const std::string& whole);

/// Writes "How it was computed": a row for each scalar below some keys of a report.
void write_facts(const YamlNode& report, const std::vector<std::string>& keys, std::ostream& out);

} // namespace tessera::io::pictures

#endif
