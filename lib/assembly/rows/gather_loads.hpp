// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_ASSEMBLY_ROWS_GATHER_LOADS_HPP
#define TESSERA_ASSEMBLY_ROWS_GATHER_LOADS_HPP

/// \file
/// The right-hand side of regular rows from their elements.

#include "assembly/rows/incidence.hpp"

namespace tessera::assembly::detail {

/// Load of each regular row: the sum over its pairs, in ascending order.
template <class Loop, class Incidence> struct GatherLoads {
  Loop loop;
  Incidence incidence;
  Array<double*, typename Loop::memory_space> rhs;

  KOKKOS_FUNCTION void operator()(index_t row) const {
    sort_pairs(incidence, row);
    double load = 0.;
    for (offset_t c = incidence.first(row); incidence.more(row, c); c = incidence.next(c)) {
      const graph::LocalNode own = graph::local_node<Loop::n_nodes>(incidence.pair(c));
      index_t dof[Loop::n_nodes];
      double k[Loop::n_nodes];
      load += loop.row(own.element, own.a, dof, k);
    }
    rhs(row) = load;
  }
};

} // namespace tessera::assembly::detail

#endif
