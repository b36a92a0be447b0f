// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_CORE_MEMORY_HPP
#define TESSERA_CORE_MEMORY_HPP

/// \file
/// Counts the memory that Kokkos allocates, by its allocation callbacks.

#include <atomic>
#include <cstddef>

namespace tessera {

/// Bytes held by Kokkos views, all memory spaces together. The counters are process-wide, as the callbacks are.
class MemoryLedger {
public:
  /// Registers the callbacks (which also request huge pages for large host arrays) while Kokkos is initialised; does
  /// nothing if they are registered already. An external Kokkos tool keeps working: its callbacks are called first.
  /// Before this call all counts are 0. Programs call it through own_process(); the library does not.
  static void start();

  static std::size_t current_bytes();
  /// Largest value since the first call of start().
  static std::size_t overall_peak_bytes();
};

/// Largest number of bytes in the ledger during this object's life. Any number of these objects may exist at once.
class MemoryPeak {
public:
  MemoryPeak();
  ~MemoryPeak();
  MemoryPeak(const MemoryPeak&) = delete;
  MemoryPeak& operator=(const MemoryPeak&) = delete;

  std::size_t bytes() const { return bytes_.load(); }

private:
  std::atomic<std::size_t> bytes_;
};

} // namespace tessera

#endif
