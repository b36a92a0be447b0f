// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_FE_MEAN_INTERPOLATION_HPP
#define TESSERA_FE_MEAN_INTERPOLATION_HPP

#include "core/segmented_sums.hpp"
#include "fe/dof_map.hpp"
#include "graph/incidence.hpp"
#include "linalg/transfer.hpp"

namespace tessera::fe {

/// Interpolation that gives every unknown the mean of two of the coarser level, twice the same where it is that
/// level's, too. Takes two numbers per unknown, and two more for the transpose, which sums in a fixed order: 17 bytes
/// per unknown in the plane, where a matrix and its transpose take 50.
///
/// Traffic of apply() and of its transpose: 8 bytes per fine unknown, and both vectors.
template <class ExecutionSpace> class MeanInterpolation final : public linalg::Transfer<ExecutionSpace> {
public:
  using Space = typename ExecutionSpace::memory_space;
  using typename linalg::Transfer<ExecutionSpace>::vector_type;
  using typename linalg::Transfer<ExecutionSpace>::const_vector_type;

  /// `columns` of each fine unknown, those from `coarse.n_free` on count as zero; `signs` are 1 or -1, empty: all 1.
  MeanInterpolation(const ExecutionSpace& exec, const Array<const index_t* [2], Space>& columns,
                    const Array<const signed char* [2], Space>& signs, const DofKinds& coarse);

  index_t n_rows() const override { return static_cast<index_t>(columns_.extent(0)); }
  index_t n_cols() const override { return coarse_.n_free; }
  void apply(const ExecutionSpace& exec, const const_vector_type& x, const vector_type& y) const override;
  void add(const ExecutionSpace& exec, const const_vector_type& x, const vector_type& y) const override;
  void apply_transpose(const ExecutionSpace& exec, const const_vector_type& x, const vector_type& y) const override;
  linalg::Traffic traffic() const override;
  std::int64_t bytes() const override;

private:
  Array<const index_t* [2], Space> columns_;
  Array<const signed char* [2], Space> signs_;
  DofKinds coarse_;
  graph::Incidence<Space> rows_;       ///< 2 i + k: column k of fine unknown i
  SegmentedSums<ExecutionSpace> tied_; ///< of the long rows of tied unknowns
};

} // namespace tessera::fe

#endif
