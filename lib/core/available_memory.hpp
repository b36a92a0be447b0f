// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_CORE_AVAILABLE_MEMORY_HPP
#define TESSERA_CORE_AVAILABLE_MEMORY_HPP

/// \file
/// Memory that the host has available for this process.

#include <optional>
#include <string>

namespace tessera {

/// Files in which Linux reports memory and its limits; tests substitute their own.
struct MemorySources {
  std::string meminfo = "/proc/meminfo";
  std::string own_groups = "/proc/self/cgroup"; ///< the process's control groups, "0::/user.slice"
  std::string groups = "/sys/fs/cgroup";        ///< mount point of their file system; version 1: its parent folder
  std::string own_pages = "/proc/self/statm";
  /// Limit of the address space, bytes (`ulimit -v`); unset: the system's limit.
  std::optional<double> address_space;
};

/// Bytes that this process can still allocate: the minimum of the memory that the system reports as available, of what
/// remains in its control groups (versions 1 and 2) and their parents (limit minus use, without file pages, which the
/// kernel drops first), and of what remains of the address-space limit. Negative if nothing is known.
double available_host_memory(const MemorySources& sources = {});

} // namespace tessera

#endif
