// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_PHYSICS_ESTIMATES_MARK_LARGEST_HPP
#define TESSERA_PHYSICS_ESTIMATES_MARK_LARGEST_HPP

/// \file
/// Selection of elements to refine.

#include "core/parallel.hpp"

namespace tessera::physics {

/// Marks (by 1, others 0) the elements with the largest squared errors, which together have at least `share` of their
/// sum, 0 < share <= 1 (W. Dörfler, SIAM J. Numer. Anal. 33, 1996), and few more: the threshold is found by dividing
/// the range of values until it is known to 1 %. Elements without error are not marked. The bits are the same on every
/// backend.
template <class ExecutionSpace>
Array<std::uint8_t*, typename ExecutionSpace::memory_space>
mark_largest(const ExecutionSpace& exec, const Array<const double*, ExecutionSpace>& squares, double share);

} // namespace tessera::physics

#endif
