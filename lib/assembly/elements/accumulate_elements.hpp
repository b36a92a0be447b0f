// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_ASSEMBLY_ELEMENTS_ACCUMULATE_ELEMENTS_HPP
#define TESSERA_ASSEMBLY_ELEMENTS_ACCUMULATE_ELEMENTS_HPP

/// \file
/// Sums one number of every element at each of its nodes: diagonals and loads.

#include "assembly/element_loop.hpp"
#include "assembly/elements/color_elements.hpp"

namespace tessera::assembly {

namespace detail {

/// Adds the diagonal or the load of one element at its regular unknowns. Entries between nodes that share an unknown
/// (both ends of a periodic domain of one element) are added to the diagonal.
template <class Loop, bool Atomic, bool Load> struct AccumulateElements {
  Loop loop;
  Array<const index_t*, typename Loop::memory_space> elements;
  index_t begin;
  Array<double*, typename Loop::memory_space> result;

  KOKKOS_FUNCTION void operator()(index_t i) const {
    constexpr int N = Loop::n_nodes;
    const index_t e = elements.extent(0) > 0 ? elements(begin + i) : i;
    index_t dof[N];
    double K[N][N];
    double f[N];
    loop.system(e, dof, K, f);
    for (int a = 0; a < N; ++a) {
      if (!loop.is_regular(dof[a]))
        continue;
      double value = Load ? f[a] : 0.;
      for (int b = 0; b < N && !Load; ++b)
        if (dof[b] == dof[a])
          value += K[a][b];
      add_to<Atomic>(&result(dof[a]), value);
    }
  }
};

} // namespace detail

/// Sums the diagonals or the loads of all elements at the regular unknowns, one class of elements after the other;
/// `Atomic` if elements of a class may share unknowns. Entries of tied unknowns are zero.
template <bool Atomic, bool Load, class ExecutionSpace, class Loop>
void accumulate_elements(const ExecutionSpace& exec, const Loop& loop,
                         const ColorClasses<typename ExecutionSpace::memory_space>& classes,
                         const linalg::Vector<ExecutionSpace>& result) {
  fill(exec, result, 0.);
  for (int c = 0; c < classes.n_colors(); ++c)
    for_each("tessera::assembly::accumulate_elements", exec, classes.size(c),
             detail::AccumulateElements<Loop, Atomic, Load>{loop, classes.elements, classes.begin(c), result});
}

} // namespace tessera::assembly

#endif
