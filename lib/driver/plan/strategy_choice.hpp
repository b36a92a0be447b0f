// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_PLAN_STRATEGY_CHOICE_HPP
#define TESSERA_DRIVER_PLAN_STRATEGY_CHOICE_HPP

/// \file
/// The choice of `assembly.strategy: auto`: a matrix by row-gather if enough products follow to pay for it.

#include "assembly/strategy.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace tessera::driver {

struct Workload {
  bool on_gpu = false;
  int dimension = 2;
  int order = 1;
  std::int64_t unknowns = 0;     ///< nodes of the space
  double n_assemblies = 1.;      ///< nonlinear problems: one per step
  double n_products = 1.;        ///< of all solves together
  bool needs_quadrature = false; ///< element matrices by quadrature instead of closed formulas
};

/// Predicted iterations of conjugate gradients, which grow with the number of elements across the domain: c
/// n^(1/dimension) log(1 / tolerance). `factor`: 1 with Jacobi's preconditioner, 1.2 with none.
double predicted_iterations(int dimension, int order, std::int64_t unknowns, double relative_tolerance, double factor);

/// Number of products above which assembling a matrix by row-gather pays; infinite if it never does.
double products_for_matrix(const Workload& workload);

/// Strategies in the order of preference. `reference`, `a-coo` and `sorted-coo` are not included: each takes more time
/// and memory than another one.
std::vector<assembly::Strategy> preferred_strategies(const Workload& workload);

struct StrategyChoice {
  assembly::Strategy strategy;
  std::string reason;
};

/// The first usable one of the preferred strategies. Throws an error of kind resource if there is none.
StrategyChoice choose_strategy(const Workload& workload, const std::function<bool(assembly::Strategy)>& is_usable);

} // namespace tessera::driver

#endif
