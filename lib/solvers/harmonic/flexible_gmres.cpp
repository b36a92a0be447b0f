// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "solvers/harmonic/flexible_gmres.hpp"

#include "core/keep_alive.hpp"
#include "solvers/harmonic/cocg_kernels.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <sstream>

namespace tessera::solvers {

namespace {

using Complex = std::complex<double>;

/// A restart that leaves more than this of the residual makes no progress.
constexpr double least_progress = 0.99;

/// The least-squares problem of one column: Hessenberg matrix reduced by Givens rotations.
struct LeastSquares {
  std::vector<std::vector<Complex>> triangle; // column j: rows 0 .. j
  std::vector<double> cosine;
  std::vector<Complex> sine;
  std::vector<Complex> rhs;
  bool is_complete = false; // no further direction

  void start(double residual) {
    triangle.clear();
    cosine.clear();
    sine.clear();
    rhs = {residual};
    is_complete = residual == 0.;
  }
  /// Adds column j with the entries h_0, ..., h_j and the real h_{j + 1}; returns the residual's norm.
  double add(std::vector<Complex> h, double below) {
    for (std::size_t i = 0; i < cosine.size(); ++i) {
      const Complex upper = cosine[i] * h[i] + sine[i] * h[i + 1];
      h[i + 1] = -std::conj(sine[i]) * h[i] + cosine[i] * h[i + 1];
      h[i] = upper;
    }
    Complex& last = h.back();
    const double size = std::hypot(std::abs(last), below);
    const double c = size > 0. ? std::abs(last) / size : 1.;
    const Complex phase = std::abs(last) > 0. ? last / std::abs(last) : Complex(1.);
    const Complex s = size > 0. ? phase * (below / size) : Complex(0.);
    last = size > 0. ? phase * size : Complex(0.);
    rhs.push_back(-std::conj(s) * rhs.back());
    rhs[rhs.size() - 2] *= c;
    cosine.push_back(c);
    sine.push_back(s);
    triangle.push_back(std::move(h));
    return std::abs(rhs.back());
  }
  /// Coefficients of the directions.
  std::vector<Complex> solution() const {
    std::vector<Complex> y(triangle.size());
    for (std::size_t i = y.size(); i-- > 0;) {
      Complex sum = rhs[i];
      for (std::size_t j = i + 1; j < y.size(); ++j)
        sum -= triangle[j][i] * y[j];
      y[i] = triangle[i][i] == Complex(0.) ? Complex(0.) : sum / triangle[i][i];
    }
    return y;
  }
};

/// Continues in the selected columns; with `is_real`, of products only the real part counts.
template <class ExecutionSpace, int N>
void continue_by_gmres(const ExecutionSpace& exec, const ComplexMap<ExecutionSpace, N>& a, bool is_real,
                       const detail::NormWeights<N>& weights, const linalg::GlobalSums<ExecutionSpace>& sums_of_all,
                       const ShiftedPreconditioner<ExecutionSpace, N>& m,
                       const ConstComplexColumns<N, ExecutionSpace>& b, const ComplexColumns<N, ExecutionSpace>& x,
                       const CocgOptions& options, std::array<bool, N> columns, std::array<CocgResult, N>& results) {
  using Vector = ComplexColumns<N, ExecutionSpace>;
  const auto n = static_cast<std::int64_t>(b.extent(0));
  const ReduceWorkspace<ExecutionSpace> workspace(exec, n, 2 * N);
  const auto sums = make_array<linalg::Vector<ExecutionSpace>>(exec, "solvers::fgmres_sums", 2 * N);
  const auto ones = make_filled<linalg::Vector<ExecutionSpace>>(exec, "solvers::fgmres_norms", N, 1.);
  const auto w = make_array<Vector>(exec, "solvers::fgmres_product", n);
  std::vector<Vector> v, z;

  const auto host_sums = [&] { return to_host(exec, sums); };
  const auto norms_of = [&](const Vector& vector) {
    column_sums<2 * N>("tessera::solvers::fgmres_norms", exec, n,
                       detail::HermitianProducts<N>{weights, vector.data(), vector.data()}, workspace, sums.data(),
                       sums_of_all);
    const auto host = host_sums();
    std::array<double, N> norms{};
    for (std::size_t c = 0; c < N; ++c)
      norms[c] = std::sqrt(host(2 * c));
    return norms;
  };
  const auto add = [&](const std::array<Complex, N>& factors, const ConstComplexColumns<N, ExecutionSpace>& from,
                       bool adds, const Vector& to) {
    stream("tessera::solvers::fgmres_add", exec, n,
           detail::AddMultiple<N>{detail::parts_of<double, N>(factors), from.data(), adds, to.data()});
  };
  const auto direction = [&](std::vector<Vector>& list, std::size_t j) {
    if (j == list.size())
      list.push_back(make_array<Vector>(exec, "solvers::fgmres_direction", n));
    return list[j];
  };

  std::array<LeastSquares, N> squares;
  std::array<double, N> before;
  before.fill(-1.);
  for (;;) {
    a(x, w); // w = b - A x
    std::array<Complex, N> minus_one;
    minus_one.fill(-1.);
    add(minus_one, w, false, w);
    std::array<Complex, N> one;
    one.fill(1.);
    add(one, b, true, w);
    const auto norms = norms_of(w);
    std::array<Complex, N> factors{};
    bool any = false;
    for (std::size_t c = 0; c < N; ++c) {
      squares[c].start(0.);
      if (!columns[c])
        continue;
      CocgResult& result = results[c];
      result.residual = norms[c];
      if (result.history.empty()) {
        result.initial_residual = norms[c];
        if (options.record_history)
          result.history.push_back(norms[c]);
      }
      columns[c] = false;
      if (!std::isfinite(norms[c]))
        result.status = CocgStatus::non_finite;
      else if (norms[c] <= result.threshold)
        result.status = CocgStatus::converged;
      else if (result.iterations >= options.max_iterations)
        result.status = CocgStatus::max_iterations;
      else if (before[c] >= 0. && !(norms[c] <= least_progress * before[c]))
        result.status = CocgStatus::stagnated;
      else
        columns[c] = any = true;
      if (columns[c]) {
        squares[c].start(norms[c]);
        factors[c] = 1. / norms[c];
      }
      before[c] = norms[c];
    }
    if (!any)
      break;
    add(factors, w, false, direction(v, 0));
    for (std::size_t j = 0; j < static_cast<std::size_t>(options.gmres_restart) && any; ++j) {
      const Vector zj = direction(z, j);
      m.apply(exec, v[j], ones.data(), zj);
      a(zj, w);
      std::array<std::vector<Complex>, N> h;
      for (std::size_t i = 0; i <= j; ++i) { // modified Gram-Schmidt
        column_sums<2 * N>("tessera::solvers::fgmres_products", exec, n,
                           detail::HermitianProducts<N>{weights, v[i].data(), w.data()}, workspace, sums.data(),
                           sums_of_all);
        const auto host = host_sums();
        for (std::size_t c = 0; c < N; ++c) {
          h[c].emplace_back(host(2 * c), is_real ? 0. : host(2 * c + 1));
          factors[c] = squares[c].is_complete ? 0. : -h[c].back();
        }
        add(factors, v[i], true, w);
      }
      const auto below = norms_of(w);
      any = false;
      for (std::size_t c = 0; c < N; ++c) {
        factors[c] = 0.;
        if (squares[c].is_complete)
          continue;
        CocgResult& result = results[c];
        result.residual = squares[c].add(h[c], below[c]);
        ++result.iterations;
        ++result.gmres_iterations;
        if (options.record_history)
          result.history.push_back(result.residual);
        squares[c].is_complete =
            !(result.residual > result.threshold) || !(below[c] > 0.) || result.iterations >= options.max_iterations;
        if (!squares[c].is_complete) {
          factors[c] = 1. / below[c];
          any = true;
        }
      }
      if (any && j + 1 < static_cast<std::size_t>(options.gmres_restart))
        add(factors, w, false, direction(v, j + 1));
    }
    std::array<std::vector<Complex>, N> y;
    std::size_t n_directions = 0;
    for (std::size_t c = 0; c < N; ++c) {
      y[c] = squares[c].solution();
      for (const Complex& value : y[c])
        if (!std::isfinite(std::abs(value))) {
          results[c].status = CocgStatus::non_finite;
          columns[c] = false;
          y[c].clear();
          break;
        }
      n_directions = std::max(n_directions, y[c].size());
    }
    for (std::size_t i = 0; i < n_directions; ++i) {
      for (std::size_t c = 0; c < N; ++c)
        factors[c] = i < y[c].size() ? y[c][i] : Complex(0.);
      add(factors, z[i], true, x);
    }
  }
  keep_alive(exec, v, z, w, sums, ones);
}

} // namespace

template <class ExecutionSpace, int N>
void flexible_gmres(const ExecutionSpace& exec, const ShiftedOperator<ExecutionSpace, N>& a,
                    const ShiftedPreconditioner<ExecutionSpace, N>& m, const ConstComplexColumns<N, ExecutionSpace>& b,
                    const ComplexColumns<N, ExecutionSpace>& x, const CocgOptions& options, std::array<bool, N> columns,
                    std::array<CocgResult, N>& results) {
  const ComplexMap<ExecutionSpace, N> map = [&](const auto& from, const auto& to) { a.apply(exec, from, to); };
  continue_by_gmres<ExecutionSpace, N>(exec, map, false, detail::weights_of(a, options.norm), a.sums(), m, b, x,
                                       options, columns, results);
}

template <class ExecutionSpace>
SolverResult real_gmres(const ExecutionSpace& exec, const ComplexMap<ExecutionSpace, 1>& a,
                        const ShiftedPreconditioner<ExecutionSpace, 1>& m,
                        const ConstComplexColumns<1, ExecutionSpace>& b, const ComplexColumns<1, ExecutionSpace>& x,
                        const RealGmresOptions& options, const linalg::GlobalSums<ExecutionSpace>& sums) {
  const auto begin = std::chrono::steady_clock::now();
  CocgOptions common;
  common.max_iterations = options.max_iterations;
  common.gmres_restart = options.restart;
  std::array<CocgResult, 1> results;
  results[0].threshold = options.threshold;
  fill(exec, x, {});
  continue_by_gmres<ExecutionSpace, 1>(exec, a, true, {}, sums, m, b, x, common, {true}, results);
  exec.fence();
  const CocgResult& found = results[0];
  SolverResult result;
  result.status = found.status == CocgStatus::converged        ? SolverStatus::converged
                  : found.status == CocgStatus::max_iterations ? SolverStatus::max_iterations
                                                               : SolverStatus::breakdown;
  result.iterations = found.iterations;
  result.threshold = found.threshold;
  result.residual = result.true_residual = found.residual;
  result.rhs_norm = result.initial_residual = found.initial_residual;
  result.history = found.history;
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  std::ostringstream text;
  text << "flexible GMRES reached a residual of " << result.residual << " in " << result.iterations
       << " iterations; the threshold is " << result.threshold << '.';
  result.message = text.str();
  return result;
}

#define TESSERA_INSTANTIATE_COLUMNS(Space, N)                                                                          \
  template void flexible_gmres<Space, N>(const Space&, const ShiftedOperator<Space, N>&,                               \
                                         const ShiftedPreconditioner<Space, N>&, const ConstComplexColumns<N, Space>&, \
                                         const ComplexColumns<N, Space>&, const CocgOptions&, std::array<bool, N>,     \
                                         std::array<CocgResult, N>&);
#define TESSERA_INSTANTIATE(Space)                                                                                     \
  TESSERA_INSTANTIATE_COLUMNS(Space, 1)                                                                                \
  TESSERA_INSTANTIATE_COLUMNS(Space, 2)                                                                                \
  TESSERA_INSTANTIATE_COLUMNS(Space, 4)                                                                                \
  template SolverResult real_gmres<Space>(const Space&, const ComplexMap<Space, 1>&,                                   \
                                          const ShiftedPreconditioner<Space, 1>&,                                      \
                                          const ConstComplexColumns<1, Space>&, const ComplexColumns<1, Space>&,       \
                                          const RealGmresOptions&, const linalg::GlobalSums<Space>&);
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE
#undef TESSERA_INSTANTIATE_COLUMNS

} // namespace tessera::solvers
