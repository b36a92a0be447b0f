// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_CORE_ALGORITHMS_QUEUED_SCANS_HPP
#define TESSERA_CORE_ALGORITHMS_QUEUED_SCANS_HPP

/// \file
/// Converts counts to offsets without a wait per array.

#include "core/assert.hpp"
#include "core/kokkos_ext/device/vendor_queued_scan.hpp"
#include "core/transfer/read_first.hpp"

#include <array>
#include <string>

namespace tessera {

namespace detail {
/// Like ExclusiveScanFunctor (scan.hpp), but the total stays in the space's memory.
template <class Offsets> struct QueuedScanFunctor {
  Offsets offsets;
  std::int64_t n;
  std::int64_t* total;
  KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t& sum, bool final_pass) const {
    const std::int64_t count = i < n ? static_cast<std::int64_t>(offsets(i)) : 0;
    if (final_pass) {
      offsets(i) = static_cast<typename Offsets::non_const_value_type>(sum);
      if (i == n)
        *total = sum;
    }
    sum += count;
  }
};
} // namespace detail

/// Scans of N arrays of counts whose totals are brought to the host by one read. Once the totals have been read, the
/// object is no longer needed.
template <int N, class ExecutionSpace> class QueuedScans {
public:
  /// Allocates n + 1 offsets for one of the arrays. The totals are stored after the offsets, which saves an array.
  QueuedScans(const ExecutionSpace& exec, const std::string& label, std::int64_t n) {
    constexpr auto per_total = static_cast<std::int64_t>(sizeof(std::int64_t) / sizeof(offset_t));
    const std::int64_t first_total = (n + per_total) / per_total * per_total; // aligned
    const auto all = make_array<Array<offset_t*, ExecutionSpace>>(exec, label, first_total + N * per_total);
    offsets_ = Kokkos::subview(all, std::make_pair(std::int64_t(0), n + 1));
    totals_ = Array<std::int64_t*, ExecutionSpace>(reinterpret_cast<std::int64_t*>(all.data() + first_total), N);
  }

  const Array<offset_t*, ExecutionSpace>& offsets() const { return offsets_; }

  /// Replaces counts[0..n) by their exclusive prefix sum and writes the total to counts[n], as counts_to_offsets(), but
  /// does not check that it fits.
  template <class Offsets> void add(const ExecutionSpace& exec, const Offsets& counts, std::int64_t n) {
    static_assert(detail::check_array<ExecutionSpace, Offsets, true>());
    TESSERA_ASSERT(n_ < N);
    std::int64_t* const total = totals_.data() + n_;
    if (!detail::queue_vendor_scan(exec, counts.data(), n, total, scratch_[n_]))
      Kokkos::parallel_scan("tessera::core::queued_scan",
                            Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<std::int64_t>>(exec, 0, n + 1),
                            detail::QueuedScanFunctor<Offsets>{counts, n, total});
    ++n_;
  }

  /// A further total, 0 at first, to which kernels add themselves.
  std::int64_t* counter(const ExecutionSpace& exec) {
    TESSERA_ASSERT(n_ < N);
    const Array<std::int64_t*, ExecutionSpace> total(totals_.data() + n_++, 1);
    fill(exec, total, 0);
    return total.data();
  }

  /// Reuses the memory for further scans; call after totals().
  void restart() { n_ = 0; }

  /// The totals in the order of add() and counter(). Waits.
  std::array<std::int64_t, N> totals(const ExecutionSpace& exec) const { return read_first<N>(exec, totals_); }

private:
  Array<offset_t*, ExecutionSpace> offsets_;
  Array<std::int64_t*, ExecutionSpace> totals_; // after the offsets
  std::array<Array<char*, ExecutionSpace>, N> scratch_;
  int n_ = 0;
};

} // namespace tessera

#endif
