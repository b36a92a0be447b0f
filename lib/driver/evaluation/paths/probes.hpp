// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_EVALUATION_PATHS_PROBES_HPP
#define TESSERA_DRIVER_EVALUATION_PATHS_PROBES_HPP

#include "io/input/case.hpp"
#include "io/output/output_directory.hpp"
#include "io/output/probes_file.hpp"
#include "physics/fields/point_values.hpp"

#include <array>
#include <functional>
#include <string>
#include <vector>

namespace tessera::driver {

/// Solution and vector field at the points of a probe; NaN outside the mesh. In time-dependent problems all points are
/// repeated for each time.
struct ProbeValues {
  std::vector<double> times; ///< of the rows, s; empty for steady problems
  std::vector<std::array<double, 3>> positions;
  std::vector<io::TableColumn> columns;
};

/// Solution and fields at points; fields are recovered or those of the elements. Time-harmonic problems return the real
/// parts at all points and then the imaginary ones, with the current density as third component of the flux.
using ValuesAt =
    std::function<std::vector<physics::PointValue>(const std::vector<std::array<double, 3>>& points, bool recovered)>;

/// Evaluates all probes of the input together. `regions`: names of regions, if values at points include the region.
std::vector<ProbeValues> probe_values(const io::Case& input, int dimension, const std::vector<std::string>& regions,
                                      const ValuesAt& values_at);

/// The function r A_phi at a point of the mesh, which equals that at the represented point of space in a shell.
double flux_function(const std::array<double, 3>& position, const physics::PointValue& value);

/// Appends the values at one time to the tables of earlier times.
void append_probe_values(double time, const std::vector<ProbeValues>& values, std::vector<ProbeValues>& tables);

/// Writes <name>.csv for every probe, with a note on points outside the mesh.
void write_probes(const io::OutputOptions& options, const std::vector<ProbeValues>& probes,
                  const io::OutputDirectory& output, std::vector<std::string>& notes);

} // namespace tessera::driver

#endif
