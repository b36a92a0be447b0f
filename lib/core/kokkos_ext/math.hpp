// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_CORE_KOKKOS_EXT_MATH_HPP
#define TESSERA_CORE_KOKKOS_EXT_MATH_HPP

/// \file
/// Mathematical functions that IEEE 754 rounds correctly, for host and device code, in the namespace of this version of
/// Kokkos. The others are in core/math.hpp.

#include <Kokkos_Core.hpp>
#if KOKKOS_VERSION < 30700
#include <Kokkos_MathematicalFunctions.hpp>
#endif

namespace tessera::math {

#if KOKKOS_VERSION < 30700
namespace kokkos_math = Kokkos::Experimental;
#else
namespace kokkos_math = Kokkos;
#endif

using kokkos_math::ceil;
using kokkos_math::fabs;
using kokkos_math::floor;
using kokkos_math::sqrt;

} // namespace tessera::math

#endif
