// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_TESTS_UNIT_SOLVERS_HARMONIC_CASES_HPP
#define TESSERA_TESTS_UNIT_SOLVERS_HARMONIC_CASES_HPP

/// \file
/// Time-harmonic problems with linear elements on a square of right triangles, and a dense direct solver.

#include "linalg/prolongation.hpp"
#include "solvers/harmonic/shifted_levels.hpp"
#include "solvers/harmonic/shifted_operator.hpp"
#include "support/matrices.hpp"

#include <cmath>
#include <complex>
#include <functional>
#include <memory>
#include <utility>

namespace tessera::test {

using Complex = std::complex<double>;
using ComplexVector = std::vector<Complex>;

/// K and M of the inner nodes on one pattern, and b = b_0 + s b_1.
struct HarmonicCase {
  Rows k, m;
  ComplexVector b_0, b_1;
  ComplexVector rhs(Complex s) const {
    ComplexVector b = b_0;
    for (std::size_t i = 0; i < b.size(); ++i)
      b[i] += s * b_1[i];
    return b;
  }
};

constexpr double box_size = 0.04; // m

/// j omega of a frequency in Hz.
inline Complex harmonic_shift(double frequency) { return {0., 2. * 3.14159265358979323846 * frequency}; }

/// Coefficients of a point in units of the box: of grad-grad in K, of the mass in M, of grad-grad in M, and the source.
struct Coefficients {
  double stiffness, mass, stiffness_m, source;
};

/// Linear elements on n x n cells, each cut from its lower left to its upper right corner; boundary values are
/// `boundary(x)`, with x in units of the box.
inline HarmonicCase assembled(index_t n, const std::function<Coefficients(double, double)>& at,
                              const std::function<double(double)>& boundary) {
  const auto size = static_cast<std::size_t>((n - 1) * (n - 1));
  HarmonicCase result{Rows(size), Rows(size), ComplexVector(size), ComplexVector(size)};
  const double h = box_size / n;
  const auto unknown = [&](index_t x, index_t y) {
    return x > 0 && y > 0 && x < n && y < n ? (y - 1) * (n - 1) + x - 1 : index_t(-1);
  };
  for (index_t y = 0; y < n; ++y)
    for (index_t x = 0; x < n; ++x)
      for (int half = 0; half < 2; ++half) {
        // The first node has the right angle.
        const index_t nodes[3][2] = {{x + 1 - half, y + half},
                                     {half == 0 ? x : x + 1, half == 0 ? y : y + 1},
                                     {half == 0 ? x + 1 : x, half == 0 ? y + 1 : y}};
        const Coefficients c = at((x + 0.5) / n, (y + 0.5) / n);
        for (int a = 0; a < 3; ++a) {
          const index_t i = unknown(nodes[a][0], nodes[a][1]);
          if (i < 0)
            continue;
          const auto row = static_cast<std::size_t>(i);
          result.b_0[row] += c.source * h * h / 6.;
          for (int b = 0; b < 3; ++b) {
            const double gradient = a == 0 && b == 0 ? 1. : a == 0 || b == 0 ? -0.5 : a == b ? 0.5 : 0.;
            const double k = c.stiffness * gradient;
            const double m = c.stiffness_m * gradient + c.mass * h * h / (a == b ? 12. : 24.);
            const index_t j = unknown(nodes[b][0], nodes[b][1]);
            if (j >= 0) {
              result.k[row][j] += k;
              result.m[row][j] += m;
            } else {
              const double value = boundary(static_cast<double>(nodes[b][0]) / n);
              result.b_0[row] -= k * value;
              result.b_1[row] -= m * value;
            }
          }
        }
      }
  return result;
}

/// A copper bar of a quarter of the box' width with a current density of 1 A/mm^2 in air: (curl-curl + j omega sigma)
/// A.
inline HarmonicCase copper_bar(index_t n) {
  const double nu = 1. / (4e-7 * 3.14159265358979323846);
  return assembled(
      n,
      [&](double x, double y) {
        const bool inside = std::fabs(x - 0.5) < 0.125 && std::fabs(y - 0.5) < 0.125;
        return Coefficients{nu, inside ? 5.8e7 : 0., 0., inside ? 1e6 : 0.};
      },
      [](double) { return 0.; });
}

/// A coil of 1 A/mm^2, without eddy currents, next to a copper wire and around a ring and a bar of iron (relative
/// permeability 1000), with edges off the mesh.
inline HarmonicCase iron_ring(index_t n) {
  const double nu = 1. / (4e-7 * 3.14159265358979323846);
  return assembled(
      n,
      [&](double x, double y) {
        const auto within = [&](double cx, double cy, double r) { return std::hypot(x - cx, y - cy) < r; };
        const bool is_ring = within(0.5075, 0.4925, 0.3475) && !within(0.5075, 0.4925, 0.2775);
        const bool is_bar = std::fabs(x - 0.5075) < 0.0525 && std::fabs(y - 0.4925) < 0.1575;
        if (is_ring || is_bar)
          return Coefficients{nu / 1000., 2e6, 0., 0.};
        return Coefficients{nu, within(0.7075, 0.3175, 0.0575) ? 5.8e7 : 0., 0.,
                            within(0.3025, 0.7075, 0.0775) ? 1e6 : 0.};
      },
      [](double) { return 0.; });
}

/// A coil of 1 A/mm^2, without eddy currents, next to eight copper foils, some elements thick.
inline HarmonicCase foils(index_t n) {
  const double nu = 1. / (4e-7 * 3.14159265358979323846);
  return assembled(
      n,
      [&](double x, double y) {
        const double position = std::fmod(x - 0.28125, 0.0625);
        const bool is_foil = x > 0.28125 && x < 0.78125 && position < 0.02 && std::fabs(y - 0.5) < 0.3;
        const bool is_coil = std::fabs(x - 0.15) < 0.05 && std::fabs(y - 0.5) < 0.2;
        return Coefficients{nu, is_foil ? 5.8e7 : 0., 0., is_coil ? 1e6 : 0.};
      },
      [](double) { return 0.; });
}

/// Electro-quasistatics: a conductor of 1e-2 S/m in an insulator of 1e-12 S/m, with edges off the coarse meshes.
inline HarmonicCase conductor_in_insulator(index_t n) {
  return assembled(
      n,
      [&](double x, double y) {
        const bool inside = std::fabs(x - 0.47) < 0.17 && std::fabs(y - 0.53) < 0.14;
        return Coefficients{inside ? 1e-2 : 1e-12, 0., 8.854e-12 * (inside ? 10. : 2.), 0.};
      },
      [](double x) { return x; });
}

/// Linear interpolation from n / 2 x n / 2 cells to n x n cells.
template <class ExecutionSpace>
linalg::Prolongation<typename ExecutionSpace::memory_space> linear_interpolation(const ExecutionSpace& exec,
                                                                                 index_t n) {
  const index_t n_coarse = n / 2;
  Rows rows(static_cast<std::size_t>((n - 1) * (n - 1)));
  for (index_t y = 1; y < n; ++y)
    for (index_t x = 1; x < n; ++x)
      for (int end = 0; end < 2; ++end) { // of the coarse edge with the node
        const index_t cx = (x + end * (x % 2)) / 2;
        const index_t cy = (y + end * (y % 2)) / 2;
        if (cx > 0 && cy > 0 && cx < n_coarse && cy < n_coarse)
          rows[static_cast<std::size_t>((y - 1) * (n - 1) + x - 1)][(cy - 1) * (n_coarse - 1) + cx - 1] += 0.5;
      }
  return {crs_on(exec, rows), (n_coarse - 1) * (n_coarse - 1)};
}

template <class ExecutionSpace>
solvers::ShiftedMatrix<typename ExecutionSpace::memory_space> shifted_on(const ExecutionSpace& exec, const Rows& k,
                                                                         const Rows& m) {
  const auto stiffness = crs_on(exec, k);
  const auto mass = crs_on(exec, m);
  return {stiffness, mass.values};
}

/// Levels from coarser meshes of n / 2, ..., 8 cells, or by aggregation.
template <class ExecutionSpace>
std::shared_ptr<solvers::ShiftedLevels<ExecutionSpace>>
levels_of(const ExecutionSpace& exec, const HarmonicCase& problem, index_t n, bool is_geometric) {
  solvers::MultigridOptions options;
  std::vector<linalg::Prolongation<typename ExecutionSpace::memory_space>> given;
  if (is_geometric) {
    options.coarsest_size = 49;
    for (index_t size = n; size > 8; size /= 2)
      given.push_back(linear_interpolation(exec, size));
  }
  return std::make_shared<solvers::ShiftedLevels<ExecutionSpace>>(
      solvers::make_shifted_levels<ExecutionSpace>(exec, shifted_on(exec, problem.k, problem.m), given, options));
}

/// Stores N complex vectors together.
template <int N, class ExecutionSpace>
solvers::ComplexColumns<N, ExecutionSpace> columns_on(const ExecutionSpace& exec,
                                                      const std::vector<ComplexVector>& vectors) {
  std::vector<linalg::Pack<double, 2 * N>> packs(vectors[0].size());
  for (std::size_t i = 0; i < packs.size(); ++i)
    for (std::size_t c = 0; c < N; ++c) {
      packs[i].column[2 * c] = vectors[c][i].real();
      packs[i].column[2 * c + 1] = vectors[c][i].imag();
    }
  return to_space<solvers::ComplexColumns<N, ExecutionSpace>>(exec, packs);
}

template <int N, class ExecutionSpace>
std::vector<ComplexVector> columns_of(const ExecutionSpace& exec,
                                      const solvers::ComplexColumns<N, ExecutionSpace>& columns) {
  const auto host = to_host(exec, columns);
  std::vector<ComplexVector> result(N, ComplexVector(host.extent(0)));
  for (std::size_t i = 0; i < host.extent(0); ++i)
    for (std::size_t c = 0; c < N; ++c)
      result[c][i] = {host(i).column[2 * c], host(i).column[2 * c + 1]};
  return result;
}

/// (K + s M) x by plain loops.
inline ComplexVector multiply(const Rows& k, const Rows& m, Complex s, const ComplexVector& x) {
  ComplexVector y(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    for (const auto& entry : k[i])
      y[i] += entry.second * x[static_cast<std::size_t>(entry.first)];
    for (const auto& entry : m[i])
      y[i] += s * entry.second * x[static_cast<std::size_t>(entry.first)];
  }
  return y;
}

/// Solves (K + s M) x = b by LU factors of the dense matrix in extended precision, with partial pivoting.
inline ComplexVector dense_solution(const Rows& k, const Rows& m, Complex s, const ComplexVector& b) {
  using Wide = std::complex<long double>;
  const std::size_t n = k.size();
  std::vector<std::vector<Wide>> a(n, std::vector<Wide>(n + 1));
  for (std::size_t i = 0; i < n; ++i) {
    for (const auto& entry : k[i])
      a[i][static_cast<std::size_t>(entry.first)] += entry.second;
    for (const auto& entry : m[i])
      a[i][static_cast<std::size_t>(entry.first)] += Wide(s) * static_cast<long double>(entry.second);
    a[i][n] = b[i];
  }
  for (std::size_t p = 0; p < n; ++p) {
    std::size_t largest = p;
    for (std::size_t i = p + 1; i < n; ++i)
      if (std::abs(a[i][p]) > std::abs(a[largest][p]))
        largest = i;
    std::swap(a[p], a[largest]);
    for (std::size_t i = p + 1; i < n; ++i) {
      if (a[i][p] == Wide(0.))
        continue;
      const Wide factor = a[i][p] / a[p][p];
      for (std::size_t j = p; j <= n; ++j)
        a[i][j] -= factor * a[p][j];
    }
  }
  ComplexVector x(n);
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t j = i + 1; j < n; ++j)
      a[i][n] -= a[i][j] * Wide(x[j]);
    x[i] = static_cast<Complex>(a[i][n] / a[i][i]);
  }
  return x;
}

/// ||x - y|| / ||y||
inline double relative_distance(const ComplexVector& x, const ComplexVector& y) {
  double distance = 0.;
  double size = 0.;
  for (std::size_t i = 0; i < x.size(); ++i) {
    distance += std::norm(x[i] - y[i]);
    size += std::norm(y[i]);
  }
  return std::sqrt(distance / size);
}

} // namespace tessera::test

#endif
