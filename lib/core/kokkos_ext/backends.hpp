// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_CORE_KOKKOS_EXT_BACKENDS_HPP
#define TESSERA_CORE_KOKKOS_EXT_BACKENDS_HPP

/// \file
/// Backends of this build, as text; without Kokkos.

#include <string>
#include <vector>

namespace tessera {

/// Names of the backends of this build in the input file.
std::vector<std::string> backend_names();

/// Name of a backend in the input file; specialised where the spaces are defined (core/kokkos_ext/spaces.hpp).
template <class ExecutionSpace> struct BackendName;

/// Version of Kokkos as text ("4.5.1").
std::string kokkos_version();

} // namespace tessera

#endif
