// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_CORE_ASSERT_HPP
#define TESSERA_CORE_ASSERT_HPP

#include <Kokkos_Core.hpp>

/// Checks the program's own logic: in debug builds only, on host and device.
#define TESSERA_ASSERT(condition) KOKKOS_ASSERT(condition)

#endif
