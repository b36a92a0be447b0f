// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_CORE_ALGORITHMS_LIST_MARKED_HPP
#define TESSERA_CORE_ALGORITHMS_LIST_MARKED_HPP

/// \file
/// Lists of marked items, from the scan of the marks.

#include "core/parallel.hpp"

namespace tessera {

namespace detail {
template <class Space> struct ListMarked {
  struct Item {
    index_t listed;
    std::int64_t position; // in the list; -1: not marked
  };
  Array<const index_t*, Space> offsets;
  Array<const index_t*, Space> items; // empty: the items' numbers
  Array<index_t*, Space> list;
  KOKKOS_FUNCTION Item read(std::int64_t i) const {
    const index_t position = offsets(i);
    return {items.extent(0) > 0 ? items(i) : static_cast<index_t>(i), offsets(i + 1) > position ? position : -1};
  }
  KOKKOS_FUNCTION void operator()(std::int64_t, const Item& item) const {
    if (item.position >= 0)
      list(item.position) = item.listed;
  }
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { (*this)(i, read(i)); }
};
} // namespace detail

/// Writes those of `n` items that are marked to `list`, in order: offsets(i) is the number of marked items before item
/// i, from counts_to_offsets() of marks 0 and 1. Without `items` the items' numbers 0, 1, ... are written.
template <class ExecutionSpace>
void list_marked(const ExecutionSpace& exec, const Array<const index_t*, ExecutionSpace>& offsets,
                 const Array<const index_t*, ExecutionSpace>& items, index_t n,
                 const Array<index_t*, ExecutionSpace>& list) {
  stream("tessera::list_marked", exec, n,
         detail::ListMarked<typename ExecutionSpace::memory_space>{offsets, items, list});
}

/// Array version: lists the `n_marked` marked items of `n`, ascending.
template <class ExecutionSpace>
Array<index_t*, ExecutionSpace> list_marked(const ExecutionSpace& exec, const char* label,
                                            const Array<const index_t*, ExecutionSpace>& offsets, index_t n,
                                            std::int64_t n_marked) {
  const auto list = make_array<Array<index_t*, ExecutionSpace>>(exec, label, n_marked);
  list_marked<ExecutionSpace>(exec, offsets, {}, n, list);
  return list;
}

} // namespace tessera

#endif
