// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_CORE_KOKKOS_EXT_DEVICE_PEER_MEMORY_HPP
#define TESSERA_CORE_KOKKOS_EXT_DEVICE_PEER_MEMORY_HPP

/// \file
/// Device memory that kernels of other processes on the same machine, each with its own device, read and write.

#include "core/kokkos_ext/spaces.hpp"

#include <array>
#include <cstdint>

namespace tessera {

/// True for spaces whose vendor has such memory.
template <class ExecutionSpace> constexpr bool has_peer_memory = has_lanes<ExecutionSpace>;

/// `MACRO(Space)` for these spaces.
#if defined(TESSERA_CUDA_FORMS)
#define TESSERA_FOR_EACH_PEER_SPACE(MACRO) TESSERA_IF_CUDA(MACRO)
#elif defined(TESSERA_HIP_FORMS)
#define TESSERA_FOR_EACH_PEER_SPACE(MACRO) TESSERA_IF_HIP(MACRO)
#else
#define TESSERA_FOR_EACH_PEER_SPACE(MACRO)
#endif

/// The bytes that another process needs to open the memory.
using PeerHandle = std::array<char, 64>;

/// Memory of this process's device, initially zero. Throws an error of kind resource if it cannot be allocated. Not
/// copyable.
template <class ExecutionSpace> class PeerMemory {
public:
  explicit PeerMemory(std::size_t size);
  ~PeerMemory();
  PeerMemory(const PeerMemory&) = delete;
  PeerMemory& operator=(const PeerMemory&) = delete;

  char* data() const { return data_; }
  PeerHandle handle() const;

private:
  char* data_ = nullptr;
};

/// The memory of another process. Not copyable; must be closed before the other process frees it.
template <class ExecutionSpace> class OpenedPeerMemory {
public:
  /// data() is null if the devices cannot access each other.
  explicit OpenedPeerMemory(const PeerHandle& handle);
  ~OpenedPeerMemory();
  OpenedPeerMemory(const OpenedPeerMemory&) = delete;
  OpenedPeerMemory& operator=(const OpenedPeerMemory&) = delete;

  char* data() const { return data_; }

private:
  char* data_ = nullptr;
};

/// In a kernel: makes what this thread has written or seen visible, also on other devices, to any thread that sees what
/// it writes afterwards.
KOKKOS_INLINE_FUNCTION void fence_for_peers() {
#if defined(TESSERA_IN_CUDA_KERNEL) || defined(TESSERA_IN_HIP_KERNEL)
  __threadfence_system();
#endif
}

/// Sets a flag in the memory of any device, after fence_for_peers().
KOKKOS_INLINE_FUNCTION void set_flag(std::int64_t* flag, std::int64_t value) {
  *static_cast<volatile std::int64_t*>(flag) = value;
}

/// Waits in a kernel until a flag of this device's memory is at least `value`, polling at most `n_polls` times (0:
/// forever); returns false on time-out. On success everything that the writer wrote before the flag is visible.
KOKKOS_INLINE_FUNCTION bool wait_for_flag(const std::int64_t* flag, std::int64_t value, std::int64_t n_polls = 0) {
  const volatile std::int64_t* watched = flag;
  for (std::int64_t poll = 1; *watched < value; ++poll)
    if (poll == n_polls)
      return false;
  fence_for_peers();
  return true;
}

} // namespace tessera

#endif
