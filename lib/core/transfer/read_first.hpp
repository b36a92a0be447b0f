// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_CORE_TRANSFER_READ_FIRST_HPP
#define TESSERA_CORE_TRANSFER_READ_FIRST_HPP

#include "core/parallel.hpp"

#include <array>

namespace tessera {

/// Reads the first N entries of an array to the host (waits for the instance), without the host array of to_host().
template <int N, class ExecutionSpace, class ArrayType>
std::array<typename ArrayType::non_const_value_type, N> read_first(const ExecutionSpace& exec, const ArrayType& array) {
  std::array<typename ArrayType::non_const_value_type, N> values{};
  const Array<typename ArrayType::non_const_value_type*, HostMemory> host(values.data(), N);
  copy(exec, host, Kokkos::subview(array, std::make_pair(0, N)));
  exec.fence();
  return values;
}

} // namespace tessera

#endif
