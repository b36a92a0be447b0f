// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_SOLVERS_MULTIGRID_OPTIONS_HPP
#define TESSERA_SOLVERS_MULTIGRID_OPTIONS_HPP

#include "core/index.hpp"
#include "core/precision.hpp"

namespace tessera::solvers {

/// Where the coarser levels come from.
enum class MultigridType {
  automatic, ///< from coarser meshes as far as these are known, then algebraic
  geometric, ///< the same, but coarser meshes must be known
  algebraic  ///< from the entries of the matrix
};
enum class MultigridCycle {
  automatic, ///< W through the first two levels of aggregates, which lose most in a V-cycle and cost little; else V.
             ///< After a start by full multigrid if there are geometric levels
  V,
  W,
  full ///< V, after a start by full multigrid
};
enum class MultigridSmoother { chebyshev, jacobi };

struct MultigridOptions {
  MultigridType type = MultigridType::automatic; ///< for those who make the prolongations
  MultigridCycle cycle = MultigridCycle::automatic;
  MultigridSmoother smoother = MultigridSmoother::chebyshev;
  Precision precision = Precision::single_precision;
  int degree = 2;                   ///< steps of the smoother before and after the coarser level
  double strength = 0.08;           ///< threshold of strong couplings on the finest level, halved on each coarser one
  index_t coarsest_size = 64;       ///< levels of at most so many unknowns are solved directly
  index_t largest_direct = 1000;    ///< the coarsest level is refused if it has more unknowns
  index_t replicated_size = 200000; ///< of several processes, each has levels of at most so many unknowns whole
  bool keeps_products = false;      ///< keeps what makes Multigrid::renew() faster: the matrix times the prolongation
  bool is_compact = false;          ///< keeps what cycles read alone, so that there is no Multigrid::renew()
  int n_cycles = 1;                 ///< of an application, each from the result of the one before
};

} // namespace tessera::solvers

#endif
