// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_CORE_KOKKOS_EXT_HOST_CONCURRENCY_HPP
#define TESSERA_CORE_KOKKOS_EXT_HOST_CONCURRENCY_HPP

/// \file
/// Number of threads of an instance.

#include "core/kokkos_ext/spaces.hpp"

namespace tessera {

/// Number of threads of an instance. Kokkos 4 with deprecated code has a static member of this name, which refers to
/// the default instance unless another one is given.
template <class ExecutionSpace> int concurrency(const ExecutionSpace& exec) {
#if defined(KOKKOS_ENABLE_OPENMP) && defined(KOKKOS_ENABLE_DEPRECATED_CODE_4)
  if constexpr (std::is_same_v<ExecutionSpace, OpenMPSpace>)
    return OpenMPSpace::concurrency(exec);
#endif
  return static_cast<int>(exec.concurrency());
}

} // namespace tessera

#endif
