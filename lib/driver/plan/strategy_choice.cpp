// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/plan/strategy_choice.hpp"

#include "core/error.hpp"
#include "io/input/case.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>

namespace tessera::driver {

namespace {

using assembly::Strategy;

/// Number of products above which row-gather pays, for element matrices by closed formulas and by quadrature. From the
/// tables of docs/performance.md: at these numbers one assembly and the products take a fifth longer with row-gather
/// than with the fastest strategy. GPUs recompute element matrices quickly; hosts are faster with stored ones.
struct BreakEven {
  double closed;
  double quadrature;
};

constexpr BreakEven on_host[2][2] = {{{43., 7.}, {110., 134.}},
                                     {{270., 11.}, {68., 78.}}}; // [dimension - 2][order - 1]
constexpr BreakEven on_gpu[2][2] = {{{14., 3.}, {INFINITY, 7.}}, {{23., 4.}, {12., 3.}}};

/// Number of unknowns of order 2 on triangles above which a GPU recomputes closed formulas faster than it reads a
/// matrix; below, the launches of kernels dominate.
constexpr std::int64_t large_for_gpu = 500000;

/// Number of products above which hosts are faster with the quickly made matrix of a-coo-compact than without a matrix.
constexpr double products_for_compact = 10.;

} // namespace

double predicted_iterations(int dimension, int order, std::int64_t unknowns, double relative_tolerance, double factor) {
  // Iterations to 1e-8 per unknown along a side (docs/performance.md, Solve).
  const double per_side = dimension == 2 ? (order == 1 ? 1.86 : 2.05) : (order == 1 ? 2.49 : 2.74);
  const double digits = std::log(1. / std::clamp(relative_tolerance, 1e-16, 0.5)) / std::log(1e8);
  return std::max(1., factor * per_side * digits * std::pow(static_cast<double>(unknowns), 1. / dimension));
}

double products_for_matrix(const Workload& work) {
  const BreakEven& products = (work.on_gpu ? on_gpu : on_host)[work.dimension - 2][work.order - 1];
  if (work.needs_quadrature)
    return products.quadrature;
  return std::isinf(products.closed) && work.unknowns < large_for_gpu ? products.quadrature : products.closed;
}

std::vector<Strategy> preferred_strategies(const Workload& work) {
  // Each takes less memory than the previous one.
  std::vector<Strategy> with_matrix{Strategy::row_gather, Strategy::a_coo_compact, Strategy::colored, Strategy::atomic};
  std::vector<Strategy> without{Strategy::ebe_stored, Strategy::ebe_atomic, Strategy::ebe_recomputed};
  if (work.on_gpu)
    std::swap(without[0], without[1]);
  bool matrix_first = work.n_products >= products_for_matrix(work);
  if (!matrix_first && work.n_assemblies == 1.) { // the pattern of row-gather pays later than that of a-coo-compact
    std::swap(with_matrix[0], with_matrix[1]);
    matrix_first = !work.on_gpu && work.order == 1 && work.n_products >= products_for_compact;
  }
  std::vector<Strategy> preferred = matrix_first ? with_matrix : without;
  const std::vector<Strategy>& others = matrix_first ? without : with_matrix;
  preferred.insert(preferred.end(), others.begin(), others.end());
  return preferred;
}

StrategyChoice choose_strategy(const Workload& work, const std::function<bool(Strategy)>& is_usable) {
  const std::vector<Strategy> preferred = preferred_strategies(work);
  const auto found = std::find_if(preferred.begin(), preferred.end(), is_usable);
  TESSERA_REQUIRE_KIND(found != preferred.end(), ErrorKind::resource, "assembly.strategy: none can do this case.");
  const double needed = products_for_matrix(work);
  std::ostringstream reason;
  reason << "about " << std::lround(work.n_products) << " products expected, row-gather pays ";
  if (std::isinf(needed))
    reason << "for none here";
  else
    reason << "from about " << needed;
  if (found != preferred.begin())
    reason << "; " << io::name_of(preferred.front()) << " does not fit or cannot do this case";
  return {*found, reason.str()};
}

} // namespace tessera::driver
