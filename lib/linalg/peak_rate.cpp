// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "linalg/peak_rate.hpp"

#include "core/error.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace tessera::linalg {

namespace {

constexpr int n_chains = 64; ///< independent chains, so that no unit waits for a previous result
constexpr int chain_length = 512;

struct MultiplyAdds {
  double* sums;
  double factor;

  KOKKOS_FUNCTION void operator()(index_t i) const {
    double x[n_chains];
    for (int chain = 0; chain < n_chains; ++chain)
      x[chain] = i + chain;
    for (int k = 0; k < chain_length; ++k) {
      TESSERA_UNROLL
      for (int chain = 0; chain < n_chains; ++chain)
        x[chain] = ::fma(x[chain], factor, 1.);
    }
    double sum = 0.;
    for (int chain = 0; chain < n_chains; ++chain)
      sum += x[chain];
    sums[i] = sum;
  }
};

} // namespace

template <class ExecutionSpace> double peak_rate(const ExecutionSpace& exec, int n_runs) {
  TESSERA_REQUIRE(n_runs >= 1, "The peak rate needs at least one run.");
  const index_t n = is_host_space<ExecutionSpace> ? 1 << 12 : 1 << 20;
  const auto sums = make_array<Array<double*, ExecutionSpace>>(exec, "linalg::peak_rate", n);
  double best = INFINITY;
  for (int run = 0; run <= n_runs; ++run) {
    exec.fence();
    const auto start = std::chrono::steady_clock::now();
    for_each("tessera::linalg::peak_rate", exec, n, MultiplyAdds{sums.data(), 0.5});
    exec.fence();
    if (run > 0)
      best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  return 2. * n * n_chains * chain_length / best;
}

#define TESSERA_INSTANTIATE(Space) template double peak_rate(const Space&, int);
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE

} // namespace tessera::linalg
