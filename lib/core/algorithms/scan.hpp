// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_CORE_ALGORITHMS_SCAN_HPP
#define TESSERA_CORE_ALGORITHMS_SCAN_HPP

/// \file
/// Converts counts to offsets.

#include "core/error.hpp"
#include "core/kokkos_ext/device/vendor_scan.hpp"
#include "core/parallel.hpp"

#include <limits>
#include <type_traits>

namespace tessera {

namespace detail {
template <class Out> struct ExclusiveScanFunctor {
  Out offsets;
  std::int64_t n;
  // The scan runs in 64 bits so that an overflow of 32-bit offsets is detected.
  KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t& sum, bool final_pass) const {
    const std::int64_t count = i < n ? static_cast<std::int64_t>(offsets(i)) : 0;
    if (final_pass)
      offsets(i) = static_cast<typename Out::non_const_value_type>(sum);
    sum += count;
  }
};
} // namespace detail

/// Replaces counts[0..n) by their exclusive prefix sum and writes the total to counts[n] (the array has n + 1 entries).
/// Returns the total; throws if it does not fit the array's type (an error of kind resource).
template <class ExecutionSpace, class Offsets>
std::int64_t counts_to_offsets(const ExecutionSpace& exec, const Offsets& counts, std::int64_t n, const char* what) {
  static_assert(detail::check_array<ExecutionSpace, Offsets, true>());
  static_assert(Offsets::rank == 1 && std::is_integral_v<typename Offsets::value_type>,
                "Counts are an array of integers of one dimension.");
  std::int64_t total = 0;
  if (!detail::vendor_exclusive_scan(exec, counts.data(), n, total))
    Kokkos::parallel_scan("tessera::core::counts_to_offsets",
                          Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<std::int64_t>>(exec, 0, n + 1),
                          detail::ExclusiveScanFunctor<Offsets>{counts, n}, total);
  // The limit is that of the array's value type, which need not be this build's offset_t.
  using value_type = typename Offsets::non_const_value_type;
  if constexpr (std::is_same_v<value_type, offset_t>)
    checked_offset(total, what);
  else
    TESSERA_REQUIRE_KIND(total >= 0 && total <= static_cast<std::int64_t>(std::numeric_limits<value_type>::max()),
                         ErrorKind::resource,
                         what << ": a count of " << total << " does not fit " << 8 * sizeof(value_type) << " bits.");
  return total;
}

} // namespace tessera

#endif
