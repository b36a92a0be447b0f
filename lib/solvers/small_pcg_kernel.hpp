// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_SOLVERS_SMALL_PCG_KERNEL_HPP
#define TESSERA_SOLVERS_SMALL_PCG_KERNEL_HPP

/// \file
/// Iterations by one team; private to small_pcg.cpp. A template of the team, so that a test can run them on a host.

#include "linalg/spmv_kernels.hpp"
#include "solvers/pcg_kernels.hpp"
#include "solvers/small_pcg.hpp"

namespace tessera::solvers::detail {

using tessera::detail::NoFinish;
using tessera::detail::reduce_block;
using tessera::detail::reduce_items;
using tessera::detail::reduce_lanes;

// for any space
constexpr index_t max_team_unknowns = SmallPcg<Kokkos::DefaultHostExecutionSpace>::max_unknowns;
constexpr int max_blocks = (max_team_unknowns + reduce_block - 1) / reduce_block;
constexpr int n_sums_at_most = 2;

/// Arrays of the iteration; `scale` is null without a preconditioner.
struct TeamPcgData {
  PcgState* state;
  const double* scale;
  double* r;
  double* p;
  double* q;
  double* x;
  SolverRecord* records; ///< as in PcgScalars
  int n_records;
};

/// The team's scratch memory. Including Kokkos' use for a team of 1024 it stays below 48 KiB.
struct TeamPcgScratch {
  double* term;    // [n_sums][reduce_block]
  double* lane;    // [n_sums][reduce_lanes]
  double* partial; // [max_blocks][n_sums]
  static constexpr std::size_t bytes =
      sizeof(double) * n_sums_at_most * (reduce_block + reduce_lanes + max_blocks) + 64;
  template <class Team> KOKKOS_FUNCTION explicit TeamPcgScratch(const Team& team) {
    term = static_cast<double*>(team.team_shmem().get_shmem(sizeof(double) * n_sums_at_most * reduce_block));
    lane = static_cast<double*>(team.team_shmem().get_shmem(sizeof(double) * n_sums_at_most * reduce_lanes));
    partial = static_cast<double*>(team.team_shmem().get_shmem(sizeof(double) * max_blocks * n_sums_at_most));
  }
};

/// Sums of the first reduce_lanes threads' values by binary trees, stored in `sum`. At the beginning and the end no
/// thread is using `lane`.
template <int N, class Team>
KOKKOS_FUNCTION void sum_of_lanes(const Team& team, double* lane, const double (&value)[N], double* sum) {
  const int rank = team.team_rank();
  if (rank < reduce_lanes)
    for (int s = 0; s < N; ++s)
      lane[s * reduce_lanes + rank] = value[s];
  tessera::detail::add_lanes<N>(team, lane);
  if (rank == 0)
    for (int s = 0; s < N; ++s)
      sum[s] = lane[s * reduce_lanes];
  team.team_barrier();
}

/// ordered_sums (core/reduce.hpp) by one team.
template <int N, class Team, class Functor, class Finish>
KOKKOS_FUNCTION void team_sums(const Team& team, const TeamPcgScratch& scratch, index_t n, const Functor& functor,
                               double* result, const Finish& finish) {
  const Functor body = tessera::detail::loaded(functor);
  const int rank = team.team_rank();
  const int n_blocks = n > 0 ? (n + reduce_block - 1) / reduce_block : 1;
  double value[N];
  for (int block = 0; block < n_blocks; ++block) {
    for (int j = rank; j < reduce_block; j += team.team_size()) {
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
      value[s] = 0.;
      if (rank < reduce_lanes)
        for (int k = 0; k < reduce_items; ++k)
          value[s] += scratch.term[s * reduce_block + k * reduce_lanes + rank];
    }
    sum_of_lanes(team, scratch.lane, value, n_blocks == 1 ? result : scratch.partial + block * N);
  }
  if (n_blocks > 1) {
    for (int s = 0; s < N; ++s)
      value[s] = rank < n_blocks ? scratch.partial[rank * N + s] : 0.;
    sum_of_lanes(team, scratch.lane, value, result);
  }
  if (rank == 0)
    finish();
  team.team_barrier();
}

/// Iterations begin + 1, ..., end, computed as by the loops of pcg.cpp.
template <Inverse kind, int NSums> struct TeamIterations {
  linalg::BatchedRowProduct<NSums> product; // q = A p
  TeamPcgData data;
  index_t n;
  int begin;
  int end;

  template <class Team> KOKKOS_FUNCTION void run(const Team& team) const {
    const TeamPcgScratch scratch(team);
    const PcgScalars<kind> scalars{data.state, data.records, data.n_records};
    const PcgResidual<kind> residual{data.state, data.q, data.scale, data.r};
    for (int k = begin + 1; k <= end; ++k) {
      if (load_shared(&data.state->status) != DeviceStatus::running)
        return;
      team_sums<1>(team, scratch, n, product, &data.state->pq, NoFinish());
      team_sums<PcgResidual<kind>::n_sums>(team, scratch, n, residual, data.state->sums, scalars);
      const PcgStep step = tessera::detail::loaded(PcgStep{data.state, k, data.r, data.p, data.x});
      for (index_t i = team.team_rank(); i < n; i += team.team_size())
        step(i);
      team.team_barrier();
    }
  }
};

} // namespace tessera::solvers::detail

#endif
