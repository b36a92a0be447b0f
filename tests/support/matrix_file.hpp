// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_TESTS_SUPPORT_MATRIX_FILE_HPP
#define TESSERA_TESTS_SUPPORT_MATRIX_FILE_HPP

/// \file
/// A reader of Matrix Market files that shares nothing with the writer.

#include <catch2/catch_test_macros.hpp>

#include <fstream>
#include <limits>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace tessera::test {

struct MatrixFile {
  std::string format; ///< "coordinate real symmetric"
  std::string comments;
  std::size_t n_rows = 0;
  std::size_t n_columns = 0;
  std::size_t n_stored = 0;
  std::map<std::pair<std::size_t, std::size_t>, double> entries;   ///< from 0, both triangles
  std::map<std::pair<std::size_t, std::size_t>, double> imaginary; ///< parts of complex entries
};

inline MatrixFile read_matrix_file(const std::string& path) {
  MatrixFile matrix;
  std::ifstream file(path);
  INFO(path);
  REQUIRE(file);
  std::string line, word;
  std::getline(file, line);
  std::istringstream head(line);
  head >> word;
  CHECK(word == "%%MatrixMarket");
  head >> word;
  CHECK(word == "matrix");
  std::getline(head >> std::ws, matrix.format);
  while (std::getline(file, line) && line.rfind('%', 0) == 0)
    matrix.comments += line + '\n';
  std::istringstream sizes(line);
  sizes >> matrix.n_rows >> matrix.n_columns;
  const bool is_array = matrix.format.rfind("array", 0) == 0;
  if (is_array)
    matrix.n_stored = matrix.n_rows * matrix.n_columns;
  else
    sizes >> matrix.n_stored;
  REQUIRE(sizes);
  const bool is_complex = matrix.format.find(" complex ") != std::string::npos;
  const bool is_symmetric = !is_array && matrix.format.find(" symmetric") != std::string::npos;
  for (std::size_t k = 0; k < matrix.n_stored; ++k) {
    std::size_t i = k + 1, j = 1; // of a vector
    double value = std::numeric_limits<double>::quiet_NaN();
    if (!is_array)
      file >> i >> j;
    file >> value;
    REQUIRE(file);
    REQUIRE((i >= 1 && i <= matrix.n_rows && j >= 1 && j <= matrix.n_columns));
    CHECK_FALSE((is_symmetric && j > i));
    CHECK(matrix.entries.emplace(std::make_pair(i - 1, j - 1), value).second);
    if (is_symmetric)
      matrix.entries[{j - 1, i - 1}] = value;
    if (!is_complex)
      continue;
    file >> matrix.imaginary[{i - 1, j - 1}];
    REQUIRE(file);
    if (is_symmetric)
      matrix.imaginary[{j - 1, i - 1}] = matrix.imaginary[{i - 1, j - 1}];
  }
  CHECK_FALSE(file >> word);
  return matrix;
}

} // namespace tessera::test

#endif
