// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_TESTS_UNIT_SOLVERS_GRIDS_HPP
#define TESSERA_TESTS_UNIT_SOLVERS_GRIDS_HPP

/// \file
/// Matrices on grids, their interpolations, and a measure of a preconditioner's quality.

#include "linalg/prolongation.hpp"
#include "solvers/preconditioner.hpp"
#include "support/matrices.hpp"

#include <cmath>
#include <functional>

namespace tessera::test {

/// -div(k grad u) by finite volumes on nx x ny points with zero boundary values; k(x, y, direction) is the coefficient
/// between a point and the next one in that direction.
inline Rows finite_volumes(index_t nx, index_t ny, const std::function<double(index_t, index_t, int)>& k) {
  Rows rows(static_cast<std::size_t>(nx * ny));
  for (index_t y = -1; y < ny; ++y)
    for (index_t x = -1; x < nx; ++x)
      for (int direction = 0; direction < 2; ++direction) {
        const index_t to_x = x + (direction == 0 ? 1 : 0);
        const index_t to_y = y + (direction == 1 ? 1 : 0);
        const bool from_inside = x >= 0 && y >= 0;
        const bool to_inside = to_x >= 0 && to_x < nx && to_y >= 0 && to_y < ny;
        const index_t from = y * nx + x;
        const index_t to = to_y * nx + to_x;
        const double value = k(x, y, direction);
        if (from_inside)
          rows[static_cast<std::size_t>(from)][from] += value;
        if (to_inside)
          rows[static_cast<std::size_t>(to)][to] += value;
        if (from_inside && to_inside) {
          rows[static_cast<std::size_t>(from)][to] -= value;
          rows[static_cast<std::size_t>(to)][from] -= value;
        }
      }
  return rows;
}

/// Bilinear interpolation to n x n points with zero boundary values from (n - 1) / 2 x (n - 1) / 2 points.
template <class ExecutionSpace>
linalg::Prolongation<typename ExecutionSpace::memory_space> bilinear(const ExecutionSpace& exec, index_t n) {
  const index_t n_coarse = (n - 1) / 2;
  Rows rows(static_cast<std::size_t>(n * n));
  for (index_t y = 0; y < n_coarse; ++y)
    for (index_t x = 0; x < n_coarse; ++x)
      for (index_t dy = -1; dy <= 1; ++dy)
        for (index_t dx = -1; dx <= 1; ++dx)
          rows[static_cast<std::size_t>((2 * y + 1 + dy) * n + 2 * x + 1 + dx)][y * n_coarse + x] =
              (dx == 0 ? 1. : 0.5) * (dy == 0 ? 1. : 0.5);
  return {crs_on(exec, rows), n_coarse * n_coarse};
}

inline double product(const std::vector<double>& x, const std::vector<double>& y) {
  double sum = 0.;
  for (std::size_t i = 0; i < x.size(); ++i)
    sum += x[i] * y[i];
  return sum;
}

template <class ExecutionSpace>
std::vector<double> applied(const ExecutionSpace& exec, const solvers::Preconditioner<ExecutionSpace>& m,
                            const std::vector<double>& r) {
  const auto z = vector_on(exec, std::vector<double>(r.size(), 1e30)); // the initial values do not matter
  m.apply(exec, vector_on(exec, r), z);
  return values_of(exec, z);
}

/// Factor by which 1 - M^-1 A reduces the energy norm of the worst error, estimated by `n_steps` power iterations from
/// a random vector.
template <class ExecutionSpace>
double factor_of(const ExecutionSpace& exec, const Rows& rows, const solvers::Preconditioner<ExecutionSpace>& m,
                 int n_steps) {
  std::vector<double> error = random_vector(static_cast<index_t>(rows.size()), 5);
  double factor = 0.;
  for (int step = 0; step < n_steps; ++step) {
    const std::vector<double> residual = multiply(rows, error);
    const double before = product(error, residual);
    const std::vector<double> correction = applied(exec, m, residual);
    for (std::size_t i = 0; i < error.size(); ++i)
      error[i] -= correction[i];
    factor = std::sqrt(product(error, multiply(rows, error)) / before);
    const double scale = 1. / std::sqrt(product(error, error));
    for (double& e : error)
      e *= scale;
  }
  return factor;
}

} // namespace tessera::test

#endif
