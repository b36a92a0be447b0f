// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_TESTS_EQUIVALENCE_STRATEGIES_HPP
#define TESSERA_TESTS_EQUIVALENCE_STRATEGIES_HPP

#include "assembly/assembler.hpp"
#include "io/input/case.hpp"

#include <string>
#include <vector>

namespace tessera::test {

/// Every strategy that the input format names.
inline std::vector<assembly::Strategy> all_strategies() {
  std::vector<assembly::Strategy> strategies;
  for (const auto& entry : io::enum_names<io::Strategy>())
    if (entry.value != assembly::Strategy::automatic)
      strategies.push_back(entry.value);
  return strategies;
}

inline std::string text_of(const assembly::AssemblyOptions& options) {
  std::string text = io::name_of(options.strategy);
  if (assembly::uses_coloring(options.strategy))
    text += std::string(" by ") + graph::coloring_method_name(options.coloring);
  return text;
}

} // namespace tessera::test

#endif
