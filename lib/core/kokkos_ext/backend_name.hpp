// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_CORE_KOKKOS_EXT_BACKEND_NAME_HPP
#define TESSERA_CORE_KOKKOS_EXT_BACKEND_NAME_HPP

/// \file
/// Name of the backend that an instance uses; without Kokkos.

#include <string>

namespace tessera {

/// Name in the input file of the one-thread backend, which every build has.
constexpr const char* serial_backend = "serial";

/// Name of the backend that runs on an instance: that of its space, or `serial` within on_one_thread()
/// (core/kokkos_ext/host/one_thread.hpp).
template <class ExecutionSpace> std::string backend_name(const ExecutionSpace& exec);

} // namespace tessera

#endif
