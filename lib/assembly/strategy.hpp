// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_ASSEMBLY_STRATEGY_HPP
#define TESSERA_ASSEMBLY_STRATEGY_HPP

/// \file
/// The ways to turn element matrices into a linear system.

namespace tessera::assembly {

enum class Strategy {
  automatic, ///< the driver chooses
  reference,
  atomic,
  a_coo,
  a_coo_compact,
  sorted_coo,
  colored,
  row_gather,
  ebe_stored,
  ebe_recomputed,
  ebe_atomic
};

/// Strategies that give an assembled matrix.
constexpr bool stores_matrix(Strategy strategy) {
  return strategy != Strategy::ebe_stored && strategy != Strategy::ebe_recomputed && strategy != Strategy::ebe_atomic;
}

/// Strategies whose sums have a fixed order: the same bits in every run and for any number of threads (coloured ones
/// with a deterministic colouring).
constexpr bool is_deterministic(Strategy strategy) {
  return strategy != Strategy::atomic && strategy != Strategy::ebe_atomic;
}

constexpr bool uses_coloring(Strategy strategy) {
  return strategy == Strategy::colored || strategy == Strategy::ebe_stored || strategy == Strategy::ebe_recomputed;
}

} // namespace tessera::assembly

#endif
