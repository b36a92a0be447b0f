// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "fe/simplex_quadrature.hpp"

#include "core/error.hpp"
#include "core/transfer/upload_together.hpp"
#include "fe/quadrature.hpp"

#include <algorithm>
#include <cmath>

namespace tessera::fe {

namespace {

/// Value and derivative of the Jacobi polynomial P_n^(alpha, 0) at x (Abramowitz and Stegun, 22.7.1 and 22.8.1).
struct Jacobi {
  long double value;
  long double derivative;
  Jacobi(int n, int alpha, long double x) {
    const long double a = alpha;
    long double before = 1.L;
    value = n == 0 ? 1.L : 0.5L * (a + (a + 2.L) * x);
    for (int k = 1; k < n; ++k) {
      const long double s = 2.L * k + a;
      const long double next =
          ((s + 1.L) * (s * (s + 2.L) * x + a * a) * value - 2.L * (k + a) * k * (s + 2.L) * before) /
          (2.L * (k + 1.L) * (k + a + 1.L) * s);
      before = value;
      value = next;
    }
    const long double s = 2.L * n + a;
    derivative = n == 0 ? 0.L : (n * (a - s * x) * value + 2.L * (n + a) * n * before) / (s * (1.L - x * x));
  }
};

template <class Rule, int NVertices> SimplexRule symmetric_rule() {
  SimplexRule rule;
  rule.n_vertices = NVertices;
  for (int q = 0; q < Rule::n_points; ++q) {
    double lambda[NVertices];
    rule.weights.push_back(Rule::point(q, lambda));
    rule.points.insert(rule.points.end(), lambda, lambda + NVertices);
  }
  return rule;
}

} // namespace

GaussRule make_gauss_rule(int n_points, int alpha) {
  GaussRule rule;
  std::vector<long double> roots;
  for (int k = 0; k < n_points; ++k) {
    // Newton's method with deflation of the known roots, starting between a Chebyshev point and the previous root (G.
    // E. Karniadakis, S. J. Sherwin, Spectral/hp Element Methods, 2005, appendix B.2).
    long double x = -std::cos((2.L * k + 1.L) * std::acos(-1.L) / (2.L * n_points));
    if (k > 0)
      x = 0.5L * (x + roots.back());
    for (int step = 0; step < 100; ++step) {
      const Jacobi p(n_points, alpha, x);
      long double sum = 0.L;
      for (const long double root : roots)
        sum += 1.L / (x - root);
      const long double change = p.value / (p.derivative - sum * p.value);
      x -= change;
      if (std::fabs(change) < 1e-18L)
        break;
    }
    roots.push_back(x);
    const Jacobi p(n_points, alpha, x);
    rule.points.push_back(static_cast<double>(0.5L * (1.L + x)));
    // Weights for (1 - x)^alpha on [-1, 1] have the sum 2^(alpha + 1) / (alpha + 1).
    rule.weights.push_back(static_cast<double>((alpha + 1.L) / ((1.L - x * x) * p.derivative * p.derivative)));
  }
  return rule;
}

SimplexRule make_simplex_rule(int dimension, int degree) {
  TESSERA_REQUIRE(dimension >= 1 && dimension <= 3 && degree >= 0,
                  "There is no quadrature of degree " << degree << " on simplices of dimension " << dimension << ".");
  if (dimension == 2 && degree >= 2 && degree <= 6)
    return degree == 2   ? symmetric_rule<Quadrature<2, 2>, 3>()
           : degree <= 4 ? symmetric_rule<Quadrature<2, 4>, 3>()
                         : symmetric_rule<Quadrature<2, 6>, 3>();
  if (dimension == 3 && degree >= 2 && degree <= 5)
    return degree == 2 ? symmetric_rule<Quadrature<3, 2>, 4>() : symmetric_rule<Quadrature<3, 5>, 4>();
  const int n = degree / 2 + 1;
  int n_points = 1;
  std::vector<GaussRule> factors; // direction d carries the weight (1 - x)^(dimension - 1 - d) of the collapsed map
  for (int d = 0; d < dimension; ++d) {
    factors.push_back(make_gauss_rule(n, dimension - 1 - d));
    n_points *= n;
  }
  SimplexRule rule;
  rule.n_vertices = dimension + 1;
  for (int q = 0; q < n_points; ++q) {
    double rest = 1.;
    double weight = 1.;
    for (int d = 0, index = q; d < dimension; ++d, index /= n) {
      rule.points.push_back(rest * factors[d].points[index % n]);
      rest *= 1. - factors[d].points[index % n];
      weight *= factors[d].weights[index % n];
    }
    rule.points.push_back(rest);
    rule.weights.push_back(weight);
  }
  return rule;
}

template <int NVertices, class ExecutionSpace>
SimplexRules<NVertices, typename ExecutionSpace::memory_space> make_simplex_rules(const ExecutionSpace& exec,
                                                                                  const std::vector<int>& degrees) {
  using Space = typename ExecutionSpace::memory_space;
  SimplexRules<NVertices, Space> rules;
  std::vector<double> points;
  std::vector<double> weights;
  std::vector<int> offsets{0};
  for (const int degree : degrees) {
    const SimplexRule rule = make_simplex_rule(NVertices - 1, degree);
    points.insert(points.end(), rule.points.begin(), rule.points.end());
    weights.insert(weights.end(), rule.weights.begin(), rule.weights.end());
    offsets.push_back(static_cast<int>(weights.size()));
    rules.largest = std::max(rules.largest, rule.n_points());
  }
  const auto arrays = uploaded_together(exec, "fe::quadrature_rules", points, weights, offsets);
  rules.memory = std::get<0>(arrays);
  rules.points = in_rows<NVertices>(std::get<1>(arrays));
  rules.weights = std::get<2>(arrays);
  rules.offsets = std::get<3>(arrays);
  return rules;
}

template <class ExecutionSpace, int NVertices>
SimplexRules<NVertices, HostMemory>
to_host(const ExecutionSpace& exec, const SimplexRules<NVertices, typename ExecutionSpace::memory_space>& rules) {
  SimplexRules<NVertices, HostMemory> host;
  host.points = tessera::to_host(exec, rules.points);
  host.weights = tessera::to_host(exec, rules.weights);
  host.offsets = tessera::to_host(exec, rules.offsets);
  host.largest = rules.largest;
  return host;
}

#define TESSERA_INSTANTIATE_VERTICES(Space, N)                                                                         \
  template SimplexRules<N, Space::memory_space> make_simplex_rules<N>(const Space&, const std::vector<int>&);          \
  template SimplexRules<N, HostMemory> to_host(const Space&, const SimplexRules<N, Space::memory_space>&);
#define TESSERA_INSTANTIATE(Space)                                                                                     \
  TESSERA_INSTANTIATE_VERTICES(Space, 2)                                                                               \
  TESSERA_INSTANTIATE_VERTICES(Space, 3)                                                                               \
  TESSERA_INSTANTIATE_VERTICES(Space, 4)
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE
#undef TESSERA_INSTANTIATE_VERTICES

} // namespace tessera::fe
