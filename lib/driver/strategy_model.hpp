// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_STRATEGY_MODEL_HPP
#define TESSERA_DRIVER_STRATEGY_MODEL_HPP

/// \file
/// What `assembly.strategy: auto` picks. The predicted time of a strategy is
///
///     symbolic + n_assemblies numeric + n_products product,
///
/// each a time per element from tessera bench, by kind of backend, dimension and order.

#include "assembly/strategy.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace tessera::driver {

struct Workload {
  bool on_gpu = false;
  int threads = 2; ///< of a host backend; times of the table are for two
  int dimension = 2;
  int order = 1;
  std::int64_t elements = 0;
  std::int64_t unknowns = 0;
  double n_assemblies = 1.;      ///< nonlinear problems: one per step
  double n_products = 1.;        ///< of all solves together
  bool needs_quadrature = false; ///< element matrices by quadrature instead of closed formulas
};

struct Prediction {
  assembly::Strategy strategy;
  double seconds;
};

/// Iterations of conjugate gradients, which grow like the number of elements across the domain: c n^(1/dimension)
/// log(1 / tolerance). `factor`: 1 with Jacobi's preconditioner, 0.75 with symmetric Gauss-Seidel's, 1.2 with none.
double predicted_iterations(int dimension, int order, std::int64_t unknowns, double relative_tolerance, double factor);

/// Every strategy but `reference`, fastest first.
std::vector<Prediction> predict_times(const Workload& workload);

struct StrategyChoice {
  assembly::Strategy strategy;
  std::string reason;
};

/// Among the strategies for which `is_allowed` and whose predicted time is at most a fifth above the least one:
/// row-gather, or else the one that takes the least `bytes`. The predictions are no better than that, and memory is
/// certain. A strategy whose bits vary from run to run has to be the fastest by a tenth. Throws when none is allowed.
StrategyChoice choose_strategy(const Workload& workload, const std::function<bool(assembly::Strategy)>& is_allowed,
                               const std::function<double(assembly::Strategy)>& bytes);

} // namespace tessera::driver

#endif
