// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_CORE_KOKKOS_EXT_MATH_HPP
#define TESSERA_CORE_KOKKOS_EXT_MATH_HPP

/// \file
/// Mathematical functions for host and device code, wherever this Kokkos keeps them.

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

using kokkos_math::acos;
using kokkos_math::asin;
using kokkos_math::atan;
using kokkos_math::atan2;
using kokkos_math::ceil;
using kokkos_math::cos;
using kokkos_math::cosh;
using kokkos_math::exp;
using kokkos_math::fabs;
using kokkos_math::floor;
using kokkos_math::hypot;
using kokkos_math::log;
using kokkos_math::log10;
using kokkos_math::pow;
using kokkos_math::sin;
using kokkos_math::sinh;
using kokkos_math::sqrt;
using kokkos_math::tan;
using kokkos_math::tanh;

} // namespace tessera::math

#endif
