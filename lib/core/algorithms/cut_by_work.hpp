// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_CORE_ALGORITHMS_CUT_BY_WORK_HPP
#define TESSERA_CORE_ALGORITHMS_CUT_BY_WORK_HPP

#include "core/types.hpp"

#include <cstdint>
#include <vector>

namespace tessera {

/// Cuts the items [0, n), in their order, into parts of about equal work with at least one item each (n >= n_parts).
/// `work_before` [n + 1] is the exclusive prefix sum of the items' work. Returns the first item of each part and n,
/// [n_parts + 1].
template <class ExecutionSpace>
std::vector<std::int64_t> cut_by_work(const ExecutionSpace& exec,
                                      const Array<std::int64_t*, ExecutionSpace>& work_before, int n_parts);

} // namespace tessera

#endif
