// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_CORE_LIST_MARKED_HPP
#define TESSERA_CORE_LIST_MARKED_HPP

/// \file
/// Lists of what is marked, from the scan of the marks.

#include "core/parallel.hpp"

namespace tessera {

namespace detail {
template <class Space> struct ListMarked {
  Array<const index_t*, Space> offsets;
  Array<index_t*, Space> list;
  KOKKOS_FUNCTION void operator()(index_t i) const {
    if (offsets(i + 1) > offsets(i))
      list(offsets(i)) = i;
  }
};
} // namespace detail

/// Lists, ascending, the `n_marked` of `n` items that are marked: offsets(i) is the number of those before i, by
/// counts_to_offsets() of marks 0 and 1.
template <class ExecutionSpace>
Array<index_t*, ExecutionSpace> list_marked(const ExecutionSpace& exec, const char* label,
                                            const Array<const index_t*, ExecutionSpace>& offsets, index_t n,
                                            std::int64_t n_marked) {
  const auto list = make_array<Array<index_t*, ExecutionSpace>>(exec, label, n_marked);
  for_each("tessera::list_marked", exec, n, detail::ListMarked<typename ExecutionSpace::memory_space>{offsets, list});
  return list;
}

} // namespace tessera

#endif
