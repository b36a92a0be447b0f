// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_CORE_ALGORITHMS_ASCENDING_HPP
#define TESSERA_CORE_ALGORITHMS_ASCENDING_HPP

/// \file
/// The numbers 0, 1, 2, ...

#include "core/parallel.hpp"

namespace tessera {

namespace detail {
template <class Space> struct Ascend {
  Array<index_t*, Space> numbers;
  KOKKOS_FUNCTION void operator()(index_t i) const { numbers(i) = i; }
};
} // namespace detail

/// Makes an array whose entry i is i.
template <class ExecutionSpace>
Array<index_t*, ExecutionSpace> ascending(const ExecutionSpace& exec, const char* label, std::int64_t n) {
  const auto numbers = make_array<Array<index_t*, ExecutionSpace>>(exec, label, n);
  for_each("tessera::ascend", exec, n, detail::Ascend<typename ExecutionSpace::memory_space>{numbers});
  return numbers;
}

} // namespace tessera

#endif
