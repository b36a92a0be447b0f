// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_CORE_KOKKOS_EXT_DEVICE_FREE_MEMORY_HPP
#define TESSERA_CORE_KOKKOS_EXT_DEVICE_FREE_MEMORY_HPP

#include "core/kokkos_ext/spaces.hpp"

namespace tessera {

/// Bytes still available in the memory of an execution space: the free memory of the device, or that of the host within
/// its limits (core/available_memory.hpp). Negative if unknown.
template <class ExecutionSpace> double free_memory(const ExecutionSpace& exec);

/// Pre-allocates `bytes` of the device's memory pool in one piece, if Kokkos allocates from the driver's pool: grown
/// array by array, the pool is fragmented and mapped again for every larger array, which takes about as long as the
/// kernels that work on it (docs/notebook/gpu-solver.md). Does nothing on other spaces or if memory is short. Waits.
template <class ExecutionSpace> void reserve_memory(const ExecutionSpace& exec, double bytes);

} // namespace tessera

#endif
