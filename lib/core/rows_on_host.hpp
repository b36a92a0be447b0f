// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_CORE_ROWS_ON_HOST_HPP
#define TESSERA_CORE_ROWS_ON_HOST_HPP

#include "core/gather_rows.hpp"
#include "core/upload.hpp"

#include <vector>

namespace tessera {

/// The rows of the given items of an array, in the host's memory: those alone are copied. Waits.
template <class ExecutionSpace, class ArrayType>
auto rows_on_host(const ExecutionSpace& exec, const ArrayType& all, const std::vector<index_t>& items) {
  const Array<const index_t*, ExecutionSpace> listed = uploaded(exec, "listed_items", items);
  return to_host(exec, gather_rows(exec, all, listed)); // waits: the list may go
}

} // namespace tessera

#endif
