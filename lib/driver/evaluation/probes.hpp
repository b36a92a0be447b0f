// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_EVALUATION_PROBES_HPP
#define TESSERA_DRIVER_EVALUATION_PROBES_HPP

#include "io/case.hpp"
#include "io/output_directory.hpp"
#include "io/probes_file.hpp"

#include <array>
#include <functional>
#include <string>
#include <vector>

namespace tessera::driver {

/// Solution and vector field at the points of a probe; not a number outside of the mesh. Of a problem in time all
/// points follow for each time.
struct ProbeValues {
  std::vector<double> times; ///< of the rows, s; nothing of steady problems
  std::vector<std::array<double, 3>> positions;
  std::vector<io::TableColumn> columns;
};

/// Solution and `scale` times its gradient at points, a row each; NaN outside of the mesh.
using ValuesAt =
    std::function<std::vector<std::array<double, 4>>(const std::vector<std::array<double, 3>>& points, double scale)>;

/// Evaluates every probe of the input, all together.
std::vector<ProbeValues> probe_values(const io::Case& input, int dimension, const ValuesAt& values_at);

/// Appends the values of a time to the tables of earlier ones.
void append_probe_values(double time, const std::vector<ProbeValues>& values, std::vector<ProbeValues>& tables);

/// Writes <name>.csv for every probe, with a note on points outside of the mesh.
void write_probes(const io::Case& input, const std::vector<ProbeValues>& probes, const io::OutputDirectory& output,
                  std::vector<std::string>& notes);

} // namespace tessera::driver

#endif
