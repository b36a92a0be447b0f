// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_CORE_MEMORY_HPP
#define TESSERA_CORE_MEMORY_HPP

/// \file
/// Ledger of the memory that Kokkos allocates, from its own allocation callbacks.

#include <cstddef>

namespace tessera {

/// Bytes held by Kokkos views, all memory spaces together. The counters are process-wide, as the callbacks are.
class MemoryLedger {
public:
  /// Registers the callbacks (which also ask for huge pages under large arrays of the host); call once after Kokkos is
  /// initialised. An external Kokkos tool keeps working: its own
  /// callbacks are called first.
  static void start();

  static std::size_t current_bytes();
  /// Largest value since the start or the last reset_peak().
  static std::size_t peak_bytes();
  /// Largest value since start().
  static std::size_t overall_peak_bytes();
  static void reset_peak();
};

} // namespace tessera

#endif
