// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_IO_PICTURES_REPORTS_PAPER_PAGE_HPP
#define TESSERA_IO_PICTURES_REPORTS_PAPER_PAGE_HPP

/// \file
/// The HTML page with the tables of a paper next to the values that it publishes.

#include "io/pictures/reports/bench_charts.hpp"

#include <string>
#include <vector>

namespace tessera::io::pictures {

/// A number of the paper, and the value of our tables that corresponds to it.
struct PublishedValue {
  std::string what; ///< "OFCM, 24 106 triangles"
  double value = 0.;
  std::string unit = "1"; ///< that of the column
  std::string case_name;  ///< empty: the last case that has the other three
  std::string method, part, column;
};

struct PaperSection {
  std::string title;
  std::string source; ///< "Table 1"
  std::string remark;
  std::string command;
  std::vector<std::string> columns; ///< shown in addition to those with times
  std::vector<PublishedValue> published;
  BenchResults results;
  bool has_charts_only = false; ///< its tables are those of other sections
};

struct PaperFacts {
  std::string title, authors, hardware;
};

/// Our value for one of the paper; NaN if it was not measured.
double value_of(const PublishedValue& published, const std::vector<BenchTable>& tables);

/// Writes the page, completely or not at all; with charts if the build has Cairo.
void write_paper_page(const std::string& path, const PaperFacts& facts, const std::vector<PaperSection>& sections);

} // namespace tessera::io::pictures

#endif
