// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_CORE_ALGORITHMS_GATHER_ROWS_HPP
#define TESSERA_CORE_ALGORITHMS_GATHER_ROWS_HPP

/// \file
/// Gathers selected rows of an array, such as the data of selected elements.

#include "core/parallel.hpp"

#include <cstdint>
#include <limits>

namespace tessera {

namespace detail {
/// Copies `size` contiguous values of each item.
template <class Index, class T, class Space> struct CopyRows {
  const T* from;
  T* to;
  Index size;
  Array<const index_t*, Space> items;
  KOKKOS_FUNCTION void operator()(Index i) const {
    const Index row = i / size;
    to[i] = from[static_cast<std::int64_t>(items(row)) * size + (i - row * size)];
  }
};

template <class Index, class ExecutionSpace, class T>
void copy_rows(const ExecutionSpace& exec, const Array<const index_t*, ExecutionSpace>& items, std::int64_t size,
               const T* from, T* to) {
  for_each<Index>("tessera::gather_rows", exec, static_cast<Index>(size * static_cast<std::int64_t>(items.extent(0))),
                  CopyRows<Index, T, typename ExecutionSpace::memory_space>{from, to, static_cast<Index>(size), items});
}
} // namespace detail

/// Copies the rows of the given items from an array with `per_item` rows per item; an empty array stays empty.
template <class ExecutionSpace, class ArrayType>
ArrayType gather_rows(const ExecutionSpace& exec, const ArrayType& all,
                      const Array<const index_t*, ExecutionSpace>& items, int per_item = 1) {
  using T = typename ArrayType::non_const_value_type;
  if (all.extent(0) == 0)
    return all;
  const auto rows = make_array<Array<typename ArrayType::non_const_data_type, ExecutionSpace>>(
      exec, "gathered_rows", items.extent(0) * static_cast<std::size_t>(per_item));
  const std::int64_t size = static_cast<std::int64_t>(all.size() / all.extent(0)) * per_item;
  // A division of 64-bit numbers takes a GPU longer than the copy.
  if (size * static_cast<std::int64_t>(items.extent(0)) <= std::numeric_limits<std::int32_t>::max())
    detail::copy_rows<std::int32_t, ExecutionSpace, T>(exec, items, size, all.data(), rows.data());
  else
    detail::copy_rows<std::int64_t, ExecutionSpace, T>(exec, items, size, all.data(), rows.data());
  return rows;
}

} // namespace tessera

#endif
