// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_CORE_TRANSFER_ROWS_ON_HOST_HPP
#define TESSERA_CORE_TRANSFER_ROWS_ON_HOST_HPP

#include "core/algorithms/gather_rows.hpp"
#include "core/transfer/upload.hpp"

#include <vector>

namespace tessera {

/// Copies the rows of the given items of an array, and no others, to the host. Waits.
template <class ExecutionSpace, class ArrayType>
auto rows_on_host(const ExecutionSpace& exec, const ArrayType& all, const std::vector<index_t>& items) {
  const Array<const index_t*, ExecutionSpace> listed = uploaded(exec, "listed_items", items);
  return to_host(exec, gather_rows(exec, all, listed)); // waits: the list may be freed
}

} // namespace tessera

#endif
