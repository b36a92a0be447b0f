// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "solvers/pcg_team.hpp"

#include "core/kokkos_ext/lanes.hpp"
#include "linalg/crs_rows.hpp"
#include "solvers/pcg_kernels.hpp"

#if defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP)

namespace tessera::solvers::detail {

namespace {

using tessera::detail::NoFinish;
using tessera::detail::reduce_block;
using tessera::detail::reduce_items;
using tessera::detail::reduce_lanes;

constexpr int team_size = 1024;
constexpr int max_blocks = (max_team_unknowns + reduce_block - 1) / reduce_block;
constexpr int n_sums_at_most = 2;

constexpr int max_lanes = 8; // of a row

/// The team's scratch memory.
struct Scratch {
  double* term;    // [n_sums][reduce_block]
  double* lane;    // [team_size]
  double* partial; // [max_blocks][n_sums]
  static constexpr std::size_t bytes =
      sizeof(double) * (n_sums_at_most * reduce_block + team_size + max_blocks * n_sums_at_most) + 64;
  template <class Team> KOKKOS_FUNCTION explicit Scratch(const Team& team) {
    term = static_cast<double*>(team.team_shmem().get_shmem(sizeof(double) * n_sums_at_most * reduce_block));
    lane = static_cast<double*>(team.team_shmem().get_shmem(sizeof(double) * team_size));
    partial = static_cast<double*>(team.team_shmem().get_shmem(sizeof(double) * max_blocks * n_sums_at_most));
  }
};

/// Sum of the first reduce_lanes threads' values by a binary tree; the first thread gets it.
template <class Team> KOKKOS_FUNCTION double sum_of_lanes(const Team& team, double* lane, double value) {
  const int rank = team.team_rank();
  lane[rank] = value;
  for (int width = reduce_lanes / 2; width >= 32; width /= 2) {
    team.team_barrier();
    if (rank < width)
      lane[rank] += lane[rank + width];
  }
  team.team_barrier();
  value = sum_over_lanes<32>(team, lane[rank], lane);
  team.team_barrier();
  return value;
}

/// ordered_sums (core/reduce.hpp) by one team.
template <int N, class Team, class Functor, class Finish>
KOKKOS_FUNCTION void team_sums(const Team& team, const Scratch& scratch, index_t n, const Functor& functor,
                               double* result, const Finish& finish) {
  const Functor body = tessera::detail::loaded(functor);
  const int rank = team.team_rank();
  const int n_blocks = n > 0 ? (n + reduce_block - 1) / reduce_block : 1;
  for (int block = 0; block < n_blocks; ++block) {
    for (int j = rank; j < reduce_block; j += team_size) {
      const index_t i = block * reduce_block + j;
      double term[N];
      for (int s = 0; s < N; ++s)
        term[s] = 0.;
      if (i < n)
        body(i, term);
      for (int s = 0; s < N; ++s)
        scratch.term[s * reduce_block + j] = term[s];
    }
    team.team_barrier();
    for (int s = 0; s < N; ++s) {
      double sum = 0.;
      if (rank < reduce_lanes)
        for (int k = 0; k < reduce_items; ++k)
          sum += scratch.term[s * reduce_block + k * reduce_lanes + rank];
      sum = sum_of_lanes(team, scratch.lane, sum);
      if (rank == 0)
        scratch.partial[block * N + s] = sum;
    }
  }
  team.team_barrier();
  for (int s = 0; s < N; ++s) {
    double sum = scratch.partial[s];
    if (n_blocks > 1)
      sum = sum_of_lanes(team, scratch.lane, rank < n_blocks ? scratch.partial[rank * N + s] : 0.);
    if (rank == 0)
      result[s] = sum;
  }
  if (rank == 0)
    finish();
  team.team_barrier();
}

template <Inverse kind, int Lanes, class ExecutionSpace> struct TeamIterations {
  linalg::RowProduct<Lanes> product; // q = A p
  TeamPcgData data;
  index_t n;
  int begin;
  int end;

  using Policy = Kokkos::TeamPolicy<ExecutionSpace, Kokkos::LaunchBounds<team_size, 1>>;
  using Team = typename Policy::member_type;
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const Scratch scratch(team);
    const PcgScalars<kind> scalars{data.state, data.recent, data.interval};
    const PcgResidual<kind> residual{data.state, data.q, data.scale, data.r};
    for (int k = begin + 1; k <= end; ++k) {
      if (load_shared(&data.state->status) != PcgDeviceStatus::running)
        return;
      team_sums<1>(team, scratch, n, product, &data.state->pq, NoFinish());
      team_sums<PcgResidual<kind>::n_sums>(team, scratch, n, residual, data.state->sums, scalars);
      const PcgStep<kind> step =
          tessera::detail::loaded(PcgStep<kind>{data.state, k, data.r, data.scale, data.p, data.x});
      for (index_t i = team.team_rank(); i < n; i += team_size)
        step(i);
      team.team_barrier();
    }
  }
};

template <Inverse kind, int Lanes, class ExecutionSpace>
void launch(const ExecutionSpace& exec, const linalg::CrsMatrix<typename ExecutionSpace::memory_space>& matrix,
            const TeamPcgData& data, int begin, int end) {
  using Iterations = TeamIterations<kind, Lanes, ExecutionSpace>;
  Kokkos::parallel_for(
      "tessera::solvers::pcg_by_team",
      typename Iterations::Policy(exec, 1, team_size).set_scratch_size(0, Kokkos::PerTeam(Scratch::bytes)),
      Iterations{{linalg::product_of(matrix, data.p, data.q)}, data, matrix.n_rows(), begin, end});
}

template <Inverse kind, class ExecutionSpace>
void launch(const ExecutionSpace& exec, const linalg::CrsMatrix<typename ExecutionSpace::memory_space>& matrix,
            const TeamPcgData& data, int begin, int end) {
  switch (linalg::lanes_per_row(matrix.n_rows(), matrix.n_entries())) {
  case 1:
    return launch<kind, 1>(exec, matrix, data, begin, end);
  case 4:
    return launch<kind, 4>(exec, matrix, data, begin, end);
  default:
    return launch<kind, 8>(exec, matrix, data, begin, end);
  }
}

} // namespace

template <class ExecutionSpace>
bool suits_team(const linalg::CrsMatrix<typename ExecutionSpace::memory_space>& matrix) {
  return matrix.n_rows() <= max_team_unknowns && matrix.n_entries() <= max_team_entries &&
         linalg::lanes_per_row(matrix.n_rows(), matrix.n_entries()) <= max_lanes;
}

template <class ExecutionSpace>
void iterate_by_team(const ExecutionSpace& exec, const linalg::CrsMatrix<typename ExecutionSpace::memory_space>& matrix,
                     const TeamPcgData& data, int begin, int end) {
  if (data.scale == nullptr)
    launch<Inverse::identity>(exec, matrix, data, begin, end);
  else
    launch<Inverse::pointwise>(exec, matrix, data, begin, end);
}

#define TESSERA_INSTANTIATE(Space)                                                                                     \
  template bool suits_team<Space>(const linalg::CrsMatrix<Space::memory_space>&);                                      \
  template void iterate_by_team<Space>(const Space&, const linalg::CrsMatrix<Space::memory_space>&,                    \
                                       const TeamPcgData&, int, int);
TESSERA_FOR_EACH_DEVICE_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE

} // namespace tessera::solvers::detail

#endif
