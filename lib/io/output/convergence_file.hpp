// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_IO_OUTPUT_CONVERGENCE_FILE_HPP
#define TESSERA_IO_OUTPUT_CONVERGENCE_FILE_HPP

/// \file
/// The residuals of a run's iterations as a CSV table.

#include <string>
#include <vector>

namespace tessera::io {

/// The residuals of one iteration.
struct ResidualHistory {
  std::string solve;             ///< solved problem: "solution", "newton", "newton-step", "capacitance_matrix.plate"
  int round = 1;                 ///< of mesh.adapt
  int step = 1;                  ///< time step, or step of Newton's method
  std::vector<double> residuals; ///< after 0, 1, ... iterations, relative; NaN: no reference
};

inline const std::string convergence_file_name = "convergence.csv";

/// Residuals in the method's norm, relative to that of the right-hand side, which may be zero.
std::vector<double> relative_residuals(const std::vector<double>& residuals, double of_right_hand_side);

/// Writes a row per residual: "solve,round,step,iteration,relative_residual". The file appears under its name when it
/// is complete.
void write_convergence(const std::string& path, const std::vector<ResidualHistory>& histories);

/// Reads the table; throws an error for the user if it has another format.
std::vector<ResidualHistory> read_convergence(const std::string& path);

} // namespace tessera::io

#endif
