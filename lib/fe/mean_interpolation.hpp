// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_FE_MEAN_INTERPOLATION_HPP
#define TESSERA_FE_MEAN_INTERPOLATION_HPP

#include "core/segmented_sums.hpp"
#include "fe/dof_map.hpp"
#include "graph/incidence.hpp"
#include "linalg/own_and_ghosts.hpp"
#include "linalg/transfer.hpp"

#include <vector>

namespace tessera::fe {

/// Two unknowns of the coarser level for each of n fine ones: in one process all; in each of several the own ones and,
/// among these in the order of all, those of others that have an own coarse unknown.
template <class ExecutionSpace> struct Means {
  using Space = typename ExecutionSpace::memory_space;
  Array<index_t*, Space> columns;           ///< [2 n], numbers among all; those from the number of all on count as zero
  Array<signed char*, Space> signs;         ///< [2 n], 1 or -1; empty: all 1
  linalg::Shares<ExecutionSpace> fine;      ///< with offsets
  std::vector<std::int64_t> others;         ///< fine unknowns of others, ascending
  std::vector<std::int64_t> coarse_offsets; ///< process r has the coarse unknowns [offsets[r], offsets[r + 1])
};

/// Interpolation that gives every unknown the mean of two of the coarser level, twice the same where it is that
/// level's, too. Takes two numbers per unknown, and two more for the transpose, which sums in a fixed order: 17 bytes
/// per unknown in the plane, where a matrix and its transpose take 50.
///
/// Each of several processes has the own entries of vectors, and gets those of others that it needs: of apply() and
/// add() coarse ones, of the transpose fine ones, whose terms it adds in the order of one process. These are collective
/// then, and have the bits of one process.
///
/// Traffic of apply() and of its transpose: 8 bytes per fine unknown, and both vectors.
template <class ExecutionSpace> class MeanInterpolation final : public linalg::Transfer<ExecutionSpace> {
public:
  using Space = typename ExecutionSpace::memory_space;
  using typename linalg::Transfer<ExecutionSpace>::vector_type;
  using typename linalg::Transfer<ExecutionSpace>::const_vector_type;

  /// `coarse`: the unknowns of all processes. Shares the arrays of one process.
  MeanInterpolation(const ExecutionSpace& exec, const Means<ExecutionSpace>& means, const DofKinds& coarse);

  index_t n_rows() const override { return fine_.n_own; }
  index_t n_cols() const override { return coarse_.n_own; }
  void apply(const ExecutionSpace& exec, const const_vector_type& x, const vector_type& y) const override;
  void add(const ExecutionSpace& exec, const const_vector_type& x, const vector_type& y) const override;
  void apply_transpose(const ExecutionSpace& exec, const const_vector_type& x, const vector_type& y) const override;
  linalg::Traffic traffic() const override;
  std::int64_t bytes() const override;

private:
  /// Gets the ghosts of a vector.
  void receive(const ExecutionSpace& exec, const linalg::OwnAndGhosts<ExecutionSpace>& entries,
               const const_vector_type& own, const vector_type& ghosts) const {
    if (entries.halo)
      entries.halo->receive(exec, own, ghosts);
  }

  linalg::OwnAndGhosts<ExecutionSpace> fine_;   ///< ghosts: those that own coarse unknowns need
  linalg::OwnAndGhosts<ExecutionSpace> coarse_; ///< ghosts: those that own fine unknowns need
  Array<const index_t*, Space> columns_;        ///< [2 n_rows], own first, then ghosts; from their number on: zero
  Array<const signed char*, Space> signs_;      ///< of own fine unknowns, then of ghosts
  graph::Incidence<Space> rows_;       ///< of own coarse unknowns: 2 i + k for column k of fine unknown i, own first
  index_t n_regular_ = 0;              ///< own coarse unknowns before the tied ones
  SegmentedSums<ExecutionSpace> tied_; ///< of the long rows of tied unknowns
  vector_type fine_ghosts_;
  vector_type coarse_ghosts_;
};

} // namespace tessera::fe

#endif
