// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_CORE_KOKKOS_EXT_DEVICE_DEVICE_ARRAY_HPP
#define TESSERA_CORE_KOKKOS_EXT_DEVICE_DEVICE_ARRAY_HPP

/// \file
/// Allocation of arrays. For an array of a CUDA device Kokkos itself waits for all queued work when it allocates the
/// array, copies its header (record and label) to the device, and frees it, and set-ups make hundreds of arrays
/// (docs/notebook/gpu-solver.md, "Memory and waiting"). Here arrays come from the driver's memory pool in the order of
/// the queue and have no header; a view owns its array as usual.

#include "core/kokkos_ext/spaces.hpp"

#include <string>
#include <type_traits>

namespace tessera {

// The views of Kokkos before 4.7, which are not implemented by mdspan, can be given an owner of their memory.
#if defined(TESSERA_CUDA_FORMS) && CUDART_VERSION >= 11020 && KOKKOS_VERSION < 40700 &&                                \
    !defined(KOKKOS_ENABLE_IMPL_CUDA_UNIFIED_MEMORY)
#define TESSERA_QUEUED_ARRAYS
#endif

#if defined(TESSERA_QUEUED_ARRAYS)
namespace detail {
/// Owner of a new array of at least one byte; nullptr on a device without memory pools. Throws an Error of kind
/// resource if there is not enough memory.
Kokkos::Impl::SharedAllocationRecord<void, void>* make_queued_array(const CudaSpace& exec, const std::string& label,
                                                                    std::size_t bytes);
} // namespace detail
#endif

/// An uninitialised array with the extents of `layout`. Work queued on `exec` from now on may use it; it must not be
/// freed while other instances use it (core/keep_alive.hpp).
template <class ArrayType, class ExecutionSpace>
ArrayType allocate_array(const ExecutionSpace& exec, const std::string& label,
                         const typename ArrayType::array_layout& layout) {
#if defined(TESSERA_QUEUED_ARRAYS)
  if constexpr (std::is_same_v<ExecutionSpace, CudaSpace> &&
                std::is_same_v<typename ArrayType::memory_space, Kokkos::CudaSpace>) {
    const std::size_t bytes = ArrayType::required_allocation_size(layout);
    auto* record = bytes > 0 ? detail::make_queued_array(exec, label, bytes) : nullptr;
    if (record != nullptr) {
      Kokkos::Impl::SharedAllocationTracker owner;
      owner.assign_allocated_record_to_uninitialized(record);
      using Pointer = typename ArrayType::pointer_type;
      return ArrayType(owner, ArrayType(static_cast<Pointer>(record->data()), layout).impl_map());
    }
  }
#endif
  if constexpr (Kokkos::SpaceAccessibility<ExecutionSpace, typename ArrayType::memory_space>::accessible)
    return ArrayType(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, label), layout);
  else // a copy from the device to the host
    return ArrayType(Kokkos::view_alloc(Kokkos::WithoutInitializing, label), layout);
}

} // namespace tessera

#endif
