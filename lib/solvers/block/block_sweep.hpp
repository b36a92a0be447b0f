// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_SOLVERS_BLOCK_BLOCK_SWEEP_HPP
#define TESSERA_SOLVERS_BLOCK_BLOCK_SWEEP_HPP

/// \file
/// One block row of a Gauss-Seidel sweep; private to block_gauss_seidel.cpp. A template of the team, so that a test can
/// run it on a host.

#include "linalg/blocks/block_spmv_kernels.hpp"

namespace tessera::solvers::detail {

/// Selects the blocks towards lower levels, or those towards higher ones.
struct SelectLevels {
  const index_t* levels;
  index_t level;
  bool higher;
  KOKKOS_FUNCTION bool operator()(index_t c) const { return higher ? levels[c] > level : levels[c] < level; }
};

/// Forward: t = r - L z, z = D^-1 t. Backward: t = U z, z -= D^-1 t.
template <class Value> struct SweepRow {
  linalg::BlockRows a;       ///< x of the product is z
  linalg::BlockRows inverse; ///< x of the product is t; in double precision
  const index_t* levels;
  const double* r;
  double* t;
  double* z;
  bool is_backward;

  KOKKOS_FUNCTION SelectLevels select(index_t row) const { return {levels, levels[row], is_backward}; }

  struct WriteT {
    const SweepRow& p;
    KOKKOS_FUNCTION void operator()(index_t i, double sum) const { p.t[i] = p.is_backward ? sum : p.r[i] - sum; }
  };
  struct WriteZ {
    const SweepRow& p;
    KOKKOS_FUNCTION void operator()(index_t i, double sum) const { p.z[i] = p.is_backward ? p.z[i] - sum : sum; }
  };

  /// Sweep of a row by one thread.
  KOKKOS_FUNCTION void by_thread(index_t row) const {
    linalg::BlockRow<Value, SelectLevels>{a, select(row)}(row, WriteT{*this});
    linalg::BlockRow<double>{inverse}(row, WriteZ{*this});
  }

  /// Sweep of a row by a team.
  template <class Team> KOKKOS_FUNCTION void by_team(const Team& team, index_t row) const {
    write_sums(team, row, linalg::UnknownRow<Value, SelectLevels>{a, select(row)}, WriteT{*this});
    team.team_barrier();
    write_sums(team, row, linalg::UnknownRow<double>{inverse}, WriteZ{*this});
  }

private:
  /// Calls `write(i, sum)` for each unknown i of the block row.
  template <class Team, class Row, class Write>
  KOKKOS_FUNCTION void write_sums(const Team& team, index_t row, const Row& sum, const Write& write) const {
    for (index_t i = team.team_rank(); i < a.size(row); i += team.team_size())
      write(a.begin(row) + i, sum(row, i));
  }
};

} // namespace tessera::solvers::detail

#endif
