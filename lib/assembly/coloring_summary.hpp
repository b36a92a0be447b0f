// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_ASSEMBLY_COLORING_SUMMARY_HPP
#define TESSERA_ASSEMBLY_COLORING_SUMMARY_HPP

#include "core/index.hpp"

#include <memory>
#include <string>
#include <vector>

namespace tessera::assembly {

/// Statistics of the colouring of a matrix-free or coloured strategy.
struct ColoringSummary {
  bool used = false;
  std::string method;
  int n_colors = 0;
  index_t smallest = 0;
  double mean = 0.;
  index_t largest = 0;
  double seconds = 0.; ///< including all preparations of the method, excluding verification
  std::shared_ptr<const std::vector<double>> colors; ///< of each element, if AssemblyOptions request them
};

} // namespace tessera::assembly

#endif
