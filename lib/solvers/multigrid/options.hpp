// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_SOLVERS_MULTIGRID_OPTIONS_HPP
#define TESSERA_SOLVERS_MULTIGRID_OPTIONS_HPP

#include "core/index.hpp"
#include "core/precision.hpp"

namespace tessera::solvers {

/// Source of the coarser levels.
enum class MultigridType {
  automatic, ///< from coarser meshes as far as they exist, then algebraic
  geometric, ///< the same, but coarser meshes must exist
  algebraic  ///< from the entries of the matrix
};
enum class MultigridCycle {
  automatic, ///< W on the first two levels of aggregates, which gain most over a V-cycle and cost little; else V. After
             ///< a start by full multigrid if there are geometric levels
  V,
  W,
  full ///< V, after a start by full multigrid
};

struct MultigridOptions {
  MultigridType type = MultigridType::automatic; ///< used by the code that makes the prolongations
  MultigridCycle cycle = MultigridCycle::automatic;
  Precision precision = Precision::single_precision;
  int degree = 2;                   ///< steps of the smoother before and after the coarser level
  double strength = 0.06;           ///< threshold of strong couplings on the finest level, halved on each coarser one
  index_t coarsest_size = 64;       ///< levels with at most this many unknowns are solved directly
  index_t largest_direct = 1000;    ///< error if the coarsest level has more unknowns
  index_t replicated_size = 200000; ///< levels with at most this many unknowns are replicated over processes
  bool keeps_products = false;      ///< keeps the products of matrix and prolongation, which make Multigrid::renew()
                                    ///< faster
  bool is_compact = false;          ///< keeps only the data that cycles read, so that Multigrid::renew() is not
                                    ///< available
  int n_cycles = 1;                 ///< cycles per application, each starting from the previous result
};

} // namespace tessera::solvers

#endif
