// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/coupled/fixed_point.hpp"

#include "core/kokkos_ext/spaces.hpp"
#include "linalg/global_sums.hpp"

#include <algorithm>
#include <cmath>

namespace tessera::driver {

namespace {

template <class Space> struct Product {
  Array<const double*, Space> a, b;
  KOKKOS_FUNCTION void operator()(std::int64_t i, double (&term)[1]) const { term[0] = a(i) * b(i); }
};

/// to += factor (a + b)
template <class Space> struct AddSum {
  double factor;
  Array<const double*, Space> a, b;
  Array<double*, Space> to;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { to(i) += factor * (a(i) + b(i)); }
};

template <class Space> struct Difference {
  Array<const double*, Space> a, b;
  Array<double*, Space> to;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { to(i) = a(i) - b(i); }
};

/// Solves a x = b for a symmetric positive semidefinite matrix by Cholesky's method; entries of x that belong to rows
/// dependent on earlier ones, up to `tolerance` of the diagonal, are zero.
std::vector<double> solve_semidefinite(SmallMatrix a, std::vector<double> b, double tolerance) {
  const std::size_t n = b.size();
  std::vector<bool> is_used(n, false);
  for (std::size_t k = 0; k < n; ++k) {
    double pivot = a[k][k];
    for (std::size_t j = 0; j < k; ++j)
      pivot -= is_used[j] ? a[k][j] * a[k][j] : 0.;
    is_used[k] = pivot > tolerance * a[k][k] && a[k][k] > 0.;
    if (!is_used[k])
      continue;
    a[k][k] = std::sqrt(pivot);
    for (std::size_t i = k + 1; i < n; ++i) {
      for (std::size_t j = 0; j < k; ++j)
        a[i][k] -= is_used[j] ? a[i][j] * a[k][j] : 0.;
      a[i][k] /= a[k][k];
    }
  }
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < i && is_used[i]; ++j)
      b[i] -= is_used[j] ? a[i][j] * b[j] : 0.;
    b[i] = is_used[i] ? b[i] / a[i][i] : 0.;
  }
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t j = i + 1; j < n && is_used[i]; ++j)
      b[i] -= is_used[j] ? a[j][i] * b[j] : 0.;
    b[i] = is_used[i] ? b[i] / a[i][i] : 0.;
  }
  return b;
}

SmallMatrix product(const SmallMatrix& a, const SmallMatrix& b) {
  const std::size_t n = a.size();
  SmallMatrix c(n, std::vector<double>(n, 0.));
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j)
      for (std::size_t k = 0; k < n; ++k)
        c[i][j] += a[i][k] * b[k][j];
  return c;
}

double norm(const SmallMatrix& a) {
  double sum = 0.;
  for (const std::vector<double>& row : a)
    for (const double entry : row)
      sum += entry * entry;
  return std::sqrt(sum);
}

} // namespace

double spectral_abscissa(const SmallMatrix& a) {
  const std::size_t n = a.size();
  const double size = norm(a);
  if (n == 0 || size == 0.)
    return 0.;
  constexpr double small = 1. / 64.;
  const double s = small / size;
  SmallMatrix power(n, std::vector<double>(n, 0.)), e = power;
  for (std::size_t i = 0; i < n; ++i)
    power[i][i] = e[i][i] = 1.;
  for (int k = 1; k < 10; ++k) { // Taylor's series of exp(s a)
    power = product(power, a);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) {
        power[i][j] *= s / k;
        e[i][j] += power[i][j];
      }
  }
  double logarithm = 0.;
  double length = s;
  constexpr int n_squarings = 40;
  for (int k = 0; k < n_squarings; ++k) {
    e = product(e, e);
    length *= 2.;
    const double scale = norm(e);
    logarithm = 2. * logarithm + std::log(scale);
    for (std::vector<double>& row : e)
      for (double& entry : row)
        entry /= scale;
  }
  return logarithm / length;
}

