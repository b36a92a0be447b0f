// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_SOLVERS_PCG_TEAM_HPP
#define TESSERA_SOLVERS_PCG_TEAM_HPP

/// \file
/// Conjugate gradients for systems so small that a device spends its time on starting kernels: many iterations by one
/// kernel, of one team. Private to pcg.cpp.

#include "linalg/crs_matrix.hpp"
#include "solvers/pcg_state.hpp"

namespace tessera::solvers::detail {

/// What one multiprocessor works off faster than a device starts four kernels.
constexpr index_t max_team_unknowns = 8192;
constexpr std::int64_t max_team_entries = 8 * max_team_unknowns;

/// Iterations by one launch.
constexpr int team_interval = 80;

/// Arrays of the iteration; `scale` is null without a preconditioner.
struct TeamPcgData {
  PcgState* state;
  const double* scale;
  double* r;
  double* p;
  double* q;
  double* x;
  PcgRecord* records; ///< as in PcgScalars
  int n_records;
};

template <class ExecutionSpace> bool suits_team(const linalg::CrsMatrix<typename ExecutionSpace::memory_space>& matrix);

/// Iterations begin + 1, ..., end, as the loops of pcg.cpp do them: every sum in the same order, so with the same bits.
template <class ExecutionSpace>
void iterate_by_team(const ExecutionSpace& exec, const linalg::CrsMatrix<typename ExecutionSpace::memory_space>& matrix,
                     const TeamPcgData& data, int begin, int end);

} // namespace tessera::solvers::detail

#endif
