// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/evaluation/probes.hpp"

#include <algorithm>
#include <cmath>

namespace tessera::driver {

std::vector<ProbeValues> probe_values(const io::Case& input, int dimension, const ValuesAt& values_at) {
  std::vector<ProbeValues> probes;
  if (input.output.probes.empty())
    return probes;
  std::vector<std::array<double, 3>> points;
  for (const io::Probe& probe : input.output.probes) {
    probes.push_back({{}, probe.positions(), {}});
    points.insert(points.end(), probes.back().positions.begin(), probes.back().positions.end());
  }
  const auto rows = values_at(points, io::traits_of(input.problem.physics).gradient_sign);
  auto row = rows.begin();
  for (ProbeValues& probe : probes) {
    for (const auto& [name, unit] : io::probe_columns(input.problem, dimension))
      probe.columns.push_back({name, unit, {}});
    for (std::size_t i = 0; i < probe.positions.size(); ++i, ++row)
      for (std::size_t k = 0; k < probe.columns.size(); ++k)
        probe.columns[k].values.push_back((*row)[k]);
  }
  return probes;
}

void append_probe_values(double time, const std::vector<ProbeValues>& values, std::vector<ProbeValues>& tables) {
  tables.resize(values.size());
  for (std::size_t p = 0; p < values.size(); ++p) {
    ProbeValues& table = tables[p];
    const ProbeValues& next = values[p];
    table.times.insert(table.times.end(), next.positions.size(), time);
    table.positions.insert(table.positions.end(), next.positions.begin(), next.positions.end());
    for (std::size_t k = 0; k < next.columns.size(); ++k) {
      if (table.columns.size() == k)
        table.columns.push_back({next.columns[k].name, next.columns[k].unit, {}});
      auto& column = table.columns[k].values;
      column.insert(column.end(), next.columns[k].values.begin(), next.columns[k].values.end());
    }
  }
}

void write_probes(const io::Case& input, const std::vector<ProbeValues>& probes, const io::OutputDirectory& output,
                  std::vector<std::string>& notes) {
  for (std::size_t p = 0; p < probes.size(); ++p) {
    const std::string& name = input.output.probes[p].name;
    const auto& values = probes[p].columns[0].values;
    const auto& times = probes[p].times; // points outside are so at all of them
    const auto n_points = times.empty() ? values.size() : std::count(times.begin(), times.end(), times[0]);
    const auto n_outside =
        std::count_if(values.begin(), values.begin() + n_points, [](double v) { return std::isnan(v); });
    if (n_outside > 0)
      notes.push_back("probe '" + name + "': " + std::to_string(n_outside) + " of " + std::to_string(n_points) +
                      " points lie outside of the mesh.");
    io::write_probe_file(output.file(name + ".csv"), probes[p].positions, probes[p].columns, times);
  }
}

} // namespace tessera::driver
