// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_IO_OUTPUT_FINDINGS_HPP
#define TESSERA_IO_OUTPUT_FINDINGS_HPP

/// \file
/// The results of a run as a list: report.yaml, console, CSV files, rows of sweeps and comparisons are made of it.

#include "io/output/console.hpp"
#include "io/output/report.hpp"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace tessera::io {

/// Where a number was found, the direction that its sign refers to, and what rounding leaves open.
struct Place {
  std::vector<double> at = {}; ///< m, location; empty: none
  std::string from = {};       ///< for fluxes through interfaces: region that a positive flux leaves
  std::string towards = {};    ///< region that it enters
  double rounding = 0.;        ///< of flows: bound of the effect of the solution's rounding; 0: not known
};

/// A named number of the results with its unit.
struct QuantityValue {
  std::string name;
  double value = 0.;
  std::string unit = {}; ///< empty: dimensionless
  Place place = {};
};

/// What a second solution on a finer mesh shows about a number.
struct Estimate {
  double error = 0.;   ///< estimated bound of the number's error, in its unit
  double refined = 0.; ///< the number of the second solution
};

/// Before the name of a quantity: the name of its estimated error.
constexpr const char* estimated_error = "estimated_error.";

/// "+- 0.02 %", or "+- 0.013 N" if the error exceeds the value.
std::string error_text(double value, double error, const std::string& unit);

/// "charge.wire [C]", the head of a column; "[1]" for dimensionless numbers.
std::string column_name(const QuantityValue& quantity);

using TextRows = std::vector<std::vector<std::string>>;

/// An entry of the results. All parts are optional: what is empty does not appear there.
struct Finding {
  std::string section;                     ///< keys that lead to its map or list in report.yaml, separated by dots
  std::string name = {};                   ///< key in that map, which may have dots; empty: a further item of the list
  ReportNode value = {};                   ///< in report.yaml
  std::vector<QuantityValue> numbers = {}; ///< for rows of sweeps and comparisons
  std::string label = {};                  ///< on the console, followed by `text`, or by the number
  std::string text = {};
  TextRows table = {}; ///< on the console, below; the first row has the heads
  std::string file = {};
  TextRows rows = {}; ///< of the CSV file; the first row has the heads
};

class Findings {
public:
  /// Sections in an order. "" stands for all others, which are left out without it.
  using Order = std::vector<std::string>;

  void add(Finding finding) { list_.push_back(std::move(finding)); }
  /// Entries of a section of report.yaml ("" for its top), except those without a value.
  void add_facts(const std::string& section, ReportNode::Entries facts);
  /// A further item of a list.
  void add_item(const std::string& section, ReportNode item);
  /// An entry of the section "quantities", for all outputs.
  void add_quantity(QuantityValue quantity);
  /// A line for the console only, with a table below.
  void add_line(const std::string& section, const std::string& label, const std::string& text, TextRows table = {});

  /// Adds estimates, by name, to quantities and to matrices whose entries all have one; the errors become numbers.
  void set_estimates(const std::map<std::string, Estimate>& estimates);

  const std::vector<Finding>& list() const { return list_; }
  /// In the order of their sections, and within a section in that of the list.
  std::vector<const Finding*> ordered(const Order& order) const;
  std::vector<QuantityValue> numbers(const Order& order) const;
  bool has_file(const std::string& name) const;

  void add_to(ReportNode& report, const Order& order) const;
  void print(Console& console, const Order& order) const;

  int place_digits = 5; ///< significant ones of places on the console

private:
  std::vector<Finding> list_;
};

} // namespace tessera::io

#endif
