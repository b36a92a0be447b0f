// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "linalg/copy_bandwidth.hpp"

#include "core/error.hpp"

#include <algorithm>
#include <chrono>
#include <vector>

namespace tessera::linalg {

namespace {
struct Copy {
  const double* x;
  double* y;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { y[i] = x[i]; }
};
} // namespace

template <class ExecutionSpace> double copy_bandwidth(const ExecutionSpace& exec, int n_runs, double total_bytes) {
  TESSERA_REQUIRE(total_bytes >= 16., "The copy bandwidth needs at least 16 bytes to copy.");
  TESSERA_REQUIRE(n_runs >= 1, "The copy bandwidth needs at least one run.");
  const auto n = static_cast<std::int64_t>(total_bytes / 16.);
  // Initialised by the same loop as the copy, so that each thread's pages are in its local memory.
  const auto x = make_filled<Array<double*, ExecutionSpace>>(exec, "linalg::copy_bandwidth", n, 1.);
  const auto y = make_filled<Array<double*, ExecutionSpace>>(exec, "linalg::copy_bandwidth", n, 0.);
  std::vector<double> seconds;
  for (int run = 0; run <= n_runs; ++run) {
    exec.fence();
    const auto start = std::chrono::steady_clock::now();
    stream("tessera::linalg::copy_bandwidth", exec, n, Copy{x.data(), y.data()});
    exec.fence();
    if (run > 0)
      seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  std::nth_element(seconds.begin(), seconds.begin() + n_runs / 2, seconds.end());
  return 16. * static_cast<double>(n) / seconds[static_cast<std::size_t>(n_runs / 2)];
}

#define TESSERA_INSTANTIATE(Space) template double copy_bandwidth(const Space&, int, double);
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE

} // namespace tessera::linalg
