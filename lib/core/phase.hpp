// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_CORE_PHASE_HPP
#define TESSERA_CORE_PHASE_HPP

/// \file
/// The record of a phase of a run (see PhaseLog in core/timer.hpp); without Kokkos.

#include <cstddef>
#include <functional>
#include <string>

namespace tessera {

/// One finished phase.
struct Phase {
  std::string name;
  double seconds;
  std::string where;      ///< backend name, "host" for work outside Kokkos, or "<backend>, host"
  std::size_t peak_bytes; ///< largest sum of allocations during the phase, all memory spaces; 0: not counted
};

/// Called at the start and at the end (`finished`) of each phase.
using PhaseListener = std::function<void(const std::string& name, bool finished, double seconds)>;

} // namespace tessera

#endif
