// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_ASSEMBLY_ROWS_INCIDENCE_HPP
#define TESSERA_ASSEMBLY_ROWS_INCIDENCE_HPP

/// \file
/// Node-to-element incidence of the rows in two forms, compressed (CRS) and linked, with a common interface for
/// kernels.

#include "assembly/element_loop.hpp"
#include "core/error.hpp"

namespace tessera::assembly {

/// Stores the element-node pairs of a row contiguously, ascending (graph::Incidence).
template <class Space> struct CrsIncidence {
  Array<const offset_t*, Space> offsets;
  Array<const offset_t*, Space> pairs;

  explicit CrsIncidence(const graph::Incidence<Space>& rows) : offsets(rows.offsets), pairs(rows.pairs) {}
  KOKKOS_FUNCTION offset_t first(index_t row) const { return offsets(row); }
  KOKKOS_FUNCTION bool more(index_t row, offset_t cursor) const { return cursor < offsets(row + 1); }
  KOKKOS_FUNCTION offset_t next(offset_t cursor) const { return cursor + 1; }
  KOKKOS_FUNCTION offset_t pair(offset_t cursor) const { return pairs(cursor); }
};

/// Stores the pairs of a row as a linked list: one link per pair, whose index encodes element and node (a-COO with one
/// link per element and row instead of one per matrix entry).
template <class Space> struct LinkedIncidence {
  static constexpr offset_t end = -1;
  Array<offset_t*, Space> head; ///< [n_rows]
  Array<offset_t*, Space> link; ///< [n_elements * nodes per element]

  KOKKOS_FUNCTION offset_t first(index_t row) const { return head(row); }
  KOKKOS_FUNCTION bool more(index_t, offset_t cursor) const { return cursor != end; }
  KOKKOS_FUNCTION offset_t next(offset_t cursor) const { return link(cursor); }
  KOKKOS_FUNCTION offset_t pair(offset_t cursor) const { return cursor; }
};

/// Sorts a singly linked list by `before(i, j)` with a bottom-up merge sort: no recursion, no extra memory. Returns the
/// new head; the list ends with -1.
template <class Link, class Before>
KOKKOS_INLINE_FUNCTION offset_t sort_list(const Link& link, offset_t head, const Before& before) {
  for (std::int64_t width = 1;; width *= 2) {
    offset_t left = head;
    offset_t tail = -1;
    int n_merges = 0;
    head = -1;
    while (left != -1) {
      ++n_merges;
      offset_t right = left;
      std::int64_t left_size = 0;
      while (left_size < width && right != -1) {
        ++left_size;
        right = link(right);
      }
      std::int64_t right_size = width;
      while (left_size > 0 || (right_size > 0 && right != -1)) {
        offset_t taken;
        if (left_size == 0 || (right_size > 0 && right != -1 && before(right, left))) {
          taken = right;
          right = link(right);
          --right_size;
        } else {
          taken = left;
          left = link(left);
          --left_size;
        }
        if (tail == -1)
          head = taken;
        else
          link(tail) = taken;
        tail = taken;
      }
      left = right;
    }
    if (tail != -1)
      link(tail) = -1;
    if (n_merges <= 1)
      return head;
  }
}

struct AscendingPairs {
  KOKKOS_FUNCTION bool operator()(offset_t i, offset_t j) const { return i < j; }
};

/// Sorts the pairs of a row in the calling thread.
// already sorted
template <class Space> KOKKOS_FUNCTION void sort_pairs(const CrsIncidence<Space>&, index_t) {}
template <class Space> KOKKOS_FUNCTION void sort_pairs(const LinkedIncidence<Space>& lists, index_t row) {
  lists.head(row) = sort_list(lists.link, lists.head(row), AscendingPairs{});
}

namespace detail {

/// One element per thread: pushes each of its regular pairs to the list of its row. Traffic: connectivity, dof map, one
/// link written per pair, one exchange per pair on the heads.
template <class Dofs> struct PushPairs {
  Dofs dofs;
  LinkedIncidence<typename Dofs::memory_space> lists;
  KOKKOS_FUNCTION void operator()(index_t e) const {
    index_t dof[Dofs::n_nodes];
    dofs.dofs_of(e, dof);
    for (int a = 0; a < Dofs::n_nodes; ++a)
      if (dofs.is_regular(dof[a])) {
        const offset_t pair = static_cast<offset_t>(e) * Dofs::n_nodes + a;
        lists.link(pair) = Kokkos::atomic_exchange(&lists.head(dof[a]), pair);
      }
  }
};

} // namespace detail

/// Links the pairs of every regular row; the order within a list depends on the threads until it is sorted.
template <class ExecutionSpace, class Dofs>
LinkedIncidence<typename ExecutionSpace::memory_space> link_incidence(const ExecutionSpace& exec, const Dofs& dofs) {
  using Space = typename ExecutionSpace::memory_space;
  LinkedIncidence<Space> lists;
  lists.head = make_filled<Array<offset_t*, Space>>(exec, "assembly::list_heads", dofs.n_regular, offset_t(-1));
  lists.link = make_array<Array<offset_t*, Space>>(
      exec, "assembly::list_links",
      checked_offset(static_cast<std::int64_t>(dofs.n_elements()) * Dofs::n_nodes, "element-node pairs"));
  for_each("tessera::assembly::push_pairs", exec, dofs.n_elements(), detail::PushPairs<Dofs>{dofs, lists});
  return lists;
}

} // namespace tessera::assembly

#endif
