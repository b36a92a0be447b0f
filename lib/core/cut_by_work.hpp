// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_CORE_CUT_BY_WORK_HPP
#define TESSERA_CORE_CUT_BY_WORK_HPP

#include "core/types.hpp"

#include <cstdint>
#include <vector>

namespace tessera {

/// Cuts the items [0, n), in their order, into parts of about the same work, with an item each at least (n >= n_parts).
/// `work_before`: that of all items before each, and of all, [n + 1]. Returns the first item of each part and n,
/// [n_parts + 1].
template <class ExecutionSpace>
std::vector<std::int64_t> cut_by_work(const ExecutionSpace& exec,
                                      const Array<std::int64_t*, ExecutionSpace>& work_before, int n_parts);

} // namespace tessera

#endif
