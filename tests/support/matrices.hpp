// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_TESTS_SUPPORT_MATRICES_HPP
#define TESSERA_TESTS_SUPPORT_MATRICES_HPP

/// \file
/// Symmetric matrices with known properties, made on the host and copied to a space.

#include "linalg/crs/crs_matrix.hpp"

#include <map>
#include <random>
#include <vector>

namespace tessera::test {

/// Rows as sorted maps from column to value: easy to fill in any order.
using Rows = std::vector<std::map<index_t, double>>;

template <class ArrayType, class ExecutionSpace, class T>
ArrayType to_space(const ExecutionSpace& exec, const std::vector<T>& values) {
  ArrayType array = make_array<ArrayType>(exec, "test", values.size());
  const Kokkos::View<const T*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>> host(values.data(),
                                                                                                values.size());
  Kokkos::deep_copy(exec, array, host);
  exec.fence();
  return array;
}

template <class ExecutionSpace>
linalg::Vector<ExecutionSpace> vector_on(const ExecutionSpace& exec, const std::vector<double>& values) {
  return to_space<linalg::Vector<ExecutionSpace>>(exec, values);
}

template <class ExecutionSpace>
std::vector<double> values_of(const ExecutionSpace& exec, const linalg::Vector<ExecutionSpace>& vector) {
  const auto host = to_host(exec, vector);
  return std::vector<double>(host.data(), host.data() + host.extent(0));
}

template <class ExecutionSpace>
linalg::CrsMatrix<typename ExecutionSpace::memory_space> crs_on(const ExecutionSpace& exec, const Rows& rows) {
  std::vector<offset_t> offsets = {0};
  std::vector<index_t> columns;
  std::vector<double> values;
  for (const auto& row : rows) {
    for (const auto& entry : row) {
      columns.push_back(entry.first);
      values.push_back(entry.second);
    }
    offsets.push_back(static_cast<offset_t>(columns.size()));
  }
  linalg::CrsMatrix<typename ExecutionSpace::memory_space> matrix;
  matrix.offsets = to_space<decltype(matrix.offsets)>(exec, offsets);
  matrix.columns = to_space<decltype(matrix.columns)>(exec, columns);
  matrix.values = to_space<decltype(matrix.values)>(exec, values);
  return matrix;
}

template <class ExecutionSpace>
linalg::CrsOperator<ExecutionSpace> operator_on(const ExecutionSpace& exec, const Rows& rows) {
  return linalg::CrsOperator<ExecutionSpace>(crs_on(exec, rows));
}

/// Second differences on nx x ny interior points with zero boundary values (ny = 1: one dimension). With `neumann` the
/// diagonal of rows at the boundary lacks the couplings to the outside, so constants are in the null space.
inline Rows laplacian(index_t nx, index_t ny, bool neumann = false) {
  Rows rows(static_cast<std::size_t>(nx) * static_cast<std::size_t>(ny));
  const auto link = [&](index_t i, bool inside, index_t j) {
    auto& row = rows[static_cast<std::size_t>(i)];
    if (inside)
      row[j] = -1.;
    if (inside || !neumann)
      row[i] += 1.;
  };
  for (index_t y = 0; y < ny; ++y)
    for (index_t x = 0; x < nx; ++x) {
      const index_t i = y * nx + x;
      link(i, x > 0, i - 1);
      link(i, x + 1 < nx, i + 1);
      if (ny > 1) {
        link(i, y > 0, i - nx);
        link(i, y + 1 < ny, i + nx);
      }
    }
  return rows;
}

/// Random sparse positive definite matrix with about `n_links` off-diagonal entries per row; the diagonal exceeds the
/// sum of their absolute values. The diagonal spans four decades, so that Jacobi scaling matters.
inline Rows random_spd(index_t n, int n_links, unsigned seed) {
  std::mt19937 random(seed);
  const auto uniform = [&random] { return static_cast<double>(random()) / 4294967296.; };
  Rows rows(static_cast<std::size_t>(n));
  std::vector<double> scale(rows.size());
  for (double& s : scale)
    s = uniform() < 0.1 ? 100. : 1.;
  for (index_t i = 0; i < n; ++i)
    for (int k = 0; k < n_links / 2; ++k) {
      const auto j = static_cast<index_t>(random() % static_cast<unsigned>(n));
      if (j == i)
        continue;
      const std::size_t a = static_cast<std::size_t>(i), b = static_cast<std::size_t>(j);
      const double value = (uniform() - 0.5) * scale[a] * scale[b];
      rows[a][j] = value;
      rows[b][i] = value;
    }
  for (index_t i = 0; i < n; ++i) {
    auto& row = rows[static_cast<std::size_t>(i)];
    const double s = scale[static_cast<std::size_t>(i)];
    double sum = 0.;
    for (const auto& entry : row)
      sum += std::abs(entry.second) * s / scale[static_cast<std::size_t>(entry.first)];
    row[i] = 0.1 * s * s + sum;
  }
  return rows;
}

inline std::vector<double> random_vector(index_t n, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<double> values(static_cast<std::size_t>(n));
  for (double& value : values)
    value = static_cast<double>(random()) / 2147483648. - 1.;
  return values;
}

/// Matrix-vector product by plain loops.
inline std::vector<double> multiply(const Rows& rows, const std::vector<double>& x) {
  std::vector<double> y;
  for (const auto& row : rows) {
    double sum = 0.;
    for (const auto& entry : row)
      sum += entry.second * x[static_cast<std::size_t>(entry.first)];
    y.push_back(sum);
  }
  return y;
}

/// Row i of a linalg::SplitRowProduct, with the threads' partial sums added in the order of devices.
template <int Threads, class SharedRow> double sum_of_threads(const SharedRow& row, index_t i) {
  double lane[Threads];
  for (int t = 0; t < Threads; ++t)
    lane[t] = row.part(i, t);
  for (int width = Threads / 2; width > 0; width /= 2)
    for (int t = 0; t < width; ++t)
      lane[t] += lane[t + width];
  return lane[0];
}

} // namespace tessera::test

#endif
