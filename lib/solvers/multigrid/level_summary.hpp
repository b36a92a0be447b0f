// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_SOLVERS_MULTIGRID_LEVEL_SUMMARY_HPP
#define TESSERA_SOLVERS_MULTIGRID_LEVEL_SUMMARY_HPP

#include "core/index.hpp"

#include <vector>

namespace tessera::solvers {

/// Size of a level of multigrid, for reports; without Kokkos.
struct LevelSummary {
  index_t n_unknowns = 0;
  std::int64_t n_entries = 0; ///< of the matrix
  std::int64_t n_bytes = 0;   ///< of the matrix, its transfers to and from the next coarser level, vectors and copies;
                              ///< of all processes if the level is distributed
  bool is_geometric = false;  ///< its coarser level is on a coarser mesh
  bool has_matrix = true;     ///< otherwise the smoother uses products with the system's operator
};

/// Entries of all levels divided by those of the finest level with a matrix.
inline double operator_complexity(const std::vector<LevelSummary>& levels) {
  double sum = 0.;
  double finest = 0.;
  for (const LevelSummary& level : levels) {
    const auto n_entries = static_cast<double>(level.n_entries);
    finest = finest == 0. ? n_entries : finest;
    sum += n_entries;
  }
  return finest == 0. ? 1. : sum / finest;
}

} // namespace tessera::solvers

#endif