template <class ExecutionSpace>
FixedPoint<ExecutionSpace>::FixedPoint(const ExecutionSpace& exec, std::size_t n)
    : exec_(exec), n_(n), last_x_(make_array<Vector>(exec, "driver::last_iterate", n)),
      last_f_(make_array<Vector>(exec, "driver::last_change", n)) {}

template <class ExecutionSpace>
double FixedPoint<ExecutionSpace>::dot(const ConstVector& a, const ConstVector& b) const {
  return linalg::global_sum("tessera::driver::product", exec_, static_cast<std::int64_t>(n_),
                            Product<typename ExecutionSpace::memory_space>{a, b});
}

template <class ExecutionSpace>
linalg::Vector<ExecutionSpace> FixedPoint<ExecutionSpace>::difference(const ConstVector& a,
                                                                      const ConstVector& b) const {
  const auto to = make_array<Vector>(exec_, "driver::difference", n_);
  for_each("tessera::driver::difference", exec_, static_cast<std::int64_t>(n_),
           Difference<typename ExecutionSpace::memory_space>{a, b, to});
  return to;
}

template <class ExecutionSpace>
double FixedPoint<ExecutionSpace>::distance(const ConstVector& a, const ConstVector& b) const {
  const Vector d = difference(a, b);
  return std::sqrt(dot(ConstVector(d), ConstVector(d)) / static_cast<double>(n_));
}

template <class ExecutionSpace> void FixedPoint<ExecutionSpace>::advance(const Vector& x, const ConstVector& g) {
  const Vector f = difference(g, ConstVector(x));
  const bool is_first = dx_.empty() && residual_ == 0.;
  residual_ = std::sqrt(dot(f, f) / static_cast<double>(n_));
  if (!is_first) {
    dx_.push_back(difference(ConstVector(x), ConstVector(last_x_)));
    df_.push_back(difference(ConstVector(f), ConstVector(last_f_)));
  }
  if (dx_.size() > most) {
    dx_.erase(dx_.begin());
    df_.erase(df_.begin());
  }
  copy(exec_, last_x_, ConstVector(x));
  copy(exec_, last_f_, ConstVector(f));
  const std::size_t m = dx_.size();
  SmallMatrix of_f(m, std::vector<double>(m)), of_x = of_f, mixed = of_f;
  std::vector<double> right(m);
  for (std::size_t i = 0; i < m; ++i) {
    right[i] = dot(df_[i], f);
    for (std::size_t j = 0; j < m; ++j) {
      of_f[i][j] = dot(df_[i], df_[j]);
      of_x[i][j] = dot(dx_[i], dx_[j]);
      mixed[i][j] = dot(dx_[i], df_[j]) + of_x[i][j];
    }
  }
  // The derivative on the steps, G' dx_j = dx_j + df_j. Steps that depend on others up to a thousandth, or are shorter
  // than a ten thousandth of another, show the error of the solvers.
  double longest = 0.;
  for (std::size_t i = 0; i < m; ++i)
    longest = std::max(longest, of_x[i][i]);
  for (std::size_t i = 0; i < m; ++i)
    if (of_x[i][i] < 1e-8 * longest)
      of_x[i][i] = 0.; // left out
  SmallMatrix derivative(m, std::vector<double>(m, 0.));
  for (std::size_t j = 0; j < m; ++j) {
    std::vector<double> column(m);
    for (std::size_t i = 0; i < m; ++i)
      column[i] = mixed[i][j];
    column = solve_semidefinite(of_x, column, 1e-6);
    for (std::size_t i = 0; i < m; ++i)
      derivative[i][j] = column[i];
  }
  feedback_ = spectral_abscissa(derivative);
  const std::vector<double> weights = solve_semidefinite(of_f, right, 1e-12);
  copy(exec_, x, g);
  for (std::size_t i = 0; i < m; ++i)
    if (weights[i] != 0.)
      for_each("tessera::driver::add_step", exec_, static_cast<std::int64_t>(n_),
               AddSum<typename ExecutionSpace::memory_space>{-weights[i], dx_[i], df_[i], x});
  exec_.fence();
}

#define TESSERA_INSTANTIATE(SPACE) template class FixedPoint<SPACE>;
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)

} // namespace tessera::driver
