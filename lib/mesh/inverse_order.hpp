// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_MESH_INVERSE_ORDER_HPP
#define TESSERA_MESH_INVERSE_ORDER_HPP

#include "core/parallel.hpp"

namespace tessera::mesh {

namespace detail {
template <class Space> struct InvertOrder {
  Array<const index_t*, Space> numbers;
  Array<index_t*, Space> positions;
  KOKKOS_FUNCTION void operator()(index_t i) const { positions(numbers(i)) = i; }
};
} // namespace detail

/// Position of each of `n` numbers in a list without duplicates, [n]; -1: not in the list.
template <class ExecutionSpace>
Array<index_t*, ExecutionSpace> inverse_of(const ExecutionSpace& exec,
                                           const Array<const index_t*, ExecutionSpace>& numbers, index_t n) {
  const auto positions = make_filled<Array<index_t*, ExecutionSpace>>(exec, "mesh::inverse_order", n, -1);
  for_each("tessera::mesh::invert_order", exec, static_cast<std::int64_t>(numbers.extent(0)),
           detail::InvertOrder<typename ExecutionSpace::memory_space>{numbers, positions});
  return positions;
}

} // namespace tessera::mesh

#endif
