// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_FE_TRANSFER_MEAN_INTERPOLATION_HPP
#define TESSERA_FE_TRANSFER_MEAN_INTERPOLATION_HPP

#include "comm/layout.hpp"
#include "core/algorithms/segmented_sums.hpp"
#include "fe/dofs/dof_map.hpp"
#include "graph/incidence.hpp"
#include "linalg/transfer.hpp"

#include <vector>

namespace tessera::fe {

/// Two coarse unknowns for each of n fine unknowns: all of them in a single process; in each of several processes the
/// owned ones and, merged in global order, those of other processes that refer to an owned coarse unknown.
template <class ExecutionSpace> struct Means {
  using Space = typename ExecutionSpace::memory_space;
  Array<index_t*, Space> columns;           ///< [2 n], global indices; indices from the global number on denote zero
  Array<signed char*, Space> signs;         ///< [2 n], 1 or -1; empty: all 1
  comm::Shares<ExecutionSpace> fine;        ///< with offsets, for several processes
  std::vector<std::int64_t> others;         ///< fine unknowns of other processes, ascending
  std::vector<std::int64_t> coarse_offsets; ///< process r has the coarse unknowns [offsets[r], offsets[r + 1])
};

/// Interpolation that gives every unknown the mean of two coarse unknowns, twice the same one if the unknown is also on
/// the coarser level. Stores two indices per unknown, and two more for the transpose, which sums in a fixed order: 17
/// bytes per unknown in 2D, where a matrix and its transpose take 50.
///
/// With several processes each has the owned entries of vectors and receives the entries of others that it needs:
/// coarse ones for apply() and add(), fine ones for the transpose, whose terms it adds in the order of a single
/// process. These functions are then collective, and the results have the bits of a single process.
///
/// Traffic of apply() and of its transpose: 8 bytes per fine unknown, and both vectors.
template <class ExecutionSpace> class MeanInterpolation final : public linalg::Transfer<ExecutionSpace> {
public:
  using Space = typename ExecutionSpace::memory_space;
  using typename linalg::Transfer<ExecutionSpace>::vector_type;
  using typename linalg::Transfer<ExecutionSpace>::const_vector_type;

  /// `coarse`: kinds of the unknowns of all processes. Shares the arrays of `means` in a single process.
  MeanInterpolation(const ExecutionSpace& exec, const Means<ExecutionSpace>& means, const DofKinds& coarse);

  index_t n_rows() const override { return fine_.n_owned; }
  index_t n_cols() const override { return coarse_.n_owned; }
  void apply(const ExecutionSpace& exec, const const_vector_type& x, const vector_type& y) const override;
  void add(const ExecutionSpace& exec, const const_vector_type& x, const vector_type& y) const override;
  void apply_transpose(const ExecutionSpace& exec, const const_vector_type& x, const vector_type& y) const override;
  linalg::Traffic traffic() const override;
  std::int64_t bytes() const override;

private:
  comm::Layout<ExecutionSpace> fine_;      ///< ghosts: fine unknowns needed by owned coarse ones
  comm::Layout<ExecutionSpace> coarse_;    ///< ghosts: coarse unknowns needed by owned fine ones
  Array<const index_t*, Space> columns_;   ///< [2 n_rows], owned first, then ghosts; larger indices: zero
  Array<const signed char*, Space> signs_; ///< of owned fine unknowns, then of ghosts
  graph::Incidence<Space> rows_;           ///< of owned coarse unknowns: 2 i + k for column k of fine unknown i, owned
                                           ///< first
  index_t n_regular_ = 0;                  ///< number of owned coarse unknowns before the tied ones
  SegmentedSums<ExecutionSpace> tied_;     ///< sums for the long rows of tied unknowns
  vector_type fine_ghosts_;
  vector_type coarse_ghosts_;
};

} // namespace tessera::fe

#endif
