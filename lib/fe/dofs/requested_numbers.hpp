// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_FE_DOFS_REQUESTED_NUMBERS_HPP
#define TESSERA_FE_DOFS_REQUESTED_NUMBERS_HPP

/// \file
/// Indices requested by other processes.

#include "core/algorithms/lower_bound.hpp"
#include "core/algorithms/sort.hpp"
#include "core/parallel.hpp"

namespace tessera::fe {

/// Requested non-negative indices in ascending order, in which a kernel finds those that it can answer.
template <class Space> struct RequestedNumbers {
  Array<std::uint32_t*, Space> numbers; ///< ascending; an index may be requested several times
  Array<std::int32_t*, Space> order;    ///< position of each request in the order of arrival

  KOKKOS_FUNCTION index_t size() const { return static_cast<index_t>(numbers.extent(0)); }
  /// Position of the first request of `number`, or its insertion point.
  KOKKOS_FUNCTION index_t position_of(index_t number) const {
    return lower_bound(numbers.data(), index_t(0), size(), static_cast<std::uint32_t>(number));
  }
  KOKKOS_FUNCTION bool is_at(index_t position, index_t number) const {
    return position < size() && numbers(position) == static_cast<std::uint32_t>(number);
  }
};

namespace detail {
template <class Requested, class Space> struct ListRequested {
  Requested requested;
  RequestedNumbers<Space> result;
  KOKKOS_FUNCTION void operator()(index_t k) const {
    result.numbers(k) = static_cast<std::uint32_t>(requested(k));
    result.order(k) = k;
  }
};
} // namespace detail

/// Orders the n requests `requested(k)`.
template <class ExecutionSpace, class Requested>
RequestedNumbers<typename ExecutionSpace::memory_space> order_requested(const ExecutionSpace& exec, std::size_t n,
                                                                        const Requested& requested) {
  using Space = typename ExecutionSpace::memory_space;
  RequestedNumbers<Space> result{make_array<Array<std::uint32_t*, Space>>(exec, "fe::asked_numbers", n),
                                 make_array<Array<std::int32_t*, Space>>(exec, "fe::order_of_asked", n)};
  for_each("tessera::fe::list_requested", exec, static_cast<std::int64_t>(n),
           detail::ListRequested<Requested, Space>{requested, result});
  sort_by_key(exec, result.numbers, result.order, static_cast<std::int64_t>(n), 31);
  return result;
}

} // namespace tessera::fe

#endif
