// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "solvers/harmonic/solution_projection.hpp"

#include "core/error.hpp"
#include "solvers/harmonic/small_systems.hpp"

#include <algorithm>
#include <cmath>

namespace tessera::solvers {

namespace {

using Number = linalg::Pack<double, 2>;

constexpr int most_replaced = 8; ///< with more solutions none is dropped
constexpr int most_directions = 2 * most_replaced;
constexpr int directions_per_sum = 8;
constexpr int directions_per_pass = 16;

/// A part of a solution that is smaller than this times the solution adds no direction.
constexpr double negligible = 1e-12;

/// Terms of the products of real directions with both parts of v.
struct DirectionProducts {
  const double* q; // the first direction
  std::int64_t n;
  int count;
  const Number* v;
  KOKKOS_FUNCTION void operator()(std::int64_t i, double (&term)[2 * directions_per_sum]) const {
    const Number vi = v[i];
    for (int d = 0; d < directions_per_sum; ++d) {
      const double qi = d < count ? q[d * n + i] : 0.;
      term[2 * d] = qi * vi.column[0];
      term[2 * d + 1] = qi * vi.column[1];
    }
  }
};

/// v = (or +=) sum of factors times directions.
struct CombineDirections {
  const double* q;
  std::int64_t n;
  int count;
  bool adds;
  Number factor[directions_per_pass];
  Number* v;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    Number sum = adds ? v[i] : Number{};
    for (int d = 0; d < count; ++d)
      sum += q[d * n + i] * factor[d];
    v[i] = sum;
  }
};

/// Terms of the squares of both parts and of their product.
struct PairProducts {
  const Number* v;
  KOKKOS_FUNCTION void operator()(std::int64_t i, double (&term)[3]) const {
    const Number vi = v[i];
    term[0] = vi.column[0] * vi.column[0];
    term[1] = vi.column[1] * vi.column[1];
    term[2] = vi.column[0] * vi.column[1];
  }
};

/// (re, im) becomes (a re, b re + c im).
struct MixParts {
  double a, b, c;
  Number* v;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const Number before = v[i];
    v[i] = {{a * before.column[0], b * before.column[0] + c * before.column[1]}};
  }
};

struct TakeDirection {
  const Number* v;
  int part;
  double* q;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { q[i] = v[i].column[part]; }
};

/// Replaces `before` directions by `after` combinations.
struct RotateDirections {
  double factor[most_directions][most_directions];
  int before;
  int after;
  std::int64_t n;
  double* q;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    double old[most_directions];
    for (int d = 0; d < most_directions; ++d)
      old[d] = d < before ? q[d * n + i] : 0.;
    for (int e = 0; e < after; ++e) {
      double sum = 0.;
      for (int d = 0; d < before; ++d)
        sum += factor[e][d] * old[d];
      q[e * n + i] = sum;
    }
  }
};

double product(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0.;
  for (std::size_t k = 0; k < a.size(); ++k)
    sum += a[k] * b[k];
  return sum;
}

/// Products of `count` directions with both parts of v, to the host.
template <class ExecutionSpace>
std::vector<Number>
products_of(const ExecutionSpace& exec, const Array<double*, ExecutionSpace>& q, int count,
            const Array<const Number*, ExecutionSpace>& v, const ReduceWorkspace<ExecutionSpace>& workspace,
            const Array<double*, ExecutionSpace>& sums, const linalg::GlobalSums<ExecutionSpace>& sums_of_all) {
  const auto n = static_cast<std::int64_t>(v.extent(0));
  for (int first = 0; first < count; first += directions_per_sum)
    column_sums<2 * directions_per_sum>(
        "tessera::solvers::projection_products", exec, n,
        DirectionProducts{q.data() + first * n, n, std::min(directions_per_sum, count - first), v.data()}, workspace,
        sums.data() + 2 * first, sums_of_all);
  const auto host = to_host(exec, sums);
  std::vector<Number> result;
  for (int d = 0; d < count; ++d)
    result.push_back({{host(2 * d), host(2 * d + 1)}});
  return result;
}

/// v = (or +=) sum of factors times the first directions. Does not wait.
template <class ExecutionSpace>
void combine(const ExecutionSpace& exec, const Array<double*, ExecutionSpace>& q, const std::vector<Number>& factors,
             bool adds, const Array<Number*, ExecutionSpace>& v) {
  const auto n = static_cast<std::int64_t>(v.extent(0));
  const auto count = static_cast<int>(factors.size());
  for (int first = 0; first < count || first == 0; first += directions_per_pass) {
    CombineDirections pass{q.data() + first * n, n,  std::min(directions_per_pass, count - first),
                           adds || first > 0,    {}, v.data()};
    std::copy(factors.begin() + first, factors.begin() + first + pass.count, pass.factor);
    stream("tessera::solvers::projection_combine", exec, n, pass);
  }
}

} // namespace

