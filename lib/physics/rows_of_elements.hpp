// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_PHYSICS_ROWS_OF_ELEMENTS_HPP
#define TESSERA_PHYSICS_ROWS_OF_ELEMENTS_HPP

/// \file
/// The data of some elements, cut from those of all: for forms of a part of a mesh.

#include "core/parallel.hpp"

namespace tessera::physics::detail {

/// `size` values of each element, which follow one another in memory.
template <class T, class Space> struct CopyRows {
  const T* from;
  T* to;
  std::int64_t size;
  Array<const index_t*, Space> elements;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const std::int64_t k = i % size;
    to[i] = from[elements(i / size) * size + k];
  }
};

/// Copies the rows of the given elements from an array with `per_element` rows of each; an empty array stays empty.
template <class ExecutionSpace, class ArrayType>
ArrayType rows_of_elements(const ExecutionSpace& exec, const ArrayType& all,
                           const Array<const index_t*, ExecutionSpace>& elements, int per_element = 1) {
  using T = typename ArrayType::non_const_value_type;
  if (all.extent(0) == 0)
    return all;
  const auto rows = make_array<Array<typename ArrayType::non_const_data_type, ExecutionSpace>>(
      exec, "physics::rows_of_elements", elements.extent(0) * static_cast<std::size_t>(per_element));
  const std::int64_t size = static_cast<std::int64_t>(all.size() / all.extent(0)) * per_element;
  for_each<std::int64_t>("tessera::physics::rows_of_elements", exec,
                         size * static_cast<std::int64_t>(elements.extent(0)),
                         CopyRows<T, typename ExecutionSpace::memory_space>{all.data(), rows.data(), size, elements});
  return rows;
}

/// The vertices of the given elements; of order 1 they are the nodes, whose rows are there.
template <int Order, class ExecutionSpace, class Vertices, class Nodes>
Vertices vertices_of_elements(const ExecutionSpace& exec, const Vertices& all,
                              const Array<const index_t*, ExecutionSpace>& elements, const Nodes& nodes) {
  if constexpr (Order == 1)
    return nodes;
  else
    return rows_of_elements(exec, all, elements);
}

} // namespace tessera::physics::detail

#endif
