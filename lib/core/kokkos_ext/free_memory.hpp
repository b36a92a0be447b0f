// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_CORE_KOKKOS_EXT_FREE_MEMORY_HPP
#define TESSERA_CORE_KOKKOS_EXT_FREE_MEMORY_HPP

#include "core/kokkos_ext/spaces.hpp"

namespace tessera {

/// Bytes still available in the memory of an execution space: the device's free memory, or what the host's system and
/// its limits leave (core/available_memory.hpp). Negative where it cannot be told.
template <class ExecutionSpace> double free_memory(const ExecutionSpace& exec);

/// Has a device's driver prepare `bytes` of memory for the arrays to come, in one piece, where Kokkos takes them from
/// the driver's pool: left to grow by single arrays, the pool lies in pieces and is mapped anew whenever a larger one
/// is asked for, which takes a millisecond or two per gigabyte (H200), as long as the kernels that work on it.
/// Elsewhere, and where there is not that much, nothing happens. Waits.
template <class ExecutionSpace> void reserve_memory(const ExecutionSpace& exec, double bytes);

} // namespace tessera

#endif
