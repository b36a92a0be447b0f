// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_CORE_AVAILABLE_MEMORY_HPP
#define TESSERA_CORE_AVAILABLE_MEMORY_HPP

/// \file
/// How much memory the host still has for this process.

#include <optional>
#include <string>

namespace tessera {

/// Where Linux tells of memory and its limits; tests give files of their own.
struct MemorySources {
  std::string meminfo = "/proc/meminfo";
  std::string own_groups = "/proc/self/cgroup"; ///< the process's control groups, "0::/user.slice"
  std::string groups = "/sys/fs/cgroup";        ///< where their file system is mounted; version 1: its parent folder
  std::string own_pages = "/proc/self/statm";
  /// Limit of the address space, bytes (`ulimit -v`); unset: what the system says.
  std::optional<double> address_space;
};

/// Bytes that this process can still take: the least of what the system calls available, of what its control groups
/// (versions 1 and 2) and those above them have left (their limit less their use, file pages not counted: the kernel
/// drops these first), and of what the limit of the address space leaves. Negative where nothing is known.
double available_host_memory(const MemorySources& sources = {});

} // namespace tessera

#endif
