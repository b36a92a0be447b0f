// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_CORE_KOKKOS_EXT_MEMORY_TRAITS_HPP
#define TESSERA_CORE_KOKKOS_EXT_MEMORY_TRAITS_HPP

/// \file
/// How read-only arrays are read.

#include <Kokkos_Core.hpp>

namespace tessera {

/// Through the read-only cache where a GPU has one. An old Kokkos without the LDG intrinsic would take the texture
/// units, which are slower and know no more than 2^28 entries.
#if defined(KOKKOS_ENABLE_CUDA) && !defined(KOKKOS_ENABLE_CUDA_LDG_INTRINSIC) && KOKKOS_VERSION < 40000
constexpr unsigned const_array_traits = 0;
#else
constexpr unsigned const_array_traits = Kokkos::RandomAccess;
#endif

} // namespace tessera

#endif
