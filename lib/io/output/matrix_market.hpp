// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_IO_OUTPUT_MATRIX_MARKET_HPP
#define TESSERA_IO_OUTPUT_MATRIX_MARKET_HPP

/// \file
/// Files in the Matrix Market format (R. F. Boisvert, R. Pozo, K. Remington: The Matrix Market Exchange Formats, NISTIR
/// 5935, 1996), which SciPy, MATLAB, Julia and others read. Numbers read back as the same double. Files appear whole or
/// not at all.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace tessera::io {

/// Name of the file of the right-hand side next to that of a matrix, "<stem>.mtx": "<stem>_rhs.mtx".
std::string rhs_file_name(const std::string& matrix);

struct MatrixEntry {
  std::int64_t column; ///< from 0
  double value;
  double imaginary = 0.; ///< imaginary part, of complex matrices
};

enum class MatrixSymmetry { general, symmetric };
enum class MatrixNumbers { real, complex };

/// Appends the entries of a row to an empty list.
using MatrixRow = std::function<void(std::int64_t row, std::vector<MatrixEntry>& entries)>;

/// Writes a square matrix as coordinates; of symmetric ones (A = A^T, also of complex numbers) the lower triangle, as
/// the format requires. `comments`: lines of the header.
void write_matrix(const std::string& path, std::int64_t n_rows, MatrixSymmetry symmetry, MatrixNumbers numbers,
                  const MatrixRow& row, const std::vector<std::string>& comments);

/// Writes a vector of n numbers as an array of one column; a complex one if `imaginary` is not null.
void write_vector(const std::string& path, const double* real, const double* imaginary, std::int64_t n,
                  const std::vector<std::string>& comments);

} // namespace tessera::io

#endif
