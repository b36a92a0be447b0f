// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_CORE_TYPES_HPP
#define TESSERA_CORE_TYPES_HPP

/// \file
/// Scalar, index and view types: chosen once, here.

#include "core/config.hpp"
#include "core/kokkos_ext/memory_traits.hpp"

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace tessera {

/// Number of a node, an element, an unknown or a matrix column.
using index_t = std::int32_t;

/// Position in an array that holds several entries per element or row (matrix entries, element-node slots). 32 bits
/// halve the traffic of row pointers; `checked_offset` refuses counts that do not fit, and the build option
/// Tessera_ENABLE_64BIT_OFFSETS lifts the limit.
#if TESSERA_64BIT_OFFSETS
using offset_t = std::int64_t;
#else
using offset_t = std::int32_t;
#endif

/// Number of a physical group (material region or boundary) of the mesh.
using group_t = std::uint16_t;

/// Array of one or more dimensions; the last index is contiguous on every backend, so that host and device copies have
/// the same bytes and transfers never convert.
template <class DataType, class Space>
using Array = Kokkos::View<DataType, Kokkos::LayoutRight, typename Space::memory_space>;

/// Read-only array (`DataType` is const: `ConstArray<const double*, Space>`), loaded through the read-only cache where
/// a GPU has one.
template <class DataType, class Space>
using ConstArray =
    Kokkos::View<DataType, Kokkos::LayoutRight, typename Space::memory_space, Kokkos::MemoryTraits<const_array_traits>>;

using HostMemory = Kokkos::HostSpace;

} // namespace tessera

#endif
