// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "physics/estimates/mark_largest.hpp"

#include "core/error.hpp"
#include "linalg/global_sums.hpp"

#include <cmath>

namespace tessera::physics {

namespace {

constexpr int n_thresholds = 8; // per pass

/// Sums of the values that are at least as large as each threshold.
template <class Space> struct SumAbove {
  Array<const double*, Space> squares;
  double threshold[n_thresholds];
  KOKKOS_FUNCTION void operator()(std::int64_t i, double (&term)[n_thresholds]) const {
    const double value = squares(i);
    for (int k = 0; k < n_thresholds; ++k)
      term[k] = value >= threshold[k] ? value : 0.;
  }
};

template <class Space> struct LargestEntry {
  Array<const double*, Space> squares;
  KOKKOS_FUNCTION void operator()(std::int64_t i, double& largest) const {
    largest = squares(i) > largest ? squares(i) : largest;
  }
};

template <class Space> struct MarkAbove {
  Array<const double*, Space> squares;
  double threshold;
  Array<std::uint8_t*, Space> marked;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    marked(i) = squares(i) >= threshold && squares(i) > 0. ? 1 : 0;
  }
};

} // namespace

template <class ExecutionSpace>
Array<std::uint8_t*, typename ExecutionSpace::memory_space>
mark_largest(const ExecutionSpace& exec, const Array<const double*, ExecutionSpace>& squares, double share) {
  using Space = typename ExecutionSpace::memory_space;
  TESSERA_REQUIRE(share > 0. && share <= 1., "mark_largest: the share must be positive and at most 1.");
  const auto n = static_cast<std::int64_t>(squares.extent(0));
  double largest = 0.;
  Kokkos::parallel_reduce("tessera::physics::largest_error",
                          Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<std::int64_t>>(exec, 0, n),
                          LargestEntry<Space>{squares}, Kokkos::Max<double>(largest));
  exec.fence();
  const ReduceWorkspace<ExecutionSpace> workspace(exec, n, n_thresholds);
  const auto sums = make_array<Array<double*, Space>>(exec, "physics::sums_above", n_thresholds);
  const auto sums_above = [&](const double(&threshold)[n_thresholds]) {
    SumAbove<Space> sum{squares, {}};
    for (int k = 0; k < n_thresholds; ++k)
      sum.threshold[k] = threshold[k];
    linalg::global_sums<n_thresholds>("tessera::physics::sums_above", exec, n, sum, workspace, sums.data(),
                                      linalg::GlobalSums<ExecutionSpace>::local());
    return to_host(exec, sums);
  };
  // The sum above `high` is too small; each pass reduces the ratio of high to low to its eighth root.
  constexpr double smallest_ratio = 1e-16; // smaller values are negligible
  double high = 2. * largest;
  double low = smallest_ratio * largest;
  const double none[n_thresholds] = {};
  const double wanted = share * sums_above(none)(0);
  while (largest > 0. && high > 1.01 * low) {
    double threshold[n_thresholds];
    for (int k = 0; k < n_thresholds; ++k) // descending to low
      threshold[k] = k + 1 == n_thresholds ? low : high * std::pow(low / high, (k + 1.) / n_thresholds);
    const auto above = sums_above(threshold);
    int k = 0;
    while (k + 1 < n_thresholds && above(k) < wanted)
      ++k;
    high = k > 0 ? threshold[k - 1] : high;
    low = threshold[k];
  }
  const auto marked = make_array<Array<std::uint8_t*, Space>>(exec, "physics::marked", n);
  for_each("tessera::physics::mark_above", exec, n, MarkAbove<Space>{squares, low, marked});
  return marked;
}

#define TESSERA_INSTANTIATE(SPACE)                                                                                     \
  template Array<std::uint8_t*, SPACE::memory_space> mark_largest<SPACE>(const SPACE&,                                 \
                                                                         const Array<const double*, SPACE>&, double);
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)

} // namespace tessera::physics
