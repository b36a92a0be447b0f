// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "io/output/matrix_market.hpp"

#include "io/atomic_file.hpp"

#include <algorithm>

namespace tessera::io {

namespace {

void write_head(std::ostream& out, const std::string& format, const std::vector<std::string>& comments) {
  constexpr int digits = 17; // give the same double
  out.precision(digits);
  out << "%%MatrixMarket matrix " << format << '\n';
  for (const std::string& comment : comments)
    out << "% " << comment << '\n';
}

} // namespace

std::string rhs_file_name(const std::string& matrix) { return matrix.substr(0, matrix.rfind('.')) + "_rhs.mtx"; }

void write_matrix(const std::string& path, std::int64_t n_rows, MatrixSymmetry symmetry, MatrixNumbers numbers,
                  const MatrixRow& row, const std::vector<std::string>& comments) {
  const bool is_symmetric = symmetry == MatrixSymmetry::symmetric;
  const bool is_complex = numbers == MatrixNumbers::complex;
  std::vector<MatrixEntry> entries;
  const auto read = [&](std::int64_t i) {
    entries.clear();
    row(i, entries);
    if (is_symmetric)
      entries.erase(std::remove_if(entries.begin(), entries.end(), [&](const MatrixEntry& e) { return e.column > i; }),
                    entries.end());
  };
  std::int64_t n_entries = 0;
  for (std::int64_t i = 0; i < n_rows; ++i) {
    read(i);
    n_entries += static_cast<std::int64_t>(entries.size());
  }
  AtomicFile file(path);
  std::ostream& out = file.stream();
  write_head(
      out, std::string("coordinate ") + (is_complex ? "complex " : "real ") + (is_symmetric ? "symmetric" : "general"),
      comments);
  out << n_rows << ' ' << n_rows << ' ' << n_entries << '\n';
  for (std::int64_t i = 0; i < n_rows; ++i) {
    read(i);
    for (const MatrixEntry& entry : entries) {
      out << i + 1 << ' ' << entry.column + 1 << ' ' << entry.value;
      if (is_complex)
        out << ' ' << entry.imaginary;
      out << '\n';
    }
  }
  file.commit();
}

void write_vector(const std::string& path, const double* real, const double* imaginary, std::int64_t n,
                  const std::vector<std::string>& comments) {
  AtomicFile file(path);
  std::ostream& out = file.stream();
  write_head(out, imaginary != nullptr ? "array complex general" : "array real general", comments);
  out << n << " 1\n";
  for (std::int64_t i = 0; i < n; ++i) {
    out << real[i];
    if (imaginary != nullptr)
      out << ' ' << imaginary[i];
    out << '\n';
  }
  file.commit();
}

} // namespace tessera::io
