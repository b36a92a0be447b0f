// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "io/probes_file.hpp"

#include "io/atomic_file.hpp"

#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace tessera::io {

namespace {

/// Shortest text that reads back as the same number.
std::string number(double value) {
  if (std::isnan(value))
    return "";
  char text[32];
  for (int digits = 15; digits <= 17; ++digits) {
    std::snprintf(text, sizeof(text), "%.*g", digits, value);
    if (std::strtod(text, nullptr) == value)
      break;
  }
  return text;
}

} // namespace

void write_probe_file(const std::string& path, const std::vector<std::array<double, 3>>& positions,
                      const std::vector<ProbeColumn>& columns, const std::vector<double>& times) {
  AtomicFile target(path);
  std::ostream& file = target.stream();
  file << (times.empty() ? "x [m],y [m],z [m]" : "t [s],x [m],y [m],z [m]");
  for (const ProbeColumn& column : columns)
    file << ',' << column.name << " [" << column.unit << ']';
  file << '\n';
  for (std::size_t i = 0; i < positions.size(); ++i) {
    if (!times.empty())
      file << number(times[i]) << ',';
    file << number(positions[i][0]) << ',' << number(positions[i][1]) << ',' << number(positions[i][2]);
    for (const ProbeColumn& column : columns)
      file << ',' << number(column.values[i]);
    file << '\n';
  }
  target.commit();
}

} // namespace tessera::io