template <class ExecutionSpace> SolutionProjection<ExecutionSpace>::SolutionProjection(int most) : most_(most) {
  TESSERA_REQUIRE(most >= 1, "Start vectors of a sweep: at least 1 solution has to be kept, not " << most << '.');
}

// The basis of the remaining solutions is found in terms of Q, and Q is then rotated.
template <class ExecutionSpace> void SolutionProjection<ExecutionSpace>::drop_oldest(const ExecutionSpace& exec) {
  solutions_.erase(solutions_.begin());
  const auto n_before = static_cast<std::size_t>(n_directions_);
  Small basis;
  for (const auto& solution : solutions_) {
    const auto part = [&](std::size_t k) {
      return std::vector<double>(solution.begin() + static_cast<std::ptrdiff_t>(k * n_before),
                                 solution.begin() + static_cast<std::ptrdiff_t>((k + 1) * n_before));
    };
    const double size = std::sqrt(product(solution, solution));
    for (std::size_t k = 0; k < 2; ++k) {
      auto row = part(k);
      for (int pass = 0; pass < 2; ++pass)
        for (const auto& other : basis) {
          const double along = product(other, row);
          for (std::size_t d = 0; d < n_before; ++d)
            row[d] -= along * other[d];
        }
      const double left = std::sqrt(product(row, row));
      if (!(left > negligible * size))
        continue;
      for (double& value : row)
        value /= left;
      basis.push_back(row);
    }
  }
  const std::size_t n_after = basis.size();
  const auto rotated = [&](const Small& matrix) {
    Small result(n_after, std::vector<double>(n_after));
    for (std::size_t e = 0; e < n_after; ++e) {
      std::vector<double> row(n_before);
      for (std::size_t d = 0; d < n_before; ++d)
        row[d] = product(matrix[d], basis[e]);
      for (std::size_t f = 0; f < n_after; ++f)
        result[f][e] = product(basis[f], row);
    }
    return result;
  };
  qkq_ = rotated(qkq_);
  qmq_ = rotated(qmq_);
  for (auto& solution : solutions_) {
    std::vector<double> next(2 * n_after);
    for (std::size_t k = 0; k < 2; ++k)
      for (std::size_t e = 0; e < n_after; ++e)
        for (std::size_t d = 0; d < n_before; ++d)
          next[k * n_after + e] += basis[e][d] * solution[k * n_before + d];
    solution = next;
  }
  RotateDirections rotate{
      {}, n_directions_, static_cast<int>(n_after), static_cast<std::int64_t>(pair_.extent(0)), q_.data()};
  for (std::size_t e = 0; e < n_after; ++e)
    std::copy(basis[e].begin(), basis[e].end(), rotate.factor[e]);
  stream("tessera::solvers::projection_rotate", exec, rotate.n, rotate);
  n_directions_ = rotate.after;
}

