// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_SOLVERS_ROUNDOFF_HPP
#define TESSERA_SOLVERS_ROUNDOFF_HPP

#include "core/types.hpp"

#include <cstdint>
#include <limits>

namespace tessera::solvers::detail {

constexpr double unit_roundoff = 0.5 * std::numeric_limits<double>::epsilon();

/// v = the unit roundoff of each x with a random sign from a hash of the unknown's index.
template <class Space> struct Roundoff {
  Array<const double*, Space> x;
  Array<double*, Space> v;
  std::int64_t first; ///< global index of the first unknown
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    std::uint64_t hash = static_cast<std::uint64_t>(first + i + 1) * 0x9e3779b97f4a7c15ull;
    hash ^= hash >> 32;
    hash *= 0xd6e8feb86659fd93ull;
    const double sign = (hash >> 63) != 0 ? 1. : -1.;
    v(i) = sign * unit_roundoff * x(i);
  }
};

} // namespace tessera::solvers::detail

#endif
