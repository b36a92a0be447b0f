// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_CORE_KOKKOS_EXT_COMPILER_HPP
#define TESSERA_CORE_KOKKOS_EXT_COMPILER_HPP

/// \file
/// Compiler-specific attributes and pragmas.

#include <Kokkos_Macros.hpp>

/// Placed before a host loop with independent iterations: lets the compiler vectorise it without proving that its
/// arrays do not overlap.
#if defined(__clang__)
#define TESSERA_INDEPENDENT_ITERATIONS _Pragma("clang loop vectorize(assume_safety)")
#elif defined(__GNUC__) && !defined(__NVCC__)
#define TESSERA_INDEPENDENT_ITERATIONS _Pragma("GCC ivdep")
#else
#define TESSERA_INDEPENDENT_ITERATIONS
#endif

/// Placed before a loop of constant length in a kernel whose arrays should stay in registers.
#if defined(__CUDA_ARCH__) || defined(__clang__)
#define TESSERA_UNROLL _Pragma("unroll")
#else
#define TESSERA_UNROLL
#endif

/// For large device functions that many kernels call: compiled once per file instead of into every kernel.
#if defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP)
#define TESSERA_NOINLINE __noinline__
#elif defined(__GNUC__)
#define TESSERA_NOINLINE __attribute__((noinline))
#else
#define TESSERA_NOINLINE
#endif

#endif
