// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/kokkos_ext/launch.hpp"

#include "core/kokkos_ext/host/concurrency.hpp"

#include <algorithm>

namespace tessera::detail {

namespace {
struct RunPart {
  HostLoop loop;
  std::int64_t n_parts;
  void operator()(std::int64_t part) const {
    loop.call(loop.functor, loop.n * part / n_parts, loop.n * (part + 1) / n_parts);
  }
};
} // namespace

template <class ExecutionSpace>
void run_host_loop(const char* label, const ExecutionSpace& exec, const HostLoop& loop) {
  const std::int64_t n_parts = std::min<std::int64_t>(loop.n, concurrency(exec));
  Kokkos::parallel_for(label, Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<std::int64_t>>(exec, 0, n_parts),
                       RunPart{loop, n_parts});
}

#define TESSERA_INSTANTIATE(Space) template void run_host_loop(const char*, const Space&, const HostLoop&);
TESSERA_IF_SERIAL(TESSERA_INSTANTIATE)
TESSERA_IF_OPENMP(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE

} // namespace tessera::detail
