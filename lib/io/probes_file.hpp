// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_IO_PROBES_FILE_HPP
#define TESSERA_IO_PROBES_FILE_HPP

/// \file
/// Writes values at probe points as a table of comma-separated values.

#include <array>
#include <string>
#include <vector>

namespace tessera::io {

/// One column of a probe's table besides the positions.
struct ProbeColumn {
  std::string name;           ///< "potential"
  std::string unit;           ///< "V"; "1" when it has none
  std::vector<double> values; ///< one per point; NaN outside of the mesh
};

/// Writes a table with the header "x [m],y [m],z [m],potential [V],..." and all digits of each number; NaN as an empty
/// cell. With `times`, one per row, the first column is "t [s]". The file appears under its name when it is complete.
void write_probe_file(const std::string& path, const std::vector<std::array<double, 3>>& positions,
                      const std::vector<ProbeColumn>& columns, const std::vector<double>& times = {});

} // namespace tessera::io

#endif
