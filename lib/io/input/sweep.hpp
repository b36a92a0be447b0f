// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_IO_INPUT_SWEEP_HPP
#define TESSERA_IO_INPUT_SWEEP_HPP

/// \file
/// The key `sweep` of the input: one case for each combination of values (docs/input-reference.md, sweep).

#include "io/input/case.hpp"
#include "io/input/yaml_reader.hpp"
#include "io/output/report.hpp"

#include <string>
#include <vector>

namespace tessera::io {

/// Maximum number of points of a sweep.
constexpr std::size_t max_sweep_points = 100000;

/// A point of a sweep: a separate case.
struct SweepPoint {
  std::vector<std::string> values; ///< of the varied keys, as text
  Case input;
};

/// The points of a sweep, in the order in which they run.
struct Sweep {
  std::vector<std::string> keys;  ///< varied keys, as paths ("mesh.parameters.gap"); empty: the input has no sweep
  std::vector<SweepPoint> points; ///< the last list of the input varies fastest; without a sweep only the case itself
  bool keeps_outputs = false;     ///< each point has a separate output directory
  YamlNode definition;            ///< the value of the key `sweep` as given

  bool requested() const { return !keys.empty(); }
};

/// Reads an input file like read_case(), and every point of its sweep, if it has one. Errors in a point state the point
/// and its values.
Sweep read_sweep(const std::string& file, const std::vector<Override>& overrides = {});
/// As above for a text.
Sweep read_sweep_text(const std::string& text, const std::string& file, const std::vector<Override>& overrides = {});

/// The input of the first point with its defaults, and the sweep, in the input format. Reading it gives the same sweep,
/// unless it varies paths of files, which are relative to the input. `directory`: as for a case
/// (io/input/resolved.hpp).
ReportNode resolved_tree(const Sweep& sweep, const std::string& directory);

/// "point 3 (mesh.parameters.gap = 1.0e-3)"
std::string point_text(const Sweep& sweep, std::size_t point);

} // namespace tessera::io

#endif