template <class ExecutionSpace>
void SolutionProjection<ExecutionSpace>::add(const ExecutionSpace& exec, const operator_type& a,
                                             const const_vector_type& x) {
  const auto n = static_cast<std::int64_t>(a.size());
  TESSERA_REQUIRE(static_cast<std::int64_t>(x.extent(0)) == n &&
                      (n_solutions() == 0 || static_cast<std::int64_t>(pair_.extent(0)) == n),
                  "Start vectors of a sweep: all solutions must have " << n << " unknowns.");
  if (q_.extent(0) == 0) {
    q_ = make_array<decltype(q_)>(exec, "solvers::projection_directions", 2 * most_ * n);
    for (vector_type* const vector : {&pair_, &k_pair_, &m_pair_})
      *vector = make_array<vector_type>(exec, "solvers::projection_pair", n);
    workspace_ = ReduceWorkspace<ExecutionSpace>(exec, n, 2 * directions_per_sum);
    sums_ = make_filled<decltype(sums_)>(exec, "solvers::projection_sums", 4 * most_ + 2 * directions_per_sum, 0.);
  }
  if (n_solutions() == most_) {
    TESSERA_REQUIRE(most_ <= most_replaced, "A projection onto " << most_ << " solutions has all of them.");
    drop_oldest(exec);
  }

  copy(exec, pair_, x);
  const auto pair_products = [&] {
    column_sums<3>("tessera::solvers::projection_norms", exec, n, PairProducts{pair_.data()}, workspace_, sums_.data(),
                   a.sums());
    const auto host = to_host(exec, sums_);
    return std::array<double, 3>{host(0), host(1), host(2)};
  };
  const auto mix = [&](double of_re, double re_in_im, double of_im) {
    stream("tessera::solvers::projection_mix", exec, n, MixParts{of_re, re_in_im, of_im, pair_.data()});
  };
  const auto before = pair_products();
  const double size = std::sqrt(before[0] + before[1]);
  if (!(size > 0.) || !std::isfinite(size))
    return;
  const auto n_old = static_cast<std::size_t>(n_directions_);
  std::vector<double> parts[2] = {std::vector<double>(n_old), std::vector<double>(n_old)};
  for (int pass = 0; pass < 2; ++pass) { // Gram-Schmidt, twice
    const auto along = products_of<ExecutionSpace>(exec, q_, n_directions_, pair_, workspace_, sums_, a.sums());
    std::vector<Number> factors;
    for (std::size_t d = 0; d < n_old; ++d) {
      factors.push_back(-1. * along[d]);
      for (int part = 0; part < 2; ++part)
        parts[part][d] += along[d].column[part];
    }
    combine<ExecutionSpace>(exec, q_, factors, true, pair_);
  }
  auto squares = pair_products();
  const bool has_re = std::sqrt(squares[0]) > negligible * size;
  if (has_re) {
    const double norm = std::sqrt(squares[0]);
    mix(1. / norm, -squares[2] / squares[0], 1.);
    parts[0].push_back(norm);
    parts[1].push_back(squares[2] / norm);
    squares = pair_products();
    mix(1., -squares[2], 1.);
    parts[1].back() += squares[2];
    squares = pair_products();
  }
  const bool has_im = std::sqrt(squares[1]) > negligible * size;
  if (has_im) {
    mix(1., 0., 1. / std::sqrt(squares[1]));
    parts[0].push_back(0.);
    parts[1].push_back(std::sqrt(squares[1]));
  }
  for (int part = 0; part < 2; ++part)
    if (part == 0 ? has_re : has_im)
      stream("tessera::solvers::projection_take", exec, n,
             TakeDirection{pair_.data(), part, q_.data() + n_directions_++ * n});

  const auto n_new = static_cast<std::size_t>(n_directions_);
  for (auto& solution : solutions_) { // which do not contain the new directions
    solution.resize(2 * n_new, 0.);
    std::copy_backward(solution.begin() + static_cast<std::ptrdiff_t>(n_old),
                       solution.begin() + static_cast<std::ptrdiff_t>(2 * n_old),
                       solution.begin() + static_cast<std::ptrdiff_t>(n_new + n_old));
    std::fill(solution.begin() + static_cast<std::ptrdiff_t>(n_old),
              solution.begin() + static_cast<std::ptrdiff_t>(n_new), 0.);
    std::fill(solution.begin() + static_cast<std::ptrdiff_t>(n_new + n_old), solution.end(), 0.);
  }
  std::vector<double> solution;
  for (auto& part : parts)
    for (const double value : part)
      solution.push_back(value / size);
  solutions_.push_back(solution);

  a.apply_parts(exec, pair_, k_pair_, m_pair_);
  const auto extend = [&](Small& matrix, const vector_type& times_pair) {
    const auto entries = products_of<ExecutionSpace>(exec, q_, n_directions_, times_pair, workspace_, sums_, a.sums());
    for (auto& row : matrix)
      row.resize(n_new);
    matrix.resize(n_new, std::vector<double>(n_new));
    std::size_t column = n_old;
    for (int part = 0; part < 2; ++part)
      if (part == 0 ? has_re : has_im) {
        for (std::size_t d = 0; d < n_new; ++d)
          matrix[d][column] = matrix[column][d] = entries[d].column[part];
        ++column;
      }
  };
  extend(qkq_, k_pair_);
  extend(qmq_, m_pair_);
}

template <class ExecutionSpace>
void SolutionProjection<ExecutionSpace>::start(const ExecutionSpace& exec, const operator_type& a,
                                               const const_vector_type& b, const vector_type& x) const {
  std::vector<Number> factors;
  if (n_directions_ > 0) {
    const auto along = products_of<ExecutionSpace>(exec, q_, n_directions_, b, workspace_, sums_, a.sums());
    const auto size = static_cast<std::size_t>(n_directions_);
    SmallComplex matrix(size, std::vector<std::complex<double>>(size)), rhs;
    for (std::size_t d = 0; d < size; ++d) {
      rhs.push_back({{along[d].column[0], along[d].column[1]}});
      for (std::size_t e = 0; e < size; ++e)
        matrix[d][e] = qkq_[d][e] + a.shifts()[0] * qmq_[d][e];
    }
    for (const auto& y : solved(std::move(matrix), std::move(rhs))) // none if the small matrix is singular
      factors.push_back({{y[0].real(), y[0].imag()}});
  }
  combine<ExecutionSpace>(exec, q_, factors, false, x);
}

#define TESSERA_INSTANTIATE(Space) template class SolutionProjection<Space>;
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE

} // namespace tessera::solvers
