// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "fe/modal/legendre_products.hpp"

#include "core/error.hpp"
#include "core/kokkos_ext/spaces.hpp"
#include "core/transfer/upload.hpp"
#include "fe/modal/legendre.hpp"
#include "fe/simplex_quadrature.hpp"

namespace tessera::fe {

template <class ExecutionSpace>
LegendreProducts<typename ExecutionSpace::memory_space> make_legendre_products(const ExecutionSpace& exec, int degree) {
  TESSERA_REQUIRE(degree >= 0 && 2 * degree <= max_legendre_degree,
                  "Products of Legendre polynomials are known to degree " << max_legendre_degree / 2 << ", not "
                                                                          << degree << '.');
  // The mean of a product with L_m is exact by a rule of degree 4 p.
  const GaussRule rule = make_gauss_rule(2 * degree + 1, 0);
  const Legendre legendre;
  const auto n = static_cast<std::size_t>(degree) + 1;
  const std::size_t n_m = 2 * n - 1;
  std::vector<double> table(4 * n * n * n_m, 0.);
  for (std::size_t q = 0; q < rule.points.size(); ++q) {
    double value[2][max_legendre_degree + 1]; // and derivatives
    legendre.evaluate(2 * degree, 2. * rule.points[q] - 1., value[0], value[1]);
    for (std::size_t ab = 0; ab < 4; ++ab)
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j)
          for (std::size_t m = 0; m < n_m; ++m)
            table[((ab * n + i) * n + j) * n_m + m] +=
                rule.weights[q] * value[ab / 2][i] * value[ab % 2][j] * value[0][m];
  }
  LegendreProducts<typename ExecutionSpace::memory_space> products;
  products.degree = degree;
  products.coefficients = uploaded(exec, "fe::legendre_products", table);
  return products;
}

#define TESSERA_INSTANTIATE(Space)                                                                                     \
  template LegendreProducts<Space::memory_space> make_legendre_products(const Space&, int);
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE

} // namespace tessera::fe
