// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "solvers/harmonic/real_gmres.hpp"

#include "core/algorithms/reduce.hpp"
#include "core/keep_alive.hpp"
#include "linalg/vector_kernels.hpp"
#include "solvers/harmonic/cocg_kernels.hpp"

#include <chrono>
#include <cmath>
#include <sstream>

namespace tessera::solvers {

namespace {

/// A restart that leaves more than this of the residual makes no progress.
constexpr double least_gain = 0.99;

/// The Hessenberg matrix, reduced to a triangle by rotations.
struct RealLeastSquares {
  std::vector<std::vector<double>> triangle; // column j: rows 0 .. j
  std::vector<double> cosine, sine, rhs;

  /// Adds a column with the entries h and, in the next row, `below`; returns the residual's norm.
  double add(std::vector<double> h, double below) {
    for (std::size_t i = 0; i < cosine.size(); ++i) {
      const double upper = cosine[i] * h[i] + sine[i] * h[i + 1];
      h[i + 1] = cosine[i] * h[i + 1] - sine[i] * h[i];
      h[i] = upper;
    }
    const double size = std::hypot(h.back(), below);
    cosine.push_back(size > 0. ? h.back() / size : 1.);
    sine.push_back(size > 0. ? below / size : 0.);
    h.back() = size;
    rhs.push_back(-sine.back() * rhs.back());
    rhs[rhs.size() - 2] *= cosine.back();
    triangle.push_back(std::move(h));
    return std::fabs(rhs.back());
  }
  std::vector<double> solution() const {
    std::vector<double> y(triangle.size());
    for (std::size_t i = y.size(); i-- > 0;) {
      double sum = rhs[i];
      for (std::size_t j = i + 1; j < y.size(); ++j)
        sum -= triangle[j][i] * y[j];
      y[i] = triangle[i][i] == 0. ? 0. : sum / triangle[i][i];
    }
    return y;
  }
};

} // namespace

template <class ExecutionSpace>
SolverResult real_gmres(const ExecutionSpace& exec,
                        const std::function<void(const ConstComplexColumns<1, ExecutionSpace>& x,
                                                 const ComplexColumns<1, ExecutionSpace>& y)>& apply,
                        const ShiftedPreconditioner<ExecutionSpace, 1>& m,
                        const ConstComplexColumns<1, ExecutionSpace>& b, const ComplexColumns<1, ExecutionSpace>& x,
                        const RealGmresOptions& options) {
  using Vector = ComplexColumns<1, ExecutionSpace>;
  const auto begin = std::chrono::steady_clock::now();
  const auto n = static_cast<std::int64_t>(b.extent(0));
  const ReduceWorkspace<ExecutionSpace> workspace(exec, n, 2);
  const auto sums = make_array<linalg::Vector<ExecutionSpace>>(exec, "solvers::real_gmres_sums", 2);
  const auto one = make_filled<linalg::Vector<ExecutionSpace>>(exec, "solvers::real_gmres_norm", 1, 1.);
  const auto w = make_array<Vector>(exec, "solvers::real_gmres_product", static_cast<std::size_t>(n));
  std::vector<Vector> v, z;
  const auto direction = [&](std::vector<Vector>& list, std::size_t j) {
    if (j == list.size())
      list.push_back(make_array<Vector>(exec, "solvers::real_gmres_direction", static_cast<std::size_t>(n)));
    return list[j];
  };
  const auto product = [&](const Vector& a, const Vector& c) {
    ordered_sums<2>("tessera::solvers::real_gmres_products", exec, n,
                    detail::HermitianProducts<1>{{}, a.data(), c.data()}, workspace, sums.data());
    return read_entry(exec, sums, 0);
  };
  const auto add = [&](double factor, const ConstComplexColumns<1, ExecutionSpace>& from, bool adds, const Vector& to) {
    stream("tessera::solvers::real_gmres_add", exec, n,
           detail::AddMultiple<1>{{{factor, 0.}}, from.data(), adds, to.data()});
  };

  SolverResult result;
  result.threshold = options.threshold;
  result.status = SolverStatus::max_iterations;
  fill(exec, x, {});
  double before = -1.;
  while (true) {
    if (before < 0.) {
      add(1., b, false, w);
    } else { // w = b - A x
      apply(x, w);
      add(-1., w, false, w);
      add(1., b, true, w);
    }
    result.residual = std::sqrt(product(w, w));
    if (before < 0.) {
      result.rhs_norm = result.initial_residual = result.residual;
      result.history.push_back(result.residual);
    }
    if (result.residual <= options.threshold)
      result.status = SolverStatus::converged;
    else if (!std::isfinite(result.residual) || (before >= 0. && result.residual > least_gain * before))
      result.status = SolverStatus::breakdown;
    if (result.status != SolverStatus::max_iterations || result.iterations >= options.max_iterations)
      break;
    before = result.residual;
    RealLeastSquares squares;
    squares.rhs = {result.residual};
    add(1. / result.residual, w, false, direction(v, 0));
    for (std::size_t j = 0; j < static_cast<std::size_t>(options.restart); ++j) {
      const Vector zj = direction(z, j);
      m.apply(exec, v[j], one.data(), zj);
      apply(zj, w);
      std::vector<double> h;
      for (std::size_t i = 0; i <= j; ++i) { // modified Gram-Schmidt
        h.push_back(product(v[i], w));
        add(-h.back(), v[i], true, w);
      }
      const double below = std::sqrt(product(w, w));
      const double residual = squares.add(h, below);
      result.history.push_back(residual);
      ++result.iterations;
      if (!(residual > options.threshold) || !(below > 0.) || result.iterations >= options.max_iterations)
        break;
      add(1. / below, w, false, direction(v, j + 1));
    }
    const std::vector<double> y = squares.solution();
    for (std::size_t i = 0; i < y.size(); ++i)
      add(y[i], z[i], true, x);
  }
  exec.fence();
  result.true_residual = result.residual;
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  std::ostringstream text;
  text << "flexible GMRES reached a residual of " << result.residual << " in " << result.iterations
       << " iterations; the threshold is " << result.threshold << '.';
  result.message = text.str();
  keep_alive(exec, v, z, w, sums, one);
  return result;
}

#define TESSERA_INSTANTIATE(SPACE)                                                                                     \
  template SolverResult real_gmres<SPACE>(                                                                             \
      const SPACE&, const std::function<void(const ConstComplexColumns<1, SPACE>&, const ComplexColumns<1, SPACE>&)>&, \
      const ShiftedPreconditioner<SPACE, 1>&, const ConstComplexColumns<1, SPACE>&, const ComplexColumns<1, SPACE>&,   \
      const RealGmresOptions&);
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)

} // namespace tessera::solvers
