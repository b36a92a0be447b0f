// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "io/output/convergence_file.hpp"

#include "core/error.hpp"
#include "io/input/input_text.hpp"
#include "io/output/probes_file.hpp"

#include <cmath>
#include <cstdlib>

namespace tessera::io {

namespace {

const std::vector<std::string>& headline() {
  static const std::vector<std::string> names{"solve", "round", "step", "iteration", "relative_residual"};
  return names;
}

} // namespace

std::vector<double> relative_residuals(const std::vector<double>& residuals, double of_right_hand_side) {
  std::vector<double> relative = residuals;
  for (double& residual : relative)
    residual = residual == 0. ? 0. : of_right_hand_side > 0. ? residual / of_right_hand_side : std::nan("");
  return relative;
}

void write_convergence(const std::string& path, const std::vector<ResidualHistory>& histories) {
  TableFile file(path);
  file.add(headline());
  for (const ResidualHistory& history : histories)
    for (std::size_t k = 0; k < history.residuals.size(); ++k)
      file.add({history.solve, std::to_string(history.round), std::to_string(history.step), std::to_string(k),
                csv_number(history.residuals[k])});
  file.complete();
}

std::vector<ResidualHistory> read_convergence(const std::string& path) {
  constexpr std::size_t most_bytes = std::size_t(1) << 28;
  const std::vector<std::vector<std::string>> rows = read_rows(path, most_bytes);
  const auto require = [&](bool is_fine) {
    TESSERA_REQUIRE(is_fine, "'" << printable(path, 300) << "' is no table of residuals.");
  };
  require(!rows.empty() && rows.front() == headline());
  std::vector<ResidualHistory> histories;
  for (std::size_t i = 1; i < rows.size(); ++i) {
    const std::vector<std::string>& row = rows[i];
    require(row.size() == headline().size());
    if (row[3] == "0")
      histories.push_back({row[0], std::atoi(row[1].c_str()), std::atoi(row[2].c_str()), {}});
    require(!histories.empty());
    histories.back().residuals.push_back(row[4].empty() ? std::nan("") : std::strtod(row[4].c_str(), nullptr));
  }
  return histories;
}

} // namespace tessera::io
