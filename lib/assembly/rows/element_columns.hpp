// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_ASSEMBLY_ROWS_ELEMENT_COLUMNS_HPP
#define TESSERA_ASSEMBLY_ROWS_ELEMENT_COLUMNS_HPP

#include "assembly/rows/incidence.hpp"
#include "assembly/rows/row_sizes.hpp"

namespace tessera::assembly {

/// The columns of a regular row, a source for patterns (linalg/pattern): the free unknowns of the elements at it.
template <class Dofs, class Incidence> struct ElementColumns {
  static constexpr int N = Dofs::n_nodes;
  using memory_space = typename Dofs::memory_space;
  using accumulator =
      std::conditional_t<Dofs::on_host, linalg::StackAccumulator<row_capacity<N>, false, true>, team_accumulator_t<N>>;
  static constexpr int rows = rows_at_a_time<Dofs>;
  Dofs dofs;
  Incidence incidence;

  /// Sorts linked lists on hosts, so that later loops visit the pairs in an order that does not depend on the threads;
  /// the order does not matter here.
  KOKKOS_FUNCTION void prepare(index_t row) const {
    if constexpr (Dofs::on_host)
      sort_pairs(incidence, row);
  }

  /// The row's diagonal column is in all its elements and added once.
  template <class Add> KOKKOS_FUNCTION void for_each_column(index_t row, const Add& add) const {
    offset_t c = incidence.first(row);
    if (incidence.more(row, c))
      add(row);
    for (; incidence.more(row, c); c = incidence.next(c)) {
      const graph::LocalNode own = graph::local_node<N>(incidence.pair(c));
      index_t dof[N - 1];
      dofs.other_dofs(own.element, own.a, dof);
      for (int b = 0; b < N - 1; ++b)
        if (dofs.is_free(dof[b]))
          add(dof[b]);
    }
  }
};

} // namespace tessera::assembly

#endif
