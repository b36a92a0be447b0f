// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_CORE_KOKKOS_EXT_FREE_MEMORY_HPP
#define TESSERA_CORE_KOKKOS_EXT_FREE_MEMORY_HPP

#include "core/kokkos_ext/spaces.hpp"

namespace tessera {

/// Bytes that the memory of an execution space still has to give: the device's free memory, or what the host's system
/// calls available. Negative where it cannot be told.
template <class ExecutionSpace> double free_memory(const ExecutionSpace& exec);

} // namespace tessera

#endif
