// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/evaluation/paths/probes.hpp"

#include "core/constants.hpp"
#include "driver/evaluation/paths/shell_notes.hpp"

#include <algorithm>
#include <cmath>

namespace tessera::driver {

namespace {

/// Columns of a probe's table, from the values at its points, which are those of each part at this distance.
std::vector<io::TableColumn> columns_of(const io::Case& input, int dimension, const std::vector<std::string>& regions,
                                        const std::vector<std::array<double, 3>>& positions,
                                        const physics::PointValue* values, std::size_t n_points) {
  const io::ProblemOptions& problem = input.problem;
  const io::Method method = input.discretization.method;
  const io::PhysicsTraits& traits = io::traits_of(problem.physics);
  const auto n = static_cast<std::size_t>(dimension);
  const auto names = io::probe_columns(problem, method, dimension);
  const std::size_t n_parts = io::is_harmonic(problem.physics) ? 4 : 1; // real, imaginary, magnitude, phase
  const std::size_t n_of_part = names.size() / n_parts;
  const auto value_of = [&](std::size_t k, const std::array<double, 3>& position, const physics::PointValue& value) {
    return k == 0                                   ? value.value
           : k <= n                                 ? traits.gradient_sign * value.field[k - 1]
           : k <= 2 * n                             ? traits.flux_sign * value.flux[k - 1 - n]
           : names[k].first.compare(0, 1, "J") == 0 ? value.flux[2]
                                                    : flux_function(position, value);
  };
  std::vector<io::TableColumn> columns;
  for (const auto& [name, unit] : names) {
    const std::size_t k = columns.size() % n_of_part;
    const std::size_t part = columns.size() / n_of_part;
    columns.push_back({name, unit, {}, {}});
    for (std::size_t i = 0; i < positions.size(); ++i) {
      const double re = value_of(k, positions[i], values[i]);
      const double im = n_parts > 1 ? value_of(k, positions[i], values[n_points + i]) : 0.;
      columns.back().values.push_back(part == 0   ? re
                                      : part == 1 ? im
                                      : part == 2 ? std::hypot(re, im)
                                                  : std::atan2(im, re) * 180. / pi);
    }
  }
  if (method == io::Method::cg) {
    columns.push_back({"material", "", {}, {}});
    for (std::size_t i = 0; i < positions.size(); ++i)
      columns.back().texts.push_back(values[i].region < 0 ? "" : regions[static_cast<std::size_t>(values[i].region)]);
  }
  return columns;
}

} // namespace

std::vector<ProbeValues> probe_values(const io::Case& input, int dimension, const std::vector<std::string>& regions,
                                      const ValuesAt& values_at) {
  std::vector<ProbeValues> probes;
  for (const io::Probe& probe : input.output.probes)
    probes.push_back({{}, probe.positions(), {}});
  for (const bool recovered : {false, true}) {
    std::vector<std::array<double, 3>> points;
    for (std::size_t p = 0; p < probes.size(); ++p)
      if (input.output.probes[p].recovered == recovered)
        points.insert(points.end(), probes[p].positions.begin(), probes[p].positions.end());
    if (points.empty())
      continue;
    const auto values = values_at(points, recovered);
    const physics::PointValue* next = values.data();
    for (std::size_t p = 0; p < probes.size(); ++p)
      if (input.output.probes[p].recovered == recovered) {
        probes[p].columns = columns_of(input, dimension, regions, probes[p].positions, next, points.size());
        next += probes[p].positions.size();
      }
  }
  return probes;
}

double flux_function(const std::array<double, 3>& position, const physics::PointValue& value) {
  return position[0] * value.value;
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
        table.columns.push_back({next.columns[k].name, next.columns[k].unit, {}, {}});
      auto& column = table.columns[k].values;
      column.insert(column.end(), next.columns[k].values.begin(), next.columns[k].values.end());
      auto& texts = table.columns[k].texts;
      texts.insert(texts.end(), next.columns[k].texts.begin(), next.columns[k].texts.end());
    }
  }
}

void write_probes(const io::OutputOptions& options, const std::vector<ProbeValues>& probes,
                  const io::OutputDirectory& output, std::vector<std::string>& notes) {
  for (std::size_t p = 0; p < probes.size(); ++p) {
    const std::string& name = options.probes[p].name;
    const auto& values = probes[p].columns[0].values;
    const auto& times = probes[p].times; // points outside the mesh are outside at all times
    const auto n_points = times.empty() ? values.size() : std::count(times.begin(), times.end(), times[0]);
    const auto n_outside =
        std::count_if(values.begin(), values.begin() + n_points, [](double v) { return std::isnan(v); });
    if (n_outside > 0)
      notes.push_back("probe '" + name + "': " + std::to_string(n_outside) + " of " + std::to_string(n_points) +
                      " points lie outside of the mesh.");
    const std::string file = name + ".csv";
    const std::vector<io::TableColumn> table = io::probe_table(probes[p].positions, probes[p].columns, times);
    if (output.writes_files())
      io::write_table(output.file(file), table);
    if (output.arrays() != nullptr)
      output.arrays()->tables[file] = table;
  }
}

} // namespace tessera::driver
