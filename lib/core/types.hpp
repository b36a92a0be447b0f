// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_CORE_TYPES_HPP
#define TESSERA_CORE_TYPES_HPP

/// \file
/// Array types of the whole program, and its index types.

#include "core/index.hpp"

#include <Kokkos_Core.hpp>

namespace tessera {

/// Array of one or more dimensions; the last index is contiguous on every backend, so that host and device copies have
/// the same bytes and transfers never convert. An `Array<const double*, Space>` is read only. It has plain loads: those
/// of Kokkos::RandomAccess, through the read-only cache, made few kernels faster on an H200, by 5 % at most, and many
/// slower (facets of dG by 8 to 17 %, multigrid by 5 %, the product of ebe-atomic by 7 %; docs/porting.md).
template <class DataType, class Space>
using Array = Kokkos::View<DataType, Kokkos::LayoutRight, typename Space::memory_space>;

using HostMemory = Kokkos::HostSpace;

} // namespace tessera

#endif
