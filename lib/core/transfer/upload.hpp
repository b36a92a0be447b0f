// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_CORE_TRANSFER_UPLOAD_HPP
#define TESSERA_CORE_TRANSFER_UPLOAD_HPP

/// \file
/// Copies host vectors to arrays of a memory space.

#include "core/parallel.hpp"

#include <vector>

namespace tessera {

/// Copies a vector into an array of as many entries (of any rank, row-major); complete on return.
template <class ExecutionSpace, class ArrayType, class T>
void upload(const ExecutionSpace& exec, const ArrayType& array, const std::vector<T>& values) {
  static_assert(detail::check_array<ExecutionSpace, ArrayType, true>());
  static_assert(std::is_same_v<typename ArrayType::value_type, T>,
                "The entries of the array and of the vector that is copied to it are of different types.");
  Kokkos::View<const T*, HostMemory, Kokkos::MemoryTraits<Kokkos::Unmanaged>> host(values.data(), values.size());
  copy(exec, array, host);
  exec.fence(); // the host vector may be freed
}

/// Allocates an array with the entries of a vector; complete on return. `label` without the project's prefix.
template <class ExecutionSpace, class T>
Array<T*, ExecutionSpace> uploaded(const ExecutionSpace& exec, const std::string& label, const std::vector<T>& values) {
  auto array = make_array<Array<T*, ExecutionSpace>>(exec, label, values.size());
  upload(exec, array, values);
  return array;
}

} // namespace tessera

#endif
