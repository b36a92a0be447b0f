// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_CORE_INDEX_HPP
#define TESSERA_CORE_INDEX_HPP

/// \file
/// Index types of the whole program; without Kokkos, like everything in core that input and output use.

#include "core/config.hpp"

#include <cstdint>

namespace tessera {

/// Number of a node, an element, an unknown or a matrix column.
using index_t = std::int32_t;

/// Position in an array that holds several entries per element or row (matrix entries, element-node pairs). 32 bits
/// halve the traffic of row pointers; `checked_offset` refuses counts that do not fit, and the build option
/// Tessera_ENABLE_64BIT_OFFSETS lifts the limit.
#if TESSERA_64BIT_OFFSETS
using offset_t = std::int64_t;
#else
using offset_t = std::int32_t;
#endif

/// Number of a physical group (material region or boundary) of the mesh.
using group_t = std::uint16_t;

} // namespace tessera

#endif
