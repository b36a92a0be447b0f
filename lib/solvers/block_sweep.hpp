// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_SOLVERS_BLOCK_SWEEP_HPP
#define TESSERA_SOLVERS_BLOCK_SWEEP_HPP

/// \file
/// One block row of a Gauss-Seidel sweep; private to block_gauss_seidel.cpp, and a template of the team so that a test
/// can run it on a host.

#include "linalg/block_spmv_kernels.hpp"

namespace tessera::solvers::detail {

/// Takes the blocks towards lower levels, or towards higher ones.
struct SelectLevels {
  const index_t* levels;
  index_t level;
  bool higher;
  KOKKOS_FUNCTION bool operator()(index_t c) const { return higher ? levels[c] > level : levels[c] < level; }
};

/// Forward: t = r - L z, z = D^-1 t. Backward: t = U z, z -= D^-1 t.
template <int NSums> struct SweepRow {
  linalg::BlockRows a;       ///< its x is z
  linalg::BlockRows inverse; ///< its x is t
  const index_t* levels;
  const double* r;
  double* t;
  double* z;
  bool is_backward;

  KOKKOS_FUNCTION SelectLevels select(index_t row) const { return {levels, levels[row], is_backward}; }

  struct WriteT {
    SweepRow p;
    KOKKOS_FUNCTION void operator()(index_t i, double sum) const { p.t[i] = p.is_backward ? sum : p.r[i] - sum; }
  };
  struct WriteZ {
    SweepRow p;
    KOKKOS_FUNCTION void operator()(index_t i, double sum) const { p.z[i] = p.is_backward ? p.z[i] - sum : sum; }
  };

  /// By one thread.
  KOKKOS_FUNCTION void by_thread(index_t row) const {
    linalg::BlockRowSums<NSums, SelectLevels>{a, select(row)}(row, WriteT{*this});
    linalg::BlockRowSums<NSums>{inverse}(row, WriteZ{*this});
  }

  /// By a team; `lanes` is its scratch memory, a number for each thread.
  template <class Team> KOKKOS_FUNCTION void by_team(const Team& team, index_t row, double* lanes) const {
    write_sums(team, row, linalg::BlockRowPart<NSums, SelectLevels>{a, select(row)}, lanes, WriteT{*this});
    write_sums(team, row, linalg::BlockRowPart<NSums>{inverse}, lanes, WriteZ{*this});
  }

private:
  /// `write(i, sum)` for each unknown i of the block row, NSums threads for one. Ends with all threads past it.
  template <class Team, class Part, class Write>
  KOKKOS_FUNCTION void write_sums(const Team& team, index_t row, const Part& part, double* lanes,
                                  const Write& write) const {
    const int rank = team.team_rank();
    const index_t n = a.size(row);
    const index_t n_at_once = team.team_size() / NSums;
    for (index_t first = 0; first < n; first += n_at_once) {
      const index_t i = first + rank / NSums;
      if (i < n && rank / NSums < n_at_once)
        lanes[rank] = part(row, i, rank % NSums);
      team.team_barrier();
      if (rank < n_at_once && first + rank < n) {
        double* sum = lanes + rank * NSums;
        for (int width = NSums / 2; width > 0; width /= 2)
          for (int l = 0; l < width; ++l)
            sum[l] += sum[l + width];
        write(a.begin(row) + first + rank, sum[0]);
      }
      team.team_barrier();
    }
  }
};

} // namespace tessera::solvers::detail

#endif
