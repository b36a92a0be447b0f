// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "linalg/peak_rate.hpp"

#include "core/error.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <type_traits>

namespace tessera::linalg {

namespace {

constexpr int n_chains = 64; ///< independent chains, so that no unit waits for a previous result
constexpr int chain_length = 512;

template <class Number> struct MultiplyAdds {
  Number* sums;
  Number factor;

  KOKKOS_FUNCTION void operator()(index_t i) const {
    Number x[n_chains];
    for (int chain = 0; chain < n_chains; ++chain)
      x[chain] = static_cast<Number>(i + chain);
    for (int k = 0; k < chain_length; ++k) {
      TESSERA_UNROLL
      for (int chain = 0; chain < n_chains; ++chain)
        if constexpr (std::is_same_v<Number, float>)
          x[chain] = ::fmaf(x[chain], factor, 1.f);
        else
          x[chain] = ::fma(x[chain], factor, 1.);
    }
    Number sum = 0;
    for (int chain = 0; chain < n_chains; ++chain)
      sum += x[chain];
    sums[i] = sum;
  }
};

template <class Number, class ExecutionSpace> double peak_of(const ExecutionSpace& exec, int n_runs) {
  const index_t n = is_host_space<ExecutionSpace> ? 1 << 12 : 1 << 20;
  const auto sums = make_array<Array<Number*, ExecutionSpace>>(exec, "linalg::peak_rate", n);
  double best = INFINITY;
  for (int run = 0; run <= n_runs; ++run) {
    exec.fence();
    const auto start = std::chrono::steady_clock::now();
    for_each("tessera::linalg::peak_rate", exec, n, MultiplyAdds<Number>{sums.data(), Number(0.5)});
    exec.fence();
    if (run > 0)
      best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  return 2. * n * n_chains * chain_length / best;
}

} // namespace

template <class ExecutionSpace> double peak_rate(const ExecutionSpace& exec, int n_runs, Precision precision) {
  TESSERA_REQUIRE(n_runs >= 1, "The peak rate needs at least one run.");
  return precision == Precision::single_precision ? peak_of<float>(exec, n_runs) : peak_of<double>(exec, n_runs);
}

#define TESSERA_INSTANTIATE(Space) template double peak_rate(const Space&, int, Precision);
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE

} // namespace tessera::linalg
