// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_ASSEMBLY_ELEMENTS_SIBLINGS_HPP
#define TESSERA_ASSEMBLY_ELEMENTS_SIBLINGS_HPP

/// \file
/// Products with siblings: the four triangles that refinement makes of one, with consecutive numbers. They have 6
/// nodes, and the same matrix as that triangle: for uniform diffusion in the plane it depends on the shape alone.

#include "assembly/element_loop.hpp"
#include "mesh/refine/children.hpp"

#include <algorithm>
#include <limits>

namespace tessera::assembly {

namespace detail {

/// The nodes of elements 4 family ... 4 family + 3 in the order of mesh::Children: vertex a is local node a of child a,
/// the midpoints are the nodes of child 3.
template <class Loop> KOKKOS_FUNCTION void sibling_nodes(const Loop& loop, index_t family, index_t (&n)[6]) {
  for (int a = 0; a < 3; ++a) {
    n[a] = loop.node(4 * family + a, a);
    n[3 + a] = loop.node(4 * family + 3, a);
  }
}

/// Counts groups of four elements that are not siblings of one region with midpoints on straight edges.
template <class Loop> struct CountOthers {
  Loop loop;
  KOKKOS_FUNCTION void operator()(index_t family, index_t& n_others) const {
    index_t n[6];
    sibling_nodes(loop, family, n);
    bool match = true;
    for (int child = 0; child < 4; ++child) {
      match = match && loop.form.regions(4 * family + child) == loop.form.regions(4 * family);
      for (int a = 0; a < 3; ++a)
        match = match && loop.node(4 * family + child, a) == n[mesh::Children<2>::node(child, a)];
    }
    const auto& x = loop.form.coordinates;
    for (int a = 0; a < 3; ++a)
      for (int d = 0; d < 2; ++d) {
        const double one = x(n[a], d);
        const double other = x(n[(a + 1) % 3], d);
        const double rounding = std::numeric_limits<double>::epsilon() * (std::fabs(one) + std::fabs(other));
        match = match && std::fabs(x(n[3 + a], d) - 0.5 * (one + other)) <= rounding;
      }
    n_others += match ? 0 : 1;
  }
};

/// Adds the product of four siblings to y: one matrix for all, and 6 additions to memory instead of 12.
template <class Loop> struct ApplySiblings {
  Loop loop;
  Array<const double*, typename Loop::memory_space> x;
  Array<double*, typename Loop::memory_space> y;

  KOKKOS_FUNCTION void operator()(index_t family) const {
    index_t n[6];
    index_t dof[6];
    double local[6];
    double sum[6];
    sibling_nodes(loop, family, n);
    for (int a = 0; a < 6; ++a) {
      dof[a] = loop.dof_of_node(n[a]);
      local[a] = loop.is_free(dof[a]) ? x(dof[a]) : 0.;
      sum[a] = 0.;
    }
    const index_t vertices[3] = {n[0], n[1], n[2]};
    double K[3][3];
    double f[3];
    loop.form.system(4 * family, vertices, K, f);
    TESSERA_UNROLL
    for (int child = 0; child < 4; ++child) {
      // Child 3 is turned by 180 degrees: its nodes correspond to the vertices 2, 0, 1 of the refined triangle.
      const int turn = child == 3 ? 2 : 0;
      TESSERA_UNROLL
      for (int a = 0; a < 3; ++a) {
        const int first = mesh::Children<2>::node(child, a);
        TESSERA_UNROLL
        for (int b = 0; b < 3; ++b)
          if (b != a) // the rows of K sum to zero
            sum[first] += K[(a + turn) % 3][(b + turn) % 3] * (local[mesh::Children<2>::node(child, b)] - local[first]);
      }
    }
    TESSERA_UNROLL
    for (int a = 0; a < 6; ++a)
      if (loop.is_regular(dof[a]))
        add_to<true>(&y(dof[a]), sum[a]);
  }
};

} // namespace detail

/// Whether the elements of a form may be siblings with one matrix: forms whose matrices are determined by region and
/// vertices are uniform diffusion.
template <class Loop> inline constexpr bool may_be_siblings = Loop::has_node_rows&& Loop::n_nodes == 3;

/// Whether all elements are siblings, four by four, on straight edges. Waits. A mesh that is not refined shows it among
/// its first elements, so that little is read.
template <class ExecutionSpace, class Loop> bool are_siblings(const ExecutionSpace& exec, const Loop& loop) {
  static_assert(may_be_siblings<Loop>, "uniform diffusion on triangles of order 1");
  constexpr index_t n_first = 1024;
  const index_t n = loop.n_elements() / 4;
  if (n == 0 || loop.n_elements() % 4 != 0)
    return false;
  const auto n_others = [&](index_t begin, index_t end) {
    index_t found = 0;
    Kokkos::parallel_reduce("tessera::assembly::count_others",
                            Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<index_t>>(exec, begin, end),
                            detail::CountOthers<Loop>{loop}, found);
    return found;
  };
  const index_t first = std::min(n, n_first);
  return n_others(0, first) == 0 && (first == n || n_others(first, n) == 0);
}

} // namespace tessera::assembly

#endif
