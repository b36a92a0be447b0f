// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "linalg/vector_kernels.hpp"

#include <algorithm>
#include <cmath>

namespace tessera::linalg {

namespace {
struct LargestMagnitude {
  const double* x;
  KOKKOS_FUNCTION void operator()(std::int64_t i, double& largest) const {
    const double size = x[i] < 0. ? -x[i] : x[i];
    largest = size > largest ? size : largest;
  }
};
} // namespace

template <class ExecutionSpace>
void dot(const ExecutionSpace& exec, const ConstVector<ExecutionSpace>& x, const ConstVector<ExecutionSpace>& y,
         const ReduceWorkspace<ExecutionSpace>& workspace, double* xy, const GlobalSums<ExecutionSpace>& sums) {
  global_sums<1>("tessera::linalg::dot", exec, static_cast<std::int64_t>(x.extent(0)), Products{x.data(), y.data()},
                 workspace, xy, sums);
}

template <class ExecutionSpace>
double unit_of(const ExecutionSpace& exec, const ConstVector<ExecutionSpace>& x,
               const GlobalSums<ExecutionSpace>& sums) {
  const auto n = static_cast<std::int64_t>(x.extent(0));
  double largest = 0.;
  if (n > 0)
    Kokkos::parallel_reduce("tessera::linalg::largest_magnitude",
                            Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<std::int64_t>>(exec, 0, n),
                            LargestMagnitude{x.data()}, Kokkos::Max<double>(largest));
  largest = sums.largest(std::fmax(largest, 0.)); // NaN is ignored
  if (largest == 0. || !std::isfinite(largest))
    return 1.;
  return std::ldexp(1., std::clamp(std::ilogb(largest), -1000, 1000)); // so that its inverse is finite, too
}

#define TESSERA_INSTANTIATE(Space)                                                                                     \
  template void dot(const Space&, const ConstVector<Space>&, const ConstVector<Space>&, const ReduceWorkspace<Space>&, \
                    double*, const GlobalSums<Space>&);                                                                \
  template double unit_of(const Space&, const ConstVector<Space>&, const GlobalSums<Space>&);
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE

} // namespace tessera::linalg
