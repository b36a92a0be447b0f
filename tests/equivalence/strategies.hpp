// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_TESTS_EQUIVALENCE_STRATEGIES_HPP
#define TESSERA_TESTS_EQUIVALENCE_STRATEGIES_HPP

#include "assembly/assembler.hpp"
#include "assembly/strategy.hpp"
#include "graph/colouring/coloring_method.hpp"

#include <string>
#include <vector>

namespace tessera::test {

/// Every strategy that the input format names.
inline std::vector<assembly::Strategy> all_strategies() {
  std::vector<assembly::Strategy> strategies;
  for (const assembly::StrategyTraits& traits : assembly::strategy_table)
    if (traits.strategy != assembly::Strategy::automatic)
      strategies.push_back(traits.strategy);
  return strategies;
}

inline std::string text_of(const assembly::AssemblyOptions& options) {
  std::string text = assembly::traits_of(options.strategy).name;
  if (assembly::uses_coloring(options.strategy))
    text += std::string(" by ") + graph::coloring_method_name(options.coloring);
  return text;
}

} // namespace tessera::test

#endif
