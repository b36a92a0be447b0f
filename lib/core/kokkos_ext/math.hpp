// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_CORE_KOKKOS_EXT_MATH_HPP
#define TESSERA_CORE_KOKKOS_EXT_MATH_HPP

/// \file
/// Mathematical functions that IEEE 754 rounds correctly, for host and device code. The others are in core/math.hpp.

#include <Kokkos_Core.hpp>

namespace tessera::math {

using Kokkos::ceil;
using Kokkos::fabs;
using Kokkos::floor;
using Kokkos::sqrt;

} // namespace tessera::math

#endif
