// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/strategy_model.hpp"

#include "core/error.hpp"
#include "io/case.hpp"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <sstream>

namespace tessera::driver {

namespace {

using assembly::Strategy;

/// Medians in ms: symbolic phase, numeric phase, product with (x, A x).
struct Measured {
  double symbolic;
  double numeric;
  double product;
};

constexpr Strategy strategies[] = {Strategy::atomic,     Strategy::a_coo,          Strategy::a_coo_compact,
                                   Strategy::sorted_coo, Strategy::colored,        Strategy::row_gather,
                                   Strategy::ebe_stored, Strategy::ebe_recomputed, Strategy::ebe_atomic};
constexpr int n_strategies = 9;

/// One mesh of the bench on one kind of backend. To renew a row: the two commands
///     tessera bench assembly --backend B --cases CASE        tessera bench operator --backend B --cases CASE
/// and docs/performance.md, where the machines stand. Products of strategies with a matrix are `csr`.
struct Row {
  const char* bench;
  bool on_gpu;
  int dimension;
  int order;
  double elements;
  Measured of[n_strategies]; // in the order of `strategies`
};

// clang-format off
constexpr Row table[] = {
    // OpenMP, 2 cores (Sapphire Rapids class). sorted-coo of 8 M triangles: four times that of tri-p1-1000.
    {"tri-p1-2000", false, 2, 1, 8e6,
     {{391.8, 522.0, 18.32}, {0., 485.5, 18.32}, {344.0, 287.3, 18.32}, {2962., 247., 18.32}, {688.9, 412.8, 18.32},
      {678.1, 159.0, 18.32}, {238.0, 176.9, 35.69}, {245.8, 142.0, 148.3}, {0., 130.8, 124.4}}},
    // sorted-coo: not measured, from tet-p2-64 by the number of its triplets.
    {"tri-p2-1000", false, 2, 2, 2e6,
     {{706.0, 500.5, 36.20}, {0., 823.8, 36.20}, {403.8, 686.1, 36.20}, {2447., 316., 36.20}, {783.5, 675.0, 36.20},
      {1036.6, 308.0, 36.20}, {62.3, 193.4, 36.12}, {62.0, 154.3, 142.2}, {0., 113.8, 114.0}}},
    {"tet-p1-64", false, 3, 1, 1572864.,
     {{168.6, 158.4, 1.309}, {0., 179.8, 1.309}, {135.9, 98.0, 1.309}, {741.6, 102.3, 1.309}, {278.7, 207.9, 1.309},
      {260.5, 68.5, 1.309}, {61.6, 71.6, 9.859}, {61.8, 49.2, 40.78}, {0., 32.4, 31.17}}},
    {"tet-p2-64", false, 3, 2, 1572864.,
     {{2056.6, 1175.3, 41.65}, {0., 2725.7, 41.65}, {1136.2, 1627.6, 41.65}, {5038.7, 651.5, 41.65}, {2140.1, 2616.7, 41.65},
      {3097.7, 787.7, 41.65}, {65.2, 527.3, 72.66}, {68.2, 332.6, 381.3}, {0., 217.6, 205.0}}},
    // Cuda, H200.
    {"tri-p1-5000", true, 2, 1, 50e6,
     {{2.77, 4.77, 0.617}, {0., 55.35, 0.617}, {2.83, 2.34, 0.617}, {71.68, 20.07, 0.617}, {6.49, 47.48, 0.617},
      {7.26, 1.52, 0.617}, {3.59, 5.90, 3.595}, {3.56, 4.86, 5.654}, {0.08, 0.77, 0.792}}},
    {"tri-p2-1000", true, 2, 2, 2e6,
     {{0.75, 1.11, 0.229}, {0., 20.23, 0.229}, {0.79, 0.57, 0.229}, {12.08, 3.12, 0.229}, {1.23, 3.24, 0.229},
      {1.72, 0.42, 0.229}, {0.55, 0.68, 0.556}, {0.50, 0.52, 0.629}, {0.03, 0.11, 0.123}}},
    {"tet-p1-128", true, 3, 1, 12582912.,
     {{1.31, 1.83, 0.122}, {0., 30.81, 0.122}, {1.33, 1.69, 0.122}, {30.01, 10.16, 0.122}, {3.06, 13.37, 0.122},
      {3.79, 0.63, 0.122}, {1.74, 2.90, 1.521}, {1.70, 2.41, 2.629}, {0.03, 0.31, 0.273}}},
    {"tet-p2-64", true, 3, 2, 1572864.,
     {{2.20, 3.29, 0.280}, {0., 59.00, 0.280}, {2.25, 2.99, 0.280}, {23.23, 7.48, 0.280}, {2.75, 12.16, 0.280},
      {5.42, 0.98, 0.280}, {0.63, 2.06, 1.040}, {0.61, 1.70, 1.842}, {0.03, 0.63, 0.560}}},
};
// clang-format on

const Row& row_of(const Workload& workload) {
  for (const Row& row : table)
    if (row.on_gpu == workload.on_gpu && row.dimension == workload.dimension && row.order == workload.order)
      return row;
  return table[0];
}

/// Element matrices by quadrature take this times as long as closed formulas, where they dominate: in the loops of
/// strategies without a matrix.
constexpr double quadrature_factor = 4.;
/// Launch of a kernel on a GPU; coloured loops have one for each colour.
constexpr double launch_seconds = 3e-6;
/// An iteration's work on vectors: 72 bytes per unknown at the copy bandwidth of the machines above.
constexpr double vector_seconds_host = 72. / 25e9;
constexpr double vector_seconds_gpu = 72. / 3.7e12;
constexpr double handicap_of_varying_bits = 1.1;
/// Times up to this many times the least one are as good: what is predicted from another machine's figures scatters,
/// and a small gain is not worth memory.
constexpr double considerable = 1.2;

std::string seconds_text(double seconds) {
  std::ostringstream text;
  text << std::setprecision(2) << (seconds < 1e-3 ? 1e6 * seconds : (seconds < 1. ? 1e3 * seconds : seconds))
       << (seconds < 1e-3 ? " us" : (seconds < 1. ? " ms" : " s"));
  return text.str();
}

} // namespace

double predicted_iterations(int dimension, int order, std::int64_t unknowns, double relative_tolerance, double factor) {
  // Measured to 1e-8 (docs/performance.md, Solve): tri-p1 917 of 249 001 and 9423 of 24 990 001 unknowns, tet-p1 316
  // and tet-p2 348 of 2 048 383.
  const double per_side = dimension == 2 ? (order == 1 ? 1.86 : 2.05) : (order == 1 ? 2.49 : 2.74);
  const double digits = std::log(1. / std::clamp(relative_tolerance, 1e-16, 0.5)) / std::log(1e8);
  return std::max(1., factor * per_side * digits * std::pow(static_cast<double>(unknowns), 1. / dimension));
}

std::vector<Prediction> predict_times(const Workload& workload) {
  const Row& row = row_of(workload);
  const double threads = workload.on_gpu ? 1. : 2. / std::max(workload.threads, 1);
  const double per_element = threads * 1e-3 * static_cast<double>(workload.elements) / row.elements;
  const double vectors =
      static_cast<double>(workload.unknowns) * (workload.on_gpu ? vector_seconds_gpu : threads * vector_seconds_host);
  std::vector<Prediction> predictions;
  for (int i = 0; i < n_strategies; ++i) {
    const Strategy strategy = strategies[i];
    const bool recomputes = strategy == Strategy::ebe_recomputed || strategy == Strategy::ebe_atomic;
    const double quadrature = workload.needs_quadrature ? quadrature_factor : 1.;
    const double symbolic = per_element * row.of[i].symbolic;
    const double numeric = per_element * row.of[i].numeric * quadrature;
    double product = per_element * row.of[i].product * (recomputes ? quadrature : 1.);
    if (workload.on_gpu) {
      const bool by_color = strategy == Strategy::ebe_stored || strategy == Strategy::ebe_recomputed;
      product += launch_seconds * (5 + (by_color ? (workload.dimension == 2 ? 12 : 50) : 0));
    }
    predictions.push_back(
        {strategy, symbolic + workload.n_assemblies * numeric + workload.n_products * (product + vectors)});
  }
  std::stable_sort(predictions.begin(), predictions.end(),
                   [](const Prediction& a, const Prediction& b) { return a.seconds < b.seconds; });
  return predictions;
}

StrategyChoice choose_strategy(const Workload& workload, const std::function<bool(Strategy)>& is_allowed,
                               const std::function<double(Strategy)>& bytes) {
  std::vector<Prediction> allowed;
  for (const Prediction& prediction : predict_times(workload))
    if (is_allowed(prediction.strategy))
      allowed.push_back(prediction);
  TESSERA_REQUIRE_KIND(!allowed.empty(), ErrorKind::resource, "assembly.strategy: none can do this case.");
  const auto cost = [](const Prediction& prediction) {
    return prediction.seconds * (assembly::is_deterministic(prediction.strategy) ? 1. : handicap_of_varying_bits);
  };
  const auto fastest = std::min_element(allowed.begin(), allowed.end(),
                                        [&](const Prediction& a, const Prediction& b) { return cost(a) < cost(b); });
  const Prediction* best = &*fastest;
  for (const Prediction& prediction : allowed) {
    if (cost(prediction) > considerable * cost(*fastest) || !assembly::is_deterministic(prediction.strategy))
      continue;
    if (prediction.strategy ==
        Strategy::row_gather) { // its pattern also serves further assemblies, its bits never vary
      best = &prediction;
      break;
    }
    if (bytes(prediction.strategy) < bytes(best->strategy))
      best = &prediction;
  }

  std::ostringstream reason;
  reason << "predicted " << seconds_text(best->seconds) << " for " << std::setprecision(3) << workload.n_assemblies
         << (workload.n_assemblies == 1. ? " assembly and about " : " assemblies and about ")
         << std::lround(workload.n_products) << " products";
  if (best != &*fastest)
    reason << ", at most a fifth above the least";
  int n_others = 0;
  for (const Prediction& prediction : allowed)
    if (prediction.strategy != best->strategy && n_others < 2)
      reason << (n_others++ == 0 ? "; " : ", ") << io::name_of(prediction.strategy) << ' '
             << seconds_text(prediction.seconds);
  reason << " (from " << row_of(workload).bench << (workload.on_gpu ? " on an H200)" : " on two cores)");
  return {best->strategy, reason.str()};
}

} // namespace tessera::driver
