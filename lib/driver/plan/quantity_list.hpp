// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_PLAN_QUANTITY_LIST_HPP
#define TESSERA_DRIVER_PLAN_QUANTITY_LIST_HPP

#include "driver/results.hpp"
#include "io/input/case.hpp"
#include "io/output/output_directory.hpp"

namespace tessera::driver {

/// Whether the input requests a quantity.
bool wants(const io::Case& input, io::Quantity quantity);

/// Adds a quantity, with a failure if it is not finite and a note if it is tiny.
void add_quantity(Results& results, const std::string& name, double value, const std::string& unit,
                  const io::Place& place = {});

/// Adds the file <name>.csv of the quantities <head>.<member> in `results`, a row per member, in the order of `heads`,
/// with the coordinates of those that have a location.
void add_table(Results& results, const std::string& name, const std::string& member,
               const std::vector<std::string>& members, const std::vector<std::string>& heads);

constexpr const char* quantities_file_name = "quantities.csv";
/// Writes quantities_file_name with one row: a column for each quantity, in order; nothing if there are none.
void write_quantities(const io::Findings& findings, const io::OutputDirectory& output);

/// Writes the files of the findings from the given one on.
void write_tables(const io::Findings& findings, std::size_t first, const io::OutputDirectory& output);

} // namespace tessera::driver

#endif
