// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_IO_CONVERGENCE_FILE_HPP
#define TESSERA_IO_CONVERGENCE_FILE_HPP

/// \file
/// The residuals of a run's iterations as a table.

#include <string>
#include <vector>

namespace tessera::io {

/// The residuals of one iteration.
struct ResidualHistory {
  std::string solve;             ///< what was solved: "solution", "newton", "newton-step", "capacitance_matrix.plate"
  int round = 1;                 ///< of mesh.adapt
  int step = 1;                  ///< in time, or of Newton's method
  std::vector<double> residuals; ///< after 0, 1, ... iterations, relative; NaN: there is nothing to relate it to
};

inline const std::string convergence_file_name = "convergence.csv";

/// Residuals in the measure of the method over that of the right-hand side, which may be zero.
std::vector<double> relative_residuals(const std::vector<double>& residuals, double of_right_hand_side);

/// Writes a row per residual: "solve,round,step,iteration,relative_residual". The file appears under its name when it
/// is complete.
void write_convergence(const std::string& path, const std::vector<ResidualHistory>& histories);

/// Reads it back; throws an error for the user where it is no such table.
std::vector<ResidualHistory> read_convergence(const std::string& path);

} // namespace tessera::io

#endif
