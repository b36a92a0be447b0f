// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_PHYSICS_MARK_LARGEST_HPP
#define TESSERA_PHYSICS_MARK_LARGEST_HPP

/// \file
/// The choice of elements to refine.

#include "core/parallel.hpp"

namespace tessera::physics {

/// Marks the elements (1, others 0) with the largest squared errors, which together have at least `share` of their sum,
/// 0 < share <= 1 (W. Dörfler, SIAM J. Numer. Anal. 33, 1996), and few more: the smallest marked one is found by
/// halving the range of values until it is known to 1 %. Elements without an error are not marked. The same bits on
/// every backend.
template <class ExecutionSpace>
Array<std::uint8_t*, typename ExecutionSpace::memory_space>
mark_largest(const ExecutionSpace& exec, const Array<const double*, ExecutionSpace>& squares, double share);

} // namespace tessera::physics

#endif
