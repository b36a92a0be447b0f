// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_IO_MATERIALS_BH_TABLE_HPP
#define TESSERA_IO_MATERIALS_BH_TABLE_HPP

/// \file
/// Magnetisation curves from the input: a list of points, or a CSV file.

#include "io/input/map_reader.hpp"

#include <string>

namespace tessera::io {

/// Points of a table that were raised.
struct RaisedPoints {
  std::size_t first = 0; ///< 0-based
  std::size_t last = 0;
  double largest = 0.; ///< largest change of B, in T; 0: none
};

/// Raises B where a saturated end of a table rises less than in vacuum, by at least half as much: makers round their
/// values. The end is what rises at most 1.1 times as fast as vacuum from there on. Other points stay as they are.
RaisedPoints raise_saturated_end(physics::BhTable& table);

/// Path of the CSV file that `node` names, relative to `folder` (if given on the command line, to the current folder);
/// empty if `node` is not a text.
std::string bh_path(const YamlNode& node, const Location& where, const std::string& folder);

/// A curve, shifted to start at [0, 0].
struct BhCurve {
  physics::BhTable table;     ///< empty after an error
  double coercive_field = 0.; ///< A/m, of a magnet, whose curve starts at [-coercive_field, 0]; else 0
};

/// Reads and checks the points of `node`: [[H, B], ...], the CSV file of bh_path(), or {relative_permeability:
/// [[B, mu_r], ...]}, linear between its points.
BhCurve read_bh_curve(const YamlNode& node, const Location& where, const std::string& folder, InputErrors& errors);

/// Reads a CSV file of two columns, H in A/m and B in T, separated by a comma, a semicolon or blanks. Text after '#' is
/// a comment; the first line that is neither empty nor a comment may be a header, which must not contradict these
/// columns. Errors name file and line; more than 10 T above mu0 H are noted.
BhCurve read_bh_file(const std::string& path, const Location& where, InputErrors& errors);

} // namespace tessera::io

#endif
