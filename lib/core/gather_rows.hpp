// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_CORE_GATHER_ROWS_HPP
#define TESSERA_CORE_GATHER_ROWS_HPP

/// \file
/// Some rows of an array, such as the data of some elements.

#include "core/parallel.hpp"

namespace tessera {

namespace detail {
/// `size` values of each item, which follow one another in memory.
template <class T, class Space> struct CopyRows {
  const T* from;
  T* to;
  std::int64_t size;
  Array<const index_t*, Space> items;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const std::int64_t k = i % size;
    to[i] = from[items(i / size) * size + k];
  }
};
} // namespace detail

/// Copies the rows of the given items from an array with `per_item` rows of each; an empty array stays empty.
template <class ExecutionSpace, class ArrayType>
ArrayType gather_rows(const ExecutionSpace& exec, const ArrayType& all,
                      const Array<const index_t*, ExecutionSpace>& items, int per_item = 1) {
  using T = typename ArrayType::non_const_value_type;
  if (all.extent(0) == 0)
    return all;
  const auto rows = make_array<Array<typename ArrayType::non_const_data_type, ExecutionSpace>>(
      exec, "gathered_rows", items.extent(0) * static_cast<std::size_t>(per_item));
  const std::int64_t size = static_cast<std::int64_t>(all.size() / all.extent(0)) * per_item;
  for_each<std::int64_t>(
      "tessera::gather_rows", exec, size * static_cast<std::int64_t>(items.extent(0)),
      detail::CopyRows<T, typename ExecutionSpace::memory_space>{all.data(), rows.data(), size, items});
  return rows;
}

} // namespace tessera

#endif
