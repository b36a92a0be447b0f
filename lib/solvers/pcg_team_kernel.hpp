// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_SOLVERS_PCG_TEAM_KERNEL_HPP
#define TESSERA_SOLVERS_PCG_TEAM_KERNEL_HPP

/// \file
/// The iterations of one team; private to pcg_team.cpp, and a template of the team so that a test can run them on a
/// host.

#include "linalg/crs_rows.hpp"
#include "solvers/pcg_kernels.hpp"
#include "solvers/pcg_team.hpp"

namespace tessera::solvers::detail {

using tessera::detail::NoFinish;
using tessera::detail::reduce_block;
using tessera::detail::reduce_items;
using tessera::detail::reduce_lanes;

constexpr int max_blocks = (max_team_unknowns + reduce_block - 1) / reduce_block;
constexpr int n_sums_at_most = 2;

/// The team's scratch memory. With what Kokkos takes for a team of 1024 it stays below 48 KiB.
struct TeamPcgScratch {
  double* term;    // [n_sums][reduce_block]
  double* lane;    // [reduce_lanes]
  double* partial; // [max_blocks][n_sums]
  static constexpr std::size_t bytes =
      sizeof(double) * (n_sums_at_most * reduce_block + reduce_lanes + max_blocks * n_sums_at_most) + 64;
  template <class Team> KOKKOS_FUNCTION explicit TeamPcgScratch(const Team& team) {
    term = static_cast<double*>(team.team_shmem().get_shmem(sizeof(double) * n_sums_at_most * reduce_block));
    lane = static_cast<double*>(team.team_shmem().get_shmem(sizeof(double) * reduce_lanes));
    partial = static_cast<double*>(team.team_shmem().get_shmem(sizeof(double) * max_blocks * n_sums_at_most));
  }
};

/// Sum of the first reduce_lanes threads' values by a binary tree; the first thread gets it.
template <class Team> KOKKOS_FUNCTION double sum_of_lanes(const Team& team, double* lane, double value) {
  const int rank = team.team_rank();
  if (rank < reduce_lanes)
    lane[rank] = value;
  for (int width = reduce_lanes / 2; width > 0; width /= 2) {
    team.team_barrier();
    if (rank < width)
      lane[rank] += lane[rank + width];
  }
  value = rank == 0 ? lane[0] : 0.;
  team.team_barrier();
  return value;
}

/// ordered_sums (core/reduce.hpp) by one team.
template <int N, class Team, class Functor, class Finish>
KOKKOS_FUNCTION void team_sums(const Team& team, const TeamPcgScratch& scratch, index_t n, const Functor& functor,
                               double* result, const Finish& finish) {
  const Functor body = tessera::detail::loaded(functor);
  const int rank = team.team_rank();
  const int n_blocks = n > 0 ? (n + reduce_block - 1) / reduce_block : 1;
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

template <Inverse kind, int Lanes> struct TeamIterations {
  linalg::RowProduct<Lanes> product; // q = A p
  TeamPcgData data;
  index_t n;
  int begin;
  int end;

  template <class Team> KOKKOS_FUNCTION void run(const Team& team) const {
    const TeamPcgScratch scratch(team);
    const PcgScalars<kind> scalars{data.state, data.recent, data.interval};
    const PcgResidual<kind> residual{data.state, data.q, data.scale, data.r};
    for (int k = begin + 1; k <= end; ++k) {
      if (load_shared(&data.state->status) != PcgDeviceStatus::running)
        return;
      team_sums<1>(team, scratch, n, product, &data.state->pq, NoFinish());
      team_sums<PcgResidual<kind>::n_sums>(team, scratch, n, residual, data.state->sums, scalars);
      const PcgStep<kind> step =
          tessera::detail::loaded(PcgStep<kind>{data.state, k, data.r, data.scale, data.p, data.x});
      for (index_t i = team.team_rank(); i < n; i += team.team_size())
        step(i);
      team.team_barrier();
    }
  }
};

} // namespace tessera::solvers::detail

#endif
