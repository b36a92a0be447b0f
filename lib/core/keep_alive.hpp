// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_CORE_KEEP_ALIVE_HPP
#define TESSERA_CORE_KEEP_ALIVE_HPP

/// \file
/// Lifetime of temporary arrays. Kernels are only queued on their instance, and a kernel does not own the arrays that
/// it reads: the copy of a view on a device holds no reference. An array may nevertheless go out of scope before the
/// kernel has run: Kokkos waits for the device before it frees (4.5, all devices), and memory that allocate_array()
/// takes from a queue's pool is freed in the order of that queue. Memory not allocated by Kokkos, and arrays that
/// another instance uses, need keep_alive(), or a wait for a result (read_entry, to_host, counts_to_offsets) of the
/// last kernel.

namespace tessera {

/// Waits for all work queued on `exec`. `in_use` lists the arrays (or structs of arrays) that the queue reads or writes
/// and the caller is about to free. For set-up code; arrays used in loops belong to an object that outlives them.
template <class ExecutionSpace, class... InUse> void keep_alive(const ExecutionSpace& exec, const InUse&... in_use) {
  static_assert(sizeof...(in_use) > 0, "keep_alive: name the arrays that are about to be freed");
  (static_cast<void>(in_use), ...);
  exec.fence();
}

} // namespace tessera

#endif
