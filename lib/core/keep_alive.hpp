// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_CORE_KEEP_ALIVE_HPP
#define TESSERA_CORE_KEEP_ALIVE_HPP

/// \file
/// Lifetime of temporary arrays. Kernels only queue on their instance, and a kernel does not own the arrays that it
/// reads: the copy of a view that goes to a device keeps no reference. An array that goes out of scope is freed at
/// once, and whether freeing waits for the instance depends on the version of Kokkos and on the vendor's allocator.
/// Hence the rule: before you free an array that queued kernels may still use, call keep_alive(), or wait for a result
/// (read_entry, to_host, counts_to_offsets) of the last of these kernels.

namespace tessera {

/// Waits for all work queued on `exec`. `in_use` lists what the queue reads or writes and the caller is about to free:
/// arrays, or structs of arrays. For set-up code; arrays used in loops belong to an object that outlives them.
template <class ExecutionSpace, class... InUse> void keep_alive(const ExecutionSpace& exec, const InUse&... in_use) {
  static_assert(sizeof...(in_use) > 0, "keep_alive: name the arrays that are about to be freed");
  (static_cast<void>(in_use), ...);
  exec.fence();
}

} // namespace tessera

#endif
