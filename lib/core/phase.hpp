// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_CORE_PHASE_HPP
#define TESSERA_CORE_PHASE_HPP

/// \file
/// What a phase of a run leaves (see PhaseLog in core/timer.hpp); without Kokkos.

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

/// Is told of the start and the end (`finished`) of each phase.
using PhaseListener = std::function<void(const std::string& name, bool finished, double seconds)>;

} // namespace tessera

#endif
