// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "solvers/multigrid/coarse_coupling.hpp"

#include "core/kokkos_ext/lanes.hpp"
#include "linalg/pattern/lane_accumulator.hpp"

#include <utility>

namespace tessera::solvers {

namespace {

constexpr int n_steps = 4;
constexpr double coarse = -1.; ///< represents a probability that stays 0

/// Probability 1 of not having left, except at unknowns of the coarser mesh.
template <class Space> struct BeginWalk {
  linalg::CrsMatrix<Space> prolongation;
  Array<double*, Space> remaining;
  KOKKOS_FUNCTION void operator()(index_t i) const {
    const offset_t first = prolongation.offsets(i);
    const bool is_coarse = prolongation.offsets(i + 1) == first + 1 && prolongation.values(first) == 1.;
    remaining(i) = is_coarse ? coarse : 1.;
  }
};

/// The probability after one more step: the mean of the neighbours' probabilities weighted by the couplings; the excess
/// of the diagonal over their sum leaves as well, to where the solution is fixed. `Lanes` threads of a device share a
/// row, and add its entries in order.
template <int Lanes, class Space> struct WalkStep {
  linalg::CrsMatrix<Space> a;
  Array<const double*, Space> diagonal;
  Array<const double*, Space> remaining;
  Array<double*, Space> after;
  KOKKOS_FUNCTION void operator()(std::int64_t item, int lane, bool exists) const {
    if (!exists)
      return;
    const auto i = static_cast<index_t>(item);
    const offset_t end = a.offsets(i + 1);
    double all = 0.;
    double stays = 0.;
    for (offset_t first = a.offsets(i); first < end; first += Lanes) {
      const bool counts = first + lane < end && a.columns(first + lane) != i;
      const double value = counts ? a.values(first + lane) : 0.;
      const double of_neighbour = counts ? remaining(a.columns(first + lane)) : 0.;
      const double coupling = value < 0. ? -value : value;
      const double part = of_neighbour > 0. ? coupling * of_neighbour : 0.;
      const int n = end - first < Lanes ? static_cast<int>(end - first) : Lanes;
      for (int e = 0; e < n; ++e) {
        all += from_lane<Lanes>(coupling, e);
        stays += from_lane<Lanes>(part, e);
      }
    }
    all = all > diagonal(i) ? all : diagonal(i);
    if (lane == 0)
      after(i) = remaining(i) < 0. ? coarse : stays / all;
  }
};

template <class Space> struct CountLoose {
  Array<const double*, Space> remaining;
  double loose;
  KOKKOS_FUNCTION void operator()(index_t i, std::int64_t& count) const { count += remaining(i) > loose ? 1 : 0; }
};

} // namespace

template <class ExecutionSpace>
double loosely_coupled_share(const ExecutionSpace& exec, const comm::ProcessGroup<ExecutionSpace>& group,
                             const linalg::CrsMatrix<typename ExecutionSpace::memory_space>& a,
                             const comm::Layout<ExecutionSpace>& columns,
                             const linalg::ConstVector<ExecutionSpace>& diagonal,
                             const linalg::CrsMatrix<typename ExecutionSpace::memory_space>& prolongation,
                             std::int64_t n_unknowns, std::int64_t n_coarse) {
  using Space = typename ExecutionSpace::memory_space;
  const index_t n = a.n_rows();
  auto remaining = make_array<Array<double*, Space>>(exec, "solvers::remaining_walks", columns.size());
  auto after = make_array<Array<double*, Space>>(exec, "solvers::walks_after_step", columns.size());
  for_each("tessera::solvers::begin_walk", exec, n, BeginWalk<Space>{prolongation, remaining});
  linalg::by_length_of_rows(a, [&](auto lanes) {
    for (int step = 0; step < n_steps; ++step) {
      columns.update(exec, remaining);
      for_each_lane<lanes>("tessera::solvers::walk_step", exec, n,
                           WalkStep<lanes, Space>{a, diagonal, remaining, after});
      std::swap(remaining, after);
    }
  });
  std::int64_t count = 0;
  Kokkos::parallel_reduce("tessera::solvers::count_loosely_coupled",
                          Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<index_t>>(exec, 0, n),
                          CountLoose<Space>{remaining, n_unknowns > 6 * n_coarse ? 0.965 : 0.87}, count); // waits
  return group.world->added(static_cast<double>(count)) / static_cast<double>(n_unknowns);
}

#define TESSERA_INSTANTIATE(Space)                                                                                     \
  template double loosely_coupled_share(const Space&, const comm::ProcessGroup<Space>&,                                \
                                        const linalg::CrsMatrix<Space::memory_space>&, const comm::Layout<Space>&,     \
                                        const linalg::ConstVector<Space>&,                                             \
                                        const linalg::CrsMatrix<Space::memory_space>&, std::int64_t, std::int64_t);
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE

} // namespace tessera::solvers
